import { ApiError } from './errors.ts';

const MAX_DEPTH = 64;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON body as the contract requires: a duplicate key, NUL, a lone surrogate, invalid UTF-8 or a byte order mark, too deep a nesting or a key that
 * could reach an object's prototype is MALFORMED_JSON. The text is checked in one pass, without recursion, before it is parsed.
 */
export function parseStrictJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw malformed('it is not valid UTF-8');
  }
  if (text.startsWith('\ufeff')) throw malformed('it begins with a byte order mark');
  checkText(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(positionOf(error as SyntaxError));
  }
}

/** The parser's message repeats the input, which may be a secret: only the position or a single character is reported. */
function positionOf({ message }: SyntaxError): string {
  if (message === 'Unexpected end of JSON input') return 'it ends before it is complete';
  const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(message) ?? [];
  if (line) return `its syntax is wrong at line ${line}, column ${column}`;
  const [, token] = /^Unexpected token '([!-~])'/.exec(message) ?? [];
  return token ? `its syntax is wrong, at an unexpected ${token}` : 'its syntax is wrong';
}

function checkText(text: string): void {
  const open: (Set<string> | null)[] = [];
  // In an object, a string after its brace or a comma is a key, whatever comes before its colon.
  let keyComes = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (character === '{' || character === '[') {
      if (open.length >= MAX_DEPTH) throw malformed(`it is nested deeper than ${MAX_DEPTH} levels`);
      open.push(character === '{' ? new Set() : null);
      keyComes = true;
    } else if (character === '}' || character === ']') open.pop();
    else if (character === ',') keyComes = true;
    else if (character === '"') {
      const end = endOfString(text, i);
      checkString(text.slice(i, end + 1), keyComes ? (open.at(-1) ?? null) : null);
      keyComes = false;
      i = end;
    }
  }
}

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '"') return i;
  }
  throw malformed('a string does not end');
}

/** `keys` are those that its object has so far, when the string is a key. */
function checkString(raw: string, keys: Set<string> | null): void {
  if (!keys && !raw.includes('\\u')) return;
  let value: string;
  try {
    value = JSON.parse(raw) as string;
  } catch {
    throw malformed('a string is not valid');
  }
  if (value.includes('\0')) throw malformed('a string holds the character NUL');
  if (!value.isWellFormed()) throw malformed('a string holds a lone surrogate');
  if (!keys) return;
  if (FORBIDDEN_KEYS.has(value)) throw malformed('a key is not allowed');
  if (keys.has(value)) throw malformed('a key occurs twice in one object');
  keys.add(value);
}

function malformed(why: string): ApiError {
  return new ApiError('MALFORMED_JSON', `The body is not acceptable JSON: ${why}.`);
}
