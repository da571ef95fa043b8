import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { listDeal } from '../../../test/support/market.ts';
import { autoTape, sendTape } from '../../../test/support/tapes.ts';
import { EVENT_NAMES } from '../../events/events.ts';
import { newId } from '../../platform/ids.ts';

const newHolder = (gateway: Gateway): Promise<Holder> => gateway.key('both', `House ${randomUUID()}`);

/** A loan deal that waits for the operator's decision. */
async function checkedDeal(gateway: Gateway, seller: Holder): Promise<string> {
  const { deal_id } = await sendTape(gateway, seller, { loanType: 'Auto', bytes: autoTape(20) });
  await gateway.runJobs();
  return deal_id;
}

const advance = (gateway: Gateway, as: Holder, dealId: string, to: string) =>
  gateway.call('POST', `/v1/sandbox/deals/${dealId}/advance`, { as, body: { to } });

const fire = (gateway: Gateway, as: Holder, body: object) => gateway.call('POST', '/v1/sandbox/events', { as, body });

const events = async (gateway: Gateway, as: Holder) => (await gateway.call('GET', '/v1/api/events?limit=100', { as })).body.data;

test('acts in the sandbox', async (t) => {
  await using gateway = await startGateway();

  await t.test('a deal is decided for its owner, and to no status that an operator does not decide', async () => {
    const seller = await newHolder(gateway);
    const dealId = await checkedDeal(gateway, seller);
    const refused = await advance(gateway, seller, dealId, 'IN_REVIEW');
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.current_status, refused.body.allowed],
      [409, 'INVALID_TRANSITION', 'QC_COMPLETED', ['APPROVED', 'REJECTED']],
    );
    assert.equal((await advance(gateway, seller, dealId, 'GONE')).status, 400);
    assert.deepEqual((await advance(gateway, seller, dealId, 'APPROVED')).body.data, { deal_id: dealId, status: 'APPROVED' });
    assert.deepEqual((await advance(gateway, seller, dealId, 'REJECTED')).body.allowed, ['WITHDRAWN']);
    assert.equal((await advance(gateway, seller, dealId, 'WITHDRAWN')).body.data.status, 'WITHDRAWN');
  });

  await t.test('a rejection has the reason of the sandbox', async () => {
    const seller = await newHolder(gateway);
    const dealId = await checkedDeal(gateway, seller);
    assert.equal((await advance(gateway, seller, dealId, 'REJECTED')).status, 200);
    const rejected = (await events(gateway, seller)).find((each: { event: string }) => each.event === 'loan.rejected');
    assert.deepEqual([rejected.data.deal_id, rejected.data.reason_code], [dealId, 'SANDBOX']);
  });

  await t.test('a deal of another organization is as an absent one, but not to an operator', async () => {
    const [seller, stranger, operator] = [
      await newHolder(gateway),
      await newHolder(gateway),
      await gateway.key('operator', 'Platform'),
    ];
    const dealId = await checkedDeal(gateway, seller);
    const [seen, absent] = [
      await advance(gateway, stranger, dealId, 'APPROVED'),
      await advance(gateway, stranger, newId('deal'), 'APPROVED'),
    ];
    assert.deepEqual([seen.status, seen.body.message], [404, absent.body.message]);
    assert.equal((await advance(gateway, operator, dealId, 'APPROVED')).body.data.status, 'APPROVED');
  });

  await t.test('a trade that is not the caller’s is as an absent one', async () => {
    const { status, body } = await gateway.call('POST', '/v1/sandbox/trades/trd_nope/settle', { as: await newHolder(gateway) });
    assert.deepEqual([status, body.code], [404, 'NOT_FOUND']);
  });

  await t.test('a trade is settled for its investor once, and for no one else but an operator', async () => {
    const [operator, investor] = [await gateway.key('operator', 'Platform'), await newHolder(gateway)];
    const deal = await listDeal(gateway, await newHolder(gateway));
    const act = async (path: string, as: Holder, body: object = {}) => {
      const answer = await gateway.call('POST', path, { as, body });
      assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
      return answer.body.data;
    };
    /** Trades that wait for their settlement. */
    const path = `/v1/api/investor/deals/${deal.deal_id}/subscribe`;
    for (const as of [investor, await newHolder(gateway)]) {
      const { subscription_id } = await act(path, as, { subscription_amount: 10_000 });
      await act(`/v1/operator/subscriptions/${subscription_id}/confirm`, operator);
    }
    const { allocations } = await act(`/v1/operator/deals/${deal.deal_id}/allocations`, operator, { method: 'PRO_RATA' });
    const own = (await gateway.call('GET', '/v1/api/investor/allocations', { as: investor })).body.data;
    assert.deepEqual([allocations.length, own.length], [2, 1]);
    const { trade_id } = await act(`/v1/api/investor/allocations/${own[0].allocation_id}/accept`, investor);
    const settle = (as: Holder) => gateway.call('POST', `/v1/sandbox/trades/${trade_id}/settle`, { as });
    assert.deepEqual([(await settle(await newHolder(gateway))).status], [404]);
    const settled = await settle(investor);
    assert.deepEqual([settled.status, settled.body.data.status], [200, 'SETTLED']);
    for (const as of [investor, operator]) {
      const again = await settle(as);
      assert.deepEqual([again.status, again.body.code, again.body.current_status], [409, 'INVALID_TRANSITION', 'SETTLED']);
    }
  });

  await t.test('a deal that is not ready is not decided, whoever asks', async () => {
    const [seller, operator] = [await newHolder(gateway), await gateway.key('operator', 'Platform')];
    const { deal_id } = await sendTape(gateway, seller, { loanType: 'Auto', bytes: autoTape(5) });
    for (const as of [seller, operator]) {
      const early = await advance(gateway, as, deal_id, 'APPROVED');
      assert.deepEqual([early.status, early.body.code, early.body.current_status], [409, 'INVALID_TRANSITION', 'IN_REVIEW']);
    }
    await gateway.runJobs();
    assert.deepEqual((await advance(gateway, seller, deal_id, 'EXPIRED')).body.allowed, ['APPROVED', 'REJECTED']);
    assert.equal((await advance(gateway, seller, deal_id, 'APPROVED')).status, 200);
  });

  await t.test('every event can be fired, with an alert, and only its own organization gets it', async () => {
    const [holder, other] = [await newHolder(gateway), await newHolder(gateway)];
    for (const event of EVENT_NAMES) assert.equal((await fire(gateway, holder, { event })).status, 201, event);
    const fired = await events(gateway, holder);
    assert.deepEqual(fired.map((each: { event: string }) => each.event).toSorted(), EVENT_NAMES.toSorted());
    const alerts = (await gateway.call('GET', '/v1/api/alerts?limit=100', { as: holder })).body.data;
    assert.deepEqual(alerts.map((each: { type: string }) => each.type).toSorted(), EVENT_NAMES.toSorted());
    assert.deepEqual(await events(gateway, other), []);
  });

  await t.test('the data of a fired event is merged over its sample, whatever it is', async () => {
    const holder = await newHolder(gateway);
    const data = { reason: 'because', note: 'é 😀 \u2028', large: 1e21, deep: [{ a: { b: [null] } }] };
    const { body } = await fire(gateway, holder, { event: 'loan.rejected', data });
    const [carried] = await events(gateway, holder);
    assert.deepEqual(carried.data, body.data.data);
    assert.deepEqual({ ...carried.data, ...data }, carried.data);
    assert.equal(carried.data.reason_code, 'QC_FAILED', 'fields that are not given stay those of the sample');
  });

  await t.test('an unknown event, or data of more than 64 KiB, is refused and nothing is written', async () => {
    const holder = await newHolder(gateway);
    assert.equal((await fire(gateway, holder, { event: 'loan.gone' })).status, 400);
    const large = await fire(gateway, holder, { event: 'loan.approved', data: { note: 'x'.repeat(64 * 1024) } });
    assert.deepEqual([large.status, large.body.code], [413, 'PAYLOAD_TOO_LARGE']);
    assert.deepEqual(await events(gateway, holder), []);
  });

  await t.test('the clock advances by the seconds that are asked for, and never goes back', async () => {
    const holder = await newHolder(gateway);
    const clock = async (advance_seconds: number) =>
      await gateway.call('POST', '/v1/sandbox/clock', { as: holder, body: { advance_seconds } });
    const before = Date.parse((await clock(0)).body.data.now);
    const after = Date.parse((await clock(86_400)).body.data.now);
    assert.ok(after - before >= 86_400_000 && after - before < 86_460_000);
    assert.equal((await clock(-1)).status, 400);
    for (const seconds of [1.5, 10 * 366 * 86_400 + 1]) assert.equal((await clock(seconds)).status, 400, String(seconds));
  });

  await t.test('the work that falls due with the time is queued with it', async () => {
    const holder = await newHolder(gateway);
    const initiated = await gateway.call('POST', '/v1/api/originator/loans/initiate', {
      as: holder,
      body: { loanType: 'Auto', fileFormat: 'text/csv', fileName: 'idle.csv' },
    });
    await gateway.call('POST', '/v1/sandbox/clock', { as: holder, body: { advance_seconds: 31 * 86_400 } });
    await gateway.runJobs();
    const deal = await gateway.call('GET', `/v1/api/originator/loans/${initiated.body.data.deal_id}`, { as: holder });
    assert.equal(deal.body.data.status, 'EXPIRED');
  });

  await t.test('data of a fired event may have 64 KiB', async () => {
    const holder = await newHolder(gateway);
    const note = 'x'.repeat(64 * 1024 - JSON.stringify({ note: '' }).length);
    assert.equal((await fire(gateway, holder, { event: 'loan.approved', data: { note } })).status, 201);
    assert.equal((await fire(gateway, holder, { event: 'loan.approved', data: { note: `${note}x` } })).status, 413);
    assert.equal((await events(gateway, holder)).length, 1);
  });
});
