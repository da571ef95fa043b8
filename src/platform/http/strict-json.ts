import { ApiError, invalidField } from './errors.ts';
import { describeFault, placeOf } from './json-fault.ts';
import { isRounded, pathAt } from './json-number.ts';
import { shown } from './shown.ts';

const MAX_DEPTH = 64;
/** An object of the text: the name under which it stands, and its own names so far. */
type Open = { of: string | null; names: Set<string> | null };
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON body as the contract requires: a duplicate key, NUL, a lone surrogate, invalid UTF-8 or a byte order mark, too deep a nesting or a name that
 * could reach an object's prototype is MALFORMED_JSON. The text is checked in one pass, without recursion, before it is parsed. A number that
 * would be rounded is VALIDATION_FAILED at its path: nothing is coerced.
 */
export function parseStrictJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw malformed('it is not valid UTF-8: save or encode it as UTF-8');
  }
  if (text.startsWith('\ufeff')) throw malformed('it begins with a byte order mark: save or encode it as UTF-8 without one');
  const numerals = checkText(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message repeats the input, which may be a secret.
    throw malformed(describeFault(text));
  }
  refuseRounded(text, numerals);
  return value;
}

/** The places of the numbers that a double may not keep. */
function checkText(text: string): number[] {
  const numerals: number[] = [];
  const open: (Open | null)[] = [];
  let name: string | null = null;
  // In an object, a string after its brace or a comma is a key, whatever comes before its colon.
  let keyComes = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (character === '{' || character === '[') {
      if (open.length >= MAX_DEPTH) throw malformed(`it is nested deeper than ${MAX_DEPTH} levels`);
      open.push(character === '{' ? { of: name, names: null } : null);
      keyComes = true;
      name = null;
    } else if (character === '}' || character === ']') open.pop();
    else if (character === ',') keyComes = true;
    else if (character === '"') {
      const end = endOfString(text, i);
      name = checkString(text, { from: i, to: end + 1 }, keyComes ? (open.at(-1) ?? null) : null);
      keyComes = false;
      i = end;
    } else if (isNumeral(character)) {
      NUMERAL.lastIndex = i;
      const [numeral = ''] = NUMERAL.exec(text) ?? [];
      if (maybeRounded(numeral)) numerals.push(i);
      i += numeral.length - 1;
    }
  }
  return numerals;
}

/** A numeral that a double does not keep; its digits are not repeated. */
function refuseRounded(text: string, numerals: readonly number[]): void {
  for (const place of numerals) {
    NUMERAL.lastIndex = place;
    if (!isRounded(NUMERAL.exec(text)?.[0] ?? '')) continue;
    throw invalidField(
      pathAt(text, place) || 'body',
      'INVALID',
      'the number has more digits than are kept, or is too large: it would be read as another one; expected at most 15 significant digits',
    );
  }
}

const NUMERAL = /[-+.\deE]+/y;

const isNumeral = (character = ''): boolean => character === '-' || (character >= '0' && character <= '9');

/** Up to 15 characters without an exponent are kept as they are. */
const maybeRounded = (numeral: string): boolean => numeral.length > 15 || /[eE]/.test(numeral);

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '"') return i;
  }
  throw malformed(describeFault(text));
}

/** `object` is the one whose key the string is, if it is a key, which is returned. */
function checkString(text: string, { from, to }: { from: number; to: number }, object: Open | null): string | null {
  const raw = text.slice(from, to);
  if (!object && !raw.includes('\\u')) return null;
  // Of well-formed UTF-8 only an escape makes a NUL that JSON allows, or half of a character.
  const value = raw.includes('\\') ? unescaped(text, from, raw) : raw.slice(1, -1);
  if (!object) return null;
  if (reachesPrototype(value, object)) throw malformed(`the name ${shown(value)} is not allowed, at ${placeOf(text, from)}`);
  // An empty object has none: a body may hold a million of them.
  object.names ??= new Set();
  if (object.names.has(value))
    throw malformed(
      `the name ${shown(value)} occurs twice in one object, the second time at ${placeOf(text, from)}: send it once`,
    );
  object.names.add(value);
  return value;
}

function unescaped(text: string, from: number, raw: string): string {
  let value: string;
  try {
    value = JSON.parse(raw) as string;
  } catch {
    throw malformed(describeFault(text));
  }
  if (value.includes('\0')) throw malformed(`a text holds the character NUL, at ${placeOf(text, from)}`);
  if (!value.isWellFormed()) throw malformed(`a text holds a lone surrogate, half of a character, at ${placeOf(text, from)}`);
  return value;
}

/** Assigned to an object the one sets its prototype; merged into one the other changes that of all. Either word alone is a name as others. */
const reachesPrototype = (name: string, { of }: Open): boolean =>
  name === '__proto__' || (name === 'prototype' && of === 'constructor');

function malformed(why: string): ApiError {
  return new ApiError('MALFORMED_JSON', `The body is not acceptable JSON: ${why}.`);
}
