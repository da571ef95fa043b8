/** A seeded source of numbers: the same seed gives the same numbers everywhere. Not for secrets. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) | 0;
  }

  /** Uniform in [0, 1): Mulberry32 (T. Ettinger, 2017). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.next() * values.length)];
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** Around `middle`, nearly always within three times `spread` of it: the mean of four uniform numbers, scaled. */
  around(middle: number, spread: number): number {
    const mean = (this.next() + this.next() + this.next() + this.next()) / 4;
    return middle + (mean - 0.5) * 2 * 3 * spread;
  }
}
