import { randomUUID } from 'node:crypto';
import type { Database } from '../db/database.ts';

/** Time beyond the work itself: a kill, a slow release. */
const MARGIN_MS = 5_000;

const TAKE = `
  insert into compute_leases as l (subject, holder, expires_at)
  values ($1, $2, clock_timestamp() + make_interval(secs => $3))
  on conflict (subject) do update set holder = excluded.holder, expires_at = excluded.expires_at
    where l.expires_at <= clock_timestamp()
  returning holder`;

/**
 * Takes the only lease on a subject among all processes of the database, until it is disposed of; null while another process holds it. It is
 * a row with an end rather than a lock: it holds no connection, works through any connection pooler, and expires if its process dies.
 */
export async function takeLease(db: Database, subject: string, longestMs: number): Promise<AsyncDisposable | null> {
  const holder = randomUUID();
  const taken = await db.direct(TAKE, [subject, holder, (longestMs + MARGIN_MS) / 1_000]);
  if (taken.length === 0) return null;
  return {
    async [Symbol.asyncDispose]() {
      // A lease that cannot be released now expires by itself.
      await db.direct('delete from compute_leases where subject = $1 and holder = $2', [subject, holder]).catch(() => {});
    },
  };
}
