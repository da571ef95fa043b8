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

function printCsv(records: readonly Record_[], operation: Operation, asked: readonly string[] | null): void {
  const csv = openCsv({ operation, columns: asked }, records.length);
  for (const record of records) csv.add(record);
  csv.end();
}

/**
 * CSV as spreadsheets read it, written as its records come; on a terminal without what a terminal obeys. The description and the first
 * records say which columns there are: a field that only later ones have is told.
 */
export function openCsv({ operation, columns: asked }: Pick<Shown, 'operation' | 'columns'>, lookedAt = 1_000) {
  const first: Record_[] = [];
  const left = new Set<string>();
  let columns: readonly string[] | null = null;
  const write = (cells: (string | null)[]): void => {
    const text = csvLine(cells);
    process.stdout.write(process.stdout.isTTY ? safeLines(text.replaceAll('\r\n', '\n')) : text);
  };
  const writeRecord = (record: Record_, names: readonly string[]): void => write(names.map((name) => csvCell(record[name])));
  const begin = (): void => {
    tellStrangers(asked, operation, first);
    columns = asked ?? allColumns(operation, first);
    write([...columns]);
    for (const record of first.splice(0)) writeRecord(record, columns);
  };
  return {
    add(record: Record_): void {
      if (columns === null) return void (first.push(record) === lookedAt && begin());
      writeRecord(record, columns);
      if (!asked) for (const name of Object.keys(record)) if (!columns.includes(name)) left.add(name);
    },
    end(): void {
      if (columns === null) begin();
      if (left.size > 0)
        notice(`not in the file, as the first ${lookedAt} records have none: ${[...left].join(', ')}; --json has them`);
    },
  };
}

function csvCell(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
