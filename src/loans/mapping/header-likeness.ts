import { comparedHeader, normalizeHeader } from '../dictionary/dictionary.ts';
import type { Field } from '../dictionary/field.ts';
import { withoutAccents } from '../values/months.ts';
import { columnHeader, type HeaderUnit } from './header-name.ts';

/** A name in the forms in which names are compared. */
type Name = { text: string; normalized: string; packed: string; words: ReadonlySet<string> };

/** A field with its name and its aliases, made once for all the headers of a tape. */
export type NamedField = { field: Field; names: readonly Name[] };

/** A header as it is, without the unit or the pattern of dates that it states, and these. */
export type Header = { whole: Name; bare: Name; unit: HeaderUnit | null; dates: string | null };

export type Likeness = { score: number; alias: string | null };

export function namedField(field: Field): NamedField {
  return { field, names: [field.field, ...field.aliases].map(nameOf) };
}

export function headerOf(text: string, under?: string): Header {
  const { name, unit, dates } = columnHeader({ name: text, under });
  return { whole: nameOf(text), bare: nameOf(name), unit, dates };
}

/** How well a header names a field, 0..1, and by which alias. 1: the header is the field's name or its first alias. */
export function headerLikeness({ whole, bare }: Header, field: NamedField): Likeness {
  const found = best(whole, field);
  if (found.score >= 0.98 || bare.normalized === whole.normalized) return found;
  const named = best(bare, field);
  return named.score - 0.005 > found.score ? { score: named.score - 0.005, alias: named.alias } : found;
}

function nameOf(text: string): Name {
  const plain = withoutAccents(text);
  const normalized = comparedHeader(plain);
  // One word alone is too short for a likeness.
  const isOne = !normalized.includes('_') && !INNER_CAPITAL.test(plain);
  return { text, normalized, packed: normalized.replaceAll('_', ''), words: isOne ? new Set() : words(plain) };
}

const INNER_CAPITAL = /[a-z0-9][A-Z]/;

/** More than the names of the sources of a type are apart, so that no column under one of them is in doubt for one under these. */
const SECONDARY = 0.05;

function best(header: Name, { field, names }: NamedField): Likeness {
  let found: Likeness = { score: 0, alias: null };
  names.forEach((name, index) => {
    const score =
      likeness(header, name, field) - (field.secondary.has(name.text) ? SECONDARY : 0.001 * Math.min(Math.max(0, index - 1), 20));
    if (score > found.score) found = { score, alias: name.text };
  });
  return found;
}

/** Names that are another quantity than the same words in another order: the income of a property over its value is no cap of a rate. */
const OF_THEIR_OWN: ReadonlySet<string> = new Set(['cap_rate']);

function likeness(header: Name, name: Name, field: Field): number {
  if (header.normalized === '' || name.normalized === '') return 0;
  if (header.normalized === name.normalized) return 1;
  if (OF_THEIR_OWN.has(header.normalized)) return 0;
  if (header.packed === name.packed) return 0.98;
  const [a, b] = [header.words, name.words];
  if (Math.min(a.size, b.size) < 2 || a.isDisjointFrom(b)) return 0;
  const shared = [...a].filter((word) => b.has(word));
  const apart = [...a, ...b].filter((word) => !(a.has(word) && b.has(word)));
  if (apart.length === 0) return 0.93;
  // A word more or less can make another thing of a name, so only words that add nothing to it may differ.
  const telling = shared.filter((word) => !PLAIN.has(word)).length;
  return telling >= 2 && apart.every((word) => isPlain(word, field)) ? 0.9 - 0.02 * apart.length : 0;
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
  typ: 'type',
  stat: 'status',
  rmng: 'remaining',
};

const FILLERS: ReadonlySet<string> = new Set(['the', 'of', 'in', 'at', 'a', 'usd', 'per']);

function words(header: string): Set<string> {
  const split = header.replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  const parts = normalizeHeader(split).split('_');
  return new Set(parts.filter((part) => part !== '' && !FILLERS.has(part)).map((part) => ABBREVIATIONS[part] ?? part));
}
