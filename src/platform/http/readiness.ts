import type { Database } from '../db/database.ts';
import { missingMigrations } from '../db/migrate.ts';
import type { Deps } from '../deps.ts';
import { inTime } from '../in-time.ts';
import { unavailableReason } from '../unavailable.ts';

const PROBE_TIMEOUT_MS = 2_000;

export type Readiness = { ready: boolean; checks: Record<'database' | 'storage' | 'migrations', boolean> };

/** Whether this process can serve: checked over the connections that requests use, in the state in which they would find the database. */
export async function readiness(deps: Deps): Promise<Readiness> {
  const problems: Record<string, string> = {};
  const passes = async (name: string, check: () => Promise<void>): Promise<boolean> => {
    try {
      await inTime(check(), PROBE_TIMEOUT_MS);
      return true;
    } catch (error) {
      problems[name] = unavailableReason(error) ?? (error as Error).message;
      return false;
    }
  };
  const [database, storage, migrations] = await Promise.all([
    passes('database', () => requireWrites(deps.db)),
    passes('storage', () => deps.store.ready()),
    passes('migrations', () => requireMigrations(deps.db)),
  ]);
  const ready = database && storage && migrations;
  if (!ready) deps.log.warn({ problems }, 'not ready');
  return { ready, checks: { database, storage, migrations } };
}

/** Fails where the database accepts no writes: no request could be served, since each is counted. */
export async function requireWrites(db: Database): Promise<void> {
  const [state] = await db.direct<{ recovering: boolean; read_only: boolean }>(
    `select pg_is_in_recovery() as recovering, current_setting('transaction_read_only') = 'on' as read_only`,
  );
  if (state?.recovering) throw new Error('the database is in recovery: a standby, or not started yet');
  if (state?.read_only) throw new Error('the database accepts no writes: default_transaction_read_only is on');
}

async function requireMigrations(db: Database): Promise<void> {
  const missing = await missingMigrations((sql) => db.direct<{ name: string }>(sql));
  if (missing.length > 0) throw new Error(`migrations are missing: ${missing.join(', ')}`);
}
