import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { writeWithoutObligors } from '../../loans/export/without-obligors.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { type ObjectStore, StoreUnavailable } from '../../platform/files/store.ts';
import type { Id } from '../../platform/ids.ts';
import { lockDeal } from '../deals/queries.ts';
import { claimStored, noteUnclaimed } from '../uploads/sweep-queries.ts';
import { commitChecks } from './commit-checks.ts';
import type { Tape } from './queries.ts';
import {
  countUndestroyed,
  destroyDataKey,
  dropUnsealedTape,
  listLoansKeys,
  listUndestroyed,
  replaceLoans,
} from './seal-queries.ts';

/** Where destructions are listed in the object store. */
export const DESTRUCTIONS = 'destructions';
const MOST_BYTES = 1024 * 1024;

/** The record of a destruction: which data keys were destroyed, and when. */
export type Destruction = { organization_id: Id<'org'>; deal_id: Id<'deal'>; versions: number[]; destroyed_at: string };

/** What came of the list: how many versions were destroyed again, and the records that could not be applied, with why. */
export type Applied = { listed: number; destroyed: number; failures: string[] };

const DESTROYED_FIRST =
  'The personal data of this version were destroyed before its checks had ended on this copy of the database: send the tape as a new version.';

/** Adds a destruction to the list in the object store, which outlives the database; returns its key. */
export async function listDestruction(store: ObjectStore, destruction: Destruction): Promise<string> {
  const { organization_id, deal_id } = destruction;
  const bytes = Buffer.from(`${JSON.stringify(destruction)}\n`);
  const key = `${DESTRUCTIONS}/${organization_id}/${deal_id}/${randomUUID()}.json`;
  await store.put(key, Readable.from([bytes]), bytes.length);
  return key;
}

/** Where the files of tapes are, and what reads and writes their loans. */
type Files = Pick<Deps, 'store' | 'columns' | 'workDir'>;

type InTransaction = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;

/** Applies every listed destruction to a database that may be older than it. One that fails does not keep the others from being applied. */
export async function applyDestructions(files: Files, inTransaction: InTransaction): Promise<Applied> {
  const applied: Applied = { listed: 0, destroyed: 0, failures: [] };
  for await (const { key } of files.store.list(`${DESTRUCTIONS}/`)) {
    applied.listed += 1;
    try {
      const destruction = await readDestruction(files.store, key);
      applied.destroyed += await inTransaction((tx) => destroyAgain(tx, { ...files, inTransaction }, destruction));
    } catch (error) {
      applied.failures.push(`${key}: ${(error as Error).message}`);
    }
  }
  return applied;
}

/** The deals whose personal data are in this database, though their destruction is listed. */
export async function listUnapplied(store: ObjectStore, reader: Reader): Promise<Id<'deal'>[]> {
  const deals = new Set<Id<'deal'>>();
  for await (const { key } of store.list(`${DESTRUCTIONS}/`)) {
    // What cannot be read is named where the list is applied.
    const destruction = await readDestruction(store, key).catch((error: Error) => {
      if (error instanceof StoreUnavailable) throw error;
      return null;
    });
    if (!destruction) continue;
    const { organization_id, deal_id, versions, destroyed_at } = destruction;
    const left = await countUndestroyed(reader, organization_id, deal_id, { versions, destroyedAt: new Date(destroyed_at) });
    if (left > 0) deals.add(deal_id);
  }
  return [...deals];
}

/** Destroys what a destruction names, as it is in this database: sealed, or still as it was sent. Returns how many versions. */
async function destroyAgain(
  tx: Tx,
  files: Files & { inTransaction: InTransaction },
  { organization_id, deal_id, versions, destroyed_at }: Destruction,
): Promise<number> {
  const destroyedAt = new Date(destroyed_at);
  // Checks lock the deal before its tape.
  await lockDeal(tx, organization_id, deal_id);
  const tapes = await listUndestroyed(tx, organization_id, deal_id, { versions, destroyedAt });
  for (const tape of tapes) {
    const isSealed = tape.data_key !== null;
    if (isSealed) await destroyDataKey(tx, tape, destroyedAt);
    else {
      for (const key of await listLoansKeys(tx, tape)) await removeObligors(tx, files, tape, key);
      await dropUnsealedTape(tx, tape, destroyedAt);
    }
    // Without a raw table there is nothing left to check.
    const isReadable = isSealed && tape.raw_key !== null;
    if (tape.state === 'RUNNING' && !isReadable) await commitChecks(tx, tape, { result: null, failure: DESTROYED_FIRST });
  }
  return tapes.length;
}

/**
 * Takes out of loans that were not sealed what names their obligors; of sealed ones tokens stand there. The other fields stay: the deal and
 * the claims of pools rest on them.
 */
async function removeObligors(
  tx: Tx,
  { store, columns, workDir, inTransaction }: Files & { inTransaction: InTransaction },
  tape: Tape,
  key: string,
): Promise<void> {
  const loansPath = await store.localPath(key);
  // A file that the backup did not have any more holds nothing.
  if (loansPath === null) return;
  const directory = await mkdtemp(join(workDir, 'destruction-'));
  try {
    const path = join(directory, 'loans.parquet');
    if (!(await writeWithoutObligors(columns, loansPath, path))) return;
    const by = `${key.slice(0, key.lastIndexOf('/'))}/${randomUUID()}.parquet`;
    // In a transaction of its own: one that ends without the destruction leaves an object that is deleted.
    await inTransaction((own) => noteUnclaimed(own, tape.organization_id, by));
    await store.put(by, createReadStream(path), Number.MAX_SAFE_INTEGER);
    await claimStored(tx, [by]);
    await replaceLoans(tx, tape, key, by);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function readDestruction(store: ObjectStore, key: string): Promise<Destruction> {
  const found = await store.get(key);
  if (!found || found.size > MOST_BYTES) throw new Error(`${key} cannot be read: it is missing or too large`);
  const read = JSON.parse(await text(found.stream)) as Partial<Destruction>;
  const { organization_id, deal_id, versions, destroyed_at } = read;
  if (!organization_id || !deal_id || !versions || !destroyed_at) throw new Error(`${key} is no record of a destruction`);
  if (Number.isNaN(Date.parse(destroyed_at))) throw new Error(`${key} has no date of its destruction`);
  return { organization_id, deal_id, versions, destroyed_at };
}
