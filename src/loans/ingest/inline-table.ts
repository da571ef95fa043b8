import { writeFile } from 'node:fs/promises';
import { findField, normalizeHeader, roles } from '../dictionary/dictionary.ts';
import type { InlineValue } from './ingest-types.ts';
import { cutOf, type MalformedRow, type RawColumn, type RawTable, tapeLimits, tooLong } from '../reading/raw-table.ts';
import type { LoanType, MappingRequest } from '../types.ts';

/** Converts JSON loans into a raw table whose header has their keys; only keys that are fields of the loan type are mapped. */
export async function inlineTable(
  loans: readonly Readonly<Record<string, InlineValue>>[],
  loanType: LoanType,
  workDir: string,
): Promise<{ raw: RawTable; requests: MappingRequest[] }> {
  const named = [...new Set(loans.flatMap((loan) => Object.keys(loan)))];
  // Loans without any key become a table of one column in which every value is missing.
  const keys = named.length > 0 ? named : [roles(loanType).id];
  const csvPath = `${workDir}/inline.csv`;
  const { maxRowBytes } = tapeLimits('csv');
  const malformedRows: MalformedRow[] = [];
  const lines = loans.map((loan, index) => {
    const place = index + 1;
    const line = (most?: number) => [place, place, ...keys.map((key) => csvField(loan[key], most))].join(',');
    const whole = line();
    if (Buffer.byteLength(whole) <= maxRowBytes) return whole;
    malformedRows.push(tooLong(place, place, maxRowBytes));
    return line(cutOf(keys.length));
  });
  await writeFile(csvPath, `${lines.join('\n')}\n`);
  const columns = inlineColumns(keys);
  const raw: RawTable = {
    csvPaths: [csvPath],
    columns,
    rowCount: loans.length,
    format: 'csv',
    encoding: 'utf-8',
    delimiter: ',',
    headerLine: 0,
    multiline: true,
    notices: [],
    noticeCounts: {},
    malformedRows,
  };
  return { raw, requests: namesOfFields(columns, loanType) };
}

/** Maps each column to the field of the same name, or to none. */
export function namesOfFields(columns: readonly RawColumn[], loanType: LoanType): MappingRequest[] {
  return columns.map(({ name }) => ({ source: name, target: findField(loanType, name)?.field ?? null }));
}

function inlineColumns(keys: readonly string[]): RawColumn[] {
  const seen = new Map<string, number>();
  return keys.map((name, index) => {
    const base = normalizeHeader(name) || `column_${index + 1}`;
    const count = (seen.get(base) ?? 0) + 1;
    seen.set(base, count);
    return { index, name, normalized: count === 1 ? base : `${base}_${count}` };
  });
}

/** The value as a field, of at most so many characters where its row is cut. */
function csvField(value: InlineValue, most?: number): string {
  if (value === null || value === undefined || value === '') return '';
  const text = (typeof value === 'number' ? decimalText(value) : String(value)).slice(0, most);
  return `"${text.replaceAll('"', '""')}"`;
}

/** A JSON number as decimal text: JavaScript writes tiny and huge ones with an exponent, which the reader takes as well. */
function decimalText(value: number): string {
  return Number.isFinite(value) ? String(value) : '';
}
