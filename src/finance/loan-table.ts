import { fillSchedule, firstPrincipal, isLevelPay, MAX_TERM_MONTHS, scheduleMonths } from './amortization.ts';
import { columnsOf, type LoanColumns } from './loan-columns.ts';
import type { CollateralLoan, ProjectionOptions } from './types.ts';
import { UnusableInputError } from './unusable-input.ts';
import type { Workspace } from './workspace.ts';

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
  months: Int32Array;
  ageMonths: Int32Array;
  /** Loans that are not level pay, by row of the table. */
  special: Map<number, CollateralLoan>;
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

/** Sorts in two stable counting passes, by age and then by months, so that equal loans keep their order; the second pass writes the rows. */
function fillTable(table: LoanTable, columns: LoanColumns, months: Int32Array): void {
  const ages = new Int32Array(columns.column('ageMonths'));
  const balance = columns.column('balance');
  const ratePercent = columns.column('ratePercent');
  const byAge = sortByAge(ages);
  const nextRow = bucketStarts(months, MAX_TERM_MONTHS + 1);
  for (let rank = 0; rank < table.count; rank++) {
    const index = byAge[rank];
    const length = months[index];
    const row = nextRow[length];
    nextRow[length] = row + 1;
    table.balance[row] = balance[index];
    table.monthlyRate[row] = ratePercent[index] / 1200;
    table.months[row] = length;
    table.ageMonths[row] = ages[index];
    if (columns.special.size > 0) keepSpecial(table, row, columns.special.get(index));
  }
}

function sortByAge(ages: Int32Array): Int32Array {
  const next = bucketStarts(ages, AGE_SPAN);
  const sorted = new Int32Array(ages.length);
  for (let index = 0; index < ages.length; index++) {
    const age = ages[index];
    const rank = next[age];
    next[age] = rank + 1;
    sorted[rank] = index;
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
  return {
    count,
    periods: 0,
    balance: new Float64Array(new SharedArrayBuffer(8 * count)),
    monthlyRate: new Float64Array(new SharedArrayBuffer(8 * count)),
    months: new Int32Array(new SharedArrayBuffer(4 * count)),
    ageMonths: new Int32Array(new SharedArrayBuffer(4 * count)),
    special: new Map(),
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
    assertRange(index, 'balance', balance[index], 0, 1e15);
    assertRange(index, 'ratePercent', ratePercent[index], 0, 1000);
    assertWhole(index, 'remainingMonths', remainingMonths[index], MAX_TERM_MONTHS);
    assertWhole(index, 'ageMonths', ageMonths[index], AGE_SPAN - 1);
    months[index] = Math.max(1, remainingMonths[index]);
  }
  for (const [index, loan] of columns.special) months[index] = scheduleMonths(loan);
  return months;
}

/**
 * Adds the schedules of rows `from` to `to` (excluded), which all last `months`, to `schedule.balance[0..months]` and
 * `schedule.interest[0..months-1]`, loan by loan.
 */
export function addSchedules(
  table: LoanTable,
  from: number,
  to: number,
  options: ProjectionOptions,
  { balance, interest }: Pick<Workspace, 'balance' | 'interest'>,
  workspace: Workspace,
): void {
  if (table.special.size === 0) {
    addLevelRows(table, from, to, balance, interest);
    return;
  }
  let levelFrom = from;
  for (let row = from; row < to; row++) {
    const loan = table.special.get(row);
    if (!loan) continue;
    addLevelRows(table, levelFrom, row, balance, interest);
    addSpecialRow(loan, options, balance, interest, workspace);
    levelFrom = row + 1;
  }
  addLevelRows(table, levelFrom, to, balance, interest);
}

/** As `addSchedules`, of those of the rows whose coupon is below `ratePercent` a year at the cut-off. */
export function addSchedulesBelow(
  table: LoanTable,
  from: number,
  to: number,
  ratePercent: number,
  options: ProjectionOptions,
  sums: Pick<Workspace, 'balance' | 'interest'>,
  workspace: Workspace,
): void {
  const monthly = ratePercent / 1200;
  for (let row = from; row < to; row++) {
    if (table.monthlyRate[row] >= monthly) continue;
    addSchedules(table, row, row + 1, options, sums, workspace);
  }
}

/** Four loans at a time: their recurrences are independent, and the sums are stored once for all four. */
function addLevelRows(table: LoanTable, from: number, to: number, balance: Float64Array, interest: Float64Array): void {
  const { balance: openings, monthlyRate } = table;
  let row = from;
  for (; row + 4 <= to; row += 4) {
    const months = table.months[row];
    let a = openings[row];
    let b = openings[row + 1];
    let c = openings[row + 2];
    let d = openings[row + 3];
    const rateA = monthlyRate[row];
    const rateB = monthlyRate[row + 1];
    const rateC = monthlyRate[row + 2];
    const rateD = monthlyRate[row + 3];
    const growthA = 1 + rateA;
    const growthB = 1 + rateB;
    const growthC = 1 + rateC;
    const growthD = 1 + rateD;
    let principalA = firstPrincipal(a, rateA, months);
    let principalB = firstPrincipal(b, rateB, months);
    let principalC = firstPrincipal(c, rateC, months);
    let principalD = firstPrincipal(d, rateD, months);
    for (let month = 0; month < months; month++) {
      balance[month] = balance[month] + (a + b + (c + d));
      interest[month] = interest[month] + (a * rateA + b * rateB + (c * rateC + d * rateD));
      a -= principalA;
      b -= principalB;
      c -= principalC;
      d -= principalD;
      principalA *= growthA;
      principalB *= growthB;
      principalC *= growthC;
      principalD *= growthD;
    }
  }
  for (; row < to; row++) addLevelRow(table, row, balance, interest);
}

function addLevelRow(table: LoanTable, row: number, balance: Float64Array, interest: Float64Array): void {
  const months = table.months[row];
  const rate = table.monthlyRate[row];
  let remaining = table.balance[row];
  let principal = firstPrincipal(remaining, rate, months);
  for (let month = 0; month < months; month++) {
    balance[month] += remaining;
    interest[month] += remaining * rate;
    remaining -= principal;
    principal *= 1 + rate;
  }
}

function addSpecialRow(
  loan: CollateralLoan,
  options: ProjectionOptions,
  balance: Float64Array,
  interest: Float64Array,
  { loanBalance, loanInterest }: Workspace,
): void {
  const months = fillSchedule(loan, options, loanBalance, loanInterest);
  for (let month = 0; month < months; month++) {
    balance[month] += loanBalance[month];
    interest[month] += loanInterest[month];
  }
}

const AGE_SPAN = 2048;

function assertRange(index: number, field: string, value: number, low: number, high: number): void {
  if (value >= low && value <= high) return;
  throw new UnusableInputError(`loan ${index}: ${field} is ${value}, expected a number from ${low} to ${high}`);
}

function assertWhole(index: number, field: string, value: number, high: number): void {
  if (Number.isInteger(value) && value >= 0 && value <= high) return;
  throw new UnusableInputError(`loan ${index}: ${field} is ${value}, expected whole months from 0 to ${high}`);
}
