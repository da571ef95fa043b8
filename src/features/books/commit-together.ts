import type { Database, Scope } from '../../platform/db/database.ts';
import { inCompany } from './company.ts';
import { type Ask, type BookFacts, loadFactsOf } from './facts-queries.ts';
import { insertSubscriptions, type NewSubscription, type SubscriptionRow } from './subscription-queries.ts';

export type Together = {
  /** Facts of an ask, never older than the ask. Null when there is nothing to ask for. */
  facts(ask: Ask): Promise<BookFacts | null>;
  /** The subscription with its capacity taken, committed; null when the books are closed or the capacity is not there. */
  insert(row: NewSubscription): Promise<SubscriptionRow | null>;
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
  const insert = inCompany((_tranche, rows: readonly NewSubscription[]) => insertAllOrEach(db, rows));
  return { facts: (ask) => facts('facts', ask), insert: (row) => insert(row.tranche_id, row) };
}

/** All of them in one transaction; where that is refused, each on its own, in the order in which they came. */
async function insertAllOrEach(db: Database, rows: readonly NewSubscription[]): Promise<(SubscriptionRow | null)[]> {
  if (rows.length > 1) {
    const all = await insertAll(db, rows).catch(() => null);
    if (all) return all;
  }
  const each: (SubscriptionRow | null)[] = [];
  for (const row of rows) each.push((await insertAll(db, [row]))?.[0] ?? null);
  return each;
}

const insertAll = (db: Database, rows: readonly NewSubscription[]): Promise<SubscriptionRow[] | null> =>
  db.tx(investorsOf(rows), (tx) => insertSubscriptions(tx, rows));

/** Those in whose names a batch is committed, and nobody else. */
const investorsOf = (rows: readonly { organization_id: string }[]): Scope => ({
  market: [...new Set(rows.map((row) => row.organization_id))],
});
