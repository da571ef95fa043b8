import type { IsoDate } from '../types.ts';
import { storedTriggerState, type TriggerState } from './triggers.ts';
import { fromUnit, toUnit } from './unit.ts';
import type { WaterfallRun } from './waterfall-run.ts';

/**
 * A deal after a payment: what the next one starts from. Plain data, so that it can be stored; money in currency units. Parts that a state
 * from before does not have are 0.
 */
export type DealState = {
  /** Payment periods that were paid. */
  period: number;
  payment_date: IsoDate | null;
  pool_original: number;
  pool_balance: number;
  /** Adjustment of the pool at the cut-off, where it is known. */
  adjustment_original?: number;
  cumulative_net_loss_amount: number;
  /** Losses of the last 12 months, the newest last. */
  recent_losses?: number[];
  tranches: Record<string, { balance: number; shortfall: number; carry_over?: number; written_down?: number }>;
  accounts?: Record<string, { balance: number; highest_target?: number }>;
  /** Unpaid fees by name. */
  fees?: Record<string, number>;
  /** What steps with a limit of a year paid in it, by name. */
  limits?: { year: number; paid: Record<string, number> };
  /** The latest period whose report ran no waterfall: what only that would say is as it was before. */
  without_waterfall?: number;
  /** The period in which the pool was called. */
  called_in?: number;
  /** Principal that the last payment owed and did not pay. */
  principal_shortfall?: number;
  triggers: TriggerState;
};

/** Puts a run into a state. */
export function openRun(run: WaterfallRun, state: DealState): void {
  const { structure } = run;
  const money = (amount: number | undefined): number => toUnit(amount ?? 0, structure.unit);
  for (const [index, { name }] of structure.tranches.entries()) {
    const tranche = Object.hasOwn(state.tranches, name) ? state.tranches[name] : undefined;
    run.balance[index] = money(tranche?.balance);
    run.interestUnpaid[index] = money(tranche?.shortfall);
    run.carryOver[index] = money(tranche?.carry_over);
    run.writtenOff[index] = money(tranche?.written_down);
  }
  for (const [index, { name }] of structure.accounts.entries()) {
    const account = state.accounts && Object.hasOwn(state.accounts, name) ? state.accounts[name] : undefined;
    run.account[index] = money(account?.balance);
    run.highestTarget[index] = money(account?.highest_target);
  }
  for (const [index, { name }] of structure.fees.entries()) {
    run.feeUnpaid[index] = money(state.fees && Object.hasOwn(state.fees, name) ? state.fees[name] : 0);
  }
  run.limitYear = state.limits?.year ?? 0;
  for (const [index, { name }] of structure.steps.entries()) {
    run.paidInYear[index] = money(state.limits && Object.hasOwn(state.limits.paid, name) ? state.limits.paid[name] : 0);
  }
  run.poolAtStart = money(state.pool_balance);
  run.adjustmentOriginal = state.adjustment_original === undefined ? Number.NaN : money(state.adjustment_original);
  run.lossToDate = money(state.cumulative_net_loss_amount);
  run.recentLosses = (state.recent_losses ?? []).map(money);
  run.principalShort = money(state.principal_shortfall);
  run.triggers = storedTriggerState(state.triggers, structure.triggers);
}

/** The state of a run after the period that it paid last. */
export function stateOf(run: WaterfallRun, paymentDate: IsoDate): DealState {
  const { structure } = run;
  const money = (amount: number): number => fromUnit(amount, structure.unit);
  const limited = structure.steps.flatMap(({ name, limitPerYear }, index) =>
    limitPerYear ? [[name, money(run.paidInYear[index])] as const] : [],
  );
  return {
    period: run.periodIndex + 1,
    payment_date: paymentDate,
    pool_original: money(structure.poolOriginal),
    pool_balance: money(run.poolCurrent),
    ...(Number.isFinite(run.adjustmentOriginal) ? { adjustment_original: money(run.adjustmentOriginal) } : {}),
    cumulative_net_loss_amount: money(run.lossToDate),
    recent_losses: run.recentLosses.map(money),
    tranches: Object.fromEntries(
      structure.tranches.map(({ name }, index) => [
        name,
        {
          balance: money(run.balance[index]),
          shortfall: money(run.interestUnpaid[index]),
          carry_over: money(run.carryOver[index]),
          written_down: money(run.writtenOff[index]),
        },
      ]),
    ),
    accounts: Object.fromEntries(
      structure.accounts.map(({ name }, index) => [
        name,
        { balance: money(run.account[index]), highest_target: money(run.highestTarget[index]) },
      ]),
    ),
    fees: Object.fromEntries(structure.fees.map(({ name }, index) => [name, money(run.feeUnpaid[index])])),
    limits: { year: run.limitYear, paid: Object.fromEntries(limited) },
    principal_shortfall: money(run.principalShort),
    triggers: structuredClone(run.triggers),
  };
}
