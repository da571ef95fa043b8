import type { Field } from '../dictionary/field.ts';
import type { Engine } from '../engine/engine.ts';
import type { Match } from '../mapping/match-columns.ts';
import { settlesUnit } from '../mapping/transform-inputs.ts';
import { sqlText } from '../engine/sql.ts';
import { type OrderCounts, orderCountsSql, type ValueCount } from '../values/date.ts';
import { cellTextSql, missingSql, presentCellSql, presentTextSql, sentinelSql, trimmedSql } from '../values/missing.ts';
import { FOREIGN_CODE, FOREIGN_SIGN, isLong, isMarked, isRange, looksPlain, UNUSUAL_SIGN } from '../values/number.ts';

/** Counts over all texts of a numeric column, from which its reading is decided. */
export type NumberEvidence = {
  /** Texts that are no plain number. */
  others: number;
  /** Those of them with other characters than the digits and marks that most numbers are written with. */
  unusual: number;
  /** Plain numbers, without sentinels. */
  numbers: number;
  atMostTwo: number;
  /** Of those, the ones beside 0, and those that would be beyond the range of the field if they were fractions. */
  small: number;
  beyond: number;
  /** Largest plain number. */
  max: string | null;
  percentSigns: number;
  sentinels: number;
  /** Texts that the fast cast cannot hold exactly. */
  long: number;
  /** Ranges such as `735-739` in a field of whole numbers. */
  ranges: number;
  /** Texts that only make sense with a decimal comma. */
  european: number;
  /** Texts with full-width digits or the marks of a spreadsheet. */
  marked: number;
  /** Amounts in a currency other than the dollar, and one of them. */
  foreign: number;
  foreignText: string | null;
  /** Amounts with an exponent and few digits, such as 1.2E+04. */
  shortened: number;
  /** Amounts with a point, and those of them with three digits behind it. */
  points: number;
  threeBehindPoint: number;
  /** Why the column is read with a decimal comma: its own texts show it, or the other columns of the tape do; else null. */
  comma: 'SHOWN' | 'AS_THE_TAPE' | null;
};

const NO_EVIDENCE: NumberEvidence = {
  others: 0,
  unusual: 0,
  numbers: 0,
  atMostTwo: 0,
  small: 0,
  beyond: 0,
  max: null,
  percentSigns: 0,
  sentinels: 0,
  long: 0,
  ranges: 0,
  european: 0,
  marked: 0,
  foreign: 0,
  foreignText: null,
  shortened: 0,
  points: 0,
  threeBehindPoint: 0,
  comma: null,
};

/** What a spreadsheet leaves of a number in a narrow column. */
const SHORTENED = sqlText('-?\\d(?:\\.\\d{1,3})?[eE]\\+?\\d+');
/** Marks of currencies other than the dollar of the United States. */
const FOREIGN = sqlText(`(?i)${FOREIGN_SIGN}|(?:^|[^A-Z])${FOREIGN_CODE}(?:[^A-Z]|$)`);

/** The relation of the texts of a tape, and its columns whose texts repeat: those are looked at once for each text. */
export type Texts = { engine: Engine; from: string; repeating: ReadonlySet<number>; rowCount: number };

/**
 * One pass over the numeric columns, and one more over each with decimal commas. `12.500` is ambiguous by itself: on a tape where some
 * columns show a decimal comma and none a decimal point, it is read like the others. Key: index of the source column.
 */
export async function countNumbers(
  texts: Texts,
  matches: readonly Match[],
  canonical: boolean,
): Promise<Map<number, NumberEvidence>> {
  if (matches.length === 0) return new Map();
  const evidence = await count(texts, matches, (column) => presentTextSql(column, texts.rowCount > FEW_ROWS));
  const european = (match: Match) => evidence.get(match.column.index)?.european ?? 0;
  if (!matches.some((match) => european(match) > 0)) return evidence;
  const marks = await countMarks(texts.engine, texts.from, matches);
  const noPoint = !canonical && [...marks.values()].every(({ points }) => points === 0);
  for (const match of matches) {
    const { index } = match.column;
    const { points = 0, marked = 0, commas = 0 } = marks.get(index) ?? {};
    const counted = evidence.get(index);
    // Beside numbers that no value of the field has, as rates in basis points are, `1,250` may be thousands after all.
    const isShown = commas > 0 || (european(match) > 0 && isWithin(match.field, counted?.max ?? null));
    const comma = points > 0 ? null : isShown ? 'SHOWN' : noPoint && marked > 0 ? 'AS_THE_TAPE' : null;
    if (counted && points === 0 && !isShown) counted.european = 0;
    const again = comma && (await count(texts, [match], withPoint)).get(index);
    if (again) evidence.set(index, { ...again, european: european(match), comma, foreignText: counted?.foreignText ?? null });
  }
  return evidence;
}

/** The text of a column with `1.234,56` rewritten as `1234.56`. */
function withPoint(column: string): string {
  return `nullif(replace(replace(${trimmedSql(column)}, '.', ''), ',', '.'), '')`;
}

/** Of so many rows planning what is computed of each column takes longer than computing it. */
export const FEW_ROWS = 10_000;

async function count(
  texts: Texts,
  matches: readonly Match[],
  asRead: (column: string) => string,
): Promise<Map<number, NumberEvidence>> {
  const textOf = ({ column: { index } }: Match) => asRead(`c${index}`);
  return texts.rowCount <= FEW_ROWS ? countStacked(texts, matches, textOf) : countByColumn(texts, matches, textOf);
}

/** The texts of all columns that are counted by the same expressions are one column, with the index of their own beside it. */
async function countStacked(
  { engine, from }: Texts,
  matches: readonly Match[],
  textOf: (match: Match) => string,
): Promise<Map<number, NumberEvidence>> {
  const parts = [...Map.groupBy(matches, (match) => aggregates(match, OF_ROWS, '').join()).values()].map((alike) => {
    const stacked = `SELECT unnest([${alike.map(({ column }) => column.index).join(', ')}]) AS source, unnest([${alike.map(textOf).join(', ')}]) AS t FROM ${from}`;
    return `SELECT source, ${aggregates(alike[0], OF_ROWS, '').join(', ')} FROM (${layers(stacked, [[alike[0], '']])}) GROUP BY source`;
  });
  const rows = await engine.rows<Record<string, string | number | null>>(parts.join(' UNION ALL BY NAME '));
  const found = new Map(rows.map((row) => [row.source, row]));
  return new Map(matches.map(({ column: { index } }) => [index, evidenceOf(found.get(index) ?? {}, '')]));
}

async function countByColumn(
  { engine, from, repeating }: Texts,
  matches: readonly Match[],
  textOf: (match: Match) => string,
): Promise<Map<number, NumberEvidence>> {
  const named = (match: Match) => `${textOf(match)} AS t${match.column.index}`;
  const isRepeating = ({ column }: Match) => repeating.has(column.index);
  const others = matches.filter((match) => !isRepeating(match));
  const parts = [
    ...(others.length > 0 ? [counts(`SELECT ${others.map(named).join(', ')} FROM ${from}`, others, OF_ROWS)] : []),
    ...matches
      .filter(isRepeating)
      .map((match) => counts(`SELECT ${named(match)}, count(*) AS texts FROM ${from} GROUP BY ALL`, [match], OF_TEXTS)),
  ];
  const query = `SELECT * FROM ${parts.map((part) => `(${part})`).join(', ')}`;
  const row = (await engine.first<Record<string, string | number | null>>(query)) ?? {};
  return new Map(matches.map((match) => [match.column.index, evidenceOf(row, String(match.column.index))]));
}

/** SQL of how many rows have a value, and of how many a condition is true. */
type Counting = { present(value: string): string; where(condition: string): string };

/** Over rows. A FILTER would copy the whole row for each aggregate. */
const OF_ROWS: Counting = {
  present: (value) => `count(${value})`,
  where: (condition) => `count(CASE WHEN ${condition} THEN 1 END)`,
};

/** Over distinct texts, each with its number of rows in `texts`. */
const OF_TEXTS: Counting = {
  present: (value) => OF_TEXTS.where(`${value} IS NOT NULL`),
  where: (condition) => `CAST(coalesce(sum(CASE WHEN ${condition} THEN texts END), 0) AS BIGINT)`,
};

/** SQL of the counts of some columns over a relation of their texts. */
function counts(relation: string, matches: readonly Match[], counting: Counting): string {
  const named = matches.map((match) => [match, String(match.column.index)] as const);
  return `SELECT ${named.flatMap(([match, name]) => aggregates(match, counting, name)).join(', ')} FROM (${layers(relation, named)})`;
}

/** What the counts of columns are made of beside their texts, whose names end as `t` with the given one does. */
function layers(relation: string, named: readonly (readonly [Match, string])[]): string {
  const plain = named.map(([, name]) => `${plainNumber(name)} AS n${name}`);
  // Columns of their own, since the engine computes what stands in a CASE each time.
  const unusual = named.map(([, name]) => `${unusualText(name)} AS u${name}`);
  const foreign = named.filter(([match]) => isMoney(match)).map(([, name]) => `${foreignText(name)} AS f${name}`);
  return [plain, unusual, foreign].reduce((inner, layer) => `SELECT ${['*', ...layer].join(', ')} FROM (${inner})`, relation);
}

function plainNumber(name: string): string {
  const text = `t${name}`;
  return `CASE WHEN ${looksPlain(text)} THEN TRY_CAST(${text} AS DECIMAL(18,6)) END`;
}

/** The text where it is no plain number and has others than the signs that most such texts have: expressions are dear. */
function unusualText(name: string): string {
  return `CASE WHEN n${name} IS NULL AND regexp_matches(t${name}, '${UNUSUAL_SIGN}') THEN t${name} END`;
}

const isMoney = ({ field }: Match): boolean => field.type === 'money';

/** The text of an amount in another currency. */
function foreignText(name: string): string {
  return `CASE WHEN regexp_matches(u${name}, ${FOREIGN}) THEN t${name} END`;
}

function aggregates(match: Match, { present, where }: Counting, name: string): string[] {
  const [text, number] = [`t${name}`, `n${name}`];
  const { sentinels } = match.field;
  const sentinel = sentinels.length > 0 ? sentinelSql(text, sentinels) : 'false';
  const counted = sentinels.length > 0 ? `${number} IS NOT NULL AND NOT ${sentinel}` : `${number} IS NOT NULL`;
  const percent = match.field.type === 'percent';
  const most = percent ? match.field.range?.max : null;
  const unusual = `u${name}`;
  const count = (figure: string, condition: string) => `${where(condition)} AS ${figure}_${name}`;
  return [
    `${present(text)} - ${present(number)} AS others_${name}`,
    `${present(unusual)} AS unusual_${name}`,
    sentinels.length > 0 ? count('numbers', counted) : `${present(number)} AS numbers_${name}`,
    sentinels.length > 0
      ? `CAST(max(CASE WHEN NOT ${sentinel} THEN ${number} END) AS VARCHAR) AS max_${name}`
      : `CAST(max(${number}) AS VARCHAR) AS max_${name}`,
    ...(sentinels.length > 0 ? [count('sentinels', sentinel)] : []),
    // A currency behind the decimals makes a text as long.
    count('long', `${isLong(text)} AND regexp_matches(${text}, '[.,]\\d{7}|[eE]-')`),
    count('european', showsComma(text, isSmall(match))),
    count('marked', isMarked(unusual)),
    ...(match.field.type === 'integer' ? [count('ranges', isRange(text))] : []),
    ...(percent
      ? [
          count('atMostTwo', `${counted} AND ${number} <= 2`),
          count('small', `${counted} AND ${number} <= 2 AND ${number} <> 0`),
          count('percentSigns', `contains(${text}, '%')`),
        ]
      : []),
    ...(typeof most === 'number' ? [count('beyond', `${counted} AND ${number} <= 2 AND abs(${number}) * 100 > ${most}`)] : []),
    ...(isMoney(match)
      ? [
          `${present(`f${name}`)} AS foreign_${name}`,
          `min(f${name}) AS foreignText_${name}`,
          count('shortened', `(contains(${text}, 'E') OR contains(${text}, 'e')) AND regexp_full_match(${text}, ${SHORTENED})`),
          count('points', `contains(${text}, '.')`),
          count('threeBehindPoint', `contains(${text}, '.') AND ${hasThreeBehindPoint(text, number)}`),
        ]
      : []),
  ];
}

/** Plain numbers have no marks around them, and are told by their bytes; in the others marks of currencies and blanks count for nothing. */
function hasThreeBehindPoint(text: string, number: string): string {
  const marked = `regexp_full_match(${text}, '[^.]*\\.[0-9]{3}[^0-9]*')`;
  return `CASE WHEN ${number} IS NOT NULL THEN strlen(${text}) - instr(${text}, '.') = 3 ELSE ${marked} END`;
}

/** Whether no value of the column has thousands, so that `5,250` is not five thousand: basis points of a rate do. */
const isSmall = ({ field: { range }, unit, transform }: Match): boolean =>
  typeof range?.max === 'number' && range.max < 1000 && (unit === null || unit.kind === 'percent') && !settlesUnit(transform);

const isWithin = ({ range }: Field, number: string | null): boolean =>
  number === null || typeof range?.max !== 'number' || Number(number) <= range.max;

/** `1.234,56`, `12,5` or `0,055`: a comma behind the point, or one comma with digits behind it that are no group of thousands. */
function showsComma(text: string, isSmallField = false): string {
  const alone = isSmallField
    ? `[^,]*,[0-9]+${BEHIND}`
    : `[-+( ]*0,[0-9]+${BEHIND}|[^,]*,(?:[0-9]{1,2}|[0-9]{4,}|[-–—]+)${BEHIND}`;
  return (
    `CASE WHEN NOT contains(${text}, ',') THEN false ` +
    `WHEN contains(${text}, '.') THEN instr(${text}, '.') < instr(${text}, ',') ELSE regexp_full_match(${text}, ${sqlText(alone)}) END`
  );
}

/** What may stand behind the digits of a number. */
const BEHIND = '[ €%)]*';

function decimalPoint(text: string, isSmallField = false): string {
  const behind = isSmallField ? '\\d*\\.\\d*' : '0?\\.\\d+|\\d*\\.(?:\\d{0,2}|\\d{4,})';
  const odd = `NOT contains(${text}, ',') AND regexp_full_match(${text}, '[^0-9]*(?:${behind})[^0-9]*')`;
  return `(contains(${text}, '.') AND (contains(${text}, ',') AND instr(${text}, '.') > instr(${text}, ',') OR ${odd}))`;
}

/** Rows that show by which mark the numbers of a tape are written. */
const ROWS_SEEN = 2_000;
/** Numbers with the marks of money and percent, and months such as `01.2024`, which are none. */
const [NUMBER, MONTH] = [sqlText('[-+(\\s$€£]*\\d[\\d.,]*[-)\\s%$€£]*'), sqlText('\\d{1,2}\\.(?:19|20)\\d{2}')];

/**
 * The decimal mark of a column without a field, and why it is that. Numbers such as `1,250` show none: they are read as the other columns of
 * numbers are, where some show a decimal comma in the first rows and none a decimal point.
 */
export async function decimalComma(
  engine: Engine,
  from: string,
  index: number,
  others: readonly number[],
): Promise<NumberEvidence['comma']> {
  const own = await countShown(engine, from, [index]);
  if (own.points > 0 || own.marked === 0) return null;
  if (own.commas > 0) return 'SHOWN';
  const all = await countShown(engine, `(SELECT * FROM ${from} WHERE row_number <= ${ROWS_SEEN})`, others, true);
  return all.commas > 0 && all.points === 0 ? 'AS_THE_TAPE' : null;
}

/** Texts that show a decimal comma or a decimal point, and all with either mark, in some columns; `numbersOnly` leaves out those that hold other texts. */
async function countShown(engine: Engine, from: string, indices: readonly number[], numbersOnly = false) {
  const count = (condition: string, name: string) => `count(CASE WHEN ${condition} THEN 1 END) AS ${name}`;
  const counts = indices.flatMap((index) => {
    const text = trimmedSql(`c${index}`);
    const isNumber = `regexp_full_match(${text}, ${NUMBER}) AND NOT regexp_full_match(${text}, ${MONTH})`;
    return [
      count(`NOT ${missingSql(text)} AND NOT (${isNumber})`, `texts_${index}`),
      count(showsComma(text), `commas_${index}`),
      count(decimalPoint(text), `points_${index}`),
      count(`contains(${text}, ',') OR contains(${text}, '.')`, `marked_${index}`),
    ];
  });
  const row = (await engine.first<Record<string, number>>(`SELECT ${counts.join(', ')} FROM ${from}`)) ?? {};
  const counted = indices.filter((index) => !numbersOnly || row[`texts_${index}`] === 0);
  const sum = (name: string) => counted.reduce((total, index) => total + (row[`${name}_${index}`] ?? 0), 0);
  return { commas: sum('commas'), points: sum('points'), marked: sum('marked') };
}

/** `commas`: texts that show a decimal comma in a field with thousands too. */
type Marks = { points: number; marked: number; commas: number };

/**
 * Counts texts that indicate a decimal point (`1,234.56`, `0.055`, or a point with other than three digits behind it and no comma at all),
 * and all texts with a comma or a point.
 */
async function countMarks(engine: Engine, from: string, matches: readonly Match[]): Promise<Map<number, Marks>> {
  const counts = matches.flatMap((match) => {
    const { index } = match.column;
    const text = trimmedSql(`c${index}`);
    return [
      `count(CASE WHEN ${decimalPoint(text, isSmall(match))} THEN 1 END) AS points_${index}`,
      `count(CASE WHEN ${showsComma(text)} THEN 1 END) AS commas_${index}`,
      `count(CASE WHEN contains(${text}, ',') OR contains(${text}, '.') THEN 1 END) AS marked_${index}`,
    ];
  });
  const row = (await engine.first<Record<string, number>>(`SELECT ${counts.join(', ')} FROM ${from}`)) ?? {};
  return new Map(
    matches.map(({ column: { index } }) => [
      index,
      { points: row[`points_${index}`] ?? 0, marked: row[`marked_${index}`] ?? 0, commas: row[`commas_${index}`] ?? 0 },
    ]),
  );
}

function evidenceOf(row: Record<string, string | number | null>, name: string): NumberEvidence {
  const entries = Object.entries(NO_EVIDENCE).map(([key, none]) => [key, row[`${key}_${name}`] ?? none]);
  return Object.fromEntries(entries) as NumberEvidence;
}

/** Largest number of distinct texts examined per column, the most common first. */
const DISTINCT_MAX = 20_000;

/** The distinct texts of columns, by their indices, the most common first. They are read beside the statement that runs. */
export async function distinctTexts(
  engine: Engine,
  from: string,
  indices: readonly number[],
): Promise<Map<number, ValueCount[]>> {
  const found = new Map(indices.map((index): [number, ValueCount[]] => [index, []]));
  if (indices.length === 0) return found;
  const columns = indices.map(
    (index) =>
      `(SELECT ${index} AS index, ${presentCellSql(`c${index}`, false)} AS text, count(*) AS count FROM ${from} ` +
      `WHERE c${index} IS NOT NULL GROUP BY ALL HAVING text IS NOT NULL ORDER BY count DESC, text LIMIT ${DISTINCT_MAX})`,
  );
  const query = `SELECT * FROM (${columns.join(' UNION ALL ')}) ORDER BY index, count DESC, text`;
  for await (const batch of engine.stream<ValueCount & { index: number }>(query))
    for (const { index, ...value } of batch) found.get(index)?.push(value);
  return found;
}

/** The order of day and month over all rows, where the column has more distinct texts than were examined. */
export async function countOrder(
  engine: Engine,
  from: string,
  index: number,
  values: readonly ValueCount[],
): Promise<OrderCounts | undefined> {
  if (values.length < DISTINCT_MAX) return undefined;
  return await engine.first<OrderCounts>(`SELECT ${orderCountsSql(cellTextSql(`c${index}`))} FROM ${from}`);
}
