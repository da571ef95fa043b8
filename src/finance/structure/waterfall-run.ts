import type { CompiledStructure } from './compiled-structure.ts';
import { createFlows, type WaterfallFlows } from './flows.ts';
import { newTriggerState, resetTriggerState, type TriggerState } from './triggers.ts';

/** Half a cent: a balance below it counts as paid in full. In a run of whole cents anything below one. */
export const CENTS_TOLERANCE = 0.005;

/**
 * The mutable state of a waterfall run. It is created once and reused, so that thousands of paths allocate nothing. Money is in the unit
 * of the structure: currency units, or whole cents where the structure rounds.
 */
export type WaterfallRun = {
  structure: CompiledStructure;
  flows: WaterfallFlows;
  triggers: TriggerState;
  /** By tranche: current balance, unpaid cash interest, interest due in the period, amounts paid in the period. */
  balance: Float64Array;
  interestUnpaid: Float64Array;
  interestDue: Float64Array;
  interestPaid: Float64Array;
  principalPaid: Float64Array;
  /** Interest that the period accrues, whether paid in cash or added to the balance; the part added. */
  accrued: Float64Array;
  accreted: Float64Array;
  /** Balance before the period, or the notional of a notional tranche; coupon of the period, percent a year. */
  openingBalance: Float64Array;
  coupon: Float64Array;
  /** Interest cut by caps that is still owed, and what of it the period paid. */
  carryOver: Float64Array;
  carryOverPaid: Float64Array;
  /** Balance written off to date and not paid, by tranche. */
  writtenOff: Float64Array;
  /** Principal that the steps of the period paid to the tranche as a member of its group. */
  paidInGroup: Float64Array;
  /** Unpaid amount by fee; what a report bills by fee, 0 without one. */
  feeUnpaid: Float64Array;
  feeAccrued: Float64Array;
  /** The part of it that recurs. */
  feeRecurring: Float64Array;
  feePaid: Float64Array;
  billed: Float64Array;
  /** Current balance by account; the highest target so far; what the period earned, and keeps apart of the pot. */
  account: Float64Array;
  highestTarget: Float64Array;
  accountOpening: Float64Array;
  earned: Float64Array;
  accountDrawn: Float64Array;
  accountDeposited: Float64Array;
  accountReleased: Float64Array;
  apart: Float64Array;
  /** Paid in a calendar year by step, and the year. */
  paidInYear: Float64Array;
  limitYear: number;
  /** Index of the payment period, 0 is the first, and of the period in which the run starts. */
  periodIndex: number;
  startIndex: number;
  /** Cash of the period that no step has paid out yet. */
  availableCash: number;
  /** Principal part of the cash of the period, and the part of it that PRINCIPAL steps have paid. */
  principalAvailable: number;
  principalSpent: number;
  /** Result of the step in progress, overwritten by every step. */
  payment: StepPayment;
  /** Index of the step in progress. */
  stepIndex: number;
  poolBeginning: number;
  poolCurrent: number;
  /** Performing balance from which the run starts. */
  poolAtStart: number;
  /** Adjustment of the pool now and at the cut-off. */
  adjustment: number;
  adjustmentOriginal: number;
  pending: number;
  interestCollected: number;
  principalCollected: number;
  /** Scheduled and prepaid principal. */
  payments: number;
  scheduled: number;
  prepaid: number;
  recovered: number;
  loss: number;
  lossToDate: number;
  /** Losses of the last 12 months, the newest last. */
  recentLosses: number[];
  /** Rate of the loans, weighted by balance, and what of it is left after fees; percent a year. */
  loanRate: number;
  netWac: number;
  /** What the net rate is multiplied with for the day count of the coupon in progress. */
  netWacScale: number;
  /** The net rate as it was reported; null where it is computed. */
  reportedNetWac: number | null;
  /** Balance 30, 60 and 90 or more days delinquent, each with the worse ones; NaN where it is not known. */
  delinquent: Float64Array;
  delinquentPercent: Float64Array;
  /** Interest unpaid after the payment before, by tranche. */
  shortBefore: Float64Array;
  /** Principal that steps owed and did not pay in the period. */
  principalShort: number;
  principalShortBefore: number;
  feesAccrued: number;
  feesPaid: number;
  drawn: number;
  released: number;
  deposited: number;
  /** Released to the holders of the residual, outside the steps and the tranches. */
  releasedApart: number;
  callProceeds: number;
  /** The pool is called in this period. */
  calling: boolean;
  /** This is the last period: no cash follows. */
  last: boolean;
};

/** Amounts of one step: due, paid, and the part of the payment that was drawn from accounts. */
export type StepPayment = { due: number; paid: number; drawn: number };

export function createWaterfallRun(structure: CompiledStructure): WaterfallRun {
  const byTranche = () => new Float64Array(structure.tranches.length);
  const byFee = () => new Float64Array(structure.fees.length);
  const byAccount = () => new Float64Array(structure.accounts.length);
  const byStep = () => new Float64Array(structure.steps.length);
  return {
    structure,
    flows: createFlows(structure),
    triggers: newTriggerState(structure.triggers),
    balance: byTranche(),
    interestUnpaid: byTranche(),
    interestDue: byTranche(),
    interestPaid: byTranche(),
    principalPaid: byTranche(),
    accrued: byTranche(),
    accreted: byTranche(),
    openingBalance: byTranche(),
    coupon: byTranche(),
    carryOver: byTranche(),
    carryOverPaid: byTranche(),
    writtenOff: byTranche(),
    paidInGroup: byTranche(),
    feeUnpaid: byFee(),
    feeAccrued: byFee(),
    feeRecurring: byFee(),
    feePaid: byFee(),
    billed: byFee(),
    account: byAccount(),
    highestTarget: byAccount(),
    accountOpening: byAccount(),
    earned: byAccount(),
    accountDrawn: byAccount(),
    accountDeposited: byAccount(),
    accountReleased: byAccount(),
    apart: byAccount(),
    paidInYear: byStep(),
    limitYear: 0,
    periodIndex: 0,
    startIndex: 0,
    availableCash: 0,
    principalAvailable: 0,
    principalSpent: 0,
    payment: { due: 0, paid: 0, drawn: 0 },
    stepIndex: 0,
    poolBeginning: 0,
    poolCurrent: 0,
    poolAtStart: 0,
    adjustment: 0,
    adjustmentOriginal: 0,
    pending: 0,
    interestCollected: 0,
    principalCollected: 0,
    payments: 0,
    scheduled: 0,
    prepaid: 0,
    recovered: 0,
    loss: 0,
    lossToDate: 0,
    recentLosses: [],
    loanRate: Number.NaN,
    netWac: Number.NaN,
    netWacScale: 1,
    reportedNetWac: null,
    delinquent: new Float64Array(3).fill(Number.NaN),
    delinquentPercent: new Float64Array(3).fill(Number.NaN),
    shortBefore: byTranche(),
    principalShort: 0,
    principalShortBefore: 0,
    feesAccrued: 0,
    feesPaid: 0,
    drawn: 0,
    released: 0,
    deposited: 0,
    releasedApart: 0,
    callProceeds: 0,
    calling: false,
    last: false,
  };
}

/** Resets a run to the closing date: original balances, initial account balances, nothing due. */
export function resetWaterfallRun(run: WaterfallRun): void {
  const { structure } = run;
  for (let index = 0; index < structure.tranches.length; index++) run.balance[index] = structure.tranches[index].original;
  for (let index = 0; index < structure.accounts.length; index++) run.account[index] = structure.accounts[index].initial;
  for (const state of [run.interestUnpaid, run.carryOver, run.writtenOff, run.paidInGroup, run.feeUnpaid, run.billed])
    state.fill(0);
  for (const state of [run.highestTarget, run.apart, run.paidInYear, run.shortBefore]) state.fill(0);
  run.limitYear = 0;
  run.startIndex = structure.periods.start;
  run.poolAtStart = structure.poolOriginal;
  run.lossToDate = 0;
  run.recentLosses = [];
  run.principalShort = 0;
  run.reportedNetWac = null;
  run.adjustmentOriginal = Number.NaN;
  run.calling = false;
  run.flows.calledAt = -1;
  run.flows.callShort = null;
  resetTriggerState(run.triggers);
}

/** An amount that becomes due: rounded to the cent, half up, where the structure rounds. */
export function roundDue({ structure }: WaterfallRun, amount: number): number {
  // A double that is off a half cent by less than this is the half cent.
  return structure.unit === 1 ? amount : Math.floor(amount + 0.5 + HALF_CENT_DOUBT);
}

const HALF_CENT_DOUBT = 1e-6;

/** Current balance of certain tranches, or of those that are neither residual nor notional. */
export function notesNow(run: WaterfallRun, places: readonly number[] | null = null): number {
  if (places) return sumOf(run.balance, places);
  const { tranches } = run.structure;
  let sum = 0;
  for (let index = 0; index < tranches.length; index++) {
    if (!tranches[index].residual) sum += run.balance[index];
  }
  return sum;
}

/** Sum of the amounts at certain places, or of all. */
export function sumOf(values: Float64Array, places: readonly number[] | null = null): number {
  let sum = 0;
  if (places) for (let n = 0; n < places.length; n++) sum += values[places[n]];
  else for (let index = 0; index < values.length; index++) sum += values[index];
  return sum;
}

/** Current balance of all accounts. */
export const accountsNow = (run: WaterfallRun): number => sumOf(run.account);

/** What the accounts earned in the period. */
export const incomeOf = (run: WaterfallRun): number => sumOf(run.earned);
