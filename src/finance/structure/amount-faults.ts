import { dateParts } from '../dates.ts';
import type { IsoDate } from '../types.ts';
import {
  type Amount,
  BASES,
  isForm,
  listOf,
  LISTS,
  MAX_AMOUNT,
  MAX_DEPTH,
  partsOf,
  type SchedulePoint,
  type Share,
  type TargetAmount,
} from './amount.ts';
import { balanceOf, isNote, placesOf, type Structure, type Test, type YearlyLimit } from './structure.ts';
import { buildPeriods, datesOf } from './periods.ts';
import { AMOUNTS } from './triggers.ts';
import { invalid, type PoolFacts, type StructureIssue } from './issue.ts';

/** Words and forms that a field takes beside the amounts that every field takes, or does not: a rate and a percentage are no money, a test has no trigger. */
type Takes = 'PRINCIPAL' | 'NET_WAC' | 'PERCENT' | 'RATE' | 'NO_IF';

/** An amount of a structure, where it stands and what it may be. */
export type AmountField = {
  path: string;
  amount: Amount;
  takes: readonly Takes[];
  /** The field has a value before the first point of a schedule. */
  hasDefault: boolean;
  /** It changes with an accrual; the others change with a payment. */
  isRate: boolean;
  /** The numbers that may stand in it, also within a schedule, a list or a condition. */
  bounds: Bounds;
};

type Bounds = readonly [least: number, most: number];
const NOT_NEGATIVE: Bounds = [0, MAX_AMOUNT];
const UP_TO_ALL: Bounds = [0, 100];
const FLOOR: Bounds = [-100, 100];
const MARGIN: Bounds = [-10_000, 10_000];
const THRESHOLD: Bounds = [-MAX_AMOUNT, MAX_AMOUNT];

/** All amounts of a structure. */
export function amountFields(structure: Structure): AmountField[] {
  const fields: AmountField[] = [];
  const add = (
    path: string,
    amount: Amount | undefined,
    takes: readonly Takes[] = [],
    bounds = NOT_NEGATIVE,
    hasDefault = false,
    isRate = false,
  ): void => {
    if (amount !== undefined) fields.push({ path, amount, takes, hasDefault, isRate, bounds });
  };
  for (const [index, { notional, coupon }] of structure.tranches.entries()) {
    const path = `tranches[${index}]`;
    add(`${path}.notional`, notional);
    if (!coupon || coupon.type === 'EXCESS') continue;
    if (coupon.type === 'FIXED') add(`${path}.coupon.rate`, coupon.rate, ['RATE'], UP_TO_ALL, false, true);
    else add(`${path}.coupon.margin_bp`, coupon.margin_bp, ['RATE'], MARGIN, false, true);
    add(`${path}.coupon.cap`, coupon.cap, ['NET_WAC', 'RATE'], UP_TO_ALL, true, true);
    add(`${path}.coupon.floor`, coupon.floor, ['NET_WAC', 'RATE'], FLOOR, true, true);
  }
  for (const [index, { target }] of (structure.accounts ?? []).entries()) add(`accounts[${index}].target`, target);
  for (const [index, { percent, amount_per_year }] of (structure.fees ?? []).entries()) {
    add(`fees[${index}].percent`, percent, ['PERCENT'], UP_TO_ALL);
    add(`fees[${index}].amount_per_year`, amount_per_year);
  }
  for (const [index, { amount, limit }] of structure.waterfall.entries()) {
    add(`waterfall[${index}].amount`, amount, ['PRINCIPAL']);
    const perYear = isYearly(limit);
    add(`waterfall[${index}].limit${perYear ? '.amount' : ''}`, perYear ? limit.amount : limit, [], NOT_NEGATIVE, true);
  }
  for (const { path, test } of testsOf(structure)) {
    if (typeof test.value !== 'string')
      add(`${path}.value`, test.value, isMoneyTest(test) ? ['NO_IF'] : ['NO_IF', 'RATE'], THRESHOLD, true);
    for (const [place, part] of (test.ratio ?? []).entries()) add(`${path}.ratio[${place}]`, part, ['NO_IF']);
  }
  for (const [index, { price }] of (structure.calls ?? []).entries()) add(`calls[${index}].price`, price);
  return fields;
}

const MONEY_METRICS: readonly string[] = [...AMOUNTS];
const isMoneyTest = ({ metric }: Partial<Test>): boolean => MONEY_METRICS.includes((metric ?? '').replace(/_AVG3$/, ''));

export const isYearly = (limit: Amount | YearlyLimit | undefined): limit is YearlyLimit =>
  typeof limit === 'object' && !Array.isArray(limit) && 'per' in limit;

/** The tests of triggers and calls, with their paths. */
export function testsOf(structure: Structure): { path: string; test: Partial<Test> }[] {
  const list = (path: string, tests: readonly Test[] | undefined) =>
    (tests ?? []).map((test, place) => ({ path: `${path}[${place}]`, test }));
  const triggers = (structure.triggers ?? []).flatMap((trigger, index) => [
    ...(trigger.metric !== undefined || trigger.ratio !== undefined ? [{ path: `triggers[${index}]`, test: trigger }] : []),
    ...list(`triggers[${index}].any_of`, trigger.any_of),
    ...list(`triggers[${index}].all_of`, trigger.all_of),
  ]);
  return [...triggers, ...(structure.calls ?? []).flatMap(({ any_of }, index) => list(`calls[${index}].any_of`, any_of))];
}

/** An amount and all amounts in it. */
export function* allWithin(amount: Amount): Generator<Amount> {
  yield amount;
  for (const { amount: part } of partsOf(amount)) yield* allWithin(part);
}

/** Whether any amount of a structure is of a base, or is a word. */
export function reads(structure: Structure, wanted: (amount: Amount) => boolean): boolean {
  return amountFields(structure).some(({ amount }) => allWithin(amount).some(wanted));
}

/** Whether a structure reads the rate of the loans after fees. */
export const readsNetRate = (structure: Structure): boolean =>
  reads(structure, (amount) => amount === 'NET_WAC') || structure.tranches.some(({ coupon }) => coupon?.type === 'EXCESS');

export const isOfBase =
  (prefix: string) =>
  (amount: Amount): boolean =>
    (isForm<Share>(amount, 'of') || isForm<TargetAmount>(amount, 'of')) && (amount.of ?? '').startsWith(prefix);

/** Whether an amount or a fee of a structure is a share of a base whose name begins so. */
export const readsBase = (structure: Structure, prefix: string): boolean =>
  reads(structure, isOfBase(prefix)) || (structure.fees ?? []).some(({ of = '' }) => of.startsWith(prefix));

/** The dates by which a schedule must have a value; null where the structure's own dates are none. */
type FirstDates = { accrual: IsoDate; payment: IsoDate } | null;

export function findAmountFaults(structure: Structure, pool: PoolFacts): StructureIssue[] {
  const dates = firstDates(structure, pool);
  return amountFields(structure).flatMap((field) => checkAmount(structure, field, dates, 0));
}

function firstDates(structure: Structure, pool: PoolFacts): FirstDates {
  const { first_payment_date, dated_date } = structure.payment ?? {};
  if ([first_payment_date, dated_date].some((date) => date !== undefined && !isDay(date))) return null;
  const periods = buildPeriods(
    { payment: { ...structure.payment, delay_months: 0 }, tranches: [], waterfall: [] },
    datesOf(pool),
    1,
  );
  const [first] = periods.dates;
  return first ? { accrual: periods.datedDate, payment: first.paid > first.unadjusted ? first.paid : first.unadjusted } : null;
}

function isDay(date: string): boolean {
  try {
    dateParts(date);
    return true;
  } catch {
    return false;
  }
}

function checkAmount(structure: Structure, field: AmountField, dates: FirstDates, depth: number): StructureIssue[] {
  const { path, amount, takes } = field;
  if (depth > MAX_DEPTH) return [invalid(path, `amounts stand in each other at most ${MAX_DEPTH} deep`)];
  if (typeof amount === 'number') return checkNumber(path, amount, field.bounds);
  if (typeof amount === 'string') return checkWord(field, amount);
  if (Array.isArray(amount)) return checkPoints(field, amount, dates);
  if (typeof amount !== 'object' || amount === null)
    return [invalid(path, 'expected an amount: a number, a schedule or an object of one form')];
  const shape = checkShape(field);
  if (shape.length > 0) return shape;
  const inner = partsOf(amount).flatMap((part) => {
    const partTakes: readonly Takes[] =
      part.role === 'SAME'
        ? takes
        : [...takes.filter((each) => each === 'NO_IF'), ...(part.role === 'PERCENT' ? (['PERCENT'] as const) : [])];
    const isDeeper = listOf(amount) !== null || 'if' in amount ? 1 : 0;
    return checkAmount(
      structure,
      {
        ...field,
        path: path + part.path,
        amount: part.amount,
        takes: partTakes,
        // An infinite default has no difference.
        hasDefault: field.hasDefault && part.role === 'SAME' && !('minus' in amount),
        bounds: part.role === 'SAME' ? field.bounds : NOT_NEGATIVE,
      },
      dates,
      depth + isDeeper,
    );
  });
  return [...inner, ...checkNames(structure, field)];
}

function checkNumber(path: string, amount: number, [least, most]: Bounds): StructureIssue[] {
  if (amount < least) return [invalid(path, `is ${amount}, expected at least ${least}`)];
  return amount > most ? [invalid(path, `is ${amount}, expected at most ${most}`)] : [];
}

function checkWord({ path, takes }: AmountField, word: string): StructureIssue[] {
  const known = [
    ...(takes.includes('PRINCIPAL') ? ['PRINCIPAL_COLLECTIONS', 'ALL'] : []),
    ...(takes.includes('NET_WAC') ? ['NET_WAC'] : []),
  ];
  if (known.includes(word)) return [];
  return [
    invalid(
      path,
      known.length > 0
        ? `unknown word "${word}"; expected one of ${known.join(', ')}, or an amount`
        : `"${word}" is no amount here`,
    ),
  ];
}

function checkPoints(
  { path, hasDefault, isRate, bounds }: AmountField,
  points: readonly SchedulePoint[],
  dates: FirstDates,
): StructureIssue[] {
  const issues: StructureIssue[] = [];
  for (const [index, point] of points.entries()) {
    const at = `${path}[${index}]`;
    if (typeof point !== 'object' || point === null || typeof point.value !== 'number') {
      issues.push(invalid(at, 'expected {from_period or from_date, value}'));
      continue;
    }
    issues.push(...checkNumber(`${at}.value`, point.value, bounds));
    if ((point.from_period === undefined) === (point.from_date === undefined)) {
      issues.push(invalid(at, 'a point has either from_period or from_date'));
    }
    const before = points[index - 1];
    if (!before || typeof before !== 'object') continue;
    if (point.from_period !== undefined && before.from_period !== undefined && point.from_period <= before.from_period) {
      issues.push(invalid(`${at}.from_period`, `is ${point.from_period}, expected above ${before.from_period}`));
    }
    if (point.from_date !== undefined && before.from_date !== undefined && point.from_date <= before.from_date) {
      issues.push(invalid(`${at}.from_date`, `is ${point.from_date}, expected after ${before.from_date}`));
    }
  }
  const [first] = points;
  if (!hasDefault && first?.from_period !== undefined && first.from_period > 1) {
    issues.push(invalid(`${path}[0].from_period`, `is ${first.from_period}, expected 1: there is no value before it`));
  }
  const start = isRate ? dates?.accrual : dates?.payment;
  if (!hasDefault && first?.from_date !== undefined && start !== undefined && first.from_date > start) {
    const what = isRate ? 'the day from which interest accrues' : 'the first payment date';
    issues.push(
      invalid(`${path}[0].from_date`, `is ${first.from_date}, expected at most ${start}, ${what}: there is no value before it`),
    );
  }
  return issues;
}

/** The fields of each form, the needed ones first, and how many of them are. */
const FORMS: readonly { fields: readonly string[]; needed: number; takes?: Takes; says: string }[] = [
  ...LISTS.map((form) => ({ fields: [form], needed: 1, says: form })),
  { fields: ['if', 'then', 'else'], needed: 3, says: 'if' },
  { fields: ['share_of', 'shift'], needed: 2, takes: 'PERCENT', says: 'share_of' },
  { fields: ['target', 'percent', 'of', 'floor', 'amount', 'of_tranches'], needed: 1, takes: 'PRINCIPAL', says: 'target' },
  { fields: ['schedule'], needed: 1, takes: 'PRINCIPAL', says: 'schedule' },
  { fields: ['percent', 'of', 'floor', 'of_tranches'], needed: 2, says: 'percent' },
];

function checkShape({ path, amount, takes }: AmountField): StructureIssue[] {
  const given = Object.keys(amount);
  const form = FORMS.find(({ says }) => given.includes(says));
  if (!form) {
    const [first = ''] = given;
    return [
      {
        code: 'UNKNOWN_FIELD',
        path: first ? `${path}.${first}` : path,
        message: `no form of an amount; expected one with ${FORMS.map(({ says }) => says).join(', ')}`,
      },
    ];
  }
  const unknown = given.filter((field) => !form.fields.includes(field));
  if (unknown.length > 0) {
    return unknown.map((field) => ({
      code: 'UNKNOWN_FIELD' as const,
      path: `${path}.${field}`,
      message: `there is no field "${field}" beside ${form.says}; expected one of ${form.fields.join(', ')}`,
    }));
  }
  const missing = form.fields.slice(0, form.needed).filter((field) => !given.includes(field));
  if (missing.length > 0) return [invalid(path, `${form.says} needs ${missing.join(' and ')}`)];
  if (form.takes && !takes.includes(form.takes)) {
    return [
      invalid(
        `${path}.${form.says}`,
        form.takes === 'PERCENT'
          ? 'is a percentage: it stands in `percent`'
          : 'is an amount of principal: only a PRINCIPAL step has one',
      ),
    ];
  }
  if (form.says === 'percent' && (takes.includes('RATE') || takes.includes('PERCENT'))) {
    return [invalid(`${path}.percent`, 'is a share of a balance, which is money; a percentage or a rate stands here')];
  }
  if (form.says === 'if' && takes.includes('NO_IF'))
    return [invalid(`${path}.if`, 'what a test compares may not depend on a trigger')];
  return listShape(path, amount);
}

function listShape(path: string, amount: Amount): StructureIssue[] {
  const list = listOf(amount);
  if (!list) return [];
  if (!Array.isArray(list.amounts) || list.amounts.length === 0)
    return [invalid(`${path}.${list.form}`, 'expected one amount or more')];
  return [];
}

/** Bases whose balances are of tranches. */
const OF_TRANCHES = new Set(['NOTES', 'NOTES_ORIGINAL', 'WRITTEN_DOWN', 'ACCRETED', 'INTEREST_DUE']);

function checkNames(structure: Structure, { path, amount }: AmountField): StructureIssue[] {
  if (typeof amount !== 'object' || Array.isArray(amount)) return [];
  const issues: StructureIssue[] = [];
  if (isForm<{ if: string; then: Amount; else: Amount }>(amount, 'if')) {
    const triggers = (structure.triggers ?? []).map(({ trigger }) => trigger);
    if (!triggers.includes(amount.if)) issues.push(invalid(`${path}.if`, unknown('trigger', amount.if, triggers)));
  }
  if ('share_of' in amount) issues.push(...checkTranches(structure, `${path}.share_of`, amount.share_of));
  const { of, of_tranches } = amount as Partial<Share>;
  if (of_tranches) issues.push(...checkTranches(structure, `${path}.of_tranches`, of_tranches));
  if ('target' in amount) {
    const byAmount = amount.amount !== undefined;
    if (byAmount === (amount.percent !== undefined || of !== undefined))
      issues.push(invalid(path, 'a target has either amount, or percent and of'));
    else if (byAmount && amount.floor !== undefined)
      issues.push(invalid(`${path}.floor`, 'is of percent and of; with amount, say {max_of: [amount, floor]}'));
    else if (!byAmount && (amount.percent === undefined || of === undefined))
      issues.push(invalid(path, 'a target needs percent and of'));
  } else if (of_tranches && of !== undefined && !OF_TRANCHES.has(of)) {
    issues.push(invalid(`${path}.of_tranches`, `${of} is not of tranches; only ${[...OF_TRANCHES].join(', ')} are`));
  }
  if (of !== undefined) issues.push(...checkBase(structure, `${path}.of`, of));
  return issues;
}

export function checkBase(structure: Structure, path: string, of: string): StructureIssue[] {
  if (of.startsWith('ACCOUNT:')) {
    const accounts = (structure.accounts ?? []).map(({ account }) => account);
    const name = of.slice('ACCOUNT:'.length);
    return accounts.includes(name) ? [] : [invalid(path, unknown('account', name, accounts))];
  }
  if (!BASES.some((base) => base === of))
    return [invalid(path, `unknown base "${of}"; expected one of ${BASES.join(', ')}, or ACCOUNT: and a name`)];
  if (of.startsWith('POOL_ADJUSTED') && !structure.pool?.adjustment) return [invalid(path, `${of} needs pool.adjustment`)];
  return [];
}

/** Names and patterns of tranches: each is known or matches something. */
export function checkTranches(structure: Structure, path: string, patterns: readonly string[]): StructureIssue[] {
  const known = structure.tranches.map(({ tranche }) => tranche);
  return patterns.flatMap((pattern, index) => {
    if (pattern.endsWith('*'))
      return placesOf(structure, [pattern]).length > 0
        ? []
        : [invalid(`${path}[${index}]`, `"${pattern}" stands for no tranche`)];
    const tranche = structure.tranches.find((each) => each.tranche === pattern);
    if (!tranche) return [invalid(`${path}[${index}]`, unknown('tranche', pattern, known))];
    if (!isNote(structure, tranche) && balanceOf(tranche) === 0)
      return [invalid(`${path}[${index}]`, `"${pattern}" has no balance`)];
    return [];
  });
}

export function unknown(kind: string, name: string, known: readonly string[]): string {
  const choice = known.length > 0 ? `expected one of ${known.join(', ')}` : `the structure has no ${kind}`;
  return `unknown ${kind} "${name}"; ${choice}`;
}
