import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pg from 'pg';
import { JOB_NAMES } from '../../src/job-names.ts';
import { startServer, stopServer } from '../../src/platform/db/embedded-server.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { migrateJobs } from '../../src/platform/jobs/queue-schema.ts';
import type { Gateway } from './gateway.ts';

/** How many reads for which there is a standby have ended in each way. */
export async function readOutcomes({ deps }: Gateway): Promise<Record<string, number>> {
  const { values } = await deps.metrics.replicaReads.get();
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels.outcome), value]));
}

/** A migrated primary and a standby that follows it, of the packaged PostgreSQL. */
export type Pair = {
  primaryUrl: string;
  standbyUrl: string;
  /** The standby receives what the primary writes, and shows none of it until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Makes the standby a primary of its own. */
  promote(): Promise<void>;
  stopStandby(): Promise<void>;
  startStandby(): Promise<void>;
  /** How many statements the standby has ended because they took longer than they may. */
  timedOut(): number;
  [Symbol.asyncDispose](): Promise<void>;
};

/** A standby shows what is on its disk: with a slow one it would be behind for good. */
const FAST = { fsync: 'off' };

export async function startPair(): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'pair-'));
  const primary = join(folder, 'primary');
  const standby = join(folder, 'standby');
  for (const directory of [primary, standby]) mkdirSync(directory);
  const addressOf = await startServer({ directory: primary, settings: FAST });
  const primaryUrl = addressOf('postgres');
  await migrate(primaryUrl);
  await migrateJobs(primaryUrl, JOB_NAMES);
  await copy(primaryUrl, primary, standby);
  const { hostname, port, username, password } = new URL(primaryUrl);
  const settings = { ...FAST, primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}` };
  const start = (): Promise<(database: string) => string> => startServer({ directory: standby, settings });
  const standbyUrl = (await start())('postgres');
  return {
    primaryUrl,
    standbyUrl,
    pause: () => run(standbyUrl, 'select pg_wal_replay_pause()'),
    resume: () => run(standbyUrl, 'select pg_wal_replay_resume()'),
    promote: () => run(standbyUrl, 'select pg_promote()'),
    stopStandby: async () => {
      // What it has replayed is then on its disk, and the stop does not take long.
      await run(standbyUrl, 'checkpoint');
      await stopServer(standby);
    },
    startStandby: async () => void (await start()),
    timedOut: () => readFileSync(join(standby, 'postgres.log'), 'utf8').split('due to statement timeout').length - 1,
    async [Symbol.asyncDispose]() {
      await stopServer(standby);
      await stopServer(primary);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A copy of the files of a running server, from which a standby starts. */
async function copy(url: string, from: string, to: string): Promise<void> {
  const client = await connected(url);
  try {
    await client.query(`select pg_backup_start('a standby', true)`);
    cpSync(from, to, {
      recursive: true,
      filter: (path) => !basename(path).startsWith('postmaster.') && basename(path) !== 'port',
    });
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(to, 'data', 'backup_label'), rows[0]?.labelfile ?? '');
    writeFileSync(join(to, 'data', 'standby.signal'), '');
  } finally {
    await client.end();
  }
}

async function run(url: string, sql: string): Promise<void> {
  const client = await connected(url);
  await client.query(sql);
  await client.end();
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
