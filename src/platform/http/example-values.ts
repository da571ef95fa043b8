import { createHash } from 'node:crypto';
import { type Expecting, ID_KIND } from './expectations.ts';

const DATE = '2026-01-15';
const INSTANT = `${DATE}T09:30:00.000Z`;
const LATER = '2026-04-15T09:30:00.000Z';
const DATES: readonly (readonly [RegExp, string])[] = [
  [/closing/, '2026-01-28'],
  [/cut_off|^from$/, '2025-12-31'],
  [/payment|settle|due/, '2026-02-17'],
  [/record/, '2026-01-30'],
  [/expires|maturity|valid_to/, '2027-01-15'],
];
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_OF_IDS = '01kf5xv1g0';
const ID_LENGTH = 26;
const HEX = /sha-?256|hash|hexadecimal/i;

/** An id of this kind that is always the same, so that all examples speak of the same records. */
export function exampleId(kind: string, index = 0): string {
  const bytes = createHash('sha256')
    .update(`${kind}${index}`)
    .digest()
    .subarray(0, ID_LENGTH - TIME_OF_IDS.length);
  return `${kind}_${TIME_OF_IDS}${[...bytes].map((byte) => ALPHABET[byte & 31]).join('')}`;
}

/** What a text looks like by its format, its description or the words of its name. */
export function exampleText(schema: Expecting, name: string, index: number): string {
  const kind = schema[ID_KIND] ?? /Identifier, `(\w+)_…`/.exec(schema.description ?? '')?.[1];
  if (kind !== undefined) return exampleId(kind, index);
  if (schema.format === 'date') return dateOf(name);
  if (schema.format === 'date-time') return instantOf(name);
  if (schema.format === 'date-or-instant') return DATE;
  if (/Id$|_id$/.test(name)) return exampleId(name.replace(/_?Id$|_id$/, '').slice(0, 4), index);
  if (name.endsWith('_at')) return instantOf(name);
  if (schema.pattern !== undefined && new RegExp(schema.pattern).test('3')) return '3';
  if (HEX.test(`${name} ${schema.description ?? ''}`)) return createHash('sha256').update(name).digest('hex');
  if (/url$/i.test(name)) return `https://gateway.example/${name.replace(/_?url$/i, '')}`;
  return fitted(sentence(name, schema), schema);
}

const dateOf = (name: string): string => DATES.find(([pattern]) => pattern.test(name))?.[1] ?? DATE;
const instantOf = (name: string): string => (/expires|until|deadline|reset/.test(name) ? LATER : INSTANT);

/** The words of the name, such as `Samples withheld`. */
function sentence(name: string, { maxLength }: Expecting): string {
  const words =
    name
      .replace(/[[\]{}]/g, '')
      .replaceAll('_', ' ')
      .trim() || 'text';
  return `${words[0]?.toUpperCase()}${words.slice(1)}`.slice(0, maxLength);
}

function fitted(text: string, { minLength = 0 }: Expecting): string {
  return text.padEnd(minLength, '0');
}

/** Kinds of figures by their name, then by what their description says; the first that matches counts. */
const BY_NAME: readonly (readonly [RegExp, number])[] = [
  [/loan_count/, 4_000],
  [
    /shortfall|write_?down|written|difference|excess_balance|other_change|adjustment|dropped|omitted|unpaid|failed_balance|carry_over|without_mark|accreted/,
    0,
  ],
  [
    /^(failed|failed_count|rejected|error|errors|waived|remaining|retrying|strangers|unmatched|caused_more|balance_missing|loans_missing)$|_missing$/,
    0,
  ],
  [/^(warning|warnings|changed|removed|added|count|failures)$|_count$/, 12],
  [
    /^(version|attempts|structure_version|tape_version|criteria_version|seniority|place|pair|part|index|entry|own_entry)$|_version$/,
    1,
  ],
  [/^(rows|loans|loan_count|accepted|passed|processed|done|total|matched|pool_loans)$/, 4_000],
  [/_seconds$/, 86_400],
  [/_bp$|spread$/, 125],
  [/^ms$/, 42],
  [/factor|fill_ratio/, 0.97],
  [/duration|wal$/, 2.41],
  [/wam|term/, 58],
];
const BY_DESCRIPTION: readonly (readonly [RegExp, number])[] = [
  [/basis points/i, 125],
  [/fraction|share of|, 6 decimals|from 0 to 1/i, 0.25],
  [/per 100 of/i, 99.96],
  [/years/i, 2.41],
  [/in bytes/i, 1_048_576],
  [/months/i, 6],
  [/days/i, 30],
];
const PERCENT = /percent|rate/i;
const RATE_NAMES = /yield|rate|coupon|cpr|cdr|cnl|abs|severity|percent|delinquen|smm|mdr|^cap|^floor|^oc$|enhancement/;
const MONEY_NAMES =
  /balance|amount|face|collected|principal|interest|proceeds|collateral_|note_|fees|loss|market_value|^size$|dealSize/;
const FLOWS =
  /interest|loss|fee|accrued|recover|default|earned|income|drawn|deposit|gain|paid|principal|prepa|scheduled|repurchas|writedown/;

/** A figure of the kind that its name or its description says, within its bounds. */
export function exampleNumber(schema: Expecting, name: string, index: number): number {
  const whole = [schema.type].flat().includes('integer');
  const found = kindOfNumber(schema, name);
  return within(schema, (whole && found % 1 !== 0 ? 3 : found) + index);
}

function kindOfNumber({ description = '', format }: Expecting, name: string): number {
  const named = BY_NAME.find(([pattern]) => pattern.test(name)) ?? BY_DESCRIPTION.find(([pattern]) => pattern.test(description));
  if (named) return named[1];
  if (format === 'money') return 250_000;
  if (RATE_NAMES.test(name)) return rounded(1 + spread(name) * 7);
  if (MONEY_NAMES.test(name) || /currency units/i.test(description))
    return rounded(FLOWS.test(name) ? 10_000 + spread(name) * 90_000 : 5_000_000 + spread(name) * 95_000_000);
  return PERCENT.test(description) ? rounded(1 + spread(name) * 7) : 3;
}

/** A number from 0 to 1 that is always the same for a name. */
const spread = (name: string): number => createHash('sha256').update(name).digest().readUInt16BE(0) / 65_535;
const rounded = (value: number): number => Math.round(value * 100) / 100;

function within({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Expecting, value: number): number {
  const least = Math.max(minimum ?? -Infinity, exclusiveMinimum === undefined ? -Infinity : exclusiveMinimum + 1);
  const most = Math.min(maximum ?? Infinity, exclusiveMaximum === undefined ? Infinity : exclusiveMaximum - 1);
  return Math.min(Math.max(value, least), Math.max(most, least));
}
