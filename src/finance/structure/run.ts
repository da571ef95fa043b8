import type { CompiledSize, Deal } from './deal.ts';
import { createFlows, type DealFlows } from './flows.ts';
import { METRICS } from './structure.ts';
import { newTriggerState, resetTriggerState, type TriggerState } from './triggers.ts';

/** Half a cent: a balance below it is paid. */
export const PAID = 0.005;

/** Everything that a run of a deal moves; made once and used again, so that thousands of paths allocate nothing. */
export type Run = {
  deal: Deal;
  flows: DealFlows;
  triggers: TriggerState;
  /** Metrics of the period, in the order of `METRICS`. */
  metrics: Float64Array;
  /** By tranche: balance now, cash interest still due, interest due in the period, paid in the period, balance written off so far. */
  balance: Float64Array;
  interestLeft: Float64Array;
  interestDue: Float64Array;
  interestPaid: Float64Array;
  principalPaid: Float64Array;
  /** Interest that the period accrues, whether paid in cash or added to the balance. */
  accrued: Float64Array;
  writtenOff: Float64Array;
  /** By fee: still due. By account: balance now. */
  feeLeft: Float64Array;
  account: Float64Array;
  /** Of the period. */
  index: number;
  /** The pot. */
  left: number;
  /** Principal items of the pot and what PRINCIPAL steps have paid of them. */
  principalItems: number;
  principalSpent: number;
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
  /** The pool is called in this period; no cash comes after this period. */
  calling: boolean;
  last: boolean;
};

export function createRun(deal: Deal): Run {
  const byTranche = () => new Float64Array(deal.tranches.length);
  return {
    deal,
    flows: createFlows(deal),
    triggers: newTriggerState(deal.triggers),
    metrics: new Float64Array(METRICS.length),
    balance: byTranche(),
    interestLeft: byTranche(),
    interestDue: byTranche(),
    interestPaid: byTranche(),
    principalPaid: byTranche(),
    accrued: byTranche(),
    writtenOff: byTranche(),
    feeLeft: new Float64Array(deal.fees.length),
    account: new Float64Array(deal.accounts.length),
    index: 0,
    left: 0,
    principalItems: 0,
    principalSpent: 0,
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

/** Sets a run to closing: original balances, initial accounts, nothing due. */
export function resetRun(run: Run): void {
  const { deal } = run;
  for (let place = 0; place < deal.tranches.length; place++) run.balance[place] = deal.tranches[place].original;
  for (let place = 0; place < deal.accounts.length; place++) run.account[place] = deal.accounts[place].initial;
  run.interestLeft.fill(0);
  run.writtenOff.fill(0);
  run.feeLeft.fill(0);
  run.lossToDate = 0;
  run.calling = false;
  run.flows.calledAt = -1;
  resetTriggerState(run.triggers);
}

/** Balance of the tranches that are not residual. */
export function notesNow(run: Run): number {
  const { tranches } = run.deal;
  let sum = 0;
  for (let place = 0; place < tranches.length; place++) {
    if (!(tranches[place] as { residual: boolean }).residual) sum += run.balance[place];
  }
  return sum;
}

/** Balance of all accounts. */
export function accountsNow(run: Run): number {
  let sum = 0;
  for (let place = 0; place < run.account.length; place++) sum += run.account[place];
  return sum;
}

/** A size in currency units at this point of the period. */
export function sizeNow(run: Run, size: CompiledSize): number {
  return size.share === 0 ? size.fixed : size.fixed + size.share * baseNow(run, size.base);
}

function baseNow(run: Run, base: CompiledSize['base']): number {
  switch (base) {
    case 'POOL_ORIGINAL':
      return run.deal.poolOriginal;
    case 'POOL_BEGINNING':
      return run.poolBeginning;
    case 'POOL_CURRENT':
      return run.poolCurrent;
    case 'NOTES_ORIGINAL':
      return run.deal.notesOriginal;
    case 'NOTES':
      return notesNow(run);
  }
}
