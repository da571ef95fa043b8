/** Records when each loop of a process last ran. A failed run counts: a process whose database is unreachable is alive. */
export type Heartbeat = {
  beat(loop: string): void;
  /** The loops that have not run for too long. */
  stalled(): string[];
};

/** No run of a loop takes this long, since every wait in it is bounded. */
const STALLED_AFTER_MS = 60_000;

export function createHeartbeat(now: () => number = () => performance.now()): Heartbeat {
  const lastRuns = new Map<string, number>();
  return {
    beat: (loop) => void lastRuns.set(loop, now()),
    stalled: () => [...lastRuns].flatMap(([loop, at]) => (now() - at > STALLED_AFTER_MS ? [loop] : [])),
  };
}
