import { type Field, isNumeric } from '../dictionary/field.ts';
import { normalizeHeader } from '../dictionary/dictionary.ts';
import type { Match } from '../mapping/match-columns.ts';
import { makesText, settlesUnit } from '../mapping/transform-inputs.ts';
import { oncePerText, sqlText, textList } from '../engine/sql.ts';
import type { TapeFinding, Transform } from '../types.ts';
import { commonOrder, type DateReading, dateSql, decideDates, isOrderOpen, type ValueCount } from '../values/date.ts';
import { FEW_ROWS, countNumbers, countOrder, distinctTexts, type NumberEvidence, type Texts } from './evidence.ts';
import { missingSql, presentCellSql, presentTextSql, sentinelSql } from '../values/missing.ts';
import { type NumberReading, numberSql } from '../values/number.ts';
import { areNoFractions, explainDates, explainFactors, explainNumbers, explainWords } from './explanation.ts';
import { isRoundedSql } from '../values/quotient.ts';
import { idSql, pseudonymSql, stateSql, stringSql } from '../values/text.ts';
import { isTokenSql } from '../values/token.ts';
import { decideWords, silentWords, wordKey, wordKeySql, wordSql } from '../values/word.ts';

/** How one mapped column is read into one field of the loan table. */
export type ColumnReading = {
  match: Match;
  /** SQL over `t{index}`, the trimmed text of the source column. */
  value: string;
  /** SQL, never null: the text is present, is not a missing marker and could not be read. */
  unreadable: string;
  /** The texts of the column are many, and most differ: what is faster for each is worth a longer statement. */
  manyTexts?: boolean;
  /** SQL of the number before it is multiplied and divided, where the mapping says so. */
  unfactored?: string | undefined;
  /** The transform in force, decided or requested. */
  transform: Transform | undefined;
  decisions: string[];
  findings: TapeFinding[];
};

export type ReadingContext = Texts & {
  rowCount: number;
  /** Values are already in canonical units: percents stay, no amounts are assumed to be in thousands. */
  canonical: boolean;
  idFields: ReadonlySet<string>;
};

/** Decides, column by column and once for the whole tape, how the values are read. */
export async function decideReadings(matches: readonly Match[], context: ReadingContext): Promise<ColumnReading[]> {
  const numeric = matches.filter((match) => isNumeric(match.field));
  const worded = matches.filter((match) => !isNumeric(match.field) && match.field.type !== 'string');
  const read = withoutMade(context, matches);
  const { engine, from, repeating } = read;
  const [evidence, texts] = await Promise.all([
    countNumbers(read, numeric, context.canonical),
    distinctTexts(
      engine,
      from,
      worded.map(({ column }) => column.index),
    ),
  ]);
  const thousands = context.canonical ? new Set<string>() : amountsInThousands(numeric, evidence);
  const dates = await decideAllDates(
    matches.filter(({ field }) => field.type === 'date'),
    texts,
    context,
  );
  const readings: ColumnReading[] = [];
  for (const match of matches) {
    const counts = evidence.get(match.column.index);
    if (counts) readings.push(await withFactors(numberColumn(match, counts, thousands, context), context));
    else if (match.field.type === 'string') readings.push(textColumn(match, context));
    else {
      const values = texts.get(match.column.index) ?? [];
      const reading = dates.get(match);
      readings.push(reading ? dateColumn(match, values, reading) : wordColumn(match, values));
    }
  }
  const isLong = context.rowCount > FEW_ROWS;
  return readings.map((reading) =>
    withLost(repeating.has(reading.match.column.index) ? oncePerTextOf(reading) : { ...reading, manyTexts: isLong }),
  );
}

/** A text that is made of other columns does not repeat as its own column did. */
function withoutMade(context: ReadingContext, matches: readonly Match[]): Texts {
  const made = new Set(matches.filter(({ transform }) => makesText(transform)).map(({ column }) => column.index));
  return { ...context, repeating: new Set([...context.repeating].filter((index) => !made.has(index))) };
}

function oncePerTextOf(reading: ColumnReading): ColumnReading {
  return { ...reading, value: oncePerText(textName(reading.match), reading.value) };
}

/** A row of which the transform could make no text is unreadable. */
function withLost(reading: ColumnReading): ColumnReading {
  const { match, unreadable: unread } = reading;
  if (!makesText(match.transform)) return reading;
  const lost = `${lostName(match)} IS NOT NULL`;
  return { ...reading, unreadable: unread === 'false' ? lost : `(${unread} OR ${lost})` };
}

/** Name of the trimmed text of a source column inside the reading query. */
export function textName(match: Match): string {
  return `t${match.column.index}`;
}

/** Name of the text from which no text could be made for a column, inside the reading query; NULL where one could. */
export function lostName(match: Match): string {
  return `s${match.column.index}`;
}

/** SQL of the trimmed texts of the mapped columns, blanks as NULL, and of what the transforms could not make a text of. */
export function textsQuery(from: string, readings: readonly Pick<ColumnReading, 'match' | 'manyTexts'>[]): string {
  const texts = readings.flatMap(({ match, manyTexts = false }) => [
    `${(isNumeric(match.field) ? presentTextSql : presentCellSql)(`c${match.column.index}`, manyTexts)} AS ${textName(match)}`,
    ...(makesText(match.transform) ? [lostName(match)] : []),
  ]);
  return `SELECT row_number, line, ${texts.join(', ')} FROM ${from}`;
}

function numberColumn(
  match: Match,
  evidence: NumberEvidence,
  thousands: ReadonlySet<string>,
  context: ReadingContext,
): ColumnReading {
  const { field } = match;
  const { multiply, divide } = match.transform ?? {};
  const fraction = isFraction(match, evidence, context.canonical);
  const scale = match.transform?.scale ?? (thousands.has(field.field) ? 1000 : 1);
  const marked = evidence.marked > 0;
  // Only what some text asks for: each form is an expression that every tape with such a column would plan.
  const reading: NumberReading = {
    plain: evidence.others === 0 && evidence.comma === null,
    scale: scale * (fraction ? 100 : 1),
    percent: field.type === 'percent' && (evidence.percentSigns > 0 || marked),
    european: evidence.comma !== null,
    usual: evidence.unusual === 0 && evidence.comma === null,
    long: evidence.long > 0,
    unit: evidence.unusual > 0 || field.unit === 'years' ? countedUnit(field) : null,
    ranges: field.type === 'integer' && (evidence.ranges > 0 || marked),
    marked,
    ...((multiply ?? divide) !== undefined && { factors: { multiply, divide } }),
    words: numberWords(match),
  };
  const text = textName(match);
  const [{ sentinels }, silent] = [field, silentNumberWords(match)];
  const absent = [
    ...(sentinels.length > 0 ? [sentinelSql(text, sentinels, reading.european)] : []),
    ...(silent.length > 0 ? [`list_contains(${textList(silent)}, ${wordKeySql(text)})`] : []),
  ];
  const missing = absent.length > 0 ? `(${absent.join(' OR ')})` : null;
  const number = numberSql(text, reading);
  const { factors, ...plain } = reading;
  const value = missing ? `CASE WHEN ${missing} THEN NULL ELSE ${number} END` : number;
  const readable = `${missingSql(text)}${missing ? ` OR ${missing}` : ''}`;
  const transform = decidedTransform(match, { ...(scale !== 1 && { scale }), ...(fraction && { unit: 'fraction' as const }) });
  const explanation = explainNumbers(match, evidence, {
    fraction,
    thousands: thousands.has(field.field),
    european: reading.european,
    scale,
  });
  return {
    match,
    value,
    unreadable:
      reading.plain && reading.scale === 1 && !reading.long && !factors ? 'false' : unreadable(field, `NOT (${readable})`),
    transform,
    unfactored: factors && numberSql(text, plain),
    ...explanation,
  };
}

/** Says by what the numbers are multiplied and divided, and how many of them have to be rounded for it. */
async function withFactors(reading: ColumnReading, { engine, from }: ReadingContext): Promise<ColumnReading> {
  const { match, unfactored } = reading;
  const { multiply, divide } = match.transform ?? {};
  if (unfactored === undefined) return reading;
  const numbers = `SELECT ${unfactored} AS number FROM (${textsQuery(from, [reading])})`;
  const rounded = await engine.first<{ count: number }>(
    `SELECT count(CASE WHEN ${isRoundedSql('number', { multiply, divide })} THEN 1 END) AS count FROM (${numbers})`,
  );
  return { ...reading, decisions: [...reading.decisions, explainFactors(match, rounded?.count ?? 0)] };
}

/** SQL that is true where the field has no value although its text is present. */
function unreadable(field: Field, isPresent: string): string {
  return `(${field.field} IS NULL AND ${isPresent})`;
}

/**
 * Percent or fraction, once per column (contract, section 2): a `%` sign decides; else a fraction when at least 95 % of the
 * values are at most 2 and the range of the field goes beyond 3. Where nearly all of them would be beyond that range as fractions, as margins
 * of 0.25 to 2 and the rates of yen are, they are percents.
 */
function isFraction(match: Match, evidence: NumberEvidence, canonical: boolean): boolean {
  if (match.field.type !== 'percent') return false;
  if (match.transform?.unit) return match.transform.unit === 'fraction';
  if (canonical || settlesUnit(match.transform) || evidence.percentSigns > 0 || evidence.numbers === 0) return false;
  // A header that says percent decides, unless every value is a fraction of one.
  if (match.unit?.kind === 'percent' && Number(evidence.max) > 1) return false;
  const max = match.field.range?.max;
  const beyond = typeof max !== 'number' || max > 3;
  return beyond && evidence.atMostTwo >= 0.95 * evidence.numbers && !areNoFractions(evidence);
}

/**
 * Amounts of a mortgage below 1,000 in every row are amounts in thousands. The current balance alone is no evidence (loans
 * are paid down), so it follows the original balance.
 */
function amountsInThousands(matches: readonly Match[], evidence: ReadonlyMap<number, NumberEvidence>): ReadonlySet<string> {
  const small = (name: string) => {
    const match = matches.find((candidate) => candidate.target === name && candidate.field.range?.text.includes('thousands'));
    const counts = match && !settlesUnit(match.transform) ? evidence.get(match.column.index) : undefined;
    return (
      counts !== undefined && counts.numbers > 0 && counts.max !== null && Number(counts.max) < 1000 && Number(counts.max) > 1
    );
  };
  if (!small('original_balance')) return new Set();
  const current = matches.find((match) => match.target === 'current_balance');
  const follows = current && !settlesUnit(current.transform) && Number(evidence.get(current.column.index)?.max ?? 0) < 1000;
  return new Set(['original_balance', ...(follows ? ['current_balance'] : [])]);
}

function countedUnit(field: Field): NumberReading['unit'] {
  if (field.unit === 'months' || field.unit === 'years' || field.unit === 'days') return field.unit;
  return null;
}

/** Words and their numbers from the dictionary, a known source and the user; later ones override earlier ones. */
function numberWords(match: Match): Record<string, string> {
  const entries = [...wordEntries(match)].filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries(entries.filter(([, number]) => /^-?\d+(?:\.\d+)?$/.test(number)));
}

function silentNumberWords(match: Match): string[] {
  return [...wordEntries(match)].filter(([, value]) => value === null).map(([word]) => word);
}

function wordEntries(match: Match): Map<string, string | null> {
  return new Map([...Object.entries(match.field.codes), ...requestedWords(match)]);
}

function requestedWords(match: Match): Map<string, string | null> {
  const requested = Object.entries(match.transform?.values ?? {});
  return new Map(requested.map(([word, value]) => [wordKey(word), value === null ? null : String(value)]));
}

/** How the text of a column is read into a text field. A sealed column has been replaced by tokens; other texts in it are no values. */
export function textColumn(match: Match, context: Pick<ReadingContext, 'idFields'>): ColumnReading {
  const text = textName(match);
  const isToken = match.column.sealed !== undefined && match.tokens === true;
  return {
    match,
    value: isToken
      ? `CASE WHEN ${isTokenSql(text)} THEN ${text} END`
      : withRequestedWords(match, textValue(match, text, context)),
    unreadable: 'false',
    transform: match.transform,
    decisions: [],
    findings: [],
  };
}

function textValue(match: Match, text: string, context: Pick<ReadingContext, 'idFields'>): string {
  if (context.idFields.has(match.target)) return idSql(text);
  if (match.target === 'state') return stateSql(text);
  if (match.target === 'obligor_name') return pseudonymSql(text);
  return stringSql(text);
}

function withRequestedWords(match: Match, value: string): string {
  const branches = [...requestedWords(match)].map(
    ([word, meaning]) => `WHEN ${sqlText(word)} THEN ${meaning === null ? 'NULL' : sqlText(meaning)}`,
  );
  return branches.length === 0 ? value : `CASE ${wordKeySql(textName(match))} ${branches.join(' ')} ELSE ${value} END`;
}

const CANONICAL_DATES: DateReading = {
  formats: [],
  iso: true,
  serial: null,
  timed: false,
  padded: false,
  months: [],
  order: null,
};

/** The notation of each column of dates. A column that does not show whether the day is first is read as the others of its tape. */
async function decideAllDates(
  matches: readonly Match[],
  texts: ReadonlyMap<number, ValueCount[]>,
  { engine, from, canonical }: ReadingContext,
): Promise<Map<Match, DateReading>> {
  const valuesOf = ({ column }: Match) => texts.get(column.index) ?? [];
  const decided = new Map<Match, DateReading>();
  for (const match of matches) {
    const counts = canonical ? undefined : await countOrder(engine, from, match.column.index, valuesOf(match));
    decided.set(match, canonical ? CANONICAL_DATES : decideDates(valuesOf(match), match.transform?.date, counts));
  }
  const order = commonOrder([...decided.values()]);
  if (order === null) return decided;
  for (const [match, reading] of decided) {
    if (!isOrderOpen(reading)) continue;
    const { dayFirst } = order;
    decided.set(match, { ...decideDates(valuesOf(match), undefined, order), order: { dayFirst: dayFirst > 0, basis: 'TAPE' } });
  }
  return decided;
}

function dateColumn(match: Match, values: readonly ValueCount[], reading: DateReading): ColumnReading {
  const text = textName(match);
  const isPresent = `NOT ${missingSql(text)}`;
  return {
    match,
    value: dateSql(text, reading),
    unreadable: unreadable(match.field, isPresent),
    transform: match.transform,
    ...explainDates(match, reading, values),
  };
}

function wordColumn(match: Match, values: readonly ValueCount[]): ColumnReading {
  const coding = match.field.codings.find(({ headers }) => headers.includes(normalizeHeader(match.column.name)));
  const reading = decideWords(values, match.field, requestedWords(match));
  const text = textName(match);
  const silent = silentWords(reading);
  const quiet = silent.length > 0 ? ` OR list_contains(${textList(silent)}, ${text})` : '';
  return {
    match,
    value: wordSql(text, reading, match.field),
    unreadable: unreadable(match.field, `NOT (${missingSql(text)}${quiet})`),
    transform: match.transform,
    ...explainWords(match, reading, coding),
  };
}

function decidedTransform(match: Match, decided: Transform): Transform | undefined {
  const transform = { ...decided, ...match.transform };
  return Object.keys(transform).length > 0 ? transform : undefined;
}
