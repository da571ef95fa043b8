import type { DayCount } from '../types.ts';
import { type Accrual, accrualOrder } from './amount-cycles.ts';
import {
  type AmountContext,
  compileAmount,
  type CompiledAmount,
  type CompiledBase,
  compileBase,
  ZERO,
} from './compiled-amount.ts';
import { atLeastZero, compileCoupon, type CouponContext, type CouponRule } from './compiled-coupon.ts';
import { compilePayees, type Group, type PayeeList } from './compiled-payees.ts';
import { accrualYears, buildPeriods, type PaymentPeriods, type PoolDates, withPaidDates } from './periods.ts';
import {
  type Account,
  balanceOf,
  type Call,
  type Fee,
  incomeTo,
  isNote,
  isPaidBy,
  isResidual,
  type Step,
  type StepCondition,
  stepName,
  type StepKind,
  type Structure,
  type Tranche,
} from './structure.ts';
import { toUnit, unitOf } from './unit.ts';
import { type CompiledTest, compileTest, type CompiledTrigger, compileTriggers } from './triggers.ts';

/** Facts of the pool for which a structure is compiled: dates, balance at the cut-off and the length of the collateral in months. */
export type CompileContext = PoolDates & {
  poolOriginal: number;
  collateralMonths: number;
  /** Index rates by month after the cut-off, percent a year; the last value persists. */
  indexCurves?: Record<string, readonly number[]>;
  /** False omits the clean-up call. */
  call?: boolean;
  /** Payment periods that were paid before the run starts. */
  paidPeriods?: number;
  /** Dates of payment that are known, by index of the period; the calendar's otherwise. */
  paidDates?: Readonly<Record<number, string>>;
};

export type CompiledTranche = {
  name: string;
  className: string;
  original: number;
  residual: boolean;
  /** What the coupon of a notional tranche is of; null for one with a balance. */
  notional: CompiledAmount | null;
  seniority: number;
  dayCount: DayCount;
  /** Coupon by payment period, percent a year; 0 where a rule decides it in the period. */
  couponPercent: Float64Array;
  couponRule: CouponRule | null;
  /** Index of a floating coupon by payment period, percent a year, without margin, cap and floor; null where the coupon is fixed. */
  indexPercent: Float64Array | null;
  /** Accrual of a payment period in years. */
  years: Float64Array;
  /** Interest of a payment period per unit of balance, where no rule decides the coupon. */
  rateFactor: Float64Array;
  /** Indices of the tranches that must be retired before this one is paid interest; null when it is paid from the start. */
  awaited: number[] | null;
  /** Accretes until it is retired, since no step pays it interest. */
  accretesAlways: boolean;
  interestOnShortfall: boolean;
  /** First payment period (index) on or after the final maturity. */
  finalIndex: number;
};

/** Fee of a payment period. */
export type CompiledFee = {
  name: string;
  /** Part of a year that a payment period is. */
  years: number;
  /** Percent a year of `base`, and `fixed` a year; a number is multiplied once. */
  share: number;
  percent: CompiledAmount | null;
  base: CompiledBase;
  fixed: number;
  perYear: CompiledAmount | null;
  /** Index of the period of a fee that is due once, or −1, and what is due. */
  onceAt: number;
  once: number;
  billed: boolean;
};

export type CompiledAccount = {
  name: string;
  initial: number;
  target: CompiledAmount;
  nonDeclining: boolean;
  /** Kinds of steps and steps, by index, whose shortfall it pays. */
  draws: readonly StepKind[];
  drawSteps: readonly number[];
  collection: boolean;
  /** By payment period: percent a year, and years of 360 days; null when it earns nothing. */
  earns: { percent: Float64Array; years: Float64Array } | null;
  floatDays: number;
  incomeToPot: boolean;
  /** Index of the tranche that gets what is above the target, −1 for the pot, −2 for the holder of the residual. */
  releaseTo: number;
};

export const RELEASE_TO_POT = -1;
export const RELEASE_APART = -2;

/** Triggers that must hold; null when nothing is asked. */
export type CompiledCondition = { triggers: readonly number[]; all: boolean } | null;

export type CompiledStep = {
  name: string;
  pay: StepKind;
  /** Indices of the payees in the list for this kind of step: fees, accounts or tranches. */
  to: number[];
  /** Their groups; null where they are paid one after the other or, with `proRata`, together. */
  groups: readonly Group[] | null;
  payees: PayeeList;
  proRata: boolean;
  limit: CompiledAmount | null;
  /** The limit is one of a calendar year. */
  limitPerYear: boolean;
  amount: CompiledAmount;
  when: CompiledCondition;
  unless: CompiledCondition;
  clause: string | null;
};

export type CompiledCall = { name: string; tests: readonly CompiledTest[]; price: CompiledAmount; clause: string | null };

/** A structure compiled for one pool and number of periods. */
export type CompiledStructure = {
  periods: PaymentPeriods;
  /** Money in the run per currency unit: 100 where it counts whole cents, else 1. */
  unit: 1 | 100;
  poolOriginal: number;
  notesOriginal: number;
  tranches: CompiledTranche[];
  /** Indices of non-residual tranches, grouped by seniority, most senior first. */
  ranks: number[][];
  fees: CompiledFee[];
  /** In which order the fees, the net rate and the interest of a period accrue. */
  accruals: readonly Accrual[];
  accounts: CompiledAccount[];
  steps: CompiledStep[];
  /** Index of the last step that pays principal, after which the groups are settled; −1 without one. */
  lastPrincipalStep: number;
  /** Groups of tranches that share principal. */
  groups: readonly Group[];
  triggers: CompiledTrigger[];
  calls: CompiledCall[];
  /** Adjustment of the pool by payment period, index 0 at closing; null where there is none or the collateral has it. */
  adjustments: Float64Array | null;
  writeOff: boolean;
  writeUp: boolean;
  /** Pool balance at or below which the pool is called; −1 without a call. */
  callBalance: number;
};

/** Compiles a structure that passes `validateStructure`. Throws MissingCurveError for a floater whose index has no curve. */
export function compileStructure(structure: Structure, context: CompileContext): CompiledStructure {
  const { paidPeriods = 0, paidDates = {} } = context;
  const periods = withPaidDates(buildPeriods(structure, context, context.collateralMonths, paidPeriods), paidDates);
  const unit = unitOf(structure);
  const { indexCurves = {} } = context;
  const compiling: CouponContext = { structure, periods, unit, indexCurves };
  const tranches = structure.tranches.map((tranche, trancheIndex) => compileTranche(tranche, trancheIndex, compiling));
  const steps = structure.waterfall.map((step, place) => compileStep(step, place, compiling));
  const call = structure.clean_up_call;
  const isCalled = call !== undefined && (call.exercised ?? true) && context.call !== false;
  const calls = context.call === false ? [] : (structure.calls ?? []).filter(({ exercised = true }) => exercised);
  return {
    periods,
    unit,
    poolOriginal: toUnit(context.poolOriginal, unit),
    notesOriginal: tranches.reduce((sum, tranche) => sum + (tranche.residual ? 0 : tranche.original), 0),
    tranches,
    ranks: rankTranches(tranches),
    fees: (structure.fees ?? []).map((fee) => compileFee(fee, compiling)),
    accruals: accrualOrder(structure),
    accounts: (structure.accounts ?? []).map((account, place) => compileAccount(account, place, compiling)),
    steps,
    lastPrincipalStep: steps.findLastIndex((step) => step.pay === 'PRINCIPAL'),
    groups: [...new Map(steps.flatMap(groupsOf)).values()],
    triggers: compileTriggers(structure.triggers ?? [], compiling),
    calls: calls.map((each) => compileCall(each, compiling)),
    adjustments: compileAdjustments(structure, compiling),
    writeOff: structure.losses?.mode === 'REVERSE_SEQUENTIAL',
    writeUp: structure.losses?.write_up ?? false,
    callBalance: isCalled ? (call.percent / 100) * context.poolOriginal * unit : -1,
  };
}

/** The groups of a step of principal by their members: a group of several steps is one. */
const groupsOf = ({ pay, groups }: CompiledStep): [string, Group][] =>
  pay === 'PRINCIPAL' && groups ? groups.map((group) => [group.places.join(' '), group]) : [];

/** Whether a tranche is the residual and no step pays its coupon: it gets what is left, and is owed no interest beside that. */
export const couponIsUnpaid = (structure: Structure, tranche: Tranche): boolean =>
  tranche.notional === undefined && isResidual(structure, tranche) && !isPaidBy(structure, 'INTEREST', tranche.tranche);

function compileTranche(tranche: Tranche, trancheIndex: number, context: CouponContext): CompiledTranche {
  const { structure, periods, unit } = context;
  const { tranche: name, day_count: dayCount = '30/360' } = tranche;
  const owed = couponIsUnpaid(structure, tranche) ? { tranche: name } : tranche;
  const { indexPercent, rule, ...coupons } = compileCoupon(owed, `tranches[${trancheIndex}].coupon`, context);
  const couponPercent = coupons.couponPercent.map(atLeastZero);
  const years = accrualYears(periods, dayCount);
  const accretes = tranche.interest === 'ACCRUE_UNTIL';
  return {
    name,
    className: tranche.class ?? name,
    original: toUnit(balanceOf(tranche), unit),
    residual: !isNote(structure, tranche),
    notional: tranche.notional === undefined ? null : compileAmount(tranche.notional, 'MONEY', context),
    seniority: tranche.seniority ?? trancheIndex + 1,
    dayCount,
    couponPercent,
    couponRule: rule,
    indexPercent,
    years,
    rateFactor: couponPercent.map((coupon, index) => (coupon / 100) * years[index]),
    awaited: accretes ? indicesOf(structure.tranches, 'tranche', tranche.accrue_until ?? []) : null,
    accretesAlways: accretes && !isPaidBy(structure, 'INTEREST', name),
    interestOnShortfall: tranche.interest_on_shortfall ?? structure.interest_on_shortfall ?? false,
    finalIndex: finalIndex(tranche, periods),
  };
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

function compileFee(
  { fee, percent, of, amount_per_year = 0, one_off, billed = false }: Fee,
  context: AmountContext,
): CompiledFee {
  const years = context.periods.monthsPerPeriod / 12;
  const plain = typeof percent === 'number' || percent === undefined;
  return {
    name: fee,
    years,
    share: plain ? ((percent ?? 0) / 100) * years : 0,
    percent: plain ? null : compileAmount(percent, 'PERCENT', context),
    base: compileBase(of ?? 'POOL_BEGINNING', undefined, context.structure),
    fixed: typeof amount_per_year === 'number' ? amount_per_year * years * context.unit : 0,
    perYear: typeof amount_per_year === 'number' ? null : compileAmount(amount_per_year, 'MONEY', context),
    onceAt: one_off ? one_off.period - 1 : -1,
    once: billed ? 0 : toUnit(one_off?.amount ?? 0, context.unit),
    billed,
  };
}

function compileAccount(account: Account, place: number, context: CouponContext): CompiledAccount {
  const { structure, unit } = context;
  const { initial = 0, target = 0, draws = ['FEE', 'INTEREST'], kind = 'RESERVE', release_to = 'POT' } = account;
  const collection = kind === 'COLLECTION';
  return {
    name: account.account,
    initial: toUnit(initial, unit),
    target: { kind: 'MAX', parts: [compileAmount(target, 'MONEY', context), ZERO] },
    nonDeclining: account.non_declining ?? false,
    draws: draws.filter((each) => each === 'FEE' || each === 'INTEREST' || each === 'PRINCIPAL'),
    drawSteps: draws.flatMap((each) => {
      const named = structure.waterfall.findIndex((step, index) => `step:${stepName(step, index)}` === each);
      return named === -1 ? [] : [named];
    }),
    collection,
    earns: compileEarnings(account, place, context),
    floatDays: account.float_days ?? 15,
    incomeToPot: incomeTo(account) === 'POT',
    releaseTo:
      release_to === 'POT'
        ? RELEASE_TO_POT
        : release_to === 'RESIDUAL'
          ? RELEASE_APART
          : structure.tranches.findIndex(({ tranche }) => tranche === release_to),
  };
}

/** Rate of an account by payment period: a fixed one, or an index with its margin. */
function compileEarnings({ account, earns }: Account, place: number, context: CouponContext): CompiledAccount['earns'] {
  if (!earns) return null;
  const { rate, index, margin_bp = 0 } = earns;
  const coupon =
    index === undefined
      ? ({ type: 'FIXED', rate: (rate ?? 0) + margin_bp / 100 } as const)
      : ({ type: 'FLOATING', index, margin_bp } as const);
  const { couponPercent } = compileCoupon({ tranche: account, coupon }, `accounts[${place}].earns`, context);
  return { percent: couponPercent, years: accrualYears(context.periods, 'ACT/360') };
}

function compileStep(step: Step, place: number, context: AmountContext): CompiledStep {
  const { structure } = context;
  const { limit } = step;
  const perYear = typeof limit === 'object' && 'per' in limit ? limit : null;
  const size = perYear ? perYear.amount : limit;
  const payees = compilePayees(step, (name) => placeOfPayee(structure, step.pay, name));
  const isGrouped = step.to.some((payee) => typeof payee !== 'string');
  return {
    name: stepName(step, place),
    pay: step.pay,
    to: [...payees.root.places],
    payees: payees.root,
    groups: isGrouped ? payees.groups : null,
    proRata: step.order === 'PRO_RATA',
    limit:
      size === undefined
        ? null
        : compileAmount(size as Exclude<typeof size, { per: unknown }>, 'MONEY', context, Number.POSITIVE_INFINITY),
    limitPerYear: perYear !== null,
    amount: compileAmount(step.amount ?? 'PRINCIPAL_COLLECTIONS', 'MONEY', context),
    when: compileCondition(step.when, structure),
    unless: compileCondition(step.unless, structure),
    clause: step.clause ?? null,
  };
}

function placeOfPayee(structure: Structure, pay: StepKind, name: string): number {
  if (pay === 'FEE') return (structure.fees ?? []).findIndex(({ fee }) => fee === name);
  if (pay === 'RESERVE') return (structure.accounts ?? []).findIndex(({ account }) => account === name);
  return structure.tranches.findIndex(({ tranche }) => tranche === name);
}

function compileCondition(condition: StepCondition | undefined, { triggers = [] }: Structure): CompiledCondition {
  if (condition === undefined) return null;
  const names = typeof condition === 'string' ? [condition] : 'any_of' in condition ? condition.any_of : condition.all_of;
  return {
    triggers: names.map((name) => triggers.findIndex(({ trigger }) => trigger === name)),
    all: typeof condition === 'object' && 'all_of' in condition,
  };
}

function compileCall({ call, any_of, price, clause }: Call, context: AmountContext): CompiledCall {
  return {
    name: call,
    tests: any_of.map((test, slot) => compileTest(test, context, slot)),
    price: compileAmount(price ?? { percent: 100, of: 'POOL_CURRENT' }, 'MONEY', context),
    clause: clause ?? null,
  };
}

function compileAdjustments({ pool }: Structure, { periods, unit }: AmountContext): Float64Array | null {
  const adjustment = pool?.adjustment;
  if (!Array.isArray(adjustment)) return null;
  const values = new Float64Array(periods.count + 1);
  for (const { from_period = 0, value } of adjustment) values.fill(toUnit(value, unit), from_period);
  return values;
}

function indicesOf<Key extends string>(list: readonly Record<Key, string>[], key: Key, names: readonly string[]): number[] {
  return names.map((name) => list.findIndex((item) => item[key] === name));
}
