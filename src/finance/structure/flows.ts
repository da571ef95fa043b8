import type { Deal } from './deal.ts';

/** What one tranche is due and paid, by payment period (index 0 = period 1), currency units. */
export type TrancheFlows = {
  opening: Float64Array;
  /** Interest of the period and interest unpaid before, in cash. */
  interestDue: Float64Array;
  /** Interest paid; of a residual tranche, what RESIDUAL steps pay. */
  interestPaid: Float64Array;
  /** Interest unpaid after the period, the same as due less paid. */
  shortfall: Float64Array;
  /** Interest added to the balance instead of paid. */
  accreted: Float64Array;
  principal: Float64Array;
  /** Balance written off; negative where it is reinstated. */
  writeDown: Float64Array;
  closing: Float64Array;
};

/** What a deal collects and pays, by payment period, currency units. */
export type DealFlows = {
  periods: number;
  tranches: TrancheFlows[];
  interestCollected: Float64Array;
  /** Scheduled, prepaid and advanced principal, and recoveries. */
  principalCollected: Float64Array;
  callProceeds: Float64Array;
  feesPaid: Float64Array;
  /** Fees unpaid after the period. */
  feesUnpaid: Float64Array;
  /** Taken out of accounts to pay steps, released to the pot, put into accounts. */
  drawn: Float64Array;
  released: Float64Array;
  deposited: Float64Array;
  /** Balance of all accounts after the period. */
  accounts: Float64Array;
  poolBeginning: Float64Array;
  poolCurrent: Float64Array;
  /** Defaulted balance that is not liquidated. */
  pending: Float64Array;
  loss: Float64Array;
  /** Triggers of the deal: 1 in the periods in which they are on. */
  triggersOn: Uint8Array[];
  /** Index of the period in which the pool was called, or −1. */
  calledAt: number;
};

const TRANCHE_FLOWS = [
  'opening',
  'interestDue',
  'interestPaid',
  'shortfall',
  'accreted',
  'principal',
  'writeDown',
  'closing',
] as const;

const DEAL_FLOWS = [
  'interestCollected',
  'principalCollected',
  'callProceeds',
  'feesPaid',
  'feesUnpaid',
  'drawn',
  'released',
  'deposited',
  'accounts',
  'poolBeginning',
  'poolCurrent',
  'pending',
  'loss',
] as const;

/** Empty flows for a deal; a run fills them and may fill them again. */
export function createFlows(deal: Deal): DealFlows {
  const periods = deal.periods.count;
  return {
    periods,
    tranches: deal.tranches.map(() => arrays(TRANCHE_FLOWS, periods)),
    ...arrays(DEAL_FLOWS, periods),
    triggersOn: deal.triggers.map(() => new Uint8Array(periods)),
    calledAt: -1,
  };
}

/** Zeros from period index `from` on: the deal has ended. */
export function endFlows(flows: DealFlows, from: number): void {
  for (const tranche of flows.tranches) for (const name of TRANCHE_FLOWS) tranche[name].fill(0, from);
  for (const name of DEAL_FLOWS) flows[name].fill(0, from);
  for (const on of flows.triggersOn) on.fill(0, from);
}

function arrays<Name extends string>(names: readonly Name[], length: number): Record<Name, Float64Array> {
  return Object.fromEntries(names.map((name) => [name, new Float64Array(length)])) as Record<Name, Float64Array>;
}
