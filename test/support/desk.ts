import assert from 'node:assert/strict';
import type { Tx } from '../../src/platform/db/database.ts';
import { type Answer, codeOf, type Envelope, type Gateway, type Holder } from './gateway.ts';
import { type DealInput, insertMarkWithCash, type ListedDeal, listDeal, type MarkInput, setProfile } from './market.ts';
import { until } from './until.ts';

export type Desk = Awaited<ReturnType<typeof openDesk>>;
export type AllocationMethod = 'PRO_RATA' | 'CLEARING_YIELD';

/** A seller, an operator and any number of investors, and what they do on the market; every act gives its answer, whatever it is. */
export async function openDesk(gateway: Gateway) {
  const seller = await gateway.key('originator', 'Seller');
  const operator = await gateway.key('operator', 'Platform');
  let investors = 0;
  const send = (method: string, path: string, as: Holder, body?: object): Promise<Answer> =>
    gateway.call(method, path, { as, ...(body === undefined ? {} : { body }) });
  const invest = (method: string, path: string, as: Holder, body?: object) => send(method, `/v1/api/investor/${path}`, as, body);
  const operate = (method: string, path: string, body?: object) => send(method, `/v1/operator/${path}`, operator, body);
  const onDeal = (deal: ListedDeal, path: string, as: Holder, body: object) =>
    invest('POST', `deals/${deal.deal_id}/${path}`, as, body);
  return {
    gateway,
    seller,
    operator,
    send,
    /** An investor whose verified profile is changed where a test says so; null: without a profile. */
    async investor(profile: Record<string, unknown> | null = {}): Promise<Holder> {
      const holder = await gateway.key('investor', `Investor ${(investors += 1)}`);
      await setProfile(gateway, holder, profile);
      return holder;
    },
    list: (input?: DealInput) => listDeal(gateway, seller, input),
    /** Publishes a mark with cash flows behind it: a clearing yield is priced from them. */
    mark: (deal: ListedDeal, input?: MarkInput) => insertMarkWithCash(gateway, seller, deal, input),
    get: (path: string, as: Holder) => invest('GET', path, as),
    /** What an investor reads; an error where it is refused. */
    read: async (path: string, as: Holder): Promise<Envelope['data']> => dataOf(await invest('GET', path, as)),
    operate,
    indicate: (deal: ListedDeal, as: Holder, interest_amount: unknown) => onDeal(deal, 'ioi', as, { interest_amount }),
    amendIoi: (id: string, as: Holder, interest_amount: unknown) => invest('PATCH', `iois/${id}`, as, { interest_amount }),
    withdrawIoi: (id: string, as: Holder) => invest('DELETE', `iois/${id}`, as),
    subscribe: (deal: ListedDeal, as: Holder, subscription_amount: unknown, more: object = {}) =>
      onDeal(deal, 'subscribe', as, { subscription_amount, ...more }),
    check: (deal: ListedDeal, as: Holder, subscription_amount: unknown, more: object = {}) =>
      onDeal(deal, 'subscribe/check', as, { subscription_amount, ...more }),
    confirm: (id: string, body?: object) => operate('POST', `subscriptions/${id}/confirm`, body),
    reject: (id: string, body?: object) => operate('POST', `subscriptions/${id}/reject`, body),
    amendSubscription: (id: string, as: Holder, subscription_amount: unknown) =>
      invest('PATCH', `subscriptions/${id}`, as, { subscription_amount }),
    cancel: (id: string, as: Holder) => invest('POST', `subscriptions/${id}/cancel`, as),
    /** An order in the first tranche unless the terms name another. */
    order: (deal: ListedDeal, as: Holder, terms: object) =>
      onDeal(deal, 'orders', as, { tranche_id: deal.tranches[0], ...terms }),
    amendOrder: (id: string, as: Holder, terms: object) => invest('PATCH', `orders/${id}`, as, terms),
    cancelOrder: (id: string, as: Holder) => invest('DELETE', `orders/${id}`, as),
    allocate: (deal: ListedDeal, method: AllocationMethod = 'PRO_RATA', more: object = {}) =>
      operate('POST', `deals/${deal.deal_id}/allocations`, { method, ...more }),
    answer: (allocationId: string, as: Holder, answer: 'accept' | 'decline') =>
      invest('POST', `allocations/${allocationId}/${answer}`, as),
    /** The operator settles, fails, retries or cancels a trade. */
    decide: (tradeId: string, act: 'settle' | 'fail' | 'retry' | 'cancel', body?: object) =>
      operate('POST', `trades/${tradeId}/${act}`, body),
    /** The operator moves a deal on the market. */
    move: (deal: ListedDeal, act: 'close-books' | 'reopen-books' | 'close' | 'withdraw', body?: object) =>
      operate('POST', `deals/${deal.deal_id}/${act}`, body),
    /** A subscription that the operator has confirmed; its id. */
    async confirmed(deal: ListedDeal, as: Holder, amount: number, more: object = {}): Promise<string> {
      const { subscription_id } = dataOf(await onDeal(deal, 'subscribe', as, { subscription_amount: amount, ...more }));
      dataOf(await operate('POST', `subscriptions/${subscription_id}/confirm`));
      return subscription_id;
    },
    /** The allocations of one deal that an investor was given, oldest first. */
    async allocations(deal: ListedDeal, as: Holder): Promise<Allocation[]> {
      return dataOf(await invest('GET', `allocations?limit=100&deal_id=${deal.deal_id}`, as)).toReversed();
    },
    /** Accepts an allocation that must be accepted; its trade's id. */
    async trade(allocationId: string, as: Holder): Promise<string> {
      return dataOf(await invest('POST', `allocations/${allocationId}/accept`, as)).trade_id;
    },
    /** What is left of a tranche, the first unless another is named. */
    async remaining(deal: ListedDeal, as: Holder, trancheId = deal.tranches[0]): Promise<number> {
      const { tranches } = dataOf(await invest('GET', `deals/${deal.deal_id}`, as));
      return tranches.find((each: { tranche_id: string }) => each.tranche_id === trancheId).remaining_capacity;
    },
    /** Entries of the audit log about a record, oldest first. */
    audited: (entityId: string): Promise<AuditEntry[]> =>
      gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.rows<AuditEntry>(
          'select action, actor, organization_id, before, after, reason from audit_log where entity_id = $1 order by sequence',
          [entityId],
        ),
      ),
  };
}

export type Allocation = {
  allocation_id: string;
  order_id: string | null;
  subscription_id: string | null;
  requested_amount: number;
  allocated_amount: number;
  fill_ratio: number;
  yield: number | null;
  price: number | null;
  reason: string;
  status: string;
  expires_at: string;
  created_at: string;
  trade_id: string | null;
};

export type AuditEntry = {
  action: string;
  actor: string;
  organization_id: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  reason: string | null;
};

/** The data of an answer that must be a success. */
export function dataOf(answer: Answer): Envelope['data'] {
  assert.ok(answer.status < 300, `${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

/** The checks that a refusal says have failed. */
export const failedChecks = (answer: Answer): string[] =>
  (answer.body.errors ?? []).filter((each) => each.result === 'failed').map((each) => each.check);

/** Every table that an act on the market may write. */
const TABLES = [
  'alerts',
  'allocation_rounds',
  'allocations',
  'audit_log',
  'calculations',
  'events',
  'fixings',
  'iois',
  'latest_marks',
  'ledger_entries',
  'mark_publications',
  'marks',
  'orders',
  'encumbered_loans',
  'loan_fingerprints',
  'pools',
  'portfolio_run_deals',
  'portfolio_runs',
  'positions',
  'scenario_flows',
  'securitization_deals',
  'statements',
  'subscriptions',
  'trades',
  'tranche_books',
  'tranche_factors',
  'tranches',
  'watchlist',
  'webhook_deliveries',
] as const;

/** Does something and names the tables whose rows are others than before: none where a refusal left no trace. */
export async function changesOf<Result>(
  gateway: Gateway,
  act: () => Promise<Result>,
): Promise<{ result: Result; changed: string[] }> {
  const before = await digests(gateway);
  const result = await act();
  const after = await digests(gateway);
  return { result, changed: TABLES.filter((table) => before.get(table) !== after.get(table)) };
}

async function digests(gateway: Gateway): Promise<Map<string, string>> {
  const each = TABLES.map(
    (table) => `select '${table}' as name, md5(coalesce(string_agg(t::text, '' order by t::text), '')) as digest from ${table} t`,
  );
  const rows = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ name: string; digest: string }>(each.join(' union all ')),
  );
  return new Map(rows.map((row) => [row.name, row.digest]));
}

/** A refusal with this status and code that left nothing but what the test says: by default, nothing at all. */
export async function assertRefused(
  gateway: Gateway,
  act: () => Promise<Answer>,
  [status, code]: [number, string],
  changed: string[] = [],
): Promise<Answer> {
  const refusal = await changesOf(gateway, act);
  assert.deepEqual(codeOf(refusal.result), [status, code], JSON.stringify(refusal.result.body));
  assert.deepEqual(refusal.changed, changed);
  return refusal.result;
}

/** Waits until as many statements as said wait for a lock of another transaction. */
export async function waitingForLock(gateway: Gateway, count = 1): Promise<void> {
  const owner = await gateway.owner();
  try {
    const waiting = `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await until(async () => ((await owner.query<{ count: number }>(waiting)).rows[0]?.count ?? 0) >= count, 60_000);
  } finally {
    await owner.end();
  }
}

/** Does work in a transaction and leaves it open; what is returned commits it. */
export async function heldOpen(gateway: Gateway, work: (tx: Tx) => Promise<unknown>): Promise<() => Promise<void>> {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let done = (): void => {};
  const worked = new Promise<void>((resolve) => (done = resolve));
  const transaction = gateway.deps.db.tx({ platform: true }, async (tx) => {
    await work(tx);
    done();
    await held;
  });
  await Promise.race([worked, transaction]);
  return async () => {
    release();
    await transaction;
  };
}
