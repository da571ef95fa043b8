import type pg from 'pg';
import type { PipelinedRead } from './pipelined-read.ts';
import { type ConnectionPool, isBroken } from './pool.ts';

/** Sends reads over the connections of a pool. What fails fails the statements of the read. */
export type ReadLanes = { send(read: PipelinedRead): void };

/** So many connections take quick reads at a time, unless they are held up. */
const LANES = 4;
/** So many quick reads are sent together on one connection. */
const TOGETHER = 8;
/** A statement is quick when it was answered within this time when it was last asked. */
const QUICK_MS = 10;
/** A connection that is busy for longer is no longer counted among the lanes, so that what waits gets another one. */
const HELD_UP_MS = 15;
/** After so long without an answer the reads behind the one that is being answered are sent again, each on a connection of its own. */
const STUCK_MS = 50;

type Waiting = { read: PipelinedRead; since: number };

/**
 * Quick reads that wait for a connection share one: a write to the socket, a wake of the server and its answer are then those of several
 * requests, and they are most of what a small read costs. Each read stays a transaction of its own. One that is not known to be quick has
 * a connection for itself, so that none waits behind it; none waits long behind one that was quick so far.
 */
export function createReadLanes(pool: ConnectionPool): ReadLanes {
  const quick = new Set<string>();
  const waiting: Waiting[] = [];
  let counted = 0;

  const isQuick = (read: PipelinedRead): boolean => read.asked.every((name) => quick.has(name));
  const judge = (read: PipelinedRead, tookMs: number): void => {
    for (const name of read.asked) {
      if (tookMs <= QUICK_MS) quick.add(name);
      else quick.delete(name);
    }
  };
  const sendAll = async (client: pg.PoolClient, reads: readonly PipelinedRead[]): Promise<void> => {
    let began = performance.now();
    let broken: Error | undefined;
    let ended = 0;
    const sendRest = (): void => {
      stuck = undefined;
      for (const read of reads.slice(ended + 1)) void again(read);
    };
    let stuck = reads.length > 1 ? setTimeout(sendRest, STUCK_MS) : undefined;
    const endings = reads.map(async (read) => {
      try {
        await read.ended;
      } catch (error) {
        if (isBroken(error)) broken = error as Error;
      }
      ended += 1;
      stuck?.refresh();
      const now = performance.now();
      judge(read, now - began);
      began = now;
    });
    const { stream } = client.connection;
    stream.cork();
    for (const read of reads) client.query(read);
    stream.uncork();
    await Promise.all(endings);
    clearTimeout(stuck);
    client.release(broken);
  };
  const again = async (read: PipelinedRead): Promise<void> => {
    // Without a connection the answer is the one that is on its way.
    const client = await pool.connect().catch(() => null);
    if (client) await sendAll(client, [read.again()]);
  };
  const alone = async (read: PipelinedRead): Promise<void> => {
    const client = await pool.connect().catch((error: Error) => read.fail(error));
    if (client) await sendAll(client, [read]);
  };
  const lane = async (): Promise<void> => {
    counted += 1;
    const began = performance.now();
    let isCounted = true;
    const uncount = (): void => {
      if (isCounted) counted -= 1;
      isCounted = false;
      if (waiting.length > 0 && counted < LANES) void lane();
    };
    const heldUp = setTimeout(uncount, HELD_UP_MS);
    try {
      const client = await pool.connect();
      await sendAll(client, takeFor(client, waiting));
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
      waiting.push({ read, since: performance.now() });
      if (counted < LANES) void lane();
    },
  };
}

/**
 * The next reads for a connection. Several only if all of their statements are prepared on it: a name that the first of them prepares is
 * unknown to the server when the first fails, and the others would fail with it.
 */
function takeFor({ connection }: pg.PoolClient, waiting: Waiting[]): PipelinedRead[] {
  const unprepared = waiting.findIndex(({ read }) => !read.isPrepared(connection));
  const count = unprepared < 0 ? TOGETHER : Math.min(TOGETHER, Math.max(1, unprepared));
  return waiting.splice(0, count).map(({ read }) => read);
}
