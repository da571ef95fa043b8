import { setTimeout as sleep } from 'node:timers/promises';
import { autoTape } from '../../support/tapes.ts';
import type { Books } from './books.ts';
import type { Client } from './client.ts';
import type { Random } from './random.ts';

export type Writing = { books: Books; random: Random; goesOn(): boolean };
/** A securitization deal on the market, and a tranche of it. */
export type Offer = { deal_id: string; tranche_id: string };

const ROWS = 5;
const LOANS = '/v1/api/originator/loans';
const CRITERIA = '/v1/api/originator/sc/criteria';
const LOAN_RULES = [{ id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 640 } }];
/** An organization may have a limited number of these. */
const MOST_RECEIVERS = 20;

/** Tapes, criteria and their versions, receivers, alerts that are read. */
export async function originate(client: Client, { books, random, goesOn }: Writing): Promise<void> {
  let receivers = 0;
  const acts = [
    () => sendTape(client, books),
    () => saveCriteria(client, books),
    () => readAlert(client, books, random),
    async () => {
      receivers += 1;
      if (receivers <= MOST_RECEIVERS) await addReceiver(client, books, receivers);
    },
  ];
  while (goesOn()) {
    await random.pick(acts)();
    await sleep(random.between(20, 150));
  }
}

async function sendTape(client: Client, books: Books): Promise<void> {
  const fileName = 'tape.csv';
  const draft = await client.write('POST', `${LOANS}/initiate`, { loanType: 'Auto', fileFormat: 'text/csv', fileName });
  if (!draft) return;
  books.acknowledge(client, 'deal', draft.deal_id, { loan_type: 'Auto' });
  // A repeated response may have no address: it is a permission, which is not kept.
  const address = draft.upload_url ? draft : await client.write('PATCH', `${LOANS}/${draft.deal_id}`, { fileName });
  if (!(await client.put(address.upload_url, address.upload_headers, autoTape(ROWS)))) return;
  if (!(await client.write('POST', `${LOANS}/complete`, { dealId: draft.deal_id, fileName }))) return;
  books.acknowledge(client, 'deal', draft.deal_id, { status: 'QC_COMPLETED', loan_count: ROWS });
}

async function saveCriteria(client: Client, books: Books): Promise<void> {
  const set = { loan_type: 'Auto', loan_rules: LOAN_RULES };
  const saved = await client.write('POST', CRITERIA, set);
  if (!saved) return;
  books.acknowledge(client, 'criteria', saved.criteria_id, { version: 1 });
  const next = await client.write('POST', `${CRITERIA}/${saved.criteria_id}/versions`, set);
  if (next) books.acknowledge(client, 'criteria', saved.criteria_id, { version: 2 });
}

async function readAlert(client: Client, books: Books, random: Random): Promise<void> {
  const { data } = await client.read('/v1/api/alerts?limit=20');
  if (data.length === 0) return;
  const { id } = random.pick(data as { id: string }[]);
  const status = random.pick(['READ', 'ARCHIVED']);
  const changed = await client.write('PATCH', `/v1/api/alerts/${id}`, { status });
  if (changed) books.acknowledge(client, 'alert', id, { status });
}

/** A receiver of an event that does not happen here: its record is what counts. */
async function addReceiver(client: Client, books: Books, number: number): Promise<void> {
  const url = `http://127.0.0.1:65000/${number}`;
  const made = await client.write('POST', '/v1/api/webhooks/subscriptions', { url, events: ['document.uploaded'] });
  if (made) books.acknowledge(client, 'receiver', made.id, { url });
}

/** Indications, subscriptions and orders, each changed and some taken back. */
export async function invest(client: Client, offer: Offer, { books, random, goesOn }: Writing): Promise<void> {
  while (goesOn()) {
    await indicate(client, offer, books, random);
    await subscribe(client, offer, books, random);
    await order(client, offer, books, random);
    await sleep(random.between(20, 150));
  }
}

async function indicate(client: Client, { deal_id }: Offer, books: Books, random: Random): Promise<void> {
  const interest_amount = 1_000 * random.between(1, 1_000);
  const made = await client.write('POST', `/v1/api/investor/deals/${deal_id}/ioi`, { interest_amount });
  if (!made) return;
  books.acknowledge(client, 'indication', made.ioi_id, { interest_amount, status: 'submitted' });
  const more = { interest_amount: interest_amount + 1_000 };
  if (await client.write('PATCH', `/v1/api/investor/iois/${made.ioi_id}`, more))
    books.acknowledge(client, 'indication', made.ioi_id, more);
  if (await client.write('DELETE', `/v1/api/investor/iois/${made.ioi_id}`))
    books.acknowledge(client, 'indication', made.ioi_id, { status: 'withdrawn' });
}

async function subscribe(client: Client, { deal_id, tranche_id }: Offer, books: Books, random: Random): Promise<void> {
  const subscription_amount = 1_000 * random.between(1, 100);
  const path = `/v1/api/investor/deals/${deal_id}/subscribe`;
  const made = await client.write('POST', path, { subscription_amount, tranche_id });
  if (!made) return;
  books.acknowledge(client, 'subscription', made.subscription_id, { subscription_amount, status: 'pending_confirmation' });
  if (random.between(0, 1) === 0) return;
  if (await client.write('POST', `/v1/api/investor/subscriptions/${made.subscription_id}/cancel`))
    books.acknowledge(client, 'subscription', made.subscription_id, { status: 'cancelled' });
}

async function order(client: Client, { deal_id, tranche_id }: Offer, books: Books, random: Random): Promise<void> {
  const amount = 1_000 * random.between(1, 100);
  const made = await client.write('POST', `/v1/api/investor/deals/${deal_id}/orders`, { tranche_id, amount });
  if (!made) return;
  books.acknowledge(client, 'order', made.order_id, { amount, status: 'OPEN' });
  const more = { amount: amount + 1_000 };
  if (await client.write('PATCH', `/v1/api/investor/orders/${made.order_id}`, more))
    books.acknowledge(client, 'order', made.order_id, more);
  if (random.between(0, 1) === 0) return;
  if (await client.write('DELETE', `/v1/api/investor/orders/${made.order_id}`))
    books.acknowledge(client, 'order', made.order_id, { status: 'CANCELLED' });
}

/** Deals that passed their checks, approved by the operator; the ids that were acknowledged. */
export async function approve(operator: Client, { random, goesOn }: Writing, approved: Set<string>): Promise<void> {
  while (goesOn()) {
    const { data } = await operator.read('/v1/operator/deals?status=QC_COMPLETED&limit=5');
    for (const { id, deal_id = id } of data as { id: string; deal_id?: string }[]) {
      if (await operator.write('POST', `/v1/operator/deals/${deal_id}/approve`)) approved.add(deal_id);
    }
    await sleep(random.between(300, 1_000));
  }
}

/** From a subscription to a settled trade, deal by deal: each of the two sides does its part once. */
export async function trade(investor: Client, operator: Client, offers: Offer[], { books, goesOn }: Writing): Promise<void> {
  for (const { deal_id, tranche_id } of offers) {
    if (!goesOn()) return;
    const subscription_amount = 500_000;
    const path = `/v1/api/investor/deals/${deal_id}/subscribe`;
    const made = await investor.write('POST', path, { subscription_amount, tranche_id });
    if (!made) continue;
    const id: string = made.subscription_id;
    books.acknowledge(investor, 'subscription', id, { subscription_amount });
    await operator.write('POST', `/v1/operator/subscriptions/${id}/confirm`);
    const round = await operator.write('POST', `/v1/operator/deals/${deal_id}/allocations`, { method: 'PRO_RATA' });
    const own = round?.allocations.find((each: { subscription_id: string | null }) => each.subscription_id === id);
    const accepted = own && (await investor.write('POST', `/v1/api/investor/allocations/${own.allocation_id}/accept`));
    if (!accepted) continue;
    books.acknowledge(investor, 'trade', accepted.trade_id, { face: subscription_amount });
    if (!(await operator.write('POST', `/v1/operator/trades/${accepted.trade_id}/settle`))) continue;
    books.acknowledge(investor, 'trade', accepted.trade_id, { status: 'SETTLED' });
    books.acknowledge(investor, 'subscription', id, { status: 'settled' });
  }
}
