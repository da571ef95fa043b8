import { normalizeHeader } from '../dictionary/dictionary.ts';
import type { Field } from '../dictionary/field.ts';

/** A field that no column fills and that is computed from others. `value` is SQL over those fields. */
export type DerivedField = { field: string; value: string; decision: string };

/** A field and the header of its column. */
type Matched = { target: string; column: { normalized: string } };

/** Stands among the facts where the header of the id is an alias of the number of the contract. */
const CONTRACT_ID = 'loan_id as contract_number';

/** The fields that can be derived from the matched ones. */
export function derivedFields(fields: readonly Field[], matches: readonly Matched[]): DerivedField[] {
  const mapped = new Set(matches.map(({ target }) => target));
  const facts = new Set([...mapped, ...(isContractId(fields, matches) ? [CONTRACT_ID] : [])]);
  return fields.flatMap((field) => {
    if (field.derive === null || mapped.has(field.field)) return [];
    const derivation = DERIVATIONS[field.derive];
    if (!derivation.needs.every((need) => facts.has(need))) return [];
    return [{ field: field.field, value: derivation.value, decision: `${field.field}: ${derivation.decision}` }];
  });
}

function isContractId(fields: readonly Field[], matches: readonly Matched[]): boolean {
  const id = matches.find(({ target }) => target === 'loan_id');
  const aliases = fields.find(({ field }) => field === 'contract_number')?.aliases ?? [];
  return id !== undefined && aliases.some((alias) => normalizeHeader(alias) === id.column.normalized);
}

/**
 * `numerator / denominator × 100` rounded half-even to six places, exact: both are taken as integers of millionths, so that no
 * digit passes through binary floating point. NULL where the denominator is not positive.
 */
function percentOf(numerator: string, denominator: string): string {
  const shifted = `CAST(CAST(${numerator} AS DECIMAL(38,6)) * 1000000 AS HUGEINT) * 100000000`;
  const divisor = `CAST(CAST(${denominator} AS DECIMAL(38,6)) * 1000000 AS HUGEINT)`;
  const twice = `2 * (${shifted} % ${divisor})`;
  const up = `CASE WHEN ${twice} > ${divisor} OR (${twice} = ${divisor} AND (${shifted} // ${divisor}) % 2 = 1) THEN 1 ELSE 0 END`;
  const millionths = `CAST(${shifted} // ${divisor} + ${up} AS DECIMAL(24,0))`;
  const guard = `${denominator} > 0 AND ${numerator} >= 0 AND ${numerator} / ${denominator} < 1000000`;
  return `CASE WHEN ${guard} THEN TRY_CAST(${millionths} * CAST(0.000001 AS DECIMAL(7,6)) AS DECIMAL(18,6)) END`;
}

const DERIVATIONS = {
  LTV: {
    needs: ['original_balance', 'vehicle_value'],
    value: percentOf('original_balance', 'vehicle_value'),
    decision: 'derived as original_balance / vehicle_value × 100, since no column gives it',
  },
  UTILIZATION: {
    needs: ['current_balance', 'credit_limit'],
    value: percentOf('current_balance', 'credit_limit'),
    decision: 'derived as current_balance / credit_limit × 100, since no column gives it (missing for credit balances)',
  },
  DAYS_PAST_DUE: {
    needs: ['loan_status'],
    value:
      "CAST(CASE loan_status WHEN 'CURRENT' THEN 0 WHEN 'PAID' THEN 0 WHEN 'GRACE' THEN 1 WHEN 'LATE_16_30' THEN 16 " +
      "WHEN 'LATE_31_120' THEN 31 WHEN 'DEFAULT' THEN 121 WHEN 'CHARGED_OFF' THEN 150 END AS DECIMAL(18,6))",
    decision:
      'derived from loan_status as its lowest day count (CURRENT and PAID 0, GRACE 1, LATE_16_30 16, LATE_31_120 31, DEFAULT 121, CHARGED_OFF 150)',
  },
  OBLIGOR: {
    needs: ['obligor_name'],
    value: 'obligor_name',
    decision: 'the pseudonym of obligor_name serves, since no column gives it',
  },
  CONTRACT_NUMBER: {
    // Only a column that is headed as the number of the contract has it; what else is called an id is the lender's own.
    needs: [CONTRACT_ID],
    value: 'loan_id',
    decision: 'the column of loan_id is headed as the number of the contract, so it serves as both',
  },
} as const;
