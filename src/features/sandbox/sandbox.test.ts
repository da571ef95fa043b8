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
    const responses = [await settle(investor), await settle(key)];
    assert.deepEqual(
      responses.map(({ status, body }) => [status, body.code, body.current_status]),
      [
        [409, 'INVALID_TRANSITION', 'SETTLED'],
        [404, 'NOT_FOUND', undefined],
      ],
    );
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
