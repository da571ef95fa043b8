import type { CollateralRow } from '../collateral-rows.ts';
import type { Collateral } from '../types.ts';
import { amountNow, baseNow } from './amount-now.ts';
import { atLeastZero, type CouponRule, floatingRate } from './compiled-coupon.ts';
import type { CompiledFee, CompiledTranche } from './compiled-structure.ts';
import { collectionMonths } from './periods.ts';
import { isActive, limitOf } from './gates.ts';
import { toUnit } from './unit.ts';
import { CENTS_TOLERANCE, roundDue, type WaterfallRun } from './waterfall-run.ts';

/**
 * Makes the collections of the period available to the waterfall, and records the pool balance before and after it. A run of whole cents
 * takes `rows`, in which cash and balances tie to the cent as they are reported.
 */
export function collectPeriod(run: WaterfallRun, collateral: Collateral, rows: readonly CollateralRow[] | null): void {
  const months = collectionMonths(run.structure.periods, run.periodIndex);
  const { first } = months;
  const end = Math.min(months.end, collateral.periods);
  run.interestCollected = 0;
  run.principalCollected = 0;
  run.payments = 0;
  run.scheduled = 0;
  run.prepaid = 0;
  run.recovered = 0;
  run.loss = 0;
  if (rows) {
    collectRow(run, rows);
  } else {
    for (let month = Math.max(0, first); month < end; month++) addMonth(run, collateral, month);
    run.poolBeginning = balanceAfter(run, collateral, first);
    run.poolCurrent = balanceAfter(run, collateral, end);
    run.pending = end > 0 ? collateral.pendingRecovery[end - 1] : 0;
  }
  run.loanRate = averageRate(collateral, first);
  run.adjustment = adjustmentAfter(run, collateral, end);
  countCollections(run);
}

/** Puts what was collected into the pot, once the amounts of the period are in the run. */
export function countCollections(run: WaterfallRun): void {
  run.lossToDate += run.loss;
  run.principalAvailable = run.principalCollected;
  run.availableCash = run.interestCollected + run.principalCollected;
}

function addMonth(run: WaterfallRun, collateral: Collateral, month: number): void {
  const scheduled = collateral.scheduledPrincipal[month];
  const prepaid = collateral.prepayment[month];
  const recovered = collateral.recovery[month];
  const payments = scheduled + prepaid;
  const loss = collateral.loss[month];
  run.payments += payments;
  run.scheduled += scheduled;
  run.prepaid += prepaid;
  run.recovered += recovered;
  run.principalCollected += payments + collateral.advancedPrincipal[month] + recovered;
  run.interestCollected += collateral.interest[month] + collateral.advancedInterest[month];
  run.loss += loss;
  rememberLoss(run, loss);
}

function collectRow(run: WaterfallRun, rows: readonly CollateralRow[]): void {
  const { periodIndex, startIndex } = run;
  const row = rows[periodIndex];
  run.scheduled = row.scheduledPrincipal;
  run.prepaid = row.prepayment;
  run.payments = row.scheduledPrincipal + row.prepayment;
  run.recovered = row.recovery;
  run.principalCollected = run.payments + row.advancedPrincipal + row.recovery;
  run.interestCollected = row.interest + row.advancedInterest;
  run.loss = row.loss;
  rememberPeriodLoss(run);
  run.poolBeginning = periodIndex === startIndex ? run.poolAtStart : rows[periodIndex - 1].closing;
  run.poolCurrent = row.closing;
  run.pending = row.pendingRecovery;
}

/** Keeps the losses of the last 12 months. */
function rememberLoss({ recentLosses }: WaterfallRun, loss: number): void {
  if (recentLosses.length === 12) recentLosses.shift();
  recentLosses.push(loss);
}

/** Keeps the loss of a period as that of its last month, where its months are not known. */
export function rememberPeriodLoss(run: WaterfallRun): void {
  for (let month = 1; month < run.structure.periods.monthsPerPeriod; month++) rememberLoss(run, 0);
  rememberLoss(run, run.loss);
}

/** Performing balance after `months` months; at the start of the run before the first. */
function balanceAfter(run: WaterfallRun, collateral: Collateral, months: number): number {
  if (months <= 0) return run.poolAtStart;
  return collateral.closing[Math.min(months, collateral.periods) - 1] ?? 0;
}

/** Rate of the loans before the period, weighted by balance; NaN where the collateral does not say. */
function averageRate({ weightedRate, opening }: Collateral, first: number): number {
  const month = Math.max(0, first);
  return weightedRate && opening[month] > 0 ? weightedRate[month] / opening[month] : Number.NaN;
}

function adjustmentAfter(run: WaterfallRun, { adjustment, periods }: Collateral, months: number): number {
  const { adjustments } = run.structure;
  if (adjustments) return adjustments[run.periodIndex + 1];
  return adjustment ? toUnit(adjustment[Math.max(0, Math.min(months, periods))], run.structure.unit) : 0;
}

/** Accrues fees, the net rate of the loans and the interest of the period, each after what it depends on; unpaid amounts of earlier periods stay due. */
export function accruePeriod(run: WaterfallRun): void {
  const { fees, accruals } = run.structure;
  run.feesAccrued = 0;
  for (let place = 0; place < accruals.length; place++) {
    const accrual = accruals[place];
    if (accrual.kind === 'NET_RATE') run.netWac = netRate(run, payableFees(run));
    else if (accrual.kind === 'FEE') accrueFee(run, fees[accrual.index], accrual.index);
    else accrueTranche(run, accrual.index);
  }
}

/** Adds what a fee is due for the period. */
function accrueFee(run: WaterfallRun, fee: CompiledFee, index: number): void {
  const once = run.periodIndex === fee.onceAt ? fee.once : 0;
  const recurring = roundDue(run, recurringFee(run, fee));
  const due = recurring + once + run.billed[index];
  run.feeAccrued[index] = due;
  run.feeRecurring[index] = recurring;
  run.feesAccrued += due;
  run.feeUnpaid[index] += due;
}

/** The recurring fees of the period without what a limit defers: the first step that pays a fee now decides. */
function payableFees(run: WaterfallRun): number {
  const { steps, fees } = run.structure;
  let all = 0;
  for (let index = 0; index < fees.length; index++) all += run.feeRecurring[index];
  if (!steps.some(({ pay, limit }) => pay === 'FEE' && limit !== null)) return all;
  const seen = new Set<number>();
  for (const [number, step] of steps.entries()) {
    if (step.pay !== 'FEE' || !isActive(run, step)) continue;
    let due = 0;
    for (const index of step.to) if (!seen.has(index)) due += run.feeRecurring[index];
    for (const index of step.to) seen.add(index);
    all -= Math.max(0, due - limitOf(run, number));
  }
  return all;
}

function recurringFee(run: WaterfallRun, { percent, share, base, years, fixed, perYear, billed }: CompiledFee): number {
  if (billed) return 0;
  const yearly = perYear ? amountNow(run, perYear) * years : fixed;
  const part = percent ? (amountNow(run, percent) / 100) * years : share;
  return part === 0 ? yearly : yearly + part * baseNow(run, base);
}

/** The rate of the loans less the fees of the period a year, at least 0. */
function netRate(run: WaterfallRun, fees: number): number {
  if (run.reportedNetWac !== null) return run.reportedNetWac;
  if (!(run.poolBeginning > 0)) return 0;
  return Math.max(0, run.loanRate - (100 * fees * (12 / run.structure.periods.monthsPerPeriod)) / run.poolBeginning);
}

function accrueTranche(run: WaterfallRun, index: number): void {
  const { periodIndex } = run;
  const tranche = run.structure.tranches[index];
  const flows = run.flows.tranches[index];
  const opening = tranche.notional ? amountNow(run, tranche.notional) : run.balance[index];
  run.openingBalance[index] = opening;
  const rule = tranche.couponRule;
  const coupon = rule ? couponNow(run, rule, index) : tranche.couponPercent[periodIndex];
  const rate = rule ? (coupon / 100) * tranche.years[periodIndex] : tranche.rateFactor[periodIndex];
  run.coupon[index] = coupon;
  const unpaid = run.interestUnpaid[index];
  const exact = opening * rate;
  const accreting = accretes(run, tranche);
  const onShortfall = tranche.interestOnShortfall ? unpaid * rate : 0;
  // What is due is rounded once, with the interest on what was short.
  const accrued = accreting ? roundDue(run, exact) : run.structure.unit === 1 ? exact : roundDue(run, exact + onShortfall);
  run.accrued[index] = accrued;
  run.accreted[index] = accreting ? accrued : 0;
  flows.opening[periodIndex] = opening;
  // A notional may be of what the period before did not know, such as its collateral.
  if (tranche.notional && periodIndex > run.startIndex) flows.closing[periodIndex - 1] = opening;
  flows.coupon[periodIndex] = coupon;
  flows.writeDown[periodIndex] = 0;
  flows.accreted[periodIndex] = accreting ? accrued : 0;
  const cash = accreting ? 0 : accrued;
  const due = unpaid + cash + (run.structure.unit === 1 || accreting ? roundDue(run, onShortfall) : 0);
  run.interestUnpaid[index] = due;
  run.interestDue[index] = due;
}

/** The coupon by its rule; what its cap cuts is carried over where the rule says so, and earns the coupon without the cap. */
function couponNow(run: WaterfallRun, rule: CouponRule, index: number): number {
  const { indexPercent, years } = run.structure.tranches[index];
  const { periodIndex } = run;
  const limit = (amount: CouponRule['cap'], absent: number) => (amount ? amountNow(run, amount) : absent);
  run.netWacScale = rule.ofDays ? rule.ofDays[periodIndex] : 1;
  const given = rule.excess
    ? Math.max(0, run.netWac * run.netWacScale - averageCoupon(run))
    : indexPercent
      ? floatingRate(indexPercent[periodIndex], rule.multiplier, rule.marginBp ? amountNow(run, rule.marginBp) : 0)
      : rule.rate
        ? amountNow(run, rule.rate)
        : 0;
  const wanted = atLeastZero(Math.max(limit(rule.floor, Number.NEGATIVE_INFINITY), given));
  const coupon = atLeastZero(Math.min(limit(rule.cap, Number.POSITIVE_INFINITY), wanted));
  if (rule.carryOver) {
    const carried = run.carryOver[index];
    const cut = (run.openingBalance[index] * (wanted - coupon) + carried * wanted) / 100;
    run.carryOver[index] = carried + roundDue(run, cut * years[periodIndex]);
  }
  return coupon;
}

/** Coupons of the notes, weighted by the balances before the period. */
function averageCoupon(run: WaterfallRun): number {
  let weighted = 0;
  let balance = 0;
  for (let index = 0; index < run.structure.tranches.length; index++) {
    if (run.structure.tranches[index].residual) continue;
    weighted += run.coupon[index] * run.openingBalance[index];
    balance += run.openingBalance[index];
  }
  return balance > 0 ? weighted / balance : 0;
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
    const amount = run.accreted[index];
    if (amount === 0) continue;
    run.balance[index] += amount;
    run.principalAvailable += amount;
  }
}

/** What accounts earn in the period: ACT/360 on their opening balance, or on the collections for the days that these stay. */
export function creditIncome(run: WaterfallRun): void {
  const { accounts } = run.structure;
  for (let index = 0; index < accounts.length; index++) {
    const account = accounts[index];
    run.accountOpening[index] = run.account[index];
    run.earned[index] = 0;
    if (!account.earns) continue;
    const { percent, years } = account.earns;
    const earning = account.collection ? run.interestCollected + run.principalCollected : run.account[index];
    const part = account.collection ? account.floatDays / 360 : years[run.periodIndex];
    creditAccount(run, index, roundDue(run, (earning * percent[run.periodIndex] * part) / 100));
  }
}

/**
 * Puts income where the structure says: it can be drawn from the account, or it joins the pot. A negative rate takes at most what is there:
 * neither an account nor the pot of a period may owe.
 */
export function creditAccount(run: WaterfallRun, index: number, income: number): void {
  const { incomeToPot } = run.structure.accounts[index];
  const credited = Math.max(income, -(incomeToPot ? run.availableCash : run.account[index]));
  run.earned[index] = credited;
  if (incomeToPot) run.availableCash += credited;
  else run.account[index] += credited;
}
