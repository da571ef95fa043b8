import { valueAt } from '../rates.ts';
import type { DayCount } from '../types.ts';
import { accrualYears, buildPeriods, type PaymentPeriods, type PoolDates } from './periods.ts';
import {
  type Account,
  type Amount,
  type Base,
  type Coupon,
  type Fee,
  isResidual,
  type Size,
  type Step,
  type StepKind,
  type Structure,
  type Tranche,
} from './structure.ts';
import { type CompiledTrigger, compileTriggers } from './triggers.ts';

/** Facts of the pool for which a structure is compiled: dates, balance at the cut-off and the length of the collateral in months. */
export type CompileContext = PoolDates & {
  poolOriginal: number;
  collateralMonths: number;
  /** Index rates by month after the cut-off, percent a year; the last value persists. */
  indexCurves?: Record<string, readonly number[]>;
  /** False omits the clean-up call. */
  call?: boolean;
};

/** A percentage of a balance plus a fixed amount: `fixed + share × base`. */
export type CompiledSize = { fixed: number; share: number; base: Base };

export type CompiledTranche = {
  name: string;
  className: string;
  original: number;
  residual: boolean;
  seniority: number;
  dayCount: DayCount;
  /** Coupon by payment period, percent a year. */
  couponPercent: Float64Array;
  /** Index of a floating coupon by payment period, percent a year, without margin, cap and floor; null where the coupon is fixed. */
  indexPercent: Float64Array | null;
  /** Interest of a payment period per unit of balance. */
  rateFactor: Float64Array;
  /** Indices of the tranches that must be retired before this one is paid interest; null when it is paid from the start. */
  awaited: number[] | null;
  /** Accretes until it is retired, since no step pays it interest. */
  accretesAlways: boolean;
  interestOnShortfall: boolean;
  /** First payment period (index) on or after the final maturity. */
  finalIndex: number;
};

/** Fee of a payment period: `fixed + share × base`. */
export type CompiledFee = { name: string; size: CompiledSize };

export type CompiledAccount = {
  name: string;
  initial: number;
  target: CompiledSize;
  floor: CompiledSize;
  draws: readonly StepKind[];
};

export type CompiledStep = {
  pay: StepKind;
  /** Indices of the payees in the list for this kind of step: fees, accounts or tranches. */
  to: number[];
  proRata: boolean;
  limit: CompiledSize | null;
  amount: 'PRINCIPAL_COLLECTIONS' | 'ALL' | 'OC' | 'NOTES' | 'SCHEDULE';
  share: CompiledSize;
  floor: CompiledSize;
  /** Planned closing balance by payment period. */
  planned: Float64Array | null;
  /** Indices of the trigger that must be on and of the one that must be off; −1 for none. */
  when: number;
  unless: number;
};

/** A structure compiled for one pool and number of periods. */
export type CompiledStructure = {
  periods: PaymentPeriods;
  poolOriginal: number;
  notesOriginal: number;
  tranches: CompiledTranche[];
  /** Indices of non-residual tranches, grouped by seniority, most senior first. */
  ranks: number[][];
  fees: CompiledFee[];
  accounts: CompiledAccount[];
  steps: CompiledStep[];
  triggers: CompiledTrigger[];
  writeOff: boolean;
  writeUp: boolean;
  /** Pool balance at or below which the pool is called; −1 without a call. */
  callBalance: number;
};

/** The request has no index curve for a floating tranche. */
export class MissingCurveError extends Error {
  override name = 'MissingCurveError';
  readonly path: string;
  constructor(index: string, path: string) {
    super(`no index curve for "${index}"`);
    this.path = path;
  }
}

/** Compiles a structure that passes `validateStructure`. Throws MissingCurveError for a floater whose index has no curve. */
export function compileStructure(structure: Structure, context: CompileContext): CompiledStructure {
  const periods = buildPeriods(structure, context, context.collateralMonths);
  const tranches = structure.tranches.map((tranche, trancheIndex) =>
    compileTranche(structure, tranche, trancheIndex, periods, context),
  );
  const call = structure.clean_up_call;
  const isCalled = call !== undefined && (call.exercised ?? true) && context.call !== false;
  return {
    periods,
    poolOriginal: context.poolOriginal,
    notesOriginal: tranches.reduce((sum, tranche) => sum + (tranche.residual ? 0 : tranche.original), 0),
    tranches,
    ranks: rankTranches(tranches),
    fees: (structure.fees ?? []).map((fee) => compileFee(fee, periods.monthsPerPeriod)),
    accounts: (structure.accounts ?? []).map(compileAccount),
    steps: structure.waterfall.map((step) => compileStep(structure, step, periods.count)),
    triggers: compileTriggers(structure.triggers ?? [], periods.count),
    writeOff: structure.losses?.mode === 'REVERSE_SEQUENTIAL',
    writeUp: structure.losses?.write_up ?? false,
    callBalance: isCalled ? (call.percent / 100) * context.poolOriginal : -1,
  };
}

function compileTranche(
  structure: Structure,
  tranche: Tranche,
  trancheIndex: number,
  periods: PaymentPeriods,
  context: CompileContext,
): CompiledTranche {
  const { tranche: name, day_count: dayCount = '30/360' } = tranche;
  const indexPercent = indexByPeriod(tranche.coupon, trancheIndex, periods, context);
  const couponPercent = couponsByPeriod(tranche.coupon, indexPercent, periods);
  const years = accrualYears(periods, dayCount);
  const accretes = tranche.interest === 'ACCRUE_UNTIL';
  const paidInterest = structure.waterfall.some((step) => step.pay === 'INTEREST' && step.to.includes(name));
  return {
    name,
    className: tranche.class ?? name,
    original: tranche.balance,
    residual: isResidual(structure, tranche),
    seniority: tranche.seniority ?? trancheIndex + 1,
    dayCount,
    couponPercent,
    indexPercent,
    rateFactor: couponPercent.map((coupon, index) => (coupon / 100) * years[index]),
    awaited: accretes ? indicesOf(structure.tranches, 'tranche', tranche.accrue_until ?? []) : null,
    accretesAlways: accretes && !paidInterest,
    interestOnShortfall: tranche.interest_on_shortfall ?? structure.interest_on_shortfall ?? false,
    finalIndex: finalIndex(tranche, periods),
  };
}

function indexByPeriod(
  coupon: Coupon | undefined,
  trancheIndex: number,
  periods: PaymentPeriods,
  context: CompileContext,
): Float64Array | null {
  if (coupon?.type !== 'FLOATING') return null;
  const curves = context.indexCurves ?? {};
  const curve = Object.hasOwn(curves, coupon.index) ? curves[coupon.index] : undefined;
  if (!curve?.length) throw new MissingCurveError(coupon.index, `tranches[${trancheIndex}].coupon.index`);
  return new Float64Array(periods.count).map((_, index) => valueAt(curve, fixingMonth(periods, index)));
}

/** Month of the index curve at which the index of a payment period is set: the first of its accrual. */
export function fixingMonth({ monthsPerPeriod }: Pick<PaymentPeriods, 'monthsPerPeriod'>, index: number): number {
  return index * monthsPerPeriod + 1;
}

function couponsByPeriod(coupon: Coupon | undefined, indexPercent: Float64Array | null, periods: PaymentPeriods): Float64Array {
  if (coupon?.type !== 'FLOATING' || !indexPercent)
    return new Float64Array(periods.count).fill(coupon?.type === 'FIXED' ? coupon.rate : 0);
  const { margin_bp, floor = Number.NEGATIVE_INFINITY, cap = Number.POSITIVE_INFINITY } = coupon;
  return indexPercent.map((rate) => Math.min(cap, Math.max(floor, rate + margin_bp / 100)));
}

function finalIndex({ final_maturity }: Tranche, { dates, count }: PaymentPeriods): number {
  if (final_maturity === undefined) return count;
  const index = dates.findIndex((date) => date.unadjusted >= final_maturity || date.paid >= final_maturity);
  return index === -1 ? count : index;
}

function rankTranches(tranches: readonly CompiledTranche[]): number[][] {
  const ranks = new Map<number, number[]>();
  for (const [trancheIndex, { residual, seniority }] of tranches.entries()) {
    if (!residual) ranks.set(seniority, [...(ranks.get(seniority) ?? []), trancheIndex]);
  }
  return [...ranks.entries()].sort(([a], [b]) => a - b).map(([, trancheIndices]) => trancheIndices);
}

function compileFee(fee: Fee, monthsPerPeriod: number): CompiledFee {
  const years = monthsPerPeriod / 12;
  const share = ((fee.percent ?? 0) / 100) * years;
  return { name: fee.fee, size: { fixed: (fee.amount_per_year ?? 0) * years, share, base: fee.of ?? 'POOL_BEGINNING' } };
}

function compileAccount({ account, initial = 0, target = 0, draws = ['FEE', 'INTEREST'] }: Account): CompiledAccount {
  const floor = typeof target === 'number' ? undefined : target.floor;
  return { name: account, initial, target: compileSize(target), floor: compileSize(floor ?? 0), draws };
}

function compileStep(structure: Structure, step: Step, periodCount: number): CompiledStep {
  const triggers = structure.triggers ?? [];
  const amount = step.amount ?? 'PRINCIPAL_COLLECTIONS';
  const target = typeof amount === 'object' && 'target' in amount ? amount : null;
  return {
    pay: step.pay,
    to: payeeIndices(structure, step),
    proRata: step.order === 'PRO_RATA',
    limit: step.limit === undefined ? null : compileSize(step.limit),
    amount: typeof amount === 'string' ? amount : target ? target.target : 'SCHEDULE',
    share: compileSize(target ?? 0),
    floor: compileSize(target?.floor ?? 0),
    planned: plannedBalances(amount, periodCount),
    when: triggers.findIndex((trigger) => trigger.trigger === step.when),
    unless: triggers.findIndex((trigger) => trigger.trigger === step.unless),
  };
}

function payeeIndices(structure: Structure, { pay, to }: Step): number[] {
  if (pay === 'FEE') return indicesOf(structure.fees ?? [], 'fee', to);
  if (pay === 'RESERVE') return indicesOf(structure.accounts ?? [], 'account', to);
  return indicesOf(structure.tranches, 'tranche', to);
}

function indicesOf<Key extends string>(list: readonly Record<Key, string>[], key: Key, names: readonly string[]): number[] {
  return names.map((name) => list.findIndex((item) => item[key] === name));
}

/** Planned balance by period; infinite (nothing due) before the first point of the schedule. */
function plannedBalances(amount: Amount, periodCount: number): Float64Array | null {
  if (typeof amount === 'string' || !('schedule' in amount)) return null;
  const points = amount.schedule.toSorted((a, b) => a.period - b.period);
  const planned = new Float64Array(periodCount).fill(Number.POSITIVE_INFINITY);
  for (const { period, balance } of points) planned.fill(balance, period - 1);
  return planned;
}

function compileSize(size: Size): CompiledSize {
  if (typeof size === 'number') return { fixed: size, share: 0, base: 'POOL_ORIGINAL' };
  return { fixed: 0, share: size.percent / 100, base: size.of };
}
