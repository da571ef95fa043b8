import { randomUUID } from 'node:crypto';
import type { Database } from '../db/database.ts';

/** How long a lease outlives its process, which renews it three times as often. */
const LEASE_SECONDS = 15;

/** A lease that ends later than any may was taken before the clock was set back. */
const TAKE = `
  insert into compute_leases as l (subject, holder, expires_at)
  values ($1, $2, clock_timestamp() + make_interval(secs => $3))
  on conflict (subject) do update set holder = excluded.holder, expires_at = excluded.expires_at
    where l.expires_at <= clock_timestamp() or l.expires_at > clock_timestamp() + interval '10 minutes'
  returning holder`;
const RENEW = `
  update compute_leases set expires_at = clock_timestamp() + make_interval(secs => $3) where subject = $1 and holder = $2`;

/**
 * Takes the only lease on a subject among all processes of the database, until it is disposed of; null while another process holds it. It is
 * a row with an end rather than a lock: it holds no connection, works through any connection pooler, and ends soon after its process.
 */
export async function takeLease(
  db: Database,
  subject: string,
  { seconds = LEASE_SECONDS }: { seconds?: number } = {},
): Promise<AsyncDisposable | null> {
  const holder = randomUUID();
  const taken = await db.direct(TAKE, [subject, holder, seconds]);
  if (taken.length === 0) return null;
  // What cannot be renewed now is renewed the next time, unless another process has it by then.
  const renew = (): void => void db.direct(RENEW, [subject, holder, seconds]).catch(() => {});
  const renewing = setInterval(renew, (seconds * 1_000) / 3).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(renewing);
      // A lease that cannot be released now ends by itself.
      await db.direct('delete from compute_leases where subject = $1 and holder = $2', [subject, holder]).catch(() => {});
    },
  };
}
