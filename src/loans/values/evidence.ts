import type { Engine } from '../engine.ts';
import type { Match } from '../mapping/match-columns.ts';
import { parquet, textList } from '../sql.ts';
import type { ValueCount } from './date.ts';
import { sentinelForms, trimmedSql } from './missing.ts';
import { isLong, isRange, looksPlain } from './number.ts';

/** What the texts of a numeric column show, counted over every row. */
export type NumberEvidence = {
  /** Plain numbers, sentinels left out. */
  numbers: number;
  atMostTwo: number;
  /** Largest plain number. */
  max: string | null;
  percentSigns: number;
  sentinels: number;
  /** Texts that the fast cast cannot hold exactly. */
  long: number;
  /** Ranges such as `735-739` in a field of whole numbers. */
  ranges: number;
  /** Texts that only make sense with a decimal comma, and with a decimal point. */
  european: number;
  american: number;
};

const EVIDENCE_KEYS = ['numbers', 'atMostTwo', 'max', 'percentSigns', 'sentinels', 'long', 'ranges', 'european'] as const;

/** One pass over the numeric columns. Key: index of the source column. */
export async function countNumbers(
  engine: Engine,
  rawPath: string,
  matches: readonly Match[],
): Promise<Map<number, NumberEvidence>> {
  if (matches.length === 0) return new Map();
  const texts = matches.map((match) => `nullif(${trimmedSql(`c${match.column.index}`)}, '') AS t${match.column.index}`);
  const plain = matches.map((match) => `${plainNumber(match)} AS n${match.column.index}`);
  const query =
    `SELECT ${matches.flatMap(aggregates).join(', ')} FROM (SELECT *, ${plain.join(', ')} FROM ` +
    `(SELECT ${texts.join(', ')} FROM ${parquet(rawPath)}))`;
  const row = (await engine.first<Record<string, string | number | null>>(query)) ?? {};
  const evidence = new Map(matches.map((match) => [match.column.index, evidenceOf(row, match.column.index)]));
  for (const [index, counts] of evidence) if (counts.european > 0) counts.american = await countAmerican(engine, rawPath, index);
  return evidence;
}

function plainNumber(match: Match): string {
  const text = `t${match.column.index}`;
  return `CASE WHEN ${looksPlain(text)} THEN TRY_CAST(${text} AS DECIMAL(18,6)) END`;
}

function aggregates(match: Match): string[] {
  const index = match.column.index;
  const [text, number] = [`t${index}`, `n${index}`];
  const forms = match.field.sentinels.flatMap(sentinelForms);
  const sentinel = forms.length > 0 ? `list_contains(${textList(forms)}, ${text})` : 'false';
  const counted = forms.length > 0 ? `${number} IS NOT NULL AND NOT ${sentinel}` : `${number} IS NOT NULL`;
  const percent = match.field.type === 'percent';
  // a FILTER would copy the whole row for each of the aggregates
  const count = (name: string, condition: string | null) =>
    condition === null ? `0 AS ${name}_${index}` : `count(CASE WHEN ${condition} THEN 1 END) AS ${name}_${index}`;
  return [
    forms.length > 0 ? count('numbers', counted) : `count(${number}) AS numbers_${index}`,
    count('atMostTwo', percent ? `${counted} AND ${number} <= 2` : null),
    forms.length > 0
      ? `CAST(max(CASE WHEN NOT ${sentinel} THEN ${number} END) AS VARCHAR) AS max_${index}`
      : `CAST(max(${number}) AS VARCHAR) AS max_${index}`,
    count('percentSigns', percent ? `contains(${text}, '%')` : null),
    count('sentinels', forms.length > 0 ? sentinel : null),
    count('long', isLong(text)),
    count('ranges', match.field.type === 'integer' ? isRange(text) : null),
    count('european', decimalComma(text)),
  ];
}

/** `1.234,56` or `12,5`: a comma behind the point, or one with other than three digits behind it. */
function decimalComma(text: string): string {
  const tail = `strlen(rtrim(${text}, ' €%)')) - instr(${text}, ',')`;
  const alone = `NOT contains(${text}, '.') AND NOT contains(${text}[instr(${text}, ',') + 1:], ',') AND ${tail} IN (1, 2)`;
  return `contains(${text}, ',') AND (contains(${text}, '.') AND instr(${text}, '.') < instr(${text}, ',') OR ${alone})`;
}

/** What speaks for a decimal point: `1,234.56`, or a point with other than three digits behind it and no comma at all. */
async function countAmerican(engine: Engine, rawPath: string, index: number): Promise<number> {
  const text = trimmedSql(`c${index}`);
  const odd = `NOT contains(${text}, ',') AND regexp_full_match(${text}, '[^0-9]*\\d*\\.(?:\\d{0,2}|\\d{4,})[^0-9]*')`;
  const row = await engine.first<{ count: number }>(
    `SELECT count(*) AS count FROM ${parquet(rawPath)} WHERE contains(${text}, '.') ` +
      `AND (contains(${text}, ',') AND instr(${text}, '.') > instr(${text}, ',') OR ${odd})`,
  );
  return row?.count ?? 0;
}

function evidenceOf(row: Record<string, string | number | null>, index: number): NumberEvidence {
  const entries = EVIDENCE_KEYS.map((key) => [key, row[`${key}_${index}`] ?? null]);
  return { ...Object.fromEntries(entries), american: 0 } as NumberEvidence;
}

/** Distinct texts examined of one column; beyond it the rarest are not looked at. */
const DISTINCT_MAX = 20_000;

/** The distinct texts of a column, the commonest first. */
export async function distinctTexts(engine: Engine, rawPath: string, index: number): Promise<ValueCount[]> {
  return await engine.rows<ValueCount>(
    `SELECT nullif(${trimmedSql(`c${index}`)}, '') AS text, count(*) AS count FROM ${parquet(rawPath)} ` +
      `WHERE c${index} IS NOT NULL GROUP BY 1 HAVING text IS NOT NULL ORDER BY count DESC, text LIMIT ${DISTINCT_MAX}`,
  );
}
