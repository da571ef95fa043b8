import type { Engine } from '../engine/engine.ts';
import { isNumeric } from '../dictionary/field.ts';
import { parquet } from '../engine/sql.ts';
import type { ColumnSample } from '../mapping/content.ts';
import { type Match, requestedMatch } from '../mapping/match-columns.ts';
import { personalData } from '../mapping/personal-data.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import type { LoanType, MappingSuggestion, SampleValue } from '../types.ts';
import { missingSql } from '../values/missing.ts';
import { decideReadings, textName } from './column-readings.ts';
import { valuesQuery } from './typed-file.ts';

type Tape = {
  engine: Engine;
  rawPath: string;
  columns: readonly RawColumn[];
  loanType: LoanType;
  /** In the order of `columns`. */
  samples: readonly ColumnSample[];
  idFields: ReadonlySet<string>;
  /** Rows that are looked at. */
  rows: number;
};

/** Values are shown for so many suggestions: each costs a few short queries, and a tape may be made to have thousands. */
const SUGGESTIONS_MAX = 100;
const VALUES_MAX = 3;
const SHOWN_MAX = 80;

/** Adds to each suggestion what values of its column would read as, had a person asked for it; nothing of columns with personal data. */
export async function withSamples(tape: Tape, suggestions: readonly MappingSuggestion[]): Promise<MappingSuggestion[]> {
  const shown: MappingSuggestion[] = [];
  for (const [index, suggestion] of suggestions.entries()) {
    const { source, target } = suggestion;
    const match = requestedMatch({ source, target }, tape.columns, tape.loanType);
    const position = tape.columns.findIndex((column) => column.index === match?.column.index);
    const sample = tape.samples[position] ?? { texts: [], distinct: 0 };
    const isSealed = match?.column.sealed !== undefined;
    const looks = match ? personalData(match.column.name, sample, match.target) : null;
    const samples_withheld = looks ?? (isSealed ? 'the column is sealed as data of persons' : null);
    const isShown = match !== null && samples_withheld === null && index < SUGGESTIONS_MAX;
    shown.push({ ...suggestion, samples: isShown ? await readSamples(tape, match) : [], samples_withheld });
  }
  return shown;
}

async function readSamples({ engine, rawPath, rows, idFields }: Tape, match: Match): Promise<SampleValue[]> {
  const from = `(SELECT * FROM ${parquet(rawPath)} WHERE row_number <= ${rows})`;
  const context = { engine, from, repeating: new Set<number>(), rowCount: rows, canonical: false, idFields };
  const readings = await decideReadings([match], context);
  const text = textName(match);
  const query =
    `SELECT ${text} AS value, min(${shownValue(match)}) AS reads_as, bool_or(unreadable <> 0) AS unreadable ` +
    `FROM (${valuesQuery({ from, fields: [match.field], readings, derived: [] })}) ` +
    `WHERE NOT ${missingSql(text)} GROUP BY 1 ORDER BY min(row_number) LIMIT ${VALUES_MAX}`;
  const found = await engine.rows<SampleValue>(query);
  return found.map(({ value, reads_as, unreadable }) => ({ value: cut(value), reads_as: reads_as && cut(reads_as), unreadable }));
}

/** SQL of a value of a field as a person reads it: `12.500000` as `12.5`. */
function shownValue({ field, target }: Match): string {
  const value = `CAST(${target} AS VARCHAR)`;
  return isNumeric(field) ? `regexp_replace(${value}, '\\.?0+$', '')` : value;
}

function cut(text: string): string {
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX - 1)}…`;
}
