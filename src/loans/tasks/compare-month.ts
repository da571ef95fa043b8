import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { scheduledBalances } from '../../finance/roll-loans.ts';
import { isPerforming, readCollateral } from '../analytics/collateral-loans.ts';
import { columnsOf } from '../engine/columns-of.ts';
import { openEngine } from '../engine/engine.ts';
import { compareMonth, type MonthInput, type MonthReply } from '../servicing/compare-month.ts';

export type CompareMonthInput = Omit<MonthInput, 'engine' | 'scheduledPath' | 'isPerforming'> & {
  workDir: string;
  /** Averages of the pool, for loans without a rate or a term. */
  averageRatePercent: number | null;
  averageRemainingMonths: number | null;
};

/** Follows the loans of a pool through a month. Their schedules are those that projections use. */
export const runMonthComparison = async (input: CompareMonthInput): Promise<MonthReply> => {
  const { workDir, averageRatePercent, averageRemainingMonths, ...month } = input;
  const { loanType, cutOff, previousPath, tapePath, issuesPath, months } = month;
  await using engine = await openEngine({ workDir, allowedDirectories: [previousPath, tapePath, issuesPath].map(dirname) });
  const terms = { loanType, cutOff, useScheduledPayment: true, averageRatePercent, averageRemainingMonths };
  const hasSchedules = loanType !== 'Credit Card';
  const scheduledPath = hasSchedules ? join(workDir, 'scheduled.csv') : null;
  if (scheduledPath) {
    const { loans } = await readCollateral({ engine, path: previousPath, ...terms });
    await writeFile(scheduledPath, lines(scheduledBalances(loans, months)));
  }
  const performing = isPerforming(loanType, cutOff, await columnsOf(engine, previousPath));
  return await compareMonth({ ...month, engine, scheduledPath, isPerforming: performing });
};

/** Each part is a write of its own: by single lines, writing would take longer than all the rest. */
const LINES_AT_ONCE = 10_000;

function* lines(balances: Float64Array): Generator<string> {
  for (let start = 0; start < balances.length; start += LINES_AT_ONCE) {
    const part = balances.subarray(start, start + LINES_AT_ONCE);
    yield Array.from(part, (balance, index) => `${start + index + 1},${balance.toFixed(2)}\n`).join('');
  }
}
