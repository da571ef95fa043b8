import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Tx } from '../../platform/db/database.ts';
import type { ObjectStore } from '../../platform/files/store.ts';
import { destroyAgain } from './seal-queries.ts';

/** Where destructions are listed in the object store. */
export const DESTRUCTIONS = 'destructions';
const MOST_BYTES = 1024 * 1024;

/** The record of a destruction: which data keys were destroyed, and when. */
export type Destruction = { organization_id: string; deal_id: string; versions: number[]; destroyed_at: string };

/** Adds a destruction to the list in the object store, which outlives the database; returns its key. */
export async function listDestruction(store: ObjectStore, destruction: Destruction): Promise<string> {
  const { organization_id, deal_id } = destruction;
  const bytes = Buffer.from(`${JSON.stringify(destruction)}\n`);
  const key = `${DESTRUCTIONS}/${organization_id}/${deal_id}/${randomUUID()}.json`;
  await store.put(key, Readable.from([bytes]), bytes.length);
  return key;
}

/** Applies every listed destruction to a database that may be older than it; returns how many data keys it still had. */
export async function applyDestructions(
  store: ObjectStore,
  inTransaction: (work: (tx: Tx) => Promise<number>) => Promise<number>,
): Promise<{ listed: number; destroyed: number }> {
  let [listed, destroyed] = [0, 0];
  for await (const { key } of store.list(`${DESTRUCTIONS}/`)) {
    const destruction = await readDestruction(store, key);
    listed += 1;
    destroyed += await inTransaction((tx) => destroyAgain(tx, destruction));
  }
  return { listed, destroyed };
}

async function readDestruction(store: ObjectStore, key: string): Promise<Destruction> {
  const found = await store.get(key);
  if (!found || found.size > MOST_BYTES) throw new Error(`${key} cannot be read: it is missing or too large`);
  const read = JSON.parse(await text(found.stream)) as Partial<Destruction>;
  const { organization_id, deal_id, versions, destroyed_at } = read;
  if (!organization_id || !deal_id || !versions || !destroyed_at) throw new Error(`${key} is no record of a destruction`);
  return { organization_id, deal_id, versions, destroyed_at };
}
