import { projectTable } from '../collateral.ts';
import { missingIndexCurves } from '../amortization.ts';
import { columnsOf, type LoanColumns } from '../loan-columns.ts';
import { packLoans } from '../loan-table.ts';
import { roundToCent } from '../money.ts';
import type { Assumptions, Collateral } from '../types.ts';
import { readsBase } from './amount-faults.ts';
import { assetLiability, type AssetLiability } from './asset-liability.ts';
import { breakEvenCdrs } from './break-even.ts';
import { followedIndices } from './compiled-coupon.ts';
import type { CompiledStructure } from './compiled-structure.ts';
import {
  type CalculationJob,
  compileFor,
  type Project,
  projectJob,
  type RequestJob,
  scenarioJob,
  seriesOf,
  waterfallInput,
} from './job.ts';
import type { WaterfallFlows } from './flows.ts';
import { addMeasures } from './measures.ts';
import { ENGINE_VERSION } from './key.ts';
import { solveNetLosses } from './net-losses.ts';
import { type CalculationFault, normalizeRequest } from './normalize.ts';
import type { CalculationPool, NormalRequest, NormalScenario } from './normal-request.ts';
import { addCells, emptyRows, type PriceRow } from './price-table.ts';
import type { CalculationRequest, CalculationType, WireAssumptions } from './request.ts';
import { type CollateralResult, collateralResult, type TrancheResult, trancheResult } from './results.ts';
import { type RiskResult, simulateRisk } from './risk-paths.ts';
import { collateralByPeriod, type PoolRow, poolRows, type TrancheRow, trancheRows } from './rows.ts';
import { prepareLoans } from './prepared-loans.ts';
import { runWarnings } from './run-warnings.ts';
import { createWaterfallRun } from './waterfall-run.ts';
import type { Structure } from './structure.ts';
import { recordTrace, type TracePeriod } from './trace.ts';
import { runWaterfall } from './waterfall.ts';

export type CalculationOptions = {
  /** Default: on this thread. */
  project?: Project;
  /** Called between pieces of long work, so that the caller can yield the thread, or throw to stop the calculation. */
  pause?: () => void | Promise<void>;
};

export type ScenarioResult = {
  scenario: string;
  /** Assumptions of the scenario after defaults. */
  assumptions: WireAssumptions;
  /** Payment period in which the pool is called, or null. */
  called_period: number | null;
  collateral: CollateralResult;
  tranches: TrancheResult[];
  risk?: RiskResult;
};

/** Result of a calculation; the caller adds id and status. */
export type CalculationResult = {
  type: CalculationType;
  purpose: 'ANALYSIS' | 'MARK';
  as_of: string;
  settlement_date: string;
  cut_off_date: string;
  engine_version: string;
  granularity: 'LOAN' | 'REPLINE';
  tape_versions: unknown;
  assumptions: WireAssumptions;
  results: ScenarioResult[];
  /** Of a PRICE_TABLE: the tranche at each price or yield, under each scenario. */
  rows?: PriceRow[];
  warnings: string[];
};

/** Detail rows of one scenario. */
export type ScenarioDetail = {
  scenario: string;
  collateral: PoolRow[];
  tranches: Record<string, TrancheRow[]>;
  trace: TracePeriod[];
  asset_liability: AssetLiability;
};

export type CalculationOutcome =
  | { ok: true; result: CalculationResult; details: ScenarioDetail[] }
  | { ok: false; faults: CalculationFault[] };

/**
 * Runs a calculation over a pool and a structure that passes `validateStructure`. The same inputs give the same result to the bit. Faults
 * of the request are returned; a broken identity throws `BrokenIdentityError`.
 */
export async function calculate(
  request: CalculationRequest,
  pool: CalculationPool,
  structure: Structure,
  options: CalculationOptions = {},
): Promise<CalculationOutcome> {
  const normalized = normalizeRequest(request, pool, structure);
  if (!normalized.ok) return normalized;
  const job = solveNetLosses(prepareJob(normalized.request, pool, structure, options));
  const results: ScenarioResult[] = [];
  const details: ScenarioDetail[] = [];
  const { table } = job.request;
  const rows = table ? emptyRows(table) : null;
  for (const scenario of job.request.scenarios) {
    const { result, detail, ran } = await runScenario(scenarioJob(job, scenario), scenario);
    if (table && rows) addCells(rows, table, scenario.scenario, ran, job.request);
    results.push(result);
    details.push(detail);
    await options.pause?.();
  }
  return { ok: true, result: { ...describe(job), results, ...(rows ? { rows } : {}), warnings: job.warnings }, details };
}

function prepareJob(
  request: NormalRequest,
  pool: CalculationPool,
  structure: Structure,
  { project = projectTable, pause = () => undefined }: CalculationOptions,
): RequestJob {
  const known = keepUnknownCoupons(columnsOf(pool.loans), request.indexCurves);
  const { loansOf, warnings: supposed } = prepareLoans(known.loans, request, pool, structure);
  const opened = withAdjustmentOriginal(pool, known.loans, structure, request);
  const unread = findUnreadCurves(request, known.loans, structure);
  const warnings = [...request.warnings, ...known.warnings, ...supposed, ...unread];
  const series = seriesOf(structure);
  return { request, pool: opened, structure, loansOf, project, pause, warnings, ...(series ? { series } : {}) };
}

/** The adjustment at the cut-off of loans that a state does not have: that of the closing tape. */
function withAdjustmentOriginal(
  pool: CalculationPool,
  loans: LoanColumns,
  structure: Structure,
  { indexCurves }: NormalRequest,
): CalculationPool {
  const { opening } = pool;
  const { adjustment } = seriesOf(structure) ?? {};
  if (!opening || opening.state.adjustment_original !== undefined || !adjustment) return pool;
  if (!readsBase(structure, 'POOL_ADJUSTED_ORIGINAL')) return pool;
  const closing = projectTable(packLoans(loans), AS_SCHEDULED, { indexCurves, series: { adjustment } });
  const adjustment_original = roundToCent(closing.adjustment?.[0] ?? 0);
  return { ...pool, opening: { ...opening, state: { ...opening.state, adjustment_original } } };
}

/** Neither prepayment nor default. */
const AS_SCHEDULED: Assumptions = {
  prepayment: { measure: 'cpr', values: [0] },
  default: { measure: 'cdr', values: [0] },
  severityPercent: 0,
  recoveryLagMonths: 0,
  servicerAdvances: false,
};

/** Floating loans whose index has no curve keep their current coupon; the result carries a warning. */
function keepUnknownCoupons(loans: LoanColumns, indexCurves: Record<string, number[]>) {
  const special = [...loans.special.values()];
  const missing = missingIndexCurves(special, { indexCurves });
  if (missing.length === 0) return { loans, warnings: [] };
  const kept = loans.withSpecial((loan) => {
    if (!loan.floating || !missing.includes(loan.floating.index)) return loan;
    const { floating: _unknown, ...fixed } = loan;
    return fixed;
  });
  const warnings = missing.map((index) => {
    const count = special.filter((loan) => loan.floating?.index === index).length;
    const [loans, keep] = count === 1 ? ['loan follows', 'it keeps its'] : ['loans follow', 'they keep their'];
    return `${count} ${loans} ${index}, which has no index curve: ${keep} current coupon`;
  });
  return { loans: kept, warnings };
}

/** Index curves that nothing follows, such as one of a misspelt name. */
function findUnreadCurves({ indexCurves }: NormalRequest, loans: LoanColumns, structure: Structure): string[] {
  const followed = new Set(followedIndices(structure));
  for (const { floating } of loans.special.values()) if (floating) followed.add(floating.index);
  return Object.keys(indexCurves)
    .filter((index) => !followed.has(index))
    .map((index) => `index_curves.${index} is not read: no coupon, account or loan follows ${index}`);
}

function describe({ request, pool }: RequestJob) {
  return {
    type: request.type,
    purpose: request.purpose,
    as_of: request.asOf,
    settlement_date: request.settlementDate,
    cut_off_date: pool.cutOff,
    engine_version: ENGINE_VERSION,
    granularity: request.granularity,
    tape_versions: pool.tapeVersions ?? null,
    assumptions: request.base,
  };
}

type Ran = { structure: CompiledStructure; flows: WaterfallFlows; collateral: Collateral };

async function runScenario(
  job: CalculationJob,
  scenario: NormalScenario,
): Promise<{ result: ScenarioResult; detail: ScenarioDetail; ran: Ran }> {
  const { request } = job;
  const collateral = await projectJob(job, scenario.assumptions);
  const structure = compileFor(job, scenario, collateral.periods);
  const trace = recordTrace();
  const flows = runWaterfall(createWaterfallRun(structure), collateral, { ...waterfallInput(job, scenario), trace });
  job.warnings.push(...runWarnings(scenario, { structure, flows, collateral }));
  const reported = report(structure, flows, collateral, request);
  const result: ScenarioResult = {
    scenario: scenario.scenario,
    assumptions: scenario.wire,
    called_period: flows.calledAt === -1 ? null : flows.calledAt + 1,
    collateral: reported.collateral.result,
    tranches: reported.tranches.map((tranche) => tranche.result),
  };
  await addMeasures(job, scenario, { structure, flows, collateral }, result.tranches);
  if (request.type === 'BREAKEVEN') await addBreakEvens(job, scenario, result);
  if (request.type === 'RISK') result.risk = await simulateRisk(job, scenario);
  const tranches = Object.fromEntries(reported.tranches.map(({ result: { tranche }, rows }) => [tranche, rows]));
  const detail: ScenarioDetail = {
    scenario: scenario.scenario,
    collateral: reported.collateral.rows,
    tranches,
    trace: trace.periods,
    asset_liability: reported.assetLiability,
  };
  return { result, detail, ran: { structure, flows, collateral } };
}

function report(structure: CompiledStructure, flows: WaterfallFlows, collateral: Collateral, request: NormalRequest) {
  const grouped = collateralByPeriod(structure, collateral);
  const collected = poolRows(structure, flows, grouped);
  const pool = { rows: collected, result: collateralResult(structure, grouped, collected, request.settlementDate) };
  const tranches = structure.tranches.map((_, trancheIndex) => {
    const rows = trancheRows(structure, flows, trancheIndex);
    return { rows, result: trancheResult(structure, flows, trancheIndex, rows, request) };
  });
  const rows = tranches.map((tranche) => tranche.rows);
  return { collateral: pool, tranches, assetLiability: assetLiability(structure, flows, pool, rows, request.settlementDate) };
}

async function addBreakEvens(job: CalculationJob, scenario: NormalScenario, result: ScenarioResult): Promise<void> {
  const breakEvens = await breakEvenCdrs(job, scenario);
  for (const [trancheIndex, tranche] of result.tranches.entries()) Object.assign(tranche, breakEvens[trancheIndex]);
}
