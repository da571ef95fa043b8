import { findField } from '../dictionary/dictionary.ts';
import { sqlText } from '../engine/sql.ts';
import type { LoanType } from '../types.ts';

/** SQL of the quantities that all loan types have under different names; NULL where a loan has no value. */
export type CommonColumns = {
  /** Current balance; 0 where it is missing. */
  balance: string;
  /** Percent a year. */
  rate: string;
  /** Months to maturity: of the tape, else from the cut-off to the maturity date. Null for cards. */
  remaining: string;
  /** Months since origination: of the tape, else original less remaining term, else from the origination date to the cut-off. */
  age: string;
  original: string;
  originated: string;
  original_balance: string;
  charged_off: string;
  credit_score: string;
  obligor: string;
};

/** Columns of a loan type as of a date, YYYY-MM-DD. */
export function commonColumns(type: LoanType, asOf: string): CommonColumns {
  const has = (field: string) => findField(type, field) !== undefined;
  const first = (fields: readonly string[], as: string) => coalesce(fields.filter(has), as);
  const monthsFrom = (from: string, to: string) => `CAST(datediff('month', ${from}, ${to}) AS DECIMAL(18,6))`;
  const day = `DATE ${sqlText(asOf)}`;
  const originated = first(['origination_date', 'disbursement_date', 'approval_date', 'open_date'], 'DATE');
  const left = coalesce(
    [
      ...(has('remaining_term_months') ? ['remaining_term_months'] : []),
      ...(has('maturity_date') ? [monthsFrom(day, 'maturity_date')] : []),
    ],
    'DECIMAL(18,6)',
  );
  const original = first(['original_term_months'], 'DECIMAL(18,6)');
  const ages = [...(has('loan_age_months') ? ['loan_age_months'] : []), `${original} - ${left}`, monthsFrom(originated, day)];
  const age = coalesce(ages, 'DECIMAL(18,6)');
  return {
    // Wide, since the product of two DECIMAL(18,6) has 18 digits in the engine too.
    balance: 'CAST(coalesce(current_balance, 0) AS DECIMAL(38,6))',
    rate: first(['interest_rate', 'apr'], 'DECIMAL(18,6)'),
    // `greatest` alone would make what is unknown 0.
    remaining: `CASE WHEN ${left} < 0 THEN 0 ELSE ${left} END`,
    age: `CASE WHEN ${age} < 0 THEN 0 ELSE ${age} END`,
    original,
    originated,
    original_balance: first(['original_balance', 'credit_limit'], 'DECIMAL(18,6)'),
    charged_off: first(['charged_off_amount', 'charge_off_amount'], 'DECIMAL(18,6)'),
    credit_score: first(['credit_score', 'owner_credit_score'], 'DECIMAL(18,6)'),
    obligor: first(['obligor_id'], 'VARCHAR'),
  };
}

function coalesce(values: readonly string[], type: string): string {
  if (values.length === 0) return `CAST(NULL AS ${type})`;
  return values.length === 1 ? values[0] : `coalesce(${values.join(', ')})`;
}
