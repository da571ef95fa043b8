import type { Static } from 'typebox';
import { readFile } from 'node:fs/promises';
import type { ScenarioDetail } from '../../finance/structure/calculate.ts';
import type { TracePeriod } from '../../finance/structure/trace.ts';
import { csvLine } from '../../loans/export/spreadsheet-text.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import { FileResponse } from '../../platform/http/route.ts';
import type { CashFlowQuery, CashFlowRow, TraceQuery } from './rows.ts';
import type { CalculationWithResult } from './queries.ts';

export type ScenarioFlows = Omit<ScenarioDetail, 'trace'>;

/** Cash flows and asset-liability rows of one scenario. 404 for an unknown scenario, 409 before the calculation is completed. */
export function readFlows(deps: Deps, calculation: CalculationWithResult, scenario: string | undefined): Promise<ScenarioFlows> {
  return readScenario<ScenarioFlows>(deps, calculation, scenario, 'json');
}

/** Every step of the waterfall, by period. */
export function readTrace(deps: Deps, calculation: CalculationWithResult, scenario: string | undefined): Promise<TracePeriod[]> {
  return readScenario<TracePeriod[]>(deps, calculation, scenario, 'trace.json');
}

async function readScenario<Content>(
  deps: Deps,
  calculation: CalculationWithResult,
  scenario: string | undefined,
  kind: string,
): Promise<Content> {
  const { status, result, details_key } = calculation;
  if (status !== 'COMPLETED' || !result || !details_key) {
    throw new ApiError('CONFLICT', `The calculation is ${status}; its rows can be read when it is COMPLETED.`, {
      extra: { current_status: status },
    });
  }
  const index = scenario === undefined ? 0 : result.results.findIndex((each) => each.scenario === scenario);
  if (index === -1) throw notFound(`scenario ${scenario}`);
  const path = await deps.store.localPath(`${details_key}/${index}.${kind}`);
  if (!path) throw new Error(`the details of ${calculation.calculation_id} are not in the store`);
  return JSON.parse(await readFile(path, 'utf8')) as Content;
}

const COLLATERAL = 'collateral';

/** Rows of the collateral, of one tranche, or of all tranches one after the other. 404 for an unknown tranche. */
export function cashFlowRows(flows: ScenarioFlows, tranche: string | undefined): CashFlowRow[] {
  const rowsOf = (name: string): CashFlowRow[] => (flows.tranches[name] ?? []).map((row) => ({ tranche: name, ...row }));
  if (tranche === undefined) return Object.keys(flows.tranches).flatMap(rowsOf);
  if (Object.hasOwn(flows.tranches, tranche)) return rowsOf(tranche);
  if (tranche === COLLATERAL) return flows.collateral.map((row) => ({ tranche: COLLATERAL, ...row }));
  throw notFound(`tranche ${tranche}`);
}

/** The rows that a query asks for, as a list or as a file. */
export async function answerCashFlows(
  deps: Deps,
  calculation: CalculationWithResult,
  { scenario, tranche, format }: Static<typeof CashFlowQuery>,
): Promise<CashFlowRow[] | FileResponse> {
  const rows = cashFlowRows(await readFlows(deps, calculation, scenario), tranche);
  if (format !== 'csv') return rows;
  const fileName = [calculation.calculation_id, scenario, tranche ?? 'tranches'].filter(Boolean).join('-');
  return new FileResponse({ stream: csvOf(rows), contentType: 'text/csv; charset=utf-8', fileName: `${fileName}.csv` });
}

/** The periods of the trace that a query asks for. 404 for one that there is not. */
export async function answerTrace(
  deps: Deps,
  calculation: CalculationWithResult,
  { scenario, period }: Static<typeof TraceQuery>,
): Promise<TracePeriod[]> {
  const periods = await readTrace(deps, calculation, scenario);
  if (period === undefined) return periods;
  const found = periods.filter((each) => each.period === period);
  if (found.length === 0) throw notFound(`period ${period}`);
  return found;
}

/** Rows as CSV with a header; money with two decimals, factors and coupons with eight. */
export function csvOf(rows: readonly CashFlowRow[]): string {
  if (rows.length === 0) return '';
  // Only tranches whose coupon something of the period decides have all columns.
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => new Map(Object.entries(row)));
  return [names, ...cells.map((row) => names.map((name) => cell(name, row.get(name))))].map(csvLine).join('');
}

function cell(name: string, value: string | number | undefined): string | null {
  if (typeof value !== 'number') return value ?? null;
  if (name === 'period') return String(value);
  return value.toFixed(name === 'factor' || name === 'coupon' ? 8 : 2);
}
