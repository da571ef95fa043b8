import type { ReadLimits } from './raw-table.ts';
import type { Row } from './row.ts';
import { isRemark } from './stray-rows.ts';
import {
  beginsWithLoanNumber,
  canonicalNumber,
  columnsOf,
  eachRow,
  evidenceOf,
  numbersIn,
  Sums,
  type Suspect,
  suspectOf,
  type Usual,
} from './totals.ts';

/** So few loans may add up to a loan without an id by chance. */
const LOANS_OF_CHANCE = 5;

export type FootVerdict = 'TOTALS' | 'AVERAGES' | 'REMARK' | 'LOAN';

/** What is known of the table above its foot. */
export interface AboveFoot {
  usual: Usual;
  /** Nearly every loan has a first value, so that a full row without one may be a line of totals. */
  firstIsFilled: boolean;
  /** The row under which the last line of totals was left out, or 0. */
  lastBreak: number;
}

const NOTHING_ABOVE: AboveFoot = {
  usual: { fill: Number.POSITIVE_INFINITY, texts: 0, label: false, ownFirst: true },
  firstIsFilled: true,
  lastBreak: 0,
};

/**
 * Classifies the last rows of a table, which are mostly empty, lack an id or begin with the word of a sum. A row whose largest number is the sum
 * of its column over all loans (the others may be averages or counts), and that does not begin with a loan number, is a line of totals; so is
 * one with strong evidence of being the sum of its group. One without a first value whose amounts are averages is none of the loans either. One with words only is a remark, unless a loan follows it. `canonicalPaths` has
 * the loans so far, null when there are none.
 */
export async function judgeFoot(
  rows: readonly Row[],
  canonicalPaths: () => Promise<readonly string[] | null>,
  width: number,
  limits: ReadLimits,
  above: AboveFoot = NOTHING_ABOVE,
): Promise<FootVerdict[]> {
  const suspects = rows.map((row) => suspectOf(row, above.usual));
  const paths = suspects.some(({ numbers }) => numbers.size > 0) ? await canonicalPaths() : null;
  const columns = columnsOf(suspects, width);
  const [all, withFoot, group] = [new Sums(columns), new Sums(columns), new Sums(columns)];
  const averages = new Averages(columns);
  const numbers = new Float64Array(columns.length);
  let rowNumber = 0;
  await eachRow(paths ?? [], width, limits, (row) => {
    rowNumber += 1;
    columns.forEach((column, place) => {
      numbers[place] = canonicalNumber(row, column);
    });
    averages.add(numbers);
    all.add(numbers);
    if (rowNumber > above.lastBreak) group.add(numbers);
  });
  withFoot.take(all);
  const verdicts = rows.map((row, at) => {
    const found = verdict(row, suspects[at], { all, withFoot, group, averages }, above);
    if (found === 'TOTALS') group.clear();
    if (found === 'LOAN') for (const sums of [withFoot, group]) sums.add(numbersIn(suspects[at], columns));
    return found;
  });
  const lastLoan = verdicts.lastIndexOf('LOAN');
  return verdicts.map((found, at) => (found === 'REMARK' && at < lastLoan ? 'LOAN' : found));
}

type SumsAbove = { all: Sums; withFoot: Sums; group: Sums; averages: Averages };

function verdict(row: Row, suspect: Suspect, { all, withFoot, group, averages }: SumsAbove, above: AboveFoot): FootVerdict {
  const isStrong = [all, withFoot, group].some((sums) => evidenceOf(suspect, sums) === 'STRONG');
  if (suspect.isLabelled && isStrong) return 'TOTALS';
  if (beginsWithLoanNumber(row)) return 'LOAN';
  const fewest = suspect.isLikeLoan ? LOANS_OF_CHANCE : 2;
  const mayBeSum = (suspect.isSparse || above.firstIsFilled) && all.loans >= fewest;
  if (isStrong || (mayBeSum && all.found(suspect) > 0)) return 'TOTALS';
  if (suspect.isNameless && above.firstIsFilled && all.loans >= LOANS_OF_CHANCE && averages.are(suspect.numbers))
    return 'AVERAGES';
  return isRemark(row) ? 'REMARK' : 'LOAN';
}

type Seen = { sum: number; count: number; first: number; varies: boolean };

/** Averages of the numbers of columns. */
class Averages {
  readonly #columns: ReadonlyMap<number, Seen>;
  /** The same in their order. */
  readonly #seen: readonly Seen[];

  constructor(columns: readonly number[]) {
    this.#columns = new Map(columns.map((column) => [column, { sum: 0, count: 0, first: 0, varies: false }]));
    this.#seen = [...this.#columns.values()];
  }

  /** Adds the numbers of a loan in the order of the columns; NaN stands for none. */
  add(numbers: Float64Array): void {
    for (let place = 0; place < numbers.length; place += 1) {
      const number = numbers[place];
      if (Number.isNaN(number)) continue;
      const seen = this.#seen[place];
      if (seen.count === 0) seen.first = number;
      seen.varies ||= number !== seen.first;
      seen.sum += number;
      seen.count += 1;
    }
  }

  /** Whether the largest number and another one are averages. What is the same in every loan, as their term may be, shows nothing; a rate may be weighted. */
  are(numbers: ReadonlyMap<number, number>): boolean {
    const varying = [...numbers].filter(([column]) => this.#columns.get(column)?.varies);
    const [largest, ...others] = varying.sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
    return largest !== undefined && this.#isAverage(largest) && others.some((other) => this.#isAverage(other));
  }

  /** Averages are written with two decimals, or without. */
  #isAverage([column, number]: readonly [number, number]): boolean {
    const { sum, count } = this.#columns.get(column) ?? { sum: 0, count: 0 };
    return count > 0 && Math.abs(sum / count - number) <= (Number.isInteger(number) ? 0.5 : 0.0051);
  }
}
