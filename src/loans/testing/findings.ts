import { dictionary, roles } from '../dictionary/dictionary.ts';
import { columnType } from '../dictionary/field.ts';
import type { TapeFacts } from '../checks/check.ts';
import { checksOf } from '../checks/checks.ts';
import type { Engine } from '../engine/engine.ts';
import { sqlText } from '../engine/sql.ts';
import type { LoanType } from '../types.ts';

export type Loan = Record<string, string | number | boolean | null>;
export type Finding = { rule_id: string; field: string; severity: string; message: string; expected: string };

/** The findings of a loan on a tape whose columns are its fields; `unreadable` are fields whose text could not be read. */
export async function findingsOf(
  engine: Engine,
  loanType: LoanType,
  loan: Loan,
  more: Partial<TapeFacts> = {},
  unreadable: readonly string[] = [],
): Promise<Finding[]> {
  const fields = dictionary(loanType);
  const { id, original, current } = roles(loanType);
  const mapped = new Set(Object.keys(loan));
  const facts: TapeFacts = {
    loanType,
    asOf: '2026-11-20',
    fields,
    mapped,
    present: mapped,
    amount: mapped.has(original) ? original : null,
    fallback: loanType !== 'Credit Card' && mapped.has(original) && mapped.has(current) ? current : null,
    id,
    ...more,
  };
  const columns = Object.entries(loan).map(([name, value]) => {
    const field = fields.find((candidate) => candidate.field === name);
    if (!field) throw new Error(`${loanType} has no ${name}`);
    return `CAST(${value === null ? 'NULL' : sqlText(String(value))} AS ${columnType(field)}) AS ${name}`;
  });
  const bits = unreadable.reduce((sum, name) => sum + 2n ** BigInt(fields.findIndex(({ field }) => field === name)), 0n);
  const checks = checksOf(facts);
  if (checks.length === 0) return [];
  const found = await engine.rows<{ n: number; message: string; expected: string }>(
    checks
      .map(
        ({ when, message, expected }, n) =>
          `SELECT ${n} AS n, ${message} AS message, ${expected} AS expected FROM loan WHERE ${when}`,
      )
      .join(' UNION ALL ')
      .replace(/^/, `WITH loan AS (SELECT ${columns.join(', ')}, CAST(${bits} AS BIGINT) AS unreadable) SELECT * FROM (`)
      .concat(') ORDER BY n'),
  );
  return found.map(({ n, message, expected }) => {
    const { rule_id, field, severity } = checks[n];
    return { rule_id, field, severity, message, expected };
  });
}

export const ruleAndField = ({ rule_id, field }: Finding): string => `${rule_id} ${field}`;
