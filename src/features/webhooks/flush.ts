import { createBatcher } from '../../platform/batcher.ts';
import { createRecorder, type Recorder } from '../../platform/db/recorder.ts';
import type { Deps } from '../../platform/deps.ts';
import { createHealthCheck, type HealthCheck, updateHealth } from './health.ts';
import { type EndedAttempt, recordResults } from './queue-queries.ts';

/** A batch waits this long for more results; while one batch is being written, the next one grows. */
const GATHER_MS = 2;

/** Gathers the results of attempts and records them in batches. */
export type ResultBuffer = {
  add(ended: EndedAttempt): void;
  /** Resolves when every added result is recorded, or given up because its lease will run out. */
  flush(): Promise<void>;
  /** The process stops: what cannot be recorded is given up sooner. */
  hurry(): void;
};

/** `onFlushed` gets the ids of the deliveries that are no longer in flight. */
export function createResultBuffer(deps: Deps, onFlushed: (deliveryIds: string[]) => void): ResultBuffer {
  const health = createHealthCheck(() => performance.now());
  const recorder = createRecorder();
  const record = async (_key: string, batch: readonly EndedAttempt[]): Promise<undefined[]> => {
    await recordBatch(deps, batch, health, recorder);
    onFlushed(batch.map((each) => each.result.delivery_id));
    return batch.map(() => undefined);
  };
  const batcher = createBatcher(record, { schedule: (start) => void setTimeout(start, GATHER_MS) });
  return {
    add: (ended) => void batcher('results', ended),
    flush: () => Promise.resolve(batcher[Symbol.asyncDispose]()),
    hurry: recorder.hurry,
  };
}

/** Where a batch is given up, the leases of its deliveries run out, and they are attempted again. */
async function recordBatch(deps: Deps, batch: readonly EndedAttempt[], health: HealthCheck, recorder: Recorder): Promise<void> {
  const transaction = () =>
    deps.db.tx({ platform: true }, async (tx) => {
      const recorded = await recordResults(
        tx,
        batch.map((each) => each.result),
      );
      await updateHealth(tx, health.signalsOf(batch.filter((each) => recorded.has(each.result.delivery_id))));
    });
  await recorder
    .record(transaction, (error) => {
      health.reset();
      deps.log.warn({ err: error, results: batch.length }, 'results of webhook attempts could not be recorded');
    })
    .catch(() => deps.log.error({ results: batch.length }, 'results of webhook attempts were given up: they are sent again'));
}
