/** The meaning of a cell's number by its number format. */
export const GENERAL = 0;
export const DATE = 1;
export const TIME = 2;
export const PERCENT = 3;
/** Shown with leading zeros, by a {@link ZeroFormat}. */
export const ZEROS = 4;
/** The number as stored, with a percent sign that is a text of the format: `0.00"%"`. */
export const PERCENT_SIGN = 5;
export type NumberKind = typeof GENERAL | typeof DATE | typeof TIME | typeof PERCENT | typeof ZEROS | typeof PERCENT_SIGN;

/** Built-in formats that are not plain numbers (ECMA-376 part 1, 18.8.30, with the East Asian dates). */
export function builtInKind(id: number): NumberKind {
  if (id === 9 || id === 10) return PERCENT;
  if (
    (id >= 14 && id <= 17) ||
    id === 22 ||
    (id >= 27 && id <= 31) ||
    id === 36 ||
    (id >= 50 && id <= 54) ||
    id === 57 ||
    id === 58
  )
    return DATE;
  if ((id >= 18 && id <= 21) || id === 45 || id === 47 || (id >= 32 && id <= 35) || id === 55 || id === 56) return TIME;
  return GENERAL;
}

/** A format of zeros such as `000000` or `00000-0000`: its texts in their order, null where a digit stands. */
export type ZeroFormat = readonly (string | null)[];

/** Texts in quotes, escaped characters, widths and fills, what is in brackets, and the single characters of a code. */
const TOKENS = /"([^"]*)"|\\(.)|[_*].|\[([^\]]*)\]|./gs;

/** What a format shows beside its number; its first section counts. */
export interface FormatTexts {
  /** A currency of the format, such as `[$€-407]`, is in it with its brackets. */
  before: string;
  behind: string;
  /** Commas behind the last digit divide what is shown by thousands, so that the texts belong to that and not to the stored number. */
  scaled: boolean;
}

export function formatTexts(code: string): FormatTexts {
  let [before, behind, hasDigits, endsInComma, scaled] = ['', '', false, false, false];
  for (const [token, quoted, escaped, bracketed] of code.matchAll(TOKENS)) {
    if (token === ';') break;
    const isDigit = /^[0#?G]$/.test(token);
    if (endsInComma && !isDigit && token !== ',') scaled = true;
    endsInComma = token === ',' && hasDigits;
    hasDigits ||= isDigit;
    if (isDigit || token === ',' || token === '.') continue;
    const isCurrency = (bracketed !== undefined && /^\$[^-]/.test(bracketed)) || /^\p{Sc}$/u.test(token);
    const text = quoted ?? escaped ?? (isCurrency ? token : ' ');
    if (hasDigits) behind += text;
    else before += text;
  }
  return { before: before.trim(), behind: behind.trim(), scaled: scaled || endsInComma };
}

/** Whether a number of this format is shown with a text that can name its unit. */
export function showsUnit(code: string): boolean {
  const { before, behind } = formatTexts(code);
  return /[\p{L}\p{Sc}]|000/u.test(before + behind);
}

/** The format of zeros that a code is; null for any other code, `0` alone included. Its first section counts. */
export function zeroFormat(code: string): ZeroFormat | null {
  const parts: (string | null)[] = [];
  for (const [token, quoted, escaped] of code.matchAll(TOKENS)) {
    if (token === ';') break;
    if (token === '0') parts.push(null);
    else if (quoted !== undefined || escaped !== undefined || /^[- ()]$/.test(token)) parts.push(quoted ?? escaped ?? token);
    // Widths, fills and colours are not part of the text; a condition selects between sections and is not applied.
    else if (!/^(?:[_*].|\[[^<>=]*\])$/s.test(token)) return null;
  }
  const first = parts.indexOf(null);
  const digits = parts.filter((part) => part === null).length;
  // A word before the digits is a prefix of the number; one among or after them is a unit or a remark.
  const isNumber = parts.every(
    (part, at) => part === null || /^[- ()]*$/.test(part) || (at < first && /^[\w #()-]*$/.test(part)),
  );
  return digits >= 2 && isNumber ? parts : null;
}

/** A number as a format of zeros shows it; as it is when it has a fraction, a sign or more than 15 digits. */
export function zeroText(text: string, format: ZeroFormat): string {
  const shown = shownNumber(text);
  if (!/^\d{1,15}$/.test(shown)) return shown;
  const places = format.filter((part) => part === null).length;
  const digits = shown.padStart(places, '0');
  let at = digits.length - places + 1;
  let next = 0;
  return format
    .map((part) => {
      if (part !== null) return part;
      const group = digits.slice(next, at);
      next = at;
      at += 1;
      return group;
    })
    .join('');
}

/** Kind of a format code; its first section counts. Elapsed time (`[h]:mm`) is a number. */
export function formatKind(code: string): NumberKind {
  if (/\[(h+|m+|s+)\]/i.test(code)) return GENERAL;
  const bare = code
    .replace(/"[^"]*"|\\.|_.|\*./g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/general/gi, '')
    .split(';', 1)[0];
  if (bare.includes('%')) return PERCENT;
  if (!/[ymdhse]/i.test(bare) || /[#?]/.test(bare) || /[0.]+e[+-]/i.test(bare))
    return formatTexts(code).behind.startsWith('%') ? PERCENT_SIGN : GENERAL;
  if (/[yde]/i.test(bare)) return DATE;
  return /[hs]/i.test(bare) ? TIME : DATE;
}

const LAST_SERIAL = 2_958_466;
const DAY_MS = 86_400_000;
const DAY_SECONDS = 86_400;

/**
 * A serial day as ISO text. In the 1900 system serial 60 is the 29 February 1900, which did not exist, and serial 0 the day before
 * the first: they are returned as the spreadsheet shows them, to be reported as unreadable dates. Null for numbers that a spreadsheet does
 * not show as a date.
 */
export function serialText(serial: number, kind: NumberKind, system: 1900 | 1904): string | null {
  if (!(serial >= 0 && serial < LAST_SERIAL)) return null;
  // The noise of a stored number is far below a millisecond, so the end of a day (23:59:59.997) is not the next one.
  const day = Math.floor(Math.round(serial * DAY_MS) / DAY_MS);
  const time = Math.min(Math.round(serial * DAY_SECONDS) - day * DAY_SECONDS, DAY_SECONDS - 1);
  if (kind === TIME && day === 0) return clockText(time);
  const date = dayText(day, system);
  return time === 0 ? date : `${date}T${clockText(time)}`;
}

function dayText(day: number, system: 1900 | 1904): string {
  if (system === 1904) return new Date(Date.UTC(1904, 0, 1) + day * DAY_MS).toISOString().slice(0, 10);
  if (day === 0) return '1900-01-00';
  if (day === 60) return '1900-02-29';
  return new Date(Date.UTC(1899, 11, day < 60 ? 31 : 30) + day * DAY_MS).toISOString().slice(0, 10);
}

function clockText(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/**
 * A stored fraction as percent text, exact to the last digit: `0.0725` and its noise of 17 digits `7.2499999999999995E-2` are `7.25%`.
 * Null when the text is not a number.
 */
export function percentText(text: string): string | null {
  const shown = shifted(shownNumber(text), 2, 400);
  return shown === null ? null : `${shown}%`;
}

/** A decimal text times ten to the power of `shift`, without an exponent; null for anything else and beyond `most` places. */
function shifted(text: string, shift: number, most: number): string | null {
  const match = /^(-?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text);
  if (!match) return null;
  const [, sign, whole, fraction = '', exponent] = match;
  if (whole + fraction === '') return null;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent ?? 0) + shift;
  if (Math.abs(point) > most) return null;
  const padded = digits.padStart(digits.length + Math.max(0, 1 - point), '0').padEnd(Math.max(point, 1), '0');
  const at = Math.max(point, 1);
  const left = padded.slice(0, at).replace(/^0+(?=\d)/, '');
  const right = padded.slice(at).replace(/(?<!0)0+$/, '');
  return `${sign}${left}${right === '' ? '' : `.${right}`}`;
}

/** Places before or behind the point up to which an exponent is written out. */
const PLACES_MAX = 40;

/**
 * The number intended by the file: text of at most 15 significant digits as it is; longer decimals carry the noise of binary
 * numbers and are given in the shortest form that reads back as the same number; whole numbers keep every digit. `3.09360001E8` and
 * `309360001.0` are `309360001`: what a program writes for a number is not part of an id.
 */
export function shownNumber(text: string): string {
  if (isLongWholeNumber(text)) return text;
  const shortest = shortestText(text);
  const shown = /e/i.test(shortest) ? (shifted(shortest, 0, PLACES_MAX) ?? shortest) : shortest;
  return shown.replace(/^(-?\d+)\.0+$/, '$1');
}

function shortestText(text: string): string {
  const mantissa = text.replace(/e.*$/i, '');
  const digits = mantissa.replace(/[-+.]/g, '').replace(/^0+/, '');
  if (digits.length <= 15 || (!mantissa.includes('.') && mantissa === text)) return text;
  const number = Number(text);
  return Number.isFinite(number) ? String(number) : text;
}

/** A whole number of more than 15 digits, or one in exponent form that large: as a stored number it has lost its last digits. */
export function isLongWholeNumber(text: string): boolean {
  if (/^-?\d{16,}$/.test(text)) return true;
  return /e/i.test(text) && Math.abs(Number(text)) >= 1e15;
}
