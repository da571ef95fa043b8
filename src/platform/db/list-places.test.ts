import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import fc from '../../../test/support/property.ts';
import { until } from '../../../test/support/until.ts';
import type { Tx } from './database.ts';
import { keepPlaces, PLACED_TABLES, placeBefore } from './list-places.ts';
import { addUpTotals } from './kept-totals.ts';
import { selectPage } from './page.ts';

const SPACING = { every: 100, from: 500 };
const ALERTS = PLACED_TABLES.filter(({ from }) => from === 'alerts');

let gateway: Gateway;
let owners: string[];
before(async () => {
  gateway = await startGateway();
  owners = [(await gateway.key('originator', 'One')).organization_id, (await gateway.key('originator', 'Two')).organization_id];
});
after(() => gateway[Symbol.asyncDispose]());

const inPlatform = <Result>(run: (tx: Tx) => Promise<Result>): Promise<Result> => gateway.deps.db.tx({ platform: true }, run);
const keep = async (): Promise<void> => {
  await addUpTotals(gateway.deps.db);
  await keepPlaces(gateway.deps.db, ALERTS, SPACING);
};
const [list] = ALERTS;
assert.ok(list);
const places = (owner: string): Promise<{ rank: number }[]> =>
  inPlatform((tx) => tx.rows('select rank::int from list_places where organization_id = $1 order by rank', [owner]));

let made = 0;
/** Alerts of so many minutes ago, a second apart. */
const insert = (tx: Tx, owner: string, rows: number, minutesAgo: number): Promise<number> => {
  made += rows;
  return tx.exec(
    `insert into alerts (alert_id, organization_id, type, category, priority, title, message, created_at)
     select 'alt_' || ($1::int + n), $2, 'a type', 'a category', 'LOW', 'title', 'message',
       now() - make_interval(mins => $4) + make_interval(secs => n % 50) from generate_series(1, $3::int) n`,
    [made - rows, owner, rows, minutesAgo],
  );
};

/** Pages of the list of an organization by their numbers, beside the same rows passed over one by one. */
const comparePages = async (owner: string): Promise<void> => {
  const query = { select: 'alert_id', from: 'alerts', filters: [['organization_id = ?', owner]] as const, order: list.order };
  for (const page of [18, 21, 33, 47, 60, 101, 400])
    await inPlatform(async (tx) => {
      const read = await selectPage<{ alert_id: string }>(tx, query, { page, limit: 30 });
      const expected = await tx.rows<{ alert_id: string; n: number }>(
        `select alert_id, (select count(*)::int from alerts where organization_id = $1) as n from alerts where organization_id = $1
         order by created_at desc, alert_id desc limit 30 offset $2`,
        [owner, (page - 1) * 30],
      );
      assert.deepEqual(
        read.rows.map(({ alert_id }) => alert_id),
        expected.map(({ alert_id }) => alert_id),
        `page ${page}`,
      );
      if (expected[0]) assert.equal(read.total, expected[0].n);
    });
};

test('a page of any number has the same rows, whatever comes and goes before and after places are kept', async () => {
  const owner = fc.constantFrom(0, 1);
  const act = fc.oneof(
    fc.record({
      kind: fc.constant('insert' as const),
      owner,
      rows: fc.integer({ min: 1, max: 400 }),
      fails: fc.boolean(),
      minutesAgo: fc.constantFrom(0, 20, 45, 90, 3_000),
    }),
    fc.record({ kind: fc.constant('delete' as const), owner, oldest: fc.boolean(), most: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ kind: fc.constant('keep' as const) }),
  );
  await inPlatform(async (tx) => {
    for (const each of owners) await insert(tx, each, 1_200, 10_000);
  });
  await keep();
  let read = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 6 }), async (acts) => {
      for (const each of acts) {
        if (each.kind === 'keep') await keep();
        else
          await inPlatform(async (tx) => {
            const whose = owners[each.owner] ?? '';
            if (each.kind === 'delete')
              await tx.exec(
                `delete from alerts where alert_id in (select alert_id from alerts where organization_id = $1
                 order by created_at ${each.oldest ? '' : 'desc'} limit $2)`,
                [whose, each.most],
              );
            else await insert(tx, whose, each.rows, each.minutesAgo);
            if (each.kind === 'insert' && each.fails) throw new Error('rolled back');
          }).catch((error: Error) => assert.equal(error.message, 'rolled back'));
      }
      for (const each of owners) await comparePages(each);
      await keep();
      for (const each of owners) {
        await comparePages(each);
        const near = await inPlatform((tx) => placeBefore(tx, list, new Map([['organization_id', each]]), 700));
        read += near ? 1 : 0;
      }
    }),
    { numRuns: 8 },
  );
  assert.equal(read, 16);
});

test('new rows leave the places of their list, and an old one that comes or goes forgets them', async () => {
  const [one = '', two = ''] = owners;
  const addOne = (minutesAgo: number): Promise<unknown> => inPlatform((tx) => insert(tx, one, 1, minutesAgo));
  await keep();
  const [before, others] = [await places(one), await places(two)];
  assert.ok(before.length >= 5 && others.length >= 5);
  await addOne(0);
  assert.deepEqual(await places(one), before);
  await addOne(31);
  assert.deepEqual(await places(one), []);
  await keep();
  assert.deepEqual(await places(one), before);
  // Its own transactions do not see the places of all organizations, and forget them all the same.
  await gateway.deps.db.tx({ organization: one }, (tx) =>
    tx.exec('delete from alerts where alert_id = (select alert_id from alerts order by created_at limit 1)'),
  );
  assert.deepEqual(await places(one), []);
  assert.deepEqual(await places(two), others);
});

test('rows of the last hour have no places: others may come among them', async () => {
  const [one = ''] = owners;
  await keep();
  const before = await places(one);
  await inPlatform((tx) => insert(tx, one, 1_000, 20));
  await keep();
  assert.deepEqual(await places(one), before);
});

test('whoever counts places waits for a change of old rows that is not committed', async () => {
  const [one = ''] = owners;
  const addOld = (tx: Tx): Promise<unknown> => insert(tx, one, 1, 10_000);
  await inPlatform(addOld);
  assert.deepEqual(await places(one), []);
  let ended = false;
  const { kept } = await inPlatform(async (tx) => {
    await addOld(tx);
    const counting = keep().finally(() => {
      ended = true;
    });
    await until(
      async () => ended || (await tx.rows(`select from pg_locks where locktype = 'advisory' and not granted`)).length > 0,
    );
    return { kept: counting };
  });
  await kept;
  assert.ok((await places(one)).length >= 5);
  await comparePages(one);
});

test('the rows of an organization’s list are counted by an index in its order', async () => {
  for (const each of PLACED_TABLES)
    await inPlatform(async (tx) => {
      const order = each.order.map(({ by, desc }) => `${by}${desc ? ' desc' : ''}`).join(', ');
      for (const way of ['seqscan', 'bitmapscan', 'sort', 'incremental_sort']) await tx.exec(`set local enable_${way} = off`);
      const plan = await tx.rows<{ 'QUERY PLAN': string }>(
        `explain select 1 from ${each.from} where organization_id = 'o' order by ${order}${each.apart === 'one' ? ' nulls last' : ''} limit 1`,
      );
      assert.ok(
        !plan.some((line) => /-> +(Incremental )?Sort\b/.test(line['QUERY PLAN'])),
        `${each.from}: ${JSON.stringify(plan)}`,
      );
    });
});

test('a page of any number has the same rows after the clock was set back behind rows that have places', async () => {
  const [, owner = ''] = owners;
  await inPlatform((tx) => insert(tx, owner, 1_200, 600));
  await keep();
  assert.ok((await places(owner)).length > 0);
  // What the clock has left that was twelve hours ahead.
  const [hours, mine] = ["interval '12 hours'", 'where organization_id = $1'];
  await inPlatform(async (tx) => {
    await tx.exec(`update alerts set created_at = created_at + ${hours} ${mine}`, [owner]);
    await tx.exec(`update list_places set position[1] = (position[1]::timestamptz + ${hours})::text ${mine}`, [owner]);
    await insert(tx, owner, 333, 0);
  });
  await keep();
  await comparePages(owner);
});
