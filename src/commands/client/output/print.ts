import { csvLine } from '../../../loans/export/spreadsheet-text.ts';
import type { Noun } from '../catalogue/nouns.ts';
import type { Operation } from '../catalogue/operation.ts';
import { notice } from '../../notice.ts';
import type { Record_ } from './cells.ts';
import { allColumns, columnsOf } from './columns.ts';
import { isRecord, recordLines } from './record.ts';
import { safeJson, safeLines } from './safe-text.ts';
import { tableOf } from './table.ts';

export type Format = 'human' | 'json' | 'csv';
export type Shown = { operation: Operation; noun: Noun | null; format: Format; columns: readonly string[] | null };

export const print = (text: string): void => void process.stdout.write(`${text}\n`);
export const terminalWidth = (): number => (process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY);

export function printRecord(record: unknown, shown: Shown): void {
  // A list without pages is the whole of an answer.
  if (Array.isArray(record)) return printList(record, shown);
  const { operation, format, columns } = shown;
  if (format === 'json') return print(safeJson(record, 2));
  if (format === 'csv') return printCsv([record].filter(isRecord), operation, columns);
  if (!isRecord(record)) return print(safeJson(record, 2));
  tellStrangers(columns, operation, [record]);
  const chosen = columns ? Object.fromEntries(columns.map((name) => [name, record[name]])) : record;
  for (const line of recordLines(chosen, new Set(operation.reply.money), terminalWidth())) print(line);
}

export function printList(records: readonly unknown[], shown: Shown): void {
  const { operation, noun, format } = shown;
  if (format === 'json') return print(safeJson(records, 2));
  const rows = records.filter(isRecord);
  if (format === 'csv') return printCsv(rows, operation, shown.columns);
  if (rows.length < records.length) return print(records.map((each) => safeJson(each)).join('\n'));
  if (rows.length === 0) return notice('none');
  tellStrangers(shown.columns, operation, rows);
  const columns = shown.columns ?? columnsOf(operation, noun, rows);
  const { lines, left, cut } = tableOf(rows, columns, new Set(operation.reply.money), terminalWidth());
  print(lines.join('\n'));
  const others = shown.columns ? [] : allColumns(operation, rows).filter((name) => !columns.includes(name));
  const hidden = [...left, ...others];
  if (hidden.length > 0) notice(`not shown: ${hidden.join(', ')}; choose with --columns, or --json`);
  if (cut > 0) notice('… marks cut text: --json has all of it');
}

/** A column that no record has is empty, as one without values is: which of the two it is, is told. */
function tellStrangers(asked: readonly string[] | null, operation: Operation, records: readonly Record_[]): void {
  if (!asked || records.length === 0) return;
  const known = allColumns(operation, records);
  const strangers = asked.filter((name) => !known.includes(name));
  if (strangers.length > 0) notice(`there is no column ${strangers.join(', ')}; there are ${known.join(', ')}`);
}

/** CSV as spreadsheets read it; on a terminal without what a terminal obeys. */
function printCsv(records: readonly Record_[], operation: Operation, asked: readonly string[] | null): void {
  tellStrangers(asked, operation, records);
  const columns = asked ?? allColumns(operation, records);
  const lines = [csvLine([...columns]), ...records.map((record) => csvLine(columns.map((name) => csvCell(record[name]))))];
  const text = lines.join('');
  process.stdout.write(process.stdout.isTTY ? safeLines(text.replaceAll('\r\n', '\n')) : text);
}

function csvCell(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
