import { randomBytes } from 'node:crypto';
import { columnType, type Field, isNumeric } from '../dictionary/field.ts';
import { copyToParquet, parquet } from '../engine/sql.ts';
import type { Match } from '../mapping/match-columns.ts';
import { personalData } from '../mapping/personal-data.ts';
import { makesText, transformInputs } from '../mapping/transform-inputs.ts';
import { readRawManifest } from '../reading/raw-file.ts';
import { findSource } from '../reading/source-name.ts';
import type { Mapping, MappingRequest, TapeFinding, Transform } from '../types.ts';
import { type ColumnReading, lostName, textName } from './column-readings.ts';
import type { IngestContext, RunIngestInput } from './ingest-types.ts';
import { matchAgainstTape, type Matched, planTape, type TapePlan } from './plan-tape.ts';
import { setTokenKey } from '../values/token.ts';
import { resealTape } from './seal-columns.ts';
import { valuesQuery } from './typed-file.ts';

export type PreviewInput = IngestContext & {
  rawPath: string;
  /** The sealed values of the tape, in the clear; null or absent where it has none, or none any more. */
  sealedPath?: string | null;
  /** The mapping in force, every column named. */
  before: readonly MappingRequest[];
  after: readonly MappingRequest[];
  /** The loans were sent inline, in canonical units. */
  canonical: boolean;
};

export const CELL_OUTCOMES = ['BECOMES_UNREADABLE', 'BECOMES_MISSING', 'CHANGED', 'UNCHANGED'] as const;

/** One field of one row under both mappings. */
export type PreviewCell = {
  field: string;
  before: string | number | boolean | null;
  after: string | number | boolean | null;
  outcome: (typeof CELL_OUTCOMES)[number];
  /** The text that cannot be read under the new mapping; null where it can or is missing. */
  unreadable_text: string | null;
};

/** What becomes of a field over all rows. */
export type PreviewField = {
  field: string;
  source_before: string | null;
  source_after: string | null;
  transform_after?: Transform;
  /** Rows that will have another value, those that lose it included. */
  changed: number;
  becomes_unreadable: number;
  becomes_missing: number;
  /** Rows without a readable value now that will have one. */
  becomes_readable: number;
  /** Why its values are counted and not shown. */
  withheld: string | null;
};

export type MappingPreview = {
  rows: number;
  fields: PreviewField[];
  sample: { row_number: number; line: number; fields: PreviewCell[] }[];
  /** The mapping that the checks would use, and what they would say of the columns that it touches. */
  mapping: Mapping;
  decisions: string[];
  findings: TapeFinding[];
};

const ROWS_SHOWN = 20;
const TEXT_SHOWN = 200;

/** Reads a tape under two mappings: counts over all rows what becomes of each field that they read differently, and shows some rows. */
export async function previewMapping(input: PreviewInput): Promise<MappingPreview> {
  const manifest = await readRawManifest(input.engine, input.rawPath);
  await setTokenKey(input.engine, input.tokenKey ?? randomBytes(32).toString('hex'));
  const { before: requestsBefore, after: requestsAfter, rawPath, sealedPath = null, ...context } = input;
  const planned = async (tape: Pick<RunIngestInput, 'rawPath' | 'manifest' | 'requests' | 'sealing'>) => {
    const base = { ...context, ...tape };
    const matched = await matchAgainstTape(base);
    return { matched, plan: await planTape(base, matched) };
  };
  const before = await planned({ rawPath, manifest, requests: requestsBefore });
  // The checks would seal the tape anew: other columns may be sealed, and the obligor may be another one.
  const resealed = await resealTape(context, { rawPath, sealedPath }, requestsAfter);
  const after = await planned({ ...resealed, sealing: resealed });
  const touched = touchedFields(before.plan, after.plan);
  const told = {
    mapping: after.plan.mapping,
    decisions: after.plan.decisions.filter((decision) => !before.plan.decisions.includes(decision)),
    findings: after.plan.findings.filter(({ message }) => !before.plan.findings.some((known) => known.message === message)),
  };
  if (touched.length === 0) return { rows: manifest.rowCount, fields: [], sample: [], ...told };
  const path = `${input.outDir}/preview.parquet`;
  await input.engine.run(copyToParquet(bothQuery(before.plan, after.plan, touched), path), [], input.signal);
  const withheld = new Map(touched.map((field) => [field, withheldOf(field, before, after)]));
  return {
    rows: manifest.rowCount,
    fields: await countFields(input, path, touched, { before: before.plan, after: after.plan }, withheld),
    sample: await sampleRows(input, path, touched, after.plan, withheld),
    ...told,
  };
}

type Planned = { matched: Matched; plan: TapePlan };

const readingOf = (plan: TapePlan, field: string) => plan.readings.find(({ match }) => match.target === field);
const derivedOf = (plan: TapePlan, field: string) => plan.derived.find((derived) => derived.field === field);

/** Fields that the two plans read in different ways, and those that are derived from such ones, in the order of the dictionary. */
function touchedFields(before: TapePlan, after: TapePlan): string[] {
  const touched = new Set<string>();
  for (const { field } of after.fields)
    if (readingKey(readingOf(before, field)) !== readingKey(readingOf(after, field))) touched.add(field);
  for (const { field } of after.fields) {
    const [was, is] = [derivedOf(before, field), derivedOf(after, field)];
    const reads = (is ?? was)?.value.split(/\W+/) ?? [];
    if (was?.value !== is?.value || reads.some((name) => touched.has(name))) touched.add(field);
  }
  return after.fields.map(({ field }) => field).filter((field) => touched.has(field));
}

/** Equal for two readings that give the same values. */
function readingKey(reading: ColumnReading | undefined): string | null {
  if (!reading) return null;
  const { formula, split, concat, replace } = reading.match.transform ?? {};
  return JSON.stringify([reading.value, reading.unreadable, formula, split, concat, replace, reading.match.shown]);
}

/** `row_number, line`, and of the n-th field its values `b{n}` and `a{n}`, whether they are unreadable `bu{n}`, `au{n}`, and that text `at{n}`. */
function bothQuery(before: TapePlan, after: TapePlan, touched: readonly string[]): string {
  const side = (plan: TapePlan, name: 'a' | 'b') => {
    const columns = touched.flatMap((field, index) => {
      const reading = readingOf(plan, field);
      const isThere = reading !== undefined || derivedOf(plan, field) !== undefined;
      const type = shownType(plan, field);
      const value = `CAST(${isThere ? field : 'NULL'} AS ${type})`;
      const unreadable = reading ? `coalesce(${reading.unreadable}, false)` : 'false';
      return [
        `${value} AS ${name}${index}`,
        `${unreadable} AS ${name}u${index}`,
        ...(name === 'a'
          ? [`CASE WHEN ${unreadable} THEN left(${reading ? seenText(reading.match) : 'NULL'}, ${TEXT_SHOWN}) END AS at${index}`]
          : []),
      ];
    });
    return `SELECT row_number, line, ${columns.join(', ')} FROM (${valuesQuery(plan)})`;
  };
  return `SELECT a.*, b.* EXCLUDE (row_number, line) FROM (${side(after, 'a')}) a JOIN (${side(before, 'b')}) b ON a.row_number = b.row_number`;
}

/** The type in which a value is shown: its own, a date as text. */
function shownType({ fields }: TapePlan, name: string): string {
  const field = fields.find((each) => each.field === name);
  return !field || field.type === 'date' ? 'VARCHAR' : columnType(field);
}

function seenText(match: Match): string {
  return makesText(match.transform) ? `coalesce(${textName(match)}, ${lostName(match)})` : textName(match);
}

type Side = { becomesUnreadable: string; becomesMissing: string; changed: string; becomesReadable: string };

/** Conditions about the n-th field, over the rows of `bothQuery`. */
function conditions(index: number): Side {
  const [before, after] = [`b${index}`, `a${index}`];
  const isOther = `${before} IS DISTINCT FROM ${after}`;
  return {
    becomesUnreadable: `(au${index} AND NOT bu${index})`,
    becomesMissing: `(${before} IS NOT NULL AND ${after} IS NULL AND NOT au${index})`,
    changed: `(${isOther} OR au${index} <> bu${index})`,
    becomesReadable: `(${before} IS NULL AND ${after} IS NOT NULL)`,
  };
}

async function countFields(
  { engine, signal }: PreviewInput,
  path: string,
  touched: readonly string[],
  plans: { before: TapePlan; after: TapePlan },
  withheld: ReadonlyMap<string, string | null>,
): Promise<PreviewField[]> {
  const counts = touched.flatMap((_, index) =>
    Object.entries(conditions(index)).map(([name, condition]) => `count(CASE WHEN ${condition} THEN 1 END) AS ${name}_${index}`),
  );
  const row = (await engine.first<Record<string, number>>(`SELECT ${counts.join(', ')} FROM ${parquet(path)}`, [], signal)) ?? {};
  return touched.map((field, index) => ({
    field,
    source_before: readingOf(plans.before, field)?.match.source ?? null,
    source_after: readingOf(plans.after, field)?.match.source ?? null,
    ...transformOf(plans.after, field),
    changed: row[`changed_${index}`] ?? 0,
    becomes_unreadable: row[`becomesUnreadable_${index}`] ?? 0,
    becomes_missing: row[`becomesMissing_${index}`] ?? 0,
    becomes_readable: row[`becomesReadable_${index}`] ?? 0,
    withheld: withheld.get(field) ?? null,
  }));
}

function transformOf(plan: TapePlan, field: string): { transform_after?: Transform } {
  const transform = readingOf(plan, field)?.transform;
  return transform ? { transform_after: transform } : {};
}

type Value = string | number | boolean | null;

/** Rows that become unreadable first, then rows that change, then the first of the tape. */
async function sampleRows(
  { engine, signal }: PreviewInput,
  path: string,
  touched: readonly string[],
  { fields }: TapePlan,
  withheld: ReadonlyMap<string, string | null>,
): Promise<MappingPreview['sample']> {
  const any = (name: keyof Side) => touched.map((_, index) => conditions(index)[name]).join(' OR ');
  const rank = `CASE WHEN ${any('becomesUnreadable')} THEN 0 WHEN ${any('changed')} THEN 1 ELSE 2 END`;
  const outcomes = touched.map((_, index) => {
    const { becomesUnreadable, becomesMissing, changed } = conditions(index);
    return `CASE WHEN ${becomesUnreadable} THEN 'BECOMES_UNREADABLE' WHEN ${becomesMissing} THEN 'BECOMES_MISSING' WHEN ${changed} THEN 'CHANGED' ELSE 'UNCHANGED' END AS o${index}`;
  });
  const rows = await engine.rows<Record<string, Value>>(
    `SELECT *, ${outcomes.join(', ')} FROM ${parquet(path)} ORDER BY ${rank}, row_number LIMIT ${ROWS_SHOWN}`,
    [],
    signal,
  );
  return rows.map((row) => ({
    row_number: Number(row.row_number),
    line: Number(row.line),
    fields: touched.map((field, index) => {
      const isShown = withheld.get(field) === null;
      const outcome = CELL_OUTCOMES.find((each) => each === row[`o${index}`]) ?? 'UNCHANGED';
      const known = fields.find((each) => each.field === field);
      const shown = (value: Value | undefined): Value => (isShown ? wireValue(value ?? null, known) : null);
      const text = isShown ? row[`at${index}`] : null;
      return {
        field,
        before: shown(row[`b${index}`]),
        after: shown(row[`a${index}`]),
        outcome,
        unreadable_text: typeof text === 'string' ? text : null,
      };
    }),
  }));
}

/** A value as the loans show it: the engine gives decimals as text. */
function wireValue(value: Value, field: Field | undefined): Value {
  return value !== null && field && isNumeric(field) ? Number(value) : value;
}

/** Why the values of a text field are not shown: they come from a column with data of persons, which the loans do not show as they are now. */
function withheldOf(field: string, ...sides: Planned[]): string | null {
  const sealed = new Set(
    sides.flatMap(({ plan }) => plan.input.manifest.columns.flatMap((column) => (column.sealed ? [column.index] : []))),
  );
  for (const { matched, plan } of sides) {
    const reading = readingOf(plan, field);
    if (!reading || reading.match.tokens || field === 'obligor_name' || reading.match.field.type !== 'string') continue;
    const { columns } = plan.input.manifest;
    const names = [reading.match.source, ...transformInputs(reading.match.transform)];
    for (const column of names.flatMap((name) => findSource(name, columns) ?? [])) {
      if (sealed.has(column.index)) return 'the column is sealed as data of persons';
      const sample = matched.samples[columns.indexOf(column)] ?? { texts: [], distinct: 0 };
      const reason = personalData(column.name, sample, field);
      if (reason !== null) return reason;
    }
  }
  return null;
}
