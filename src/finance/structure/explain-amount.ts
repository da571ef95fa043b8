import {
  type Amount,
  type Base,
  isForm,
  listOf,
  type PlannedAmount,
  type SchedulePoint,
  type SeniorShare,
  type Share,
  type TargetAmount,
} from './amount.ts';
import { placesOf, type Structure } from './structure.ts';

/* Amounts of the deal language in words. */

export type Unit = 'MONEY' | 'PERCENT' | 'BP' | 'NUMBER';

const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 12 });
const CENTS = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 12 });

export function numberText(value: number, unit: Unit): string {
  if (unit === 'MONEY') return Number.isInteger(value) ? GROUPED.format(value) : CENTS.format(value);
  if (unit === 'NUMBER') return GROUPED.format(value);
  return `${GROUPED.format(value)} ${unit === 'BP' ? 'basis points' : '%'}`;
}

/** "A", "A and B", "A, B and C". */
export function listText(words: readonly string[], last = 'and'): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} ${last} ${words[words.length - 1]}`;
}

export const notesNamed = (names: readonly string[]): string => `the ${listText(names.map((name) => `Class ${name}`))} notes`;

/** The notes that names and patterns stand for: `A-*` is Class A. */
export function notesText(structure: Structure, patterns: readonly string[] | undefined): string {
  if (!patterns || patterns.includes('*') || placesOf(structure, patterns).length === placesOf(structure, ['*']).length) {
    const named = (patterns ?? []).filter((pattern) => pattern !== '*');
    return named.length === 0 ? 'all notes' : notesNamed(named.map(classOf));
  }
  return notesNamed(patterns.map(classOf));
}

const classOf = (pattern: string): string => (pattern.endsWith('*') ? pattern.replace(/-?\*$/, '') : pattern);

const POOL = 'the pool balance';
const BASE_WORDS: Record<Exclude<Base, `ACCOUNT:${string}`>, string> = {
  POOL_ORIGINAL: 'the pool balance at the cut-off date',
  POOL_BEGINNING: 'the pool balance at the beginning of the period',
  POOL_CURRENT: POOL,
  NOTES_ORIGINAL: 'the original balance of',
  NOTES: 'the balance of',
  POOL_ADJUSTED: 'the adjusted pool balance',
  POOL_ADJUSTED_ORIGINAL: 'the adjusted pool balance at closing',
  COLLECTIONS: 'the collections of the period',
  SCHEDULED: 'the scheduled principal of the period',
  PREPAID: 'the prepaid principal of the period',
  LIQUIDATED: 'the balance liquidated in the period',
  RECOVERED: 'the recoveries of the period',
  LOSS: 'the net losses of the period',
  WRITTEN_DOWN: 'the principal written off and not reinstated of',
  ACCRETED: 'the interest accreted in the period to',
  ACCRUED_TO_CAPITALISE: 'the interest of the loans that is accrued and to be capitalised',
  INTEREST_DUE: 'the interest due on',
  FEES_DUE: 'the fees due',
  DELINQUENT_30: 'the balance of loans 30 or more days delinquent',
  DELINQUENT_60: 'the balance of loans 60 or more days delinquent',
  DELINQUENT_90: 'the balance of loans 90 or more days delinquent',
};
const OF_NOTES = new Set<Base>(['NOTES', 'NOTES_ORIGINAL', 'WRITTEN_DOWN', 'ACCRETED', 'INTEREST_DUE']);

function isAccount(of: Base): of is `ACCOUNT:${string}` {
  return of.startsWith('ACCOUNT:');
}

export function baseText(structure: Structure, of: Base, ofTranches?: readonly string[]): string {
  if (isAccount(of)) return `the balance of the account ${of.slice('ACCOUNT:'.length)}`;
  const words = BASE_WORDS[of];
  return OF_NOTES.has(of) ? `${words} ${notesText(structure, ofTranches)}` : words;
}

/** Marks of the parts of a list, by how deep it stands: (i), (a), (1). */
const MARKS = [
  ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii'],
  ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'j', 'k', 'l', 'm'],
];

function marked(parts: readonly string[], depth: number): string {
  return listText(parts.map((part, place) => `(${MARKS[depth]?.[place] ?? place + 1}) ${part}`));
}

/** An amount in words; `depth` counts the lists that it stands in. */
export function amountText(structure: Structure, amount: Amount, unit: Unit = 'MONEY', depth = 0): string {
  const text = (part: Amount, of: Unit = unit, deeper = 0) => amountText(structure, part, of, depth + deeper);
  if (typeof amount === 'number') return numberText(amount, unit);
  if (typeof amount === 'string') return wordText(amount);
  if (Array.isArray(amount)) return scheduleText(amount, unit);
  const list = listOf(amount);
  if (list) {
    const parts = list.amounts.map((part) => text(part, unit, 1));
    const [first = '', ...others] = parts;
    if (list.form === 'minus') {
      if (others.length === 0) return first;
      if (others.length === 1) return `the excess of ${first} over ${others[0]}`;
      return `the excess of ${first} over the sum of ${marked(others, depth)}`;
    }
    if (parts.length === 1) return first;
    if (list.form === 'sum_of') return `the sum of ${marked(parts, depth)}`;
    const two = parts.length === 2;
    const word = list.form === 'max_of' ? (two ? 'greater' : 'greatest') : two ? 'lesser' : 'least';
    return `the ${word} of ${marked(parts, depth)}`;
  }
  if (isForm<{ if: string; then: Amount; else: Amount }>(amount, 'if'))
    return `${text(amount.then)} while "${amount.if}" is on, and otherwise ${text(amount.else)}`;
  if (isForm<SeniorShare>(amount, 'share_of')) return seniorShareText(structure, amount, depth);
  if (isForm<TargetAmount>(amount, 'target')) return targetText(structure, amount, depth);
  if (isForm<PlannedAmount>(amount, 'schedule')) {
    const planned = amount.schedule.map(({ period, balance }) => `${numberText(balance, 'MONEY')} in period ${period}`);
    return `the amount that brings their balance to its plan: ${listText(planned)}`;
  }
  return shareText(structure, amount as Share, depth);
}

function wordText(word: string): string {
  if (word === 'PRINCIPAL_COLLECTIONS') return 'the principal collections of the period that no earlier step has paid';
  if (word === 'ALL') return 'all that is left';
  return 'the net weighted average coupon (the balance-weighted rate of the loans less the fees of the period)';
}

export function scheduleText(points: readonly SchedulePoint[], unit: Unit): string {
  const parts = points.map(({ from_period, from_date, value }) => {
    const from = from_date ?? (from_period === 0 ? 'closing' : `period ${from_period}`);
    return `${numberText(value, unit)} from ${from}`;
  });
  return listText(parts);
}

function seniorShareText(structure: Structure, { share_of, shift }: SeniorShare, depth: number): string {
  const share = `the share of ${notesText(structure, share_of)} in the pool balance at the beginning of the period`;
  if (shift === 0) return share;
  const part = amountText(structure, shift, 'PERCENT', depth);
  return typeof shift === 'number'
    ? `${share} plus ${part} of the remaining share`
    : `${share} plus a part of the remaining share (${part})`;
}

function shareText(structure: Structure, { percent, of, of_tranches, floor }: Share, depth: number): string {
  const base = baseText(structure, of, of_tranches);
  const share = percent === 100 ? base : `${percentText(structure, percent, depth)} of ${base}`;
  return floor === undefined ? share : `${share}, but at least ${amountText(structure, floor, 'MONEY', depth)}`;
}

/** A percentage; one that is not a number stands in brackets, so that what it is of can follow. */
export function percentText(structure: Structure, percent: Amount, depth = 0): string {
  const text = amountText(structure, percent, 'PERCENT', depth);
  return typeof percent === 'number' ? text : `a percentage (${text})`;
}

function targetText(structure: Structure, target: TargetAmount, depth: number): string {
  const { percent = 100, of = 'POOL_CURRENT', floor, amount, of_tranches } = target;
  const size =
    amount === undefined
      ? shareText(structure, { percent, of, ...(floor === undefined ? {} : { floor }) }, depth)
      : amountText(structure, amount, 'MONEY', depth);
  const notes = `the balance of ${notesText(structure, of_tranches)}`;
  if (target.target === 'NOTES') return `the excess of ${notes} over ${size}`;
  return `the excess of ${notes} over ${POOL} less the overcollateralisation target (${size})`;
}
