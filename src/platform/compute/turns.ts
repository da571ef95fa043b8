import { ComputeBusy } from './failures.ts';

/** Takes turns on a number of places: `take` resolves with the function that gives the place back. */
export type Turns = { take(owner: string, signal: AbortSignal | undefined, waitMs: number | undefined): Promise<() => void> };

type Waiting = { owner: string; admit(): void };

/** Most that wait for a place, of one owner and of all, where they wait for a limited time. */
const WAITING_OF_ONE = 16;
const WAITING_OF_ALL = 64;

/** A free place goes to the owner with the fewest at work; among those to the one who has waited longest. */
export function createTurns(places: number): Turns {
  const working = new Map<string, number>();
  const waiting: Waiting[] = [];
  let free = places;

  const occupy = (owner: string) => {
    free -= 1;
    working.set(owner, (working.get(owner) ?? 0) + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      free += 1;
      const left = (working.get(owner) ?? 1) - 1;
      if (left === 0) working.delete(owner);
      else working.set(owner, left);
      next()?.admit();
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
        throw new ComputeBusy(`${waiting.length} tasks wait already`);
      return await new Promise((resolve, reject) => {
        const leave = (settle: () => void) => {
          waiting.splice(waiting.indexOf(entry), 1);
          clearTimeout(timer);
          signal?.removeEventListener('abort', cancel);
          settle();
        };
        const entry: Waiting = { owner, admit: () => leave(() => resolve(occupy(owner))) };
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
