import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../../platform/deps.ts';
import { createHealthCheck, type HealthCheck, updateHealth } from './health.ts';
import { type EndedAttempt, recordResults } from './queue-queries.ts';

const BATCH = 64;
/** A batch waits this long for more results. */
const GATHER_MS = 5;
/** The database may be away for a moment; after this the lease runs out, and the delivery is attempted again. */
const RETRIES_MS = [50, 200, 1_000, 3_000, 5_000];

/** Gathers the results of attempts and records them in batches. */
export type ResultBuffer = {
  add(ended: EndedAttempt): void;
  /** Resolves when every result that was added is recorded, or given up to its lease. */
  flush(): Promise<void>;
};

type BufferState = {
  /** Results that are in no batch yet. */
  waiting: EndedAttempt[];
  /** Starts the next batch. */
  timer: NodeJS.Timeout | undefined;
  /** Batches that are being written. */
  writing: Set<Promise<void>>;
};

/** `onFlushed` gets the ids of the deliveries that are no longer in flight. */
export function createResultBuffer(deps: Deps, onFlushed: (deliveryIds: string[]) => void): ResultBuffer {
  const state: BufferState = { waiting: [], timer: undefined, writing: new Set() };
  const health = createHealthCheck(() => performance.now());

  function writeBatch(): void {
    clearTimeout(state.timer);
    state.timer = undefined;
    const batch = state.waiting.splice(0, BATCH * 4);
    if (batch.length === 0) return;
    const work = recordBatch(deps, batch, health).finally(() => {
      state.writing.delete(work);
      onFlushed(batch.map((each) => each.result.delivery_id));
      if (state.waiting.length > 0) writeBatch();
    });
    state.writing.add(work);
  }

  function gathered(): void {
    // While a batch is written the next one grows.
    if (state.writing.size === 0) writeBatch();
    else state.timer = undefined;
  }

  return {
    add(ended) {
      state.waiting.push(ended);
      if (state.waiting.length >= BATCH && state.writing.size === 0) writeBatch();
      else state.timer ??= setTimeout(gathered, GATHER_MS);
    },
    async flush() {
      while (state.waiting.length > 0 || state.writing.size > 0) {
        writeBatch();
        await Promise.all(state.writing);
      }
    },
  };
}

async function recordBatch(deps: Deps, batch: readonly EndedAttempt[], health: HealthCheck): Promise<void> {
  for (const delayMs of [...RETRIES_MS, null]) {
    try {
      await deps.db.tx({ platform: true }, async (tx) => {
        const recorded = await recordResults(
          tx,
          batch.map((each) => each.result),
        );
        await updateHealth(tx, health.signalsOf(batch.filter((each) => recorded.has(each.result.delivery_id))));
      });
      return;
    } catch (error) {
      health.reset();
      const { name, message } = error as Error;
      deps.log.warn({ err: { name, message }, results: batch.length }, 'results of webhook attempts could not be recorded');
      if (delayMs !== null) await sleep(delayMs);
    }
  }
}
