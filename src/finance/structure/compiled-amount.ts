import { type Amount, type Base, isForm, listOf, type NamedBase, type SchedulePoint, type Share } from './amount.ts';
import { firstPeriods, type PaymentPeriods, type PoolDates } from './periods.ts';
import { placesOf, type Structure } from './structure.ts';
import { toUnit } from './unit.ts';

/** The balance of which a percentage is; of certain tranches, or an account, where the base is of these. */
export type CompiledBase = { base: NamedBase | 'ACCOUNT'; tranches: readonly number[] | null; account: number };

/** An amount resolved to indices and values by period; money in the unit of the run. */
export type CompiledAmount =
  | { kind: 'FIXED'; value: number }
  | { kind: 'BY_PERIOD'; values: Float64Array }
  /** `share` of a base; a percentage that is no number replaces it. */
  | { kind: 'SHARE'; share: number; percent: CompiledAmount | null; base: CompiledBase }
  | { kind: 'MAX' | 'MIN' | 'SUM' | 'MINUS'; parts: readonly CompiledAmount[] }
  | { kind: 'IF'; trigger: number; on: CompiledAmount; off: CompiledAmount }
  | { kind: 'SENIOR_SHARE'; tranches: readonly number[]; shift: CompiledAmount }
  | { kind: 'PRINCIPAL_COLLECTIONS' | 'ALL' | 'NET_WAC' }
  | { kind: 'OC' | 'NOTES'; size: CompiledAmount; tranches: readonly number[] | null }
  /** Planned closing balance of the payees by payment period. */
  | { kind: 'PLANNED'; planned: Float64Array };

/** What an amount is: money, which is in the unit of the run, or a percentage or rate. A rate changes with an accrual, the rest with a payment. */
export type AmountRole = 'MONEY' | 'PERCENT' | 'RATE';

export type AmountContext = {
  structure: Structure;
  periods: PaymentPeriods;
  /** Units of money per currency unit: 100 where the run counts cents, else 1. */
  unit: number;
};

/** For amounts outside a run, in currency units, of so many payment periods. */
export const amountContext = (structure: Structure, dates: PoolDates, periods: number): AmountContext => ({
  structure,
  periods: firstPeriods(structure.payment, dates, periods),
  unit: 1,
});

export const ZERO: CompiledAmount = { kind: 'FIXED', value: 0 };

/** Compiles an amount of a structure that passes `validateStructure`. `before` is the value before the first point of a schedule; default: that of the point. */
export function compileAmount(amount: Amount, role: AmountRole, context: AmountContext, before?: number): CompiledAmount {
  const compile = (part: Amount, partRole = role): CompiledAmount => compileAmount(part, partRole, context, before);
  if (typeof amount === 'number') return { kind: 'FIXED', value: role === 'MONEY' ? toUnit(amount, context.unit) : amount };
  if (typeof amount === 'string') return { kind: amount };
  if (Array.isArray(amount)) return { kind: 'BY_PERIOD', values: valuesByPeriod(amount, role, context, before) };
  const list = listOf(amount);
  if (list) return { kind: KINDS[list.form], parts: list.amounts.map((part) => compile(part)) };
  if (isForm<{ if: string; then: Amount; else: Amount }>(amount, 'if')) {
    const trigger = (context.structure.triggers ?? []).findIndex((each) => each.trigger === amount.if);
    return { kind: 'IF', trigger, on: compile(amount.then), off: compile(amount.else) };
  }
  if ('share_of' in amount) {
    return {
      kind: 'SENIOR_SHARE',
      tranches: placesOf(context.structure, amount.share_of),
      shift: compile(amount.shift, 'PERCENT'),
    };
  }
  if ('target' in amount) {
    const { amount: size, percent = 0, of = 'POOL_CURRENT', floor = 0, of_tranches } = amount;
    return {
      kind: amount.target,
      size:
        size === undefined
          ? { kind: 'MAX', parts: [compileShare({ percent, of }, context), compile(floor, 'MONEY')] }
          : compile(size, 'MONEY'),
      tranches: of_tranches ? placesOf(context.structure, of_tranches) : null,
    };
  }
  if ('schedule' in amount) return { kind: 'PLANNED', planned: plannedBalances(amount.schedule, context) };
  const share = compileShare(amount as Share, context);
  const { floor } = amount as Share;
  return floor === undefined ? share : { kind: 'MAX', parts: [share, compile(floor, 'MONEY')] };
}

const KINDS = { max_of: 'MAX', min_of: 'MIN', sum_of: 'SUM', minus: 'MINUS' } as const;

function compileShare({ percent, of, of_tranches }: Share, context: AmountContext): CompiledAmount {
  const base = compileBase(of, of_tranches, context.structure);
  if (typeof percent === 'number') return { kind: 'SHARE', share: percent / 100, percent: null, base };
  return { kind: 'SHARE', share: 0, percent: compileAmount(percent, 'PERCENT', context), base };
}

export function compileBase(of: Base, ofTranches: readonly string[] | undefined, structure: Structure): CompiledBase {
  const tranches = ofTranches ? placesOf(structure, ofTranches) : null;
  if (!of.startsWith('ACCOUNT:')) return { base: of as NamedBase, tranches, account: -1 };
  const name = of.slice('ACCOUNT:'.length);
  return { base: 'ACCOUNT', tranches, account: (structure.accounts ?? []).findIndex(({ account }) => account === name) };
}

/** Values by payment period, each until the next point. */
function valuesByPeriod(
  points: readonly SchedulePoint[],
  role: AmountRole,
  { periods, unit }: AmountContext,
  before?: number,
): Float64Array {
  const started = points
    .map((point) => ({ from: startOf(point, role, periods), value: role === 'MONEY' ? toUnit(point.value, unit) : point.value }))
    .toSorted((a, b) => a.from - b.from);
  const values = new Float64Array(periods.count).fill(before ?? started[0]?.value ?? 0);
  for (const { from, value } of started) values.fill(value, Math.max(0, from));
  return values;
}

/** Index of the first payment period with the value of a point; the number of periods when it is later. */
function startOf(
  { from_period, from_date }: SchedulePoint,
  role: AmountRole,
  { dates, datedDate, count }: PaymentPeriods,
): number {
  if (from_date === undefined) return (from_period ?? 1) - 1;
  const index = dates.findIndex((date, place) => {
    if (role !== 'RATE') return date.unadjusted >= from_date || date.paid >= from_date;
    return (dates[place - 1]?.unadjusted ?? datedDate) >= from_date;
  });
  return index === -1 ? count : index;
}

/** Infinite, so that nothing is due, before the first point. */
function plannedBalances(points: readonly { period: number; balance: number }[], { periods, unit }: AmountContext): Float64Array {
  const planned = new Float64Array(periods.count).fill(Number.POSITIVE_INFINITY);
  for (const { period, balance } of points.toSorted((a, b) => a.period - b.period))
    planned.fill(toUnit(balance, unit), period - 1);
  return planned;
}
