import { join } from 'node:path';
import { addMonths } from '../../generate/loan-terms.ts';
import { ServicedLoans } from '../../generate/serviced-loans.ts';
import { compareMonthTask } from '../../tasks/tasks.ts';
import { openRoom } from '../../testing/take-tape.ts';
import type { LoanType } from '../../types.ts';
import { writePoolTable } from '../../analytics/pool-table.ts';

const hasIds = ({ mapping }: { mapping: { mappings: readonly { target: string | null }[] } }): boolean =>
  mapping.mappings.some(({ target }) => target === 'loan_id' || target === 'account_id');

/** A pool of a generated tape, and its months; `closingTape` gives the tape at closing. */
export async function openServicedPool(
  type: LoanType,
  rows = 300,
  seed = 5,
  closingTape = (loans: ServicedLoans) => loans.csv(),
) {
  const room = await openRoom();
  const loans = new ServicedLoans({ type, rows, seed });
  const closing = await room.take({ loanType: type, csv: closingTape(loans) });
  const cutOff = '2026-06-30';
  const path = join(await room.newDir(), 'pool.parquet');
  const source = {
    deal_id: 'deal_1',
    deal_number: 1,
    tape_version: 1,
    loansPath: closing.result.files.loans ?? '',
    outcomesPaths: [],
  };
  const pool = await writePoolTable({ engine: room.engine, loanType: type, cutOff, sources: [source], condition: null, path });
  let previousPath = path;
  let at = 0;
  return {
    room,
    loans,
    closing,
    pool,
    /** Reads the tape of a month and follows the loans from the month before to it; `keep: false` leaves the month before as it is. */
    async take(csv: string, { months = 1, keep = true }: { months?: number; keep?: boolean } = {}) {
      const tape = await room.take({ loanType: type, csv, asOf: '2030-01-01' });
      const workDir = await room.newDir();
      const month = {
        loanType: type,
        workDir,
        cutOff: addMonths(cutOff, at),
        averageRatePercent: Number(pool.wac),
        averageRemainingMonths: Number(pool.wam),
        previousPath,
        dealsWithoutIds: hasIds(closing) ? [] : [1],
        tapePath: tape.result.files.loans ?? '',
        hasIds: hasIds(tape),
        issuesPath: tape.result.files.issues,
        months,
        hasRecoveries: tape.mapping.mappings.some(({ target }) => target === 'recovered_amount'),
        monthPath: join(workDir, 'month.parquet'),
        findingsPath: join(workDir, 'findings.parquet'),
      };
      const reply = await compareMonthTask.run(month);
      if (keep) {
        previousPath = month.monthPath;
        at += months;
      }
      const rows = (file: string, more = '') =>
        room.engine.rows<Record<string, string | number | boolean | null>>(`SELECT * FROM read_parquet('${file}') ${more}`);
      return {
        ...reply,
        tape,
        after: (more?: string) => rows(month.monthPath, more),
        issues: (rule?: string) => rows(month.findingsPath, rule ? `WHERE rule_id = '${rule}'` : ''),
      };
    },
    /** The loans as they were after the last month that was kept. */
    before: () =>
      room.engine.rows<Record<string, string | number | boolean | null>>(`SELECT * FROM read_parquet('${previousPath}')`),
    [Symbol.asyncDispose]: () => room[Symbol.asyncDispose](),
  };
}
