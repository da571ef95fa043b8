import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../../../test/support/postgres.ts';
import { asPlatform } from './as-platform.ts';
import { openDatabase, type Scope } from './database.ts';

// What the market shows of everybody's; of pools, calculations, documents and rounds it shows those of a deal on it.
const MARKET = new Set([
  'securitization_deals',
  'tranches',
  'latest_marks',
  'mark_publications',
  'marks',
  'tranche_factors',
  'tranche_books',
  'remittances',
]);
// What investors whose subscriptions are committed together share a transaction for.
const TOGETHER = new Set(['organizations', 'positions', 'subscriptions', 'iois', 'orders', 'trades', 'list_total_changes']);
// Functions with their owner's power: what they answer is a number, a moment, or whether a book is open, never a row.
const OF_THEIR_OWNER = [
  'sluice_audit_append',
  'sluice_forget_places',
  'sluice_hold_books',
  'sluice_hold_deal',
  'sluice_lock_book',
  'sluice_partition_upkeep',
  'sluice_remove_sandbox_criteria',
  'sluice_reset_sandbox',
  'sluice_return_capacity',
  'sluice_settled_before',
  'sluice_take_capacity',
];
// The gateway's own role reads these; a function writes them.
const WRITTEN_BY_FUNCTION = new Set(['audit_log']);
const [OURS, THEIRS] = ['org_ours', 'org_theirs'];

const TENANT_TABLES = `
  select c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
  where n.nspname = 'public' and c.relkind in ('r', 'p') order by 1`;

type Table = { name: string; enabled: boolean; forced: boolean };

test('rows of organizations', async (t) => {
  const database = await cloneDatabase();
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  const db = openDatabase({ url: database.url, role: 'sluice_app', max: 4 });
  t.after(async () => {
    await db[Symbol.asyncDispose]();
    await owner.end();
    await database.drop();
  });
  const tables = (await owner.query<Table>(TENANT_TABLES)).rows;
  const names = tables.map(({ name }) => name);
  const own: Scope = { organization: OURS };
  const seenBy = (scope: Scope, name: string) =>
    db.tx(scope, (tx) => tx.rows<{ organization_id: string }>(`select organization_id from ${name} order by 1`));

  await t.test('are guarded in every table that has them, against the owner of the table too', () => {
    assert.ok(names.length > 25 && names.includes('deals') && names.includes('keys'), names.join());
    assert.deepEqual(
      tables.filter(({ enabled, forced }) => !enabled || !forced),
      [],
    );
  });

  await t.test('are not reached around the guard by a view, a function or a role that passes it', async () => {
    const { rows: views } = await owner.query(
      `select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where nspname = 'public' and relkind in ('v', 'm') and not coalesce(reloptions @> '{security_invoker=true}', false)`,
    );
    const { rows: role } = await owner.query(
      `select rolsuper, rolbypassrls, rolcanlogin from pg_roles where rolname = 'sluice_app'`,
    );
    assert.deepEqual([views, role], [[], [{ rolsuper: false, rolbypassrls: false, rolcanlogin: false }]]);
    const { rows: functions } = await owner.query<{ name: string; path: string[] | null }>(
      `select proname as name, proconfig as path from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where nspname = 'public' and prosecdef order by 1`,
    );
    assert.deepEqual(
      functions.map(({ name }) => name),
      OF_THEIR_OWNER,
    );
    for (const { name, path } of functions)
      assert.ok(
        path?.some((setting) => /^search_path=.*pg_temp$/.test(setting)),
        name,
      );
    const { rows: everyones } = await owner.query<{ name: string }>(
      `select p.proname as name from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
       where p.prosecdef and p.pronamespace = 'public'::regnamespace and a.grantee = 0`,
    );
    assert.deepEqual(everyones, [], 'executable by every login of the database');
  });

  await fillEveryTable(owner, names);
  // The market sees reports that were applied, and none ahead of its date.
  await owner.query(`update remittances set status = 'APPLIED'`);

  await t.test('are seen by a query without a predicate in their organization’s scope only', async () => {
    for (const name of names) {
      const seen = async (scope: Scope) => (await seenBy(scope, name)).map((row) => row.organization_id);
      assert.deepEqual(await seen(own), [OURS], name);
      assert.deepEqual(await seen({ platform: true }), [OURS, THEIRS], name);
    }
  });

  await t.test('are not seen at all without a scope', async () => {
    for (const name of names) {
      const rows = await db.direct(`select organization_id from ${name}`);
      assert.equal(rows.length, 0, name);
    }
  });

  await t.test('are seen by an investor with what the market shows, and nothing else of others', async () => {
    for (const name of names) {
      const rows = (await seenBy({ market: [OURS] }, name)).map((row) => row.organization_id);
      assert.deepEqual(rows, MARKET.has(name) ? [OURS, THEIRS] : [OURS], name);
    }
  });

  await t.test('of others are never written by an investor, market or not', async () => {
    for (const name of names) {
      const insert = db.tx({ market: [OURS] }, (tx) => tx.exec(`insert into ${name} (organization_id) values ('${THEIRS}')`));
      await assert.rejects(insert, { code: '42501' }, `insert into ${name}`);
      if (WRITTEN_BY_FUNCTION.has(name)) continue;
      const changed = await db.tx({ market: [OURS] }, (tx) =>
        tx.exec(`update ${name} set organization_id = organization_id where organization_id = '${THEIRS}'`),
      );
      assert.equal(changed, 0, `update ${name}`);
      const deleted = db.tx({ market: [OURS] }, (tx) => tx.exec(`delete from ${name} where organization_id = '${THEIRS}'`));
      assert.equal(await deleted, 0, `delete from ${name}`);
    }
  });

  await t.test('of investors whose subscriptions are committed together are those of the commit alone', async () => {
    for (const name of names) {
      const both = (await seenBy({ market: [OURS, THEIRS] }, name)).map((row) => row.organization_id);
      assert.deepEqual(both, MARKET.has(name) || TOGETHER.has(name) ? [OURS, THEIRS] : [], name);
      const others = (await seenBy({ market: [OURS, 'org_third'] }, name)).map((row) => row.organization_id);
      assert.deepEqual(others, MARKET.has(name) ? [OURS, THEIRS] : TOGETHER.has(name) ? [OURS] : [], name);
    }
  });

  await t.test('of others are out of reach again when what was done in the platform’s scope fails', async () => {
    const rows = await db.tx({ market: [OURS] }, async (tx) => {
      const failing = asPlatform(tx, async () => {
        assert.equal((await tx.rows('select 1 from keys')).length, 2);
        throw new Error('refused');
      });
      await assert.rejects(failing, /refused/);
      return tx.rows<{ organization_id: string }>('select organization_id from keys');
    });
    assert.deepEqual(
      rows.map((row) => row.organization_id),
      [OURS],
    );
  });

  await t.test('are not written for another organization, whatever a statement says', async () => {
    for (const name of names) {
      const insert = db.tx(own, (tx) => tx.exec(`insert into ${name} (organization_id) values ('${THEIRS}')`));
      await assert.rejects(insert, { code: '42501' }, `insert into ${name}`);
      const give = db.tx(own, (tx) => tx.exec(`update ${name} set organization_id = '${THEIRS}'`));
      await assert.rejects(give, { code: '42501' }, `giving a row of ${name} away`);
      if (WRITTEN_BY_FUNCTION.has(name)) continue;
      assert.equal(
        await db.tx(own, (tx) => tx.exec(`update ${name} set organization_id = organization_id`)),
        1,
        `update ${name}`,
      );
      assert.equal(await db.tx(own, (tx) => tx.exec(`delete from ${name}`)), 1, `delete from ${name}`);
      const left = (await seenBy({ platform: true }, name)).map((row) => row.organization_id);
      assert.deepEqual(left, [THEIRS], name);
    }
  });

  await t.test('of one request never show in the next one on the same connection', async () => {
    const one = openDatabase({ url: database.url, role: 'sluice_app', max: 1 });
    for (const organization of [THEIRS, OURS, THEIRS]) {
      const rows = await one.tx({ organization }, (tx) => tx.rows('select 1 from keys'));
      assert.equal(rows.length, organization === THEIRS ? 1 : 0);
      assert.equal((await one.direct('select 1 from keys')).length, 0);
    }
    await one[Symbol.asyncDispose]();
  });
});

/** One row of each organization in every table, with nothing else in it: what binds columns to values or tables to each other is taken away here. */
async function fillEveryTable(owner: pg.Client, names: string[]): Promise<void> {
  const runAll = async (makeStatements: string): Promise<void> => {
    for (const { sql } of (await owner.query<{ sql: string }>(makeStatements)).rows) await owner.query(sql);
  };
  await runAll(`select format('alter table %s detach partition %s', inhparent::regclass, inhrelid::regclass) as sql
    from pg_inherits join pg_class p on p.oid = inhparent where p.relkind = 'p'`);
  for (const kinds of [`'f'`, `'p', 'u', 'x', 'c'`]) {
    await runAll(`select format('alter table %s drop constraint %I cascade', conrelid::regclass, conname) as sql
      from pg_constraint join pg_class r on r.oid = conrelid
      where connamespace = 'public'::regnamespace and contype in (${kinds}) and r.relkind in ('r', 'p')`);
  }
  await runAll(`select format('alter table %s alter column %I drop not null', attrelid::regclass, attname) as sql
    from pg_attribute join pg_class r on r.oid = attrelid
    where relnamespace = 'public'::regnamespace and r.relkind in ('r', 'p') and attnum > 0 and attnotnull and attidentity = ''`);
  await runAll(`select format('drop index %s', indexrelid::regclass) as sql from pg_index join pg_class r on r.oid = indrelid
    where indisunique and relnamespace = 'public'::regnamespace`);
  await runAll(`select format('create table %I partition of %I default', relname || '_rest', relname) as sql from pg_class
    where relkind = 'p' and relnamespace = 'public'::regnamespace`);
  for (const name of names) {
    await owner.query(`alter table ${name} disable trigger user`);
    await owner.query(`insert into ${name} (organization_id) values ('${OURS}'), ('${THEIRS}')`);
  }
}
