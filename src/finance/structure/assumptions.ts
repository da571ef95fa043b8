import { HIGHEST_STANDARD_RATE, valueAt } from '../rates.ts';
import type { Assumptions, CollateralLoan, DefaultMeasure, PrepaymentMeasure } from '../types.ts';
import type { NetLossCurve } from '../net-loss.ts';
import { canonicalJson } from './key.ts';
import type { CalculationRequest, WireAssumptions, WireScenario, WireSegment } from './request.ts';

export const PREPAYMENT_MEASURES = ['cpr', 'psa', 'abs', 'smm'] as const satisfies readonly PrepaymentMeasure[];
export const DEFAULT_MEASURES = ['cdr', 'sda', 'mdr'] as const satisfies readonly DefaultMeasure[];
/** From the widest to the worst: each includes the later ones. */
const DELINQUENCY_FIELDS = ['delinquency_30', 'delinquency', 'delinquency_90'] as const;
/** Days of the delinquencies that triggers test, and the field of each. */
export const DELINQUENCY_DAYS = { 30: 'delinquency_30', 60: 'delinquency', 90: 'delinquency_90' } as const;
export type DelinquencyDays = keyof typeof DELINQUENCY_DAYS;
/** A scenario's member of the group replaces that of the request. */
const DEFAULT_GROUP = [...DEFAULT_MEASURES, 'cnl'] as const;
const CARD_FIELDS = ['payment_rate', 'portfolio_yield', 'charge_off'] as const;
/** Fields of loans with a last payment; charge-offs of cards are always liquidated. */
const LOAN_FIELDS = ['by', 'late_defaults', 'deferment_interest'] as const;

export const CARD_LOAN_TYPE = 'Credit Card';

/** Why assumptions cannot be used. */
export type AssumptionFault = {
  code: 'ASSUMPTIONS_INVALID' | 'DELINQUENCY_MISSING';
  path: string;
  message: string;
};

/** More than one measure of a group in the same object is a contradiction. */
export function findContradictions(assumptions: WireAssumptions, path: string): AssumptionFault[] {
  const own = [PREPAYMENT_MEASURES, DEFAULT_GROUP].flatMap((group) => {
    const given = group.filter((measure) => assumptions[measure] !== undefined);
    if (given.length < 2) return [];
    const message = `has ${given.join(' and ')}; expected at most one of ${group.join(', ')}`;
    return [{ code: 'ASSUMPTIONS_INVALID' as const, path, message }];
  });
  const segments = (assumptions.segments ?? []).flatMap((segment, index) =>
    findContradictions(segment, `${path}.segments[${index}]`),
  );
  return [...own, ...segments];
}

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
function mergeSegments(wire: MergedAssumptions, loanType: string): MergedAssumptions[] {
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

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Rounding of a third or a twelfth to a few decimals is not a fault of a timing. */
const TIMING_TOLERANCE = 0.001;

/** Why a curve of net losses cannot be: its timing, or a loss above the severity. Whether the pool can lose as much only its loans tell. */
export function findNetLossFaults(wire: MergedAssumptions, path: string): AssumptionFault[] {
  const { cnl, multiple = 1, segments } = wire;
  if (!cnl) return [];
  const fault = (field: string, message: string): AssumptionFault => ({
    code: 'ASSUMPTIONS_INVALID',
    path: `${path}.${field}`,
    message,
  });
  const faults: AssumptionFault[] = [];
  if (segments)
    faults.push(fault('cnl', 'is of the whole pool, and there are segments with defaults of their own; give one of them'));
  const total = sum(Array.isArray(cnl.timing) ? cnl.timing : cnl.timing.by_month);
  if (Math.abs(total - 100) > TIMING_TOLERANCE) {
    const field = Array.isArray(cnl.timing) ? 'cnl.timing' : 'cnl.timing.by_month';
    faults.push(fault(field, `adds up to ${Number(total.toFixed(6))}; expected 100 percent of the loss`));
  }
  const most = Math.max(...toList(wire.severity));
  if (cnl.percent * multiple > most) {
    const asked = multiple === 1 ? `${cnl.percent}` : `${cnl.percent} × ${multiple}`;
    faults.push(fault('cnl.percent', `is ${asked}, and at a severity of ${most} the pool can lose at most ${most} percent`));
  }
  return faults;
}

function toList(value: number | number[] | undefined): number[] {
  if (value === undefined) return [0];
  return typeof value === 'number' ? [value] : value;
}

function scaled(value: number | number[] | undefined, multiple: number | undefined): number[] {
  const values = toList(value);
  return multiple === undefined ? values : values.map((percent) => percent * multiple);
}

/** From this value on a default measure takes the whole balance in a month. SDA: at the top of the curve. */
const WHOLE_BALANCE = { cdr: 100, mdr: 100, sda: 100 / HIGHEST_STANDARD_RATE, charge_off: 1200 };

/** Where `multiple` takes a default measure beyond the whole balance, as a warning; `owner` says whose assumptions they are. */
export function findCapped(wire: MergedAssumptions, owner: string, loanType: string): string[] {
  const segments = mergeSegments(wire, loanType);
  return [
    ...findCappedAlone(wire, owner),
    ...segments.flatMap((segment, index) => findCappedAlone(segment, `${owner}, segments[${index}]`)),
  ];
}

function findCappedAlone({ multiple, by, ...wire }: WireAssumptions, owner: string): string[] {
  const measure = (['charge_off', ...DEFAULT_MEASURES] as const).find((each) => wire[each] !== undefined);
  if (multiple === undefined || measure === undefined) return [];
  const values = scaled(wire[measure], multiple);
  // Against rounding: a value that is exactly the whole balance is not above it.
  const highest = WHOLE_BALANCE[measure] * (1 + 1e-12);
  const months = values.flatMap((value, index) => (value > highest ? [index + 1] : []));
  if (months.length === 0) return [];
  const open = months.at(-1) === values.length;
  const where = values.length === 1 ? 'in every month' : `in ${by === 'AGE' ? 'loan months' : 'months'} ${ranges(months, open)}`;
  const top = measure === 'sda' ? ', at the top of the SDA curve' : '';
  return [
    `${owner}: multiple ${multiple} takes ${measure} above the whole balance ${where}${top}: the monthly default rate is capped at 1 there`,
  ];
}

/** Ascending numbers as text: `1 to 3, 7 and later`. */
function ranges(numbers: readonly number[], open: boolean): string {
  const runs: [number, number][] = [];
  for (const each of numbers) {
    const last = runs.at(-1);
    if (last && last[1] === each - 1) last[1] = each;
    else runs.push([each, each]);
  }
  return runs
    .map(([first, last], index) => {
      if (open && index === runs.length - 1) return `${first} and later`;
      return first === last ? `${first}` : `${first} to ${last}`;
    })
    .join(', ');
}

/** Faults of merged assumptions: inputs that the pool or its triggers need and that are missing. */
export function findMissing(
  wire: WireAssumptions,
  needs: { loanType: string; delinquencies: readonly DelinquencyDays[] },
  path: string,
): AssumptionFault[] {
  const faults: AssumptionFault[] = [];
  const { segments = [] } = wire;
  const given = segments.flatMap(({ payment_rate }, index) =>
    payment_rate === undefined ? [] : [{ rate: payment_rate, owner: `${path}.segments[${index}]` }],
  );
  for (const { rate, owner } of [{ rate: wire.payment_rate, owner: path }, ...given]) {
    if (needs.loanType !== CARD_LOAN_TYPE || Math.max(...toList(rate)) > 0) continue;
    const message = 'a pool of credit cards needs a payment_rate above 0, percent a month';
    faults.push({ code: 'ASSUMPTIONS_INVALID', path: `${owner}.payment_rate`, message });
  }
  for (const days of needs.delinquencies) {
    const field = DELINQUENCY_DAYS[days];
    if (wire[field] !== undefined) continue;
    const message = `a trigger tests DELINQUENT_${days}: give ${field}, percent of the pool by month`;
    faults.push({ code: 'DELINQUENCY_MISSING', path: `${path}.${field}`, message });
  }
  return faults;
}

/** Delinquencies of which a worse one is above a wider one that includes it, and billed fees that the structure does not have. */
export function findImpossible(wire: WireAssumptions, fees: readonly string[], path: string): AssumptionFault[] {
  const given = DELINQUENCY_FIELDS.filter((field) => wire[field] !== undefined);
  const faults = given.slice(1).flatMap((field, index): AssumptionFault[] => {
    const wider = given[index];
    const [worse, including] = [toList(wire[field]), toList(wire[wider])];
    const months = Array.from({ length: Math.max(worse.length, including.length) }, (_, month) => month + 1);
    const month = months.find((each) => valueAt(worse, each) > valueAt(including, each));
    if (month === undefined) return [];
    const message = `is ${valueAt(worse, month)} in month ${month}, above ${wider}, which includes it and is ${valueAt(including, month)}`;
    return [{ code: 'ASSUMPTIONS_INVALID', path: `${path}.${field}`, message }];
  });
  const unknown = Object.keys(wire.billed_fees ?? {}).filter((fee) => !fees.includes(fee));
  const expected = fees.length > 0 ? `expected one of ${fees.join(', ')}` : 'the structure has no fees';
  const unknownFees = unknown.map((fee): AssumptionFault => {
    return { code: 'ASSUMPTIONS_INVALID', path: `${path}.billed_fees.${fee}`, message: `unknown fee "${fee}"; ${expected}` };
  });
  return [...faults, ...unknownFees];
}

/** Amounts of billed fees by payment period, whose last persists. */
export function toBilledFees({ billed_fees = {} }: WireAssumptions): Record<string, number[]> {
  return Object.fromEntries(Object.entries(billed_fees).map(([fee, amounts]) => [fee, toList(amounts)]));
}

/** Fields that a pool of this loan type does not read, as a warning each. */
export function findUnread(assumptions: WireAssumptions, path: string, loanType: string): string[] {
  const isCard = loanType === CARD_LOAN_TYPE;
  const unread = isCard ? [...PREPAYMENT_MEASURES, ...DEFAULT_GROUP, ...LOAN_FIELDS] : CARD_FIELDS;
  const own = unread
    .filter((field) => assumptions[field] !== undefined)
    .map((field) => `${path}.${field} is not read: the pool's loan type is ${loanType}`);
  const segments = (assumptions.segments ?? []).flatMap((segment, index) =>
    findUnread(segment, `${path}.segments[${index}]`, loanType),
  );
  return [...own, ...segments];
}
