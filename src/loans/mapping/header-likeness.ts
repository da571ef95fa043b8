import { normalizeHeader } from '../dictionary/dictionary.ts';
import type { Field } from '../dictionary/field.ts';

/** How well a header names a field, 0..1, and by which alias. 1: the header is the field's name or its first alias. */
export function headerLikeness(header: string, field: Field): { score: number; alias: string | null } {
  let best = { score: 0, alias: null as string | null };
  [field.field, ...field.aliases].forEach((alias, index) => {
    const score = likeness(header, alias) - (index === 0 ? 0 : 0.001 * Math.min(index - 1, 20));
    if (score > best.score) best = { score, alias };
  });
  return best;
}

function likeness(header: string, alias: string): number {
  const [left, right] = [normalizeHeader(header), normalizeHeader(alias)];
  if (left === '' || right === '') return 0;
  if (left === right) return 1;
  if (left.replaceAll('_', '') === right.replaceAll('_', '')) return 0.98;
  const [a, b] = [words(header), words(alias)];
  // One word alone is too short for a likeness.
  if (Math.min(a.size, b.size) < 2) return 0;
  const shared = [...a].filter((word) => b.has(word)).length;
  if (shared === a.size && shared === b.size) return 0.93;
  const dice = (2 * shared) / (a.size + b.size);
  return dice >= 0.8 ? 0.9 * dice : 0;
}

const ABBREVIATIONS: Readonly<Record<string, string>> = {
  orig: 'original',
  origination: 'original',
  cur: 'current',
  curr: 'current',
  bal: 'balance',
  amt: 'amount',
  int: 'interest',
  pmt: 'payment',
  pymt: 'payment',
  dt: 'date',
  rem: 'remaining',
  mat: 'maturity',
  mos: 'months',
  mths: 'months',
  mo: 'months',
  nbr: 'number',
  num: 'number',
  no: 'number',
  pct: 'percent',
  percentage: 'percent',
  yr: 'year',
  prin: 'principal',
  acct: 'account',
  veh: 'vehicle',
  st: 'state',
  sched: 'scheduled',
  del: 'delinquent',
  delq: 'delinquent',
};

const FILLERS: ReadonlySet<string> = new Set(['the', 'of', 'in', 'at', 'a', 'usd', 'per']);

function words(header: string): Set<string> {
  const split = header.replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  const parts = normalizeHeader(split).split('_');
  return new Set(parts.filter((part) => part !== '' && !FILLERS.has(part)).map((part) => ABBREVIATIONS[part] ?? part));
}
