import { Readable } from 'node:stream';
import { csvLine } from '../../loans/export/spreadsheet-text.ts';
import { type Cell, writeWorkbookOf } from '../../loans/export/workbook-writer.ts';
import type { Tx } from '../../platform/db/database.ts';
import { downloadType } from '../../platform/files/content-types.ts';
import type { FileReply } from '../../platform/http/route.ts';
import { listPoolMetrics, listTranchePerformance } from '../calculations/mark-queries.ts';
import { listTradeHistory } from '../trades/queries.ts';
import { listAllPositions, listHeldTranches } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

export const SECTIONS = ['holdings_snapshot', 'trade_history', 'tranche_performance', 'pool_metrics'] as const;
export type ReportSection = (typeof SECTIONS)[number];
export type ReportRow = Record<string, unknown>;
export type PortfolioReports = { holdings_snapshot: ReportRow[]; trade_history: ReportRow[] } & Partial<
  Record<ReportSection, ReportRow[]>
>;

/** The columns of each section, in the order of the exports. */
export const COLUMNS: Record<ReportSection, readonly string[]> = {
  holdings_snapshot: [
    'position_id',
    'deal_id',
    'tranche_id',
    'class',
    'asset_type',
    'originator',
    'face',
    'factor',
    'current_balance',
    'price',
    'market_value',
    'cost_basis',
    'accrued_interest',
    'yield',
    'spread',
    'wal',
    'duration',
    'unrealized_gain',
    'as_of',
  ],
  trade_history: [
    'trade_id',
    'deal_id',
    'tranche_id',
    'side',
    'face',
    'price',
    'net_amount',
    'trade_date',
    'settlement_date',
    'status',
  ],
  tranche_performance: [
    'deal_id',
    'tranche_id',
    'class',
    'period',
    'date',
    'basis',
    'balance',
    'factor',
    'interest_paid',
    'principal_paid',
    'shortfall',
    'credit_enhancement',
    'oc',
    'calculation_id',
  ],
  pool_metrics: [
    'deal_id',
    'period',
    'date',
    'basis',
    'pool_balance',
    'loan_count',
    'wac',
    'wam',
    'cpr',
    'cdr',
    'cumulative_net_loss',
    'delinquent_30',
    'delinquent_60',
    'delinquent_90',
    'severity',
    'calculation_id',
  ],
};

/** The reports of an investor on its holdings; the performance sections are present once a calculation of a deal that it holds was completed. */
export async function buildReports(tx: Tx, organizationId: Id<'org'>): Promise<PortfolioReports> {
  const holdings = await listHeldTranches(tx, organizationId);
  const dealIds = [...new Set(holdings.map((each) => each.deal_id))];
  const trancheIds = new Set(holdings.map((each) => each.tranche_id));
  const [holdings_snapshot, trade_history, tranches, pools] = await Promise.all([
    listAllPositions(tx, organizationId),
    listTradeHistory(tx, organizationId),
    dealIds.length > 0 ? listTranchePerformance(tx, dealIds) : null,
    dealIds.length > 0 ? listPoolMetrics(tx, dealIds) : null,
  ]);
  const performance = tranches?.filter((row) => trancheIds.has(row.tranche_id));
  return {
    holdings_snapshot,
    trade_history: trade_history.map((row) => pick('trade_history', row)),
    ...(performance ? { tranche_performance: performance.map((row) => pick('tranche_performance', row)) } : {}),
    ...(pools ? { pool_metrics: pools.map((row) => pick('pool_metrics', row)) } : {}),
  };
}

/** Sections as a workbook, a sheet each. */
export function exportWorkbook(reports: PortfolioReports, sections: readonly ReportSection[], name: string): FileReply {
  const sheets = sections.map((section) => ({
    sheetName: section,
    header: COLUMNS[section],
    rows: cellsOf(reports, section),
  }));
  return { stream: Readable.from(writeWorkbookOf(sheets)), contentType: downloadType('xlsx'), fileName: `${name}.xlsx` };
}

/** One section as CSV. */
export function exportCsv(reports: PortfolioReports, section: ReportSection): FileReply {
  const rows = cellsOf(reports, section).map((row) => row.map((cell) => (cell === null ? null : String(cell))));
  const lines = [COLUMNS[section], ...rows].map((row) => csvLine(row));
  return { stream: lines.join(''), contentType: downloadType('csv'), fileName: `${section}.csv` };
}

/** A section that is absent from the reports has no rows. */
function cellsOf(reports: PortfolioReports, section: ReportSection): Cell[][] {
  return (reports[section] ?? []).map((row) => COLUMNS[section].map((column) => toCell(row[column])));
}

function pick(section: ReportSection, row: object): ReportRow {
  const source = row as ReportRow;
  return Object.fromEntries(COLUMNS[section].map((column) => [column, source[column] ?? null]));
}

function toCell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value;
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}
