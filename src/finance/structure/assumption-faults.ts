import { HIGHEST_STANDARD_RATE, valueAt } from '../rates.ts';
import {
  CARD_FIELDS,
  CARD_LOAN_TYPE,
  DEFAULT_GROUP,
  DEFAULT_MEASURES,
  DELINQUENCY_DAYS,
  DELINQUENCY_FIELDS,
  type DelinquencyDays,
  type MergedAssumptions,
  mergeSegments,
  PREPAYMENT_MEASURES,
  scaled,
  sum,
  toList,
} from './assumptions.ts';
import type { WireAssumptions } from './request.ts';

/* What is wrong with assumptions on the wire, and what a user must be told about them. */

/** Fields of loans with a last payment; charge-offs of cards are always liquidated. */
const LOAN_FIELDS = ['by', 'late_defaults', 'deferment_interest'] as const;

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
    const message = `the structure reads DELINQUENT_${days}: give ${field}, percent of the pool by month`;
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

/** The least severity and part of a standard curve that anybody assumes; percent. Below it a fraction was likely meant. */
const LEAST_LIKELY = { severity: 1, psa: 10, sda: 10 } as const;

/** Percentages that look like fractions, as a warning each. */
export function findFractions(assumptions: WireAssumptions, path: string): string[] {
  const own = (['severity', 'psa', 'sda'] as const).flatMap((field) => {
    const highest = Math.max(...toList(assumptions[field]));
    if (!(highest > 0 && (field === 'severity' ? highest <= LEAST_LIKELY[field] : highest < LEAST_LIKELY[field]))) return [];
    return [
      `${path}.${field} is at most ${highest}, which is ${highest} %: a percentage is expected, ${100 * highest} is ${100 * highest} %`,
    ];
  });
  const segments = (assumptions.segments ?? []).flatMap((segment, index) => findFractions(segment, `${path}.segments[${index}]`));
  return [...own, ...segments];
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
