import { ComputeBusy } from './failures.ts';

/** A number of slots that owners take in turns: `take` resolves with the function that releases the slot. */
export type Turns = { take(owner: string, signal: AbortSignal | undefined, waitMs: number | undefined): Promise<() => void> };

type Waiting = { owner: string; grant(): void };

/** Limits on the waiting tasks with a limited wait: per owner and in total. */
const WAITING_OF_ONE = 16;
const WAITING_OF_ALL = 64;

/** A free slot goes to the owner with the fewest running tasks; among those, to the one that has waited longest. */
export function createTurns(slots: number): Turns {
  const working = new Map<string, number>();
  const waiting: Waiting[] = [];
  let free = slots;

  const occupy = (owner: string) => {
    free -= 1;
    working.set(owner, (working.get(owner) ?? 0) + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      free += 1;
      const left = (working.get(owner) ?? 1) - 1;
      if (left === 0) working.delete(owner);
      else working.set(owner, left);
      next()?.grant();
    };
  };
  const next = (): Waiting | undefined => {
    const load = ({ owner }: Waiting) => working.get(owner) ?? 0;
    return waiting.reduce<Waiting | undefined>(
      (best, each) => (best === undefined || load(each) < load(best) ? each : best),
      undefined,
    );
  };

  return {
    async take(owner, signal, waitMs) {
      signal?.throwIfAborted();
      if (free > 0) return occupy(owner);
      const own = waiting.filter((each) => each.owner === owner).length;
      if (waitMs !== undefined && (own >= WAITING_OF_ONE || waiting.length >= WAITING_OF_ALL))
        throw new ComputeBusy(`${waiting.length} tasks are already waiting`);
      return await new Promise((resolve, reject) => {
        const leave = (settle: () => void) => {
          waiting.splice(waiting.indexOf(entry), 1);
          clearTimeout(timer);
          signal?.removeEventListener('abort', cancel);
          settle();
        };
        const entry: Waiting = { owner, grant: () => leave(() => resolve(occupy(owner))) };
        const cancel = () => leave(() => reject(signal?.reason as Error));
        const timer =
          waitMs === undefined
            ? undefined
            : setTimeout(() => leave(() => reject(new ComputeBusy(`no process was free within ${waitMs} ms`))), waitMs);
        signal?.addEventListener('abort', cancel, { once: true });
        waiting.push(entry);
      });
    },
  };
}
