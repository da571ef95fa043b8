import type { Database } from './db/database.ts';

/** Adds an item to the next batch of its key; resolves with the item's own result. Disposal waits for the batches in flight. */
export type Batcher<Item, Result> = AsyncDisposable & ((key: string, item: Item) => Promise<Result>);

/** One result for each item of a batch, in their order; a promise where an item may fail alone. */
export type Results<Result> = Promise<readonly (Result | Promise<Result>)[]>;

/** Handles a batch of one key. */
export type Flush<Item, Result> = (key: string, batch: readonly Item[]) => Results<Result>;

export type BatcherOptions = {
  maxBatch?: number;
  /** When the first batch of an idle key starts: at once by default. */
  schedule?: (start: () => void) => void;
};

/** Handles a batch with the process's database. */
export type DatabaseFlush<Item, Result> = (db: Database, key: string, batch: readonly Item[]) => Results<Result>;

/** The batchers of a process: one for each flush function, created with its first item. */
export type Batchers = AsyncDisposable & {
  of<Item, Result>(flush: DatabaseFlush<Item, Result>): Batcher<Item, Result>;
};

export function createBatchers(db: Database): Batchers {
  const created = new Map<unknown, AsyncDisposable>();
  return {
    of<Item, Result>(flush: DatabaseFlush<Item, Result>) {
      const batcher = created.get(flush) ?? createBatcher((key: string, batch: readonly Item[]) => flush(db, key, batch));
      created.set(flush, batcher);
      // The batcher that is stored under a flush function was created from it above.
      return batcher as Batcher<Item, Result>;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...created.values()].map((batcher) => batcher[Symbol.asyncDispose]()));
    },
  };
}

type Pending<Item, Result> = { item: Item; resolve(result: Result | Promise<Result>): void; reject(error: unknown): void };

const MAX_BATCH = 256;

/** Runs one batch per key at a time; items that arrive in the meantime form the next one. Keys do not wait for each other. */
export function createBatcher<Item, Result>(
  flush: Flush<Item, Result>,
  { maxBatch = MAX_BATCH, schedule = (start) => start() }: BatcherOptions = {},
): Batcher<Item, Result> {
  const queues = new Map<string, Pending<Item, Result>[]>();
  const inFlight = new Set<Promise<void>>();

  const drain = async (key: string, queue: Pending<Item, Result>[]): Promise<void> => {
    while (queue.length > 0) await settle(key, queue.splice(0, maxBatch), flush);
    queues.delete(key);
  };
  const start = (key: string, queue: Pending<Item, Result>[]): void => {
    const draining = Promise.withResolvers<void>();
    inFlight.add(draining.promise);
    schedule(() => {
      void drain(key, queue).finally(() => {
        inFlight.delete(draining.promise);
        draining.resolve();
      });
    });
  };
  const add = (key: string, item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      const pending = { item, resolve, reject };
      const queue = queues.get(key);
      if (queue) return void queue.push(pending);
      const fresh = [pending];
      queues.set(key, fresh);
      start(key, fresh);
    });
  return Object.assign(add, {
    async [Symbol.asyncDispose]() {
      await Promise.all(inFlight);
    },
  });
}

async function settle<Item, Result>(
  key: string,
  batch: readonly Pending<Item, Result>[],
  flush: Flush<Item, Result>,
): Promise<void> {
  try {
    const results = await flush(
      key,
      batch.map((each) => each.item),
    );
    if (results.length !== batch.length) throw new Error(`a batch of ${batch.length} items got ${results.length} results`);
    for (const [index, each] of batch.entries()) each.resolve(results[index] as Result | Promise<Result>);
  } catch (error) {
    for (const each of batch) each.reject(error);
  }
}
