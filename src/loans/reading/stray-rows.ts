import { isDigit, numberAt } from './plain-number.ts';
import { PLAIN, type Row } from './row.ts';

/** Words that start the first cell of a line of totals. */
const TOTAL = /^(grand|sub|column|tape|portfolio|pool|overall|loan|page|report)?[ -]?totals?\b/i;
const TOTAL_ALONE = /^((grand|sub|column|tape|portfolio|pool|overall|loan|page|report)[ -]?)?totals?\s*[:=]?\s*(\(.*\))?$/i;
const SUMMARY = /^(sums?|counts?|averages?|avg\.?|means?|weighted average|wtd\.? avg\.?|minimum|maximum|min|max)\s*[:=]?$/i;

/**
 * Whether a row is a line of totals: its first filled cell is the word alone ("Grand total:"), or begins with it and has hardly anything beside it
 * ("Total amount funded in policy code 1: 460296150"), or is "Sum", "Average" … on a line that is mostly empty.
 */
export function isTotalsRow(row: Row, typicalFill: number): boolean {
  const first = firstFilled(row);
  if (first < 0 || !mayBeginTotal(row, first)) return false;
  const filled = row.filledExactly();
  if (filled > 2 && endsInDigit(row, first)) return false;
  const text = row.text(first).trim();
  if (TOTAL_ALONE.test(text)) return true;
  if (TOTAL.test(text)) return filled <= 2 && filled < typicalFill;
  return SUMMARY.test(text) && filled * 2 <= typicalFill;
}

const SUM_ALONE = /^sums?\s*[:=]?$/i;

/** Whether a line of totals begins with the word of a sum and no more: behind other words its numbers are of what they say, wherever they stand. */
export function isTotalAlone(row: Row): boolean {
  const text = row.text(firstFilled(row)).trim();
  return TOTAL_ALONE.test(text) || SUM_ALONE.test(text);
}

/** Words of figures of the whole, which no loan of a column of ids is named; the least and the largest also stand for names. */
const AVERAGE =
  /^(averages?|avg\.?|w\.?a\.?(vg\.?)?|wtd\.?( avg\.?| average)?|weighted( avg\.?| average)?|means?|medians?|st(andar)?d\.? ?dev(iation|\.)?|durchschnitt|mittelwert|moyenne|médiane|media|média|promedio|gemiddeld(e)?)\s*[:=]?$/i;
const LEAST_OR_MOST = /^(minimum|maximum|min|max)\.?\s*[:=]?$/i;

/**
 * Whether a row, full as it may be, has figures of the loans: it begins with the word of one in a column of ids, and has fewer words and
 * dates than loans have. Where loans have none, the word of an average is enough.
 */
export function isFigureRow(row: Row, usual: { texts: number; ownFirst: boolean }): boolean {
  const first = firstFilled(row);
  if (!usual.ownFirst || first < 0 || !mayBeginTotal(row, first) || endsInDigit(row, first)) return false;
  const text = row.text(first).trim();
  const isAverage = AVERAGE.test(text);
  if (!isAverage && !LEAST_OR_MOST.test(text)) return false;
  const texts = textsOf(row);
  // A loan without an id may begin with the name of a state or a city.
  if (first > 0 && texts > 1) return false;
  return usual.texts === 0 ? isAverage : texts < usual.texts;
}

/** The functions of a spreadsheet's subtotals behind the name of a group: `TX Average`, `TX Count`. */
const FIGURE_BEHIND = /\s(?:average|avg|count|max|min|stddev|mittelwert|anzahl|moyenne|nombre|promedio|cuenta|media|conteggio)$/i;

/** Whether a row that is mostly empty has such a figure of a group: numbers alone behind its name, which stands where no id of a loan does. */
export function isGroupFigure(row: Row, ownFirst: boolean): boolean {
  if (!ownFirst) return false;
  let [word, filled] = [-1, 0];
  for (let index = 0; index < row.count && index < row.capacity; index += 1) {
    if (row.isBlank(index)) continue;
    filled += 1;
    const text = numberAt(row, index) === null ? row.text(index).trim() : '';
    if (text === '') continue;
    if (word >= 0 || !FIGURE_BEHIND.test(text)) return false;
    word = index;
  }
  return word >= 0 && filled > 1;
}

/** Fields of words or dates behind the first. */
export function textsOf(row: Row): number {
  let texts = 0;
  for (let index = 1; index < row.count && index < row.capacity; index += 1) if (isText(row, index)) texts += 1;
  return texts;
}

const WORD_OR_DATE = /\p{L}|\d[/.-]\d+[/.-]\d/u;

/** Whether a field has a letter or three numbers of a date: the bytes say it, but of what is beyond ASCII. */
function isText(row: Row, index: number): boolean {
  let [marks, isBehindDigit] = [0, false];
  for (let at = row.starts[index]; at < row.ends[index]; at += 1) {
    const byte = row.bytes[at];
    if (isLetter(byte) || (marks === 2 && isDigit(byte))) return true;
    if (byte >= 128) return WORD_OR_DATE.test(row.text(index));
    if (!isDigit(byte)) marks = isBehindDigit && isDateMark(byte) ? marks + 1 : 0;
    isBehindDigit = isDigit(byte);
  }
  return false;
}

/** Words that begin the first cell of a line of totals, which is one only where its amounts are sums: a loan may be named so. */
const LABEL =
  /^(?:(?:grand|sub|column|tape|portfolio|pool|overall|loan|page|report)?[ -]?totals?|sums?(?: of [^\d]*)?|aggregates?)(?=$|[\s:=(])/i;
/** The same in German, French, Italian, Spanish, Portuguese, Dutch, Polish and Czech, and after the asterisks of printed reports. */
const LABEL_ELSEWHERE =
  /^\*{0,3} ?(?:(?:grand|sub|sous|end|eind|zwischen|gesamt|teil)?[ -]?(?:tot(?:al|als|ale|ali|ales|aux|aal|ais)|summen?)|(?:ins)?gesamt|gesamtbetrag|somm[ae]|sumas?|soma|som|razem|łącznie|ogółem|celkem|(?:mezi)?součet)(?=$|[\s:=(])/iu;
/** A word of a sum behind the name of a group, as the subtotals of spreadsheets have it: `TX Total`, `2019 Ergebnis`, `Ford Total / Wtd Avg`. */
const LABEL_BEHIND =
  /[\s:/_–—-](?:sub|grand|zwischen|gesamt)?[ -]?(?:tot(?:al|als|ale|aal|alt)|summe|ergebnis|suma)(?=$|\s*[:=(/&])/iu;
/** Last bytes of what `LABEL_BEHIND` finds, the averages behind it included. */
const LABEL_ENDS = new Uint8Array(256);
for (const byte of Buffer.from('lsetagLSETAG.:=)')) LABEL_ENDS[byte] = 1;

/** Whether the first field may have the word of a sum behind a name: most ids end otherwise, and their text need not be made. */
export function mayEndAsTotal(row: Row, index = 0): boolean {
  return row.ends[index] - row.starts[index] > 4 && LABEL_ENDS[row.bytes[row.ends[index] - 1]] === 1;
}

/** Names of all loans, which say so only in a column of ids: elsewhere they are those of a book or of a channel. */
const WHOLE = /^(?:portfolio|pool|tape|overall|all loans)\s*[:=]?$/i;

/** Whether the first filled cell begins with the word of a sum, has it behind the name of a group, or names all loans in a column of ids. */
export function isLabelledTotal(row: Row, isId: boolean): boolean {
  const first = firstFilled(row);
  if (first < 0) return false;
  const mayEnd = mayEndAsTotal(row, first);
  const mayBegin = !beginsNumbered(row, first);
  if (!mayEnd && !mayBegin) return false;
  const text = row.text(first).trim();
  if (mayEnd && LABEL_BEHIND.test(text)) return true;
  return mayBegin && (LABEL.test(text) || LABEL_ELSEWHERE.test(text) || (isId && WHOLE.test(text)));
}

/** Index of the first field that is not blank, or -1. */
export function firstFilled(row: Row): number {
  const count = Math.min(row.count, row.capacity);
  for (let index = 0; index < count; index += 1) if (!row.isBlank(index)) return index;
  return -1;
}

/** First bytes of the words above in either case, and the quote that may precede them. */
export const TOTAL_INITIALS = new Uint8Array(256);
for (const byte of Buffer.from('gsctpolrawmdGSCTPOLRAWMD"')) TOTAL_INITIALS[byte] = 1;

function mayBeginTotal(row: Row, index: number): boolean {
  return TOTAL_INITIALS[row.bytes[beginOf(row, index)]] === 1;
}

/** Offset of the first character of a field that is not blank. */
function beginOf(row: Row, index: number): number {
  let at = row.starts[index];
  while (row.bytes[at] <= 32) at += 1;
  return at;
}

/** Whether one of the first three characters is a digit, as in most ids and in no word of a sum: the text of such a cell need not be made. */
function beginsNumbered(row: Row, index: number): boolean {
  const begin = beginOf(row, index);
  const end = Math.min(begin + 3, row.ends[index]);
  for (let at = begin; at < end; at += 1) if (isDigit(row.bytes[at])) return true;
  return false;
}

/** Most ids end in a digit, and a word does not: most rows are told from lines of totals before their text is read. */
function endsInDigit(row: Row, index: number): boolean {
  return isDigit(row.bytes[row.ends[index] - 1]);
}

/** The mark of which a line under the header is made. */
export const DASH = 45;
const [POINT, SLASH, ZERO] = [46, 47, 48];
const isDateMark = (byte: number): boolean => byte === SLASH || byte === POINT || byte === DASH;
const isLetter = (byte: number): boolean => (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122);

/** The most loans of a tape have so many digits. */
const COUNT_DIGITS_MAX = 7;

/** A field of a few digits alone as the number that they are, else null. */
export function wholeNumberOf(row: Row, index: number): number | null {
  const [start, end] = [row.starts[index], row.ends[index]];
  if (end === start || end - start > COUNT_DIGITS_MAX) return null;
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const byte = row.bytes[at];
    if (!isDigit(byte)) return null;
    number = 10 * number + byte - ZERO;
  }
  return number;
}

/** Whether a row repeats the header (page breaks of printed reports, concatenated files). */
export function isHeaderAgain(row: Row, header: readonly string[]): boolean {
  if (!beginsAsHeader(row, header)) return false;
  const cells = row.texts(header.length);
  const same = header.filter((name, index) => name !== '' && cells[index]?.toLowerCase() === name.toLowerCase()).length;
  return same >= 2 ? same >= 0.8 * header.filter(Boolean).length : header.length === 1;
}

/** Whether a row repeats the line of groups above the header, as page breaks do. */
export function isGroupsAgain(row: Row, groups: readonly string[]): boolean {
  if (groups.length === 0) return false;
  const cells = row.texts();
  const width = Math.max(cells.length, groups.length);
  return Array.from({ length: width }, (_, at) => (cells[at] ?? '') === (groups[at] ?? '')).every(Boolean);
}

/** Whether a row underlines the header, as the clients of databases print it: `-------,--------`. */
export function isUnderline(row: Row): boolean {
  const first = firstFilled(row);
  // Of nearly every loan the first bytes say no, and its texts need not be made; an id may begin with a dash.
  if (first < 0 || !isOfDashes(row, first)) return false;
  const filled = row.texts().filter(Boolean);
  return filled.length >= 2 && filled.every((text) => /^-{2,}$/.test(text)) && filled.some((text) => text.length > 2);
}

function isOfDashes(row: Row, index: number): boolean {
  const begin = beginOf(row, index);
  return row.bytes[begin] === DASH && row.bytes[begin + 1] === DASH && begin + 1 < row.ends[index];
}

/** Whether a row is the header of another table: it begins with the first name, and has other names of the header in other places. */
export function isOtherHeader(row: Row, header: readonly string[]): boolean {
  if (!beginsAsHeader(row, header)) return false;
  const names = new Set(header.map((name) => name.toLowerCase()));
  const cells = row.texts().filter((text) => text !== '');
  const known = cells.filter((text) => names.has(text.toLowerCase())).length;
  return known >= 3 && known >= 0.6 * cells.length && movedNames(row, header).length > 0;
}

/** The names of the header that a row has in the places of others. */
export function movedNames(row: Row, header: readonly string[]): { name: string; instead: string }[] {
  const names = new Set(header.map((name) => name.toLowerCase()));
  return row.texts().flatMap((name, index) => {
    const instead = header[index] ?? '';
    return name.toLowerCase() !== instead.toLowerCase() && names.has(name.toLowerCase()) && name !== ''
      ? [{ name, instead }]
      : [];
  });
}

function beginsAsHeader(row: Row, header: readonly string[]): boolean {
  const first = firstFilled(row);
  if (first < 0 || first >= header.length) return false;
  if (row.kinds[first] === PLAIN && row.ends[first] - row.starts[first] < header[first].length) return false;
  if (beginOtherwise(row.bytes[row.starts[first]], header[first].charCodeAt(0))) return false;
  return row.text(first).trim().toLowerCase() === header[first].toLowerCase();
}

/** Whether two first characters, of which the one in the row may be a blank or of several bytes, differ in more than their case. */
function beginOtherwise(byte: number, code: number): boolean {
  return byte > 32 && byte < 128 && String.fromCharCode(byte).toLowerCase() !== String.fromCharCode(code).toLowerCase();
}

/** A remark under the table ("Source: …", "Prepared on …"): a single filled cell with words. */
export function isRemark(row: Row): boolean {
  const first = firstFilled(row);
  return first >= 0 && row.filledExactly() === 1 && /\p{L}{2}/u.test(row.text(first));
}
