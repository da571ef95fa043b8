import { dayNumber } from '../dates.ts';
import { valueAt } from '../rates.ts';
import type { Assumptions } from '../types.ts';
import { amountNow } from './amount-now.ts';
import { collectionMonths, monthsCollected } from './periods.ts';
import { accountsNow, notesNow, sumOf, type WaterfallRun } from './waterfall-run.ts';
import { METRICS, type MetricBase } from './structure.ts';
import { type CompiledTest, type TestReader, thresholdOf } from './triggers.ts';

/** Percent of the pool 30, 60 and 90 or more days delinquent by month, each with the worse ones; empty where it is not known. */
export type DelinquencyByMonth = { days30: readonly number[]; days60: readonly number[]; days90: readonly number[] };

export const delinquencyOf = ({
  delinquency30Percent: days30 = [],
  delinquencyPercent: days60 = [],
  delinquency90Percent: days90 = [],
}: Assumptions): DelinquencyByMonth => ({ days30, days60, days90 });

/** Puts the delinquent balances of the period into the run; NaN where they are not known. */
export function measureDelinquency(run: WaterfallRun, delinquency: DelinquencyByMonth | undefined): void {
  const month = Math.max(1, collectionMonths(run.structure.periods, run.periodIndex).end);
  const percentAt = (values: readonly number[] | undefined) => (values?.length ? valueAt(values, month) : Number.NaN);
  const { days30, days60, days90 } = delinquency ?? {};
  run.delinquentPercent[0] = percentAt(days30);
  run.delinquentPercent[1] = percentAt(days60);
  run.delinquentPercent[2] = percentAt(days90);
  for (let bucket = 0; bucket < 3; bucket++) run.delinquent[bucket] = (run.delinquentPercent[bucket] * run.poolCurrent) / 100;
}

/** Reads the tests of a run: collateral after the period, notes and accounts after the previous payment. NaN where the base is zero or the input is unknown. */
export function testReader(run: WaterfallRun): TestReader {
  return {
    valueOf: (test) => measureTest(run, test),
    thresholdOf: (test) => (test.threshold ? amountNow(run, test.threshold) : thresholdOf(test, run.periodIndex)),
  };
}

function measureTest(run: WaterfallRun, test: CompiledTest): number {
  if (test.ratio) return percentOf(amountNow(run, test.ratio.amount), amountNow(run, test.ratio.of));
  return measure(run, METRICS[test.metricIndex], test.tranches);
}

/** Takes the ratios that are tested after the payment; they count in the next period. */
export function measureAfterPayment(run: WaterfallRun): void {
  for (const trigger of run.structure.triggers) {
    for (const test of trigger.tests) if (test.ratio?.afterPayment) run.triggers.after[test.slot] = measureTest(run, test);
  }
}

function measure(run: WaterfallRun, metric: MetricBase, tranches: readonly number[] | null): number {
  const { poolBeginning, poolCurrent, structure } = run;
  const { periods } = structure;
  switch (metric) {
    case 'CUMULATIVE_NET_LOSS':
      return percentOf(run.lossToDate, structure.poolOriginal);
    case 'OC':
      return percentOf(poolCurrent - notesNow(run, tranches), poolCurrent);
    case 'EXCESS_SPREAD':
      return (12 / monthsCollected(periods, run.periodIndex)) * percentOf(excessInterest(run), poolBeginning);
    case 'DELINQUENT_30':
      return run.delinquentPercent[0];
    case 'DELINQUENT_60':
      return run.delinquentPercent[1];
    case 'DELINQUENT_90':
      return run.delinquentPercent[2];
    case 'POOL_FACTOR':
      return percentOf(poolCurrent, structure.poolOriginal);
    case 'RESERVE_RATIO':
      return percentOf(accountsNow(run), poolCurrent);
    case 'PAYMENT_RATE':
      return percentOf(run.payments, poolBeginning) / monthsCollected(periods, run.periodIndex);
    case 'PERIOD':
      return run.periodIndex + 1;
    case 'DATE':
      return dayNumber(periods.dates[run.periodIndex].paid);
    case 'INTEREST_SHORTFALL':
      return sumOf(run.shortBefore, tranches);
    case 'PRINCIPAL_SHORTFALL':
      return run.principalShortBefore;
    case 'NET_LOSS_12M':
      return percentOf(
        run.recentLosses.reduce((sum, loss) => sum + loss, 0),
        structure.poolOriginal,
      );
    case 'NOTE_BALANCE':
      return notesNow(run, tranches);
  }
}

/** Interest left after the period's fees, note interest (accreted too) and net loss. */
function excessInterest(run: WaterfallRun): number {
  return run.interestCollected - run.feesAccrued - sumOf(run.accrued) - run.loss;
}

function percentOf(amount: number, base: number): number {
  return base > 0 ? (100 * amount) / base : Number.NaN;
}
