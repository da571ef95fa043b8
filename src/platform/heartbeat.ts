/** When each loop of a process last turned. A loop turns when it has tried, also in vain: a process whose database is away is alive. */
export type Heartbeat = {
  beat(loop: string): void;
  /** The loops that stand still. */
  late(): string[];
};

/** No turn of a loop takes this long: every wait in it is bounded. */
const LATE_MS = 60_000;

export function createHeartbeat(now: () => number = () => performance.now()): Heartbeat {
  const turns = new Map<string, number>();
  return {
    beat: (loop) => void turns.set(loop, now()),
    late: () => [...turns].flatMap(([loop, at]) => (now() - at > LATE_MS ? [loop] : [])),
  };
}
