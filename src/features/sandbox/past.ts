import type { FastifyInstance } from 'fastify';
import { createBatchers } from '../../platform/batcher.ts';
import type { Deps } from '../../platform/deps.ts';

/** The gateway at an earlier time: what members do through it has happened then. Its workers, and everyone else, stay in the present. */
export type Past = AsyncDisposable & {
  app: FastifyInstance;
  /** Sets the time to the morning of a day, YYYY-MM-DD. */
  reach(day: string): void;
};

/** Opens the past over the same database, files and queue, with batches of its own: one that others share has one time. */
export async function openPast(app: FastifyInstance, deps: Deps): Promise<Past> {
  const clock = { now: new Date(0) };
  const db = deps.db.backdated(clock);
  const batchers = createBatchers(db);
  const past = await app.over({ ...deps, db, reads: () => db, batchers });
  await past.ready();
  return {
    app: past,
    reach(day) {
      clock.now = new Date(`${day}T15:00:00Z`);
    },
    async [Symbol.asyncDispose]() {
      await past.close();
      await batchers[Symbol.asyncDispose]();
    },
  };
}
