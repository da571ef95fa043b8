import type { Engine } from '../engine/engine.ts';
import { readRawManifest } from '../reading/raw-file.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import { parquet, sqlName } from '../engine/sql.ts';
import { type DateReading, dateSql, decideDates } from '../values/date.ts';
import { countOrder, decimalComma, distinctTexts } from '../ingest/evidence.ts';
import { cellTextSql } from '../values/missing.ts';
import { numberSql, PLAIN_NUMBER } from '../values/number.ts';
import { bareTextSql } from '../values/text.ts';
import type { Compiling } from './compile.ts';
import type { KnownField } from './fields.ts';
import { withDerived } from './derived.ts';
import { fieldColumn } from './operand.ts';

/** The files of a tape version to which rules are applied. */
export interface TapeFiles {
  engine: Engine;
  /** loans.parquet: accepted loans, sorted by row_number, canonical columns. */
  loansPath: string;
  /** raw.parquet with the columns of the source; without `columns` its own manifest is read. */
  raw: {
    path: string /** The sealed values are destroyed. */;
    isDestroyed?: boolean;
    columns?: readonly Pick<RawColumn, 'index' | 'name' | 'normalized'>[];
  };
}

/** A query over the loans with every column that the rules read. */
export interface LoanRelation {
  /** `SELECT row_number, loan_id, current_balance, …`, one row per loan. */
  sql: string;
  /** Whether the rows are in the order of row_number without sorting. */
  ordered: boolean;
  /** Declared columns that this tape does not have; they are missing on every loan. */
  absent: string[];
  /** How declared columns were read where nothing on the tape decides it, a sentence each. */
  assumptions: string[];
}

/** Columns that every relation has, whichever fields the rules read. */
const OWN = ['row_number', 'loan_id', 'current_balance'];

/**
 * The loans of a tape with all columns that the compiled conditions read: dictionary fields as they are, declared columns read from the
 * source text, and derived columns. `only` is a condition on `l.row_number` for a part of them, applied before anything is computed.
 */
export async function loanRelation(files: TapeFiles, context: Compiling, only?: string): Promise<LoanRelation> {
  const relation = await fieldRelation(files, context, only === undefined ? '' : ` WHERE ${only}`);
  if (context.derived === null) return relation;
  const isJoined = context.derived.members.size > 0;
  return { ...relation, sql: withDerived(relation.sql, context.derived), ordered: relation.ordered && !isJoined };
}

async function fieldRelation(files: TapeFiles, { fields: table, used }: Compiling, where: string): Promise<LoanRelation> {
  const fields = [...used].map((name) => table.get(name)).filter((field) => field !== undefined);
  const own = fields.filter((field) => field.header === null && !OWN.includes(field.name));
  const custom = fields.filter((field) => field.header !== null);
  const columns = [...OWN, ...own.map((field) => field.name)].map((name) => `l.${sqlName(name)}`);
  if (custom.length === 0)
    return {
      sql: `SELECT ${columns.join(', ')} FROM ${parquet(files.loansPath)} l${where}`,
      ordered: true,
      absent: [],
      assumptions: [],
    };
  const [absent, assumptions]: [string[], string[]] = [[], []];
  for (const field of custom) {
    const { sql, assumption, isAbsent } = await customColumn(files, field);
    columns.push(`${sql} AS ${fieldColumn(field)}`);
    if (isAbsent) absent.push(field.name);
    if (assumption) assumptions.push(assumption);
  }
  const join = absent.length === custom.length ? '' : ` JOIN ${parquet(files.raw.path)} r ON l.row_number = r.row_number`;
  const sql = `SELECT ${columns.join(', ')} FROM ${parquet(files.loansPath)} l${join}${where}`;
  return { sql, ordered: join === '', absent, assumptions };
}

const SQL_TYPES = { number: 'DECIMAL(18,6)', date: 'DATE', text: 'VARCHAR', boolean: 'BOOLEAN' } as const;

type CustomColumn = { sql: string; assumption?: string | null; isAbsent?: boolean };

async function customColumn(files: TapeFiles, field: KnownField): Promise<CustomColumn> {
  const columns = await rawColumns(files);
  const column = columns.find((candidate) => candidate.normalized === field.header);
  if (!column) return { sql: `CAST(NULL AS ${SQL_TYPES[field.kind]})`, isAbsent: true };
  const text = cellTextSql(`r.c${column.index}`);
  if (field.kind === 'text') return { sql: bareTextSql(text) };
  const { engine } = files;
  const from = parquet(files.raw.path);
  if (field.kind === 'number') {
    const others = columns.map(({ index }) => index);
    const comma = await decimalComma(engine, from, column.index, others);
    const assumption =
      comma === 'AS_THE_TAPE' ? `${field.name}: read with a decimal comma, as other columns of the tape are` : null;
    return { sql: numberSql(text, { ...DECLARED_NUMBER, european: comma !== null }), assumption };
  }
  const values = (await distinctTexts(engine, from, [column.index])).get(column.index) ?? [];
  const reading = decideDates(values, undefined, await countOrder(engine, from, column.index, values));
  return { sql: dateSql(text, reading), assumption: orderAssumed(field.name, reading) };
}

function orderAssumed(name: string, { order }: DateReading): string | null {
  if (order === null || order.basis === 'EVIDENCE') return null;
  const first = order.dayFirst ? 'day first' : 'month first';
  const why =
    order.basis === 'ASSUMED' ? 'no value decides the order' : 'values contradict each other, and the more common order was used';
  return `${name}: dates read ${first}; ${why}`;
}

/** A declared number is read as written: `12.5%` is 12.5; no unit is guessed. */
const DECLARED_NUMBER = { ...PLAIN_NUMBER, percent: true };

async function rawColumns({ engine, raw }: TapeFiles) {
  return raw.columns && raw.columns.length > 0 ? raw.columns : (await readRawManifest(engine, raw.path)).columns;
}
