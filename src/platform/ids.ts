import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 26;
const MILLISECOND_CHARACTERS = 10;
const MICROSECOND_CHARACTERS = 2;
const SEQUENCE_CHARACTERS = 3;
const IDS_PER_MICROSECOND = 32 ** SEQUENCE_CHARACTERS;

/** Makes an opaque id that says its kind: `deal_01jd…`. */
export type IdGenerator = (kind: string) => string;

/** An id that sorts by the millisecond in which it was made. Ids of one millisecond are in no order. */
export function newId(kind: string): string {
  return withRandom(`${kind}_`, base32(Date.now(), MILLISECOND_CHARACTERS));
}

/**
 * Ids that sort by a moment, in microseconds since 1970, and among themselves in the order in which they are made. What pages by id
 * (the log of events) relies on it: the ids of a transaction sort after those of every transaction that began before it.
 */
export function createIdGenerator(startMicros: number): IdGenerator {
  let made = 0;
  return (kind) => {
    const micros = startMicros + Math.floor(made / IDS_PER_MICROSECOND);
    const sequence = made % IDS_PER_MICROSECOND;
    made += 1;
    const time = base32(Math.floor(micros / 1_000), MILLISECOND_CHARACTERS) + base32(micros % 1_000, MICROSECOND_CHARACTERS);
    return withRandom(`${kind}_`, time + base32(sequence, SEQUENCE_CHARACTERS));
  };
}

function withRandom(prefix: string, ordered: string): string {
  let id = prefix + ordered;
  for (const byte of randomBytes(LENGTH - ordered.length)) id += ALPHABET[byte & 31];
  return id;
}

function base32(value: number, length: number): string {
  let text = '';
  for (let left = value, i = 0; i < length; i += 1, left = Math.floor(left / 32)) text = ALPHABET[left % 32] + text;
  return text;
}
