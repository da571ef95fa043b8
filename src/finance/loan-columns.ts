import { isLevelPay } from './amortization.ts';
import type { CollateralLoan } from './types.ts';

const COLUMNS = ['balance', 'ratePercent', 'remainingMonths', 'ageMonths', 'originalMonths'] as const;
type ColumnName = (typeof COLUMNS)[number];
type Columns = Record<ColumnName, Float64Array>;

/** In place of the number of a segment: a loan that meets no rule of a list, and one of which a rule cannot be decided before it meets one. */
export const NO_SEGMENT = -1;
export const UNDECIDED_SEGMENT = -2;

const FIRST_CAPACITY = 1024;

/** Object of a special loan with its floating terms and its place in the map. */
const SPECIAL_BYTES = 512;

/**
 * Loans of a pool in the order of the tape, 40 bytes each: the fields of every loan are in columns, and only a loan with special terms keeps
 * its object. Values are not checked here; a projection refuses those that it cannot use.
 */
export class LoanColumns implements Iterable<CollateralLoan> {
  /** Loans with terms beyond the columns, by index in the tape. */
  readonly special = new Map<number, CollateralLoan>();
  readonly #columns: Columns;
  #length = 0;

  /** `capacity`: number of loans for which memory is reserved at first. */
  constructor(capacity = FIRST_CAPACITY) {
    this.#columns = Object.fromEntries(COLUMNS.map((name) => [name, new Float64Array(capacity)])) as Columns;
  }

  get length(): number {
    return this.#length;
  }

  /** Memory that the loans take, estimated for the objects of special ones. */
  get bytes(): number {
    return COLUMNS.length * this.#columns.balance.byteLength + SPECIAL_BYTES * this.special.size;
  }

  add(loan: CollateralLoan): void {
    const index = this.#length++;
    if (index === this.#columns.balance.length) this.#grow();
    this.#set(index, loan);
  }

  column(name: ColumnName): Float64Array {
    return this.#columns[name].subarray(0, this.#length);
  }

  /** The same loans with some of the special ones changed; the columns are shared and must stay as they are. */
  withSpecial(change: (loan: CollateralLoan) => CollateralLoan): LoanColumns {
    const changed = new LoanColumns(0);
    Object.assign(changed.#columns, this.#columns);
    changed.#length = this.#length;
    for (const [index, loan] of this.special) changed.special.set(index, change(loan));
    return changed;
  }

  /** The loans `months` later with these balances, which become a column; special ones are those that `change` makes of them. */
  later(months: number, balance: Float64Array, change: (loan: CollateralLoan, index: number) => CollateralLoan): LoanColumns {
    const later = new LoanColumns(0);
    const columns = later.#columns;
    columns.balance = balance;
    columns.ratePercent = this.column('ratePercent').slice();
    columns.remainingMonths = this.column('remainingMonths').map((remaining) => Math.max(0, remaining - months));
    columns.ageMonths = this.column('ageMonths').map((age) => age + months);
    columns.originalMonths = this.column('originalMonths').slice();
    later.#length = this.#length;
    for (const [index, before] of this.special) {
      later.#set(index, change(before, index));
    }
    return later;
  }

  /** The loans of each part, in the order of the tape: `parts[index]` from 0 to `count` − 1 is the part of a loan; the last has all others. */
  split(parts: Int8Array, count: number): LoanColumns[] {
    const split = Array.from({ length: count + 1 }, () => new LoanColumns());
    let index = 0;
    for (const loan of this) {
      const part = parts[index++];
      split[part >= 0 && part < count ? part : count].add(loan);
    }
    return split;
  }

  *[Symbol.iterator](): Generator<CollateralLoan> {
    for (let index = 0; index < this.#length; index++) yield this.special.get(index) ?? this.#levelPay(index);
  }

  #set(index: number, loan: CollateralLoan): void {
    const columns = this.#columns;
    columns.balance[index] = loan.balance;
    columns.ratePercent[index] = loan.ratePercent;
    columns.remainingMonths[index] = loan.remainingMonths;
    columns.ageMonths[index] = loan.ageMonths;
    columns.originalMonths[index] = loan.originalMonths;
    if (needsObject(loan)) this.special.set(index, loan);
  }

  #levelPay(index: number): CollateralLoan {
    const at = (name: ColumnName) => this.#columns[name][index];
    return {
      balance: at('balance'),
      ratePercent: at('ratePercent'),
      remainingMonths: at('remainingMonths'),
      ageMonths: at('ageMonths'),
      originalMonths: at('originalMonths'),
    };
  }

  #grow(): void {
    for (const name of COLUMNS) {
      const grown = new Float64Array(2 * Math.max(FIRST_CAPACITY, this.#columns[name].length));
      grown.set(this.#columns[name]);
      this.#columns[name] = grown;
    }
  }
}

const needsObject = (loan: CollateralLoan): boolean => !isLevelPay(loan) || loan.type !== undefined || loan.count !== undefined;

/** Loans as columns; columns are returned unchanged. */
export function columnsOf(loans: Iterable<CollateralLoan>): LoanColumns {
  if (loans instanceof LoanColumns) return loans;
  const columns = new LoanColumns(Array.isArray(loans) ? loans.length : FIRST_CAPACITY);
  for (const loan of loans) columns.add(loan);
  return columns;
}
