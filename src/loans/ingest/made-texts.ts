import { tapeFinding } from '../checks/tape-checks.ts';
import { defineFields } from '../dictionary/field.ts';
import type { Engine } from '../engine/engine.ts';
import { sqlText } from '../engine/sql.ts';
import type { Match } from '../mapping/match-columns.ts';
import { type FindSource, sourceFinder } from '../mapping/source-finder.ts';
import { absentInputs, makesText } from '../mapping/transform-inputs.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import type { Ratio, TapeFinding, Transform } from '../types.ts';
import { missingSql, trimmedSql } from '../values/missing.ts';
import { numberSql, PLAIN_NUMBER } from '../values/number.ts';
import { microOfFactor, ratioSql, shownMicro } from '../values/quotient.ts';
import { countNumbers } from './evidence.ts';

/** The texts of a tape as they are read: a relation with the columns of raw.parquet, some of them made by the transforms of the mapping. */
export type MadeTexts = {
  /** SQL of the relation. A made column also has `s{index}`: the text from which none could be made, else NULL. */
  from: string;
  /** Whether any text was made. */
  isMade: boolean;
  decisions: string[];
  findings: TapeFinding[];
};

/** What the text of a column is made of. */
export type TextMatch = Pick<Match, 'column' | 'target' | 'transform'>;

/** `from`: SQL of the relation with the columns as they are. */
type Source = { engine: Engine; from: string; columns: readonly RawColumn[]; matches: readonly Match[] };

/** Makes the texts that the mapping asks for, counts the rows that give none, and says what was done. */
export async function makeTexts(source: Source): Promise<MadeTexts> {
  const made = source.matches.filter(({ transform }) => makesText(transform));
  if (made.length === 0) return { from: source.from, isMade: false, decisions: [], findings: [] };
  const inputs = await decideInputs(source, made);
  const from = `(${madeRelation(`SELECT * FROM ${source.from}`, made, source.columns, inputs)})`;
  const counts = made.map(
    ({ column }) => `count(s${column.index}) AS lost_${column.index}, min(s${column.index}) AS seen_${column.index}`,
  );
  const lost = await source.engine.first<Record<string, number | string | null>>(`SELECT ${counts.join(', ')} FROM ${from}`);
  const told = made.map((match) => {
    const { index } = match.column;
    return tell(match, Number(lost?.[`lost_${index}`] ?? 0), textOf(lost?.[`seen_${index}`]));
  });
  return {
    from,
    isMade: true,
    decisions: told.flatMap(({ decisions }) => decisions),
    findings: told.flatMap(({ findings }) => findings),
  };
}

function textOf(value: string | number | null | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/**
 * The rows of a table with the text that a match reads in `made_key`, for a key of a merge; null when the table lacks a column of it. The
 * key is NULL where no text can be made.
 */
export function withMadeKey(relation: string, match: TextMatch, columns: readonly RawColumn[]): string | null {
  const own = columns.find(({ normalized }) => normalized === match.column.normalized);
  if (!own || absentInputs(match.transform, sourceFinder(columns)).length > 0) return null;
  const made = madeRelation(`SELECT * FROM ${relation}`, [{ ...match, column: own }], columns, new Map());
  return `(SELECT raw.*, key.made_key FROM ${relation} raw JOIN (SELECT row_number, c${own.index} AS made_key FROM (${made})) key USING (row_number))`;
}

type Inputs = ReadonlyMap<number, { european: boolean; marked: boolean }>;

const [INPUT] = defineFields([{ field: 'input', type: 'number', aliases: [], description: 'A column that a formula reads.' }]);

/** How the numbers of the columns are written that formulas read: with a decimal comma, with the marks of a spreadsheet. */
async function decideInputs({ engine, from, columns, matches }: Source, made: readonly Match[]): Promise<Inputs> {
  const names = made.flatMap(({ transform }) => (transform?.formula ? [transform.formula.num, transform.formula.den] : []));
  const find = sourceFinder(columns);
  const read = new Set(names.flatMap((name) => find(name) ?? []));
  if (read.size === 0 || !INPUT) return new Map();
  const base = matches[0];
  const inputs = [...read].flatMap((column) =>
    base ? [{ ...base, source: column.name, column, field: INPUT, unit: null, transform: {} }] : [],
  );
  const evidence = await countNumbers({ engine, from, repeating: new Set(), rowCount: Infinity }, inputs, false);
  return new Map([...evidence].map(([index, { comma, marked }]) => [index, { european: comma !== null, marked: marked > 0 }]));
}

/**
 * A relation with made texts in the place of those of the tape. Every text is made of the columns as they were; each step has a layer of
 * its own, since written out in place they would multiply.
 */
function madeRelation(relation: string, made: readonly TextMatch[], columns: readonly RawColumn[], inputs: Inputs): string {
  const find = sourceFinder(columns);
  const steps = made.map((match) => stepsOf(match, columns, find, inputs));
  // The n-th layers of all columns are one layer: a query of hundreds of them would be slow to plan.
  const depth = Math.max(...steps.map(({ layers }) => layers.length));
  const stacked = Array.from({ length: depth }, (_, level) => steps.flatMap(({ layers }) => layers[level] ?? [])).reduce(
    (inner, layer) => `SELECT *, ${layer.join(', ')} FROM (${inner})`,
    relation,
  );
  const replaced = steps.filter(({ isOwn }) => isOwn).map(({ text }) => text);
  const added = steps.flatMap(({ isOwn, text, seen }) => [...(isOwn ? [] : [text]), seen]);
  const all = replaced.length === 0 ? '*' : `* REPLACE (${replaced.join(', ')})`;
  return `SELECT ${[all, ...added].join(', ')} FROM (${stacked})`;
}

/** The layers that make a text; the text and what it could not be made of, by their names; whether the column is one of the tape. */
type Steps = { layers: string[]; text: string; seen: string; isOwn: boolean };

function stepsOf(
  { transform = {}, column: { index }, target }: TextMatch,
  columns: readonly RawColumn[],
  find: FindSource,
  inputs: Inputs,
): Steps {
  const { formula, split, replace = [] } = transform;
  const layers = formula
    ? formulaLayers(formula, index, find, inputs)
    : [splitLayer(split, index), concatLayer(transform, index, find), ...replaceLayers(replace, index)];
  const last = formula ? `made_${index}` : `text_${index}_${replace.length}`;
  const lost = `lost_${index}`;
  // What the name or id of a person could not be made of is one too.
  const seen =
    target === 'obligor_name' || target === 'obligor_id'
      ? `CASE WHEN ${lost} IS NOT NULL THEN 'a text that is not shown' END`
      : lost;
  const isLonger = replace.length > 0 ? `${last} IS NULL AND text_${index}_0 IS NOT NULL` : 'false';
  return {
    layers,
    text: `CASE WHEN ${lost} IS NULL THEN nullif(trim(${last}), '') END AS c${index}`,
    seen: `coalesce(${seen}, CASE WHEN ${isLonger} THEN 'a text of more than ${MADE_MAX} bytes' END) AS s${index}`,
    isOwn: columns.some((each) => each.index === index),
  };
}

/** `num_5`, `den_5` the numbers; then their quotient as a text, and both texts where there is none although both are present. */
function formulaLayers({ num, den, scale = 1 }: Ratio, index: number, find: FindSource, inputs: Inputs): string[] {
  const part = (name: string) => {
    const column = find(name);
    const text = column ? trimmedSql(`c${column.index}`) : 'CAST(NULL AS VARCHAR)';
    const written = column ? inputs.get(column.index) : undefined;
    return { text, number: numberSql(text, { ...PLAIN_NUMBER, percent: true, ...written }) };
  };
  const [top, bottom] = [part(num), part(den)];
  const present = `NOT ${missingSql(top.text)} AND NOT ${missingSql(bottom.text)}`;
  return [
    `${top.number} AS num_${index}, ${bottom.number} AS den_${index}`,
    `${shownMicro(ratioSql(`num_${index}`, `den_${index}`, microOfFactor(scale)))} AS made_${index}`,
    `CASE WHEN made_${index} IS NULL AND ${present} THEN ${top.text} || ' / ' || ${bottom.text} END AS lost_${index}`,
  ];
}

/** `part_5`: the part of the text, or all of it; `unsplit_5`: the text where it has no such part. */
function splitLayer(split: Transform['split'], index: number): string {
  const text = trimmedSql(`c${index}`);
  if (!split) return `${text} AS part_${index}, CAST(NULL AS VARCHAR) AS unsplit_${index}`;
  const parts = `string_split(${text}, ${sqlText(split.separator)})`;
  const isThere = `len(${parts}) >= ${Math.abs(split.part)}`;
  return (
    `CASE WHEN ${missingSql(text)} THEN NULL WHEN ${isThere} THEN trim(${parts}[${split.part}]) END AS part_${index}, ` +
    `CASE WHEN ${missingSql(text)} OR ${isThere} THEN NULL ELSE ${text} END AS unsplit_${index}`
  );
}

/** `text_5_0`: the part with the texts of further columns behind it; `lost_5`: what is there where a part is not. */
function concatLayer({ concat }: Transform, index: number, find: FindSource): string {
  if (!concat) return `part_${index} AS text_${index}_0, unsplit_${index} AS lost_${index}`;
  const others = concat.columns.map((name) => {
    const column = find(name);
    return column ? trimmedSql(`c${column.index}`) : 'CAST(NULL AS VARCHAR)';
  });
  const parts = [`part_${index}`, ...others].map((text) => `CASE WHEN ${missingSql(text)} THEN NULL ELSE ${text} END`);
  const separator = sqlText(concat.separator ?? ' ');
  const joined = `nullif(concat_ws(${separator}, ${parts.join(', ')}), '')`;
  const gaps = `concat_ws(${separator}, ${parts.map((part) => `coalesce(${part}, '')`).join(', ')})`;
  const isPartial = parts.map((part) => `(${part}) IS NULL`).join(' OR ');
  const partial = concat.skip_blank ? 'NULL' : `CASE WHEN ${joined} IS NOT NULL AND (${isPartial}) THEN ${gaps} END`;
  return `${joined} AS text_${index}_0, coalesce(unsplit_${index}, ${partial}) AS lost_${index}`;
}

/** A text that a replacement lengthens may have so many bytes: a chain of them could fill the memory otherwise. */
const MADE_MAX = 4_000;

function replaceLayers(pairs: NonNullable<Transform['replace']>, index: number): string[] {
  return pairs.map(({ find, with: by }, step) => {
    const text = `text_${index}_${step}`;
    const replaced = `replace(${text}, ${sqlText(find)}, ${sqlText(by)})`;
    const growth = Buffer.byteLength(by) - Buffer.byteLength(find);
    const found = `(strlen(${text}) - strlen(replace(${text}, ${sqlText(find)}, ''))) // ${Buffer.byteLength(find)}`;
    const bounded =
      growth <= 0 ? replaced : `CASE WHEN strlen(${text}) + ${growth} * (${found}) <= ${MADE_MAX} THEN ${replaced} END`;
    return `${bounded} AS text_${index}_${step + 1}`;
  });
}

/** What was done to the texts of a column, in words, and the rows of which no text could be made. */
function tell(match: Match, lost: number, seen: string | null): Pick<MadeTexts, 'decisions' | 'findings'> {
  const name = `"${match.source}"`;
  const decisions = describe(match.transform ?? {}).map((words) => `${name}: ${words}, as the mapping says`);
  if (lost === 0) return { decisions, findings: [] };
  const message = `${name}: ${lost} rows give no ${match.target}, ${reasonOf(match.transform ?? {})}; they count as missing`;
  const finding = tapeFinding('TRANSFORM_INCOMPLETE', `${message}. Correct them, or change the transform in the mapping`, {
    field: match.target,
    column: match.source,
    actual: seen === null || seen.length <= 200 ? seen : `${seen.slice(0, 200)}…`,
    expected: describe(match.transform ?? {}).join(', '),
  });
  return { decisions: [...decisions, message], findings: [finding] };
}

function describe({ formula, split, concat, replace = [] }: Transform): string[] {
  const scale = formula?.scale === undefined ? '' : ` × ${formula.scale}`;
  const behind = concat?.columns.map((column) => `"${column}"`).join(' and ');
  return [
    ...(formula ? [`computed as "${formula.num}" / "${formula.den}"${scale}, rounded half-even to six decimals`] : []),
    ...(split ? [`split at "${split.separator}", part ${split.part} is read`] : []),
    ...(concat
      ? [`joined with ${behind} by "${concat.separator ?? ' '}"${concat.skip_blank ? ', blank ones left out' : ''}`]
      : []),
    ...replace.map(({ find, with: by }) => `"${find}" is replaced by "${by}"`),
  ];
}

function reasonOf({ formula, split, concat }: Transform): string {
  if (formula) return `because "${formula.den}" is zero there, or one of the two is no number`;
  const reasons = [
    ...(split ? [`because they have no part ${split.part} when split at "${split.separator}"`] : []),
    ...(concat && !concat.skip_blank ? ['because one of the joined columns is blank there'] : []),
  ];
  return reasons.join(' or ') || `because their text would have more than ${MADE_MAX} bytes`;
}
