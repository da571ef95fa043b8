import type { Logger } from 'pino';
import type { ObjectStore } from './store.ts';

const UNUSED_MS = 24 * 3_600_000;
const EVERY_MS = 3_600_000;

/**
 * Removes, at once and every hour, the local copies of objects that were not used for a day: the disk of a machine would fill with all that it
 * ever read, and keep what is deleted elsewhere. Who has one open reads it to its end.
 */
export function keepCopiesInUse(store: ObjectStore, log: Logger): AsyncDisposable {
  const sweep = async (): Promise<void> => {
    try {
      const removed = await store.removeCopies(new Date(Date.now() - UNUSED_MS));
      if (removed > 0) log.info({ removed }, 'removed local copies of objects that were not used for a day');
    } catch (error) {
      log.warn({ err: error }, 'local copies of objects could not be removed');
    }
  };
  let sweeping = sweep();
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweep);
  }, EVERY_MS);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await sweeping;
    },
  };
}
