import { type ProbeOutcome, type TapeFormat, tapeLimits } from './raw-table.ts';
import { probeCsv } from './read-csv.ts';
import { asOutcome } from './read-problem.ts';
import { probeXlsx } from './read-xlsx.ts';
import type { Row } from './row.ts';
import type { RowSink, TableBuilder } from './table-builder.ts';

const FIRST_ROWS = 20;

/**
 * Reads the beginning of a tape file, in a few milliseconds whatever its size: returns the columns and the first rows, or the problems of
 * a full reading that the beginning shows.
 */
export async function probeTape(path: string, format: TapeFormat): Promise<ProbeOutcome> {
  return await asOutcome(async () => {
    const first = new FirstRows();
    const builder = await probe(path, format, first);
    const columns = builder.columns;
    return { ok: true as const, columns, firstRows: first.rows.map((row) => padded(row, columns.length)) };
  });
}

async function probe(path: string, format: TapeFormat, sink: RowSink): Promise<TableBuilder> {
  if (format === 'csv') return await probeCsv(path, sink, tapeLimits('csv'));
  return await probeXlsx(path, sink, tapeLimits('xlsx'));
}

class FirstRows implements RowSink {
  readonly rows: string[][] = [];

  addClean(_rowNumber: number, row: Row): void {
    if (this.rows.length < FIRST_ROWS) this.rows.push(row.texts());
  }

  addFields(rowNumber: number, row: Row): void {
    this.addClean(rowNumber, row);
  }
}

function padded(row: string[], width: number): string[] {
  return Array.from({ length: width }, (_, index) => row[index] ?? '');
}
