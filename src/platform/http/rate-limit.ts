import { createBatcher } from '../batcher.ts';
import type { Database, Tx } from '../db/database.ts';
import { POSITION, type Position } from '../db/replica.ts';
import { senderNetwork } from '../net/addresses.ts';
import { ApiError } from './errors.ts';
import type { RateWindow } from './caller.ts';

const WINDOW_SECONDS = 60;

/** The subjects of an address: a limit each, so that one use of it is never refused for another. */
export const refusedFrom = (address: string): string => `refused:${senderNetwork(address)}`;
export const signInFrom = (address: string): string => `sign-in:${senderNetwork(address)}`;

// One upsert: exact across processes. The window starts with the first request in it; a clock that jumped back starts a new one.
const CONSUME = `
  insert into rate_windows as w (subject, started_at, used) values ($1, clock_timestamp(), $2)
  on conflict (subject) do update set
    used = case when w.started_at > clock_timestamp() - interval '60 seconds' and w.started_at <= clock_timestamp() then least(w.used + excluded.used, 2000000000) else excluded.used end,
    started_at = case when w.started_at > clock_timestamp() - interval '60 seconds' and w.started_at <= clock_timestamp() then w.started_at else clock_timestamp() end
  returning used, ceil(extract(epoch from started_at + interval '60 seconds' - clock_timestamp()))::int as reset`;

/** The window after a request was counted in it, whether the request is within the limit, and where the database was when it came. */
export type Consumed = RateWindow & { allowed: boolean; position: Position | null };

export type RateLimiter = AsyncDisposable & {
  /** Counts one request of `subject` against `limit` per 60 seconds, exactly, whatever the number of processes. */
  consume(subject: string, limit: number): Promise<Consumed>;
};

type StoredWindow = { used: number; reset: number };
type PositionedWindow = StoredWindow & Partial<Position>;

/**
 * Requests of one subject that arrive while its statement is in flight are counted together by the next statement: one by one they
 * would only wait for the lock on the same row. Each has its own index in the batch and therefore its own count.
 */
export function createRateLimiter(db: Database, { positions = false } = {}): RateLimiter {
  const statement = positions ? `${CONSUME}, ${POSITION}` : CONSUME;
  const consumeBatch = async (subject: string, limits: readonly number[]): Promise<Consumed[]> => {
    const [window] = await db.direct<PositionedWindow>(statement, [subject, limits.length]);
    const usedBefore = (window?.used ?? limits.length) - limits.length;
    const { lsn, primary } = window ?? {};
    const position = lsn && primary ? { lsn, primary } : null;
    return limits.map((limit, index) => ({
      ...consumed(limit, usedBefore + index + 1, window?.reset ?? WINDOW_SECONDS),
      position,
    }));
  };
  // After the requests that the process has already received, so that a burst is one statement.
  const batcher = createBatcher(consumeBatch, { schedule: setImmediate });
  return { consume: batcher, [Symbol.asyncDispose]: () => batcher[Symbol.asyncDispose]() };
}

/**
 * Counts an act of `subject` against `limit` per 60 seconds in the caller's transaction, exactly across processes; 429 beyond it. An
 * act that is rolled back does not count.
 */
export async function consumeLimit(tx: Tx, subject: string, limit: number, message: string): Promise<void> {
  const window = await tx.one<StoredWindow>(CONSUME, [subject, 1]);
  const { allowed, reset } = consumed(limit, window?.used ?? 1, window?.reset ?? WINDOW_SECONDS);
  if (!allowed) throw new ApiError('RATE_LIMITED', message, { headers: { 'retry-after': String(Math.max(1, reset)) } });
}

function consumed(limit: number, used: number, reset: number): RateWindow & { allowed: boolean } {
  return {
    allowed: used <= limit,
    limit,
    remaining: Math.max(0, limit - used),
    reset: Math.min(WINDOW_SECONDS, Math.max(0, reset)),
  };
}
