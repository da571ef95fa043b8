import { normalizeHeader } from '../dictionary/dictionary.ts';
import type { Field } from '../dictionary/field.ts';
import { headerName } from './header-name.ts';

/** How well a header names a field, 0..1, and by which alias. 1: the header is the field's name or its first alias. */
export function headerLikeness(header: string, field: Field): { score: number; alias: string | null } {
  const whole = best(header, field);
  if (whole.score >= 0.98) return whole;
  const { name } = headerName(header);
  if (normalizeHeader(name) === normalizeHeader(header)) return whole;
  const named = best(name, field);
  return named.score - 0.005 > whole.score ? { score: named.score - 0.005, alias: named.alias } : whole;
}

function best(header: string, field: Field): { score: number; alias: string | null } {
  let found = { score: 0, alias: null as string | null };
  [field.field, ...field.aliases].forEach((alias, index) => {
    const score = likeness(header, alias, field) - (index === 0 ? 0 : 0.001 * Math.min(index - 1, 20));
    if (score > found.score) found = { score, alias };
  });
  return found;
}

function likeness(header: string, alias: string, field: Field): number {
  const [left, right] = [normalizeHeader(header), normalizeHeader(alias)];
  if (left === '' || right === '') return 0;
  if (left === right) return 1;
  if (left.replaceAll('_', '') === right.replaceAll('_', '')) return 0.98;
  const [a, b] = [words(header), words(alias)];
  // One word alone is too short for a likeness.
  if (Math.min(a.size, b.size) < 2) return 0;
  const apart = [...a].filter((word) => !b.has(word)).concat([...b].filter((word) => !a.has(word)));
  if (apart.length === 0) return 0.93;
  // A word more or less can make another thing of a name, so only words that add nothing to it may differ.
  const shared = [...a].filter((word) => b.has(word) && !PLAIN.has(word)).length;
  return shared >= 2 && apart.every((word) => isPlain(word, field)) ? 0.9 - 0.02 * apart.length : 0;
}

/** Whether a word says only what the field is anyway: `loan` of any, `amount` of money, `months` of a count of months. */
function isPlain(word: string, field: Field): boolean {
  if (PLAIN.has(word)) return true;
  if (field.type === 'money') return word === 'amount' || word === 'value';
  if (field.type === 'percent') return word === 'percent';
  if (field.type === 'date') return word === 'date';
  return field.unit !== null && word === field.unit;
}

const PLAIN: ReadonlySet<string> = new Set(['loan', 'mortgage', 'contract', 'account', 'asset', 'borrower', 'obligor']);

const ABBREVIATIONS: Readonly<Record<string, string>> = {
  orig: 'original',
  origination: 'original',
  cur: 'current',
  curr: 'current',
  bal: 'balance',
  amt: 'amount',
  amnt: 'amount',
  int: 'interest',
  intrst: 'interest',
  rt: 'rate',
  pmt: 'payment',
  pymt: 'payment',
  pymnt: 'payment',
  dt: 'date',
  rem: 'remaining',
  mat: 'maturity',
  month: 'months',
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
  prncp: 'principal',
  ln: 'loan',
  acct: 'account',
  cust: 'customer',
  iss: 'issue',
  trm: 'term',
  veh: 'vehicle',
  prop: 'property',
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
