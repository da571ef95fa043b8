import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { createHealthCheck, updateHealth } from './health.ts';
import { moveSubscriptions, SUBSCRIPTION_MOVES, type SubscriptionState } from './queries.ts';
import type { EndedAttempt } from './queue-queries.ts';
import { endedAttempt } from './testing/claimed.ts';

const delivered = (subscription_id: string, failing = false): EndedAttempt => endedAttempt({ subscription_id, failing });
const failed = (subscription_id: string, http_status: number | null = 500): EndedAttempt =>
  endedAttempt({ subscription_id }, { status: 'FAILED', http_status, error: 'http_status', retry_in_ms: 30_000 });

const NOTHING = { delivered: [], failed: [], gone: [] };

test('a failure of a subscription is a signal once in two seconds', () => {
  let nowMs = 0;
  const health = createHealthCheck(() => nowMs);
  assert.deepEqual(health.signalsOf([failed('whs_a'), failed('whs_a'), failed('whs_b')]).failed, ['whs_a', 'whs_b']);
  nowMs = 1_999;
  assert.deepEqual(health.signalsOf([failed('whs_a')]), NOTHING);
  nowMs = 2_000;
  assert.deepEqual(health.signalsOf([failed('whs_a')]).failed, ['whs_a']);
});

test('a success is a signal only for a subscription that was failing, and the next failure counts at once', () => {
  const health = createHealthCheck(() => 0);
  assert.deepEqual(health.signalsOf([delivered('whs_a')]), NOTHING);
  assert.deepEqual(health.signalsOf([delivered('whs_a', true)]).delivered, ['whs_a']);
  const both = health.signalsOf([failed('whs_b'), delivered('whs_b')]);
  assert.deepEqual([both.failed, both.delivered], [['whs_b'], ['whs_b']]);
  assert.deepEqual(health.signalsOf([failed('whs_b')]).failed, ['whs_b']);
});

test('a failed replay or test is no signal, a delivered one is', () => {
  const health = createHealthCheck(() => 0);
  for (const kind of ['REPLAY', 'TEST'] as const) {
    const claimed = { subscription_id: 'whs_a', kind, failing: true };
    assert.deepEqual(health.signalsOf([endedAttempt(claimed, { status: 'FAILED', http_status: 500 })]), NOTHING, kind);
    assert.deepEqual(health.signalsOf([endedAttempt(claimed)]).delivered, ['whs_a'], kind);
  }
});

test('410 is a signal of its own, whatever the kind of the delivery, and no failure beside it', () => {
  const health = createHealthCheck(() => 0);
  const replay = endedAttempt({ subscription_id: 'whs_b', kind: 'REPLAY' }, { status: 'FAILED', http_status: 410 });
  assert.deepEqual(health.signalsOf([failed('whs_a', 410), replay]), { ...NOTHING, gone: ['whs_a', 'whs_b'] });
});

test('a delivery that was not attempted says nothing about its receiver', () => {
  const health = createHealthCheck(() => 0);
  const unattempted = endedAttempt({ failing: true }, { attempted: false, status: 'FAILED', http_status: null });
  assert.deepEqual(health.signalsOf([unattempted]), NOTHING);
});

test('a delivery that the platform could not sign says nothing about its receiver', () => {
  const health = createHealthCheck(() => 0);
  const unsigned = endedAttempt({}, { status: 'FAILED', http_status: null, error: 'secret_unreadable' });
  assert.deepEqual(health.signalsOf([unsigned]), NOTHING);
});

test('after a reset, signals that may be lost are given again', () => {
  const health = createHealthCheck(() => 0);
  health.signalsOf([failed('whs_a')]);
  health.reset();
  assert.deepEqual(health.signalsOf([failed('whs_a')]).failed, ['whs_a']);
});

test('whatever the order of a batch, its signals are the same, sorted and without repetition', () => {
  const Ended = fc.record({
    id: fc.constantFrom('whs_a', 'whs_b', 'whs_c'),
    kind: fc.constantFrom('EVENT' as const, 'REPLAY' as const, 'TEST' as const),
    status: fc.constantFrom(200, 410, 500),
    failing: fc.boolean(),
  });
  const Batch = fc.array(Ended, { maxLength: 20 });
  fc.assert(
    fc.property(
      Batch.chain((batch) => fc.tuple(fc.constant(batch), fc.shuffledSubarray(batch, { minLength: batch.length }))),
      ([batch, shuffled]) => {
        const [one, other] = [batch, shuffled].map((each) =>
          createHealthCheck(() => 0).signalsOf(
            each.map(({ id, kind, status, failing }) =>
              endedAttempt(
                { subscription_id: id, kind, failing },
                { status: status === 200 ? 'DELIVERED' : 'FAILED', http_status: status },
              ),
            ),
          ),
        );
        assert.deepEqual(one, other);
        for (const ids of Object.values(one ?? {})) assert.deepEqual(ids, [...new Set(ids)].sort());
      },
    ),
  );
});

async function subscribe(gateway: Gateway, organization: string) {
  const holder = await gateway.key('both', organization);
  const url = 'http://127.0.0.1:1025/hook';
  const { body } = await gateway.call('POST', '/v1/api/webhooks/subscriptions', { as: holder, body: { url } });
  const id: string = body.data.id;
  return {
    id,
    read: async () => (await gateway.call('GET', `/v1/api/webhooks/subscriptions/${id}`, { as: holder })).body.data,
    alerts: async (): Promise<string[]> =>
      (await gateway.call('GET', '/v1/api/alerts?type=webhook.subscription_failing', { as: holder })).body.data.map(
        (alert: { title: string }) => alert.title,
      ),
    update: (signals: Partial<Parameters<typeof updateHealth>[1]>) =>
      gateway.deps.db.tx({ platform: true }, (tx) => updateHealth(tx, { ...NOTHING, ...signals })),
  };
}

test('the health of a subscription', async (t) => {
  await using gateway = await startGateway();

  await t.test('the first failure is remembered until a delivery, and its owner is warned at most once an hour', async () => {
    const { id, read, alerts, update } = await subscribe(gateway, 'Warned');
    await update({ failed: [id] });
    const { failing_since } = await read();
    assert.ok(failing_since);
    await gateway.advance(3_599);
    await update({ failed: [id] });
    assert.deepEqual([(await read()).failing_since, (await alerts()).length], [failing_since, 1]);
    await gateway.advance(1);
    await update({ failed: [id] });
    assert.equal((await alerts()).length, 2);
    await update({ delivered: [id] });
    assert.equal((await read()).failing_since, null);
  });

  await t.test('processes that find the same failure at the same time raise one alert', async () => {
    const { id, alerts, update } = await subscribe(gateway, 'Many processes');
    await Promise.all(Array.from({ length: 8 }, () => update({ failed: [id] })));
    assert.equal((await alerts()).length, 1);
    await Promise.all(Array.from({ length: 8 }, () => update({ gone: [id] })));
    assert.deepEqual((await alerts()).filter((title) => title.includes('disabled')).length, 1);
  });

  await t.test('five days of failures disable it, a moment less does not', async () => {
    const { id, read, alerts, update } = await subscribe(gateway, 'Five days');
    await update({ failed: [id] });
    await gateway.advance(5 * 86_400 - 60);
    await update({ failed: [id] });
    assert.equal((await read()).active, true);
    await gateway.advance(60);
    await update({ failed: [id] });
    const { active, disabled_reason, disabled_at } = await read();
    assert.deepEqual([active, disabled_reason, typeof disabled_at], [false, 'FAILING', 'string']);
    assert.equal((await alerts())[0], 'A webhook subscription was disabled');
  });

  await t.test('of subscriptions of two organizations each owner gets its own alert', async () => {
    const [one, other] = [await subscribe(gateway, 'One'), await subscribe(gateway, 'Other')];
    await one.update({ gone: [one.id, other.id] });
    for (const each of [one, other]) assert.deepEqual(await each.alerts(), ['A webhook subscription was disabled']);
  });

  await t.test('a subscription moves only as its table says, and a refused move changes nothing', async () => {
    const { id, read } = await subscribe(gateway, 'Moves');
    const states = Object.keys(SUBSCRIPTION_MOVES) as SubscriptionState[];
    const move = (to: SubscriptionState) => gateway.deps.db.tx({ platform: true }, (tx) => moveSubscriptions(tx, [id], to));
    const state = async (): Promise<SubscriptionState> => (await read()).disabled_reason ?? 'ACTIVE';
    const reach = async (to: SubscriptionState): Promise<void> => {
      await move('ACTIVE');
      await gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.exec(`update webhook_subscriptions set failing_since = sluice_now() - interval '6 days' where subscription_id = $1`, [
          id,
        ]),
      );
      if (to !== 'ACTIVE') await move(to);
    };
    for (const from of states) {
      for (const to of states) {
        await reach(from);
        const before = await read();
        assert.equal(await state(), from);
        const moved = (await move(to)).length === 1;
        assert.equal(moved, SUBSCRIPTION_MOVES[from].includes(to), `${from} → ${to}`);
        if (!moved) assert.deepEqual(await read(), before);
        else assert.deepEqual([await state(), (await read()).active], [to, to === 'ACTIVE']);
      }
    }
  });

  await t.test('to resume a subscription gives it a clean record', async () => {
    const { id, read, update } = await subscribe(gateway, 'Resumed');
    await update({ failed: [id] });
    await update({ gone: [id] });
    await gateway.deps.db.tx({ platform: true }, (tx) => moveSubscriptions(tx, [id], 'ACTIVE'));
    const { active, disabled_reason, disabled_at, failing_since } = await read();
    assert.deepEqual([active, disabled_reason, disabled_at, failing_since], [true, null, null, null]);
  });
});
