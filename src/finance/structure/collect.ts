import type { Collateral } from '../types.ts';
import type { CompiledTranche } from './deal.ts';
import { PAID, type Run, sizeNow } from './run.ts';

/** Puts the collateral of the period into the pot, and takes note of the pool before and after it. */
export function collectPeriod(run: Run, collateral: Collateral): void {
  const { monthsPerPeriod, delayMonths } = run.deal.periods;
  const first = run.index * monthsPerPeriod - delayMonths;
  const end = Math.min(first + monthsPerPeriod, collateral.periods);
  run.interestCollected = 0;
  run.principalCollected = 0;
  run.payments = 0;
  run.loss = 0;
  for (let month = Math.max(0, first); month < end; month++) addMonth(run, collateral, month);
  run.lossToDate += run.loss;
  run.principalItems = run.principalCollected;
  run.left = run.interestCollected + run.principalCollected;
  run.poolBeginning = balanceAfter(run, collateral, first);
  run.poolCurrent = balanceAfter(run, collateral, end);
  run.pending = end > 0 ? collateral.pendingRecovery[end - 1] : 0;
}

function addMonth(run: Run, collateral: Collateral, month: number): void {
  const payments = collateral.scheduledPrincipal[month] + collateral.prepayment[month];
  run.payments += payments;
  run.principalCollected += payments + collateral.advancedPrincipal[month] + collateral.recovery[month];
  run.interestCollected += collateral.interest[month] + collateral.advancedInterest[month];
  run.loss += collateral.loss[month];
}

/** Performing balance after `months` months; at the cut-off before the first. */
function balanceAfter(run: Run, collateral: Collateral, months: number): number {
  if (months <= 0) return run.deal.poolOriginal;
  return collateral.closing[Math.min(months, collateral.periods) - 1] ?? 0;
}

/** Interest and fees that fall due; unpaid ones of earlier periods stay due. */
export function accruePeriod(run: Run): void {
  for (let place = 0; place < run.deal.tranches.length; place++) accrueTranche(run, place);
  run.feesAccrued = 0;
  for (let place = 0; place < run.deal.fees.length; place++) {
    const fee = sizeNow(run, run.deal.fees[place].size);
    run.feesAccrued += fee;
    run.feeLeft[place] = run.feeLeft[place] + fee;
  }
}

function accrueTranche(run: Run, place: number): void {
  const tranche = run.deal.tranches[place];
  const flows = run.flows.tranches[place];
  const rate = tranche.rateFactor[run.index];
  const opening = run.balance[place];
  const unpaid = run.interestLeft[place];
  const accrued = opening * rate;
  run.accrued[place] = accrued;
  const accreting = accretes(run, tranche);
  flows.opening[run.index] = opening;
  flows.writeDown[run.index] = 0;
  flows.accreted[run.index] = accreting ? accrued : 0;
  const cash = accreting ? 0 : accrued;
  const due = unpaid + cash + (tranche.interestOnShortfall ? unpaid * rate : 0);
  run.interestLeft[place] = due;
  run.interestDue[place] = due;
}

/** Whether a tranche adds its interest to its balance in this period: while a tranche that it waits for is unpaid. */
function accretes(run: Run, { awaited, accretesAlways }: CompiledTranche): boolean {
  if (awaited === null) return false;
  if (accretesAlways) return true;
  for (let n = 0; n < awaited.length; n++) if (run.balance[awaited[n]] > PAID) return true;
  return false;
}

/** Adds accreting interest to the balances; the same cash joins the principal collections. After the triggers, which see it as interest. */
export function addAccretion(run: Run): void {
  for (let place = 0; place < run.deal.tranches.length; place++) {
    const amount = run.flows.tranches[place].accreted[run.index];
    if (amount === 0) continue;
    run.balance[place] = run.balance[place] + amount;
    run.principalItems += amount;
  }
}
