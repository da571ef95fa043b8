import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  DIGEST_DIGITS,
  FINGERPRINT_COLUMNS,
  fingerprintsPath,
  IDENTITY_COLUMNS,
  SEPARATOR,
} from '../../loans/identity/write-identities.ts';
import { ahead } from '../../platform/ahead.ts';

/** The columns of some rows, each the text of an array of the database. */
export type Batch = string[];

const BATCH_ROWS = 10_000;

/** Reads the file of `writeIdentities` in batches, in the order of the file and of `IDENTITY_COLUMNS`. */
export const readIdentities = (path: string): AsyncGenerator<Batch> =>
  readAhead(path, IDENTITY_COLUMNS.length, (columns) =>
    columns.map((values, place) => arrayOf(place === LOAN_ID ? values.map(quoted) : values.map((value) => value || 'NULL'))),
  );

/** Reads the fingerprints beside it: kinds, blocks, and of each block the array of digests and that of the row numbers. */
export const readFingerprints = (path: string): AsyncGenerator<Batch> =>
  readAhead(fingerprintsPath(path), FINGERPRINT_COLUMNS.length, ([kinds = [], blocks = [], loans = []]) => {
    const pairs = loans.map((text) => text.split(','));
    const part = (from: number, to?: number) => pairs.map((each) => `"${arrayOf(each.map((pair) => pair.slice(from, to)))}"`);
    return [kinds, blocks, part(0, DIGEST_DIGITS), part(DIGEST_DIGITS)].map(arrayOf);
  });

/** Batches of a file: the next one is read while the database writes the last. */
const readAhead = (path: string, columns: number, toBatch: (columns: string[][]) => Batch): AsyncGenerator<Batch> =>
  ahead(readBatches(path, columns, toBatch), 1);

async function* readBatches(path: string, count: number, toBatch: (columns: string[][]) => Batch): AsyncGenerator<Batch> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  const empty = (): string[][] => Array.from({ length: count }, () => []);
  let columns = empty();
  for await (const line of lines) {
    line.split(SEPARATOR).forEach((value, place) => columns[place]?.push(value));
    if (columns[0]?.length === BATCH_ROWS) {
      yield toBatch(columns);
      columns = empty();
    }
  }
  if (columns[0]?.length) yield toBatch(columns);
}

const LOAN_ID = IDENTITY_COLUMNS.indexOf('loan_id');

const arrayOf = (items: readonly string[]): string => `{${items.join(',')}}`;

/** A text of an array, which may hold what has a meaning in one. */
const quoted = (value: string): string => (value === '' ? 'NULL' : `"${value.replace(/["\\]/g, '\\$&')}"`);
