import type { Collateral } from '../types.ts';
import type { CompiledTranche } from './compiled-structure.ts';
import { CENTS_TOLERANCE, type WaterfallRun, sizeNow } from './waterfall-run.ts';

/** Makes the collections of the period available to the waterfall, and records the pool balance before and after it. */
export function collectPeriod(run: WaterfallRun, collateral: Collateral): void {
  const { monthsPerPeriod, delayMonths } = run.structure.periods;
  const first = run.periodIndex * monthsPerPeriod - delayMonths;
  const end = Math.min(first + monthsPerPeriod, collateral.periods);
  run.interestCollected = 0;
  run.principalCollected = 0;
  run.payments = 0;
  run.loss = 0;
  for (let month = Math.max(0, first); month < end; month++) addMonth(run, collateral, month);
  run.lossToDate += run.loss;
  run.principalAvailable = run.principalCollected;
  run.availableCash = run.interestCollected + run.principalCollected;
  run.poolBeginning = balanceAfter(run, collateral, first);
  run.poolCurrent = balanceAfter(run, collateral, end);
  run.pending = end > 0 ? collateral.pendingRecovery[end - 1] : 0;
}

function addMonth(run: WaterfallRun, collateral: Collateral, month: number): void {
  const payments = collateral.scheduledPrincipal[month] + collateral.prepayment[month];
  run.payments += payments;
  run.principalCollected += payments + collateral.advancedPrincipal[month] + collateral.recovery[month];
  run.interestCollected += collateral.interest[month] + collateral.advancedInterest[month];
  run.loss += collateral.loss[month];
}

/** Performing balance after `months` months; at the cut-off before the first. */
function balanceAfter(run: WaterfallRun, collateral: Collateral, months: number): number {
  if (months <= 0) return run.structure.poolOriginal;
  return collateral.closing[Math.min(months, collateral.periods) - 1] ?? 0;
}

/** Accrues the interest and fees of the period; unpaid amounts of earlier periods stay due. */
export function accruePeriod(run: WaterfallRun): void {
  for (let index = 0; index < run.structure.tranches.length; index++) accrueTranche(run, index);
  run.feesAccrued = 0;
  for (let index = 0; index < run.structure.fees.length; index++) {
    const fee = sizeNow(run, run.structure.fees[index].size);
    run.feesAccrued += fee;
    run.feeUnpaid[index] += fee;
  }
}

function accrueTranche(run: WaterfallRun, index: number): void {
  const tranche = run.structure.tranches[index];
  const flows = run.flows.tranches[index];
  const rate = tranche.rateFactor[run.periodIndex];
  const opening = run.balance[index];
  const unpaid = run.interestUnpaid[index];
  const accrued = opening * rate;
  run.accrued[index] = accrued;
  const accreting = accretes(run, tranche);
  flows.opening[run.periodIndex] = opening;
  flows.writeDown[run.periodIndex] = 0;
  flows.accreted[run.periodIndex] = accreting ? accrued : 0;
  const cash = accreting ? 0 : accrued;
  const due = unpaid + cash + (tranche.interestOnShortfall ? unpaid * rate : 0);
  run.interestUnpaid[index] = due;
  run.interestDue[index] = due;
}

/** Whether a tranche adds its interest to its balance in this period: it does until the tranches that it waits for are retired. */
function accretes(run: WaterfallRun, { awaited, accretesAlways }: CompiledTranche): boolean {
  if (awaited === null) return false;
  if (accretesAlways) return true;
  for (let n = 0; n < awaited.length; n++) if (run.balance[awaited[n]] > CENTS_TOLERANCE) return true;
  return false;
}

/** Adds accreted interest to the balances and the same cash to the principal available. Runs after the triggers, which count it as interest. */
export function addAccretion(run: WaterfallRun): void {
  for (let index = 0; index < run.structure.tranches.length; index++) {
    const amount = run.flows.tranches[index].accreted[run.periodIndex];
    if (amount === 0) continue;
    run.balance[index] += amount;
    run.principalAvailable += amount;
  }
}
