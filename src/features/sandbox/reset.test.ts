import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { dealRoom } from '../../../test/support/documents.ts';
import { insertPosition, listDeal } from '../../../test/support/market.ts';
import { approvedDeal, formPool } from '../../../test/support/pools.ts';
import { autoTape, sendTape } from '../../../test/support/tapes.ts';
import { doctor } from '../../commands/doctor.ts';
import { start } from '../../commands/serve.ts';
import { criteriaFor } from './criteria.ts';

async function act(gateway: Gateway, as: Holder, method: string, path: string, body?: unknown) {
  const answer = await gateway.call(method, path, { as, ...(body === undefined ? {} : { body }) });
  assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const reset = (gateway: Gateway, as: Holder) => gateway.call('POST', '/v1/sandbox/reset', { as, body: {} });

/** How many rows of each table belong to an organization. */
async function owned(gateway: Gateway, holder: Holder): Promise<Record<string, number>> {
  const TABLES = `deals deal_history tapes uploads criteria criteria_versions sc_jobs exception_files waivers
    bulk_jobs bulk_items documents document_accesses webhook_subscriptions webhook_deliveries webhook_queue
    webhook_attempts alerts iois orders subscriptions idempotency_keys pools events`.split(/\s+/);
  const counts = await gateway.deps.db.tx({ platform: true }, (tx) =>
    Promise.all(
      TABLES.map((table) =>
        tx.one<{ count: number }>(`select count(*)::int as count from ${table} where organization_id = $1`, [
          holder.organization_id,
        ]),
      ),
    ),
  );
  return Object.fromEntries(TABLES.map((table, index) => [table, counts[index]?.count ?? 0]).filter(([, count]) => count !== 0));
}

/** A seller with something of everything: a judged and an unjudged deal, a draft, a bulk job, webhooks, alerts. */
async function furnish(gateway: Gateway, seller: Holder, operator: Holder): Promise<string> {
  const dealId = await approvedDeal(gateway, seller, operator, { rows: 20 });
  await act(gateway, seller, 'POST', '/v1/api/webhooks/subscriptions', { url: 'http://127.0.0.1:1025/' });
  const criteria = {
    ...criteriaFor('Auto'),
    loan_rules: [{ id: 'S', rule: { field: 'credit_score', op: 'gte', value: 9_999 } }],
  };
  const { criteria_id } = (await act(gateway, seller, 'POST', '/v1/api/originator/sc/criteria', criteria)).data;
  await act(gateway, seller, 'POST', `/v1/api/originator/sc/deals/${dealId}/run`, { criteria_id });
  await act(gateway, seller, 'POST', '/v1/api/originator/loans/bulk', {
    deals: [{ loanType: 'Personal', loans: [{ loan_id: '1', original_balance: 100, current_balance: 90 }] }],
  });
  await gateway.runJobs();
  await gateway.runDeliveries();
  await act(gateway, seller, 'POST', '/v1/api/originator/loans/initiate', {
    loanType: 'Student',
    fileFormat: 'text/csv',
    fileName: 'draft.csv',
  });
  await gateway.call('POST', '/v1/api/alerts/mark', {
    as: seller,
    body: { before: '2999-01-01', status: 'READ' },
    headers: { 'idempotency-key': 'kept' },
  });
  return dealId;
}

test('a customer’s reset', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');

  await t.test('removes what is its own and in no pool, whatever hangs on it, and nothing of others', async () => {
    const [ours, theirs] = [await gateway.key('originator', 'Ours'), await gateway.key('originator', 'Theirs')];
    await furnish(gateway, ours, operator);
    await furnish(gateway, theirs, operator);
    const before = await owned(gateway, theirs);
    const own = await owned(gateway, ours);
    for (const table of [
      'exception_files',
      'bulk_items',
      'uploads',
      'webhook_attempts',
      'alerts',
      'idempotency_keys',
      'criteria',
    ])
      assert.ok((own[table] ?? 0) > 0, table);
    const { status, body } = await reset(gateway, ours);
    assert.equal(status, 200, JSON.stringify(body));
    assert.match(
      body.message ?? '',
      /^Removed from your organization: loan deals: 3; criteria sets: 1; .*indications of interest: 0; /,
    );
    // The log of events is kept for its 30 days.
    assert.deepEqual(await owned(gateway, ours), { events: own.events });
    assert.deepEqual(await owned(gateway, theirs), before);
    assert.equal((await gateway.call('GET', '/v1/api/me', { as: ours })).status, 200);
    const [entry] = (await act(gateway, operator, 'GET', '/v1/operator/audit?limit=1')).data;
    assert.deepEqual([entry.action, entry.organization_id], ['sandbox.reset', ours.organization_id]);
  });

  await t.test('leaves deals that a pledge names, in force or released', async () => {
    const ours = await gateway.key('originator', 'Pledging');
    const dealId = await furnish(gateway, ours, operator);
    const terms = { pledgee: 'A bank', loan_type: 'Auto', as_of: '2026-06-30', deal_id: dealId };
    const { pledge_id } = (await act(gateway, ours, 'POST', '/v1/api/originator/pledges', terms)).data;
    for (const status of ['LIVE', 'RELEASED']) {
      assert.equal((await reset(gateway, ours)).status, 200, status);
      assert.equal((await owned(gateway, ours)).deals, 1, status);
      await gateway.call('POST', `/v1/api/originator/pledges/${pledge_id}/release`, { as: ours });
    }
  });

  await t.test('leaves pooled deals, and the criteria that they were judged by', async () => {
    const ours = await gateway.key('originator', 'Pooling');
    const dealId = await furnish(gateway, ours, operator);
    assert.equal((await formPool(gateway, ours, [dealId])).status, 201);
    assert.equal((await reset(gateway, ours)).status, 200);
    const left = await owned(gateway, ours);
    assert.deepEqual([left.deals, left.tapes, left.pools, left.criteria, left.sc_jobs, left.alerts], [1, 1, 1, 1, 1, undefined]);
    const results = await gateway.call('GET', `/v1/api/originator/sc/deals/${dealId}/results`, { as: ours });
    assert.equal(results.status, 200);
  });

  await t.test('removes an investor’s indications, open orders and waiting subscriptions, and frees their capacity', async () => {
    const theirs = await gateway.key('originator', 'Listing');
    const investor = await gateway.key('investor', 'Investor', { profile: 'verified' });
    const other = await gateway.key('investor', 'Other', { profile: 'verified' });
    const [deal, second] = [await listDeal(gateway, theirs), await listDeal(gateway, theirs, { name: 'Second' })];
    const path = `/v1/api/investor/deals/${deal.deal_id}`;
    const [tranche_id = ''] = deal.tranches;
    const subscribe = async (as: Holder, amount: number) =>
      (await act(gateway, as, 'POST', `${path}/subscribe`, { subscription_amount: amount, tranche_id })).data.subscription_id;
    await act(gateway, investor, 'POST', `/v1/api/investor/deals/${second.deal_id}/ioi`, { interest_amount: 5_000 });
    const confirmed = await subscribe(investor, 1_000_000);
    await act(gateway, operator, 'POST', `/v1/operator/subscriptions/${confirmed}/confirm`);
    await subscribe(investor, 2_000_000);
    await subscribe(other, 4_000_000);
    await act(gateway, investor, 'POST', `${path}/orders`, { tranche_id, amount: 3_000_000 });
    assert.equal((await reset(gateway, investor)).status, 200);
    assert.deepEqual(
      (await act(gateway, investor, 'GET', '/v1/api/investor/subscriptions')).data.map(
        (row: { subscription_id: string }) => row.subscription_id,
      ),
      [confirmed],
    );
    const { iois, orders } = await owned(gateway, investor);
    assert.deepEqual([iois, orders], [undefined, undefined]);
    const seen = (await act(gateway, other, 'GET', path)).data;
    assert.equal(seen.tranches[0].remaining_capacity, 10_000_000 - 1_000_000 - 4_000_000);

    const before = await owned(gateway, theirs);
    const refused = await reset(gateway, theirs);
    assert.deepEqual([refused.status, refused.body.code, refused.body.deal_ids], [409, 'IN_USE', [deal.deal_id]]);
    assert.deepEqual(await owned(gateway, theirs), before);
  });

  await t.test('removes documents of its deals with the log of their readings, and keeps those of no deal', async () => {
    const room = await dealRoom(gateway, 'Documents');
    const loanDeal = (await sendTape(gateway, room.as, { loanType: 'Auto', bytes: autoTape(5) })).deal_id;
    const { document_id } = await room.register('terms.pdf', { dealId: loanDeal });
    await room.call('POST', `/${document_id}/download`);
    const kept = (await room.register('w9.pdf')).document_id;
    await gateway.runJobs();
    assert.equal((await reset(gateway, room.as)).status, 200);
    const left = await owned(gateway, room.as);
    assert.deepEqual([left.deals, left.documents, left.document_accesses], [undefined, 1, undefined]);
    assert.equal((await room.call('GET', `/${kept}`)).status, 200);
  });

  await t.test('removes deals whose pool was cancelled, and frees the draft that it had', async () => {
    const ours = await gateway.key('originator', 'Unpooled');
    const dealId = await approvedDeal(gateway, ours, operator, { rows: 5 });
    const { pool_id } = (await formPool(gateway, ours, [dealId])).body.data;
    await act(gateway, ours, 'DELETE', `/v1/api/originator/pools/${pool_id}`);
    const initiate = () =>
      gateway.call('POST', '/v1/api/originator/loans/initiate', {
        as: ours,
        body: { loanType: 'Auto', fileFormat: 'text/csv', fileName: 'draft.csv' },
      });
    await initiate();
    assert.equal((await reset(gateway, ours)).status, 200);
    assert.equal((await owned(gateway, ours)).deals, undefined);
    assert.equal((await initiate()).status, 201);
  });

  await t.test('is hindered by what others hold in its deals, not by what it holds in them itself', async () => {
    const [ours, theirs] = [await gateway.key('both', 'Retaining'), await gateway.key('investor', 'Holding')];
    const deal = await listDeal(gateway, ours);
    const [tranche = ''] = deal.tranches;
    await insertPosition(gateway, ours, tranche, 1_000);
    assert.equal((await reset(gateway, ours)).status, 200);
    await insertPosition(gateway, theirs, tranche, 1_000);
    const refused = await reset(gateway, ours);
    assert.deepEqual([refused.status, refused.body.code, refused.body.deal_ids], [409, 'IN_USE', [deal.deal_id]]);
  });

  await t.test('that finds nothing is one too, and may be repeated', async () => {
    const ours = await gateway.key('both', 'Empty');
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await reset(gateway, ours);
      assert.equal(status, 200);
      assert.match(body.message ?? '', /loan deals: 0; criteria sets: 0; pending subscriptions: 0; open orders: 0/);
    }
  });

  await t.test('keeps what has gone further: confirmed subscriptions, their indications, and what was allocated', async () => {
    const [theirs, investor] = [await gateway.key('originator', 'Seller'), await gateway.key('investor', 'Committed')];
    const deal = await listDeal(gateway, theirs);
    const path = `/v1/api/investor/deals/${deal.deal_id}`;
    await act(gateway, investor, 'POST', `${path}/ioi`, { interest_amount: 5_000 });
    const { subscription_id } = (await act(gateway, investor, 'POST', `${path}/subscribe`, { subscription_amount: 10_000 })).data;
    await act(gateway, operator, 'POST', `/v1/operator/subscriptions/${subscription_id}/confirm`);
    assert.equal((await reset(gateway, investor)).status, 200);
    const left = await owned(gateway, investor);
    assert.deepEqual([left.subscriptions, left.iois], [1, 1], 'the indication became the subscription that stays');
  });

  await t.test('by an operator empties everything and sets the clock back; whoever had a key still has it', async () => {
    const [ours, theirs] = [await gateway.key('originator', 'Emptied'), await gateway.key('originator', 'Emptied too')];
    const investor = await gateway.key('investor', 'Looker');
    await furnish(gateway, ours, operator);
    await listDeal(gateway, theirs);
    assert.ok((await act(gateway, investor, 'GET', '/v1/api/investor/deals')).pagination.total > 0);
    await act(gateway, operator, 'POST', '/v1/sandbox/clock', { advance_seconds: 86_400 });
    await act(gateway, operator, 'PUT', '/v1/operator/approval-policy', { acts: { WAIVER: 2 } });
    assert.equal((await reset(gateway, operator)).status, 200);
    for (const holder of [ours, theirs]) {
      assert.deepEqual(await owned(gateway, holder), {});
      assert.equal((await gateway.call('GET', '/v1/api/me', { as: holder })).status, 200);
    }
    assert.equal((await act(gateway, investor, 'GET', '/v1/api/investor/deals')).pagination.total, 0);
    const { now } = (await act(gateway, ours, 'POST', '/v1/sandbox/clock', { advance_seconds: 0 })).data;
    assert.ok(Math.abs(Date.parse(now) - Date.now()) < 60_000);
    assert.equal((await act(gateway, operator, 'GET', '/v1/operator/audit/verify')).data.valid, true);
    // The policy of approvals is that of a new sandbox.
    const policy = (await act(gateway, operator, 'GET', '/v1/operator/approval-policy')).data.acts;
    assert.deepEqual([...new Set(Object.values(policy))], [1]);
    await approvedDeal(gateway, theirs, operator, { rows: 5 });
    // What is immutable outside a reset still is.
    await sendTape(gateway, ours, { loanType: 'Auto', bytes: autoTape(5) });
    await act(gateway, ours, 'POST', '/v1/api/originator/sc/criteria', criteriaFor('Auto'));
    await assert.rejects(
      gateway.deps.db.tx({ platform: true }, (tx) => tx.exec('delete from criteria_versions')),
      /append-only/,
    );
  });
});

test('in Staging the clock and the whole sandbox are the operator’s', async () => {
  await using gateway = await startGateway({ SLUICE_ENVIRONMENT: 'staging' });
  const [operator, customer] = [await gateway.key('operator', 'Platform'), await gateway.key('both', 'Customer')];
  const other = await gateway.key('both', 'Other');
  const clock = (as: Holder) => gateway.call('POST', '/v1/sandbox/clock', { as, body: { advance_seconds: 60 } });
  const refused = await clock(customer);
  assert.deepEqual([refused.status, refused.body.code], [403, 'ROLE_FORBIDDEN']);
  assert.equal((await clock(operator)).status, 200);
  await act(gateway, other, 'POST', '/v1/sandbox/events', { event: 'loan.approved' });
  assert.equal((await reset(gateway, customer)).status, 200);
  assert.equal((await act(gateway, other, 'GET', '/v1/api/alerts')).meta.total, 1);
  assert.equal((await reset(gateway, operator)).status, 200);
  assert.equal((await act(gateway, other, 'GET', '/v1/api/alerts')).meta.total, 0);
});

test('a database that has served production is not reset by a later process of another environment', async () => {
  await using gateway = await startGateway();
  const [operator, customer] = [await gateway.key('operator', 'Platform'), await gateway.key('both', 'Customer')];
  await act(gateway, customer, 'POST', '/v1/sandbox/events', { event: 'loan.approved' });
  const signingKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const production = { ...gateway.deps.config, environment: 'production', signingKey, encryptionKey: 'k'.repeat(43) } as const;
  const { dataDir, databaseUrl } = gateway.deps.config;
  const env = { SLUICE_DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '', SLUICE_ENVIRONMENT: 'production' };
  await doctor({ ...env, SLUICE_SIGNING_KEY: signingKey, SLUICE_ENCRYPTION_KEY: production.encryptionKey }, () => {});
  assert.equal((await reset(gateway, customer)).status, 200, 'a command that only looks has served nothing');
  await act(gateway, customer, 'POST', '/v1/sandbox/events', { event: 'loan.approved' });
  const served = await start({ ...production, metricsListen: null }, { api: false, worker: false });
  await served.stop();
  for (const holder of [operator, customer]) {
    const { status, body } = await reset(gateway, holder);
    assert.deepEqual([status, body.code], [409, 'CONFLICT']);
  }
  assert.equal((await act(gateway, customer, 'GET', '/v1/api/alerts')).meta.total, 1);
  await assert.rejects(gateway.deps.db.direct('update platform_clock set production = false'), /stays one of production/);
});
