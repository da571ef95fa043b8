import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { IDENTITY_COLUMNS, SEPARATOR } from '../../loans/identity/write-identities.ts';

/** The columns of some loans, each the text of an array of the database, in the order of `IDENTITY_COLUMNS`. */
export type IdentityBatch = string[];

const BATCH_LOANS = 10_000;

/** Reads the file of `writeIdentities` in batches, in the order of the file: the next one while the database writes the last. */
export async function* readIdentities(path: string): AsyncGenerator<IdentityBatch> {
  const batches = readBatches(path);
  let next = batches.next();
  try {
    for (let batch = await next; !batch.done; batch = await next) {
      next = batches.next();
      // If nobody asks for it, its failure is nobody's.
      next.catch(() => {});
      yield batch.value;
    }
  } finally {
    await batches.return(undefined);
  }
}

async function* readBatches(path: string): AsyncGenerator<IdentityBatch> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  let columns = emptyColumns();
  for await (const line of lines) {
    line.split(SEPARATOR).forEach((value, place) => columns[place]?.push(value));
    if (columns[0]?.length === BATCH_LOANS) {
      yield columns.map(arrayText);
      columns = emptyColumns();
    }
  }
  if (columns[0]?.length) yield columns.map(arrayText);
}

const emptyColumns = (): string[][] => IDENTITY_COLUMNS.map(() => []);
const LOAN_ID = IDENTITY_COLUMNS.indexOf('loan_id');

function arrayText(values: readonly string[], place: number): string {
  const items = place === LOAN_ID ? values.map(quoted) : values.map((value) => value || 'NULL');
  return `{${items.join(',')}}`;
}

const quoted = (value: string): string => (value === '' ? 'NULL' : `"${value.replace(/["\\]/g, '\\$&')}"`);
