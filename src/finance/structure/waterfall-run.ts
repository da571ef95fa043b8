import type { CompiledSize, CompiledStructure } from './compiled-structure.ts';
import { createFlows, type WaterfallFlows } from './flows.ts';
import { METRICS } from './structure.ts';
import { newTriggerState, resetTriggerState, type TriggerState } from './triggers.ts';

/** Half a cent: a balance below it counts as paid in full. */
export const CENTS_TOLERANCE = 0.005;

/** The mutable state of a waterfall run. It is created once and reused, so that thousands of paths allocate nothing. */
export type WaterfallRun = {
  structure: CompiledStructure;
  flows: WaterfallFlows;
  triggers: TriggerState;
  /** Metrics of the period, in the order of `METRICS`. */
  metrics: Float64Array;
  /** By tranche: current balance, unpaid cash interest, interest due in the period, amounts paid in the period. */
  balance: Float64Array;
  interestUnpaid: Float64Array;
  interestDue: Float64Array;
  interestPaid: Float64Array;
  principalPaid: Float64Array;
  /** Interest that the period accrues, whether paid in cash or added to the balance. */
  accrued: Float64Array;
  /** Balance written off to date, by tranche. */
  writtenOff: Float64Array;
  /** Unpaid amount by fee. */
  feeUnpaid: Float64Array;
  /** Current balance by account. */
  account: Float64Array;
  /** Index of the payment period, 0 is the first. */
  periodIndex: number;
  /** Cash of the period that no step has paid out yet. */
  availableCash: number;
  /** Principal part of the cash of the period, and the part of it that PRINCIPAL steps have paid. */
  principalAvailable: number;
  principalSpent: number;
  /** Result of the step in progress, overwritten by every step. */
  payment: StepPayment;
  poolBeginning: number;
  poolCurrent: number;
  pending: number;
  interestCollected: number;
  principalCollected: number;
  /** Scheduled and prepaid principal. */
  payments: number;
  loss: number;
  lossToDate: number;
  feesAccrued: number;
  feesPaid: number;
  drawn: number;
  released: number;
  deposited: number;
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
  return {
    structure,
    flows: createFlows(structure),
    triggers: newTriggerState(structure.triggers),
    metrics: new Float64Array(METRICS.length),
    balance: byTranche(),
    interestUnpaid: byTranche(),
    interestDue: byTranche(),
    interestPaid: byTranche(),
    principalPaid: byTranche(),
    accrued: byTranche(),
    writtenOff: byTranche(),
    feeUnpaid: new Float64Array(structure.fees.length),
    account: new Float64Array(structure.accounts.length),
    periodIndex: 0,
    availableCash: 0,
    principalAvailable: 0,
    principalSpent: 0,
    payment: { due: 0, paid: 0, drawn: 0 },
    poolBeginning: 0,
    poolCurrent: 0,
    pending: 0,
    interestCollected: 0,
    principalCollected: 0,
    payments: 0,
    loss: 0,
    lossToDate: 0,
    feesAccrued: 0,
    feesPaid: 0,
    drawn: 0,
    released: 0,
    deposited: 0,
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
  run.interestUnpaid.fill(0);
  run.writtenOff.fill(0);
  run.feeUnpaid.fill(0);
  run.lossToDate = 0;
  run.calling = false;
  run.flows.calledAt = -1;
  run.flows.callShort = null;
  resetTriggerState(run.triggers);
}

/** Current balance of the tranches that are not residual. */
export function notesNow(run: WaterfallRun): number {
  const { tranches } = run.structure;
  let sum = 0;
  for (let index = 0; index < tranches.length; index++) {
    if (!tranches[index].residual) sum += run.balance[index];
  }
  return sum;
}

/** Current balance of all accounts. */
export function accountsNow(run: WaterfallRun): number {
  let sum = 0;
  for (let index = 0; index < run.account.length; index++) sum += run.account[index];
  return sum;
}

/** A size in currency units at this point in the period. */
export function sizeNow(run: WaterfallRun, size: CompiledSize): number {
  return size.share === 0 ? size.fixed : size.fixed + size.share * baseNow(run, size.base);
}

function baseNow(run: WaterfallRun, base: CompiledSize['base']): number {
  switch (base) {
    case 'POOL_ORIGINAL':
      return run.structure.poolOriginal;
    case 'POOL_BEGINNING':
      return run.poolBeginning;
    case 'POOL_CURRENT':
      return run.poolCurrent;
    case 'NOTES_ORIGINAL':
      return run.structure.notesOriginal;
    case 'NOTES':
      return notesNow(run);
  }
}
