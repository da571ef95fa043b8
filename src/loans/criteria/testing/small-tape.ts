import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dictionary } from '../../dictionary/dictionary.ts';
import type { FieldType } from '../../dictionary/field.ts';
import { type Engine, openEngine } from '../../engine/engine.ts';
import { sqlName, sqlText } from '../../engine/sql.ts';
import { normalizeHeader } from '../../reading/header.ts';
import type { LoanType } from '../../types.ts';
import { microText, toMicro } from '../decimal.ts';

export type LoanValues = Record<string, string | number | boolean | null>;

/** A tape of literal loans: loans.parquet and raw.parquet as an ingest writes them, in a directory that is deleted with it. */
export interface SmallTape extends AsyncDisposable {
  engine: Engine;
  loansPath: string;
  raw: { path: string; columns: { index: number; name: string; normalized: string }[] };
  outDir: string;
}

/** Writes literal loans as a tape. `source` holds the text of source columns by header; loans without an id are `L1`, `L2`, … */
export async function smallTape(
  type: LoanType,
  loans: readonly LoanValues[],
  source: readonly Record<string, string | null>[] = [],
): Promise<SmallTape> {
  const outDir = await mkdtemp(join(tmpdir(), 'criteria-'));
  const engine = await openEngine({ workDir: outDir, allowedDirectories: [outDir], threads: 1 });
  const loansPath = `${outDir}/loans.parquet`;
  const fields = dictionary(type).filter(({ field }) => field !== 'loan_id');
  const columns = fields.map(
    ({ field, type: kind }) =>
      (loan: LoanValues) =>
        `${literal(loan[field] ?? null, kind)} AS ${sqlName(field)}`,
  );
  const rows = loans.map((loan, index) => {
    const own = [
      `${index + 1} AS row_number`,
      `${index + 2} AS line`,
      `${sqlText(String(loan.loan_id ?? `L${index + 1}`))} AS loan_id`,
    ];
    return `SELECT ${[...own, ...columns.map((column) => column(loan))].join(', ')}`;
  });
  await engine.run(`COPY (${rows.join(' UNION ALL ')} ORDER BY row_number) TO ${sqlText(loansPath)} (FORMAT parquet)`);
  const raw = await writeSource(engine, outDir, loans, source);
  return {
    engine,
    loansPath,
    raw,
    outDir,
    async [Symbol.asyncDispose]() {
      await engine.close();
      await rm(outDir, { recursive: true, force: true });
    },
  };
}

async function writeSource(
  engine: Engine,
  outDir: string,
  loans: readonly LoanValues[],
  source: readonly Record<string, string | null>[],
) {
  const path = `${outDir}/raw.parquet`;
  const names = [...new Set(['note', ...source.flatMap((row) => Object.keys(row))])];
  const rows = loans.map((_, index) => {
    const cells = names.map((name, column) => `CAST(${textOrNull(source[index]?.[name] ?? null)} AS VARCHAR) AS c${column}`);
    return `SELECT ${[`${index + 1} AS row_number`, `${index + 2} AS line`, ...cells].join(', ')}`;
  });
  await engine.run(`COPY (${rows.join(' UNION ALL ')} ORDER BY row_number) TO ${sqlText(path)} (FORMAT parquet)`);
  return {
    path,
    columns: names.map((name, index) => ({ index, name, normalized: normalizeHeader(name) })),
  };
}

const SQL_TYPES: Partial<Record<FieldType, string>> = { string: 'VARCHAR', enum: 'VARCHAR', date: 'DATE', boolean: 'BOOLEAN' };

function literal(value: string | number | boolean | null, type: FieldType): string {
  const sqlType = SQL_TYPES[type] ?? 'DECIMAL(18,6)';
  if (value === null) return `CAST(NULL AS ${sqlType})`;
  const text = sqlType === 'DECIMAL(18,6)' ? microText(toMicro(String(value))) : String(value);
  return `CAST(${sqlText(text)} AS ${sqlType})`;
}

function textOrNull(text: string | null): string {
  return text === null ? 'NULL' : sqlText(text);
}
