import { createReadStream } from 'node:fs';
import { CsvScanner } from './csv-scanner.ts';
import type { ReadLimits } from './raw-table.ts';
import { plainNumber } from './stray-rows.ts';

/** Sums of some columns of a canonical CSV, by column index; values that are no plain numbers count as nothing. */
export async function columnSums(
  path: string,
  wanted: Set<number>,
  width: number,
  limits: ReadLimits,
): Promise<Map<number, number>> {
  const sums = new Map([...wanted].filter((index) => index < width).map((index) => [index, 0]));
  // row number and line stand before the columns; quoting may have doubled a row
  const scanner = new CsvScanner(
    { delimiter: ',', lineEnd: 'LF' },
    { maxColumns: width + 2, maxRowBytes: 4 * limits.maxRowBytes },
  );
  const take = () => {
    while (scanner.next())
      for (const [index, sum] of sums) sums.set(index, sum + (plainNumber(scanner.row.text(index + 2)) ?? 0));
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    scanner.feed(chunk);
    take();
  }
  scanner.end();
  take();
  return sums;
}
