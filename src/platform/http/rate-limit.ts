import type { Database, Tx } from '../db/database.ts';
import { ApiError } from './errors.ts';
import type { RateWindow } from './route.ts';

export const WINDOW_SECONDS = 60;

// One upsert: exact across processes. The window starts with the first request in it; a clock that jumped back starts a new one.
const TAKE = `
  insert into rate_windows as w (subject, started_at, used) values ($1, clock_timestamp(), $2)
  on conflict (subject) do update set
    used = case when w.started_at > clock_timestamp() - interval '60 seconds' and w.started_at <= clock_timestamp() then least(w.used + excluded.used, 2000000000) else excluded.used end,
    started_at = case when w.started_at > clock_timestamp() - interval '60 seconds' and w.started_at <= clock_timestamp() then w.started_at else clock_timestamp() end
  returning used, ceil(extract(epoch from started_at + interval '60 seconds' - clock_timestamp()))::int as reset`;

export type Taken = RateWindow & { allowed: boolean };

type Window = { used: number; reset: number };
type Waiting = { limit: number; resolve(taken: Taken): void; reject(error: unknown): void };

/** Requests that wait for their subject's statement that is under way, per database and subject. */
const queues = new WeakMap<Database, Map<string, Waiting[]>>();

/**
 * Counts one request of `subject` against `limit` per 60 seconds, exactly, whatever the number of processes. Requests of one
 * subject that arrive while its statement is under way are counted by the next one together, each at a place of its own: they
 * would only wait for each other's lock on the row.
 */
export function takeFromLimit(limits: Database, subject: string, limit: number): Promise<Taken> {
  const subjects = queues.get(limits) ?? new Map<string, Waiting[]>();
  queues.set(limits, subjects);
  return new Promise((resolve, reject) => {
    const waiting = { limit, resolve, reject };
    const queue = subjects.get(subject);
    if (queue) return void queue.push(waiting);
    subjects.set(subject, [waiting]);
    // After the requests that the process has already received, so that a burst is one statement.
    setImmediate(() => void takeAll(limits, subjects, subject));
  });
}

async function takeAll(limits: Database, subjects: Map<string, Waiting[]>, subject: string): Promise<void> {
  for (let batch = subjects.get(subject) ?? []; batch.length > 0; batch = subjects.get(subject) ?? []) {
    subjects.set(subject, []);
    try {
      const [window] = await limits.direct<Window>(TAKE, [subject, batch.length]);
      const before = (window?.used ?? batch.length) - batch.length;
      batch.forEach((each, index) => each.resolve(taken(each.limit, before + index + 1, window?.reset ?? WINDOW_SECONDS)));
    } catch (error) {
      for (const each of batch) each.reject(error);
    }
  }
  subjects.delete(subject);
}

/**
 * Counts an act of `subject` against `limit` per 60 seconds in the caller's transaction, exactly across processes; 429 beyond it. What
 * is rolled back does not count.
 */
export async function consumeLimit(tx: Tx, subject: string, limit: number, message: string): Promise<void> {
  const window = await tx.one<Window>(TAKE, [subject, 1]);
  const { allowed, reset } = taken(limit, window?.used ?? 1, window?.reset ?? WINDOW_SECONDS);
  if (!allowed) throw new ApiError('RATE_LIMITED', message, { headers: { 'retry-after': String(Math.max(1, reset)) } });
}

function taken(limit: number, used: number, reset: number): Taken {
  return {
    allowed: used <= limit,
    limit,
    remaining: Math.max(0, limit - used),
    reset: Math.min(WINDOW_SECONDS, Math.max(0, reset)),
  };
}
