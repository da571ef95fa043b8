import { raiseAlert } from '../../events/emit.ts';
import { audit } from '../../platform/audit.ts';
import type { Database, Reader, Tx } from '../../platform/db/database.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { Context } from '../../platform/http/route.ts';
import { type Id } from '../../platform/ids.ts';
import { type Assessment, assess, type Check, type Finding, SUBSCRIPTION_CHECKS } from '../compliance/compliance.ts';
import { together } from './batch.ts';
import { type Ask, type BookFacts, loadExposure, loadFacts, serializeInvestor } from '../compliance/queries.ts';
import { insertSubscriptions, type NewSubscription, type SubscriptionRow } from './queries.ts';
import { ComplianceRefusal } from '../compliance/refusal.ts';
import { creationOf } from './subscription.ts';

const REFUSED = 'subscription.refused';

export type Passed = Assessment & { result: 'passed' | 'review_required'; facts: BookFacts };

/** How an operation reads and writes: a request's own context. */
type Store = Pick<Context<unknown, unknown, unknown>, 'deps' | 'write' | 'request' | 'caller'>;

/**
 * Commits an investor to a tranche: runs the checks on stored facts, takes capacity and converts a live indication. Capacity and open
 * books are what others change meanwhile, and the statement that takes capacity looks at them itself. Throws 404 when the deal or
 * tranche is not there for the investor, and a ComplianceRefusal when a check fails.
 */
export async function subscribe(store: Store, ask: Ask): Promise<SubscriptionRow> {
  const { db } = store.deps;
  const actor = store.caller.key_id;
  const facts = required(ask, await together(db).facts(ask));
  const passed = judge(ask, facts, SUBSCRIPTION_CHECKS, REFUSED);
  try {
    if (needsSteps(store, passed)) return await store.write((tx) => subscribeInSteps(tx, actor, ask));
    return taken(await together(db).insert({ actor, row: rowOf(ask, passed) }));
  } catch (error) {
    if (error instanceof Lost) return await refuse(db, ask, facts);
    throw error;
  }
}

/** A review raises an alert, a limit needs a lock, a key stores the answer: these take a transaction of their own. */
const needsSteps = ({ request }: Store, { facts, result }: Passed): boolean =>
  result === 'review_required' || hasLimit(facts) || request.headers['idempotency-key'] !== undefined;

async function subscribeInSteps(tx: Tx, actor: string, ask: Ask): Promise<SubscriptionRow> {
  const passed = await checkAsk(tx, ask, SUBSCRIPTION_CHECKS, REFUSED);
  const [created] = (await insertSubscriptions(tx, [{ ...rowOf(ask, passed), subscription_id: tx.newId('sub') }])) ?? [];
  const row = taken(created);
  audit(tx, creationOf(actor, row));
  if (passed.result === 'review_required') {
    await alertReview(tx, ask.organization_id, 'subscription', row.subscription_id, passed.facts, passed.findings);
  }
  return row;
}

/** Someone else took what was left, or the books closed, since the facts were read. */
class Lost extends Error {}

function taken(row: SubscriptionRow | null | undefined): SubscriptionRow {
  if (!row) throw new Lost();
  return row;
}

function rowOf(ask: Ask, { facts, result, findings }: Passed): Omit<NewSubscription, 'subscription_id'> {
  return {
    organization_id: ask.organization_id,
    deal_id: ask.deal_id,
    tranche_id: facts.tranche_id,
    compliance_check_result: result,
    compliance_checks: findings,
    amount: ask.amount,
    created_at: facts.now,
  };
}

/** The same checks without creating anything. */
export function checkSubscription(tx: Tx, ask: Ask): Promise<Passed> {
  return checkAsk(tx, ask, SUBSCRIPTION_CHECKS, REFUSED);
}

/**
 * Loads the facts of an ask and runs the checks on them: 404 when there is nothing to ask for, a ComplianceRefusal on a failed check.
 * The asks of an investor with a limit wait for each other.
 */
export async function checkAsk(
  tx: Tx,
  ask: Ask & { without?: string },
  checks: readonly Check[],
  action: string,
): Promise<Passed> {
  const facts = await readFacts(tx, ask);
  if (!hasLimit(facts)) return judge(ask, facts, checks, action);
  await serializeInvestor(tx, ask.organization_id);
  const exposure = await loadExposure(tx, ask.organization_id, ask.deal_id, ask.without);
  return judge(ask, { ...facts, exposure }, checks, action);
}

async function readFacts(reader: Reader, ask: Ask): Promise<BookFacts> {
  return required(ask, await loadFacts(reader, ask));
}

function required(ask: Ask, facts: BookFacts | null): BookFacts {
  if (!facts) throw notFound(ask.tranche_id === null ? 'deal' : 'tranche on offer');
  return facts;
}

const hasLimit = (facts: BookFacts): boolean => (facts.profile?.concentration_limit ?? null) !== null;

function judge(ask: Ask, facts: BookFacts, checks: readonly Check[], action: string): Passed {
  const { result, findings } = assess(facts, checks);
  if (result === 'failed') throw refusal(ask, facts, findings, action);
  return { facts, result, findings };
}

const refusal = (ask: Ask, facts: BookFacts, findings: readonly Finding[], action: string): ComplianceRefusal =>
  new ComplianceRefusal({ action, deal_id: ask.deal_id, tranche_id: facts.tranche_id, amount: ask.amount }, findings);

/** Says what the facts are now; where they would pass again, that the capacity was not there a moment ago. */
async function refuse(db: Database, ask: Ask, facts: BookFacts): Promise<never> {
  const tranche = { ...ask, tranche_id: facts.tranche_id };
  const now = await db.peek({ market: [ask.organization_id] }, (reader) => readFacts(reader, tranche));
  const { findings } = judge(tranche, now, SUBSCRIPTION_CHECKS, REFUSED);
  const lost = findings.map(
    (finding): Finding =>
      finding.check === 'capacity'
        ? { ...finding, result: 'failed', reason: `Tranche ${facts.tranche.tranche} had not enough left.` }
        : finding,
  );
  throw refusal(tranche, now, lost, REFUSED);
}

/** Tells the investor that its ask waits for a compliance review. */
export async function alertReview(
  tx: Tx,
  organizationId: Id<'org'>,
  entityType: 'subscription' | 'order',
  entityId: string,
  facts: BookFacts,
  findings: Assessment['findings'],
): Promise<void> {
  const reasons = findings.filter((finding) => finding.result === 'review_required').map((finding) => finding.reason);
  await raiseAlert(tx, organizationId, 'compliance.review_required', {
    category: 'compliance',
    priority: 'HIGH',
    title: `${facts.deal_name}: a compliance review is required`,
    message: `The ${entityType} for ${facts.amount} of tranche ${facts.tranche.tranche} waits: ${reasons.join(' ')}`,
    entity_type: entityType,
    entity_id: entityId,
  });
}
