import { fillCoupons, fillSchedule } from './amortization.ts';
import type { LoanTable } from './loan-table.ts';
import { addSchedulesBelow } from './add-schedules.ts';
import type { SharedSchedule } from './collateral-flows.ts';
import type { CollateralSeries, ProjectionOptions } from './types.ts';
import type { Workspace } from './workspace.ts';

/** Buffers for the series of a group of loans; their content is valid until the next group. */
export type SeriesBuffers = Pick<SharedSchedule, 'weightedRate' | 'adjustment'> & {
  /** Schedule of one loan. */
  balance: Float64Array;
  interest: Float64Array;
};

/** Buffers for groups of at most `periods` months; null where no series is asked for. */
export function createSeriesBuffers(periods: number, series: CollateralSeries = {}): SeriesBuffers | null {
  if (!series.weightedRate && !series.adjustment) return null;
  return {
    ...(series.weightedRate ? { weightedRate: new Float64Array(periods) } : {}),
    ...(series.adjustment ? { adjustment: new Float64Array(periods + 1) } : {}),
    balance: new Float64Array(periods + 1),
    interest: new Float64Array(periods),
  };
}

/**
 * The series of the loans in rows `from` to `to` (excluded), whose schedules are summed in `schedule`, in the buffers. The sums of the
 * workspace are void afterwards.
 */
export function fillSeries(
  table: LoanTable,
  from: number,
  to: number,
  schedule: SharedSchedule,
  buffers: SeriesBuffers,
  workspace: Workspace,
): Pick<SharedSchedule, 'weightedRate' | 'adjustment'> {
  const { months } = schedule;
  const { weightedRate, adjustment } = buffers;
  const { options } = workspace;
  if (weightedRate) fillWeightedRate(table, from, to, options, schedule, weightedRate, buffers);
  const terms = options.series?.adjustment;
  if (!adjustment || !terms) return weightedRate ? { weightedRate } : {};
  if (terms.applies === 'BELOW') {
    workspace.balance.fill(0, 0, months + 1);
    workspace.interest.fill(0, 0, months);
    addSchedulesBelow(table, from, to, terms.ratePercent, workspace);
  }
  fillAdjustment(terms.applies === 'BELOW' ? workspace : schedule, months, terms.ratePercent / 1200, adjustment);
  return { adjustment, ...(weightedRate ? { weightedRate } : {}) };
}

/** Interest due is balance × rate / 12 of every loan but those with deferred months or interest of them, which is simple or paid later. */
function fillWeightedRate(
  table: LoanTable,
  from: number,
  to: number,
  options: ProjectionOptions,
  { months, interest }: SharedSchedule,
  weightedRate: Float64Array,
  { balance, interest: loanInterest }: SeriesBuffers,
): void {
  for (let month = 0; month < months; month++) weightedRate[month] = 1200 * interest[month];
  if (table.special.size === 0) return;
  for (let row = from; row < to; row++) {
    const loan = table.special.get(row);
    if (!loan?.deferMonths && !loan?.deferredInterest) continue;
    const coupons = new Float64Array(months);
    fillCoupons(loan, months, options, coupons);
    fillSchedule(loan, options, balance, loanInterest);
    for (let month = 0; month < months; month++) {
      weightedRate[month] = weightedRate[month] + balance[month] * coupons[month] - 1200 * loanInterest[month];
    }
  }
}

/**
 * Fills `adjustment[0..months]` with balance less present value of the later payments at a rate a month (a fraction). The present value
 * before a month is (payment + present value after it) / (1 + rate), so the adjustment before it is (adjustment after it + balance × rate
 * − interest) / (1 + rate): taken back from the last payment, it is zero where interest is that of the rate, and nothing cancels out.
 */
function fillAdjustment(
  { balance, interest }: Pick<SharedSchedule, 'balance' | 'interest'>,
  months: number,
  rate: number,
  adjustment: Float64Array,
): void {
  adjustment[months] = 0;
  for (let month = months - 1; month >= 0; month--) {
    adjustment[month] = (adjustment[month + 1] + balance[month] * rate - interest[month]) / (1 + rate);
  }
}
