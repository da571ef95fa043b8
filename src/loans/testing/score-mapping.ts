import { findField } from '../dictionary/dictionary.ts';
import type { Field } from '../dictionary/field.ts';
import { parquet, sqlText } from '../engine/sql.ts';
import type { LoanType } from '../types.ts';
import { formatOfName } from '../reading/file-kind.ts';
import { readRawManifest } from '../reading/raw-file.ts';
import { findSource } from '../reading/source-name.ts';
import { type FieldTruth, type SourceUnit, TAPE_TRUTHS, type TapeTruth } from './tape-truth.ts';
import type { openRoom } from './take-tape.ts';

type Room = Awaited<ReturnType<typeof openRoom>>;
type Taken = Awaited<ReturnType<Room['take']>>;

/** A column that fills a field which it is not; `truth` is the field that it is, or null. */
export type WrongColumn = { column: string; field: string; truth: string | null };

/** What the mapping makes of one tape. */
export type TapeScore = {
  path: string;
  right: number;
  wrong: WrongColumn[];
  /** Fields that have a column on the tape and did not get it. */
  missed: { field: string; columns: readonly string[] }[];
  /** Wrong amounts, rates and dates that no finding names. */
  silent: string[];
};

export type MappingScore = { right: number; wrong: number; missed: number; silent: number; precision: number; recall: number };

/** The files of the published tapes, beside the project. */
export const TAPE_FILES: readonly string[] = TAPE_TRUTHS.map(({ path }) => fileOf(path));

function fileOf(path: string): string {
  return `data/tapes/${path}`;
}

/**
 * Takes each published tape in and compares its mapping, and the values of its amounts, rates and dates, with the truth. `pathOf` finds
 * one of the files.
 */
export async function scoreTapes(room: Room, pathOf: (file: string) => string | null): Promise<TapeScore[]> {
  const scores: TapeScore[] = [];
  for (const truth of TAPE_TRUTHS) {
    const file = pathOf(fileOf(truth.path));
    if (file === null) throw new Error(`${fileOf(truth.path)} is not here`);
    const tape = await room.take({ loanType: truth.loanType, path: file, format: formatOfName(file) });
    scores.push(await scoreOf(room, truth, tape));
  }
  return scores;
}

export function sumOf(scores: readonly TapeScore[]): MappingScore {
  const sum = (count: (score: TapeScore) => number) => scores.reduce((total, score) => total + count(score), 0);
  const [right, wrong] = [sum((score) => score.right), sum((score) => score.wrong.length)];
  const [missed, silent] = [sum((score) => score.missed.length), sum((score) => score.silent.length)];
  return { right, wrong, missed, silent, precision: share(right, right + wrong), recall: share(right, right + missed) };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}

/** Everything that is not right, a line each. */
export function offenders({ path, wrong, missed, silent }: TapeScore): string[] {
  return [
    ...wrong.map(({ column, field, truth }) => `${path}: "${column}" is taken for ${field} and is ${truth ?? 'no field'}`),
    ...missed.map(({ field, columns }) => `${path}: ${field} misses ${columns.map((name) => `"${name}"`).join(' or ')}`),
    ...silent.map((fault) => `${path}: silent: ${fault}`),
  ];
}

async function scoreOf(room: Room, truth: TapeTruth, tape: Taken): Promise<TapeScore> {
  const score: TapeScore = { path: truth.path, right: 0, wrong: [], missed: [], silent: [] };
  const issues = await tape.issues();
  const toldOf = (column: string, field: string) =>
    issues.some((issue) => issue.row_number === null && (issue.column_name === column || issue.field === field));
  const filled = new Set<string>();
  for (const { source, target } of tape.mapping.mappings) {
    const field = fieldOf(truth.loanType, target);
    const right = truth.fields[target];
    if (right?.columns.includes(source)) {
      score.right += 1;
      filled.add(target);
      if (tape.accepted > 0) score.silent.push(...(await wrongValues(room, tape, field, source, right)));
      continue;
    }
    score.wrong.push({ column: source, field: target, truth: ownField(truth, source) });
    if (isSensitive(field) && !toldOf(source, target)) score.silent.push(`"${source}" is taken for ${target}`);
  }
  for (const [field, { columns }] of Object.entries(truth.fields)) if (!filled.has(field)) score.missed.push({ field, columns });
  return score;
}

function fieldOf(loanType: LoanType, name: string): Field {
  const field = findField(loanType, name);
  if (!field) throw new Error(`${loanType} has no field ${name}`);
  return field;
}

function ownField({ fields }: TapeTruth, column: string): string | null {
  return Object.keys(fields).find((field) => fields[field]?.columns.includes(column)) ?? null;
}

/** Fields in which a wrong value is a wrong amount, rate or date. */
function isSensitive({ type }: Field): boolean {
  return type === 'money' || type === 'percent' || type === 'date';
}

/** Values of accepted loans that are not what the text of the tape says in the unit of its source, lost ones too, and that no finding names. */
async function wrongValues(room: Room, tape: Taken, field: Field, source: string, { unit }: FieldTruth): Promise<string[]> {
  if (!isSensitive(field)) return [];
  const column = findSource(source, (await readRawManifest(room.engine, tape.files.raw)).columns);
  if (!column) throw new Error(`the raw file has no column ${source}`);
  const [text, name] = [`trim(raw.c${column.index})`, field.field];
  const expected = field.type === 'date' ? dateOf(text, unit) : numberOf(text, unit);
  const same =
    field.type === 'date'
      ? `loans.${name} = expected`
      : `abs(CAST(loans.${name} AS DOUBLE) - expected) <= 0.000001 * greatest(1, abs(expected))`;
  const [row] = await room.engine.rows<{ wrong: number; example: string | null }>(
    `SELECT count(*) AS wrong, min(concat(text, ' read as ', value)) AS example FROM (` +
      `SELECT loans.row_number AS row_number, ${text} AS text, CAST(loans.${name} AS VARCHAR) AS value, ${expected} AS expected, ` +
      `CASE WHEN expected IS NULL OR loans.${name} IS NULL THEN expected IS NULL AND loans.${name} IS NULL ELSE ${same} END AS same ` +
      `FROM ${parquet(tape.files.loans ?? '')} AS loans JOIN ${parquet(tape.files.raw)} AS raw USING (row_number)) AS read ` +
      `WHERE NOT same AND NOT EXISTS (SELECT 1 FROM ${parquet(tape.files.issues)} AS issues ` +
      `WHERE (issues.field = ${sqlText(name)} OR issues.column_name = ${sqlText(source)}) ` +
      `AND (issues.row_number IS NULL OR issues.row_number = read.row_number))`,
  );
  return row && row.wrong > 0 ? [`"${source}" as ${name}: ${row.wrong} values, ${row.example}`] : [];
}

/** The number in a text in the unit of the field. */
function numberOf(text: string, unit: SourceUnit | undefined): string {
  const times = unit && 'times' in unit ? unit.times : 1;
  return `${times} * TRY_CAST(regexp_replace(${text}, '[$,% ]', '', 'g') AS DOUBLE)`;
}

const DATE_FORMS = { 'MM-DD-YYYY': '%m-%d-%Y', 'MM/DD/YYYY': '%m/%d/%Y', 'YYYY-MM-DD': '%Y-%m-%d' } as const;

function dateOf(text: string, unit: SourceUnit | undefined): string {
  const form = unit && 'dates' in unit ? unit.dates : 'YYYY-MM-DD';
  // A month is its first day.
  if (form === 'MM/YYYY') return `CAST(try_strptime('01/' || ${text}, '%d/%m/%Y') AS DATE)`;
  return `CAST(try_strptime(${text}, '${DATE_FORMS[form]}') AS DATE)`;
}
