import { type RowCheck, hasFinding, maskColumns, maskNames, sourceTextColumn } from '../checks/check.ts';
import type { DerivedField } from './derive.ts';
import type { Field } from '../dictionary/field.ts';
import type { Engine } from '../engine/engine.ts';
import { copyToWorkFile, sumSql } from '../engine/sql.ts';
import { IS_MALFORMED } from './malformed-rows.ts';
import { makesText } from '../mapping/transform-inputs.ts';
import { type ColumnReading, lostName, textName, textsQuery } from './column-readings.ts';

export type TypedFileInput = {
  engine: Engine;
  /** The relation of the source texts. */
  from: string;
  path: string;
  fields: readonly Field[];
  readings: readonly ColumnReading[];
  derived: readonly DerivedField[];
  checks: readonly RowCheck[];
  /** Malformed rows are without their values, and the reader's finding says all of them: no check is about them. */
  skipMalformed: boolean;
  signal?: AbortSignal | undefined;
};

/**
 * Writes typed.parquet in one pass over raw.parquet: every row read, in the order of the tape, with `row_number, line`, the mapped
 * and derived fields in their types, a bit per check whose finding the row has, and the source text of a field where a finding shows it.
 */
export async function writeTypedFile(input: TypedFileInput): Promise<void> {
  const { readings, derived, checks, skipMalformed } = input;
  const names = [...readings.map(({ match }) => match.target), ...derived.map(({ field }) => field)];
  const masks = maskNames(checks).map((mask) =>
    skipMalformed ? `CASE WHEN ${IS_MALFORMED} THEN CAST(0 AS BIGINT) ELSE ${mask} END AS ${mask}` : mask,
  );
  const columns = ['row_number', 'line', ...names, ...masks, ...readings.flatMap((reading) => seenText(reading, checks))];
  const flagged = `SELECT *${maskColumns(checks)
    .map((mask) => `, ${mask}`)
    .join('')} FROM (${valuesQuery(input)})`;
  await input.engine.run(copyToWorkFile(`SELECT ${columns.join(', ')} FROM (${flagged})`, input.path), [], input.signal);
}

/** Texts, values, derived values and `unreadable`: a bit per field whose text is present and could not be read. */
export function valuesQuery({
  from,
  fields,
  readings,
  derived,
}: Pick<TypedFileInput, 'from' | 'fields' | 'readings' | 'derived'>): string {
  const values = readings.map(({ match, value }) => `${value} AS ${match.target}`);
  const bits = readings
    .filter(({ unreadable }) => unreadable !== 'false')
    .map(({ match, unreadable }) => `CASE WHEN ${unreadable} THEN ${bitOf(fields, match.target)} ELSE 0 END`);
  const extra = derived.map(({ field, value }) => `${value} AS ${field}`);
  const mask = `CAST(${sumSql(bits)} AS BIGINT) AS unreadable`;
  return `SELECT ${['*', ...extra, mask].join(', ')} FROM (SELECT *, ${values.join(', ')} FROM (${textsQuery(from, readings)}))`;
}

function bitOf(fields: readonly Field[], name: string): string {
  return String(2n ** BigInt(fields.findIndex((field) => field.field === name)));
}

function seenText({ match }: ColumnReading, checks: readonly RowCheck[]): string[] {
  const findings = checks.flatMap((check, index) => (check.field === match.target && !check.actual ? [index] : []));
  if (findings.length === 0) return [];
  const text = makesText(match.transform) ? `coalesce(${textName(match)}, ${lostName(match)})` : textName(match);
  return [`CASE WHEN ${hasFinding(...findings)} THEN ${text} END AS ${sourceTextColumn(match.target)}`];
}
