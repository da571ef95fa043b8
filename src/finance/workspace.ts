import { FloatingSchedules } from './floating-schedules.ts';
import { WINDOW } from './lane-kernels.ts';
import { Lanes } from './lanes.ts';
import type { LoanTable } from './loan-table.ts';
import { FLOATING } from './special-terms.ts';
import type { ProjectionOptions } from './types.ts';

/** Schedules in lanes of the special loans with these numbers. */
export type SpecialWindow = { lanes: Lanes; numbers: readonly number[] };

/**
 * Buffers that a projection of a table reuses from loan to loan and from chunk to chunk. Each run and each thread has its own: their content
 * is valid only until the next loan or group of loans.
 */
export class Workspace {
  /** Summed schedule of a group of loans: balance after month 0…n, interest due in month 1…n. */
  readonly balance: Float64Array;
  readonly interest: Float64Array;
  readonly floating: FloatingSchedules;
  readonly #table: LoanTable;
  readonly options: ProjectionOptions;
  #lanes: Lanes | undefined;
  /** Special loans in lanes. */
  #numbers: number[] = [];

  constructor(table: LoanTable, options: ProjectionOptions) {
    this.#table = table;
    this.options = options;
    this.floating = new FloatingSchedules(table, options);
    const sums = table.terms.count > 0 ? this.#lanesOfTable().memory.sums : undefined;
    this.balance = sums?.balance ?? new Float64Array(table.periods + 1);
    this.interest = sums?.interest ?? new Float64Array(table.periods);
  }

  /** The lanes, to compute other loans in them: what the window had is then computed again. */
  takeLanes(): Lanes {
    this.#numbers = [];
    return this.#lanesOfTable();
  }

  /** The schedule of special loan number `next` and, where it was not computed with others before, of the ones after it that do not float. */
  specialWindow(next: number): SpecialWindow {
    const lanes = this.#lanesOfTable();
    if (!this.#numbers.includes(next)) {
      const { kind, count } = this.#table.terms;
      const numbers: number[] = [];
      for (let number = next; number < count && numbers.length < WINDOW; number++)
        if (kind[number] !== FLOATING) numbers.push(number);
      this.#numbers = numbers;
      lanes.loadSpecials(numbers);
    }
    return { lanes, numbers: this.#numbers };
  }

  /** Made when first needed: few pools have special loans or advances. */
  #lanesOfTable(): Lanes {
    return (this.#lanes ??= new Lanes(this.#table, this.options, this.floating));
  }
}
