import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, codeOf, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool } from '../../../test/support/pools.ts';
import { seller } from '../../../test/support/tapes.ts';

test('an originator withdraws a deal of its own', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const withdraw = (as: Holder, dealId: string, body?: unknown): Promise<Answer> =>
    gateway.call('POST', `/v1/api/originator/loans/${dealId}/withdraw`, { as, ...(body === undefined ? {} : { body }) });

  await t.test('that is approved: once, with its event, its reason and its key in the history', async () => {
    const ours = await seller(gateway, 'Leaving');
    const dealId = await approvedDeal(gateway, ours.as, operator);
    const answers = await Promise.all([1, 2, 3].map(() => withdraw(ours.as, dealId, { reason: 'Sold elsewhere.' })));
    assert.deepEqual(answers.map((each) => each.status).sort(), [200, 409, 409]);
    const done = answers.find((each) => each.status === 200)?.body.data;
    assert.deepEqual([done.id, done.status, done.loan_count], [dealId, 'WITHDRAWN', 60]);
    const late = answers.find((each) => each.status === 409)?.body;
    assert.deepEqual([late?.code, late?.current_status, late?.allowed], ['INVALID_TRANSITION', 'WITHDRAWN', []]);
    const { to, actor, reason } = (await ours.deal(dealId)).history.at(-1);
    assert.deepEqual([to, actor, reason], ['WITHDRAWN', ours.as.key_id, 'Sold elsewhere.']);
    assert.deepEqual((await ours.events(dealId)).at(-1), {
      ...(await ours.events(dealId)).at(-1),
      event: 'deal.status_changed',
      data: { deal_id: dealId, previous_status: 'APPROVED', current_status: 'WITHDRAWN' },
    });
    const [entry] = await ours.audited(dealId);
    assert.deepEqual([entry?.action, entry?.actor, entry?.after.status], ['deal.withdrawn', ours.as.key_id, 'WITHDRAWN']);
    assert.equal((await formPool(gateway, ours.as, [dealId])).status, 409, 'it enters no pool any more');
  });

  await t.test('only while no live pool holds its loans: 409 names the pool, and a cancelled one lets it go', async () => {
    const ours = await seller(gateway, 'Pooled');
    const dealId = await approvedDeal(gateway, ours.as, operator);
    const { pool_id } = (await formPool(gateway, ours.as, [dealId])).body.data;
    const held = await withdraw(ours.as, dealId);
    assert.deepEqual([...codeOf(held), held.body.pool_id], [409, 'INVALID_TRANSITION', pool_id]);
    assert.match(held.body.message ?? '', new RegExp(pool_id));
    await gateway.call('DELETE', `/v1/api/originator/pools/${pool_id}`, { as: ours.as });
    assert.equal((await withdraw(ours.as, dealId)).status, 200);
    assert.equal((await ours.deal(dealId)).history.at(-1).reason, 'withdrawn by the originator');
  });

  await t.test('or it enters a pool at the same moment, but never both', async () => {
    const ours = await seller(gateway, 'Racing');
    const dealId = await approvedDeal(gateway, ours.as, operator);
    const [formed, withdrawn] = await Promise.all([formPool(gateway, ours.as, [dealId]), withdraw(ours.as, dealId)]);
    assert.deepEqual([formed.status === 201, withdrawn.status === 200].filter(Boolean).length, 1);
  });

  await t.test('that is in no other status, and of nobody else', async () => {
    const ours = await seller(gateway, 'Early');
    const checked = await ours.checked();
    const early = await withdraw(ours.as, checked);
    assert.deepEqual(
      [...codeOf(early), early.body.current_status, early.body.allowed],
      [409, 'INVALID_TRANSITION', 'QC_COMPLETED', ['APPROVED', 'REJECTED']],
    );
    const theirs = await approvedDeal(gateway, await gateway.key('originator', 'Other'), operator);
    for (const id of [theirs, 'deal_none']) assert.deepEqual(codeOf(await withdraw(ours.as, id)), [404, 'NOT_FOUND']);
    for (const body of [{ reason: '' }, { reason: 7 }, { reason: 'x'.repeat(1_001) }])
      assert.deepEqual(codeOf(await withdraw(ours.as, theirs, body)), [400, 'VALIDATION_FAILED']);
  });
});
