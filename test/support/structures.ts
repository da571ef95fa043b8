import { projectCollateral } from '../../src/finance/collateral.ts';
import type { CompileContext } from '../../src/finance/structure/compiled-structure.ts';
import { compileStructure } from '../../src/finance/structure/compiled-structure.ts';
import type { WaterfallFlows } from '../../src/finance/structure/flows.ts';
import { delinquencyOf } from '../../src/finance/structure/metrics.ts';
import { createWaterfallRun } from '../../src/finance/structure/waterfall-run.ts';
import type { Structure, Tranche } from '../../src/finance/structure/structure.ts';
import { recordTrace, type TracePeriod } from '../../src/finance/structure/trace.ts';
import { runWaterfall } from '../../src/finance/structure/waterfall.ts';
import { assuming } from '../../src/finance/test-support.ts';
import type { Collateral, CollateralLoan } from '../../src/finance/types.ts';

/** A new level-pay loan. */
export function loan(balance: number, ratePercent: number, months: number, ageMonths = 0): CollateralLoan {
  return { balance, ratePercent, remainingMonths: months, ageMonths, originalMonths: months + ageMonths };
}

/** A note that pays a fixed coupon on 30/360. */
export function note(tranche: string, balance: number, rate: number, seniority: number, more: Partial<Tranche> = {}): Tranche {
  return { tranche, class: tranche, balance, coupon: { type: 'FIXED', rate }, seniority, ...more };
}

export const RESIDUAL: Tranche = { tranche: 'R', class: 'RESIDUAL', balance: 0, seniority: 99 };

/** Notes paid interest and then principal one after the other; what is left goes to the residual. */
export function sequential(notes: Tranche[], changes: Partial<Structure> = {}): Structure {
  const names = notes.map(({ tranche }) => tranche);
  return {
    payment: { first_payment_date: '2027-01-15', business_day: 'NONE' },
    tranches: [...notes, RESIDUAL],
    waterfall: [
      { pay: 'INTEREST', to: names },
      { pay: 'PRINCIPAL', to: names },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
    ...changes,
  };
}

/** A pool that closes on 2026-12-15, a month of 30 days before the first payment. */
export const POOL_DATES = { cutOff: '2026-11-30', closing: '2026-12-15' };

/** Runs a structure over loans. The flows belong to this run alone. */
export function runDeal(
  structure: Structure,
  loans: CollateralLoan[],
  assumptions = assuming(),
  context: Partial<CompileContext> = {},
): { flows: WaterfallFlows; collateral: Collateral; trace: TracePeriod[] } {
  const collateral = projectCollateral(loans, assumptions);
  return { ...runOver(structure, collateral, assumptions, context), collateral };
}

/** Runs a structure over collateral that is there already. */
export function runOver(
  structure: Structure,
  collateral: Collateral,
  assumptions = assuming(),
  context: Partial<CompileContext> = {},
): { flows: WaterfallFlows; trace: TracePeriod[] } {
  const poolOriginal = collateral.opening[0];
  const deal = compileStructure(structure, { ...POOL_DATES, poolOriginal, collateralMonths: collateral.periods, ...context });
  const sink = recordTrace();
  const flows = runWaterfall(createWaterfallRun(deal), collateral, { delinquency: delinquencyOf(assumptions), trace: sink });
  return { flows, trace: sink.periods };
}

/** WAL in years on month counts: Σ k × principal / Σ principal / 12. */
export function monthCountWal(principal: Float64Array): number {
  let weighted = 0;
  let total = 0;
  for (let index = 0; index < principal.length; index++) {
    weighted += (index + 1) * principal[index];
    total += principal[index];
  }
  return weighted / total / 12;
}

/** Last month with at least a cent of principal. */
export function lastMonth(principal: Float64Array): number {
  return principal.findLastIndex((amount) => amount >= 0.01) + 1;
}

export function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

/** One month of collateral written by hand; what is left out is 0. */
export type HandMonth = {
  scheduled?: number;
  prepaid?: number;
  defaulted?: number;
  recovered?: number;
  lost?: number;
  interest?: number;
  advanced?: number;
};

/** Collateral written by hand, month by month. */
export function collateralOf(opening: number, months: HandMonth[]): Collateral {
  const column = (read: (month: HandMonth) => number | undefined) => Float64Array.from(months, (month) => read(month) ?? 0);
  const collateral: Collateral = {
    periods: months.length,
    opening: new Float64Array(months.length),
    scheduledPrincipal: column((month) => month.scheduled),
    prepayment: column((month) => month.prepaid),
    defaulted: column((month) => month.defaulted),
    recovery: column((month) => month.recovered),
    loss: column((month) => month.lost),
    interest: column((month) => month.interest),
    advancedPrincipal: column((month) => month.advanced),
    advancedInterest: new Float64Array(months.length),
    pendingRecovery: new Float64Array(months.length),
    closing: new Float64Array(months.length),
  };
  let balance = opening;
  let pending = 0;
  for (const [index, { scheduled = 0, prepaid = 0, defaulted = 0, recovered = 0, lost = 0, advanced = 0 }] of months.entries()) {
    collateral.opening[index] = balance;
    balance -= scheduled + prepaid + defaulted;
    collateral.closing[index] = balance;
    pending += defaulted - recovered - lost - advanced;
    collateral.pendingRecovery[index] = pending;
  }
  return collateral;
}
