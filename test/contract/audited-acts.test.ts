import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import { type Answer, startGateway } from '../support/gateway.ts';
import { listDeal } from '../support/market.ts';

const WEBHOOKS = '/v1/api/webhooks/subscriptions';
// Their operations write entries of their own: several at once, none where nothing changes, or with what the secret's owner may know.
const BY_OPERATION = new Set([
  'POST /v1/api/originator/loans/:dealId/tapes/:version/confirm',
  'POST /v1/api/investor/deals/:dealId/subscribe',
  'PATCH /v1/api/investor/subscriptions/:subscriptionId',
  'DELETE /v1/api/originator/pools/:poolId/remittances/:remittanceId',
  'POST /v1/api/originator/pools/:poolId/remittances/:remittanceId/restate',
  'PUT /v1/api/notification-preferences',
  'POST /v1/api/members',
  'PATCH /v1/api/members/:memberId',
  'DELETE /v1/api/members/:memberId',
  'POST /v1/api/share-recipients/:recipientId/revoke',
  `POST ${WEBHOOKS}`,
  `PATCH ${WEBHOOKS}/:id`,
  `DELETE ${WEBHOOKS}/:id`,
  `POST ${WEBHOOKS}/:id/rotate-secret`,
]);
// Customers' acts that move neither money nor rights.
const NOT_AUDITED: Record<string, string> = {
  'POST /v1/api/alerts/mark': 'what somebody has read',
  'PATCH /v1/api/alerts/:alertId': 'what somebody has read',
  'POST /v1/api/originator/loans/initiate': 'a draft; its completion is audited',
  'PATCH /v1/api/originator/loans/:dealId': 'a draft; its completion is audited',
  'DELETE /v1/api/originator/loans/:dealId': 'a draft that nobody else has seen',
  'POST /v1/api/originator/loans/:dealId/tapes': 'an address to upload to; the completion is audited',
  'POST /v1/api/originator/pools/:poolId/tapes': 'an address to upload to; the completion is audited',
  'POST /v1/api/originator/loans/bulk/uploads': 'an address to upload to; the submission is audited',
  'POST /v1/api/originator/loans/check': 'reads and answers',
  'POST /v1/api/originator/loans/:dealId/mapping/preview': 'reads and answers',
  'POST /v1/api/originator/pools/:poolId/remittances/verify': 'reads and answers',
  'POST /v1/api/originator/loans/:dealId/recheck': 'runs checks again that were audited when the tape was sent',
  'POST /v1/api/originator/sc/criteria': 'versions never change and are kept',
  'POST /v1/api/originator/sc/criteria/:criteriaId/versions': 'versions never change and are kept',
  'POST /v1/api/originator/sc/deals/:dealId/run': 'calculates; the run is kept',
  'DELETE /v1/api/originator/sc/jobs/:scJobId': 'ends a calculation',
  'POST /v1/api/originator/analytics/pools/:poolId/calculations': 'calculates; its publication is audited',
  'POST /v1/api/investor/deals/:dealId/calculations': 'calculates for the investor alone',
  'POST /v1/api/investor/portfolio/scenarios': 'calculates for the investor alone',
  'POST /v1/api/deals/documents/initiate': 'an address to upload to; the completion is audited',
  'POST /v1/api/investor/profile/documents/initiate': 'an address to upload to; the completion is audited',
  'POST /v1/api/deals/documents/:documentId/download': 'the access log of the document has it',
  'POST /v1/api/investor/deals/:dealId/documents/:documentId/download': 'the access log of the document has it',
  'PUT /v1/api/investor/watchlist/:dealId': 'what somebody looks at',
  'DELETE /v1/api/investor/watchlist/:dealId': 'what somebody looks at',
  'POST /v1/api/investor/deals/:dealId/subscribe/check': 'reads and answers',
  [`POST ${WEBHOOKS}/:id/test`]: 'sends a sample',
  [`POST ${WEBHOOKS}/:id/recover`]: 'sends again what was due; the deliveries are kept',
  'POST /v1/api/webhooks/deliveries/:id/replay': 'sends again what was due; the deliveries are kept',
};

test('every act of a customer is audited, or is known to move neither money nor rights', () => {
  const acts = ROUTES.filter((route) => route.path.startsWith('/v1/api/') && route.method !== 'GET');
  const names = new Map(acts.map((route) => [`${route.method} ${route.path}`, route]));
  for (const [name, route] of names) {
    const kinds = [route.audit !== undefined, BY_OPERATION.has(name), NOT_AUDITED[name] !== undefined];
    assert.equal(kinds.filter(Boolean).length, 1, `${name}: give it an audit entry, or say here why it needs none`);
  }
  for (const name of [...BY_OPERATION, ...Object.keys(NOT_AUDITED)]) assert.ok(names.has(name), name);
});

type Entry = { action: string; entity_id: string; actor: string; after: Record<string, unknown>; at: string };

test('an organization reads its own audit entries', async (t) => {
  await using gateway = await startGateway();
  const [seller, buyer, operator] = [
    await gateway.key('originator', 'Seller'),
    await gateway.key('investor', 'Buyer'),
    await gateway.key('operator', 'Platform'),
  ];
  const done = async (
    method: string,
    path: string,
    body?: unknown,
    as = buyer,
    headers = {},
  ): Promise<Answer['body']['data']> => {
    const answer = await gateway.call(method, path, { as, headers, ...(body === undefined ? {} : { body }) });
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  const entries = async (query = '', as = buyer): Promise<Entry[]> =>
    (await done('GET', `/v1/api/audit${query}`, undefined, as)) as Entry[];
  const deal = await listDeal(gateway, seller);
  const on = `/v1/api/investor/deals/${deal.deal_id}`;
  const ids: Record<string, string> = {};

  await t.test('which its acts leave, each with who did what to which record', async () => {
    ids.ioi = (await done('POST', `${on}/ioi`, { interest_amount: 9_000 })).ioi_id;
    await done('PATCH', `/v1/api/investor/iois/${ids.ioi}`, { interest_amount: 8_000 });
    await done('DELETE', `/v1/api/investor/iois/${ids.ioi}`);
    ids.order = (await done('POST', `${on}/orders`, { tranche_id: deal.tranches[0], amount: 7_000 })).order_id;
    await done('PATCH', `/v1/api/investor/orders/${ids.order}`, { amount: 6_000 });
    ids.gone = (await done('POST', `${on}/orders`, { tranche_id: deal.tranches[0], amount: 3_000 })).order_id;
    await done('DELETE', `/v1/api/investor/orders/${ids.gone}`);
    ids.cancelled = (await done('POST', `${on}/subscribe`, { subscription_amount: 4_000 })).subscription_id;
    await done('POST', `/v1/api/investor/subscriptions/${ids.cancelled}/cancel`);
    ids.kept = (
      await done('POST', `${on}/subscribe`, { subscription_amount: 5_000 }, buyer, { 'idempotency-key': 'one' })
    ).subscription_id;
    await done('POST', `${on}/subscribe`, { subscription_amount: 5_000 }, buyer, { 'idempotency-key': 'one' });
    await done('POST', `/v1/operator/subscriptions/${ids.kept}/confirm`, {}, operator);
    const { allocations } = await done(
      'POST',
      `/v1/operator/deals/${deal.deal_id}/allocations`,
      { method: 'PRO_RATA' },
      operator,
    );
    const [first, second] = allocations as { allocation_id: string }[];
    ids.first = first?.allocation_id ?? '';
    ids.second = second?.allocation_id ?? '';
    await done('POST', `/v1/api/investor/allocations/${ids.first}/accept`);
    await done('POST', `/v1/api/investor/allocations/${ids.second}/decline`);
    const seen = (await entries()).map(({ action, entity_id, actor }) => [action, entity_id, actor]).reverse();
    assert.deepEqual(seen, [
      ['key.issued', buyer.key_id, 'test'],
      ['ioi.submitted', ids.ioi, buyer.key_id],
      ['ioi.amended', ids.ioi, buyer.key_id],
      ['ioi.withdrawn', ids.ioi, buyer.key_id],
      ['order.placed', ids.order, buyer.key_id],
      ['order.amended', ids.order, buyer.key_id],
      ['order.placed', ids.gone, buyer.key_id],
      ['order.cancelled', ids.gone, buyer.key_id],
      ['subscription.created', ids.cancelled, buyer.key_id],
      ['subscription.cancelled', ids.cancelled, buyer.key_id],
      ['subscription.created', ids.kept, buyer.key_id],
      ['subscription.confirmed', ids.kept, operator.key_id],
      ['allocation.accepted', ids.first, buyer.key_id],
      ['allocation.declined', ids.second, buyer.key_id],
    ]);
  });

  await t.test('and that say what became of the record', async () => {
    const amounts = (await entries(`?entity_id=${ids.order}`)).map(({ after }) => [after.status, after.amount]);
    assert.deepEqual(amounts, [
      ['OPEN', 6_000],
      ['OPEN', 7_000],
    ]);
    const [accepted] = await entries('?action=allocation.accepted');
    assert.deepEqual([accepted?.after.status, typeof accepted?.after.trade_id], ['ACCEPTED', 'string']);
  });

  await t.test('by action, record and time, a page at a time', async () => {
    assert.equal((await entries('?action=order.placed')).length, 2);
    assert.equal((await entries(`?action=order.placed&entity_id=${ids.gone}`)).length, 1);
    assert.equal((await entries('?limit=3&page=2')).length, 3);
    const today = new Date().toISOString().slice(0, 10);
    assert.equal((await entries(`?from=${today}&to=${today}&limit=100`)).length, 14);
    assert.equal((await entries('?to=2020-01-01')).length, 0);
    const reversed = await gateway.call('GET', '/v1/api/audit?from=2026-02-01&to=2026-01-01', { as: buyer });
    assert.equal(reversed.status, 422);
  });

  await t.test('and no one else’s; what is refused leaves no act', async () => {
    assert.deepEqual((await entries('', seller)).map(({ action }) => action).sort(), [
      'deal.allocated',
      'deal.market_books_closed',
      'key.issued',
    ]);
    const late = await gateway.call('POST', `${on}/orders`, { as: buyer, body: { tranche_id: deal.tranches[0], amount: 7_000 } });
    assert.ok(late.status >= 400);
    assert.equal((await entries('?action=order.placed')).length, 2);
    assert.equal((await gateway.call('GET', '/v1/api/audit', { as: operator })).status, 403);
  });

  await t.test('of many subscriptions at once, one each, in a chain that holds', async () => {
    const hot = await listDeal(gateway, seller, { name: 'Hot 2026-1', tranches: [{ balance: 100_000 }] });
    const answers = await Promise.all(
      Array.from({ length: 60 }, () =>
        gateway.call('POST', `/v1/api/investor/deals/${hot.deal_id}/subscribe`, {
          as: buyer,
          body: { subscription_amount: 2_000 },
        }),
      ),
    );
    const created = answers.filter(({ status }) => status === 201).map(({ body }) => body.data.subscription_id as string);
    assert.equal(created.length, 50);
    const logged = await entries('?action=subscription.created&limit=100');
    const ofHot = logged.filter(({ after }) => after.deal_id === hot.deal_id).map(({ entity_id }) => entity_id);
    assert.deepEqual(ofHot.sort(), created.sort());
    assert.equal((await done('GET', '/v1/operator/audit/verify', undefined, operator)).valid, true);
  });
});

test('a change that leaves its record as it was is no act: the record keeps its version, and the log has no entry', async () => {
  await using gateway = await startGateway();
  const [seller, buyer] = [await gateway.key('originator', 'Seller'), await gateway.key('investor', 'Buyer')];
  const deal = await listDeal(gateway, seller);
  const on = `/v1/api/investor/deals/${deal.deal_id}`;
  const order = { tranche_id: deal.tranches[0], amount: 7_000, limit_yield: 5 };
  const made = async (path: string, body: object): Promise<Answer['body']['data']> =>
    (await gateway.call('POST', path, { as: buyer, body })).body.data;
  const { order_id } = await made(`${on}/orders`, order);
  const { ioi_id } = await made(`${on}/ioi`, { interest_amount: 9_000 });
  const { id } = await made(WEBHOOKS, { url: 'https://hooks.example/as-it-was' });
  const pools = `/v1/api/originator/pools/${deal.pool_id}`;
  const acts = [
    [buyer, 'PATCH', `/v1/api/investor/orders/${order_id}`, { amount: 6_000 }, {}],
    [buyer, 'PATCH', `/v1/api/investor/iois/${ioi_id}`, { interest_amount: 8_000 }],
    [buyer, 'PATCH', `${WEBHOOKS}/${id}`, { events: ['trade.settled'] }, {}],
    [seller, 'PUT', `${pools}/disclosure`, { level: 'LOAN_LEVEL', fields: ['state'] }],
  ] as const;
  for (const [as, method, path, body, again = body] of acts) {
    const entries = async (): Promise<number> =>
      (await gateway.call('GET', '/v1/api/audit?limit=1', { as })).body.pagination.total;
    const before = await entries();
    const first = await gateway.call(method, path, { as, body });
    assert.deepEqual([first.status, await entries()], [200, before + 1], path);
    const second = await gateway.call(method, path, { as, body: again });
    assert.deepEqual([second.status, second.body, second.headers.etag], [200, first.body, first.headers.etag], path);
    assert.equal(await entries(), before + 1, path);
  }
});
