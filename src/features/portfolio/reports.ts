import { Readable } from 'node:stream';
import { csvLine } from '../../loans/spreadsheet-text.ts';
import { type Cell, writeWorkbook } from '../../loans/workbook-writer.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { FileReply } from '../../platform/http/route.ts';
import { listPoolMetrics, listTranchePerformance } from '../analytics/queries.ts';
import { listTradeHistory } from '../trades/queries.ts';
import { listAllPositions, listHeldDeals } from './queries.ts';

export const SECTIONS = ['holdings_snapshot', 'trade_history', 'tranche_performance', 'pool_metrics'] as const;
export type Section = (typeof SECTIONS)[number];
export type ReportRow = Record<string, unknown>;
export type Reports = { holdings_snapshot: ReportRow[]; trade_history: ReportRow[] } & Partial<Record<Section, ReportRow[]>>;

/** The columns of each section, in the order of the exports. */
export const COLUMNS: Record<Section, readonly string[]> = {
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

/** The investor's reports; the performance sections are there once a calculation of a held deal was completed. */
export async function buildReports(tx: Tx, organizationId: string): Promise<Reports> {
  const dealIds = await listHeldDeals(tx, organizationId);
  const [holdings_snapshot, trade_history, tranches, pools] = await Promise.all([
    listAllPositions(tx, organizationId),
    listTradeHistory(tx, organizationId),
    dealIds.length > 0 ? listTranchePerformance(tx, dealIds) : null,
    dealIds.length > 0 ? listPoolMetrics(tx, dealIds) : null,
  ]);
  return {
    holdings_snapshot,
    trade_history: trade_history.map((row) => pick('trade_history', row)),
    ...(tranches ? { tranche_performance: tranches.map((row) => pick('tranche_performance', row)) } : {}),
    ...(pools ? { pool_metrics: pools.map((row) => pick('pool_metrics', row)) } : {}),
  };
}

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** One section as a spreadsheet; a section that is absent from the reports is a file with a header alone. */
export function exportSection(reports: Reports, section: Section, format: 'csv' | 'xlsx'): FileReply {
  const columns = COLUMNS[section];
  const rows = (reports[section] ?? []).map((row) => columns.map((column) => toCell(row[column])));
  const fileName = `${section}.${format}`;
  if (format === 'xlsx') {
    return { stream: Readable.from(writeWorkbook({ sheetName: section, header: columns, rows })), contentType: XLSX, fileName };
  }
  const lines = [columns, ...rows.map((row) => row.map((cell) => (cell === null ? null : String(cell))))].map((row) =>
    csvLine(row),
  );
  return { stream: lines.join(''), contentType: 'text/csv; charset=utf-8', fileName };
}

function pick(section: Section, row: object): ReportRow {
  const source = row as ReportRow;
  return Object.fromEntries(COLUMNS[section].map((column) => [column, source[column] ?? null]));
}

function toCell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value;
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}
