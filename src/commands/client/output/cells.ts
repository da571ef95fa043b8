import { safeText } from './safe-text.ts';

export type Record_ = Readonly<Record<string, unknown>>;

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;
const INSTANT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(\.\d+)?Z$/;

/** A value as people read it, on one line. */
export function cellText(value: unknown, isMoney: boolean): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return isMoney ? money(value) : String(value);
  if (typeof value === 'string') return safeText(value.replace(INSTANT, '$1 $2Z'));
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return safeText(value.join(', '));
  return safeText(JSON.stringify(value));
}

/** Grouped, with cents; further decimals stay. */
export const money = (value: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 20 });

/** Columns of a terminal that the text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : /\p{Mark}/u.test(character) ? 0 : 1;
  return width;
}

/** The text in so many columns: what is cut ends in a mark. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += widthOf(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

export const padTo = (text: string, width: number, right: boolean): string => {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return right ? space + text : text + space;
};
