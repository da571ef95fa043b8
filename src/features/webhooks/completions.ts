import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../../platform/deps.ts';
import { type Findings, followHealth } from './health.ts';
import { type Claimed, type Completion, complete } from './queue.ts';

/** How often a subscription that is known to fail is looked at again. */
const LOOK_AGAIN_MS = 2_000;

/** Gathers the ends of attempts and records them in batches. */
export type Completions = {
  add(row: Claimed, completion: Completion): void;
  /** Resolves when everything that was added is recorded, or given up to the lease. */
  flushed(): Promise<void>;
};

const BATCH = 64;
const GATHER_MS = 5;
/** The database may be away for a moment; after this the lease decides, and the delivery is made again. */
const RETRIES_MS = [50, 200, 1_000, 3_000, 5_000];

type Entry = { row: Claimed; completion: Completion };

/** `onEnded` gets the ids that are under way no longer. */
export function createCompletions(deps: Deps, onEnded: (ids: string[]) => void): Completions {
  let waiting: Entry[] = [];
  let timer: NodeJS.Timeout | undefined;
  const running = new Set<Promise<void>>();
  const lookedAt = new Map<string, number>();

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting.splice(0, BATCH * 4);
    if (batch.length === 0) return;
    const work = record(deps, batch, lookedAt).finally(() => {
      running.delete(work);
      onEnded(batch.map((each) => each.completion.delivery_id));
      if (waiting.length > 0) flush();
    });
    running.add(work);
  }

  return {
    add(row, completion) {
      waiting.push({ row, completion });
      // One batch at a time grows while the one before is written.
      if (waiting.length >= BATCH && running.size === 0) flush();
      else timer ??= setTimeout(() => (running.size === 0 ? flush() : (timer = undefined)), GATHER_MS);
    },
    async flushed() {
      while (waiting.length > 0 || running.size > 0) {
        flush();
        await Promise.all(running);
      }
    },
  };
}

async function record(deps: Deps, batch: readonly Entry[], lookedAt: Map<string, number>): Promise<void> {
  for (const delayMs of [...RETRIES_MS, null]) {
    try {
      await deps.db.tx({ platform: true }, async (tx) => {
        const counted = await complete(
          tx,
          batch.map((each) => each.completion),
        );
        await followHealth(
          tx,
          findingsOf(
            batch.filter((each) => counted.has(each.completion.delivery_id)),
            lookedAt,
          ),
        );
      });
      return;
    } catch (error) {
      lookedAt.clear();
      const { name, message } = error as Error;
      deps.log.warn({ err: { name, message }, ends: batch.length }, 'ends of webhook attempts could not be recorded');
      if (delayMs !== null) await sleep(delayMs);
    }
  }
}

/** Replays and tests are somebody's act: their failures say nothing new about the receiver, their success does. */
function findingsOf(batch: readonly Entry[], lookedAt: Map<string, number>): Findings {
  const attempted = batch.filter((each) => each.completion.attempted);
  const idsOf = (entries: readonly Entry[]): string[] => [...new Set(entries.map((each) => each.row.subscription_id))].sort();
  const failed = attempted.filter(({ completion }) => completion.status === 'FAILED');
  const failing = idsOf(failed.filter(({ row, completion }) => row.kind === 'EVENT' && completion.http_status !== 410));
  const now = performance.now();
  const due = failing.filter((id) => (lookedAt.get(id) ?? -Infinity) + LOOK_AGAIN_MS <= now);
  for (const id of due) lookedAt.set(id, now);
  const delivered = attempted.filter(({ completion }) => completion.status === 'DELIVERED');
  return {
    // Only of a subscription that was failing is a success news.
    delivered: forget(lookedAt, idsOf(delivered.filter(({ row }) => row.failing || failing.includes(row.subscription_id)))),
    failed: due,
    gone: idsOf(failed.filter(({ completion }) => completion.http_status === 410)),
  };
}

/** After a success the next failure is looked at at once. */
function forget(lookedAt: Map<string, number>, ids: string[]): string[] {
  for (const id of ids) lookedAt.delete(id);
  return ids;
}
