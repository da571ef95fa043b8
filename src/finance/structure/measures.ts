import {
  discountMargin,
  EFFECTIVE_SHIFT_PERCENT,
  effectiveConvexity,
  effectiveDuration,
  type Flows,
  presentValue,
  type ShiftedValues,
  valueAtSpread,
  valueFromPrice,
  zSpread,
} from '../bond.ts';
import { type ZeroCurve, zeroCurveFromPar, zeroCurveFromZeros } from '../curve.ts';
import { yearFraction } from '../daycount.ts';
import { valueAt } from '../rates.ts';
import type { Collateral } from '../types.ts';
import { UnusableInputError } from '../unusable-input.ts';
import { fixingMonth } from './compiled-coupon.ts';
import type { CompiledStructure } from './compiled-structure.ts';
import type { WaterfallFlows } from './flows.ts';
import { type CalculationJob, compileFor, projectJob, waterfallInput } from './job.ts';
import type { NormalRequest, NormalScenario } from './normal-request.ts';
import { accrualYears } from './periods.ts';
import { atSettlement, cashOf, LEAST_PRINCIPAL, paymentYears, rounded, type TrancheResult } from './results.ts';
import { createWaterfallRun } from './waterfall-run.ts';
import { runWaterfall } from './waterfall.ts';
import { type Measure, MEASURES, type TrancheMeasures, type UnavailableMeasure } from './tranche-measures.ts';

/** A structure and the flows that its waterfall gave. */
type Ran = { structure: CompiledStructure; flows: WaterfallFlows };

type Reason = Omit<UnavailableMeasure, 'field'>;

const NO_SOLUTION: Reason = { code: 'NO_SOLUTION', message: 'no rate gives this price: too little is paid after settlement' };

/** Adds its measures to the result of every tranche of a scenario. */
export async function addMeasures(
  job: CalculationJob,
  scenario: NormalScenario,
  ran: Ran & { collateral: Collateral },
  results: readonly TrancheResult[],
): Promise<void> {
  const down = await runShifted(job, scenario, ran, -EFFECTIVE_SHIFT_PERCENT);
  const up = await runShifted(job, scenario, ran, EFFECTIVE_SHIFT_PERCENT);
  const curves = shiftedCurves(job.request.benchmark);
  for (const [trancheIndex, result] of results.entries()) {
    Object.assign(result, measureTranche({ base: ran, down, up, trancheIndex, result, curves, request: job.request }));
  }
}

/** The scenario under index curves that are shifted in parallel; the flows as they are where nothing follows an index. */
async function runShifted(
  job: CalculationJob,
  scenario: NormalScenario,
  ran: Ran & { collateral: Collateral },
  shiftPercent: number,
): Promise<Ran> {
  const loansFollow = job.table.special.values().some(({ floating }) => floating !== undefined);
  const notesFollow = ran.structure.tranches.some(({ indexPercent }) => indexPercent !== null);
  if (!loansFollow && !notesFollow) return ran;
  const request = { ...job.request, indexCurves: shiftIndexCurves(job.request, ran.structure, shiftPercent) };
  const shifted = { ...job, request };
  const collateral = loansFollow ? await projectJob(shifted, scenario.assumptions) : ran.collateral;
  const structure = compileFor(shifted, scenario, collateral.periods);
  return { structure, flows: runWaterfall(createWaterfallRun(structure), collateral, waterfallInput(shifted, scenario)) };
}

/** The index of the period in progress at settlement is set already, so the shift begins in the month after its fixing. */
function shiftIndexCurves(
  { indexCurves, settlementDate }: NormalRequest,
  structure: CompiledStructure,
  shiftPercent: number,
): Record<string, number[]> {
  const next = paymentYears(structure, settlementDate).findIndex((years) => years > 0);
  const lastFixed = fixingMonth(structure.periods, Math.max(0, next - structure.periods.start));
  const shift = (curve: readonly number[]) =>
    Array.from(
      { length: Math.max(curve.length, lastFixed + 1) },
      (_, index) => valueAt(curve, index + 1) + (index + 1 > lastFixed ? shiftPercent : 0),
    );
  return Object.fromEntries(Object.entries(indexCurves).map(([index, curve]) => [index, shift(curve)]));
}

type Curves = { down: ZeroCurve; base: ZeroCurve; up: ZeroCurve };

/** The benchmark as zero curves, with its points shifted; null without one. */
function shiftedCurves(benchmark: NormalRequest['benchmark']): Curves | null {
  if (!benchmark) return null;
  const shifted = (shiftPercent: number) => {
    const points = benchmark.points.map(({ years, rate }) => ({ years, rate: rate + shiftPercent }));
    return benchmark.kind === 'ZERO' ? zeroCurveFromZeros(points) : zeroCurveFromPar(points);
  };
  return { down: shifted(-EFFECTIVE_SHIFT_PERCENT), base: shifted(0), up: shifted(EFFECTIVE_SHIFT_PERCENT) };
}

type Measuring = Record<'base' | 'down' | 'up', Ran> & {
  trancheIndex: number;
  result: TrancheResult;
  curves: Curves | null;
  request: NormalRequest;
};

function measureTranche(measuring: Measuring): TrancheMeasures {
  const { base, trancheIndex, result, request } = measuring;
  const years = paymentYears(base.structure, request.settlementDate);
  const delivered = atSettlement(base.structure, base.flows, trancheIndex, years, request.settlementDate);
  const reason = whyNotPriced(base.structure, trancheIndex, delivered.balance);
  if (reason || result.price === null)
    return collect(Object.fromEntries(MEASURES.map((field) => [field, reason ?? NO_SOLUTION])));
  const value = valueFromPrice(result.price, delivered.accrued, delivered.balance);
  return collect({
    discount_margin_bp: discountMarginOf(measuring, delivered, value),
    ...rateMeasures(measuring, years, value),
  });
}

/** Discount margin at a clean price, basis points; null where the tranche has none. */
export function discountMarginAt(base: Ran, trancheIndex: number, request: NormalRequest, price: number | null): number | null {
  const years = paymentYears(base.structure, request.settlementDate);
  const delivered = atSettlement(base.structure, base.flows, trancheIndex, years, request.settlementDate);
  if (price === null || whyNotPriced(base.structure, trancheIndex, delivered.balance)) return null;
  const found = discountMarginOf(
    { base, trancheIndex, request },
    delivered,
    valueFromPrice(price, delivered.accrued, delivered.balance),
  );
  return typeof found === 'number' ? found : null;
}

function whyNotPriced({ tranches }: CompiledStructure, trancheIndex: number, balance: number): Reason | null {
  if (tranches[trancheIndex].residual && !tranches[trancheIndex].notional)
    return { code: 'RESIDUAL', message: 'the residual has no price' };
  if (balance < LEAST_PRINCIPAL) return { code: 'NO_BALANCE', message: 'the tranche has no balance at settlement' };
  return null;
}

/** Measures, each a number or the reason why there is none. */
function collect(found: Partial<Record<Measure, number | Reason>>): TrancheMeasures {
  const unavailable: UnavailableMeasure[] = [];
  const values = MEASURES.map((field): [Measure, number | null] => {
    const each = found[field] ?? NO_SOLUTION;
    const value = typeof each === 'number' ? rounded(each) : null;
    if (value === null) unavailable.push({ field, ...(typeof each === 'number' ? NO_SOLUTION : each) });
    return [field, value];
  });
  return { ...(Object.fromEntries(values) as Record<Measure, number | null>), unavailable };
}

function discountMarginOf(
  { base, trancheIndex, request }: Pick<Measuring, 'base' | 'trancheIndex' | 'request'>,
  { index, start }: { index: number; start: string },
  value: number,
): number | Reason {
  const { indexPercent, dayCount } = base.structure.tranches[trancheIndex];
  if (!indexPercent) return { code: 'NOT_FLOATING', message: 'the coupon does not follow an index' };
  const accrual = accrualYears(base.structure.periods, dayCount).subarray(index);
  const next = base.structure.periods.dates[index];
  // Of the period in progress only the part after settlement is discounted.
  if (next && request.settlementDate > start) {
    const end = dayCount === '30/360' || dayCount === '30E/360' ? next.unadjusted : next.paid;
    const endDay = base.structure.periods.paymentDay;
    accrual[0] = Math.max(0, yearFraction(dayCount, request.settlementDate, end, { endDay }));
  }
  const amounts = cashOf(base.flows, trancheIndex).subarray(index);
  return discountMargin({ amounts, accrualYears: accrual, indexPercent: indexPercent.subarray(index) }, value) ?? NO_SOLUTION;
}

/** Z-spread and effective measures, which share the values under shifted curves. */
function rateMeasures(measuring: Measuring, years: Float64Array, value: number): Partial<Record<Measure, number | Reason>> {
  const { result, curves, request, trancheIndex } = measuring;
  const flowsOf = (ran: Ran): Flows => ({
    years: ran === measuring.base ? years : paymentYears(ran.structure, request.settlementDate),
    amounts: cashOf(ran.flows, trancheIndex),
  });
  const [down, base, up] = [flowsOf(measuring.down), flowsOf(measuring.base), flowsOf(measuring.up)];
  if (!curves) {
    const zSpreadReason: Reason = { code: 'NO_CURVE', message: 'the request has no benchmark_curve' };
    const rate = result.yield;
    if (rate === null) return { z_spread_bp: zSpreadReason };
    const at = (flows: Flows, shift: number) => presentValue(flows, rate + shift, request.yieldBasis);
    const shift = EFFECTIVE_SHIFT_PERCENT;
    return { z_spread_bp: zSpreadReason, ...effective({ down: at(down, -shift), base: at(base, 0), up: at(up, shift) }) };
  }
  const spread = unlessUnusable(() => zSpread(base, value, curves.base) ?? NO_SOLUTION);
  if (typeof spread !== 'number') return { z_spread_bp: spread, effective_duration: spread, effective_convexity: spread };
  const at = (flows: Flows, curve: ZeroCurve) => valueAtSpread(flows, spread, curve);
  const values = unlessUnusable(() => ({ down: at(down, curves.down), base: at(base, curves.base), up: at(up, curves.up) }));
  if ('code' in values) return { z_spread_bp: spread, effective_duration: values, effective_convexity: values };
  return { z_spread_bp: spread, ...effective(values) };
}

/** A par curve is made into zero rates as far as it is read, and may leave none there. */
function unlessUnusable<Value>(read: () => Value): Value | Reason {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnusableInputError)) throw error;
    return { code: 'CURVE_UNUSABLE', message: `benchmark_curve: ${error.message}` };
  }
}

function effective(values: ShiftedValues): Partial<Record<Measure, number>> {
  return { effective_duration: effectiveDuration(values), effective_convexity: effectiveConvexity(values) };
}
