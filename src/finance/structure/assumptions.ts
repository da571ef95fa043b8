import type { Assumptions, CollateralLoan, DefaultMeasure, PrepaymentMeasure } from '../types.ts';
import type { NetLossCurve } from '../net-loss.ts';
import { canonicalJson } from './canonical-json.ts';
import type { CalculationRequest, WireAssumptions, WireScenario, WireSegment } from './request.ts';

export const PREPAYMENT_MEASURES = ['cpr', 'psa', 'abs', 'smm'] as const satisfies readonly PrepaymentMeasure[];
export const DEFAULT_MEASURES = ['cdr', 'sda', 'mdr'] as const satisfies readonly DefaultMeasure[];
/** From the widest to the worst: each includes the later ones. */
export const DELINQUENCY_FIELDS = ['delinquency_30', 'delinquency', 'delinquency_90'] as const;
/** Days of the delinquencies that triggers test, and the field of each. */
export const DELINQUENCY_DAYS = { 30: 'delinquency_30', 60: 'delinquency', 90: 'delinquency_90' } as const;
export type DelinquencyDays = keyof typeof DELINQUENCY_DAYS;
/** A scenario's member of the group replaces that of the request. */
export const DEFAULT_GROUP = [...DEFAULT_MEASURES, 'cnl'] as const;
export const CARD_FIELDS = ['payment_rate', 'portfolio_yield', 'charge_off'] as const;
export const CARD_LOAN_TYPE = 'Credit Card';

/** The lists of segments of a request, each with its path. */
export function segmentLists({ assumptions, scenarios = [] }: Pick<CalculationRequest, 'assumptions' | 'scenarios'>): {
  path: string;
  segments: WireSegment[];
}[] {
  const lists = [
    { path: 'assumptions.segments', segments: assumptions?.segments ?? [] },
    ...scenarios.map(({ segments = [] }, index) => ({ path: `scenarios[${index}].segments`, segments })),
  ];
  return lists.filter(({ segments }) => segments.length > 0);
}

/** Name of the rules of a list of segments: lists of equal rules divide a pool alike. */
export function segmentationOf(segments: readonly WireSegment[]): string {
  return canonicalJson(segments.map(({ where }) => where));
}

/** Assumptions in which every default has its value. */
export type MergedAssumptions = WireAssumptions &
  Required<Pick<WireAssumptions, 'severity' | 'recovery_lag_months' | 'servicer_advances'>>;

/**
 * Assumptions of a scenario on the wire, after defaults: the scenario's fields over the base, its measure in place of the whole group.
 * A pool of credit cards has payment rate, portfolio yield (by default the pool's coupon) and charge-off in place of speeds.
 */
export function mergeAssumptions(
  base: WireAssumptions,
  scenario: Partial<WireScenario>,
  pool: { loanType: string; loans: Iterable<CollateralLoan> },
): MergedAssumptions {
  const isCard = pool.loanType === CARD_LOAN_TYPE;
  const pick = <Key extends keyof WireAssumptions>(key: Key, fallback?: WireAssumptions[Key]) =>
    scenario[key] ?? base[key] ?? fallback;
  const measures: WireAssumptions = isCard
    ? cardFields(pick, pool.loans)
    : { ...pickMeasure(PREPAYMENT_MEASURES, base, scenario), ...pickMeasure(DEFAULT_GROUP, base, scenario) };
  const merged: MergedAssumptions = {
    ...measures,
    // A charge-off is a full loss unless a severity gives the part that is recovered.
    severity: scenario.severity ?? base.severity ?? (isCard ? 100 : 0),
    recovery_lag_months: scenario.recovery_lag_months ?? base.recovery_lag_months ?? 0,
    servicer_advances: scenario.servicer_advances ?? base.servicer_advances ?? false,
  };
  // Left out where they are the defaults, so that requests from before these fields keep their keys.
  const multiple = pick('multiple', 1);
  if (multiple !== 1) merged.multiple = multiple;
  if (!isCard) {
    merged.late_defaults = scenario.late_defaults ?? base.late_defaults ?? 'NONE';
    merged.deferment_interest = scenario.deferment_interest ?? base.deferment_interest ?? 'CAPITALISE';
    if (pick('by') === 'AGE') merged.by = 'AGE';
  }
  const segments = pick('segments');
  if (segments?.length) merged.segments = segments;
  for (const field of DELINQUENCY_FIELDS) {
    const percent = pick(field);
    if (percent !== undefined) merged[field] = percent;
  }
  const billedFees = pick('billed_fees');
  if (billedFees && Object.keys(billedFees).length > 0) merged.billed_fees = billedFees;
  return merged;
}

function pickMeasure(
  group: readonly (keyof WireAssumptions)[],
  base: WireAssumptions,
  scenario: Partial<WireScenario>,
): WireAssumptions {
  for (const source of [scenario, base]) {
    const measure = group.find((candidate) => source[candidate] !== undefined);
    if (measure) return { [measure]: source[measure] };
  }
  return { [group[0]]: 0 };
}

function cardFields(
  pick: (key: (typeof CARD_FIELDS)[number], fallback?: number) => unknown,
  loans: Iterable<CollateralLoan>,
): WireAssumptions {
  return {
    payment_rate: pick('payment_rate') as number | number[],
    portfolio_yield: pick('portfolio_yield', averageRate(loans)) as number | number[],
    charge_off: pick('charge_off', 0) as number | number[],
  };
}

function averageRate(loans: Iterable<CollateralLoan>): number {
  let balance = 0;
  let weighted = 0;
  for (const loan of loans) {
    balance += loan.balance;
    weighted += loan.balance * loan.ratePercent;
  }
  return balance > 0 ? weighted / balance : 0;
}

/** Assumptions of each segment after those of the request. */
export function mergeSegments(wire: MergedAssumptions, loanType: string): MergedAssumptions[] {
  const {
    segments = [],
    cnl: _curve,
    delinquency_30: _30,
    delinquency: _60,
    delinquency_90: _90,
    billed_fees: _fees,
    ...rest
  } = wire;
  return segments.map(({ where: _rule, ...own }) => mergeAssumptions(rest, own, { loanType, loans: [] }));
}

/** Merged assumptions in the form that projections read. */
export function toAssumptions(wire: MergedAssumptions, loanType: string): Assumptions {
  const prepayment = PREPAYMENT_MEASURES.find((measure) => wire[measure] !== undefined) ?? 'cpr';
  const defaults = DEFAULT_MEASURES.find((measure) => wire[measure] !== undefined) ?? 'cdr';
  const basis = wire.by === 'AGE' ? { byAge: true } : {};
  const assumptions: Assumptions = {
    prepayment: { measure: prepayment, values: toList(wire[prepayment]), ...basis },
    default: { measure: defaults, values: scaled(wire[defaults], wire.multiple), ...basis },
    severityPercent: wire.severity,
    recoveryLagMonths: wire.recovery_lag_months,
    servicerAdvances: wire.servicer_advances,
    keepsLateDefaults: wire.late_defaults === 'KEEP',
  };
  if (wire.by === 'AGE') assumptions.severityByAge = true;
  if (wire.deferment_interest !== undefined) assumptions.defermentInterest = wire.deferment_interest;
  if (wire.delinquency !== undefined) assumptions.delinquencyPercent = toList(wire.delinquency);
  if (wire.delinquency_30 !== undefined) assumptions.delinquency30Percent = toList(wire.delinquency_30);
  if (wire.delinquency_90 !== undefined) assumptions.delinquency90Percent = toList(wire.delinquency_90);
  if (wire.payment_rate !== undefined) {
    assumptions.card = {
      paymentRatePercent: toList(wire.payment_rate),
      portfolioYieldPercent: toList(wire.portfolio_yield),
      chargeOffPercent: scaled(wire.charge_off, wire.multiple),
    };
  }
  if (wire.segments) {
    const each = mergeSegments(wire, loanType).map((segment) => toAssumptions(segment, loanType));
    assumptions.segments = { segmentation: segmentationOf(wire.segments), each };
  }
  return assumptions;
}

/** The curve of net losses of merged assumptions that have one in place of a default measure. */
export function toNetLoss({ cnl, multiple = 1 }: MergedAssumptions): NetLossCurve | undefined {
  if (!cnl) return undefined;
  const byMonth = Array.isArray(cnl.timing)
    ? cnl.timing.flatMap((year) => new Array<number>(12).fill(year / 12))
    : cnl.timing.by_month;
  const total = sum(byMonth);
  return { percent: cnl.percent * multiple, shares: byMonth.map((percent) => percent / total) };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function toList(value: number | number[] | undefined): number[] {
  if (value === undefined) return [0];
  return typeof value === 'number' ? [value] : value;
}

export function scaled(value: number | number[] | undefined, multiple: number | undefined): number[] {
  const values = toList(value);
  return multiple === undefined ? values : values.map((percent) => percent * multiple);
}

/** Amounts of billed fees by payment period, whose last persists. */
export function toBilledFees({ billed_fees = {} }: WireAssumptions): Record<string, number[]> {
  return Object.fromEntries(Object.entries(billed_fees).map(([fee, amounts]) => [fee, toList(amounts)]));
}
