import { createReadStream } from 'node:fs';
import { CsvScanner } from './csv-scanner.ts';
import { numberAt, numbersOf } from './plain-number.ts';
import type { ReadLimits } from './raw-table.ts';
import type { Row } from './row.ts';
import { isLabelledTotal, textsOf } from './stray-rows.ts';

/** A row that may be a line of totals, by what it begins with and what it lacks. */
export interface Suspect {
  line: number;
  numbers: ReadonlyMap<number, number>;
  /** Begins with the word of a sum. */
  isLabelled: boolean;
  /** Mostly empty. */
  isSparse: boolean;
  /** Mostly empty, and has nothing but numbers behind the word of a sum or a blank. */
  hasNumbersAlone: boolean;
  /** By how many units its numbers may be rounded: a unit behind the word of a sum, half a one where all are whole behind a blank. */
  rounding: number;
  /** Not so, and with as many words and dates as loans have. */
  isLikeLoan: boolean;
  /** Begins with a blank. */
  isNameless: boolean;
  /** Mostly empty and begins with words, which may be the name of a group or of a borrower. */
  isNamed: boolean;
}

/** A suspect that has loans behind it, and the number that it has as one of them. One that is no total in any case is only told. */
export type InnerSuspect = Suspect & { rowNumber: number; isToldOnly: boolean };

/** What the rows of a table usually have: filled fields, and fields of words or dates behind the first. */
export interface Usual {
  fill: number;
  texts: number;
  /** Begins with the word of a sum, which then tells nothing. */
  label: boolean;
  /** Begins with a value that no other row begins with. */
  ownFirst: boolean;
}

export function suspectOf(row: Row, usual: Usual): Suspect {
  const isLabelled = !usual.label && isLabelledTotal(row, usual.ownFirst);
  const filled = row.filledExactly();
  const isSparse = filled * 2 <= usual.fill;
  const isLikeLoan = !isSparse && usual.texts > 0 && textsOf(row) >= usual.texts;
  const numbers = numbersOf(row);
  const isNameless = row.isBlank(0);
  const hasNumbersAlone = isSparse && (isLabelled ? numbers.size === filled - 1 : isNameless && numbers.size === filled);
  const areWhole = filled >= 2 && [...numbers.values()].every(Number.isInteger);
  const rounding = !hasNumbersAlone ? 0 : isLabelled ? 1.011 : areWhole ? 0.501 : 0;
  const isNamed = !isNameless && isSparse && isName(row.text(0).trim());
  return { line: row.line, numbers, isLabelled, isSparse, hasNumbersAlone, rounding, isLikeLoan, isNameless, isNamed };
}

/** A loan number such as `id-17` or `LN 0042`: no line of totals begins with one. */
const LOAN_NUMBER = /^\p{L}{1,10}[-_/# ]?\d+$/u;

/** Whether words may name a group: those without a digit, and several of which a digit is in one, as in `2021 vintage`. */
const isName = (text: string): boolean =>
  !/\d/.test(text) || (/\p{L}{2}/u.test(text) && /\s/.test(text) && !LOAN_NUMBER.test(text));

/** Whether the first value is a loan number, with letters before it. */
export function beginsWithLoanNumber(row: Row): boolean {
  return LOAN_NUMBER.test(row.text(0).trim());
}

/** Whether a row between loans may sum them up: it begins with the word of a sum or with a blank. */
export const mayBeInnerTotal = ({ isLikeLoan, numbers, isLabelled, isNameless }: Suspect): boolean =>
  !isLikeLoan && numbers.size > 0 && (isLabelled || isNameless);

/** Whether a row between loans is told where it sums them up and stays one of them. */
export const mayBeTold = ({ numbers, isNameless, isNamed }: Suspect): boolean => numbers.size > 0 && (isNameless || isNamed);

/** Sums of columns over some loans, by index; values that are not plain numbers count as zero. */
export class Sums {
  loans = 0;
  readonly #places: ReadonlyMap<number, number>;
  readonly #sums: Float64Array;

  constructor(columns: readonly number[]) {
    this.#places = new Map(columns.map((column, place) => [column, place]));
    this.#sums = new Float64Array(columns.length);
  }

  /** Adds the numbers of a loan in the order of the columns; NaN stands for none. */
  add(numbers: Float64Array): void {
    this.loans += 1;
    for (let place = 0; place < numbers.length; place += 1) this.#sums[place] += numbers[place] || 0;
  }

  clear(): void {
    this.loans = 0;
    this.#sums.fill(0);
  }

  take(other: Sums): void {
    this.loans = other.loans;
    this.#sums.set(other.#sums);
  }

  /** Different numbers that are the sums of their columns; none where the largest is not (the others may be averages or counts). */
  found({ numbers, rounding }: Pick<Suspect, 'numbers' | 'rounding'>): number {
    const isSum = ([column, number]: [number, number]) => this.#isSum(column, number, rounding);
    const [largest] = [...numbers].sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
    if (largest === undefined || !isSum(largest)) return 0;
    return new Set([...numbers].filter(isSum).map(([, number]) => number)).size;
  }

  #isSum(column: number, number: number, rounding: number): boolean {
    const place = this.#places.get(column);
    const sum = place === undefined ? 0 : this.#sums[place];
    return !!sum && Math.abs(sum - number) <= (rounding > 0 ? roundingOf(sum, rounding) : Math.max(0.011, Math.abs(sum) * 1e-9));
  }
}

/** By how much a rounded sum may be off: by so many units, which of a small sum would be too much. */
function roundingOf(sum: number, units: number): number {
  const size = Math.abs(sum);
  return Math.max(0.011, Math.min(units, size * 1e-3), size * 1e-6);
}

/** How far a row is shown to be the sum of loans: a few loans, or one amount of them, may add up to another loan by chance. */
export function evidenceOf(suspect: Suspect, sums: Sums): 'NONE' | 'WEAK' | 'STRONG' {
  const found = sums.found(suspect);
  if (found === 0 || suspect.isLikeLoan) return 'NONE';
  if (suspect.isLabelled) return 'STRONG';
  const isEnough = suspect.isSparse || found >= 2 || sums.loans >= 5;
  return sums.loans >= 3 && isEnough ? 'STRONG' : 'WEAK';
}

/** Numbers by which a suspect between loans is told: of each loan without an id all would be kept, which of a wide tape no memory holds. */
const TELLING_NUMBERS = 6;

/** The largest numbers: the largest alone has to be a sum, and two of them are evidence. */
export function tellingNumbers(numbers: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  if (numbers.size <= TELLING_NUMBERS) return numbers;
  const sizes = Float64Array.from(numbers.values(), Math.abs).sort();
  const least = sizes[sizes.length - TELLING_NUMBERS];
  const largest = [...numbers].filter(([, number]) => Math.abs(number) >= least);
  return new Map(largest.sort(([, a], [, b]) => Math.abs(b) - Math.abs(a)).slice(0, TELLING_NUMBERS));
}

/** The columns of which suspects have numbers. */
export function columnsOf(suspects: readonly Suspect[], width: number): number[] {
  return [...new Set(suspects.flatMap(({ numbers }) => [...numbers.keys()]))].filter((column) => column < width);
}

/** Lines of rows that sum up loans: those of totals, and those that are counted as loans for want of evidence. */
export type JudgedLines = { totals: ReadonlySet<number>; told: ReadonlySet<number> };

/**
 * The lines of totals among rows that were taken for loans, and below them. A group begins under the last line of totals, or under one of
 * `breaks`, the rows under which lines of totals were left out. A suspect with weak evidence stays open, and both are reckoned with: that it
 * is a loan, and that it is not; the next strong evidence decides. A first row without an id stays open in any case: it may sum up all below it.
 */
export async function judgeInner(
  inner: readonly InnerSuspect[],
  foot: readonly Suspect[],
  breaks: readonly number[],
  paths: readonly string[],
  width: number,
  limits: ReadLimits,
): Promise<JudgedLines> {
  const columns = columnsOf([...inner, ...foot], width);
  const judge = new InnerJudge(columns);
  const numbers = new Float64Array(columns.length);
  const suspects = new Map(inner.map((suspect) => [suspect.rowNumber, suspect]));
  const begins = new Set(breaks.map((row) => row + 1));
  let rowNumber = 0;
  await eachRow(paths, width, limits, (row) => {
    rowNumber += 1;
    if (begins.has(rowNumber)) judge.breakGroup();
    const suspect = suspects.get(rowNumber);
    columns.forEach((column, place) => {
      numbers[place] = canonicalNumber(row, column);
    });
    if (suspect) judge.suspect(suspect, numbers);
    else judge.loan(numbers);
  });
  if (begins.has(rowNumber + 1)) judge.breakGroup();
  for (const suspect of foot) judge.suspect(suspect, numbersIn(suspect, columns));
  return judge.lines();
}

/** The number in a column of a row of the canonical CSV, where the row number and the line precede the columns; NaN where it has none. */
export function canonicalNumber(row: Row, column: number): number {
  return numberAt(row, column + 2) ?? Number.NaN;
}

/** The numbers of a suspect in some columns; NaN stands for none. */
export function numbersIn({ numbers }: Suspect, columns: readonly number[]): Float64Array {
  return Float64Array.from(columns, (column) => numbers.get(column) ?? Number.NaN);
}

/** One amount is two others too easily: so many loans tell more. */
const FEWEST_TOLD = 2;

class InnerJudge {
  readonly #lines = new Set<number>();
  /** With the number of the loans that it would sum up. */
  #open: (Suspect & { loans: number })[] = [];
  /** The line of the first row, where that may sum up all rows below it. */
  #firstLine = 0;
  /** Sums where the open suspects are loans, and where they are not: of the group and of all. */
  readonly #withOpen: { group: Sums; all: Sums };
  readonly #withoutOpen: { group: Sums; all: Sums };
  readonly #every: readonly Sums[];
  /** Of the rows under the last one that sums up those above it, whether it is left out or only told. */
  readonly #since: Sums;
  readonly #told = new Set<number>();

  constructor(columns: readonly number[]) {
    this.#since = new Sums(columns);
    const sums = () => ({ group: new Sums(columns), all: new Sums(columns) });
    this.#withOpen = sums();
    this.#withoutOpen = sums();
    this.#every = [this.#withOpen, this.#withoutOpen].flatMap(({ group, all }) => [group, all]);
  }

  loan(numbers: Float64Array): void {
    this.#since.add(numbers);
    this.#loan(numbers);
  }

  #loan(numbers: Float64Array): void {
    for (const sums of this.#every) sums.add(numbers);
  }

  breakGroup(): void {
    this.#withOpen.group.clear();
    this.#withoutOpen.group.clear();
    this.#since.clear();
  }

  /** `numbers` has all numbers of its row, which may be a loan. */
  suspect(suspect: Suspect & { isToldOnly?: boolean }, numbers: Float64Array): void {
    if (this.#isTold(suspect)) {
      this.#told.add(suspect.line);
      this.#since.clear();
    } else this.#since.add(numbers);
    if (suspect.isToldOnly) return this.#loan(numbers);
    if (this.#withOpen.all.loans === 0 && this.#lines.size === 0) {
      this.#firstLine = suspect.line;
      return this.#leaveOpen(suspect, numbers);
    }
    const evidence = ({ group, all }: { group: Sums; all: Sums }) => [evidenceOf(suspect, group), evidenceOf(suspect, all)];
    const without = evidence(this.#withoutOpen);
    if (without.includes('STRONG')) this.#settle([...this.#open, suspect], this.#withoutOpen.all, this.#withOpen.all);
    else if (evidence(this.#withOpen).includes('STRONG')) this.#settle([suspect], this.#withOpen.all, this.#withoutOpen.all);
    else if (without.includes('WEAK')) this.#leaveOpen(suspect, numbers);
    else this.#loan(numbers);
  }

  #leaveOpen(suspect: Suspect, numbers: Float64Array): void {
    this.#open.push({ ...suspect, loans: this.#withoutOpen.group.loans });
    this.#withoutOpen.group.clear();
    for (const sums of [this.#withOpen.group, this.#withOpen.all]) sums.add(numbers);
  }

  /** Words may be the name of a borrower, one of whose amounts may be a sum by chance: all its amounts, or two of them, say more. */
  #isTold(suspect: Suspect): boolean {
    if (!mayBeTold(suspect) || this.#since.loans < FEWEST_TOLD) return false;
    const fewest = suspect.isNamed ? Math.min(2, suspect.numbers.size) : 1;
    return this.#since.found(suspect) >= fewest;
  }

  /**
   * Open suspects at the end are totals where others are. One with the amounts of a single loan is a loan like it, unless the last loans have
   * their line too, and so each group.
   */
  lines(): JudgedLines {
    const first = this.#open.find(({ line }) => line === this.#firstLine);
    if (first && evidenceOf(first, this.#withoutOpen.all) === 'STRONG') this.#lines.add(first.line);
    const fewest = this.#withoutOpen.group.loans === 0 ? 1 : 2;
    if (this.#lines.size > 0) for (const { line, loans } of this.#open) if (loans >= fewest) this.#lines.add(line);
    return { totals: this.#lines, told: this.#told };
  }

  #settle(totals: readonly Suspect[], right: Sums, wrong: Sums): void {
    for (const { line } of totals) this.#lines.add(line);
    this.#open = [];
    wrong.take(right);
    this.breakGroup();
  }
}

/** Passes on the rows of the files of a canonical CSV; a row is overwritten by the next. */
export async function eachRow(
  paths: readonly string[],
  width: number,
  limits: ReadLimits,
  take: (row: Row) => void,
): Promise<void> {
  // the row number and the line precede the columns; quoting may have doubled the bytes of a row
  const scanner = new CsvScanner(
    { delimiter: ',', lineEnd: 'LF' },
    { maxColumns: width + 2, maxRowBytes: 4 * limits.maxRowBytes },
  );
  const takeAll = () => {
    while (scanner.next()) take(scanner.row);
  };
  for (const path of paths)
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      scanner.feed(chunk);
      takeAll();
    }
  scanner.end();
  takeAll();
}
