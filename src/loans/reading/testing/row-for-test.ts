import assert from 'node:assert/strict';
import { CsvScanner } from '../csv-scanner.ts';
import type { Row } from '../row.ts';

/** A row as the scanner of CSV files gives it. */
export function rowOf(line: string): Row {
  const scanner = new CsvScanner({ delimiter: ',', lineEnd: 'LF' }, { maxColumns: 20, maxRowBytes: 10_000 });
  scanner.feed(Buffer.from(line));
  scanner.end();
  assert.ok(scanner.next());
  return scanner.row;
}
