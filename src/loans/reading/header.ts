import type { Notices } from './notices.ts';
import type { RawColumn } from './raw-table.ts';

export interface HeaderFinding {
  /** Index of the header among the examined rows. */
  index: number;
  /** Indices of further header rows: they are neither the header nor loans. */
  seconds: number[];
}

const SHARE_OF_NAMES = 0.6;
const SHARE_OF_WIDTH = 0.5;
const SERIES_MIN = 3;
/** Fewer columns may have the numbers of a loan in such an order by chance. */
const NUMBERING_MIN = 6;
/** Placeholders for a missing name. */
const NO_NAME = /^(x|y|v|c|f|col(umn)?|field|var(iable)?|unnamed:?)[ _.]?\d*$/i;
/** Words for units and types: a row of them explains the header above it. */
const UNIT =
  /^([$€£%#]|(usd|eur|gbp|chf|[$€£])?\s?('?000'?s|k|mm|thousands?|millions?)|[$€£]\s?'?000|[tk](eur|usd|€)|usd|eur|gbp|chf|bps?|pct|percent|years?|months?|days?|date|text|number|numeric|integer|string|char|boolean|y\/n|m+\/d+\/y+|y+-m+-d+|m+\/?y+)$/i;

/**
 * Finds the header among the first rows of a table (trimmed texts, blank rows left out): of the first run of rows that are names
 * rather than values, the one with the most distinct real names. Null when there is none.
 */
export function findHeader(rows: readonly string[][]): HeaderFinding | null {
  const width = tableWidth(rows);
  const start = rows.findIndex((row) => isNames(row, width));
  if (start < 0) return null;
  let end = start + 1;
  const isHeader = (at: number) =>
    (at + 1 < rows.length && isNumbering(rows[at])) ||
    ((isNames(rows[at], width) || isUnits(rows[at])) && !looksLikeData(rows, at));
  while (end < rows.length && isHeader(end)) end += 1;
  let index = start;
  for (let at = start + 1; at < end; at += 1) if (nameCount(rows[at]) > nameCount(rows[index])) index = at;
  const seconds = Array.from({ length: end - start }, (_, offset) => start + offset).filter((at) => at !== index);
  return { index, seconds };
}

/** The usual number of filled cells among the wider rows. */
function tableWidth(rows: readonly string[][]): number {
  const filled = rows.map((row) => row.filter(Boolean).length).sort((a, b) => a - b);
  return filled[Math.floor(filled.length * 0.75)] ?? 0;
}

function isNames(row: readonly string[], width: number): boolean {
  const cells = row.filter(Boolean);
  if (cells.length === 0 || cells.length < SHARE_OF_WIDTH * width || (width >= 2 && cells.length < 2)) return false;
  const series = numberedNames(cells);
  const names = cells.filter((cell) => isName(cell) || series.has(cell));
  return names.length >= SHARE_OF_NAMES * cells.length && !cells.every((cell) => UNIT.test(cell));
}

/** Cells such as `Attribute 100`, `Attribute 101`, …: one of them may be the number of a loan, several beside each other are columns. */
function numberedNames(cells: readonly string[]): ReadonlySet<string> {
  const series = Map.groupBy(new Set(cells), (cell) => /^(\p{L}[^\d]*)\d+$/u.exec(cell)?.[1] ?? '');
  series.delete('');
  return new Set([...series.values()].filter((names) => names.length >= SERIES_MIN).flat());
}

/** Whether a cell can be the name of a column. */
export function isName(cell: string): boolean {
  return /\p{L}/u.test(cell) && cell.length <= 200 && !isValue(cell);
}

/** Whether a cell is a word for a unit or a type. */
export function isUnitWord(cell: string): boolean {
  return UNIT.test(cell);
}

function isUnits(row: readonly string[]): boolean {
  const cells = row.filter(Boolean);
  return cells.length > 0 && cells.filter(isUnitWord).length >= 0.8 * cells.length;
}

/** Whether a row numbers the columns from the first to the last: `1`, `2`, `3` … or `(1)`, `(2)`, `(3)` … */
function isNumbering(row: readonly string[]): boolean {
  return row.length >= NUMBERING_MIN && row.every((cell, at) => cell === String(at + 1) || cell === `(${at + 1})`);
}

const DATE = /^\d{1,4}[-/.](\d{1,2}|[a-z]{3,9})([-/.]\d{1,4})?([t ].*)?$|^([a-z]{3,9})[-/ ]\d{2,4}$|^\d{1,2}[a-z]{3}\d{2,4}$/i;
const NUMBER =
  /^[($€£+-]*[\d.,]+(e[+-]?\d+)?\s*[)%]*$|^\d+(\.\d+)?\s*(months?|mos?|years?|yrs?|days?)$|^(usd|eur|gbp)\s*[\d.,]+$/i;
const MARKER = /^(n\/?a|null|none|true|false|yes|no|[a-z]{2,10}[-_ ]?\d{3,})$/i;

/** Whether a cell is a value, not the name of a column. */
function isValue(cell: string): boolean {
  return NUMBER.test(cell) || DATE.test(cell) || MARKER.test(cell);
}

/**
 * In a tape of words only (type, status, city …) every row looks like names. A row is data when its words recur in their columns further
 * down, when one of them is part of a numbering (id-2, id-3), or when all rows below are of the same kind.
 */
function looksLikeData(rows: readonly string[][], at: number): boolean {
  const row = rows[at];
  const below = rows.slice(at + 1);
  if (row.some((cell, column) => isNumbered(cell) && hasShapeOf(below, column, cell))) return true;
  if (row.some((cell) => isValue(cell) && !UNIT.test(cell) && !NO_NAME.test(cell))) return true;
  if (isUnits(row) || row.filter(Boolean).every((cell) => NO_NAME.test(cell))) return false;
  if (below.length === 0) return true;
  const repeated = row.filter((cell, column) => cell !== '' && below.some((other) => other[column] === cell)).length;
  const valuesBelow = row.filter((cell, column) => cell !== '' && below.some((other) => isValue(other[column] ?? ''))).length;
  return repeated > 0 || valuesBelow === 0;
}

/** Letters and a number, as in loan numbers. */
function isNumbered(cell: string): boolean {
  return /\d/.test(cell) && /\p{L}/u.test(cell) && !NO_NAME.test(cell) && !UNIT.test(cell);
}

/** Whether every filled cell of the column further down differs from this one in its digits only. */
function hasShapeOf(below: readonly string[][], column: number, cell: string): boolean {
  const others = below.map((row) => row[column] ?? '').filter(Boolean);
  return others.length > 0 && others.every((other) => shape(other) === shape(cell));
}

function shape(cell: string): string {
  return cell.replace(/\d+/g, '0');
}

function nameCount(row: readonly string[]): number {
  return new Set(row.filter((cell) => isName(cell) && !NO_NAME.test(cell) && !UNIT.test(cell))).size;
}

/** Names the columns; adds notices for repeated names and for empty names above values. */
export function nameColumns(
  header: readonly string[],
  data: readonly (readonly string[])[],
  line: number,
  notices: Notices,
  letters: boolean,
): RawColumn[] {
  const taken = new Set<string>();
  return header.map((name, index) => {
    const base = normalizeHeader(name) || `column_${index + 1}`;
    const normalized = firstFree(base, taken);
    taken.add(normalized);
    if (name === '' && data.some((row) => row[index])) notices.add(emptyHeader(index, line, normalized));
    else if (name !== '' && normalized !== base) notices.add(duplicateHeader(name, index, line, normalized));
    return letters ? { index, name, normalized, letter: columnLetters(index) } : { index, name, normalized };
  });
}

/** Lower case, runs of anything but letters and digits as one `_`. */
export function normalizeHeader(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');
}

function firstFree(base: string, taken: Set<string>): string {
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base}_${number}`)) number += 1;
  return `${base}_${number}`;
}

function emptyHeader(index: number, line: number, normalized: string) {
  const message = `Column ${index + 1} has values but no name in the header; it is kept as ${normalized}.`;
  return { code: 'EMPTY_HEADER', severity: 'WARNING', line, column: normalized, message } as const;
}

function duplicateHeader(name: string, index: number, line: number, normalized: string) {
  const message = `Column ${index + 1} repeats a name of the header; it is kept as ${normalized}.`;
  return { code: 'DUPLICATE_HEADER', severity: 'WARNING', line, column: normalized, message, actual: name } as const;
}

/** A, B … Z, AA … for 0, 1 … 25, 26. */
export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}
