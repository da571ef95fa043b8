import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { autoTape } from '../support/tapes.ts';
import { ask, createMachine, issueKey, type Reply, readDeal } from './processes.ts';
import { holdsWithin, until } from '../support/until.ts';

test('two processes on one database', async (t) => {
  await using machine = createMachine({ SLUICE_RATE_LIMIT: '100' });
  const nodes = [await machine.start(['serve']), await machine.start(['serve'])] as const;
  const operator = await issueKey(machine, 'operator', 'Platform');
  const keyId = (token: string): string => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti;

  await t.test('let 100 of 500 simultaneous requests of a key pass, not one more or less', async () => {
    const token = await issueKey(machine, 'both', 'Acme');
    const listAlerts = async (node: { address: string }): Promise<Reply> => {
      for (;;) {
        const reply = await ask(node, 'GET', '/v1/api/alerts', { token });
        // A process that falls behind on a busy machine asks to come again before it counts the request.
        if (reply.body.code !== 'OVERLOADED') return reply;
        await setTimeout(Number(reply.headers.get('retry-after')) * 1_000);
      }
    };
    const answers = await Promise.all(Array.from({ length: 500 }, (_, index) => listAlerts(nodes[index % 2 ? 1 : 0])));
    const passed = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    assert.deepEqual([passed.length, refused.length], [100, 400]);
    const left = passed.map(({ headers }) => Number(headers.get('x-ratelimit-remaining'))).sort((a, b) => a - b);
    assert.deepEqual(
      left,
      Array.from({ length: 100 }, (_, index) => index),
    );
    for (const { headers, body } of refused) {
      assert.equal(body.code, 'RATE_LIMITED');
      const seconds = Number(headers.get('retry-after'));
      assert.ok(seconds >= 1 && seconds <= 60);
    }
  });

  await t.test('stop a revoked key on both within two seconds, and let the other keys of its holder pass', async () => {
    const [revoked, kept] = [await issueKey(machine, 'both', 'Bolt'), await issueKey(machine, 'both', 'Bolt')];
    for (const node of nodes) assert.equal((await ask(node, 'GET', '/v1/api/me', { token: revoked })).status, 200);
    assert.equal((await ask(nodes[0], 'POST', `/v1/operator/keys/${keyId(revoked)}/revoke`, { token: operator })).status, 200);
    const revokedAt = performance.now();
    const isRefused = async (node: { address: string }) =>
      (await ask(node, 'GET', '/v1/api/me', { token: revoked })).status === 401;
    await Promise.all(nodes.map((node) => holdsWithin(2_000, revokedAt, () => isRefused(node), 'the end of the key')));
    for (const node of nodes) assert.equal((await ask(node, 'GET', '/v1/api/me', { token: kept })).status, 200);
  });

  await t.test('do a job once, whichever of them takes it', async () => {
    const token = await issueKey(machine, 'originator', 'Cargo');
    const loans = autoTape(3)
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(','))
      .map(([loan_id, , , original_balance, current_balance]) => ({
        loan_id,
        original_balance: Number(original_balance),
        current_balance: Number(current_balance),
      }));
    const deals = Array.from({ length: 20 }, (_, index) => ({ loanType: 'Auto', name: `deal ${index}`, loans }));
    const sent = await ask(nodes[0], 'POST', '/v1/api/originator/loans/bulk', { token, body: { deals } });
    assert.equal(sent.status, 202, JSON.stringify(sent.body));
    const job = async () =>
      (await ask(nodes[1], 'GET', `/v1/api/originator/loans/bulk/${sent.body.data.job_id}`, { token })).body.data;
    const done = new Set(['COMPLETED', 'PARTIALLY_COMPLETED', 'FAILED']);
    await until(async () => done.has((await job()).status), 120_000, 'the end of the bulk job', 1_000);
    const last = await job();
    assert.deepEqual([last.status, last.total, last.processed, last.failed], ['COMPLETED', 20, 20, 0]);
    const events = (await ask(nodes[1], 'GET', '/v1/api/events?limit=100&type=deal.status_changed', { token })).body.data;
    const completed = events.filter(
      (event: { data: { current_status: string } }) => event.data.current_status === 'QC_COMPLETED',
    );
    assert.equal(completed.length, 20);
    assert.equal(new Set(completed.map((event: { data: { deal_id: string } }) => event.data.deal_id)).size, 20);
    assert.equal((await readDeal(nodes[0], token, completed[0].data.deal_id)).loan_count, 3);
  });
});
