import { addBusinessDays } from '../../finance/calendar.ts';
import { formatCents, parseCents } from '../../finance/money.ts';
import type { IsoDate } from '../../finance/types.ts';
import { balanceOf, marketValueOf } from '../../finance/position-value.ts';

/** The value of a book at the end of a business date; interest and principal since the first purchase. */
export type HistoryRow = {
  date: IsoDate;
  face: number;
  balance: number;
  /** Of the positions that have a mark; null where none has one. */
  market_value: number | null;
  without_mark: number;
  balance_without_mark: number;
  interest: number;
  principal: number;
  writedown: number;
  accreted: number;
};

/** A change of what a position is worth, by its date in the business zone; numbers as decimal text. Of face it is the part bought. */
export type ValueChange = { date: IsoDate; tranche_id: string; face: string | null; factor: string | null; price: string | null };

/** What was paid on a date. Decimal text. */
export type PaidOn = { date: IsoDate; interest: string; principal: string; writedown: string; accreted: string };

type Worth = { face: bigint; factor: string; price: string | null; balance: bigint; marketValue: bigint };
const WORTHLESS: Worth = { face: 0n, factor: '0', price: null, balance: 0n, marketValue: 0n };

/** The business dates from one date to another; each row includes what was booked on days off before it. Changes and payments in the order of their dates. */
export function historyOf(
  { from, to }: { from: IsoDate; to: IsoDate },
  changes: readonly ValueChange[],
  payments: readonly PaidOn[],
): HistoryRow[] {
  const book = new Book();
  const rows: HistoryRow[] = [];
  let [changed, paid] = [0, 0];
  for (let date = addBusinessDays(from, 0, 'US_FED'); date <= to; date = addBusinessDays(date, 1, 'US_FED')) {
    for (let next = changes[changed]; next && next.date <= date; next = changes[(changed += 1)]) book.change(next);
    for (let next = payments[paid]; next && next.date <= date; next = payments[(paid += 1)]) book.pay(next);
    rows.push(book.at(date));
  }
  return rows;
}

const amount = (cents: bigint): number => Number(formatCents(cents));

/** Positions and their sums, which follow each change. */
class Book {
  readonly #worth = new Map<string, Worth>();
  #face = 0n;
  #balance = 0n;
  #marketValue = 0n;
  #held = 0;
  #unmarked = 0;
  #unmarkedBalance = 0n;
  #interest = 0n;
  #principal = 0n;
  #writedown = 0n;
  #accreted = 0n;

  change({ tranche_id, face, factor, price }: ValueChange): void {
    const before = this.#worth.get(tranche_id) ?? WORTHLESS;
    const after = {
      face: before.face + (face === null ? 0n : parseCents(face)),
      factor: factor ?? before.factor,
      price: price ?? before.price,
    };
    const balance = balanceOf(formatCents(after.face), after.factor);
    const worth = { ...after, balance, marketValue: after.price === null ? 0n : marketValueOf(balance, after.price) };
    this.#worth.set(tranche_id, worth);
    this.#count(before, -1n);
    this.#count(worth, 1n);
  }

  #count({ face, balance, marketValue, price }: Worth, sign: 1n | -1n): void {
    if (face === 0n) return;
    this.#face += sign * face;
    this.#balance += sign * balance;
    this.#marketValue += sign * marketValue;
    this.#held += Number(sign);
    if (price !== null) return;
    this.#unmarked += Number(sign);
    this.#unmarkedBalance += sign * balance;
  }

  pay({ interest, principal, writedown, accreted }: PaidOn): void {
    this.#interest += parseCents(interest);
    this.#principal += parseCents(principal);
    this.#writedown += parseCents(writedown);
    this.#accreted += parseCents(accreted);
  }

  at(date: IsoDate): HistoryRow {
    return {
      date,
      face: amount(this.#face),
      balance: amount(this.#balance),
      market_value: this.#held > 0 && this.#unmarked === this.#held ? null : amount(this.#marketValue),
      without_mark: this.#unmarked,
      balance_without_mark: amount(this.#unmarkedBalance),
      interest: amount(this.#interest),
      principal: amount(this.#principal),
      writedown: amount(this.#writedown),
      accreted: amount(this.#accreted),
    };
  }
}
