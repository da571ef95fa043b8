import type { ReadLimits } from './raw-table.ts';
import type { Row } from './row.ts';
import { isRemark, plainNumber } from './stray-rows.ts';
import { beginsWithLoanNumber, columnsOf, eachRow, evidenceOf, Sums, type Suspect, suspectOf, type Usual } from './totals.ts';

/** So few loans may add up to a loan without an id by chance. */
const LOANS_OF_CHANCE = 5;

export type FootVerdict = 'TOTALS' | 'REMARK' | 'LOAN';

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
 * one with strong evidence of being the sum of its group. One with words only is a remark, unless a loan follows it. `canonicalPaths` has
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
  let rowNumber = 0;
  await eachRow(paths ?? [], width, limits, (row) => {
    rowNumber += 1;
    const numbers = new Map(columns.map((column) => [column, plainNumber(row.text(column + 2))]));
    for (const sums of rowNumber > above.lastBreak ? [all, group] : [all]) sums.add((column) => numbers.get(column));
  });
  withFoot.take(all);
  const verdicts = rows.map((row, at) => {
    const found = verdict(row, suspects[at], { all, withFoot, group }, above);
    if (found === 'TOTALS') group.clear();
    if (found === 'LOAN') for (const sums of [withFoot, group]) sums.add((column) => suspects[at].numbers.get(column));
    return found;
  });
  const lastLoan = verdicts.lastIndexOf('LOAN');
  return verdicts.map((found, at) => (found === 'REMARK' && at < lastLoan ? 'LOAN' : found));
}

type SumsAbove = { all: Sums; withFoot: Sums; group: Sums };

function verdict(row: Row, suspect: Suspect, { all, withFoot, group }: SumsAbove, above: AboveFoot): FootVerdict {
  const isStrong = [all, withFoot, group].some((sums) => evidenceOf(suspect, sums) === 'STRONG');
  if (suspect.isLabelled && isStrong) return 'TOTALS';
  if (beginsWithLoanNumber(row)) return 'LOAN';
  const fewest = suspect.isLikeLoan ? LOANS_OF_CHANCE : 2;
  const mayBeSum = (suspect.isSparse || above.firstIsFilled) && all.loans >= fewest;
  if (isStrong || (mayBeSum && all.found(suspect) > 0)) return 'TOTALS';
  return isRemark(row) ? 'REMARK' : 'LOAN';
}
