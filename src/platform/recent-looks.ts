/** How long a look-up of a holder counts, from its beginning: what is revoked stops working within this time and that of the next look-up. */
export const LOOK_AGAIN_MS = 1_500;
const MOST_REMEMBERED = 10_000;

/**
 * What was looked up lately, by name. `now` is of a clock that never steps: one that is set back would keep alive what is revoked.
 */
export class RecentLooks<Found> {
  readonly #now: () => number;
  readonly #looks = new Map<string, { found: Found; until: number }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** What was found last; a look that is not recent says only what never changes. */
  last(name: string): { found: Found; isRecent: boolean } | null {
    const look = this.#looks.get(name);
    return look ? { found: look.found, isRecent: look.until > this.#now() } : null;
  }

  /** Call it before the look-up, and what it returns with what was found. */
  begin(name: string): (found: Found) => void {
    const until = this.#now() + LOOK_AGAIN_MS;
    return (found) => {
      if (this.#looks.size >= MOST_REMEMBERED) this.#looks.clear();
      this.#looks.set(name, { found, until });
    };
  }
}
