import { CR, LF } from './csv-scanner.ts';
import { Notices } from './notices.ts';
import { type MalformedRow, type NoticeCode, type ReadLimits, type ReadNotice, tooLong } from './raw-table.ts';
import { TapeProblem } from './read-problem.ts';
import type { Row } from './row.ts';
import { countNotice, type StatedCount, statedCount } from './stated-count.ts';
import { movedNames } from './stray-rows.ts';

const MALFORMED_MAX = 500_000;

/** The notices and malformed rows of a table, in words for the originator. */
export class TableReport {
  readonly notices = new Notices();
  readonly malformedRows: MalformedRow[] = [];
  #lineWord: string;
  #limits: ReadLimits;
  #blank = { pending: 0, firstPending: 0, inside: 0, firstInside: 0 };
  #padded = { rows: 0, firstLine: 0 };
  /** What lines that were left out say of the number of loans. */
  #stated: StatedCount[] = [];

  /** `lineWord`: the word for a line of the file, `line` or `row`. */
  constructor(lineWord: string, limits: ReadLimits) {
    this.#lineWord = lineWord;
    this.#limits = limits;
  }

  banners(rows: readonly Row[]): void {
    const message = `${rows.length} line(s) above the header are not loans and were left out.`;
    this.#warn('BANNER_LINES', message, { line: rows[0].line, actual: rows.map(rowText).join(' / ') });
    for (const row of rows) this.#takeCount(row);
  }

  /** The rows begin with a row name that the header has no name for. */
  rowNames(header: readonly string[], line: number): void {
    const message = `The header has ${header.length} names and the rows have ${header.length + 1} values: the first value of each row was read as the name of the row (column_1), and the names of the header stand for the values after it.`;
    this.#warn('HEADER_SHIFTED', message, {
      line,
      actual: `${header[0]} stands for the second value`,
      expected: fields(header.length + 1),
    });
  }

  layout(name: string, columns: readonly string[]): void {
    const message = `The file has no header. Its rows have the form of a published file, ${name}, whose names stand for its ${columns.length} columns.`;
    this.#warn('LAYOUT_RECOGNISED', message, { actual: name, expected: 'a row with the names of the columns' });
  }

  /** The row above the header names groups of columns, which tell repeated names apart. */
  groups(row: Row, names: readonly string[], grouped: readonly string[]): void {
    const read = grouped.filter((name, at) => name !== names[at]).join(', ');
    const message = `This ${this.#lineWord} names groups of the columns below it, or the first words of their names; with them the names that say too little alone were read as: ${read}.`;
    this.#warn('GROUPED_HEADER', message, { line: row.line, actual: rowText(row) });
  }

  secondHeader(row: Row, header: readonly string[] = []): void {
    const [moved] = movedNames(row, header);
    if (moved) {
      const message = `This ${this.#lineWord} is a header in another order than the first, such as "${cutName(moved.name)}" in the place of "${cutName(moved.instead)}": the ${this.#lineWord}s under it are read as the first header says, which is wrong for them. Send each table as a tape of its own.`;
      this.notices.add({ code: 'OTHER_HEADER_ROW', severity: 'ERROR', message, line: row.line, actual: rowText(row) });
      return;
    }
    const message = `This ${this.#lineWord} is a header, not a loan; it was left out.`;
    this.#warn('SECOND_HEADER_ROW', message, { line: row.line, actual: rowText(row) });
  }

  totals(row: Row, why: string): void {
    const message = `This ${this.#lineWord} is a line of totals, not a loan (${why}); it was left out.`;
    this.#warn('TOTALS_ROW', message, { line: row.line, actual: rowText(row) });
    this.#takeCount(row);
  }

  totalsSuspected(row: Row, rowNumber: number): void {
    this.#mayBeTotals(row, rowNumber, 'begins with the word of a total, has hardly a value, and its amounts');
  }

  amountsAlone(row: Row, rowNumber: number): void {
    const what = row.isBlank(0) ? 'nothing but amounts, and they' : 'nothing but words and amounts, which';
    this.#mayBeTotals(row, rowNumber, `has no id of a loan, ${what}`);
  }

  #mayBeTotals(row: Row, rowNumber: number, why: string): void {
    const message = `This row ${why} are not the sums of the loans above it: it was counted as a loan. If it is a total, or a figure of another table, remove it and send the file again.`;
    this.#warn('TOTALS_ROW_SUSPECTED', message, {
      line: row.line,
      row_number: rowNumber,
      actual: rowText(row),
      expected: 'loans only, or a line of totals that fits them',
    });
  }

  /** `numbers`: those of the row, by column. */
  sumSuspected(line: number, rowNumber: number, numbers: ReadonlyMap<number, number>): void {
    const message =
      'This row has no id of a loan, and its largest amount is the sum of the rows just above it: it was counted as a loan. If it is a subtotal, remove it and send the file again.';
    this.#warn('TOTALS_ROW_SUSPECTED', message, {
      line,
      row_number: rowNumber,
      actual: String(Math.max(...numbers.values())),
      expected: 'loans only, each with its id',
    });
  }

  remark(row: Row): void {
    const message = `This ${this.#lineWord} under the loans is a remark, not a loan; it was left out.`;
    this.#warn('FOOTER_LINE', message, { line: row.line, actual: rowText(row) });
    this.#takeCount(row);
  }

  #takeCount(row: Row): void {
    const stated = statedCount(row.line, rowText(row));
    if (stated) this.#stated.push(stated);
  }

  strayQuote(row: Row, rowNumber: number): void {
    const message = 'A quoted field contains a single quote; it was read as part of the text.';
    this.#warn('STRAY_QUOTE', message, {
      line: row.line,
      row_number: rowNumber,
      expected: 'quotes inside a quoted field doubled',
    });
  }

  nuls(row: Row, rowNumber: number): void {
    const message = 'The row holds NUL bytes; each was read as the replacement character U+FFFD.';
    this.#warn('NUL_BYTES', message, { line: row.line, row_number: rowNumber });
  }

  fault(row: Row, rowNumber: number): void {
    const most = this.#limits.maxRowBytes;
    if (row.fault === 'ROW_TOO_LONG') this.#addMalformed(tooLong(rowNumber, row.line, most));
    else
      this.#malformed(
        row,
        rowNumber,
        'a quote opens a field and is never closed',
        'an opening quote without its closing quote',
        'every quoted field closed, quotes inside it doubled',
      );
  }

  fewerFields(row: Row, rowNumber: number, width: number): void {
    this.#malformed(row, rowNumber, 'the row has fewer fields than the header', fields(row.count), fields(width));
  }

  moreFields(row: Row, rowNumber: number, width: number): void {
    const returns = this.#lineWord === 'line' ? bareReturns(row) : 0;
    const lines =
      returns > 0 ? `, and is most likely ${returns + 1} lines that end with a carriage return alone: end all lines alike` : '';
    this.#malformed(row, rowNumber, `the row has more fields than the header${lines}`, fields(row.count), fields(width));
  }

  /** Empty fields beyond the last column; reported once, at the end. */
  padded(row: Row): void {
    this.#padded.rows += 1;
    this.#padded.firstLine ||= row.line;
  }

  /** A blank row; later rows decide whether it is between loans or after them. */
  blank(row: Row): void {
    if (this.#blank.pending === 0) this.#blank.firstPending = row.line;
    this.#blank.pending += 1;
  }

  /** A loan follows: the blank rows so far are between loans. */
  loanFollows(): void {
    const blank = this.#blank;
    if (blank.pending === 0) return;
    if (blank.inside === 0) blank.firstInside = blank.firstPending;
    blank.inside += blank.pending;
    blank.pending = 0;
  }

  /** Adds the notices about the counts. */
  finish(loans: number): void {
    const notice = countNotice(this.#stated, loans);
    if (notice) this.notices.add(notice);
    const { pending, firstPending, inside, firstInside } = this.#blank;
    if (inside > 0)
      this.#warn('BLANK_ROWS', `${inside} blank row(s) between the loans were left out; the first is on line ${firstInside}.`, {
        line: firstInside,
      });
    if (pending > 1)
      this.#warn('TRAILING_BLANK_ROWS', `${pending} blank rows after the last loan were left out.`, { line: firstPending });
    const { rows, firstLine } = this.#padded;
    const message = `${rows} row(s) have empty fields beyond the last column, which were left out; the first is on line ${firstLine}.`;
    if (rows > 0) this.#warn('RAGGED_ROW', message, { line: firstLine });
  }

  #warn(code: NoticeCode, message: string, more: Partial<ReadNotice>): void {
    this.notices.add({ code, severity: 'WARNING', message, ...more });
  }

  #malformed(row: Row, rowNumber: number, reason: string, actual: string, expected: string): void {
    this.#addMalformed({ row_number: rowNumber, line: row.line, reason, actual, expected });
  }

  #addMalformed(malformed: MalformedRow): void {
    this.malformedRows.push(malformed);
    if (this.malformedRows.length <= MALFORMED_MAX) return;
    const first = this.malformedRows[0];
    throw new TapeProblem(
      'UNREADABLE_FILE',
      `More than ${MALFORMED_MAX} rows do not fit the header; the first on line ${first.line}: ${first.reason} (${first.actual}, expected ${first.expected}). Check the delimiter and the quoting, then upload the file again.`,
    );
  }
}

/** The problem of a file without a header. */
export function noHeader(texts: readonly string[][], rows: readonly Row[], lineWord: string): TapeProblem {
  if (texts.length === 0)
    return new TapeProblem('UNREADABLE_FILE', 'The file holds blank lines only, where a header and loans were expected.');
  const seen = texts[0].filter(Boolean).slice(0, 6).map(cutName).join(', ');
  const where = `No header was found in the first ${texts.length} ${lineWord}s: ${lineWord} ${rows[0].line} reads "${seen}".`;
  const columns = texts.every((text) => text.length === 1) && lineWord === 'line' ? ` ${ONE_COLUMN}` : '';
  return new TapeProblem('UNREADABLE_FILE', `${where}${columns} Put one row with the names of the columns above the loans.`);
}

/** Why a delimited file may have one column only. */
const ONE_COLUMN = 'Only one column was found: comma, semicolon, tab and vertical bar were tried as the delimiter.';

/** The notice about a delimited file with one column. */
export function oneColumn(name: string, delimiter: string, line: number): ReadNotice {
  return {
    code: 'ONE_COLUMN',
    severity: 'WARNING',
    line,
    column: name,
    message: `${ONE_COLUMN} The file was read with the ${DELIMITER_NAMES[delimiter] ?? delimiter}. If another character delimits the values, save the file with commas and send it again.`,
    actual: name,
    expected: 'a column for each value of a loan',
  };
}

const DELIMITER_NAMES: Record<string, string> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'vertical bar',
  ' ': 'blank',
};

export function tooManyColumns(header: Row, most: number): TapeProblem {
  const message = `The header on line ${header.line} has ${header.count} columns; at most ${most} are read. Remove the columns that the tape does not need.`;
  return new TapeProblem('UNREADABLE_FILE', message);
}

export function tooManyRows(most: number): TapeProblem {
  return new TapeProblem(
    'TOO_MANY_ROWS',
    `The file has more than ${most} rows, which is the most that one tape may have. Split it into several tapes.`,
  );
}

export function noLoanRows(header: readonly string[], line: number): TapeProblem {
  const first = header.slice(0, 6).map(cutName).join(', ');
  const names = header.length <= 6 ? first : `${first}, … ${header.length} columns`;
  const where = line > 0 ? ` on line ${line}` : '';
  const columns = header.length === 1 && line > 0 ? ` ${ONE_COLUMN}` : '';
  return new TapeProblem(
    'NO_LOAN_ROWS',
    `The file has a header${where} (${names}) and no loan under it.${columns} Add at least one row.`,
  );
}

/** Carriage returns in a row without the line feed that ends the lines of the file. */
function bareReturns({ bytes, rawStart, rawEnd }: Row): number {
  let count = 0;
  for (let at = rawStart; at < rawEnd - 1; at += 1) if (bytes[at] === CR && bytes[at + 1] !== LF) count += 1;
  return count;
}

function fields(count: number): string {
  return count === 1 ? '1 field' : `${count} fields`;
}

function rowText(row: Row): string {
  return row.texts(40).filter(Boolean).map(cutName).join(' | ');
}

/** What a message shows of a text of the file, which may have any length. */
function cutName(text: string): string {
  return text.length > NAME_MAX ? `${text.slice(0, NAME_MAX)}…` : text;
}

const NAME_MAX = 200;
