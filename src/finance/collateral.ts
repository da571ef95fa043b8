import { addAdvancedSchedules, projectAdvanced } from './advances.ts';
import { type Behaviour, compileBehaviour } from './behaviour.ts';
import { projectCards } from './card.ts';
import { addBehaviour, addInto, addSeries, collateralFromFlows, flowLength, type SharedSchedule } from './collateral-flows.ts';
import { createSeriesBuffers, fillSeries } from './collateral-series.ts';
import { groupEnd, type LoanTable, packLoans } from './loan-table.ts';
import { addSchedules } from './add-schedules.ts';
import type { Assumptions, Collateral, CollateralLoan, CollateralSeries, ProjectionOptions } from './types.ts';
import { Workspace } from './workspace.ts';

/**
 * Cash flow of a pool, loan by loan, month by month to the last scheduled payment (BMA Standard Formulas, chapter SF, section C.3).
 *
 * With opening performing balance B, scheduled balances S and f = S(i)/S(i−1): default = B × MDR (none in the last
 * `recoveryLagMonths` of a loan, unless late defaults are kept and liquidated after its last payment), scheduled principal = (B − default)(1 − f), prepayment = B × f × SMM, at most the remaining balance, interest
 * = (B − default) × coupon / 12. A default is liquidated `recoveryLagMonths` later: loss = min(default × severity of the
 * month of default, balance then), recovery = the rest. With advances the schedule of defaulted balance is paid until then.
 *
 * Loans that share length, age and speeds share their survival from month to month, so each loan amortizes on its own and
 * speeds are applied to the sum of their schedules; with advances the loss has a cap per loan, which is summed beside them.
 * Sums are taken over fixed chunks of the sorted loans in order: the result is the same to the bit however the chunks are distributed over threads.
 *
 * Throws RangeError when a loan or an assumption cannot be projected, or an index curve is missing.
 */
export function projectCollateral(
  loans: Iterable<CollateralLoan>,
  assumptions: Assumptions,
  options: ProjectionOptions = {},
): Collateral {
  if (assumptions.card) return projectCards(loans, assumptions, assumptions.card, options.series);
  const table = packLoans(loans);
  return projectTable(table, assumptions, options);
}

/** As `projectCollateral`, for loans that are packed already. */
export function projectTable(table: LoanTable, assumptions: Assumptions, options: ProjectionOptions = {}): Collateral {
  const behaviour = compileBehaviour(assumptions, table.periods);
  const total = new Float64Array(flowLength(behaviour.periods, options.series));
  const workspace = new Workspace(table, options);
  for (let chunk = 0; chunk < chunkCount(table); chunk++) addInto(total, projectChunk(table, chunk, behaviour, workspace));
  return collateralFromFlows(total, openingBalance(table), behaviour, options.series);
}

/** Loans of a chunk. Part of the result's definition: another size sums in another order. */
const CHUNK_LOANS = 8192;

export function chunkCount(table: LoanTable): number {
  return Math.ceil(table.count / CHUNK_LOANS);
}

/** Flows of one chunk of the table, laid out as in `collateral-flows.ts`; the workspace is one of the table. */
export function projectChunk(table: LoanTable, chunk: number, behaviour: Behaviour, workspace: Workspace): Float64Array {
  const begin = chunk * CHUNK_LOANS;
  const end = Math.min(table.count, begin + CHUNK_LOANS);
  const flows = new Float64Array(flowLength(behaviour.periods, workspace.options.series));
  const series = createSeriesBuffers(table.periods, workspace.options.series);
  if (behaviour.advances) flows.set(projectAdvanced(table, begin, end, behaviour, workspace.takeLanes()));
  // Advances change no series: these are added after them, loan by loan.
  if (behaviour.advances && !series) return flows;
  const { balance, interest } = workspace;
  for (let from = begin; from < end; ) {
    const to = groupEnd(table, from, end, behaviour.byAge);
    const months = table.months[from];
    balance.fill(0, 0, months + 1);
    interest.fill(0, 0, months);
    addSchedules(table, from, to, workspace);
    const schedule = { months, ageMonths: table.ageMonths[from], balance, interest };
    if (!behaviour.advances) addBehaviour(schedule, behaviour, flows);
    if (series) addSeries({ ...schedule, ...fillSeries(table, from, to, schedule, series, workspace) }, behaviour, flows);
    from = to;
  }
  return flows;
}

/** Balance of all loans at the cut-off, summed in table order. */
export function openingBalance(table: LoanTable): number {
  let sum = 0;
  for (let row = 0; row < table.count; row++) sum += table.balance[row];
  return sum;
}

/** As `scheduleTable`, for loans that are not in a table. */
export function scheduleLoans(
  loans: Iterable<CollateralLoan>,
  options: ProjectionOptions = {},
  perLoan = false,
): SharedSchedule[] {
  return scheduleTable(packLoans(loans), options, perLoan);
}

/**
 * Schedules of a pool, kept so that many assumptions can be projected from them (`projectSchedules`): one per length and age, or
 * one per loan where `perLoan` (needed for servicer advances). Memory: 16 bytes per schedule and month.
 */
export function scheduleTable(table: LoanTable, options: ProjectionOptions = {}, perLoan = false): SharedSchedule[] {
  const schedules: SharedSchedule[] = [];
  const workspace = new Workspace(table, options);
  const { balance, interest } = workspace;
  for (let from = 0; from < table.count; ) {
    const to = perLoan ? from + 1 : groupEnd(table, from, table.count, true);
    const months = table.months[from];
    balance.fill(0, 0, months + 1);
    interest.fill(0, 0, months);
    addSchedules(table, from, to, workspace);
    const schedule: SharedSchedule = {
      months,
      ageMonths: table.ageMonths[from],
      balance: balance.slice(0, months + 1),
      interest: interest.slice(0, months),
    };
    const series = createSeriesBuffers(months, options.series);
    if (series) Object.assign(schedule, fillSeries(table, from, to, schedule, series, workspace));
    schedules.push(schedule);
    from = to;
  }
  return schedules;
}

/** Cash flow of kept schedules under one set of assumptions, with the series that they were kept with; equals `projectCollateral` of the loans up to rounding of doubles. */
export function projectSchedules(
  schedules: readonly SharedSchedule[],
  assumptions: Assumptions,
  series?: CollateralSeries,
): Collateral {
  const periods = schedules.reduce((longest, schedule) => Math.max(longest, schedule.months), 0);
  const behaviour = compileBehaviour(assumptions, periods);
  const flows = new Float64Array(flowLength(behaviour.periods, series));
  let opening = 0;
  for (const schedule of schedules) {
    opening += schedule.balance[0];
    if (!behaviour.advances) addBehaviour(schedule, behaviour, flows);
    if (series) addSeries(schedule, behaviour, flows);
  }
  if (behaviour.advances) addAdvancedSchedules(schedules, behaviour, flows);
  return collateralFromFlows(flows, opening, behaviour, series);
}
