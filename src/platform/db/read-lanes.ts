import type pg from 'pg';
import type { PipelinedRead, Shapes } from './pipelined-read.ts';
import { type ConnectionPool, isBroken } from './pool.ts';

/** Sends reads over the connections of a pool. What fails fails the statements of the read. */
export type ReadLanes = { send(read: PipelinedRead): void };

/** So many connections take quick reads at a time, unless they are held up. */
const LANES = 4;
/** So many quick reads are sent together on one connection. */
const TOGETHER = 8;
/** A statement is quick when it was answered within this time, so many times in a row. */
const QUICK_MS = 10;
const QUICK_TIMES = 30;
/** A connection that is busy for longer is no longer counted among the lanes, so that what waits gets another one. */
const HELD_UP_MS = 15;
/** After so long without an answer the reads behind the one that is being answered are sent again, each on a connection of its own. */
const STUCK_MS = 50;

type Waiting = { read: PipelinedRead; since: number };

/**
 * Quick reads that wait for a connection share one: a write to the socket, a wake of the server and its answer are then those of several
 * requests, and they are most of what a small read costs. Each read stays a transaction of its own. One that is not known to be quick has
 * a connection for itself, so that none waits behind it; none waits long behind one that was quick so far, nor fails with it. `now` is in
 * milliseconds.
 */
export function createReadLanes(pool: ConnectionPool, now: () => number = () => performance.now()): ReadLanes {
  /** By statement, how many times in a row it was quick. */
  const quick = new Map<string, number>();
  const shapes = new WeakMap<pg.Connection, Shapes>();
  const waiting: Waiting[] = [];
  let counted = 0;
  /** Lanes that have not taken their reads yet. */
  let coming = 0;

  // Statements without a name are too many to remember, and are never prepared.
  const isQuick = (read: PipelinedRead): boolean =>
    read.asked.every((name) => name !== undefined && (quick.get(name) ?? 0) >= QUICK_TIMES);
  const judge = (read: PipelinedRead, tookMs: number): void => {
    for (const name of read.asked) if (name !== undefined) quick.set(name, tookMs <= QUICK_MS ? (quick.get(name) ?? 0) + 1 : 0);
  };
  const sendAll = async (client: pg.PoolClient, reads: readonly PipelinedRead[]): Promise<void> => {
    let began = now();
    let broken: Error | undefined;
    let ended = 0;
    let stuck: NodeJS.Timeout | undefined;
    const sentAgain = new Set<PipelinedRead>();
    const sendAgain = (read: PipelinedRead): void => {
      if (sentAgain.has(read)) return;
      sentAgain.add(read);
      void alone(read.again());
    };
    const endOf = async (read: PipelinedRead, place: number): Promise<void> => {
      try {
        await read.ended;
      } catch (error) {
        if (isBroken(error)) {
          // What nobody waits for any more has not found the server silent: it waited for the read before it.
          broken ??= sentAgain.has(read) ? new Error('a connection was left behind', { cause: error }) : (error as Error);
          if (read.isBehind) sendAgain(read);
          return;
        }
      }
      ended = place + 1;
      const next = reads[ended];
      if (next) next.isBehind = sentAgain.has(next);
      stuck?.refresh();
      const at = now();
      judge(read, at - began);
      began = at;
    };
    if (reads.length > 1) {
      for (const read of reads.slice(1)) read.isBehind = true;
      stuck = setTimeout(() => {
        stuck = undefined;
        for (const read of reads.slice(ended + 1)) sendAgain(read);
      }, STUCK_MS);
    }
    const endings = reads.map(endOf);
    const { connection } = client;
    const known = shapes.get(connection) ?? new Map();
    shapes.set(connection, known);
    connection.stream.cork();
    for (const read of reads) {
      read.shapes = known;
      client.query(read);
    }
    connection.stream.uncork();
    await Promise.all(endings);
    clearTimeout(stuck);
    client.release(broken);
  };
  const alone = async (read: PipelinedRead): Promise<void> => {
    const client = await pool.connect().catch((error: Error) => read.fail(error));
    if (client) await sendAll(client, [read]);
  };
  const lane = async (): Promise<void> => {
    counted += 1;
    const began = now();
    let isCounted = true;
    const uncount = (): void => {
      if (isCounted) counted -= 1;
      isCounted = false;
      if (waiting.length > 0 && counted < LANES) void lane();
    };
    const heldUp = setTimeout(uncount, HELD_UP_MS);
    try {
      coming += 1;
      let client: pg.PoolClient;
      try {
        client = await pool.connect();
      } finally {
        coming -= 1;
      }
      // What came at once is spread over the lanes that come for it.
      await sendAll(client, takeFor(client, waiting, Math.ceil(waiting.length / (coming + 1))));
    } catch (error) {
      // Those that came later have waited less, and have lanes that were asked for later.
      while (waiting[0] && waiting[0].since <= began) waiting.shift()?.read.fail(error as Error);
    } finally {
      clearTimeout(heldUp);
      uncount();
    }
  };
  return {
    send: (read) => {
      if (!isQuick(read)) return void alone(read);
      waiting.push({ read, since: now() });
      if (counted < LANES) void lane();
    },
  };
}

/**
 * The next reads for a connection. Several only if all of their statements are prepared on it: a name that the first of them prepares is
 * unknown to the server when the first fails, and the others would fail with it.
 */
function takeFor({ connection }: pg.PoolClient, waiting: Waiting[], share: number): PipelinedRead[] {
  const unprepared = waiting.findIndex(({ read }) => !read.isPrepared(connection));
  const count = Math.min(TOGETHER, share, unprepared < 0 ? TOGETHER : Math.max(1, unprepared));
  return waiting.splice(0, count).map(({ read }) => read);
}
