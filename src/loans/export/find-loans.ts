import type { Engine } from '../engine/engine.ts';
import { parquet } from '../engine/sql.ts';
import { idStartsWith } from './list-loans.ts';

export type FoundLoan = { row_number: number; loan_id: string };

/** The first loans of a tape whose id begins with a text, in whatever case. */
export function findLoansById(engine: Engine, loansPath: string, text: string, most: number): Promise<FoundLoan[]> {
  return engine.rows<FoundLoan>(
    `SELECT row_number, loan_id FROM ${parquet(loansPath)} WHERE ${idStartsWith(text)} ORDER BY row_number LIMIT ${most}`,
  );
}
