import { growthLessOne, isLevelPay, MAX_TERM_MONTHS, scheduleMonths } from './amortization.ts';
import { columnsOf, type LoanColumns } from './loan-columns.ts';
import { columnsOfTerms, type SpecialTerms } from './special-terms.ts';
import type { CollateralLoan } from './types.ts';
import { UnusableInputError } from './unusable-input.ts';

/**
 * Loans of a pool as columns, sorted by schedule length, then age, then their order in the tape: loans that behave alike are
 * adjacent, and money is summed in the same order on every run. The columns may lie in shared memory.
 */
export type LoanTable = {
  count: number;
  /** Months of the longest schedule. */
  periods: number;
  balance: Float64Array;
  /** Coupon a month, as a fraction. */
  monthlyRate: Float64Array;
  /** Principal of the first level payment; of special loans it means nothing. */
  firstPrincipal: Float64Array;
  months: Int32Array;
  ageMonths: Int32Array;
  /** Loans that are not level pay, by row of the table, and their terms as columns. */
  special: Map<number, CollateralLoan>;
  terms: SpecialTerms;
};

/** Sorts loans into a table. Throws RangeError that names the loan (0 = first) and the field of a value that cannot be projected. */
export function packLoans(loans: Iterable<CollateralLoan>): LoanTable {
  const columns = columnsOf(loans);
  const months = scheduleLengths(columns);
  const table = emptyTable(columns.length);
  fillTable(table, columns, months);
  if (table.count > 0) table.periods = table.months[table.count - 1];
  return table;
}

/** Fills the rows in their order, a column at a time: each is written from its begin to its end, and read where its loans are. */
function fillTable(table: LoanTable, columns: LoanColumns, months: Int32Array): void {
  const ages = new Int32Array(columns.column('ageMonths'));
  const balance = columns.column('balance');
  const ratePercent = columns.column('ratePercent');
  const order = sortByKey(months, MAX_TERM_MONTHS + 1, sortByKey(ages, AGE_SPAN));
  for (let row = 0; row < table.count; row++) table.balance[row] = balance[order[row]];
  for (let row = 0; row < table.count; row++) table.monthlyRate[row] = ratePercent[order[row]] / 1200;
  for (let row = 0; row < table.count; row++) table.months[row] = months[order[row]];
  for (let row = 0; row < table.count; row++) table.ageMonths[row] = ages[order[row]];
  fillFirstPrincipal(table);
  if (columns.special.size === 0) return;
  for (let row = 0; row < table.count; row++) keepSpecial(table, row, columns.special.get(order[row]));
  table.terms = columnsOfTerms(table.special, table.months);
}

/** Remembers the growth of one rate per slot: a pool has few coupons, and a logarithm and an exponential cost more than its sort. */
const RATE_SLOTS = 1024;
/** Spreads coupons that differ by a hundredth of a percent over the slots. */
const SLOTS_OF_RATE = 2 ** 22;

/** As `firstPrincipal` of every row, to the bit. */
function fillFirstPrincipal({ count, balance, monthlyRate, months, firstPrincipal }: LoanTable): void {
  const rates = new Float64Array(RATE_SLOTS);
  const growths = new Float64Array(RATE_SLOTS);
  let length = -1;
  for (let row = 0; row < count; row++) {
    const rate = monthlyRate[row];
    if (months[row] !== length) {
      length = months[row];
      rates.fill(0);
    }
    if (rate === 0) {
      firstPrincipal[row] = balance[row] / length;
      continue;
    }
    const slot = (rate * SLOTS_OF_RATE) & (RATE_SLOTS - 1);
    if (rates[slot] !== rate) {
      rates[slot] = rate;
      growths[slot] = growthLessOne(rate, length);
    }
    firstPrincipal[row] = (balance[row] * rate) / growths[slot];
  }
}

/** Indices in the ascending order of their keys; equal ones keep the order of `before`, or that of the indices. */
function sortByKey(keys: Int32Array, span: number, before?: Int32Array): Int32Array {
  const next = bucketStarts(keys, span);
  const sorted = new Int32Array(keys.length);
  for (let rank = 0; rank < keys.length; rank++) {
    const index = before ? before[rank] : rank;
    const key = keys[index];
    const place = next[key];
    next[key] = place + 1;
    sorted[place] = index;
  }
  return sorted;
}

/** Rank of the first of each key when keys below `span` are sorted. */
function bucketStarts(keys: Int32Array, span: number): Int32Array {
  const starts = new Int32Array(span + 1);
  for (let index = 0; index < keys.length; index++) {
    const after = keys[index] + 1;
    starts[after] += 1;
  }
  for (let key = 0; key < span; key++) starts[key + 1] = starts[key + 1] + starts[key];
  return starts;
}

function keepSpecial(table: LoanTable, row: number, loan: CollateralLoan | undefined): void {
  if (loan && !isLevelPay(loan)) table.special.set(row, loan);
}

function emptyTable(count: number): LoanTable {
  const shared = new SharedArrayBuffer(32 * count);
  return {
    count,
    periods: 0,
    balance: new Float64Array(shared, 0, count),
    monthlyRate: new Float64Array(shared, 8 * count, count),
    firstPrincipal: new Float64Array(shared, 16 * count, count),
    months: new Int32Array(shared, 24 * count, count),
    ageMonths: new Int32Array(shared, 28 * count, count),
    special: new Map(),
    terms: columnsOfTerms(new Map(), new Int32Array()),
  };
}

/** Months of every loan's schedule, in the order of the tape. */
function scheduleLengths(columns: LoanColumns): Int32Array {
  const balance = columns.column('balance');
  const ratePercent = columns.column('ratePercent');
  const remainingMonths = columns.column('remainingMonths');
  const ageMonths = columns.column('ageMonths');
  const months = new Int32Array(columns.length);
  for (let index = 0; index < months.length; index++) {
    assertRange(index, 'balance', balance[index], 1e15);
    assertRange(index, 'ratePercent', ratePercent[index], 1000);
    assertWhole(index, 'remainingMonths', remainingMonths[index], MAX_TERM_MONTHS);
    assertWhole(index, 'ageMonths', ageMonths[index], AGE_SPAN - 1);
    months[index] = Math.max(1, remainingMonths[index]);
  }
  for (const [index, loan] of columns.special) months[index] = scheduleMonths(loan);
  return months;
}

/** The row after those from row `from` on, up to `end`, that have its length, and where `byAge` its age. */
export function groupEnd({ months, ageMonths }: LoanTable, from: number, end: number, byAge: boolean): number {
  let to = from + 1;
  while (to < end && months[to] === months[from] && (!byAge || ageMonths[to] === ageMonths[from])) to++;
  return to;
}

/** Number of the first special loan whose row is not below `row`. */
export function firstSpecialFrom({ rows, count }: SpecialTerms, row: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle] < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

const AGE_SPAN = 2048;

function assertRange(index: number, field: string, value: number, high: number): void {
  if (value >= 0 && value <= high) return;
  throw new UnusableInputError(`loan ${index}: ${field} is ${value}, expected a number from 0 to ${high}`);
}

function assertWhole(index: number, field: string, value: number, high: number): void {
  if (Number.isInteger(value) && value >= 0 && value <= high) return;
  throw new UnusableInputError(`loan ${index}: ${field} is ${value}, expected whole months from 0 to ${high}`);
}
