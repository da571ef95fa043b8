import { dictionary, findField } from '../dictionary/dictionary.ts';
import { isNumeric } from '../dictionary/field.ts';
import type { Engine } from '../engine/engine.ts';
import { mapPage, type Order, type Page, type PageRequest, type SortKey } from '../../platform/pages.ts';
import { selectRows } from '../engine/select-page.ts';
import { parquet, sqlName, sqlText } from '../engine/sql.ts';
import type { LoanType } from '../types.ts';

/** A field of the dictionary by which loans are sorted. */
export type LoanSort = { field: string; desc: boolean };

/** Which loans, in which order, with which fields. */
export type LoanSelection = {
  loansPath: string;
  loanType: LoanType;
  /** Only the loans with this outcome in a run; null: all of them. */
  outcome: { value: string; outcomesPath: string } | null;
  /** Default: the order of the tape. */
  sort?: LoanSort | null;
  /** SQL conditions over the loan table. */
  conditions?: readonly string[];
  /** Fields that are shown beside the row number, all of them by default. */
  fields?: readonly string[] | null;
};

export type LoanQuery = PageRequest & LoanSelection;

/** A page of accepted loans: canonical fields, numbers as numbers, dates as text. */
export async function listLoans(engine: Engine, query: LoanQuery): Promise<Page<Record<string, unknown>>> {
  const { loanType, sort, fields, conditions = [] } = query;
  const order: Order = [...sortKeys(loanType, sort), { by: 'row_number', as: 'bigint' }];
  const columns = fields ? ['row_number', ...fields].map(sqlName).join(', ') : '*';
  const source = { columns, source: relationOf(query), conditions, order, key: 'row_number' } as const;
  const found = await selectRows<Record<string, unknown>>(engine, source, query);
  return mapPage(found, withNumbers(loanType));
}

/** The accepted loan of a row of the tape; null where the row is none. */
export async function findLoan(
  engine: Engine,
  { loansPath, loanType, rowNumber }: Pick<LoanQuery, 'loansPath' | 'loanType'> & { rowNumber: number },
): Promise<Record<string, unknown> | null> {
  const row = await engine.first<Record<string, unknown>>(`SELECT * FROM ${parquet(loansPath)} WHERE row_number = ${rowNumber}`);
  return row ? withNumbers(loanType)(row) : null;
}

/** The loan of an id, or of a row where the loans have no ids of their own; null where the tape does not have it. */
export async function findLoanById(
  engine: Engine,
  { loanId, ...of }: Pick<LoanQuery, 'loansPath' | 'loanType'> & { loanId: string | null; rowNumber: number },
): Promise<Record<string, unknown> | null> {
  if (loanId === null) return await findLoan(engine, of);
  const row = await engine.first<Record<string, unknown>>(
    `SELECT * FROM ${parquet(of.loansPath)} WHERE loan_id = ${sqlText(loanId)} ORDER BY row_number LIMIT 1`,
  );
  return row ? withNumbers(of.loanType)(row) : null;
}

/** SQL of the loans whose id begins with a text, in whatever case. */
export function idStartsWith(text: string): string {
  return `starts_with(upper(loan_id), upper(${sqlText(text)}))`;
}

/** The key of a field by which loans are sorted; loans without a value come last. */
export function sortKeys(loanType: LoanType, sort: LoanSort | null | undefined): SortKey[] {
  const field = sort && findField(loanType, sort.field);
  if (!sort || !field) return [];
  const key = { desc: sort.desc, nulls: 'last' } as const;
  const column = sqlName(field.field);
  // Decimals have six places: as whole numbers they are exact in a position of the list. Multiplied as they are, those of a million would overflow.
  if (isNumeric(field)) return [{ by: `CAST(CAST(${column} AS DECIMAL(38,6)) * 1000000 AS BIGINT)`, as: 'bigint', ...key }];
  if (field.type === 'date') return [{ by: column, as: 'date', ...key }];
  return [{ by: `CAST(${column} AS VARCHAR)`, as: 'text', ...key }];
}

/** The numbers of a row as numbers: the engine gives decimals as text. */
export function withNumbers(loanType: LoanType): (row: Record<string, unknown>) => Record<string, unknown> {
  const numeric = new Set(dictionary(loanType).flatMap((field) => (isNumeric(field) ? [field.field] : [])));
  return (row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, numeric.has(name) && typeof value === 'string' ? Number(value) : value]),
    );
}

/** SQL relation of the loans with the outcome that is asked for. */
export function relationOf({ loansPath, outcome }: Pick<LoanSelection, 'loansPath' | 'outcome'>): string {
  const loans = parquet(loansPath);
  if (!outcome) return loans;
  const rows = `select row_number from ${parquet(outcome.outcomesPath)} where outcome = ${sqlText(outcome.value)}`;
  return `(select l.* from ${loans} l semi join (${rows}) o using (row_number))`;
}
