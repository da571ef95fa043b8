import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dictionary } from '../../dictionary/dictionary.ts';
import { columnType } from '../../dictionary/field.ts';
import { type Engine, openEngine } from '../../engine/engine.ts';
import { copyToParquet, sqlText } from '../../engine/sql.ts';
import type { LoanType } from '../../types.ts';

export type LoanCells = Record<string, string | number | boolean | null>;

/** An engine and a directory for loan files, which go with it. */
export interface LoanFiles extends AsyncDisposable {
  engine: Engine;
  dir: string;
  /** Writes literal loans as a loan table; a loan without an id is `L1`, `L2`, … */
  write(type: LoanType, loans: readonly LoanCells[]): Promise<string>;
}

export async function openLoanFiles(): Promise<LoanFiles> {
  const dir = await mkdtemp(join(tmpdir(), 'loan-files-'));
  const engine = await openEngine({ workDir: dir, allowedDirectories: [], threads: 1 });
  let count = 0;
  return {
    engine,
    dir,
    async write(type, loans) {
      count += 1;
      const path = join(dir, `loans-${count}.parquet`);
      const rows =
        loans.length === 0
          ? `${loanSql(type, {}, 0)} LIMIT 0`
          : loans.map((loan, index) => loanSql(type, loan, index)).join(' UNION ALL ');
      await engine.run(copyToParquet(rows, path));
      return path;
    },
    async [Symbol.asyncDispose]() {
      await engine.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function loanSql(type: LoanType, loan: LoanCells, index: number): string {
  const row = loan.row_number ?? index + 1;
  const own = [`${Number(row)} AS row_number`, `${sqlText(String(loan.loan_id ?? `L${index + 1}`))} AS loan_id`];
  const deal = loan.deal_id === undefined ? [] : [`${sqlText(String(loan.deal_id))} AS deal_id`];
  const fields = dictionary(type).filter(({ field }) => field !== 'loan_id');
  const cells = fields.map((field) => {
    const value = loan[field.field] ?? null;
    return `CAST(${value === null ? 'NULL' : sqlText(String(value))} AS ${columnType(field)}) AS "${field.field}"`;
  });
  return `SELECT ${[...own, ...deal, ...cells].join(', ')}`;
}
