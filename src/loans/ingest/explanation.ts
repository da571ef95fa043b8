import type { Coding } from '../dictionary/field.ts';
import type { Match } from '../mapping/match-columns.ts';
import { settlesUnit } from '../mapping/transform-inputs.ts';
import type { TapeFinding } from '../types.ts';
import { contradictedOrder, type DateReading, partlyConverted, type ValueCount } from '../values/date.ts';
import type { NumberEvidence } from './evidence.ts';
import { formatFindings } from './format-findings.ts';
import { isMissing } from '../values/missing.ts';
import { wordKey, type WordReading } from '../values/word.ts';

/** The decisions about a column in words, and the findings that the originator should review. */
export type ColumnExplanation = { decisions: string[]; findings: TapeFinding[] };

export type NumberChoice = { fraction: boolean; thousands: boolean; european: boolean; scale: number };

export function explainNumbers(match: Match, evidence: NumberEvidence, choice: NumberChoice): ColumnExplanation {
  const decisions: string[] = [];
  const findings: TapeFinding[] = [];
  const name = `"${match.source}"`;
  if (match.field.type === 'percent') decisions.push(percentDecision(match, evidence, choice.fraction));
  if (choice.european) decisions.push(`${name}: read with a decimal comma (${commaReason(evidence)})`);
  if (choice.thousands) {
    const message =
      `${name}: every one of ${evidence.numbers} values is below 1,000 (largest ${plain(evidence.max)}), which no ${match.target} is: ` +
      'read as thousands and multiplied by 1,000; set {"scale": 1} or {"scale": 1000} in the mapping to settle it';
    decisions.push(message);
    findings.push(finding(match, 'SCALE_ASSUMED', message, plain(evidence.max), 'amounts in whole currency units'));
  } else if (choice.scale !== 1)
    decisions.push(`${name}: multiplied by ${choice.scale} to give ${match.target}${scaleReason(match)}`);
  findings.push(...unitFindings(match, evidence, choice), ...formatFindings(match), ...amountFindings(match, evidence, choice));
  if (evidence.long > 0)
    decisions.push(`${name}: ${evidence.long} values have more than six decimals and are rounded half-even to six`);
  if (evidence.ranges > 0) decisions.push(`${name}: ${evidence.ranges} ranges such as 735-739 are read as their lower bound`);
  if (evidence.sentinels > 0) {
    const words = match.field.sentinels.join(' or ');
    const message = `${name}: ${evidence.sentinels} values of ${words} mean "not available" for ${match.target} and are read as missing`;
    decisions.push(message);
    findings.push(finding(match, 'SENTINEL_READ_AS_MISSING', message, `${evidence.sentinels} × ${words}`, 'a value or a blank'));
  }
  return { decisions, findings };
}

/** By what the numbers of a column are multiplied and divided; `rounded` of the results have more than six decimals. */
export function explainFactors({ source, transform = {} }: Match, rounded: number): string {
  const { multiply, divide } = transform;
  const words = [
    multiply === undefined ? [] : [`multiplied by ${multiply}`],
    divide === undefined ? [] : [`divided by ${divide}`],
  ];
  const told = rounded === 0 ? 'exact' : `${rounded} results have more than six decimals and are rounded half-even to six`;
  return `"${source}": ${words.flat().join(' and ')}, as the mapping says; ${told}`;
}

function commaReason({ comma, european }: NumberEvidence): string {
  return comma === 'SHOWN'
    ? `${european} values such as 1.234,56`
    : 'because other columns of the tape show one and none shows a point';
}

/** Findings about the unit that the header states. */
function unitFindings(match: Match, evidence: NumberEvidence, choice: NumberChoice): TapeFinding[] {
  const { unit, source, target } = match;
  if (unit === null) return [];
  const says = `"${source}" states the unit "${unit.text}"`;
  if (unit.kind === 'unclear' && match.field.type === 'money' && !settlesUnit(match.transform))
    return [
      finding(
        match,
        'UNIT_UNCLEAR',
        `${says}, which can mean thousands or millions; the values are read as they are. Set {"scale": 1000} or {"scale": 1000000} in the mapping, or {"scale": 1} if they are whole`,
        unit.text,
        'a unit with one meaning, such as "in thousands"',
      ),
    ];
  if (unit.kind === 'percent' && choice.fraction && !match.requested)
    return [
      finding(
        match,
        'UNIT_CONTRADICTED',
        `${says}, but no value is above ${plain(evidence.max)}: read as fractions and multiplied by 100. Set {"unit": "percent"} in the mapping if they are percents`,
        plain(evidence.max),
        `${target} in percent`,
      ),
    ];
  if (unit.currency !== null && unit.currency !== 'USD' && match.field.type === 'money')
    return [
      finding(
        match,
        'CURRENCY_NOT_USD',
        `${says}: the amounts are ${unit.currency} and are kept as they are, without conversion. Set {"scale": RATE} in the mapping to convert them`,
        unit.currency,
        'amounts in USD',
      ),
    ];
  return [];
}

/** Findings about amounts whose texts tell that they are not what they seem. */
function amountFindings(match: Match, evidence: NumberEvidence, choice: NumberChoice): TapeFinding[] {
  const findings: TapeFinding[] = [];
  const name = `"${match.source}"`;
  const { foreign, foreignText, shortened, points, threeBehindPoint, numbers, european } = evidence;
  if (european > 0 && !choice.european) {
    const message = `${name}: ${european} values have a decimal comma and others a decimal point; the column is read with the point. A comma with three digits behind it counts as one of thousands (5,250 is read as 5250), and a value with another one is unreadable. Write all values with the same mark`;
    findings.push(finding(match, 'DECIMAL_COMMA_SUSPECTED', message, `${european} values`, 'one decimal mark in the column'));
  }
  if (foreign > 0) {
    const message = `${name}: ${foreign} values are in another currency, such as ${foreignText}; they are kept as they are, without conversion`;
    findings.push(finding(match, 'CURRENCY_NOT_USD', message, foreignText, 'amounts in USD'));
  }
  if (shortened > 0) {
    const message = `${name}: ${shortened} values are written like 1.2E+04, as a spreadsheet shortens them; the digits that were cut off are lost. Export the column as numbers with two decimals`;
    findings.push(finding(match, 'SHORTENED_AMOUNT', message, `${shortened} values`, 'all digits of the amount'));
  }
  const asGroups = points >= 3 && threeBehindPoint === points && 2 * points >= numbers;
  if (asGroups && !choice.european && !settlesUnit(match.transform)) {
    const message = `${name}: all ${points} values with a point have three digits behind it, as groups of thousands have (20.500 for 20,500); they are read as decimals. Set {"scale": 1000} in the mapping if they are thousands, or {"scale": 1} if not`;
    findings.push(finding(match, 'THOUSANDS_POINT_SUSPECTED', message, `${points} values`, 'amounts with two decimals or none'));
  }
  return findings;
}

function scaleReason(match: Match): string {
  const coded = codingOf(match);
  if (coded !== '' || match.unit === null || match.requested) return coded;
  return ` (its header says "${match.unit.text}")`;
}

/** Name of the known source to which the header of the column belongs. */
function codingOf(match: Match): string {
  const coding = match.field.codings.find(({ headers }) => headers.includes(match.column.normalized));
  return coding ? ` (${coding.name})` : '';
}

/** Whether nearly all small percents would be beyond the range of their field as fractions. */
export function areNoFractions({ small, beyond }: NumberEvidence): boolean {
  return small > 0 && beyond > 0.9 * small;
}

function percentDecision(match: Match, evidence: NumberEvidence, fraction: boolean): string {
  const name = `"${match.source}"`;
  if (match.transform?.unit) return `${name}: read as ${match.transform.unit}, as the mapping says`;
  const { formula, multiply, divide } = match.transform ?? {};
  if (formula || (multiply ?? divide) !== undefined) return `${name}: read as percent, since the mapping settles its unit`;
  if (match.unit?.kind === 'percent' && !fraction) return `${name}: read as percent (its header says "${match.unit.text}")`;
  if (evidence.percentSigns > 0) return `${name}: read as percent (${evidence.percentSigns} values carry a % sign)`;
  const share = evidence.numbers === 0 ? 0 : Math.floor((1000 * evidence.atMostTwo) / evidence.numbers) / 10;
  const seen = `${share} % of ${evidence.numbers} values are at most 2`;
  if (!fraction && areNoFractions(evidence))
    return `${name}: read as percent (${seen}, but ${evidence.beyond} of them would be above ${match.field.range?.max} % as fractions)`;
  return fraction ? `${name}: read as fractions and multiplied by 100 (${seen})` : `${name}: read as percent (${seen})`;
}

/** `980.000000` → `980`. */
function plain(decimal: string | null): string {
  return decimal === null ? '' : decimal.replace(/\.?0+$/, '');
}

export function explainDates(match: Match, reading: DateReading, values: readonly ValueCount[]): ColumnExplanation {
  const name = `"${match.source}"`;
  const decisions: string[] = [];
  if (reading.serial) decisions.push(`${name}: read as ${reading.serial} day numbers, as the mapping says`);
  // Eight digits are tried in both notations; without an order all of them have the year in front.
  const tried = reading.order === null ? reading.formats.filter((format) => !/^%[dm]%[dm]%Y$/.test(format)) : reading.formats;
  const formats = [...(reading.iso ? ['YYYY-MM-DD'] : []), ...tried.map(readableFormat)];
  if (formats.length > 0) decisions.push(`${name}: dates read as ${formats.join(', ')}`);
  if (reading.formats.some((format) => !format.includes('%d'))) decisions.push(`${name}: a month without a day is its first day`);
  if (reading.timed) decisions.push(`${name}: times of day are left out`);
  const shifted = reading.iso || reading.timed ? shiftFindings(match, values) : [];
  if (!reading.order || reading.order.basis === 'EVIDENCE')
    return { decisions, findings: [...orderFindings(match, values), ...conversionFindings(match, values), ...shifted] };
  const sample = values.find(({ text }) => /^\d{1,2}[/.-]?\d{1,2}[/.-]?\d{2,4}(?: |$)/.test(text))?.text ?? null;
  const yearFirst = reading.formats.includes('%y%m%d');
  const assumed = yearFirst ? 'year first' : reading.order.dayFirst ? 'day first' : 'month first';
  const mayBeYear = reading.order.basis === 'ASSUMED' && reading.order.dayFirst;
  const why = mayBeYear
    ? 'the first number of each value could as well be a year'
    : reading.order.basis === 'TAPE'
      ? 'the other dates of the tape show that order, and no value of this column has a number above 12'
      : reading.order.basis === 'ASSUMED'
        ? 'no value has a number above 12 that would distinguish day from month'
        : 'some values can only be day first and some only month first; the more common order was used and the other values are unreadable';
  const settled = mayBeYear ? ['DD/MM/YY', 'YY/MM/DD'] : patternsOf(reading);
  const message = `${name}: read ${assumed}; ${why}. Set ${settled.map((pattern) => `{"date": "${pattern}"}`).join(' or ')} in the mapping to settle it`;
  decisions.push(message);
  return {
    decisions,
    findings: [finding(match, 'DATE_ORDER_ASSUMED', message, sample, 'an unambiguous date such as 2020-01-31'), ...shifted],
  };
}

/** The pattern of a mapping, or of the header, by which dates are read with day and month swapped. */
function orderFindings(match: Match, values: readonly ValueCount[]): TapeFinding[] {
  const pattern = match.transform?.date;
  const found = pattern === undefined ? null : contradictedOrder(values, pattern);
  if (pattern === undefined || !found) return [];
  const other = pattern
    .toUpperCase()
    .replace(/[DM]+/g, (token) => (token.startsWith('D') ? token.replaceAll('D', 'M') : token.replaceAll('M', 'D')));
  const message = `"${match.source}": read as ${pattern}, as the mapping or the header says; ${found.rows} values such as ${found.example} can only have day and month in the other order, and none only in this one: they are unreadable, and the others most likely have the two swapped. Set {"date": "${other}"} in the mapping if they have`;
  return [finding(match, 'DATE_ORDER_CONTRADICTED', message, found.example, `dates of the form ${pattern}`)];
}

/** The patterns that would settle the order of day and month, in the marks that the dates are written with. */
function patternsOf({ formats }: DateReading): string[] {
  const format = formats.find((each) => /^%[dm][/.-]?%[dm]/.test(each)) ?? '%m/%d/%Y';
  const [, mark, year] = /^%.(.?)%..?%([Yy])$/.exec(format) ?? ['', '/', 'Y'];
  return [
    ['DD', 'MM'],
    ['MM', 'DD'],
  ].map((order) => [...order, year === 'Y' ? 'YYYY' : 'YY'].join(mark));
}

/** A time of universal time in the second half of the day, on the hour or half of it. */
const LATE = /^[\d/.-]{6,10}[T ]((?:1[3-9]|2[0-3]):[03]0)(?::00(?:\.0+)?)?(?:Z|\+00:?00)$/i;
/** Summer and winter have midnights of their own. */
const MIDNIGHTS = 2;

/** A time in the evening on the hour, without a zone or with one west of Greenwich. */
const WESTERN = /^[\d/.-]{6,10}[T ](1[2-9]|2[0-3]):00(?::00(?:\.0+)?)?(?:-(\d{2}):?00)?$/;

/** The hour before midnight without a zone. Nothing happens on several days just then; any earlier hour may be that of a nightly run. */
const HOUR_BEFORE = /^[\d/.-]{6,10}[T ]23:00(?::00(?:\.0+)?)?$/;
const DAYS_BEFORE = 3;

/**
 * Days that a program wrote as instants of another zone: each is the midnight of its day east of Greenwich, which in universal time is in the
 * evening of the day before, or that of universal time as a zone west of it has it. They are kept: the zone is not in the file.
 */
function shiftFindings(match: Match, values: readonly ValueCount[]): TapeFinding[] {
  const present = values.filter(({ text }) => !isMissing(text));
  const why = midnightElsewhere(present.map(({ text }) => text.trim()));
  if (why === null) return [];
  const message = `"${match.source}": every time of day is ${why}: each date, such as that of ${present[0].text}, may be the day before the one that was meant. Write the dates without a time`;
  return [finding(match, 'DATES_SHIFTED_SUSPECTED', message, present[0].text, 'dates without a time')];
}

/** The times of day of all texts and where they are midnight; null where they are not shown to be. */
function midnightElsewhere(texts: readonly string[]): string | null {
  const eastern = theOnly(texts.map((text) => LATE.exec(text)?.[1]));
  if (eastern) return `${eastern.join(' or ')} of universal time, as midnight is in a zone east of it`;
  const western = westernMidnights(texts);
  if (western) return `${western.join(' or ')}, as the midnight of universal time is in a zone west of it`;
  const isHourBefore = texts.length >= DAYS_BEFORE && texts.every((text) => HOUR_BEFORE.test(text));
  return isHourBefore ? '23:00, as midnight is in the next zone to the west' : null;
}

/** The evenings at which all instants are midnights of universal time: by their zone, or because winter and summer are an hour apart. */
function westernMidnights(texts: readonly string[]): string[] | null {
  const parts = texts.map((text) => WESTERN.exec(text));
  const times = theOnly(parts.map((part) => part?.[1]));
  if (!times) return null;
  const zoned = parts.every((part) => part?.[2] !== undefined && Number(part[1]) + Number(part[2]) === 24);
  const bare = parts.every((part) => part?.[2] === undefined);
  const areSeasons = times.length === 2 && Number(times[1]) - Number(times[0]) === 1;
  return zoned || (bare && areSeasons) ? times.map((hour) => `${hour}:00`) : null;
}

/** The one or two times that all values have, in their order. */
function theOnly(times: readonly (string | undefined)[]): string[] | null {
  const known = [...new Set(times)].filter((time) => time !== undefined).toSorted();
  return known.length > 0 && known.length <= MIDNIGHTS && !times.includes(undefined) ? known : null;
}

/** Dates that a spreadsheet may have swapped day and month of are kept: the file alone does not tell. */
function conversionFindings(match: Match, values: readonly ValueCount[]): TapeFinding[] {
  const found = partlyConverted(values);
  if (!found) return [];
  const { converted, kept, example } = found;
  const message = `"${match.source}": ${converted} values are dates whose day is never above 12, and ${kept} are texts with a number above 12, as a spreadsheet set to another country leaves them: the dates among them, such as ${example}, may have day and month swapped. Export the column again as text or as YYYY-MM-DD`;
  return [finding(match, 'DATES_PARTLY_CONVERTED', message, example, 'dates written in one way')];
}

function readableFormat(format: string): string {
  const date = { Y: 'YYYY', y: 'YY', m: 'MM', d: 'DD', b: 'MON', B: 'MONTH' };
  const words: Record<string, string> = { ...date, H: 'HH', I: 'HH', M: 'MI', S: 'SS', p: 'AM' };
  return format.replace(/%([a-zA-Z])/g, (_, letter: string) => words[letter] ?? letter);
}

/** Words of a column that a decision lists. */
const WORDS_SHOWN = 20;

export function explainWords(match: Match, reading: WordReading, coding: Coding | undefined): ColumnExplanation {
  const read = [...reading.meanings].filter(([text, meaning]) => meaning !== text);
  const shown = read.slice(0, WORDS_SHOWN).map(([text, meaning]) => `${text} → ${meaning ?? 'missing'}`);
  if (read.length > shown.length) shown.push(`and ${read.length - shown.length} more`);
  // The coding of a source says nothing of a column of words under the same header.
  const isCoded = coding !== undefined && [...reading.meanings.keys()].some((text) => Object.hasOwn(coding.codes, wordKey(text)));
  const by = isCoded ? ` (${coding.name}${coding.note ? `; ${coding.note}` : ''})` : '';
  const decisions = read.length > 0 ? [`"${match.source}": ${shown.join(', ')}${by}`] : [];
  return { decisions, findings: [] };
}

/** A warning about a column. */
function finding(match: Match, rule_id: string, message: string, actual: string | null, expected: string): TapeFinding {
  return {
    rule_id,
    severity: 'WARNING',
    message,
    field: match.target,
    column: match.source,
    line: null,
    actual,
    expected,
  };
}
