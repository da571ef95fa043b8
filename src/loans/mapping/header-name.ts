import { normalizeHeader } from '../dictionary/dictionary.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import { isDatePattern } from '../values/date.ts';
import { withoutAccents } from '../values/months.ts';
import { FOREIGN_CURRENCIES } from '../values/number.ts';

/**
 * The unit that a header states beside the name of its column: `Current Balance ($000s)`, `Spread (bps)`, `Loan Term (years)`.
 * `scale` is the factor to whole units; `unclear` is a unit that has two readings in use, such as `($M)`.
 */
export type HeaderUnit = {
  /** As the header writes it. */
  text: string;
  scale: number;
  kind: 'amount' | 'percent' | 'basis points' | 'years' | 'months' | 'days' | 'weeks' | 'unclear';
  /** ISO 4217, or null where the header names none. */
  currency: string | null;
};

/** A header without its numbering, its unit and the pattern of its dates: `Maturity Date (MM/DD/YYYY)`. */
export type HeaderName = { name: string; unit: HeaderUnit | null; dates: string | null };

const CODES = ['USD', ...FOREIGN_CURRENCIES];
const CURRENCIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(CODES.map((code) => [code.toLowerCase(), code])),
  us$: 'USD',
  $: 'USD',
  dollars: 'USD',
  dollar: 'USD',
  euro: 'EUR',
  euros: 'EUR',
  '€': 'EUR',
  '£': 'GBP',
  c$: 'CAD',
  '¥': 'JPY',
  nt$: 'TWD',
  hk$: 'HKD',
  a$: 'AUD',
  r$: 'BRL',
  '₹': 'INR',
  rs: 'INR',
  zł: 'PLN',
  kc: 'CZK',
  '₩': 'KRW',
  '₪': 'ILS',
  '₺': 'TRY',
  '฿': 'THB',
};

type Unit = Pick<HeaderUnit, 'scale' | 'kind'>;

const THOUSANDS: Unit = { scale: 1_000, kind: 'amount' };
const MILLIONS: Unit = { scale: 1_000_000, kind: 'amount' };
/** In German, French, Spanish, Italian, Portuguese, Dutch and Polish, without accents. */
const FOREIGN_TIMES: readonly ['months' | 'years' | 'days', string[]][] = [
  ['months', 'monate monaten monat mois meses mesi maanden maand mnd miesiace miesiecy mies'.split(' ')],
  ['years', 'jahre jahren ans annees anos anni jaren jaar'.split(' ')],
  ['days', 'tage tagen jours dias giorni dagen dni'.split(' ')],
];
const UNITS: Readonly<Record<string, Unit>> = {
  '000': THOUSANDS,
  '000s': THOUSANDS,
  "000's": THOUSANDS,
  '1000': THOUSANDS,
  '1000s': THOUSANDS,
  thousand: THOUSANDS,
  thousands: THOUSANDS,
  tsd: THOUSANDS,
  tausend: THOUSANDS,
  milliers: THOUSANDS,
  milhares: THOUSANDS,
  migliaia: THOUSANDS,
  duizend: THOUSANDS,
  tys: THOUSANDS,
  k: THOUSANDS,
  万: { scale: 10_000, kind: 'amount' },
  mm: MILLIONS,
  mn: MILLIONS,
  mln: MILLIONS,
  mio: MILLIONS,
  million: MILLIONS,
  millions: MILLIONS,
  cent: { scale: 0.01, kind: 'amount' },
  cents: { scale: 0.01, kind: 'amount' },
  pence: { scale: 0.01, kind: 'amount' },
  // A million in everyday writing, a thousand in banking.
  m: { scale: 1, kind: 'unclear' },
  bp: { scale: 0.01, kind: 'basis points' },
  bps: { scale: 0.01, kind: 'basis points' },
  '%': { scale: 1, kind: 'percent' },
  pct: { scale: 1, kind: 'percent' },
  percent: { scale: 1, kind: 'percent' },
  years: { scale: 1, kind: 'years' },
  year: { scale: 1, kind: 'years' },
  yrs: { scale: 1, kind: 'years' },
  yr: { scale: 1, kind: 'years' },
  months: { scale: 1, kind: 'months' },
  month: { scale: 1, kind: 'months' },
  mos: { scale: 1, kind: 'months' },
  mths: { scale: 1, kind: 'months' },
  mo: { scale: 1, kind: 'months' },
  days: { scale: 1, kind: 'days' },
  ...Object.fromEntries(FOREIGN_TIMES.flatMap(([kind, words]) => words.map((word) => [word, { scale: 1, kind }]))),
  weeks: { scale: 1, kind: 'weeks' },
};

const BRACKETED = /\(([^()]*)\)|\[([^[\]]*)\]/g;
const CODE = CODES.join('|').toLowerCase();
/** `TEUR`, `K€`, `$K`: thousands of a currency in one word. */
const THOUSANDS_OF = `[tk](?:${CODE}|[$€£])|(?:${CODE}|[$€£])[\\s_]?k`;
/** Units without brackets: `Balance in thousands`, `Balance $000s`, `Balance, EUR`, `Rate %`, `balance_usd_mm`. */
const TRAILING = new RegExp(
  `(?:(?<![\\s_,/-])[\\s_,/-]+|^|(?<=[A-Za-z]{3})(?=[%$€£¥]))(?:in[\\s_]+)?(${THOUSANDS_OF}|` +
    `(?:(?:us|nt|hk|c|a|r)\\$|[$€£¥₹₩₪₺฿]|${CODE})?[\\s_]*(?:'?0{3}'?s?|thousands?|mm|mln|mio|millions?|cents|bps?|basis[\\s_]points|%)|` +
    `(?:in|en|em)[\\s_]+(?:${CODE}|euros?|dollars|months|years|days|${FOREIGN_TIMES.flatMap(([, words]) => words).join('|')})|${CODE}|[$€£¥₹₩₪₺฿])$`,
  'i',
);

/** Behind a rate, which is that of a year without it too. */
const PER_YEAR = / (?:\((?:p\. ?a\.?|per annum)\)$|(?:p\. ?a\.?|per annum)(?=\)?$))/i;

/** A longer text is a remark, in which no unit is looked for. */
const MOST_CHARACTERS = 400;

/** Splits what a header says of its unit from the name of the column. Words that are no unit stay in the name. */
export function headerName(header: string): HeaderName {
  if (header.length > MOST_CHARACTERS) return { name: header, unit: null, dates: null };
  const whole = header
    .normalize('NFKC')
    .replace(/^\s*\(?(?:[A-Z]{0,2}\d{1,3})[.):]\s*(?=\S*[A-Za-z])/, '')
    .replace(PER_YEAR, '');
  const dates = DATES.exec(whole)?.[1] ?? null;
  if (dates !== null && isDatePattern(dates)) return { name: whole.replace(DATES, '').trim(), unit: null, dates };
  return { ...nameAndUnit(whole), dates: null };
}

/** The same of a column, whose unit or pattern of dates may also stand in a row under its name. */
export function columnHeader({ name, under }: Pick<RawColumn, 'name' | 'under'>): HeaderName {
  const own = headerName(name);
  if (under === undefined || own.unit !== null || own.dates !== null) return own;
  const { unit, dates } = headerName(`${NAMED} (${under})`);
  return { ...own, unit, dates };
}

/** Any name: a unit or a pattern in brackets stands behind one. */
const NAMED = 'name';

/** A pattern of dates in brackets at the end. */
const DATES = /(?<!\s)\s*[([]\s*((?:d{1,2}|m{1,3}|mon|y{4}|yy)(?:[/.-]?(?:d{1,2}|m{1,3}|mon|y{4}|yy)){1,2})\s*[)\]]\s*$/i;

function nameAndUnit(numbered: string): Omit<HeaderName, 'dates'> {
  let unit: HeaderUnit | null = null;
  const unbracketed = numbered.replace(BRACKETED, (whole, round: string | undefined, square: string | undefined) => {
    const found = unitOf(round ?? square ?? '');
    if (found === null || unit !== null) return whole;
    unit = { ...found, text: whole };
    return ' ';
  });
  if (unit !== null) return { name: unbracketed.trim(), unit };
  const trailing = TRAILING.exec(unbracketed.trim());
  const found = trailing && unitOf(trailing[1] ?? '');
  const rest = trailing ? unbracketed.trim().slice(0, trailing.index) : '';
  if (!trailing || !found || normalizeHeader(rest) === '') return { name: numbered, unit: null };
  return { name: rest, unit: { ...found, text: (trailing[1] ?? '').trim() } };
}

/** Units of Japanese, Chinese and Korean headers as those above: `千円`, `万元`, `개월`. */
const EASTERN: readonly [RegExp, string][] = [
  [/百万(?=[円元])|백만(?=원)/, ' mm '],
  [/千(?=[円元])|천(?=원)/, ' k '],
  [/万(?=[円元])/, ' 万 '],
  [/円$/, ' jpy '],
  [/元$/, ' cny '],
  [/원$/, ' krw '],
  [/^(?:[ヶか个カヵ]?月|개월)$/, ' months '],
  [/^[年년]$/, ' years '],
];

/** The letter of thousands before a currency. */
const THOUSANDS_PREFIX = new RegExp(`\\b[tk](?=(?:${CODE})\\b|[$€£])`, 'g');

const CONNECTING: ReadonlySet<string> = new Set(['', 'in', 'of', 'en', 'em', 'de', 'di']);

/** The unit that a text names and nothing else: `USD mm`, `$000s`, `in thousands of euros`; null for any other text. */
export function unitOf(text: string): Omit<HeaderUnit, 'text'> | null {
  const eastern = EASTERN.reduce((rest, [word, unit]) => rest.replace(word, unit), text.toLowerCase().trim());
  const tokens = withoutAccents(eastern)
    .replace(/(?:\bx\s*)?(?<!\d)(?:1[.,' ]?|')000\b(?![.,\d])/g, ' 000')
    .replace(/(?:\bx\s*)(?=[$€£]\s*000\b)/g, '')
    .replace(/basis[\s_]points?/g, 'bps')
    // Without the word for `of` they are a distance.
    .replace(/\bmiles de\b/, 'k')
    .replace(THOUSANDS_PREFIX, 'k ')
    .replace(/((?:us|nt|hk|c|a|r)\$|[$€£¥₹₩₪₺฿%])/g, ' $1 ')
    .split(/[\s_,/.-]+/)
    .filter((token) => !CONNECTING.has(token));
  if (tokens.length === 0) return null;
  let currency: string | null = null;
  let unit: Unit | null = null;
  for (const token of tokens) {
    const [money, measure] = [CURRENCIES[token], UNITS[token]];
    if (money !== undefined && currency === null) currency = money;
    else if (measure !== undefined && unit === null) unit = measure;
    else return null;
  }
  return { ...(unit ?? { scale: 1, kind: 'amount' }), currency };
}
