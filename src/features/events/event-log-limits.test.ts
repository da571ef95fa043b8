import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { type Holder, startGateway } from '../../../test/support/gateway.ts';
import { emitAsGiven } from '../../events/emit.ts';
import { EVENT_NAMES, type EventName } from '../../events/events.ts';
import { sampleOf } from '../../events/samples.ts';

/** An open transaction, such as that of the log of requests, holds events back for a moment. */
const WITHOUT_LOG = { SLUICE_REQUEST_LOG: 'off' };

type Logged = { id: string; event: EventName; timestamp: string; data: unknown };

test('the log of events at its limits', async (t) => {
  await using gateway = await startGateway(WITHOUT_LOG);
  let houses = 0;
  const newHolder = (): Promise<Holder> => gateway.key('both', `House ${(houses += 1)}`);
  const fire = (holder: Holder, events: readonly EventName[], data?: object): Promise<void> =>
    gateway.deps.db.tx({ platform: true }, (tx) =>
      emitAsGiven(
        tx,
        events.map((event) => ({ organization_id: holder.organization_id, event, data: data ?? sampleOf(event), alert: null })),
      ),
    );
  const get = (as: Holder, query: string) => gateway.call('GET', `/v1/api/events?${query}`, { as });
  const read = async (as: Holder, query = 'limit=100'): Promise<{ rows: Logged[]; next: string | null }> => {
    const { status, body } = await get(as, query);
    assert.equal(status, 200, JSON.stringify(body));
    return { rows: body.data, next: body.next_after };
  };

  await t.test('whatever is fired, reading page by page gives all of a kind once and in order', async () => {
    const Names = fc.constantFrom(...EVENT_NAMES);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(Names, { minLength: 1, maxLength: 4 }), { maxLength: 4 }),
        fc.option(Names, { nil: undefined }),
        fc.integer({ min: 1, max: 5 }),
        async (transactions, type, limit) => {
          const holder = await newHolder();
          for (const events of transactions) await fire(holder, events);
          const expected = transactions.flat().filter((event) => type === undefined || event === type);
          const found: Logged[] = [];
          let after = '';
          for (;;) {
            const { rows, next } = await read(holder, `limit=${limit}${type ? `&type=${type}` : ''}${after}`);
            found.push(...rows);
            if (rows.length < limit) break;
            after = `&after=${next}`;
          }
          assert.deepEqual(
            found.map((row) => row.event),
            expected,
          );
          const ids = found.map((row) => row.id);
          assert.deepEqual(ids, [...new Set(ids)].toSorted());
        },
      ),
      { numRuns: 20 },
    );
  });

  await t.test('a page has 20 events unless it is asked for 1 to 100', async () => {
    const holder = await newHolder();
    await fire(
      holder,
      Array.from({ length: 101 }, () => 'sc.completed' as const),
    );
    for (const [query, count] of [
      ['', 20],
      ['limit=1', 1],
      ['limit=100', 100],
    ] as const) {
      assert.equal((await read(holder, query)).rows.length, count);
    }
    for (const query of ['limit=0', 'limit=101', 'limit=-1', 'limit=ten', 'limit=1.5', 'after=']) {
      assert.equal((await get(holder, query)).status, 400, query);
    }
  });

  await t.test('a position at or beyond the end gives nothing and stays as it is', async () => {
    const holder = await newHolder();
    await fire(holder, ['sc.completed', 'loan.approved']);
    const { rows, next } = await read(holder);
    assert.equal(next, rows.at(-1)?.id);
    assert.deepEqual(await read(holder, `after=${next}`), { rows: [], next });
    const beyond = `evt_${'z'.repeat(26)}`;
    assert.deepEqual(await read(holder, `after=${beyond}`), { rows: [], next: beyond });
    assert.deepEqual((await read(holder, `after=evt_${'0'.repeat(26)}`)).rows, rows);
    assert.deepEqual((await read(holder, `after=${rows[0]?.id}`)).rows, rows.slice(1), 'the position itself is not repeated');
  });

  await t.test('with a kind that was not fired the position stays where it was', async () => {
    const holder = await newHolder();
    await fire(holder, ['sc.completed']);
    const [row] = (await read(holder)).rows;
    assert.deepEqual(await read(holder, 'type=loan.rejected'), { rows: [], next: null });
    assert.deepEqual(await read(holder, `type=loan.rejected&after=${row?.id}`), { rows: [], next: row?.id });
  });

  await t.test('data come back as they were, numbers and letters of any kind', async () => {
    const holder = await newHolder();
    const data = {
      deal_id: 'deal_ü–貸付',
      total: 90_071_992_547_409.91,
      small: 0.1,
      list: [null, true, { 'a"b': '\\' }],
      empty: {},
    };
    await fire(holder, ['loan.approved'], data);
    const [row] = (await read(holder)).rows;
    assert.deepEqual(row?.data, data);
    assert.match(row?.timestamp ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  await t.test('a key of any customer reads its organization’s log; an operator has none here', async () => {
    const names: [Parameters<typeof gateway.key>[0], number][] = [
      ['originator', 200],
      ['investor', 200],
      ['operator', 403],
    ];
    for (const [role, status] of names) assert.equal((await get(await gateway.key(role, `As ${role}`), '')).status, status, role);
    assert.equal((await gateway.call('GET', '/v1/api/events')).status, 401);
  });
});
