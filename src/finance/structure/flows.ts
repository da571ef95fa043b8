import type { CompiledStructure } from './compiled-structure.ts';

/** Amounts due to and paid to one tranche, by payment period (index 0 = period 1), currency units. */
export type TrancheFlows = {
  opening: Float64Array;
  /** Interest of the period and interest unpaid before, in cash. */
  interestDue: Float64Array;
  /** Interest paid; for a residual tranche, the payments of RESIDUAL steps. */
  interestPaid: Float64Array;
  /** Interest unpaid after the period: due less paid. */
  shortfall: Float64Array;
  /** Interest added to the balance instead of paid. */
  accreted: Float64Array;
  principal: Float64Array;
  /** Balance written off; negative where it is reinstated. */
  writeDown: Float64Array;
  closing: Float64Array;
  /** Coupon of the period, percent a year. */
  coupon: Float64Array;
  /** Interest cut by a cap that was paid, and that is still owed. */
  carryOverPaid: Float64Array;
  carryOver: Float64Array;
};

/** Collections and payments of a waterfall, by payment period, currency units. */
export type WaterfallFlows = {
  periods: number;
  tranches: TrancheFlows[];
  interestCollected: Float64Array;
  /** Scheduled, prepaid and advanced principal, and recoveries. */
  principalCollected: Float64Array;
  callProceeds: Float64Array;
  feesPaid: Float64Array;
  /** Fees unpaid after the period. */
  feesUnpaid: Float64Array;
  /** Drawn from accounts to pay steps, released to the available cash, deposited into accounts. */
  drawn: Float64Array;
  released: Float64Array;
  deposited: Float64Array;
  /** Earned by accounts, and released from them to the holders of the residual, outside the steps and the tranches. */
  income: Float64Array;
  releasedApart: Float64Array;
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
  /** The first period in which the call was due and cash and pool did not pay the notes, or null. `missing` is what they lacked. */
  callShort: { index: number; missing: number; call: string | null } | null;
};

/** Amounts of a tranche; its coupon is none. */
const TRANCHE_FLOWS = [
  'opening',
  'interestDue',
  'interestPaid',
  'shortfall',
  'accreted',
  'principal',
  'writeDown',
  'closing',
  'carryOverPaid',
  'carryOver',
] as const;

const WATERFALL_FLOWS = [
  'interestCollected',
  'principalCollected',
  'callProceeds',
  'feesPaid',
  'feesUnpaid',
  'drawn',
  'released',
  'deposited',
  'income',
  'releasedApart',
  'accounts',
  'poolBeginning',
  'poolCurrent',
  'pending',
  'loss',
] as const;

/** Empty flows for a structure; every run overwrites them. */
export function createFlows(structure: CompiledStructure): WaterfallFlows {
  const periods = structure.periods.count;
  return {
    periods,
    tranches: structure.tranches.map(() => ({ ...arrays(TRANCHE_FLOWS, periods), coupon: new Float64Array(periods) })),
    ...arrays(WATERFALL_FLOWS, periods),
    triggersOn: structure.triggers.map(() => new Uint8Array(periods)),
    calledAt: -1,
    callShort: null,
  };
}

/** Zeros from period index `from` on: the deal has ended. */
export function endFlows(flows: WaterfallFlows, from: number): void {
  for (const tranche of flows.tranches) for (const name of TRANCHE_FLOWS) tranche[name].fill(0, from);
  for (const name of WATERFALL_FLOWS) flows[name].fill(0, from);
  for (const on of flows.triggersOn) on.fill(0, from);
}

/** Amounts of a run of whole cents in currency units, each the double nearest to it. */
export function toCurrency(flows: WaterfallFlows, unit: number): void {
  if (unit === 1) return;
  const divide = (amounts: Float64Array): void => {
    for (let index = 0; index < amounts.length; index++) amounts[index] = amounts[index] / unit;
  };
  for (const tranche of flows.tranches) for (const name of TRANCHE_FLOWS) divide(tranche[name]);
  for (const name of WATERFALL_FLOWS) divide(flows[name]);
  if (flows.callShort) flows.callShort = { ...flows.callShort, missing: flows.callShort.missing / unit };
}

function arrays<Name extends string>(names: readonly Name[], length: number): Record<Name, Float64Array> {
  return Object.fromEntries(names.map((name) => [name, new Float64Array(length)])) as Record<Name, Float64Array>;
}
