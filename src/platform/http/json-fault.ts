import { shown } from './shown.ts';

const BLANK = /[ \t\n\r]*/y;
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

type Token = { kind: 'mark' | 'text' | 'word'; mark: string; end: number };

/** What may come next: at first a value; in an object a key, its colon and its value; behind a value a comma or the end. */
type Next = 'value' | 'first key' | 'key' | 'colon' | 'end' | 'first entry';

/** Where a text stops being JSON, and how to mend it. Nothing of the text is repeated but a word such as NaN. */
export function describeFault(text: string): string {
  const { at, next, before } = walk(text);
  if (['true', 'false', 'null'].some((word) => word.startsWith(text.slice(at, at + 5).trim())))
    return 'it ends before it is complete: is a bracket, a brace or a quotation mark missing at its end?';
  return `its syntax is wrong at ${placeOf(text, at)}: ${remedy(text, at, next, before)}`;
}

/** A place of a text as people count: line and column from 1. */
export function placeOf(text: string, at: number): string {
  const lines = text.slice(0, at).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

function walk(text: string): { at: number; next: Next; before: string } {
  const open: string[] = [];
  let next: Next = 'value';
  let before = '';
  let at = 0;
  for (;;) {
    at = endOf(BLANK, text, at) ?? at;
    const token = tokenAt(text, at);
    const then: Next | null = token && follow(next, open, token);
    if (!token || then === null) return { at, next, before };
    before = token.mark;
    next = then;
    at = token.end;
  }
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

function tokenAt(text: string, at: number): Token | null {
  const mark = text[at] ?? '';
  if (mark !== '' && '{}[],:'.includes(mark)) return { kind: 'mark', mark, end: at + 1 };
  const end = mark === '"' ? endOfText(text, at) : endOf(WORD, text, at);
  return end === null ? null : { kind: mark === '"' ? 'text' : 'word', mark: '', end };
}

function endOfText(text: string, start: number): number | null {
  for (let at: number | null = start + 1; at !== null; at = endOf(ESCAPE, text, at)) {
    at = endOf(PLAIN, text, at) ?? at;
    if (text[at] === '"') return at + 1;
  }
  return null;
}

/** What may follow a token; null where the token may not stand here. */
function follow(next: Next, open: string[], { kind, mark }: Token): Next | null {
  const isKey = next === 'key' || next === 'first key';
  const isValue = next === 'value' || next === 'first entry';
  if (kind !== 'mark') return isKey && kind === 'text' ? 'colon' : isValue ? 'end' : null;
  if (mark === '{' || mark === '[') {
    open.push(mark);
    return isValue ? (mark === '{' ? 'first key' : 'first entry') : null;
  }
  if (mark === ':') return next === 'colon' ? 'value' : null;
  if (mark === ',') return next === 'end' && open.length > 0 ? (open.at(-1) === '{' ? 'key' : 'value') : null;
  const ends = next === 'end' || next === (mark === '}' ? 'first key' : 'first entry');
  return ends && open.pop() === (mark === '}' ? '{' : '[') ? 'end' : null;
}

/** Words of other languages where JSON has another, or none. */
const WORDS: Record<string, string> = {
  NaN: 'JSON has no NaN: send null, or leave the field out',
  Infinity: 'JSON has no Infinity: send null, or leave the field out',
  '-Infinity': 'JSON has no -Infinity: send null, or leave the field out',
  undefined: 'JSON has no undefined: send null, or leave the field out',
  None: 'None is null in JSON: make the body with json.dumps',
  True: 'True is true in JSON: make the body with json.dumps',
  False: 'False is false in JSON: make the body with json.dumps',
};

function remedy(text: string, at: number, next: Next, before: string): string {
  const rest = text.slice(at, at + 40);
  const [word = ''] = /^-?[A-Za-z_]\w*/.exec(rest) ?? [];
  const isKey = next === 'key' || next === 'first key';
  if (at === 0 && /^[\w.%+-]+=/.test(rest)) return 'the body is a form, not JSON; send {"name": "value"}';
  if (at === 0 && rest.startsWith('<')) return 'the body is XML or HTML, not JSON; send {"name": "value"}';
  if (at === 0 && rest.startsWith('--')) return 'the body is multipart, not JSON; send {"name": "value"}';
  if (before === ',' && /^[}\]]/.test(rest)) return 'there is a comma before the end; cut it';
  if (/^['\u2018\u2019\u201c\u201d`]/.test(rest)) return 'names and texts stand in double quotes (")';
  if (/^[\u00a0\u2000-\u200b\u202f\u3000]/.test(rest))
    return 'there is a blank that is no plain space, as web pages have them; write a space';
  if (/^(\/\/|\/\*|#)/.test(rest)) return 'JSON has no comments; cut it';
  if (Object.hasOwn(WORDS, word)) return WORDS[word] ?? '';
  if (isKey)
    return word === '' ? 'the name of a field in double quotes is expected' : 'the name of a field stands in double quotes (")';
  if (next === 'colon') return 'a colon is expected behind the name of a field';
  if (next === 'end') return 'a comma or the end is expected behind a value';
  if (rest.startsWith('"')) return 'a text does not end, or holds a line break or a backslash that is not written as \\n or \\\\';
  if (/^[-+.\d]/.test(rest)) return 'a number is written as 1234.5: without a plus sign, commas, leading zeros or a bare point';
  return word === '' ? `a value is expected, not ${shown(rest.slice(0, 1))}` : 'a text stands in double quotes (")';
}
