import { Readable } from 'node:stream';
import { csvLine } from '../../loans/export/spreadsheet-text.ts';
import { type Cell, writeWorkbookOf } from '../../loans/export/workbook-writer.ts';
import { downloadType } from '../../platform/files/content-types.ts';
import type { FileReply } from '../../platform/http/route.ts';
import { type Statement, SUMS } from './statement.ts';

/* A statement as tables: every figure of the JSON under its name. */

const OF_TRANCHE = ['deal_id', 'deal', 'tranche_id', 'tranche', 'class'] as const;
const TOTALS = [...SUMS, 'market_value'] as const;
const POSITION = ['position_id', ...OF_TRANCHE, ...TOTALS, 'opening_factor', 'closing_factor', 'price', 'mark_as_of'] as const;
const TRADE = [
  'trade_id',
  ...OF_TRANCHE,
  'side',
  'face',
  'factor',
  'balance',
  'price',
  'principal_amount',
  'accrued_interest',
  'net_amount',
  'trade_date',
  'settlement_date',
  'booked_on',
  'corrects_period',
] as const;
const PAYMENT = [
  'payment_id',
  ...OF_TRANCHE,
  'period',
  'payment_date',
  'record_date',
  'booked_on',
  'face',
  'interest',
  'principal',
  'writedown',
  'accreted',
  'factor_before',
  'factor_after',
  'restates',
] as const;
const TOTAL = [...TOTALS, 'without_mark', 'balance_without_mark', 'position_count', 'trade_count', 'payment_count'] as const;

type Line = Record<string, unknown>;
type Table = { name: string; columns: readonly string[]; rows: Line[] };

function tablesOf({ positions, totals }: Statement): Table[] {
  const ofTranche = (position: Statement['positions'][number]): Line =>
    Object.fromEntries(OF_TRANCHE.map((name) => [name, position[name]]));
  return [
    { name: 'POSITION', columns: POSITION, rows: positions },
    {
      name: 'TRADE',
      columns: TRADE,
      rows: positions.flatMap((each) => each.trades.map((row) => ({ ...ofTranche(each), ...row }))),
    },
    {
      name: 'PAYMENT',
      columns: PAYMENT,
      rows: positions.flatMap((each) => each.payments.map((row) => ({ ...ofTranche(each), ...row }))),
    },
    { name: 'TOTAL', columns: TOTAL, rows: [totals] },
  ];
}

const HEAD = ['month', 'from', 'to', 'zone', 'organization_id', 'organization', 'final', 'until'] as const;
/** The columns of the file as CSV: `line` says what a line is; it has no value in the columns of other lines. */
export const CSV_COLUMNS: readonly string[] = [
  ...new Set(['line', 'month', 'final', ...POSITION, ...TRADE, ...PAYMENT, ...TOTAL]),
];

/** One file: a line for each position, trade and payment, and the totals. */
export function exportCsv(statement: Statement): FileReply {
  const { month, final } = statement;
  const lines = tablesOf(statement).flatMap(({ name, columns, rows }) =>
    rows.map((row) => {
      const own: Line = { line: name, month, final, ...Object.fromEntries(columns.map((column) => [column, row[column]])) };
      return CSV_COLUMNS.map((column) => textOf(toCell(own[column])));
    }),
  );
  const text = [CSV_COLUMNS, ...lines].map((cells) => csvLine(cells)).join('');
  return { stream: text, contentType: downloadType('csv'), fileName: `${fileName(statement)}.csv` };
}

/** A workbook: a sheet with the heading and the totals, and one each for positions, trades and payments. */
export function exportWorkbook(statement: Statement): FileReply {
  const [positions, trades, payments, totals] = tablesOf(statement).map(({ columns, rows }) => ({
    header: columns,
    rows: rows.map((row) => columns.map((column) => toCell(row[column]))),
  })) as [Sheet, Sheet, Sheet, Sheet];
  const figures = totals.header.map((name, index): Cell[] => [name, totals.rows[0]?.[index] ?? null]);
  const sheets = [
    { sheetName: 'statement', header: ['figure', 'value'], rows: [...HEAD.map((name) => [name, statement[name]]), ...figures] },
    { sheetName: 'positions', ...positions },
    { sheetName: 'trades', ...trades },
    { sheetName: 'payments', ...payments },
    {
      sheetName: 'balances',
      header: ['month', 'balance'],
      rows: statement.balances.map(({ month, balance }) => [month, balance]),
    },
  ];
  return {
    stream: Readable.from(writeWorkbookOf(sheets)),
    contentType: downloadType('xlsx'),
    fileName: `${fileName(statement)}.xlsx`,
  };
}

type Sheet = { header: readonly string[]; rows: Cell[][] };

export const fileName = ({ month, final }: Statement): string => `statement-${month}${final ? '' : '-not-final'}`;

const textOf = (cell: Cell): string | null => (cell === null ? null : String(cell));

function toCell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value;
  throw new Error(`a figure of a statement is ${typeof value}`);
}
