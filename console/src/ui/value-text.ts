import { amount } from './amount.ts';
import { readJson, roundingOf } from './read-json.ts';

/** A value of a structure: a number, a word, or a form of the language. */
export type Value = unknown;
export type Parsed = { value: Value } | { problem: string };

/** A value as people type it: a number or a word plainly, everything else as JSON. */
export function textOf(value: Value): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** A number with all its digits: a coupon of 5.875 is no amount, which would be rounded to cents. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** What was typed: `5.875`, `250k` and `5m` are numbers, JSON is what it says, everything else is a word that the API judges. */
export function valueOf(text: string): Parsed {
  const given = text.trim();
  if (given === '') return { value: undefined };
  const rounding = NUMBER.test(given) ? roundingOf(given) : null;
  if (rounding) return { problem: rounding };
  const number = NUMBER.test(given) ? Number(given) : amount(given);
  if (number !== undefined) return { value: number };
  if (!/^[[{"]/.test(given)) return { value: given };
  return readJson(given);
}

/** A name as it was typed, whatever it looks like. */
export const wordOf = (text: string): Parsed => ({ value: text.trim() === '' ? undefined : text.trim() });

/** A name, or names with any_of or all_of as JSON. */
export const wordOrFormOf = (text: string): Parsed => (text.trim().startsWith('{') ? valueOf(text) : wordOf(text));

export type Names = readonly (string | Names)[];

const PLAIN = /^[^(),[\]{}"]+$/;
const flat = (names: Names): string[] => names.flatMap((each) => (typeof each === 'string' ? [each] : flat(each)));

/** Who is paid, in their order; a group stands in parentheses: `A-1, (A-2a, A-2b), B`. */
export function textOfNames(names: Names): string {
  if (!flat(names).every((name) => PLAIN.test(name))) return JSON.stringify(names);
  return names.map((each) => (typeof each === 'string' ? each : `(${textOfNames(each)})`)).join(', ');
}

export function namesOf(text: string): { value: Names } | { problem: string } {
  const given = text.trim();
  if (given.startsWith('[')) {
    const parsed = valueOf(given);
    if ('problem' in parsed) return parsed;
    return isNames(parsed.value) ? { value: parsed.value } : { problem: 'Write names, with groups as lists of names.' };
  }
  const tokens = given.match(/[(),]|[^(),]+/g) ?? [];
  const levels: (string | Names)[][] = [[]];
  for (const token of tokens) {
    const name = token.trim();
    if (token === '(') levels.push([]);
    else if (token === ')') {
      const group = levels.pop();
      if (!group || levels.length === 0) return { problem: 'A ) has no ( before it.' };
      levels.at(-1)?.push(group);
    } else if (token !== ',' && name !== '') levels.at(-1)?.push(name);
  }
  if (levels.length > 1) return { problem: 'A ( has no ) behind it.' };
  return { value: levels[0] ?? [] };
}

const isNames = (value: unknown): value is Names =>
  Array.isArray(value) && value.every((each) => typeof each === 'string' || isNames(each));
