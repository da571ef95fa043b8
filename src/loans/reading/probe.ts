import { type ProbeOutcome, tapeLimits } from './raw-table.ts';
import { probeCsv } from './read-csv.ts';
import { probeParquet } from './read-parquet.ts';
import { asOutcome } from './read-problem.ts';
import { formatOf, tapeKind } from './read-tape.ts';
import { probeXlsx } from './read-xlsx.ts';
import type { Row } from './row.ts';
import type { RowSink, TableBuilder } from './table-builder.ts';

const FIRST_ROWS = 20;

/**
 * Reads the beginning of a tape file, in a few milliseconds whatever its size: returns the columns and the first rows, or the problems of
 * a full reading that the beginning shows.
 */
export async function probeTape(path: string): Promise<ProbeOutcome> {
  return await asOutcome(async () => {
    const first = new FirstRows();
    const builder = await probe(path, first);
    const columns = builder.columns;
    return { ok: true as const, columns, firstRows: first.rows.map((row) => padded(row, columns.length)) };
  });
}

async function probe(path: string, sink: RowSink): Promise<TableBuilder> {
  const kind = await tapeKind(path);
  const limits = tapeLimits(formatOf(kind));
  if (kind === 'xlsx') return await probeXlsx(path, sink, limits);
  if (kind === 'parquet') return await probeParquet(path, sink, limits);
  return await probeCsv({ path, isGzip: kind === 'gzip' }, sink, limits);
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
