import { dayNumber } from '../dates.ts';
import { roundHalfEven } from '../money.ts';
import { annualFromMonthly } from '../rates.ts';
import { MONTHS_BETWEEN_PAYMENTS } from '../schedule.ts';
import { addCents, type Remittance, type RemittanceState } from './remittance.ts';
import { endingPoolOf, delinquentPercents, principalCollected, recoveriesOf, reportedShortfall } from './tie-remittance.ts';
import { isYearly } from './amount-faults.ts';
import { amountContext } from './compiled-amount.ts';
import { monthsReported, type PoolDates } from './periods.ts';
import { balanceOf, isNote, isResidual, type MetricBase, METRICS, payeesOf, stepName, type Structure } from './structure.ts';
import {
  type CompiledTest,
  type CompiledTrigger,
  compileTriggers,
  readable,
  readTest,
  storedTriggerState,
  type TestFigures,
  type TestReader,
  thresholdOf,
  testTriggers,
  type TriggerState,
} from './triggers.ts';
import { toUnit, unitOf } from './unit.ts';

/** A trigger after a report: its state, whether it has just gone on, and the measured values. */
export type TriggerReading = {
  trigger: string;
  on: boolean;
  newly_on: boolean;
  tests: (Omit<TestFigures, 'value'> & { actual: number | null })[];
};

/** Figures derived from a report that ties. In percent unless the name says `factor`. */
export type RolledRemittance = {
  state: RemittanceState;
  /** Balance over original balance by tranche, 8 decimals; 0 for one without a balance. */
  factors: Record<string, number>;
  pool_factor: number;
  cumulative_net_loss: number;
  /** Annualised prepayment and default speed of the period, loss severity of its charge-offs; null where the denominator is zero. */
  cpr: number | null;
  cdr: number | null;
  severity: number | null;
  oc: number | null;
  triggers: TriggerReading[];
};

/** State, factors, speeds, losses and triggers after a report for which `tieRemittance` finds nothing. */
export function rollForward(
  previous: RemittanceState,
  remittance: Remittance,
  structure: Structure,
  dates: PoolDates = { cutOff: remittance.payment_date, closing: remittance.payment_date },
): RolledRemittance {
  const { collateral } = remittance;
  const ending = endingPoolOf(remittance) ?? previous.pool_balance;
  const grossLosses = collateral.gross_losses ?? 0;
  const netLoss = collateral.net_losses ?? addCents(grossLosses, -recoveriesOf(remittance));
  // In the unit of a run of the waterfall, which shares the kept values of the tests with the reports that it does not run.
  const context = { ...amountContext(structure, dates, remittance.period), unit: unitOf(structure) };
  const compiled = compileTriggers(structure.triggers ?? [], context);
  const triggers = storedTriggerState(previous.triggers, compiled);
  const state: RemittanceState = {
    ...previous,
    accounts: rollAccounts(previous, remittance, structure),
    period: remittance.period,
    payment_date: remittance.payment_date,
    pool_original: previous.pool_original,
    pool_balance: ending,
    reserve_balance: collateral.reserve_balance ?? previous.reserve_balance,
    cumulative_net_loss_amount: addCents(previous.cumulative_net_loss_amount, netLoss),
    ...rollLosses(previous, netLoss, structure),
    tranches: rollTranches(previous, remittance),
    ...rollFees(previous, remittance),
    ...rollLimits(previous, remittance, structure),
    without_waterfall: remittance.period,
    ...(remittance.call?.exercised ? { called_in: remittance.period } : {}),
    triggers,
  };
  const beginning = previous.pool_balance;
  const { pool_original } = previous;
  const months = monthsReported(structure.payment, remittance.period);
  return {
    state,
    factors: Object.fromEntries(
      structure.tranches.map((each) => [each.tranche, ratio(state.tranches[each.tranche]?.balance ?? 0, balanceOf(each)) ?? 0]),
    ),
    pool_factor: ratio(ending, pool_original) ?? 0,
    cumulative_net_loss: percent(state.cumulative_net_loss_amount, pool_original) ?? 0,
    cpr:
      collateral.scheduled_principal === undefined
        ? null
        : annualPercent(collateral.prepayments ?? 0, beginning - collateral.scheduled_principal, months),
    cdr: annualPercent(grossLosses, beginning, months),
    severity: percent(netLoss, grossLosses),
    oc: percent(ending - notesBalance(structure, state), ending),
    triggers: readTriggers(compiled, previous, state, remittance, structure),
  };
}

/** Losses of the last 12 months with those of the period, a report having them in one amount; none where they are not known before it. */
function rollLosses(
  { period, recent_losses = period === 0 ? [] : undefined }: RemittanceState,
  netLoss: number,
  { payment }: Structure,
): Pick<RemittanceState, 'recent_losses'> {
  if (!recent_losses) return {};
  const months = MONTHS_BETWEEN_PAYMENTS[payment?.frequency ?? 'MONTHLY'];
  return { recent_losses: [...recent_losses, ...new Array<number>(months - 1).fill(0), netLoss].slice(-12) };
}

function rollTranches(previous: RemittanceState, { tranches }: Remittance): RemittanceState['tranches'] {
  const rolled = tranches.map((row) => {
    const before = previous.tranches[row.tranche];
    const carry_over = row.carry_over_closing ?? before?.carry_over;
    const written_down = Math.max(0, addCents(before?.written_down ?? 0, row.write_down ?? 0));
    const tranche = {
      balance: row.ending_balance,
      shortfall: reportedShortfall(row) ?? 0,
      ...(carry_over === undefined ? {} : { carry_over }),
      ...(written_down === 0 && before?.written_down === undefined ? {} : { written_down }),
    };
    return [row.tranche, tranche] as const;
  });
  return { ...previous.tranches, ...Object.fromEntries(rolled) };
}

/** Unpaid fees as reported, the others as they were. */
export function rollFees(
  { fees: before }: Pick<RemittanceState, 'fees'>,
  { fees = [] }: Remittance,
): Pick<RemittanceState, 'fees'> {
  const reported = fees.flatMap(({ fee, due, paid }) =>
    due === undefined || paid === undefined ? [] : [[fee, Math.max(0, addCents(due, -paid))] as const],
  );
  return before || reported.length > 0 ? { fees: { ...before, ...Object.fromEntries(reported) } } : {};
}

/** What limits of a year have paid in it so far, in currency units by step. */
export const limitsPaidIn = ({ limits }: Pick<RemittanceState, 'limits'>, year: number): Record<string, number> =>
  limits?.year === year ? limits.paid : {};

/** What limits of a year have paid: as the report has it by step, else by the fees of the first step that pays them. */
function rollLimits(
  state: RemittanceState,
  { payment_date, steps = [], fees = [] }: Remittance,
  { waterfall }: Structure,
): Pick<RemittanceState, 'limits'> {
  const year = Number(payment_date.slice(0, 4));
  const earlier = limitsPaidIn(state, year);
  const paid = waterfall.flatMap((step, place) => {
    const { limit } = step;
    if (!isYearly(limit)) return [];
    const name = stepName(step, place);
    const names = payeesOf(step);
    const before = Object.hasOwn(earlier, name) ? earlier[name] : 0;
    const isFirst = !waterfall
      .slice(0, place)
      .some((other) => other.pay === 'FEE' && payeesOf(other).some((each) => names.includes(each)));
    const ofFees = addCents(...fees.filter(({ fee }) => names.includes(fee)).map((fee) => fee.paid ?? 0));
    const most = isFirst && typeof limit.amount === 'number' ? Math.max(0, limit.amount - before) : 0;
    const now = steps.find((each) => each.step === name)?.amount ?? Math.min(ofFees, most);
    return [[name, addCents(before, now)] as const];
  });
  return paid.length > 0 ? { limits: { year, paid: Object.fromEntries(paid) } } : {};
}

/** Balances of accounts as reported; those of a report that has their sum alone stay, unless there is only one. */
function rollAccounts(
  previous: RemittanceState,
  { accounts = [], collateral }: Remittance,
  structure: Structure,
): RemittanceState['accounts'] {
  const own = structure.accounts ?? [];
  const single = own.length === 1 ? (collateral.reserve_balance ?? previous.reserve_balance) : undefined;
  return Object.fromEntries(
    own.map(({ account }) => {
      const before = previous.accounts?.[account] ?? { balance: single ?? 0 };
      const balance = accounts.find((each) => each.account === account)?.closing ?? single ?? before.balance;
      return [account, { ...before, balance }];
    }),
  );
}

/** Advances `state.triggers`, which still describe the previous period, and returns the readings. */
function readTriggers(
  compiled: readonly CompiledTrigger[],
  previous: RemittanceState,
  state: RemittanceState,
  remittance: Remittance,
  structure: Structure,
): TriggerReading[] {
  const metrics = measure(previous, state, remittance, structure);
  const reader: TestReader = {
    valueOf: (test) => {
      const value = reportedValue(test, metrics, previous, state, structure);
      return Number.isNaN(value) ? value : toUnit(value, test.unit);
    },
    // An amount that is no number depends on the waterfall, which a report alone does not run.
    thresholdOf: (test) => (test.threshold ? Number.NaN : thresholdOf(test, remittance.period - 1)),
  };
  testTriggers(compiled, state.triggers, reader);
  for (const [index, { name, declared }] of compiled.entries()) {
    const own = reportedOn(name, declared, remittance);
    if (own !== undefined) state.triggers.on[index] = own ? 1 : 0;
  }
  return compiled.map((trigger, index) => {
    const on = state.triggers.on[index] === 1;
    const newly_on = on && previous.triggers.on[index] !== 1;
    return { trigger: trigger.name, on, newly_on, tests: readTests(trigger, state.triggers, reader) };
  });
}

/** Whether a report says that a trigger is on; an event only of one that is declared. */
export function reportedOn(name: string, declared: boolean, { triggers = [], events = [] }: Remittance): boolean | undefined {
  const said = [...(declared ? events : []), ...triggers];
  return said.findLast(({ trigger }) => trigger === name)?.on;
}

/** The value of a test in a report; NaN where the report does not have it. */
function reportedValue(
  { metricIndex, tranches }: CompiledTest,
  metrics: Record<MetricBase, number>,
  previous: RemittanceState,
  state: RemittanceState,
  structure: Structure,
): number {
  if (metricIndex === -1) return Number.NaN;
  const metric = METRICS[metricIndex];
  if (!tranches) return metrics[metric];
  const sum = (field: 'balance' | 'shortfall') =>
    addCents(...tranches.map((place) => previous.tranches[structure.tranches[place].tranche]?.[field] ?? 0));
  if (metric === 'INTEREST_SHORTFALL') return sum('shortfall');
  return metric === 'OC' ? share(state.pool_balance - sum('balance'), state.pool_balance) : sum('balance');
}

function readTests(trigger: CompiledTrigger, state: TriggerState, reader: TestReader): TriggerReading['tests'] {
  return trigger.tests.map((test) => {
    const { metric, value: actual, ...limit } = readTest(test, state, reader);
    return { metric, actual, ...limit };
  });
}

/** Metrics as `metrics.ts` computes them for a projection; NaN where the report has no value. */
function measure(
  previous: RemittanceState,
  state: RemittanceState,
  report: Remittance,
  structure: Structure,
): Record<MetricBase, number> {
  const { period, payment_date, collateral, tranches } = report;
  const netLoss = addCents(state.cumulative_net_loss_amount, -previous.cumulative_net_loss_amount);
  const { interest } = collateral;
  const delinquent = delinquentPercents(report);
  const andWorse = (bucket: number) =>
    delinquent[bucket] === undefined
      ? Number.NaN
      : delinquent.slice(bucket).reduce<number>((sum, percentage = 0) => sum + percentage, 0);
  const months = monthsReported(structure.payment, period);
  const noteInterest = tranches.reduce((sum, row) => {
    const carried = previous.tranches[row.tranche]?.shortfall ?? 0;
    return sum + row.interest_paid + (reportedShortfall(row) ?? 0) - carried + (row.accreted ?? 0);
  }, 0);
  const residualInterest = tranches.reduce((sum, row) => {
    const tranche = structure.tranches.find((candidate) => candidate.tranche === row.tranche);
    return sum + (tranche && isResidual(structure, tranche) ? row.interest_paid : 0);
  }, 0);
  const excess =
    interest === undefined ? Number.NaN : interest - feesAccrued(previous, report) - (noteInterest - residualInterest) - netLoss;
  return {
    CUMULATIVE_NET_LOSS: share(state.cumulative_net_loss_amount, previous.pool_original),
    OC: share(state.pool_balance - notesBalance(structure, previous), state.pool_balance),
    EXCESS_SPREAD: (12 / months) * share(excess, previous.pool_balance),
    DELINQUENT_30: andWorse(0),
    DELINQUENT_60: andWorse(1),
    DELINQUENT_90: andWorse(2),
    POOL_FACTOR: share(state.pool_balance, previous.pool_original),
    RESERVE_RATIO: share(previous.reserve_balance, state.pool_balance),
    PAYMENT_RATE: share(principalCollected(collateral), previous.pool_balance) / months,
    PERIOD: period,
    DATE: dayNumber(payment_date),
    INTEREST_SHORTFALL: addCents(...Object.values(previous.tranches).map(({ shortfall }) => shortfall)),
    NOTE_BALANCE: notesBalance(structure, previous),
    PRINCIPAL_SHORTFALL: Number.NaN,
    NET_LOSS_12M: state.recent_losses ? share(addCents(...state.recent_losses), previous.pool_original) : Number.NaN,
  };
}

/** Fees of the period: in one figure, or those that a report names, without what was unpaid before. */
function feesAccrued({ fees: unpaid = {} }: RemittanceState, { collateral, fees = [] }: Remittance): number {
  if (collateral.fees !== undefined) return collateral.fees;
  const accrued = fees.map(({ fee, due, paid = 0 }) => (due === undefined ? paid : Math.max(0, due - (unpaid[fee] ?? 0))));
  return addCents(...accrued);
}

function notesBalance(structure: Structure, state: RemittanceState): number {
  const notes = structure.tranches.filter((tranche) => isNote(structure, tranche));
  return addCents(...notes.map(({ tranche }) => state.tranches[tranche]?.balance ?? 0));
}

function share(amount: number, base: number): number {
  return base > 0 ? (100 * amount) / base : Number.NaN;
}

function percent(amount: number, base: number): number | null {
  return readable(share(amount, base));
}

function ratio(amount: number, base: number): number | null {
  return base > 0 ? roundHalfEven(amount / base, 8) : null;
}

/** Annual percent of a rate over the months of a period. */
function annualPercent(amount: number, base: number, months: number): number | null {
  if (base <= 0) return null;
  const monthly = 1 - (1 - Math.min(1, amount / base)) ** (1 / months);
  return roundHalfEven(100 * annualFromMonthly(monthly), 6);
}
