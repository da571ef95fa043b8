import { audit } from '../../platform/audit.ts';
import type { Database, Scope } from '../../platform/db/database.ts';
import { isBroken } from '../../platform/db/pool.ts';
import type { Deps } from '../../platform/deps.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { isDatabaseUnavailable } from '../../platform/unavailable.ts';
import { hasConcentrationLimit, judgeRequest, requireFacts } from '../compliance/compliance.ts';
import { type BookFacts, type CommitmentRequest, loadFactsOf } from '../compliance/queries.ts';
import { insertSubscriptions, type NewSubscription, type SubscriptionRow } from './queries.ts';
import { creationEntry, newSubscription, subscribe, SUBSCRIPTION_RULE, type SubscriptionRequest } from './subscribe.ts';

/** A subscription to create, and the key that requests it. */
type CheckedSubscription = { actor: Actor; row: Omit<NewSubscription, 'subscription_id'> };

/**
 * Subscribes together with the other requests of this process that wait for the same tranche: every subscription of a tranche updates
 * the tranche's one row, which would otherwise stay locked through a commit for each of them. A request that needs more than the
 * insert (a review raises an alert, a limit takes a lock, lost capacity has a reason) runs the operation in a transaction of its own.
 */
export async function subscribeInBatch(
  { db, batchers }: Pick<Deps, 'db' | 'batchers'>,
  actor: Actor,
  input: SubscriptionRequest,
): Promise<SubscriptionRow> {
  const request = { organization_id: actor.organization_id, ...input };
  const facts = requireFacts(request, await batchers.of(readFacts)('facts', request));
  const checked = judgeRequest(request, facts, SUBSCRIPTION_RULE);
  if (checked.result === 'passed' && !hasConcentrationLimit(facts)) {
    const created = await batchers.of(insertBatch)(facts.tranche_id, { actor, row: newSubscription(request, checked) });
    if (created) return created;
  }
  const { tranche_id } = facts;
  return db.tx({ market: [actor.organization_id] }, (tx) => subscribe(tx, actor, { ...input, tranche_id }));
}

/** Reads the facts of each request, never older than the request; null where no such tranche is on offer. */
function readFacts(db: Database, _key: string, requests: readonly CommitmentRequest[]): Promise<(BookFacts | null)[]> {
  return db.peek(investorsOf(requests), (reader) => loadFactsOf(reader, requests));
}

/** Inserts all requests of a tranche in one transaction; if that is refused, each in its own. */
async function insertBatch(
  db: Database,
  _trancheId: string,
  batch: readonly CheckedSubscription[],
): Promise<readonly (SubscriptionRow | null | Promise<SubscriptionRow | null>)[]> {
  if (batch.length === 1) return insertEach(db, batch);
  const all = await insertTogether(db, batch).catch((error: unknown) => {
    if (!wasRefused(error)) throw error;
    return null;
  });
  return all ?? insertEach(db, batch);
}

/**
 * Whether the database has refused a transaction for what is in it. It has then written nothing; where its answer was lost, the
 * transaction may be committed, and must not be sent again.
 */
const wasRefused = (error: unknown): boolean => !isBroken(error) && !isDatabaseUnavailable(error);

/** Inserts each request in a transaction of its own, in the order of arrival, until the database is gone: the others are then not sent. */
async function insertEach(db: Database, batch: readonly CheckedSubscription[]): Promise<Promise<SubscriptionRow | null>[]> {
  const each: Promise<SubscriptionRow | null>[] = [];
  for (const item of batch) {
    const inserted = insertAlone(db, item);
    each.push(inserted);
    const goesOn = await inserted.then(() => true, wasRefused);
    if (!goesOn) return batch.map((_item, index) => each[index] ?? inserted);
  }
  return each;
}

const insertAlone = async (db: Database, item: CheckedSubscription): Promise<SubscriptionRow | null> =>
  (await insertTogether(db, [item]))?.[0] ?? null;

function insertTogether(db: Database, batch: readonly CheckedSubscription[]): Promise<SubscriptionRow[] | null> {
  return db.tx(investorsOf(batch.map(({ row }) => row)), async (tx) => {
    const rows = batch.map(({ row }) => ({ ...row, subscription_id: tx.newId('sub') }));
    const created = await insertSubscriptions(tx, rows);
    if (created) audit(tx, ...created.map((row, index) => creationEntry(batch[index]?.actor.actor_id ?? '', row)));
    return created;
  });
}

/** The scope of a batch: the investors that it reads or commits for, and nobody else. */
const investorsOf = (rows: readonly { organization_id: Id<'org'> }[]): Scope => ({
  market: [...new Set(rows.map((row) => row.organization_id))],
});
