import type { ReadNotice } from './raw-table.ts';

/** What is counted is a loan, or a line of the file. */
const LOANS = 'loans?|contracts?|accounts?|receivables?|assets?';
const LINES = 'records?|rows?|lines?';
const NUMBER = "(\\d{1,3}(?:[,.' ]\\d{3})+|\\d+)(?![.,]?\\d)(?=\\s*(?:$|[|;,.)/]))";
/** `Number of loans: 1,234`, `Count of records = 1234`; not `Total loans: 2,958,335`, which is an amount. */
const COUNT_OF = new RegExp(`(?:\\b(?:number|count|no\\.?|nr\\.?)|#) of (${LOANS}|${LINES})\\s*[:=|]?\\s*${NUMBER}`, 'i');
/** `Loan count: 1234`, `Record count | 1234`. */
const COUNT = new RegExp(`\\b(${LOANS}|${LINES}) count\\s*[:=|]?\\s*${NUMBER}`, 'i');
const OF_LINES = new RegExp(`^(?:${LINES})$`, 'i');
/** The header and the line with the count are counted as lines by some. */
const LINES_MORE = 2;

/** The number of loans, or of lines, that a line beside the loans says the file has. */
export type StatedCount = { line: number; text: string; count: number; isOfLines: boolean };

export function statedCount(line: number, text: string): StatedCount | null {
  const found = COUNT_OF.exec(text) ?? COUNT.exec(text);
  if (!found) return null;
  return { line, text, count: Number(found[2].replace(/\D/g, '')), isOfLines: OF_LINES.test(found[1]) };
}

/** The notice that the file has another number of loans than its lines say, where none of them fits and they are not those of groups. */
export function countNotice(stated: readonly StatedCount[], rows: number): ReadNotice | null {
  const [first] = stated;
  const fits = ({ count, isOfLines }: StatedCount) => count >= rows && count <= rows + (isOfLines ? LINES_MORE : 0);
  const sum = stated.reduce((all, { count }) => all + count, 0);
  if (!first || sum === rows || stated.some(fits)) return null;
  const message = `This line says that the file has ${first.count} ${first.isOfLines ? 'lines' : 'loans'}, and ${rows} rows were read as loans: the file may have been cut off, or have loans twice. Compare it with the source system, and send the whole tape.`;
  return {
    code: 'LOAN_COUNT_DIFFERS',
    severity: 'WARNING',
    message,
    line: first.line,
    actual: `${rows} rows`,
    expected: first.text,
  };
}
