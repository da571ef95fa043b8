import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { type Gateway, startGateway } from '../../test/support/gateway.ts';
import type { Tx } from '../platform/db/database.ts';
import { listEvents } from '../features/events/queries.ts';
import { bodyOf, emit, emitAsGiven, raiseAlert } from './emit.ts';
import { EVENT_NAMES, type Emission, type EventName, type Notice } from './events.ts';
import { SAMPLES, sampleOf } from './samples.ts';

const NOTICE: Notice = {
  category: 'deal',
  priority: 'HIGH',
  title: 'A title',
  message: 'A message',
  entity_type: 'deal',
  entity_id: 'deal_1',
};

type Counts = { events: number; alerts: number; deliveries: number; queued: number };

const counts = (gateway: Gateway, organizationId: string): Promise<Counts | null> =>
  gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.one<Counts>(
      `select (select count(*)::int from events where organization_id = $1) as events,
              (select count(*)::int from alerts where organization_id = $1) as alerts,
              (select count(*)::int from webhook_deliveries where organization_id = $1) as deliveries,
              (select count(*)::int from webhook_queue where organization_id = $1) as queued`,
      [organizationId],
    ),
  );

async function subscribe(gateway: Gateway, name: string, wanted: (EventName[] | null)[]): Promise<string> {
  const holder = await gateway.key('both', name);
  for (const events of wanted) {
    const body = { url: 'http://127.0.0.1:1025/', ...(events ? { events } : {}) };
    assert.equal((await gateway.call('POST', '/v1/api/webhooks/subscriptions', { as: holder, body })).status, 201);
  }
  return holder.organization_id;
}

test('emitted events', async (t) => {
  await using gateway = await startGateway();
  const inPlatform = gateway.deps.db.tx.bind(null, { platform: true });
  const approved = (organization_id: string, alert: Notice | null = null) =>
    ({ organization_id, event: 'loan.approved', data: SAMPLES['loan.approved'], alert }) as const;

  await t.test('make an alert where they have one, and a delivery per subscription that wants them', async () => {
    const organization = await subscribe(gateway, 'Wanted', [null, ['loan.approved'], ['sc.completed']]);
    await inPlatform((tx) => emit(tx, [approved(organization, NOTICE), approved(organization)]));
    assert.deepEqual(await counts(gateway, organization), { events: 2, alerts: 1, deliveries: 4, queued: 4 });
  });

  await t.test('are written in parts where they are many, for a deal has thousands of bidders', async () => {
    const organization = await subscribe(gateway, 'Many', [null]);
    let longest = 0;
    const written = await gateway.deps.db.tx({ platform: true }, async (tx) => {
      const exec: Tx['exec'] = (sql, params = []) => {
        longest = Math.max(longest, ...params.map((param) => (Array.isArray(param) ? param.length : 0)));
        return tx.exec(sql, params);
      };
      await emit(Object.assign(Object.create(tx) as Tx, { exec }), Array<Emission>(2_500).fill(approved(organization, NOTICE)));
      return tx.caused.filter(({ id }) => id.startsWith('evt_')).map(({ id }) => id);
    });
    assert.deepEqual(await counts(gateway, organization), { events: 2_500, alerts: 2_500, deliveries: 2_500, queued: 2_500 });
    assert.deepEqual(written, written.toSorted());
    assert.equal(longest, 1_000);
  });

  await t.test('of acts on one record stand in the log in their order, and none before what may still come', async () => {
    const { organization_id } = await gateway.key('both', 'In order');
    const logged = async () => {
      const filter = { limit: 10, order: 'oldest' } as const;
      const rows = await gateway.deps.db.tx({ organization: organization_id }, (tx) => listEvents(tx, organization_id, filter));
      return rows.map(({ id }) => String(id));
    };
    const gate = () => Promise.withResolvers<void>();
    const [begun, opened, acted, end] = [gate(), gate(), gate(), gate()];
    const emitOne = async (tx: Tx): Promise<string> => {
      await emit(tx, [approved(organization_id)]);
      return tx.caused[0]?.id ?? '';
    };
    const act = async (tx: Tx): Promise<string> => {
      await tx.rows('select 1 from organizations where organization_id = $1 for update', [organization_id]);
      return emitOne(tx);
    };
    const late = inPlatform(async (tx) => {
      begun.resolve();
      await acted.promise;
      return act(tx);
    });
    await begun.promise;
    const open = inPlatform(async (tx) => {
      opened.resolve();
      await end.promise;
      return emitOne(tx);
    });
    await opened.promise;
    const early = await inPlatform(act);
    acted.resolve();
    const second = await late;
    assert.deepEqual(await logged(), [], 'one that began before them could still precede them');
    end.resolve();
    const first = await open;
    assert.deepEqual(await logged(), [first, early, second]);
  });

  await t.test('are nothing when the transaction is rolled back', async () => {
    const organization = await subscribe(gateway, 'Rolled back', [null]);
    const change = inPlatform(async (tx) => {
      await emit(tx, [approved(organization, NOTICE)]);
      throw new Error('the business change failed');
    });
    await assert.rejects(change, /business change failed/);
    assert.deepEqual(await counts(gateway, organization), { events: 0, alerts: 0, deliveries: 0, queued: 0 });
  });

  await t.test('of two organizations go to the subscriptions of each', async () => {
    const [one, other] = [await subscribe(gateway, 'One', [null]), await subscribe(gateway, 'Other', [null, null])];
    await inPlatform((tx) => emit(tx, [approved(one), approved(other), approved(one)]));
    assert.deepEqual([(await counts(gateway, one))?.deliveries, (await counts(gateway, other))?.deliveries], [2, 2]);
  });

  await t.test('give their deliveries the deal of their data, if they have one', async () => {
    const organization = await subscribe(gateway, 'Deal', [null]);
    const document = { organization_id: organization, event: 'document.uploaded', alert: null } as const;
    await inPlatform((tx) => emit(tx, [approved(organization), { ...document, data: SAMPLES['document.uploaded'] }]));
    const rows = await inPlatform((tx) =>
      tx.rows<{ event: string; deal_id: string | null }>(
        'select event, deal_id from webhook_deliveries where organization_id = $1 order by event',
        [organization],
      ),
    );
    assert.deepEqual(rows, [
      { event: 'document.uploaded', deal_id: null },
      { event: 'loan.approved', deal_id: 'deal_sample' },
    ]);
  });

  await t.test('wake the senders and the alert streams once the transaction has committed', async () => {
    const organization = await subscribe(gateway, 'Signals', [null]);
    const woken = new Map<string, number>();
    const all = new Promise<void>((resolve) => {
      for (const channel of ['webhook-deliveries', 'alerts'])
        gateway.deps.db.signals.on(channel, () => {
          woken.set(channel, (woken.get(channel) ?? 0) + 1);
          if (woken.size === 2) resolve();
        });
    });
    await inPlatform((tx) => emit(tx, [approved(organization, NOTICE)]));
    await all;
  });

  await t.test('none: nothing is written', async () => {
    const organization = await subscribe(gateway, 'None', [null]);
    await inPlatform((tx) => emit(tx, []));
    assert.deepEqual(await counts(gateway, organization), { events: 0, alerts: 0, deliveries: 0, queued: 0 });
  });

  await t.test('whatever is subscribed, each event makes one delivery for each subscription that wants it', async () => {
    const Subset = fc.option(fc.subarray([...EVENT_NAMES], { minLength: 1 }));
    let organizations = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(Subset, { maxLength: 4 }),
        fc.array(fc.constantFrom(...EVENT_NAMES), { maxLength: 6 }),
        async (wanted, fired) => {
          const organization = await subscribe(gateway, `Property ${(organizations += 1)}`, wanted);
          await inPlatform((tx) =>
            emitAsGiven(
              tx,
              fired.map((event) => ({ organization_id: organization, event, data: sampleOf(event), alert: NOTICE })),
            ),
          );
          const expected = fired.flatMap((event) => wanted.filter((names) => names === null || names.includes(event))).length;
          assert.deepEqual(await counts(gateway, organization), {
            events: fired.length,
            alerts: fired.length,
            deliveries: expected,
            queued: expected,
          });
        },
      ),
      { numRuns: 20 },
    );
  });

  await t.test('an alert that belongs to no event can be raised any number of times', async () => {
    const organization = await subscribe(gateway, 'Alerts alone', []);
    for (let count = 0; count < 3; count += 1)
      await inPlatform((tx) => raiseAlert(tx, organization, 'loan.mapping_needed', NOTICE));
    assert.deepEqual(await counts(gateway, organization), { events: 0, alerts: 3, deliveries: 0, queued: 0 });
  });
});

test('the body has event, timestamp and data, in this order, and reads back as what it was made of', () => {
  const at = new Date('2026-01-15T09:30:00.123Z');
  fc.assert(
    fc.property(fc.constantFrom(...EVENT_NAMES), fc.dictionary(fc.string(), fc.jsonValue()), (event, data) => {
      const parsed = JSON.parse(bodyOf({ event, data }, at).toString()) as Record<string, unknown>;
      assert.deepEqual(Object.keys(parsed), ['event', 'timestamp', 'data']);
      assert.deepEqual([parsed.event, parsed.timestamp], [event, '2026-01-15T09:30:00.123Z']);
      assert.equal(JSON.stringify(parsed.data), JSON.stringify(data));
    }),
  );
});
