import { columnsOf } from '../engine/columns-of.ts';
import type { Engine } from '../engine/engine.ts';
import { parquet } from '../engine/sql.ts';
import { withNumbers } from '../export/list-loans.ts';
import type { LoanType } from '../types.ts';

const SHOWN = ['current_balance', 'days_past_due', 'interest_rate', 'remaining_term_months'] as const;

type LoanInMonth = { state: string | null } & Record<(typeof SHOWN)[number], number | null>;

/** A loan in the table of its pool after a month; null where the table does not have it. */
export async function loanInMonth(
  engine: Engine,
  {
    loansPath,
    loanType,
    dealNumber,
    rowNumber,
  }: { loansPath: string; loanType: LoanType; dealNumber: number; rowNumber: number },
): Promise<LoanInMonth | null> {
  const present = await columnsOf(engine, loansPath);
  const fields = SHOWN.map((name) => `${present.has(name) ? name : 'NULL'} AS ${name}`);
  const found = await engine.first<LoanInMonth>(
    `SELECT ${present.has('month_state') ? 'month_state' : 'NULL'} AS state, ${fields.join(', ')} FROM ${parquet(loansPath)} ` +
      `WHERE deal_number = ${dealNumber} AND row_number = ${rowNumber}`,
  );
  return found ? (withNumbers(loanType)(found) as LoanInMonth) : null;
}
