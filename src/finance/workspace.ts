import { WINDOW } from './lane-kernels.ts';
import { Lanes } from './lanes.ts';
import type { LoanTable } from './loan-table.ts';
import type { ProjectionOptions } from './types.ts';

/** Schedules of the special loans with the numbers `from` to `to` (excluded). */
export type SpecialWindow = { lanes: Lanes; from: number; to: number };

/**
 * Buffers that a projection of a table reuses from loan to loan and from chunk to chunk. Each run and each thread has its own: their content
 * is valid only until the next loan or group of loans.
 */
export class Workspace {
  /** Summed schedule of a group of loans: balance after month 0…n, interest due in month 1…n. */
  readonly balance: Float64Array;
  readonly interest: Float64Array;
  readonly #table: LoanTable;
  readonly options: ProjectionOptions;
  #lanes: Lanes | undefined;
  #from = 0;
  #to = 0;

  constructor(table: LoanTable, options: ProjectionOptions) {
    this.#table = table;
    this.options = options;
    const sums = table.terms.count > 0 ? this.#lanesOfTable().memory.sums : undefined;
    this.balance = sums?.balance ?? new Float64Array(table.periods + 1);
    this.interest = sums?.interest ?? new Float64Array(table.periods);
  }

  /** The lanes, to compute other loans in them: what the window had is then computed again. */
  takeLanes(): Lanes {
    this.#to = this.#from;
    return this.#lanesOfTable();
  }

  /** Schedules of special loan number `next` and, where it was not computed with others before, of the ones after it. */
  specialWindow(next: number): SpecialWindow {
    const lanes = this.#lanesOfTable();
    if (next < this.#from || next >= this.#to) {
      this.#from = next;
      this.#to = Math.min(next + WINDOW, this.#table.terms.count);
      lanes.loadSpecials(this.#from, this.#to);
    }
    return { lanes, from: this.#from, to: this.#to };
  }

  /** Made when first needed: few pools have special loans or advances. */
  #lanesOfTable(): Lanes {
    return (this.#lanes ??= new Lanes(this.#table, this.options));
  }
}
