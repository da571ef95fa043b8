import { type CsvDialect, CsvScanner } from './csv-scanner.ts';
import type { ReadLimits } from './raw-table.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const ROWS_LOOKED_AT = 60;
/** The line that declares the delimiter to Excel. */
const DIRECTIVE = /^sep=([,;\t|])\r?(?:\n|$)/i;

/** Detects delimiter and line end from the beginning of a file: the delimiter with which most rows have the same number of fields. */
export function detectDialect(sample: Buffer, limits: ReadLimits, sampleIsWhole: boolean): CsvDialect {
  const lineEnd = lineEndOf(sample);
  const directive = DIRECTIVE.exec(sample.toString('latin1', 0, 8));
  if (directive) return { delimiter: directive[1] as CsvDialect['delimiter'], lineEnd };
  let best: CsvDialect = { delimiter: ',', lineEnd };
  let bestScore = 0;
  for (const delimiter of DELIMITERS) {
    const score = evenness(fieldCounts(sample, { delimiter, lineEnd }, limits, sampleIsWhole));
    if (score > bestScore) [best, bestScore] = [{ delimiter, lineEnd }, score];
  }
  return best;
}

/** Old exports end their lines with a carriage return alone; a line feed inside a quoted value does not change that. */
function lineEndOf(sample: Buffer): CsvDialect['lineEnd'] {
  let feeds = 0;
  let returns = 0;
  for (let at = 0; at < sample.length; at += 1) {
    if (sample[at] === 10) feeds += 1;
    else if (sample[at] === 13 && sample[at + 1] !== 10) returns += 1;
  }
  return returns > feeds ? 'CR' : 'LF';
}

function fieldCounts(sample: Buffer, dialect: CsvDialect, limits: ReadLimits, sampleIsWhole: boolean): number[] {
  const scanner = new CsvScanner(dialect, limits);
  const counts: number[] = [];
  scanner.feed(sample);
  if (sampleIsWhole) scanner.end();
  while (counts.length < ROWS_LOOKED_AT && scanner.next()) if (scanner.row.filled > 0) counts.push(scanner.row.count);
  return counts;
}

/** Share of rows with the most common number of fields above one, slightly higher for more fields. */
function evenness(counts: number[]): number {
  const rowsByCount = new Map<number, number>();
  for (const count of counts) if (count > 1) rowsByCount.set(count, (rowsByCount.get(count) ?? 0) + 1);
  let best = 0;
  for (const [count, rows] of rowsByCount) best = Math.max(best, (rows / counts.length) * (1 - 0.5 / count));
  return best;
}
