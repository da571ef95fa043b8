import { daysBetween } from '../dates.ts';
import { fromCents, roundHalfEven, roundToCent, toCents } from '../money.ts';
import { indexOf, withOwnIndices } from './accrual-coupons.ts';
import { accrualStartOf, followedIndices } from './compiled-coupon.ts';
import { readsBase, readsNetRate } from './amount-faults.ts';
import { periodsUpTo, recomputePeriod, type RecomputedPeriod, type ReportedPeriod } from './certificate.ts';
import type { DealState } from './deal-state.ts';
import { fromUnit } from './unit.ts';
import type { WaterfallRun } from './waterfall-run.ts';
import { calendarDates, type PoolDates } from './periods.ts';
import { addCents, type Remittance, type RemittanceState } from './remittance.ts';
import { findIndices, type RecordedFixing, type RecordedFixings, type ReportedIndices } from './report-indices.ts';
import { incomeTo, isResidual, type Structure } from './structure.ts';
import { limitsPaidIn, reportedOn, rollFees, type TriggerReading } from './roll-forward.ts';
import { storedTriggerState } from './triggers.ts';
import { tieBalance } from './rows.ts';
import { endingPoolOf, principalCollected, recoveriesOf, type RemittanceFinding, reportedShortfall } from './tie-remittance.ts';

/*
 * A servicer's report beside the waterfall of its payment date, run on the cash that it reports.
 */

export const LINES = [
  'INTEREST',
  'PRINCIPAL',
  'ENDING_BALANCE',
  'CARRY_OVER',
  'WRITE_DOWN',
  'FEE_DUE',
  'FEE_PAID',
  'STEP',
  'ACCOUNT_DRAW',
  'ACCOUNT_DEPOSIT',
  'ACCOUNT_RELEASE',
  'ACCOUNT_CLOSING',
  'RESIDUAL',
  'TRIGGER',
  'PAYMENT_DATE',
  'TIE',
] as const;

/** A reported figure and the one that the structure gives; money in currency units, a trigger 1 or 0, a date as text. */
export type VerificationLine = {
  what: (typeof LINES)[number];
  tranche?: string;
  /** JSON path of the figure in the report. */
  path: string;
  reported: number | string;
  /** Null where an input of it is missing. */
  expected: number | string | null;
  /** Reported less expected: money, or days; null with `expected`. */
  difference: number | null;
  /** Step of the waterfall that pays it, and where the documents say it. */
  step: string | null;
  clause: string | null;
};

export const VERIFICATION_STATUSES = ['AGREES', 'DIFFERS', 'PARTIAL'] as const;

export type Verification = {
  /** DIFFERS: a difference is not 0. PARTIAL: a figure could not be computed, or no cash was reported. */
  status: (typeof VERIFICATION_STATUSES)[number];
  lines: VerificationLine[];
  /** Inputs without which nothing could be computed. */
  missing: string[];
  /** Recorded fixings in the place of those that the report does not give; absent where there are none. */
  recorded_fixings?: RecordedFixing[];
};

export type VerifiedReport = { verification: Verification; recomputed: RecomputedPeriod | null };

/** Triggers before the payment as a report has them. */
export type TriggerStates = readonly { trigger: string; on: boolean }[];

type VerifyingWith = {
  findings?: readonly RemittanceFinding[];
  recorded?: RecordedFixings;
  triggerState?: TriggerStates;
};

/**
 * Runs the waterfall on the cash of a report from the state before it, and puts every reported figure beside the one that follows.
 * `findings` are the identities that the report breaks; each is a line too. `recorded` are the fixings for floaters of which the report gives
 * neither fixing nor rate.
 */
export function verifyReport(
  structure: Structure,
  dates: PoolDates,
  state: RemittanceState,
  report: Remittance,
  { findings = [], recorded = {}, triggerState = [] }: VerifyingWith = {},
): VerifiedReport {
  const indices = findIndices(structure, dates, state, report, recorded);
  const disorder = findDisorder(structure, dates, state, report);
  const missing = [...disorder, ...findMissingInputs(structure, state, report, indices)];
  const reported = reportedPeriod(structure, state, report, indices);
  const run = (period: ReportedPeriod) => recomputePeriod(withOwnIndices(structure), dates, state, period);
  const recomputed = missing.length === 0 ? run(reported) : null;
  const compare = (result: Recomputed): VerificationLine[] => [
    ...compareTranches(structure, report, result),
    ...compareFees(structure, report, result),
    ...compareSteps(report, result),
    ...compareAccounts(structure, report, result),
    ...compareTriggers(report, result),
  ];
  const compared =
    recomputed || !report.available || disorder.length > 0
      ? compare(recomputed)
      : supposedLines(assumptions(structure, state, reported), (period) => compare(run(period)));
  const lines = [
    ...compareDate(structure, dates, report),
    ...compareOpening(state, report),
    ...compared,
    ...compareEvents(structure, report),
    ...compareTriggerState(structure, state, triggerState),
    ...findings.flatMap(tieLine),
    ...indices.differing.map(fixingLine),
    ...compareFixings(structure, report),
    ...compareRates(report),
    ...tieCash(structure, report),
  ];
  const verification: Verification = { status: statusOf(lines, structure, report, recomputed), lines, missing };
  if (recomputed && indices.taken.length > 0) verification.recorded_fixings = [...indices.taken];
  return { verification, recomputed };
}

function statusOf(
  lines: readonly VerificationLine[],
  structure: Structure,
  report: Remittance,
  recomputed: Recomputed,
): Verification['status'] {
  if (report.available && lines.some(({ difference }) => difference !== null && difference !== 0)) return 'DIFFERS';
  const reported = new Set(report.tranches.map(({ tranche }) => tranche));
  const isWhole = structure.tranches.every((each) => reported.has(each.tranche) || isResidual(structure, each));
  return recomputed === null || lines.some(({ expected }) => expected === null) || !isWhole ? 'PARTIAL' : 'AGREES';
}

/** Of the most that a missing input may be. A class may be paid nothing at both ends: it earns nothing, or those before it take the cash. */
const SUPPOSED_PARTS = [0, 0.2, 0.4, 0.6, 0.8, 1];
/** Percent a year. */
const HIGHEST_INDEX = 10;

/** The period with what it lacks, from the least that it may be to the most. */
function assumptions(structure: Structure, state: RemittanceState, period: ReportedPeriod): ReportedPeriod[] {
  const floaters = structure.tranches.flatMap(({ coupon }, place) => (coupon?.type === 'FLOATING' ? [indexOf(place)] : []));
  // Loans net no more than they were paid.
  const netWac = Math.max(HIGHEST_INDEX, state.pool_balance > 0 ? (1200 * period.interest) / state.pool_balance : 0);
  return SUPPOSED_PARTS.map((part) => {
    const balance = part * period.poolEnding;
    const [of30, of60, of90] = period.delinquent;
    return {
      ...period,
      fixings: { ...Object.fromEntries(floaters.map((name) => [name, part * HIGHEST_INDEX])), ...period.fixings },
      netWac: period.netWac ?? part * netWac,
      adjustment: period.adjustment ?? balance,
      adjustmentOriginal: period.adjustmentOriginal ?? balance,
      delinquent: [of30 ?? balance, of60 ?? balance, of90 ?? balance],
    };
  });
}

/** The lines of a period that lacks something: those which it changes have nothing to expect. */
function supposedLines(
  periods: readonly ReportedPeriod[],
  compare: (period: ReportedPeriod) => VerificationLine[],
): VerificationLine[] {
  const supposed = periods.map(compare);
  const lines = alike(supposed);
  if (!lines.some(({ what, expected }) => expected === null && (what === 'INTEREST' || what === 'CARRY_OVER'))) return lines;
  // Between these interest and what caps cut of it round apart: whoever takes what is left gets a cent more or less.
  const apart = [CENT, -CENT].flatMap((cent) =>
    periods.map((period) => compare({ ...period, interest: Math.max(0, addCents(period.interest, cent)) })),
  );
  return alike([...supposed, ...apart]);
}

const CENT = 0.01;

function alike([first = [], ...others]: readonly VerificationLine[][]): VerificationLine[] {
  return first.map((each, place) =>
    others.every((lines) => lines[place]?.expected === each.expected) ? each : { ...each, expected: null, difference: null },
  );
}

/** An event of a trigger that no report declares cannot have happened as it says. */
function compareEvents(structure: Structure, { events = [] }: Remittance): VerificationLine[] {
  const known = new Set((structure.triggers ?? []).filter(({ declared }) => declared).map(({ trigger }) => trigger));
  return events.flatMap(({ trigger, on }, place) =>
    known.has(trigger) ? [] : [line({ what: 'TRIGGER', path: `events[${place}].on` }, Number(on), null)],
  );
}

/** Triggers that a report has otherwise than the state from which the waterfall is run, and those that the structure does not have. */
function compareTriggerState({ triggers = [] }: Structure, state: RemittanceState, reported: TriggerStates): VerificationLine[] {
  return reported.flatMap(({ trigger, on }, place) => {
    const index = triggers.findIndex((each) => each.trigger === trigger);
    const expected = index === -1 ? null : state.triggers.on[index];
    return expected === Number(on) ? [] : [line({ what: 'TRIGGER', path: `trigger_state[${place}].on` }, Number(on), expected)];
  });
}

/** Of a fixing of an index that nothing of the deal follows there is nothing to expect: most often its name is misspelt. */
function compareFixings(structure: Structure, { fixings = {} }: Remittance): VerificationLine[] {
  const followed = followedIndices(structure);
  return Object.entries(fixings)
    .filter(([index]) => !followed.includes(index))
    .map(([index, rate]) => unread(`fixings.${index}`, rate));
}

/** NET_WAC is the only rate of a report that is read. */
const compareRates = ({ rates = {} }: Remittance): VerificationLine[] =>
  Object.entries(rates)
    .filter(([name]) => name !== 'NET_WAC')
    .map(([name, rate]) => unread(`rates.${name}`, rate));

const unread = (path: string, reported: number | string): VerificationLine => ({
  what: 'TIE',
  path,
  reported,
  expected: null,
  difference: null,
  step: null,
  clause: null,
});

/** What keeps a payment from following the one before: no accrual ends before it begins. */
function findDisorder(
  structure: Structure,
  dates: PoolDates,
  state: RemittanceState,
  { period, payment_date: paymentDate }: Remittance,
): string[] {
  if (period !== state.period + 1) return ['period'];
  if (period === 1 && structure.payment?.first_accrual !== 'ACTUAL') return [];
  const periods = periodsUpTo(structure, dates, state, { period, paymentDate });
  return paymentDate > accrualStartOf(periods, period - 1) ? [] : ['payment_date'];
}

/** What a report lacks for its waterfall to be run. */
function findMissingInputs(structure: Structure, state: RemittanceState, report: Remittance, indices: ReportedIndices): string[] {
  if (!report.available) return ['available'];
  const { collateral, rates = {} } = report;
  const missing: string[] = [];
  missing.push(...indices.unknown.map((index) => `fixings.${index}`));
  if (readsNetRate(structure) && rates.NET_WAC === undefined) missing.push('rates.NET_WAC');
  const { adjustment } = structure.pool ?? {};
  const ofLoans = adjustment !== undefined && !Array.isArray(adjustment);
  if (ofLoans && collateral.adjustment === undefined) missing.push('collateral.adjustment');
  if (ofLoans && readsBase(structure, 'POOL_ADJUSTED_ORIGINAL')) {
    const known = collateral.adjustment_original ?? state.adjustment_original;
    if (known === undefined) missing.push('collateral.adjustment_original');
  }
  for (const [bucket, days] of [30, 60, 90].entries()) {
    if (readsBase(structure, `DELINQUENT_${days}`) && delinquentOf(report)[bucket] === null)
      missing.push(`collateral.delinquent_${days}_amount`);
  }
  return [...new Set(missing)];
}

function reportedPeriod(
  structure: Structure,
  state: RemittanceState,
  report: Remittance,
  indices: ReportedIndices,
): ReportedPeriod {
  const { collateral, available, fees = [] } = report;
  const { interest = 0, principal = 0, recoveries = 0, repurchases = 0, other = 0 } = available ?? {};
  const earned = earnedOf(report);
  const { gross_losses = 0, net_losses, adjustment } = collateral;
  return {
    period: report.period,
    paymentDate: report.payment_date,
    poolEnding: endingPoolOf(report) ?? 0,
    // What accounts earned for the pot is credited to it from them.
    interest: addCents(interest, incomeOf(structure, report), -earnedForPot(structure, earned), other),
    principal: addCents(principal, recoveries, repurchases),
    scheduled: collateral.scheduled_principal ?? principalCollected(collateral),
    prepaid: collateral.scheduled_principal === undefined ? 0 : (collateral.prepayments ?? 0),
    recovered: recoveriesOf(report),
    loss: net_losses ?? addCents(gross_losses, -recoveriesOf(report)),
    earned,
    // What is due has in it what was unpaid before.
    billed: Object.fromEntries(fees.map(({ fee, due = 0 }) => [fee, Math.max(0, addCents(due, -(state.fees?.[fee] ?? 0)))])),
    fixings: Object.fromEntries(
      indices.byTranche.flatMap((rate, place) => (rate === null ? [] : [[indexOf(place), rate] as const])),
    ),
    netWac: report.rates?.NET_WAC ?? null,
    adjustment: adjustment ?? null,
    adjustmentOriginal: collateral.adjustment_original ?? null,
    delinquent: delinquentOf(report),
    events: report.events ?? [],
    call: report.call?.exercised ? { proceeds: report.call.proceeds ?? 0 } : null,
  };
}

const earnedOf = ({ accounts = [] }: Remittance): Readonly<Record<string, number>> =>
  Object.fromEntries(accounts.map(({ account, earned = 0 }) => [account, earned]));

/** What the accounts whose income joins the pot earned. */
function earnedForPot({ accounts = [] }: Structure, earned: Readonly<Record<string, number>>): number {
  const forPot = accounts.filter((account) => incomeTo(account) === 'POT');
  return addCents(...forPot.map(({ account }) => (Object.hasOwn(earned, account) ? earned[account] : 0)));
}

/** Income that joins the pot: as a report has it available, also from accounts that the structure does not name, else what accounts earned for it. */
const incomeOf = (structure: Structure, report: Remittance): number =>
  report.available?.income ?? earnedForPot(structure, earnedOf(report));

/** Balances delinquent, each with the worse ones: as amounts, or by percent of the ending pool. */
function delinquentOf(report: Remittance): [number | null, number | null, number | null] {
  const { collateral } = report;
  const pool = endingPoolOf(report) ?? 0;
  const ofPool = (percent: number | undefined) => (percent === undefined ? undefined : (percent * pool) / 100);
  const buckets = [
    collateral.delinquent_30_amount ?? ofPool(collateral.delinquent_30),
    collateral.delinquent_60_amount ?? ofPool(collateral.delinquent_60),
    collateral.delinquent_90_amount ?? ofPool(collateral.delinquent_90),
  ];
  const from = (place: number) =>
    buckets[place] === undefined ? null : buckets.slice(place).reduce<number>((sum, amount = 0) => sum + amount, 0);
  return [from(0), from(1), from(2)];
}

type Facts = Omit<VerificationLine, 'reported' | 'expected' | 'difference' | 'step' | 'clause'> &
  Partial<Pick<VerificationLine, 'step' | 'clause'>>;

/** How reports round what a structure does not. */
const ROUNDING = 'HALF_UP';

/** A line of money; `expected` null where it could not be computed. */
function line(facts: Facts, reported: number, expected: number | null): VerificationLine {
  const known = expected !== null && Number.isFinite(expected) ? roundToCent(expected, ROUNDING) : null;
  return {
    ...facts,
    reported,
    expected: known,
    difference: known === null ? null : fromCents(toCents(reported) - toCents(known)),
    step: facts.step ?? null,
    clause: facts.clause ?? null,
  };
}

type Recomputed = RecomputedPeriod | null;

/** The last step of a kind that pays a payee by name. */
function stepFor(recomputed: Recomputed, pay: string, name: string): Pick<VerificationLine, 'step' | 'clause'> {
  const step = recomputed?.trace.steps.findLast((each) => each.pay === pay && each.to.includes(name) && each.active);
  return { step: step?.name ?? null, clause: step?.clause ?? null };
}

function compareDate(structure: Structure, dates: PoolDates, { period, payment_date }: Remittance): VerificationLine[] {
  const expected = calendarDates(structure, dates, period).at(-1) ?? null;
  const difference = expected === null ? null : daysBetween(expected, payment_date);
  return [{ what: 'PAYMENT_DATE', path: 'payment_date', reported: payment_date, expected, difference, step: null, clause: null }];
}

/** What was unpaid before the payment, where a report has another figure of it than the deal. */
function compareOpening(
  { period, tranches: before, fees: unpaid = {} }: RemittanceState,
  report: Remittance,
): VerificationLine[] {
  const { tranches, fees = [] } = report;
  // At closing nothing is unpaid; later what no report said and no waterfall gave is not known.
  const owed = (amount: number | undefined) => amount ?? (period === 0 ? 0 : undefined);
  const differing = (
    path: string,
    reported: number | undefined,
    expected: number | undefined,
    tranche?: string,
  ): VerificationLine[] =>
    reported === undefined || expected === undefined || toCents(reported) === toCents(expected, ROUNDING)
      ? []
      : [line({ what: 'TIE', path, ...(tranche === undefined ? {} : { tranche }) }, reported, expected)];
  return [
    ...tranches.flatMap(({ tranche, beginning_shortfall, beginning_carry_over }, place) => {
      const known = Object.hasOwn(before, tranche) ? before[tranche] : undefined;
      if (!known) return [];
      const path = `tranches[${place}]`;
      return [
        ...differing(`${path}.beginning_shortfall`, beginning_shortfall, known.shortfall, tranche),
        ...differing(`${path}.beginning_carry_over`, beginning_carry_over, owed(known.carry_over), tranche),
      ];
    }),
    ...fees.flatMap(({ fee, beginning_unpaid }, place) =>
      differing(`fees[${place}].beginning_unpaid`, beginning_unpaid, owed(Object.hasOwn(unpaid, fee) ? unpaid[fee] : undefined)),
    ),
  ];
}

function compareTranches(structure: Structure, report: Remittance, recomputed: Recomputed): VerificationLine[] {
  const { run } = recomputed ?? {};
  const unit = run?.structure.unit ?? 1;
  return report.tranches.flatMap((row, place) => {
    const index = structure.tranches.findIndex(({ tranche }) => tranche === row.tranche);
    const of = (amounts: Float64Array | undefined) => (amounts && index !== -1 ? fromUnit(amounts[index], unit) : null);
    const state = recomputed?.state.tranches[row.tranche];
    const moves = index === -1 ? null : movesOf(run, index);
    const paidBy = index !== -1 && isResidual(structure, structure.tranches[index]) ? 'RESIDUAL' : 'INTEREST';
    const interest = stepFor(recomputed, paidBy, row.tranche);
    const principal = stepFor(recomputed, 'PRINCIPAL', row.tranche);
    const carryOver = stepFor(recomputed, 'CARRY_OVER', row.tranche);
    const lines: VerificationLine[] = [];
    const add = (
      field: keyof typeof row,
      what: VerificationLine['what'],
      expected: number | null,
      step: Partial<VerificationLine> = {},
    ) => {
      const reported = row[field];
      if (typeof reported === 'number')
        lines.push(line({ what, tranche: row.tranche, path: `tranches[${place}].${field}`, ...step }, reported, expected));
    };
    add('interest_due', 'INTEREST', of(run?.interestDue), interest);
    add('interest_paid', 'INTEREST', of(run?.interestPaid), interest);
    add('interest_shortfall', 'INTEREST', state?.shortfall ?? null, interest);
    add('accreted', 'INTEREST', moves?.accreted ?? null);
    if (row.rate !== undefined)
      lines.push(rateLine(row.rate, `tranches[${place}].rate`, row.tranche, run && index !== -1 ? run.coupon[index] : null));
    add('principal_paid', 'PRINCIPAL', moves?.principal ?? null, principal);
    add('write_down', 'WRITE_DOWN', moves?.writeDown ?? null);
    add('carry_over_paid', 'CARRY_OVER', of(run?.carryOverPaid), carryOver);
    add('carry_over_closing', 'CARRY_OVER', state?.carry_over ?? null, carryOver);
    add('ending_balance', 'ENDING_BALANCE', state?.balance ?? null, principal);
    return lines;
  });
}

/** How the balance of a tranche moves: in cents that lead from its opening to its closing balance, so that the figures can be reported. */
function movesOf(run: WaterfallRun | undefined, index: number): Record<'accreted' | 'principal' | 'writeDown', number> | null {
  const flows = run?.flows.tranches[index];
  if (!run || !flows) return null;
  const { unit, tranches } = run.structure;
  if (unit !== 1 || tranches[index].notional) {
    const of = (amounts: Float64Array) => fromUnit(amounts[run.periodIndex], unit);
    return { accreted: of(flows.accreted), principal: of(flows.principal), writeDown: of(flows.writeDown) };
  }
  const cents = (amounts: Float64Array) => toCents(amounts[run.periodIndex], ROUNDING);
  const moves = tieBalance(flows, run.periodIndex, cents(flows.opening), cents(flows.closing));
  return { accreted: fromCents(moves.accreted), principal: fromCents(moves.principal), writeDown: fromCents(moves.writeDown) };
}

/** Decimals to which coupons are reported. */
const RATE_DECIMALS = 5;

function rateLine(reported: number, path: string, tranche: string, coupon: number | null): VerificationLine {
  const expected = coupon === null || !Number.isFinite(coupon) ? null : roundHalfEven(coupon, RATE_DECIMALS);
  const difference = expected === null ? null : roundHalfEven(reported - expected, RATE_DECIMALS);
  return { what: 'INTEREST', tranche, path, reported, expected, difference, step: null, clause: null };
}

/** The fixing that counts for an accrual, beside another that differs from it. */
const fixingLine = ({ index, counts, other, difference }: ReportedIndices['differing'][number]): VerificationLine => ({
  what: 'TIE',
  path: `fixings.${index}`,
  reported: counts,
  expected: other,
  difference,
  step: null,
  clause: null,
});

function compareFees(structure: Structure, { fees = [], collateral }: Remittance, recomputed: Recomputed): VerificationLine[] {
  const { run } = recomputed ?? {};
  const unit = run?.structure.unit ?? 1;
  const lines = fees.flatMap(({ fee, due, paid }, place) => {
    const index = (structure.fees ?? []).findIndex((each) => each.fee === fee);
    const known = run !== undefined && index !== -1;
    const wasPaid = known ? fromUnit(run.feePaid[index], unit) : null;
    const wasDue = known ? fromUnit(run.feePaid[index] + run.feeUnpaid[index], unit) : null;
    const step = stepFor(recomputed, 'FEE', fee);
    return [
      ...(due === undefined ? [] : [line({ what: 'FEE_DUE', path: `fees[${place}].due`, ...step }, due, wasDue)]),
      ...(paid === undefined ? [] : [line({ what: 'FEE_PAID', path: `fees[${place}].paid`, ...step }, paid, wasPaid)]),
    ];
  });
  if (collateral.fees === undefined) return lines;
  return [
    ...lines,
    line({ what: 'FEE_PAID', path: 'collateral.fees' }, collateral.fees, run ? fromUnit(run.feesPaid, unit) : null),
  ];
}

function compareSteps({ steps = [], residual }: Remittance, recomputed: Recomputed): VerificationLine[] {
  const performed = recomputed?.trace.steps;
  const lines = steps.map(({ step: name, amount }, place) => {
    const step = performed?.find((each) => each.name === name);
    return line(
      { what: 'STEP', path: `steps[${place}].amount`, step: name, clause: step?.clause ?? null },
      amount,
      step?.paid ?? null,
    );
  });
  if (residual === undefined) return lines;
  const paying = performed?.filter(({ pay }) => pay === 'RESIDUAL');
  const last = paying?.at(-1);
  const expected = paying ? addCents(...paying.map(({ paid }) => paid)) : null;
  return [
    ...lines,
    line({ what: 'RESIDUAL', path: 'residual', step: last?.name ?? null, clause: last?.clause ?? null }, residual, expected),
  ];
}

const ACCOUNT_FIGURES = [
  ['draw', 'ACCOUNT_DRAW', 'drawn'],
  ['deposit', 'ACCOUNT_DEPOSIT', 'deposited'],
  ['release', 'ACCOUNT_RELEASE', 'released'],
  ['closing', 'ACCOUNT_CLOSING', 'closing'],
] as const;

function compareAccounts(
  structure: Structure,
  { accounts = [], collateral }: Remittance,
  recomputed: Recomputed,
): VerificationLine[] {
  const lines = accounts.flatMap((row, place) => {
    const account = recomputed?.trace.accounts.find((each) => each.account === row.account);
    const step = stepFor(recomputed, 'RESERVE', row.account);
    const figures = ACCOUNT_FIGURES.flatMap(([field, what, own]) => {
      const reported = row[field];
      return reported === undefined
        ? []
        : [line({ what, path: `accounts[${place}].${field}`, ...step }, reported, account?.[own] ?? null)];
    });
    return row.opening === undefined || account?.opening === row.opening
      ? figures
      : [...figures, line({ what: 'TIE', path: `accounts[${place}].opening` }, row.opening, account?.opening ?? null)];
  });
  if (collateral.reserve_balance === undefined || (structure.accounts ?? []).length === 0) return lines;
  const closing = recomputed ? addCents(...recomputed.trace.accounts.map((account) => account.closing)) : null;
  return [...lines, line({ what: 'ACCOUNT_CLOSING', path: 'collateral.reserve_balance' }, collateral.reserve_balance, closing)];
}

function compareTriggers({ period, triggers = [] }: Remittance, recomputed: Recomputed): VerificationLine[] {
  return triggers.map(({ trigger, on }, place) => {
    const found = recomputed?.trace.triggers.find((each) => each.trigger === trigger);
    const tests = recomputed?.run.structure.triggers.find(({ name }) => name === trigger)?.tests;
    // A test without its figure leaves a trigger as it was, which says nothing about what it should be; before the first payment there is none.
    const isTested = found?.tests.every(
      ({ value, threshold }, index) =>
        value !== null || threshold === null || (period === 1 && tests?.[index]?.ratio?.afterPayment === true),
    );
    const expected = found && isTested ? Number(found.on) : null;
    return line({ what: 'TRIGGER', path: `triggers[${place}].on` }, Number(on), expected);
  });
}

/** An identity that the report breaks; of a text there is nothing to compare, and a figure that is missing has no line. */
function tieLine({ path, expected, actual, text }: RemittanceFinding): VerificationLine[] {
  if (text !== undefined) return [unread(path, text)];
  return expected === undefined || actual === undefined ? [] : [line({ what: 'TIE', path }, actual, expected)];
}

/** Cash in is cash out: what was available and drawn, against what fees, tranches, accounts and the residual got. */
function tieCash(structure: Structure, report: Remittance): VerificationLine[] {
  const { available, fees, residual, accounts = [], tranches, call } = report;
  const isWhole = available && residual !== undefined && (fees !== undefined || (structure.fees ?? []).length === 0);
  const everyFee = (structure.fees ?? []).every(({ fee }) => fees?.some((each) => each.fee === fee && each.paid !== undefined));
  const everyAccount = (structure.accounts ?? []).every(({ account }) => accounts.some((each) => each.account === account));
  if (!isWhole || !everyFee || !everyAccount) return [];
  const residuals = new Set(structure.tranches.filter((each) => isResidual(structure, each)).map(({ tranche }) => tranche));
  const { interest, principal, recoveries = 0, repurchases = 0, other = 0 } = available;
  const proceeds = call?.exercised ? (call.proceeds ?? 0) : 0;
  const toPot = new Set(
    (structure.accounts ?? []).filter(({ release_to = 'POT' }) => release_to === 'POT').map(({ account }) => account),
  );
  const inflow = addCents(
    interest,
    principal,
    recoveries,
    repurchases,
    incomeOf(structure, report),
    other,
    proceeds,
    ...accounts.flatMap(({ account, draw = 0, release = 0 }) => [draw, toPot.has(account) ? release : 0]),
  );
  const outflow = addCents(
    ...(fees ?? []).map(({ paid = 0 }) => paid),
    ...accounts.map(({ deposit = 0 }) => deposit),
    ...tranches.flatMap((row) => [
      residuals.has(row.tranche) ? 0 : row.interest_paid,
      row.principal_paid,
      row.carry_over_paid ?? 0,
    ]),
  );
  const left = addCents(inflow, -outflow);
  return toCents(left) === toCents(residual) ? [] : [line({ what: 'TIE', path: 'residual' }, residual, left)];
}

/** The state after a report: its own figures, and for what it does not report those that follow from the waterfall. */
export function stateAfter(
  before: RemittanceState,
  rolled: RemittanceState,
  recomputed: Recomputed,
  report: Remittance,
): RemittanceState {
  if (!recomputed) return rolled;
  const { state } = recomputed;
  const tranches = Object.entries(rolled.tranches).map(([name, tranche]) => {
    const row = report.tranches.find((each) => each.tranche === name);
    const own = state.tranches[name];
    const carry_over = row?.carry_over_closing ?? own?.carry_over ?? 0;
    const shortfall = (row && reportedShortfall(row)) ?? own?.shortfall ?? tranche.shortfall;
    const written_down = (row?.write_down === undefined ? own?.written_down : tranche.written_down) ?? 0;
    return [name, { ...tranche, shortfall, carry_over, written_down }] as const;
  });
  const accounts = Object.entries(state.accounts ?? {}).map(([name, account]) => {
    const closing = report.accounts?.find((each) => each.account === name)?.closing;
    return [name, closing === undefined ? account : { ...account, balance: closing }] as const;
  });
  const { pool_balance, pool_original, cumulative_net_loss_amount, called_in } = rolled;
  return {
    ...state,
    ...rollFees(state, report),
    ...rollLimits(before, state, recomputed, report),
    ...(before.without_waterfall === undefined ? {} : { without_waterfall: before.without_waterfall }),
    ...(called_in === undefined ? {} : { called_in }),
    pool_balance,
    pool_original,
    cumulative_net_loss_amount,
    reserve_balance: report.collateral.reserve_balance ?? addCents(...accounts.map(([, { balance }]) => balance)),
    tranches: Object.fromEntries(tranches),
    accounts: Object.fromEntries(accounts),
    triggers: {
      ...state.triggers,
      on: recomputed.run.structure.triggers.map(({ name }, index) => {
        const own = reportedOn(name, false, report);
        return own === undefined ? state.triggers.on[index] : Number(own);
      }),
    },
  };
}

/** What limits of a year have paid, with what the report says of their steps. */
function rollLimits(
  before: RemittanceState,
  { limits }: DealState,
  { run }: RecomputedPeriod,
  { steps = [] }: Remittance,
): Pick<DealState, 'limits'> {
  if (!limits) return {};
  const earlier = limitsPaidIn(before, limits.year);
  const reported = steps.flatMap(({ step, amount }) =>
    run.structure.steps.some(({ name, limitPerYear }) => limitPerYear && name === step)
      ? [[step, addCents(earlier[step] ?? 0, amount)] as const]
      : [],
  );
  return { limits: { ...limits, paid: { ...limits.paid, ...Object.fromEntries(reported) } } };
}

/** The triggers of a recomputed payment date as readings. */
export function triggerReadings(
  { trace, run }: RecomputedPeriod,
  before: RemittanceState,
  after: RemittanceState,
): TriggerReading[] {
  return trace.triggers.map(({ trigger, tests }, index) => {
    const on = after.triggers.on[index] === 1;
    const wasOn = storedTriggerState(before.triggers, run.structure.triggers).on[index] === 1;
    return {
      trigger,
      on,
      newly_on: on && !wasOn,
      tests: tests.map(({ value, ...test }) => ({ ...test, actual: value })),
    };
  });
}

/** The state that a report says it starts from, for one that is verified by itself. */
export function reportedOpening(structure: Structure, state: RemittanceState, report: Remittance): RemittanceState {
  const { collateral, tranches, accounts = [], fees = [] } = report;
  const opening: DealState['tranches'] = Object.fromEntries(
    tranches.map((row) => [
      row.tranche,
      { balance: row.beginning_balance, shortfall: row.beginning_shortfall ?? 0, carry_over: row.beginning_carry_over ?? 0 },
    ]),
  );
  const known = new Set((structure.accounts ?? []).map(({ account }) => account));
  return {
    ...state,
    period: report.period - 1,
    payment_date: state.period === report.period - 1 ? state.payment_date : null,
    pool_balance: collateral.beginning_pool_balance ?? collateral.beginning_balance ?? state.pool_balance,
    tranches: { ...state.tranches, ...opening },
    accounts: {
      ...state.accounts,
      ...Object.fromEntries(
        accounts.filter(({ account }) => known.has(account)).map(({ account, opening: balance = 0 }) => [account, { balance }]),
      ),
    },
    fees: Object.fromEntries(fees.map(({ fee, beginning_unpaid = 0 }) => [fee, beginning_unpaid])),
  };
}
