import { createReadStream } from 'node:fs';
import { CsvScanner } from './csv-scanner.ts';
import type { ReadLimits } from './raw-table.ts';
import type { Row } from './row.ts';
import { isRemark, numbersOf, plainNumber } from './stray-rows.ts';

/** A loan number such as `id-17` or `LN 0042`: no line of totals begins with one. */
const LOAN_NUMBER = /^\p{L}{1,10}[-_/# ]?\d+$/u;

export type FootVerdict = 'TOTALS' | 'REMARK' | 'LOAN';

/**
 * Classifies the last rows of a table, which are mostly empty or lack an id. A row whose largest number is the sum of its column over all
 * loans (the others may be averages or counts), and that does not begin with a loan number, is a line of totals; one with words only is a
 * remark, unless a loan follows it. `canonicalPaths` has the loans so far, null when there are none.
 */
export async function judgeFoot(
  rows: readonly Row[],
  canonicalPaths: () => Promise<readonly string[] | null>,
  width: number,
  limits: ReadLimits,
): Promise<FootVerdict[]> {
  const wanted = new Set(rows.flatMap((row) => [...numbersOf(row).keys()]));
  const paths = wanted.size > 0 ? await canonicalPaths() : null;
  const sums = paths === null ? new Map<number, number>() : await columnSums(paths, wanted, width, limits);
  const verdicts = rows.map((row) => verdict(row, sums));
  const lastLoan = verdicts.lastIndexOf('LOAN');
  return verdicts.map((found, at) => (found === 'REMARK' && at < lastLoan ? 'LOAN' : found));
}

function verdict(row: Row, sums: Map<number, number>): FootVerdict {
  if (LOAN_NUMBER.test(row.text(0).trim())) return 'LOAN';
  const [largest] = [...numbersOf(row)].sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  const sum = largest === undefined ? undefined : sums.get(largest[0]);
  if (largest && sum && Math.abs(sum - largest[1]) <= Math.max(0.011, Math.abs(sum) * 1e-9)) return 'TOTALS';
  return isRemark(row) ? 'REMARK' : 'LOAN';
}

/** Sums of some columns of the files of a canonical CSV, by column index; values that are not plain numbers count as zero. */
async function columnSums(
  paths: readonly string[],
  wanted: Set<number>,
  width: number,
  limits: ReadLimits,
): Promise<Map<number, number>> {
  const sums = new Map([...wanted].filter((index) => index < width).map((index) => [index, 0]));
  // the row number and the line precede the columns; quoting may have doubled the bytes of a row
  const scanner = new CsvScanner(
    { delimiter: ',', lineEnd: 'LF' },
    { maxColumns: width + 2, maxRowBytes: 4 * limits.maxRowBytes },
  );
  const take = () => {
    while (scanner.next())
      for (const [index, sum] of sums) sums.set(index, sum + (plainNumber(scanner.row.text(index + 2)) ?? 0));
  };
  for (const path of paths)
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      scanner.feed(chunk);
      take();
    }
  scanner.end();
  take();
  return sums;
}
