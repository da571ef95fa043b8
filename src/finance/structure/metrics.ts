import { valueAt } from '../rates.ts';
import { accountsNow, notesNow, type Run } from './run.ts';
import { METRICS, type MetricBase } from './structure.ts';

const PLACE = Object.fromEntries(METRICS.map((metric, place) => [metric, place])) as Record<MetricBase, number>;

/**
 * Fills the metrics of the period, percent: on the collateral after it and on notes and accounts after the payment before. NaN where
 * the base is zero or nothing is known.
 */
export function measureTriggers(run: Run, delinquencyPercent: readonly number[] | undefined): void {
  const { metrics, poolBeginning, poolCurrent, deal } = run;
  const { monthsPerPeriod } = deal.periods;
  metrics[PLACE.CUMULATIVE_NET_LOSS] = percentOf(run.lossToDate, deal.poolOriginal);
  metrics[PLACE.OC] = percentOf(poolCurrent - notesNow(run), poolCurrent);
  metrics[PLACE.EXCESS_SPREAD] = (12 / monthsPerPeriod) * percentOf(excessInterest(run), poolBeginning);
  metrics[PLACE.DELINQUENT_60] = delinquencyPercent?.length
    ? valueAt(delinquencyPercent, Math.max(1, (run.index + 1) * monthsPerPeriod - deal.periods.delayMonths))
    : Number.NaN;
  metrics[PLACE.POOL_FACTOR] = percentOf(poolCurrent, deal.poolOriginal);
  metrics[PLACE.RESERVE_RATIO] = percentOf(accountsNow(run), poolCurrent);
  metrics[PLACE.PAYMENT_RATE] = percentOf(run.payments, poolBeginning) / monthsPerPeriod;
}

/** Interest left after the period's fees, note interest (accreted too) and net loss. */
function excessInterest(run: Run): number {
  let noteInterest = 0;
  for (let place = 0; place < run.accrued.length; place++) noteInterest += run.accrued[place];
  return run.interestCollected - run.feesAccrued - noteInterest - run.loss;
}

function percentOf(amount: number, base: number): number {
  return base > 0 ? (100 * amount) / base : Number.NaN;
}
