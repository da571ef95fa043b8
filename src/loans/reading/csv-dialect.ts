import { type CsvDialect, CsvScanner } from './csv-scanner.ts';
import type { ReadLimits } from './raw-table.ts';
import { PLAIN, type Row } from './row.ts';
import { countMatches } from './text-source.ts';

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
  const blanks: CsvDialect = { delimiter: ' ', lineEnd };
  return isBlankDelimited(rowsOf(sample, blanks, limits, sampleIsWhole), bestScore > 0) ? blanks : best;
}

/** Old exports end their lines with a carriage return alone; a line feed inside a quoted value does not change that. */
function lineEndOf(sample: Buffer): CsvDialect['lineEnd'] {
  return countMatches(sample, /\r(?!\n)/g) > countMatches(sample, /\n/g) ? 'CR' : 'LF';
}

function fieldCounts(sample: Buffer, dialect: CsvDialect, limits: ReadLimits, sampleIsWhole: boolean): number[] {
  return Array.from(rowsOf(sample, dialect, limits, sampleIsWhole), (row) => row.count);
}

/** The first rows that are not blank, each valid until the next is taken. */
function* rowsOf(sample: Buffer, dialect: CsvDialect, limits: ReadLimits, sampleIsWhole: boolean): Generator<Row, void> {
  const scanner = new CsvScanner(dialect, limits);
  scanner.feed(sample);
  if (sampleIsWhole) scanner.end();
  for (let count = 0; count < ROWS_LOOKED_AT && scanner.next(); )
    if (scanner.row.filled > 0) {
      count += 1;
      yield scanner.row;
    }
}

/** Share of rows with the most common number of fields above one, slightly higher for more fields. */
function evenness(counts: number[]): number {
  const rowsByCount = new Map<number, number>();
  for (const count of counts) if (count > 1) rowsByCount.set(count, (rowsByCount.get(count) ?? 0) + 1);
  let best = 0;
  for (const [count, rows] of rowsByCount) best = Math.max(best, (rows / counts.length) * (1 - 0.5 / count));
  return best;
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/**
 * Whether the values are single blanks apart, as R's `write.table` writes them. Blanks are everywhere in text, so nothing may be in doubt:
 * every row has the same number of values, the header as many or, above row names, one less, and some column holds numbers without quotes.
 * Names that are all quoted settle it; bare ones only where no other delimiter divides a row, and there are three columns.
 */
function isBlankDelimited(rows: Iterable<Row>, isDivided: boolean): boolean {
  let names = 0;
  let width = 0;
  let loans = 0;
  /** By column: whether all values so far are numbers or missing, and whether one is a number. */
  let numeric: boolean[] = [];
  let seen: boolean[] = [];
  for (const row of rows) {
    const fields = Array.from({ length: Math.min(row.count, row.capacity) }, (_, index) => row.text(index));
    if (row.fault !== '' || row.strayQuote || fields.some((text, index) => isDoubtful(text, row.kinds[index]))) return false;
    if (names === 0) {
      names = fields.length;
      const quoted = row.kinds.subarray(0, names).every((kind) => kind !== PLAIN);
      if (names < 2 || (!quoted && (isDivided || names < 3))) return false;
      continue;
    }
    if (width === 0) [width, numeric, seen] = [fields.length, fields.map(() => true), fields.map(() => false)];
    if (fields.length !== width) return false;
    loans += 1;
    fields.forEach((text, index) => {
      const isNumber = row.kinds[index] === PLAIN && NUMBER.test(text);
      numeric[index] &&= isNumber || text === 'NA';
      seen[index] ||= isNumber;
    });
  }
  return loans >= 2 && (width === names || width === names + 1) && numeric.some((all, index) => all && seen[index]);
}

/** A value that is empty or holds a quotation mark without being quoted: blanks that align, or no such table. */
function isDoubtful(text: string, kind: number): boolean {
  return kind === PLAIN && (text === '' || text.includes('"'));
}
