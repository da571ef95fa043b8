import { columnsOf } from '../../loans/engine/columns-of.ts';
import type { Engine } from '../../loans/engine/engine.ts';
import { parquet } from '../../loans/engine/sql.ts';
import { withNumbers } from '../../loans/export/list-loans.ts';
import type { LoanType } from '../../loans/types.ts';

/** Where a loan stands in a file, which is no part of it. */
const PLACE = new Set(['row_number', 'line']);

/** The fields of a loan that differ between two versions; none where one of them does not have it. */
export function changesOf(
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
): { field: string; before: unknown; after: unknown }[] {
  if (!before || !after) return [];
  return Object.keys({ ...before, ...after })
    .filter((field) => !PLACE.has(field) && (before[field] ?? null) !== (after[field] ?? null))
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }));
}

const SHOWN = ['current_balance', 'days_past_due', 'interest_rate', 'remaining_term_months'] as const;

type LoanMonth = { state: string | null } & Record<(typeof SHOWN)[number], number | null>;

/** A loan in the table of its pool after a month; null where the table does not have it. */
export async function monthOf(
  engine: Engine,
  {
    loansPath,
    loanType,
    dealNumber,
    rowNumber,
  }: { loansPath: string; loanType: LoanType; dealNumber: number; rowNumber: number },
): Promise<LoanMonth | null> {
  const present = await columnsOf(engine, loansPath);
  const fields = SHOWN.map((name) => `${present.has(name) ? name : 'NULL'} AS ${name}`);
  const found = await engine.first<LoanMonth>(
    `SELECT ${present.has('month_state') ? 'month_state' : 'NULL'} AS state, ${fields.join(', ')} FROM ${parquet(loansPath)} ` +
      `WHERE deal_number = ${dealNumber} AND row_number = ${rowNumber}`,
  );
  return found ? (withNumbers(loanType)(found) as LoanMonth) : null;
}
