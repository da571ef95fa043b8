import { dictionary } from '../dictionary/dictionary.ts';
import type { Engine } from '../engine/engine.ts';
import { mapPage, type Page, type PageRequest } from '../../platform/pages.ts';
import { selectRows } from '../engine/select-page.ts';
import { parquet, sqlText } from '../engine/sql.ts';
import type { LoanType } from '../types.ts';

const NUMERIC = new Set(['money', 'percent', 'integer', 'number']);

export type LoanQuery = PageRequest & {
  loansPath: string;
  loanType: LoanType;
  /** Only the loans with this outcome in a run; null: all of them. */
  outcome: { value: string; outcomesPath: string } | null;
};

/** A page of accepted loans in the order of the tape: canonical fields, numbers as numbers, dates as text. */
export async function listLoans(engine: Engine, query: LoanQuery): Promise<Page<Record<string, unknown>>> {
  const numeric = new Set(
    dictionary(query.loanType)
      .filter((field) => NUMERIC.has(field.type))
      .map((field) => field.field),
  );
  const source = { columns: '*', source: relationOf(query), order: [{ by: 'row_number', as: 'bigint' }] } as const;
  const found = await selectRows<Record<string, unknown>>(engine, source, query);
  const withNumbers = (row: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, numeric.has(name) && typeof value === 'string' ? Number(value) : value]),
    );
  return mapPage(found, withNumbers);
}

function relationOf({ loansPath, outcome }: LoanQuery): string {
  const loans = parquet(loansPath);
  if (!outcome) return loans;
  const rows = `select row_number from ${parquet(outcome.outcomesPath)} where outcome = ${sqlText(outcome.value)}`;
  return `(select l.* from ${loans} l semi join (${rows}) o using (row_number))`;
}
