import { OBLIGOR_FIELD } from '../dictionary/disclosure.ts';
import type { Engine } from '../engine/engine.ts';
import { parquet, sqlName } from '../engine/sql.ts';
import { tokenOf } from '../export/disclosed-loans.ts';
import type { LoanType } from '../types.ts';
import { MISSING } from './bands.ts';
import { commonColumns } from './columns.ts';
import { joinSmall, OTHER } from './small-groups.ts';

/** A group of the loans of a deal. Balance in cents. */
export type LoanGroup = { name: string; loan_count: number; balance: bigint };

export type ExposureInput = {
  engine: Engine;
  loansPath: string;
  loanType: LoanType;
  /** YYYY-MM-DD. */
  asOf: string;
  field: 'state' | typeof OBLIGOR_FIELD;
  /** Groups of fewer loans are joined with others. */
  least: number;
  /** The key under which obligors are disclosed, hexadecimal. */
  key: string;
};

/** Groups of one deal that have a name of their own: the largest. All others are together. */
const NAMED_MAX = 1_000;

/** The loans of a deal by state or obligor, largest group first. An obligor has the token that is disclosed of it. */
export async function loanGroups({ engine, loansPath, loanType, asOf, field, least, key }: ExposureInput): Promise<LoanGroup[]> {
  const { balance } = commonColumns(loanType, asOf);
  const rows = await engine.rows<{ value: string | null; is_named: boolean; loan_count: number; cents: string }>(
    `WITH g AS (SELECT CAST(${sqlName(field)} AS VARCHAR) AS value, count(*) AS loan_count, CAST(round(sum(${balance}) * 100) AS HUGEINT) AS cents
       FROM ${parquet(loansPath)} GROUP BY ALL),
     r AS (SELECT *, row_number() OVER (ORDER BY cents DESC, value NULLS LAST) <= ${NAMED_MAX} AND loan_count >= ${least} AS is_named FROM g)
     SELECT CASE WHEN is_named THEN value END AS value, is_named, CAST(sum(loan_count) AS BIGINT) AS loan_count, CAST(sum(cents) AS VARCHAR) AS cents
     FROM r GROUP BY ALL ORDER BY sum(cents) DESC, value NULLS LAST`,
  );
  const groups = rows.map(({ value, is_named, loan_count, cents }) => ({
    name: is_named ? nameOf(value, field, key) : OTHER,
    loan_count: Number(loan_count),
    balance: BigInt(cents),
  }));
  return joinSmall(groups, { countOf: ({ loan_count }) => loan_count, ordered: false, least }).map(together);
}

function nameOf(value: string | null, field: ExposureInput['field'], key: string): string {
  if (value === null) return MISSING;
  return field === OBLIGOR_FIELD ? tokenOf(value, key) : value;
}

function together(parts: readonly LoanGroup[]): LoanGroup {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const sum = { name: OTHER, loan_count: 0, balance: 0n };
  for (const { loan_count, balance } of parts) {
    sum.loan_count += loan_count;
    sum.balance += balance;
  }
  return sum;
}
