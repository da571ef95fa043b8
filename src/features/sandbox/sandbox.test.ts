import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { jobHandlers } from '../../worker.ts';

test('the sandbox', async (t) => {
  await using gateway = await startGateway();
  const key = await gateway.key('both', 'Newcomer');
  const post = (path: string, body: unknown = {}) => gateway.call('POST', path, { as: key, body });

  await t.test('is seeded once: six loan types, clean and with defects, deals issued, positions held', async () => {
    await gateway.deps.jobs.work(jobHandlers(gateway.deps));
    const first = await post('/v1/sandbox/seed');
    assert.equal(first.status, 200, JSON.stringify(first.body));
    const { loan_deals, securitization_deal_ids, positions, created } = first.body.data;
    assert.deepEqual([loan_deals.length, securitization_deal_ids.length, positions, created], [12, 2, 2, true]);
    assert.equal(new Set(loan_deals.map((deal: { loan_type: string }) => deal.loan_type)).size, 6);
    assert.ok(loan_deals.some((deal: { planted_defects: number }) => deal.planted_defects > 0));
    const again = await post('/v1/sandbox/seed');
    assert.deepEqual([again.body.data.created, again.body.data.loan_deals.length], [false, 12]);
    const open = await gateway.call('GET', '/v1/api/investor/deals?status=APPROVED', { as: key });
    assert.ok(open.body.data.some((deal: { market_status: string }) => deal.market_status === 'MARKETING'));
  });

  await t.test('settles a trade of the caller once, and no one else’s', async () => {
    const investor = await gateway.key('investor', 'Northgate Capital (sandbox)');
    const [trade] = (await gateway.call('GET', '/v1/api/investor/trades', { as: investor })).body.data;
    const settle = (as: typeof key) => gateway.call('POST', `/v1/sandbox/trades/${trade.trade_id}/settle`, { as });
    const answers = [await settle(investor), await settle(key)];
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.code, body.current_status]),
      [
        [409, 'INVALID_TRANSITION', 'SETTLED'],
        [404, 'NOT_FOUND', undefined],
      ],
    );
  });

  await t.test('fires a real event to whoever asks, with their data over the sample', async () => {
    const fired = await post('/v1/sandbox/events', { event: 'loan.rejected', data: { reason: 'because' } });
    assert.equal(fired.status, 201);
    const [event] = (await gateway.call('GET', '/v1/api/events?type=loan.rejected', { as: key })).body.data;
    assert.equal(event.data.reason, 'because');
    const alerts = (await gateway.call('GET', '/v1/api/alerts?type=loan.rejected', { as: key })).body;
    assert.deepEqual([alerts.meta.total, alerts.data[0].category], [1, 'deal']);
    const more = { note: 'é 😀 \u2028', large: 1e21, deep: [{ a: { b: [null] } }] };
    assert.equal((await post('/v1/sandbox/events', { event: 'loan.approved', data: more })).status, 201);
    const [carried] = (await gateway.call('GET', '/v1/api/events?type=loan.approved', { as: key })).body.data;
    assert.deepEqual({ ...carried.data, ...more }, carried.data);
    assert.equal((await post('/v1/sandbox/events', { event: 'loan.gone' })).status, 400);
    assert.equal((await gateway.call('GET', '/v1/api/events?after=yesterday', { as: key })).status, 400);
  });

  await t.test('advances a deal as an operator would, and to nothing else', async () => {
    const seller = await gateway.key('originator', 'Harbor Lending (sandbox)');
    const listed = await gateway.call('GET', '/v1/api/originator/loans?status=QC_COMPLETED', { as: seller });
    const path = `/v1/sandbox/deals/${listed.body.data[0].id}/advance`;
    const advance = (to: string, as = seller) => gateway.call('POST', path, { as, body: { to } });
    const refused = await advance('IN_REVIEW');
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.current_status, refused.body.allowed],
      [409, 'INVALID_TRANSITION', 'QC_COMPLETED', ['APPROVED', 'REJECTED']],
    );
    assert.deepEqual([(await advance('GONE')).status, (await advance('APPROVED', key)).status], [400, 404]);
    const operator = await gateway.key('operator', 'Platform');
    assert.equal((await advance('APPROVED', operator)).body.data.status, 'APPROVED');
  });

  await t.test('advances the clock for everybody', async () => {
    const before = Date.parse((await post('/v1/sandbox/clock', { advance_seconds: 0 })).body.data.now);
    const after = Date.parse((await post('/v1/sandbox/clock', { advance_seconds: 86_400 })).body.data.now);
    assert.ok(after - before >= 86_400_000 && after - before < 86_460_000);
  });

  await t.test('is empty after an operator’s reset, and whoever had a key still has it', async () => {
    const operator = await gateway.key('operator', 'Platform');
    assert.equal((await gateway.call('POST', '/v1/sandbox/reset', { as: operator, body: {} })).status, 200);
    assert.equal((await gateway.call('GET', '/v1/api/investor/deals', { as: key })).body.pagination.total, 0);
    assert.equal((await gateway.call('GET', '/v1/api/me', { as: key })).status, 200);
  });
});

test('nothing of the sandbox exists in production', async () => {
  const { generateKeyPairSync } = await import('node:crypto');
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await using gateway = await startGateway({
    SLUICE_ENVIRONMENT: 'production',
    SLUICE_SIGNING_KEY: pem,
    SLUICE_ENCRYPTION_KEY: 'k'.repeat(43),
  });
  const key = await gateway.key('both', 'Real');
  for (const path of ['seed', 'reset', 'clock', 'events']) {
    assert.equal((await gateway.call('POST', `/v1/sandbox/${path}`, { as: key, body: {} })).status, 404);
  }
});
