import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type pg from 'pg';
import { oneAtATime } from '../db/migrate.ts';
import { createBoss } from './boss.ts';

export const HEARTBEAT_SECONDS = 10;
const EXPIRE_SECONDS = 2 * 3_600;
export const RETRY_LIMIT = 10;
// About five minutes for a database that refuses; work that fails by itself is given up before (MAX_ATTEMPTS), and an outage of the object
// store or the machine spends none for a day.
const RETRIES = { retryLimit: RETRY_LIMIT, retryDelay: 1, retryBackoff: true, retryDelayMax: 60 };

const OPTIONS = { notify: true, heartbeatSeconds: HEARTBEAT_SECONDS, expireInSeconds: EXPIRE_SECONDS, ...RETRIES };
const BOSS_VERSION: unknown = createRequire(import.meta.url)('pg-boss/package.json').version;

/** Prepares the queue's own schema and a queue for each name; safe when several processes start at once. */
export async function migrateJobs(url: string, names: readonly string[]): Promise<void> {
  const wanted = createHash('sha256')
    .update(JSON.stringify([BOSS_VERSION, names, OPTIONS, QUEUED_BY_ORGANIZATION, GRANTS]))
    .digest('hex');
  await oneAtATime(url, async (client) => {
    if (await isPrepared(client, wanted, names)) return;
    const boss = createBoss(url, { migrate: true });
    boss.on('error', () => {});
    try {
      await boss.start();
      for (const name of names) {
        await boss.createQueue(name, OPTIONS);
        // Otherwise a queue of an earlier version would keep that version's retries.
        await boss.updateQueue(name, RETRIES);
      }
    } finally {
      await boss.stop({ graceful: false });
    }
    await client.query(QUEUED_BY_ORGANIZATION);
    await client.query(GRANTS);
    await client.query(noteOf(wanted));
  });
}

/** Whether a former start has prepared the same. A queue that somebody has removed since is made again. */
async function isPrepared(client: pg.Client, wanted: string, names: readonly string[]): Promise<boolean> {
  const { rows } = await client.query<{ note: string | null }>(
    `select obj_description(to_regnamespace('pgboss'), 'pg_namespace') as note`,
  );
  if (rows[0]?.note !== wanted) return false;
  const there = await client.query<{ count: number }>('select count(*)::int as count from pgboss.queue where name = any($1)', [
    names,
  ]);
  return there.rows[0]?.count === names.length;
}

/** A login that does not own the schema cannot note what it has prepared, and prepares it at each start. */
const noteOf = (wanted: string): string =>
  `do $$ begin comment on schema pgboss is '${wanted}'; exception when insufficient_privilege then null; end $$`;

// A login that does not own the queue's tables uses those that their owner created.
const QUEUED_BY_ORGANIZATION = `do $$ begin
  if to_regclass('pgboss.sluice_queued') is null then
    create index sluice_queued on pgboss.job (group_id) where state < 'active';
  end if;
exception when insufficient_privilege then null; end $$`;

const GRANTS = `do $$ begin
  if exists (select 1 from pg_roles where rolname = 'sluice_app') then
    grant usage on schema pgboss to sluice_app;
    grant select, insert, update, delete on all tables in schema pgboss to sluice_app;
    grant execute on all functions in schema pgboss to sluice_app;
  end if;
exception when insufficient_privilege then null; end $$`;

/** The version of the queue's own schema, or null before it is created. */
export async function jobQueueVersion(client: pg.Client): Promise<number | null> {
  const there = await client.query(`select 1 where to_regclass('pgboss.version') is not null`);
  if (there.rowCount === 0) return null;
  return (await client.query<{ version: number }>('select version from pgboss.version')).rows[0]?.version ?? null;
}

/** Jobs that were running when a database was copied run nowhere in the copy: they are queued again, without counting an attempt. */
export async function requeueRunning(client: pg.Client): Promise<void> {
  await client.query(`update pgboss.job set state = 'created', started_on = null, heartbeat_on = null where state = 'active'`);
}
