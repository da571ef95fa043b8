import { valueAt } from '../rates.ts';
import { accountsNow, notesNow, type WaterfallRun } from './waterfall-run.ts';
import { METRICS, type MetricBase } from './structure.ts';

const INDEX = Object.fromEntries(METRICS.map((metric, index) => [metric, index])) as Record<MetricBase, number>;

/**
 * Fills the metrics of the period in percent, from the collateral after the period and the notes and accounts after the previous payment.
 * NaN where the base is zero or the input is unknown.
 */
export function measureTriggers(run: WaterfallRun, delinquencyPercent: readonly number[] | undefined): void {
  const { metrics, poolBeginning, poolCurrent, structure } = run;
  const { monthsPerPeriod } = structure.periods;
  metrics[INDEX.CUMULATIVE_NET_LOSS] = percentOf(run.lossToDate, structure.poolOriginal);
  metrics[INDEX.OC] = percentOf(poolCurrent - notesNow(run), poolCurrent);
  metrics[INDEX.EXCESS_SPREAD] = (12 / monthsPerPeriod) * percentOf(excessInterest(run), poolBeginning);
  metrics[INDEX.DELINQUENT_60] = delinquencyPercent?.length
    ? valueAt(delinquencyPercent, Math.max(1, (run.periodIndex + 1) * monthsPerPeriod - structure.periods.delayMonths))
    : Number.NaN;
  metrics[INDEX.POOL_FACTOR] = percentOf(poolCurrent, structure.poolOriginal);
  metrics[INDEX.RESERVE_RATIO] = percentOf(accountsNow(run), poolCurrent);
  metrics[INDEX.PAYMENT_RATE] = percentOf(run.payments, poolBeginning) / monthsPerPeriod;
}

/** Interest left after the period's fees, note interest (accreted too) and net loss. */
function excessInterest(run: WaterfallRun): number {
  let noteInterest = 0;
  for (let index = 0; index < run.accrued.length; index++) noteInterest += run.accrued[index];
  return run.interestCollected - run.feesAccrued - noteInterest - run.loss;
}

function percentOf(amount: number, base: number): number {
  return base > 0 ? (100 * amount) / base : Number.NaN;
}
