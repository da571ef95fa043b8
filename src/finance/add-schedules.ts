import { firstSpecialFrom, type LoanTable } from './loan-table.ts';
import { FLOATING } from './special-terms.ts';
import type { Workspace } from './workspace.ts';

/**
 * Adds the schedules of rows `from` to `to` (excluded), which all last `months`, to `schedule.balance[0..months]` and
 * `schedule.interest[0..months-1]` of the workspace.
 */
export function addSchedules(table: LoanTable, from: number, to: number, workspace: Workspace): void {
  const { balance, interest } = workspace;
  const { rows, count } = table.terms;
  const first = firstSpecialFrom(table.terms, from);
  let levelFrom = from;
  for (let number = first; number < count && rows[number] < to; number++) {
    addLevelRows(table, levelFrom, rows[number], balance, interest);
    levelFrom = rows[number] + 1;
  }
  addLevelRows(table, levelFrom, to, balance, interest);
  if (levelFrom === from) return;
  workspace.floating.addTo(workspace, first, to, table.months[from]);
  addLanes(table, first, to, workspace);
}

/** Adds the schedules of the special loans from number `first` to row `to` (excluded) that do not float. */
function addLanes(table: LoanTable, first: number, to: number, workspace: Workspace): void {
  const { rows, kind, count } = table.terms;
  for (let number = first; number < count && rows[number] < to; number++) {
    if (kind[number] === FLOATING) continue;
    const { lanes, numbers } = workspace.specialWindow(number);
    const index = numbers.indexOf(number);
    let end = index + 1;
    while (end < numbers.length && rows[numbers[end]] < to) end++;
    lanes.addToSums(index, end, table.months[rows[number]]);
    number = numbers[end - 1];
  }
}

/** As `addSchedules`, of those of the rows whose coupon is below `ratePercent` a year at the cut-off. */
export function addSchedulesBelow(table: LoanTable, from: number, to: number, ratePercent: number, workspace: Workspace): void {
  const monthly = ratePercent / 1200;
  for (let row = from; row < to; row++) {
    if (table.monthlyRate[row] >= monthly) continue;
    addSchedules(table, row, row + 1, workspace);
  }
}

/** Four loans at a time: their recurrences are independent, and the sums are stored once for all four. */
function addLevelRows(table: LoanTable, from: number, to: number, balance: Float64Array, interest: Float64Array): void {
  const { balance: openings, monthlyRate, firstPrincipal } = table;
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
    let principalA = firstPrincipal[row];
    let principalB = firstPrincipal[row + 1];
    let principalC = firstPrincipal[row + 2];
    let principalD = firstPrincipal[row + 3];
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
  let principal = table.firstPrincipal[row];
  for (let month = 0; month < months; month++) {
    balance[month] += remaining;
    interest[month] += remaining * rate;
    remaining -= principal;
    principal *= 1 + rate;
  }
}
