import { below } from './fields.ts';

/** A part of a value that was cut: how much of it is there, and of how much. */
export type Cut = {
  path: string;
  shown: number;
  of: number;
  unit: 'items' | 'characters' | 'fields';
  /** Names of fields that are not there, the first of them. */
  names?: string[];
};

const SMALLEST_SHARE = 48;
const ATTEMPTS = 12;
const MOST_NAMES = 10;

/** Bytes of a value as JSON. */
export const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** The value with its longest lists and texts cut until its JSON has at most so many bytes; what is small stays whole. */
export function cutToSize(value: unknown, mostBytes: number): { value: unknown; cuts: Cut[] } {
  let budget = mostBytes;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const cuts: Cut[] = [];
    const fitted = cut(value, budget, '', cuts);
    if (sizeOf(fitted) <= mostBytes) return { value: fitted, cuts };
    budget *= 0.7;
  }
  return { value: null, cuts: [{ path: '', shown: 0, of: sizeOf(value), unit: 'characters' }] };
}

function cut(value: unknown, budget: number, path: string, cuts: Cut[]): unknown {
  if (sizeOf(value) <= budget) return value;
  if (typeof value === 'string') return cutText(value, budget, path, cuts);
  if (Array.isArray(value)) return cutList(value, budget, path, cuts);
  if (typeof value === 'object' && value !== null) return cutRecord(value, budget, path, cuts);
  return value;
}

function cutText(text: string, budget: number, path: string, cuts: Cut[]): string {
  let length = Math.max(0, Math.floor(budget) - 5);
  while (length > 0 && sizeOf(text.slice(0, length)) + 3 > budget) length = Math.floor(length * 0.9);
  // Half of a character is none.
  if (!text.slice(0, length).isWellFormed()) length -= 1;
  cuts.push({ path, shown: length, of: text.length, unit: 'characters' });
  return `${text.slice(0, length)}…`;
}

/** The first items that fit; where not even one does, a part of the first. */
function cutList(list: readonly unknown[], budget: number, path: string, cuts: Cut[]): unknown[] {
  const items: unknown[] = [];
  let left = budget - 2;
  for (const item of list) {
    const size = sizeOf(item) + 1;
    if (size > left) break;
    items.push(item);
    left -= size;
  }
  if (items.length === 0 && left > SMALLEST_SHARE) items.push(cut(list[0], left, `${path}[0]`, cuts));
  if (items.length < list.length) cuts.push({ path, shown: items.length, of: list.length, unit: 'items' });
  return items;
}

/** Every field, small ones whole; what they leave is shared by the larger ones. A record with too many fields loses its last ones. */
function cutRecord(record: object, budget: number, path: string, cuts: Cut[]): object {
  const entries = Object.entries(record).map(([name, value]) => ({ name, value: value as unknown, size: sizeOf(value) }));
  const bare = (name: string): number => sizeOf(name) + 2;
  const shares = new Map<string, number>();
  let left = budget - 2;
  for (const { name, size } of entries) {
    const least = bare(name) + Math.min(size, SMALLEST_SHARE);
    if (least > left) break;
    shares.set(name, Math.min(size, SMALLEST_SHARE));
    left -= least;
  }
  const kept = entries.filter(({ name }) => shares.has(name)).toSorted((a, b) => a.size - b.size);
  for (const [index, { name, size }] of kept.entries()) {
    const more = Math.min(size - (shares.get(name) ?? 0), left / (kept.length - index));
    shares.set(name, (shares.get(name) ?? 0) + more);
    left -= more;
  }
  const names = entries.filter(({ name }) => !shares.has(name)).map(({ name }) => name.slice(0, 60));
  if (names.length > 0)
    cuts.push({ path, shown: kept.length, of: entries.length, unit: 'fields', names: names.slice(0, MOST_NAMES) });
  return Object.fromEntries(
    entries.flatMap(({ name, value }) => {
      const share = shares.get(name);
      return share === undefined ? [] : [[name, cut(value, share, below(path, name), cuts)]];
    }),
  );
}
