import { writeFile } from 'node:fs/promises';
import { type RowCheck, hasFinding } from '../checks/check.ts';
import type { Roles } from '../dictionary/dictionary.ts';
import { columnType, type Field } from '../dictionary/field.ts';
import type { Engine } from '../engine/engine.ts';
import { copyToParquet, parquet, rowGroupRows, sqlText } from '../engine/sql.ts';

export type LoansFileInput = {
  engine: Engine;
  typedPath: string;
  rowCount: number;
  /** The rows that equal an earlier row; null when there are none. */
  duplicatesPath: string | null;
  /** Row numbers of rows malformed beyond repair. */
  malformed: readonly number[];
  fields: readonly Field[];
  role: Roles;
  present: ReadonlySet<string>;
  /** Field used as the current balance when no column has it. */
  amount: string;
  /** Checks of the rows; a row with the finding of an ERROR cannot serve as a loan. */
  checks: readonly RowCheck[];
  workDir: string;
  path: string;
  signal?: AbortSignal | undefined;
};

/**
 * Writes loans.parquet: the accepted rows in the order of the tape, `row_number, line, loan_id` and every field of the loan type
 * (typed NULLs where nothing fills it). Without a current balance column the amount serves as current_balance.
 */
export async function writeLoansFile(input: LoansFileInput): Promise<void> {
  const where = await acceptedRows(input, `${input.workDir}/malformed.csv`);
  const columns = ['row_number', 'line', ...idColumn(input), ...input.fields.map((field) => fieldColumn(field, input))];
  const query = `SELECT ${columns.join(', ')} FROM ${parquet(input.typedPath)} WHERE ${where}`;
  const groupRows = rowGroupRows(columns.length, input.rowCount);
  await input.engine.run(copyToParquet(query, input.path, '', groupRows), [], input.signal);
}

export type RowsInput = Pick<LoansFileInput, 'engine' | 'typedPath' | 'checks' | 'duplicatesPath' | 'malformed'>;

/** SQL, for the connection of the engine alone, of which rows serve as loans; rows malformed beyond repair are written to a file. */
export async function acceptedRows(input: RowsInput, malformedPath: string): Promise<string> {
  const errors = input.checks.flatMap((check, index) => (check.severity === 'ERROR' ? [index] : []));
  const accepted = `NOT (${hasFinding(...errors)})`;
  const excluded = await excludedRows(input, malformedPath);
  if (excluded === null) return accepted;
  const { engine, typedPath } = input;
  const last = await engine.first<{ row: number | null }>(`SELECT max(row_number) AS row FROM ${parquet(typedPath)}`);
  // A join would not keep the order of the rows, and sorting all of them takes longer.
  await engine.run(`SET VARIABLE excluded = (SELECT bitstring_agg(row_number, 0, ${last?.row ?? 0}) FROM (${excluded}))`);
  return `${accepted} AND get_bit(getvariable('excluded'), row_number) = 0`;
}

async function excludedRows({ duplicatesPath, malformed }: RowsInput, path: string): Promise<string | null> {
  const parts: string[] = [];
  if (duplicatesPath !== null) parts.push(`SELECT row_number FROM ${parquet(duplicatesPath)}`);
  if (malformed.length > 0) {
    await writeFile(path, `${malformed.join('\n')}\n`);
    parts.push(
      `SELECT row_number FROM read_csv(${sqlText(path)}, auto_detect=false, header=false, columns={'row_number': 'INTEGER'})`,
    );
  }
  return parts.length === 0 ? null : parts.join(' UNION ALL ');
}

function idColumn({ role, present }: LoansFileInput): string[] {
  return role.id === 'loan_id' ? [] : [`${idValue(role.id, present)} AS loan_id`];
}

/** Row numbers are the ids when the tape has no id column; a blank among real ids gets a prefix, so that it cannot equal one of them. */
function idValue(id: string, present: ReadonlySet<string>): string {
  return present.has(id) ? `coalesce(${id}, 'row-' || row_number)` : 'CAST(row_number AS VARCHAR)';
}

function fieldColumn(field: Field, { role, present, amount }: LoansFileInput): string {
  if (field.field === role.id) return `${idValue(role.id, present)} AS ${field.field}`;
  if (present.has(field.field)) return field.field;
  if (field.field === role.current) return `${amount} AS ${field.field}`;
  return `CAST(NULL AS ${columnType(field)}) AS ${field.field}`;
}

export type LoanFigures = { accepted: number; total_balance: string; reporting_date: string | null };

/** Count, exact balance and latest reporting date of the accepted loans. */
export async function loanFigures(engine: Engine, path: string, present: ReadonlySet<string>): Promise<LoanFigures> {
  const latest = present.has('reporting_date') ? 'max(reporting_date)' : 'NULL';
  const figures = await engine.first<LoanFigures>(
    'SELECT count(*) AS accepted, CAST(CAST(coalesce(sum(current_balance), 0) AS DECIMAL(38,2)) AS VARCHAR) AS total_balance, ' +
      `CAST(${latest} AS VARCHAR) AS reporting_date FROM ${parquet(path)}`,
  );
  return figures ?? { accepted: 0, total_balance: '0.00', reporting_date: null };
}
