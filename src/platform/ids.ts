import { randomBytes } from 'node:crypto';

declare const kindOf: unique symbol;

/** An identifier of one kind of record, such as `deal`: the compiler refuses it where another kind is expected. */
export type Id<Kind extends string> = string & { readonly [kindOf]: Kind };

/** Who acts: a key, or a member of an organization. */
export type ActorId = Id<'key'> | Id<'mem'>;

/** Accepts the id of a key or a member from outside. */
export const asActorId = (text: string): ActorId => (text.startsWith('mem_') ? asId('mem', text) : asId('key', text));

/** Accepts text from outside, such as a token or an argument of a command, as the id of a record of this kind. */
export const asId = <const Kind extends string>(_kind: Kind, text: string): Id<Kind> => text as Id<Kind>;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 26;
const MILLISECOND_CHARACTERS = 10;
const MICROSECOND_CHARACTERS = 2;
const SEQUENCE_CHARACTERS = 3;
const IDS_PER_MICROSECOND = 32 ** SEQUENCE_CHARACTERS;

/** Makes an opaque id with its kind as a prefix: `deal_01jd…`. */
export type IdGenerator = <const Kind extends string>(kind: Kind) => Id<Kind>;

/** An id that sorts by the millisecond of its creation. Ids of the same millisecond have no order. */
export function newId<const Kind extends string>(kind: Kind): Id<Kind> {
  return withRandom(kind, base32(Date.now(), MILLISECOND_CHARACTERS));
}

/**
 * Ids that sort by a moment, in microseconds since 1970, and among themselves in the order of their creation. Paging by id (the log of
 * events) relies on it: the ids of a transaction sort after those of every transaction that began before it.
 */
export function createIdGenerator(startMicros: number): IdGenerator {
  let made = 0;
  return (kind) => {
    const micros = startMicros + Math.floor(made / IDS_PER_MICROSECOND);
    const sequence = made % IDS_PER_MICROSECOND;
    made += 1;
    const time = base32(Math.floor(micros / 1_000), MILLISECOND_CHARACTERS) + base32(micros % 1_000, MICROSECOND_CHARACTERS);
    return withRandom(kind, time + base32(sequence, SEQUENCE_CHARACTERS));
  };
}

/** The moment in an id of `createIdGenerator`, in microseconds since 1970; null of a text that is none. */
export function microsIn(id: string): number | null {
  const time = new RegExp(`^[a-z]+_([${ALPHABET}]{${LENGTH}})$`).exec(id)?.[1];
  if (time === undefined) return null;
  const digits = (from: number, to: number): number => {
    let value = 0;
    for (let at = from; at < to; at += 1) value = value * 32 + ALPHABET.indexOf(time.charAt(at));
    return value;
  };
  const end = MILLISECOND_CHARACTERS + MICROSECOND_CHARACTERS;
  return digits(0, MILLISECOND_CHARACTERS) * 1_000 + digits(MILLISECOND_CHARACTERS, end);
}

function withRandom<Kind extends string>(kind: Kind, ordered: string): Id<Kind> {
  let id = `${kind}_${ordered}`;
  for (const byte of randomBytes(LENGTH - ordered.length)) id += ALPHABET[byte & 31];
  return asId(kind, id);
}

function base32(value: number, length: number): string {
  let text = '';
  for (let left = value, i = 0; i < length; i += 1, left = Math.floor(left / 32)) text = ALPHABET[left % 32] + text;
  return text;
}
