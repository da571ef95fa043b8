import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { type Gateway, type Holder, startGateway } from '../support/gateway.ts';
import { listDeal } from '../support/market.ts';
import { signedIn } from '../support/people.ts';
import { issuedDeal, structuredPool } from '../support/pools.ts';
import { nameOf, seedWorld } from '../support/seeded.ts';
import { note, sequential } from '../support/structures.ts';
import { until } from '../support/until.ts';

/** Answers that are computed from two records, or are no record. */
const NO_RECORD = [
  'GET /v1/api/originator/sc/jobs/:scJobId/compare/:otherJobId',
  // A template is part of the program, not a record.
  'GET /v1/api/originator/structure-templates/:templateId',
  // The fixing that it sets is named by the body: no path reads it.
  'PUT /v1/operator/fixings',
];
/** Parts of a record, which have its tag, and the one record of its kind. */
const PARTS = [
  '/v1/api/originator/loans/:dealId/mapping',
  '/v1/api/investor/profile',
  '/v1/api/originator/pools/:poolId/disclosure',
  '/v1/api/investor/deals/:dealId/structure',
  '/v1/api/investor/deals/:dealId/disclosure',
  '/v1/operator/approval-policy',
  '/v1/api/notification-preferences',
  '/v1/operator/notification-preferences',
];

const isRecord = (route: Route): boolean =>
  (route.replyKind ?? 'data') === 'data' && (/\/:\w+$/.test(route.path) || PARTS.includes(route.path));
const keyed = ROUTES.filter(({ access }) => access !== 'public');
const readers = keyed.filter((route) => route.method === 'GET' && isRecord(route) && !NO_RECORD.includes(nameOf(route)));
const changes = keyed.filter(({ method }) => method === 'PUT' || method === 'PATCH');

test('every single record and every change of one says which record it is of', () => {
  const without = [...readers, ...changes].filter(({ record }) => !record).map(nameOf);
  assert.deepEqual(without, ['PUT /v1/operator/fixings']);
});

test('every single record', async (t) => {
  await using gateway = await startGateway();
  const world = await seedWorld(gateway);
  const unseen: string[] = [];
  for (const route of readers) {
    await t.test(nameOf(route), async () => {
      const path = await world.addressOf(route);
      if (path === null) return void unseen.push(nameOf(route));
      const get = (headers: Record<string, string> = {}) => world.get(path, route, headers);
      const first = await get();
      const etag = String(first.headers.etag);
      assert.match(etag, /^"[0-9a-f-]+"$/, 'a strong tag');
      assert.equal((await get()).headers.etag, etag, 'the same record has the same tag');
      for (const known of [etag, `W/${etag}`, '*', `"other", ${etag}`, `"a,b",W/"c" ,${etag}`]) {
        const same = await get({ 'if-none-match': known });
        assert.deepEqual([same.status, same.text, same.headers.etag], [304, '', etag], known);
      }
      for (const other of ['"other"', `"${etag.slice(1, -1)}x"`, 'W/"other", "more"']) {
        const read = await get({ 'if-none-match': other });
        assert.deepEqual([read.status, read.body.data === null, read.headers.etag], [200, false, etag], other);
      }
      for (const malformed of ['other', '"open', '"a" "b"', '']) {
        const refused = await get({ 'if-none-match': malformed });
        assert.deepEqual([refused.status, refused.body.errors?.[0]?.field], [400, 'If-None-Match'], malformed);
      }
      const absent = route.path.replace(':period', '999').replace(/:\w+/g, 'none_1');
      if (absent !== route.path)
        assert.equal((await world.get(absent, route, { 'if-none-match': '*' })).status, 404, 'an absent record has no version');
    });
  }
  assert.deepEqual(unseen, []);

  for (const route of changes.filter(({ record }) => record)) {
    await t.test(`${nameOf(route)} refuses a version that is gone`, async () => {
      const body = BODIES[nameOf(route).replace('/v1/operator/', '/v1/api/')];
      assert.ok(body !== undefined, 'the test has a body for it');
      const own = readers.find(({ path }) => path === route.path);
      const reader = own ?? readers.find(({ path, access }) => route.path.startsWith(`${path}/`) && access === route.access);
      const path = reader && (await world.addressOf(reader));
      assert.ok(reader && path, 'there is a record to change');
      const before = await world.get(path, reader);
      const holder = world.holderOf(route.access);
      const person = route.people
        ? await signedIn(gateway, holder.organization_id, `${route.operation}@example.com`, ['ADMIN'])
        : null;
      const refused = await gateway.call(route.method, path + route.path.slice(reader.path.length), {
        ...(person ? {} : { as: holder }),
        headers: { ...person?.headers, 'if-match': '"gone"' },
        ...(body === null ? {} : { body }),
      });
      assert.deepEqual([refused.status, refused.body.code], [412, 'STALE'], refused.text.slice(0, 300));
      assert.equal((await world.get(path, reader)).headers.etag, before.headers.etag, 'nothing has changed');
    });
  }
});

/** A body of each change. What it would mean does not matter: the version comes before the state and the meaning. */
const BODIES: Record<string, object | null> = {
  'PUT /v1/api/organizations/:organizationId/profile': {
    kyc_status: 'PENDING',
    kyc_expires_on: null,
    sanctions_status: 'CLEAR',
    qib: false,
    accredited: false,
    us_person: true,
    tax_form: null,
    erisa_plan: false,
  },
  'PUT /v1/api/approval-policy': { acts: { SETTLE: 3 } },
  'PATCH /v1/api/members/:memberId': { status: 'SUSPENDED' },
  'PATCH /v1/api/alerts/:alertId': { status: 'ARCHIVED' },
  'PATCH /v1/api/originator/loans/:dealId': { fileName: 'other.csv' },
  'PUT /v1/api/originator/loans/:dealId/mapping': { mappings: [{ source: 'no such column', target: 'no_such_field' }] },
  'PATCH /v1/api/originator/pools/:poolId': { name: 'Another', deal_ids: ['deal_none'] },
  'PUT /v1/api/originator/pools/:poolId/structure': sequential([note('A', 9e13, 5, 1)]),
  'PUT /v1/api/originator/pools/:poolId/tapes/:period/mapping': { mappings: [{ source: 'no such column', target: null }] },
  'PUT /v1/api/originator/pools/:poolId/reporting': { tape_due_business_day: 3 },
  'PUT /v1/api/originator/pools/:poolId/disclosure': { level: 'LOAN_LEVEL', fields: ['no_such_field'] },
  'PUT /v1/api/notification-preferences': { digest: 'NONE' },
  'PUT /v1/api/deals/documents/:documentId/visibility': { visibility: 'PRIVATE' },
  'PUT /v1/api/investor/watchlist/:dealId': null,
  'PATCH /v1/api/investor/iois/:ioiId': { interest_amount: 1e12 },
  'PATCH /v1/api/investor/subscriptions/:subscriptionId': { subscription_amount: 1 },
  'PATCH /v1/api/investor/orders/:orderId': { amount: 1, minimum_amount: 2 },
  'PATCH /v1/api/webhooks/subscriptions/:id': { url: 'http://169.254.169.254/latest' },
};

/** Two desks of one gateway for the tests below. */
async function market(gateway: Gateway) {
  const seller = await gateway.key('originator', 'Seller');
  const investor = await gateway.key('investor', 'Investor');
  const deal = await listDeal(gateway, seller);
  const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}, as: Holder = investor) =>
    gateway.call(method, `/v1/api/investor/${path}`, { as, headers, ...(body ? { body } : {}) });
  const ordered = await call('POST', `deals/${deal.deal_id}/orders`, { tranche_id: deal.tranches[0], amount: 100_000 });
  return { deal, call, order: `orders/${ordered.body.data.order_id}` };
}

test('a change that names the version that it was made for', async (t) => {
  await using gateway = await startGateway();
  const { call, order, deal } = await market(gateway);

  await t.test('is made when the record is still in it, and has the tag of the next', async () => {
    const { etag } = (await call('GET', order)).headers;
    const changed = await call('PATCH', order, { amount: 110_000 }, { 'if-match': String(etag) });
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers.etag, etag);
    assert.equal((await call('GET', order)).headers.etag, changed.headers.etag);
  });

  await t.test('is refused with 412 when it is not, before the state and the meaning, and changes nothing', async () => {
    const before = await call('GET', order);
    for (const stale of ['"other"', `W/${String(before.headers.etag)}`, '"a", "b"']) {
      for (const body of [{ amount: 120_000 }, { amount: 1, minimum_amount: 2 }]) {
        const refused = await call('PATCH', order, body, { 'if-match': stale });
        assert.deepEqual([refused.status, refused.body.code], [412, 'STALE'], stale);
      }
    }
    assert.deepEqual((await call('GET', order)).body, before.body);
    const malformed = await call('PATCH', order, { amount: 120_000 }, { 'if-match': 'other' });
    assert.deepEqual([malformed.status, malformed.body.errors?.[0].field], [400, 'If-Match']);
  });

  await t.test('is 404 where there is no such record, whatever the version', async () => {
    for (const tag of ['*', '"other"']) {
      assert.equal((await call('PATCH', 'orders/ord_none', { amount: 120_000 }, { 'if-match': tag })).status, 404, tag);
    }
  });

  await t.test('takes * for any version, and makes nothing under it', async () => {
    assert.equal((await call('PATCH', order, { amount: 120_000 }, { 'if-match': '*' })).status, 200);
    const watch = `watchlist/${deal.deal_id}`;
    assert.deepEqual((await call('PUT', watch, undefined, { 'if-match': '*' })).body.code, 'STALE');
    assert.equal((await call('GET', watch)).status, 404, 'nothing was made');
    assert.equal((await call('PUT', watch, undefined, { 'if-none-match': '*' })).status, 200);
    assert.equal((await call('PUT', watch, undefined, { 'if-none-match': '*' })).status, 412);
    assert.equal((await call('PUT', watch, undefined, { 'if-match': '*' })).status, 200);
  });

  await t.test('is made once by two writers at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { etag } = (await call('GET', order)).headers;
      const writers = await Promise.all(
        [1, 2, 3, 4].map((n) =>
          call('PATCH', order, { amount: 130_000 + 10_000 * round + 1_000 * n }, { 'if-match': String(etag) }),
        ),
      );
      assert.deepEqual(writers.map(({ status }) => status).toSorted(), [200, 412, 412, 412]);
    }
  });

  await t.test('waits for a writer who names none, and is refused after it', async () => {
    const { etag } = (await call('GET', order)).headers;
    const { order_id } = (await call('GET', order)).body.data;
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const other = gateway.deps.db.tx({ platform: true }, async (tx) => {
      await tx.exec('update orders set amount = 500000, updated_at = $2 where order_id = $1', [order_id, tx.now]);
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const change = call('PATCH', order, { amount: 140_000 }, { 'if-match': String(etag) });
    const waiting = async () =>
      (
        await gateway.deps.db.direct<{ count: number }>(
          `select count(*)::int as count from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`,
        )
      )[0]?.count;
    await until(async () => (await waiting()) !== 0);
    held.resolve();
    await other;
    assert.equal((await change).status, 412);
    assert.equal((await call('GET', order)).body.data.amount, 500_000);
  });

  await t.test('is repeated under its Idempotency-Key with the answer that it had', async () => {
    const { etag } = (await call('GET', order)).headers;
    const headers = { 'if-match': String(etag), 'idempotency-key': 'one-change' };
    const changed = await call('PATCH', order, { amount: 150_000 }, headers);
    const again = await call('PATCH', order, { amount: 150_000 }, headers);
    assert.deepEqual([changed.status, again.status, again.headers['idempotency-replayed']], [200, 200, 'true']);
  });
});

test('figures that are counted from other records do not alter a tag; a change of the record does', async () => {
  await using gateway = await startGateway();
  const { call, deal } = await market(gateway);
  const tag = async () => (await call('GET', `deals/${deal.deal_id}`)).headers.etag;
  const before = await tag();
  const left = async () => (await call('GET', `deals/${deal.deal_id}`)).body.data.tranches[0].remaining_capacity;
  const capacity = await left();
  await call('POST', `deals/${deal.deal_id}/subscribe`, { subscription_amount: 100_000 });
  assert.equal(await left(), capacity - 100_000);
  assert.equal(await tag(), before);
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec(`update securitization_deals set market_status = 'BOOKS_CLOSED' where deal_id = $1`, [deal.deal_id]),
  );
  assert.notEqual(await tag(), before);
});

test('a part has the tag of its parent', async () => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const investor = await gateway.key('investor', 'Investor');
  const profile = () => gateway.call('GET', '/v1/api/investor/profile', { as: investor });
  const before = String((await profile()).headers.etag);
  const body = {
    kyc_status: 'VERIFIED',
    kyc_expires_on: null,
    sanctions_status: 'CLEAR',
    qib: false,
    accredited: true,
    us_person: true,
    tax_form: 'W9_FORM',
    erisa_plan: false,
  };
  const put = (tag: string) =>
    gateway.call('PUT', `/v1/operator/organizations/${investor.organization_id}/profile`, {
      as: operator,
      body,
      headers: { 'if-match': tag },
    });
  const set = await put(before);
  assert.equal(set.status, 200);
  assert.equal((await profile()).headers.etag, set.headers.etag);
  assert.equal((await put(before)).status, 412);
});

test('the structure and the disclosure of a deal have the tag of the deal, which a change of the disclosure alters', async () => {
  await using gateway = await startGateway();
  const seller = await gateway.key('originator', 'Seller');
  const [operator, investor] = [await gateway.key('operator', 'Platform'), await gateway.key('investor', 'Investor')];
  const { pool_id } = await structuredPool(gateway, seller, operator);
  const deal = `/v1/api/investor/deals/${await issuedDeal(gateway, seller, operator, pool_id)}`;
  const tags = async () =>
    Promise.all(
      ['', '/structure', '/disclosure'].map(
        async (part) => (await gateway.call('GET', deal + part, { as: investor })).headers.etag,
      ),
    );
  const before = await tags();
  assert.match(String(before[0]), /^"/);
  assert.deepEqual(new Set(before).size, 1);
  const body = { level: 'LOAN_LEVEL', fields: ['state'] };
  assert.equal((await gateway.call('PUT', `/v1/api/originator/pools/${pool_id}/disclosure`, { as: seller, body })).status, 200);
  const after = await tags();
  assert.deepEqual([new Set(after).size, after[0] === before[0]], [1, false]);
});

test('the policy of approvals is replaced in the version that was read', async () => {
  await using gateway = await startGateway();
  const [operator, other] = [await gateway.key('operator', 'Platform'), await gateway.key('operator', 'Second platform')];
  const path = '/v1/operator/approval-policy';
  const read = (as = operator) => gateway.call('GET', path, { as });
  const put = (acts: object, tag: unknown) =>
    gateway.call('PUT', path, { as: operator, body: { acts }, headers: { 'if-match': String(tag) } });
  const { etag } = (await read()).headers;
  assert.equal((await read(other)).headers.etag, etag, 'there is one policy');
  const set = await put({ SETTLE: 2 }, etag);
  assert.equal(set.status, 200);
  assert.equal((await read()).headers.etag, set.headers.etag);
  const stale = await put({ SETTLE: 3 }, etag);
  assert.deepEqual([stale.status, stale.body.code], [412, 'STALE']);
  assert.equal((await read()).body.data.acts.SETTLE, 2);
  const both = await Promise.all([2, 3].map((needed) => put({ ALLOCATE: needed }, set.headers.etag)));
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 412]);
  assert.equal((await put({ POLICY_SET: 2 }, (await read()).headers.etag)).status, 200);
  assert.equal((await put({}, etag)).status, 412, 'a stale change is not even asked for');
});
