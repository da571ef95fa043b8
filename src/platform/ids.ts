import { randomBytes } from 'node:crypto';

declare const kindOf: unique symbol;

/** An identifier of one kind of record, such as `deal`: text that cannot stand where another kind's identifier is expected. */
export type Id<Kind extends string> = string & { readonly [kindOf]: Kind };

/** Text from outside, such as a token or a command's argument, that names a record of this kind. */
export const asId = <const Kind extends string>(_kind: Kind, text: string): Id<Kind> => text as Id<Kind>;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

let lastMs = 0;
let sequence = 0;

/** An opaque id that says its kind and sorts by the time it was made: `deal_01jd…`. Ids made by one process ascend strictly. */
export function newId<const Kind extends string>(kind: Kind, atMs: number = Date.now()): Id<Kind> {
  if (atMs > lastMs) {
    lastMs = atMs;
    sequence = 0;
  } else {
    sequence += 1;
    if (sequence >= 32 ** 3) {
      lastMs += 1;
      sequence = 0;
    }
  }
  return `${kind}_${base32(lastMs, TIME_CHARACTERS)}${base32(sequence, 3)}${randomText(RANDOM_CHARACTERS - 3)}` as Id<Kind>;
}

function base32(value: number, length: number): string {
  let text = '';
  for (let left = value, i = 0; i < length; i += 1, left = Math.floor(left / 32)) text = ALPHABET[left % 32] + text;
  return text;
}

function randomText(length: number): string {
  let text = '';
  for (const byte of randomBytes(length)) text += ALPHABET[byte & 31];
  return text;
}
