import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import fc from '../../../test/support/property.ts';
import type { Tx } from './database.ts';
import { addUpTotals, isKept, keptTotal, KEPT_TOTALS } from './kept-totals.ts';

const STATUSES = ['UNREAD', 'READ', 'ARCHIVED'];
const PRIORITIES = ['LOW', 'HIGH'];

let gateway: Gateway;
let organizations: string[];
before(async () => {
  gateway = await startGateway();
  organizations = [
    (await gateway.key('originator', 'One')).organization_id,
    (await gateway.key('originator', 'Two')).organization_id,
  ];
});
after(() => gateway[Symbol.asyncDispose]());

const inPlatform = <Result>(run: (tx: Tx) => Promise<Result>): Promise<Result> => gateway.deps.db.tx({ platform: true }, run);

/** The total of every combination of values that alerts are listed by, as kept and as counted. */
const compareAll = (): Promise<void> =>
  inPlatform(async (tx) => {
    for (const organization_id of [undefined, ...organizations])
      for (const status of [undefined, ...STATUSES])
        for (const priority of [undefined, ...PRIORITIES]) {
          const equal = new Map(Object.entries({ organization_id, status, priority }).filter(([, value]) => value !== undefined));
          const where = [...equal.keys()].map((column, index) => `${column} = $${index + 1}`).join(' and ') || 'true';
          const counted = await tx.one<{ n: number }>(`select count(*)::int as n from alerts where ${where}`, [
            ...equal.values(),
          ]);
          assert.equal(await keptTotal(tx, 'alerts', equal), counted?.n, where);
        }
  });

test('a total is what a count says, whatever comes, changes, goes, fails and is added up', async () => {
  let made = 0;
  const organization = fc.nat(1);
  const priority = fc.constantFrom(...PRIORITIES);
  const act = fc.oneof(
    fc.record({
      kind: fc.constant('insert' as const),
      organization,
      rows: fc.integer({ min: 1, max: 5 }),
      priority,
      fails: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('mark' as const), organization, status: fc.constantFrom(...STATUSES), most: fc.nat(6) }),
    fc.record({ kind: fc.constant('delete' as const), priority, most: fc.nat(3) }),
    fc.record({ kind: fc.constant('add up' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (acts) => {
      for (const each of acts) {
        if (each.kind === 'add up') await addUpTotals(gateway.deps.db);
        else
          await inPlatform(async (tx) => {
            if (each.kind === 'insert') {
              const owner = organizations[each.organization];
              await tx.exec(
                `insert into alerts (alert_id, organization_id, type, category, priority, title, message)
                 select 'alt_' || (n + $1), $2, 'a type', 'a category', $3, 'title', 'message' from generate_series(1, $4::int) n`,
                [made, owner, each.priority, each.rows],
              );
              made += each.rows;
              if (each.fails) throw new Error('rolled back');
            } else if (each.kind === 'mark') {
              await tx.exec(
                `update alerts set status = $2 where alert_id in (select alert_id from alerts where organization_id = $1 limit $3)`,
                [organizations[each.organization], each.status, each.most],
              );
            } else {
              await tx.exec('delete from alerts where alert_id in (select alert_id from alerts where priority = $1 limit $2)', [
                each.priority,
                each.most,
              ]);
            }
          }).catch((error: Error) => assert.equal(error.message, 'rolled back'));
      }
      await compareAll();
    }),
    { numRuns: 20 },
  );
  assert.ok(made > 20);
});

test('what one adds up while others write is neither lost nor counted twice', async () => {
  const write = async (owner: string | undefined): Promise<void> => {
    for (let n = 0; n < 20; n += 1)
      await inPlatform((tx) =>
        tx.exec(
          `insert into alerts (alert_id, organization_id, type, category, priority, title, message)
           values ($1, $2, 'a type', 'a category', 'HIGH', 'title', 'message')`,
          [tx.newId('alt'), owner],
        ),
      );
  };
  const addUp = async (): Promise<void> => {
    for (let n = 0; n < 20; n += 1) await addUpTotals(gateway.deps.db);
  };
  await Promise.all([...organizations.map(write), addUp(), addUp()]);
  await compareAll();
});

test('the database keeps the totals that lists ask for, each in the order of its columns', async () => {
  const kept = await inPlatform((tx) => tx.rows<{ list: string; columns: string[] }>('select list, columns from kept_totals'));
  assert.deepEqual(Object.fromEntries(kept.map(({ list, columns }) => [list, columns])), KEPT_TOTALS);
});

test('a list by a column whose totals are not kept is counted', () => {
  assert.ok(isKept('alerts', new Map(Object.entries({ organization_id: 'x', status: 'x' }))));
  assert.ok(!isKept('alerts', new Map([['entity_id', 'x']])));
  assert.ok(!isKept('deal_history', new Map()));
});

test('the rows of a partition whose time is over are taken off the totals', async () => {
  const [owner = ''] = organizations;
  const admin = await gateway.owner();
  try {
    await admin.query(
      `create table webhook_deliveries_20200101 partition of webhook_deliveries for values from ('2020-01-01Z') to ('2020-02-01Z')`,
    );
    await admin.query(`select set_config('sluice.scope', 'platform', false)`);
    await admin.query(`insert into webhook_deliveries (delivery_id, organization_id, subscription_id, event_id, event, kind, status, created_at, inserted_at, event_inserted_at)
      values ('dlv_old', '${owner}', 'whs_1', 'evt_1', 'trade.settled', 'EVENT', 'DELIVERED', '2020-01-02Z', '2020-01-02Z', '2020-01-02Z')`);
  } finally {
    await admin.end();
  }
  const total = (): Promise<number> =>
    inPlatform((tx) =>
      keptTotal(
        tx,
        'webhook_deliveries',
        new Map([
          ['organization_id', owner],
          ['status', 'DELIVERED'],
        ]),
      ),
    );
  assert.equal(await total(), 1);
  await inPlatform((tx) => tx.rows('select sluice_partition_upkeep()'));
  assert.equal(await total(), 0);
});

test('deals of both kinds are told together, by kind, type, status and owner', async () => {
  const operator = await gateway.key('operator');
  const [one = '', two = ''] = organizations;
  const admin = await gateway.owner();
  try {
    await admin.query(`select set_config('sluice.scope', 'platform', false)`);
    await admin.query(`insert into deals (deal_id, organization_id, name, loan_type, status)
      values ('deal_1', '${one}', 'First', 'Auto', 'APPROVED'), ('deal_2', '${two}', 'Second', 'Auto', 'APPROVED')`);
  } finally {
    await admin.end();
  }
  const total = async (query: string): Promise<number> =>
    (await gateway.call('GET', `/v1/operator/deals?${query}`, { as: operator })).body.pagination.total;
  for (const [query, expected] of [
    ['', 2],
    ['kind=LOAN', 2],
    ['kind=SECURITIZATION', 0],
    ['type=Auto', 2],
    ['type=Student', 0],
    [`organization_id=${two}&status=APPROVED`, 1],
    ['market_status=MARKETING', 0],
  ] as const)
    assert.equal(await total(query), expected, query);
});

test('an emptied sandbox has no totals of what is gone, and keeps those of what comes', async () => {
  await inPlatform((tx) => tx.rows('select sluice_reset_sandbox()'));
  // The log of requests still writes what it has.
  for (const list of Object.keys(KEPT_TOTALS).filter((name) => name !== 'request_log'))
    await inPlatform(async (tx) => {
      const counted = await tx.one<{ n: number }>(`select count(*)::int as n from ${list}`);
      assert.equal(await keptTotal(tx, list, new Map()), counted?.n, list);
    });
  const lists = await inPlatform((tx) => tx.rows('select list from kept_totals'));
  assert.equal(lists.length, Object.keys(KEPT_TOTALS).length);
});
