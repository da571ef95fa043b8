import { audit } from '../../platform/audit.ts';
import type { Database, Scope } from '../../platform/db/database.ts';
import { createBatcher as inCompany } from '../../platform/batcher.ts';
import { type Ask, type BookFacts, loadFactsOf } from '../compliance/queries.ts';
import { creationOf } from './subscription.ts';
import { insertSubscriptions, type NewSubscription, type SubscriptionRow } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

/** A subscription to be made, and the key that asks for it. */
type Passing = { actor: string; row: Omit<NewSubscription, 'subscription_id'> };

export type Together = {
  /** Facts of an ask, never older than the ask. Null when there is nothing to ask for. */
  facts(ask: Ask): Promise<BookFacts | null>;
  /** The subscription with its capacity taken, committed; null when the books are closed or the capacity is not there. */
  insert(ask: Passing): Promise<SubscriptionRow | null>;
};

const known = new WeakMap<Database, Together>();

/**
 * Reads and commits the asks of this process together, as many as wait at a moment: every subscription of a tranche changes the
 * tranche's one row, which otherwise is held through a commit for each of them.
 */
export function together(db: Database): Together {
  const found = known.get(db) ?? create(db);
  known.set(db, found);
  return found;
}

function create(db: Database): Together {
  const facts = inCompany((_line, asks: readonly Ask[]) => db.peek(investorsOf(asks), (reader) => loadFactsOf(reader, asks)));
  const insert = inCompany((_tranche, asks: readonly Passing[]) => insertAllOrEach(db, asks));
  return { facts: (ask) => facts('facts', ask), insert: (ask) => insert(ask.row.tranche_id, ask) };
}

/** All of them in one transaction; where that is refused, each on its own, in the order in which they came. */
async function insertAllOrEach(db: Database, asks: readonly Passing[]): Promise<(SubscriptionRow | null)[]> {
  if (asks.length > 1) {
    const all = await insertAll(db, asks).catch(() => null);
    if (all) return all;
  }
  const each: (SubscriptionRow | null)[] = [];
  for (const ask of asks) each.push((await insertAll(db, [ask]))?.[0] ?? null);
  return each;
}

function insertAll(db: Database, asks: readonly Passing[]): Promise<SubscriptionRow[] | null> {
  return db.tx(investorsOf(asks.map(({ row }) => row)), async (tx) => {
    const rows = asks.map(({ row }) => ({ ...row, subscription_id: tx.newId('sub') }));
    const created = await insertSubscriptions(tx, rows);
    if (created) audit(tx, ...created.map((row, index) => creationOf(asks[index]?.actor ?? '', row)));
    return created;
  });
}

/** Those in whose names a batch is committed, and nobody else. */
const investorsOf = (rows: readonly { organization_id: Id<'org'> }[]): Scope => ({
  market: [...new Set(rows.map((row) => row.organization_id))],
});
