import { findField } from '../dictionary/dictionary.ts';
import { CHARGED_FIELDS, STATUS_FIELDS } from '../dictionary/statuses.ts';
import { textList } from '../engine/sql.ts';
import type { LoanType } from '../types.ts';
import { commonColumns } from './columns.ts';

/** States of a loan that still owes, by the days that it is past due: 0 to 29, 30 to 59, 60 to 89, 90 to 119, 120 and more. */
export const LIVE_STATES = ['CURRENT', '30', '60', '90', '120'] as const;
/** States of a loan that has ended: charged off, paid before its schedule, paid as scheduled. */
export const ENDED_STATES = ['DEFAULTED', 'PREPAID', 'PAID'] as const;
export type LoanState = (typeof LIVE_STATES)[number] | (typeof ENDED_STATES)[number];

/** Codes of a zero balance that mean a loss, and those of a loan that was bought back. Others are payments in full. */
const DEFAULT_CODES: Partial<Record<LoanType, readonly string[]>> = { Auto: ['4'], Mortgage: ['02', '03', '09', '15'] };
const REPURCHASE_CODES: Partial<Record<LoanType, readonly string[]>> = { Auto: ['3'], Mortgage: ['06'] };

/** SQL over a row of a loan table. */
export type LoanSigns = {
  /** Whether the tape says that the loan was charged off. */
  defaulted: string;
  /** Whether it says so by a status or a code, and not by an amount alone. */
  named: string;
  /** Principal charged off; 0 where the tape does not say. */
  charged: string;
  /** Whether it says that the loan has ended in another way. */
  ended: string;
  repurchased: string;
  /** One of `LIVE_STATES`, DEFAULTED, or ENDED. */
  state: string;
  /** Days past due; NULL where the tape does not say. */
  days: string;
};

/**
 * What the fields of a loan type say about the end and the arrears of a loan, as far as a table has them as columns. A loan whose `balance`
 * is NULL has ended only where the table says so.
 */
export function loanSigns(
  type: LoanType,
  columns: ReadonlySet<string>,
  balance = commonColumns(type, '2000-01-01').balance,
): LoanSigns {
  const has = (field: string) => findField(type, field) !== undefined && columns.has(field);
  const charged = CHARGED_FIELDS.filter(has);
  const status = STATUS_FIELDS.find(has);
  const isStatus = (value: string) =>
    status && findField(type, status)?.enum?.includes(value) ? [`coalesce(${status} = '${value}', false)`] : [];
  const isCode = (codes: readonly string[] = []) =>
    has('zero_balance_code') && codes.length > 0
      ? [`coalesce(list_contains(${textList(codes)}, CAST(zero_balance_code AS VARCHAR)), false)`]
      : [];
  const any = (signs: readonly string[]) => (signs.length > 0 ? `(${signs.join(' OR ')})` : 'false');
  const names = [...isStatus('CHARGED_OFF'), ...isCode(DEFAULT_CODES[type])];
  const defaulted = any([...names, ...charged.map((field) => `coalesce(${field} > 0, false)`)]);
  // An account without a balance goes on until it is closed.
  const ended = any([...isStatus('PAID'), ...(has('zero_balance_code') ? ['zero_balance_code IS NOT NULL'] : [])]);
  const empty =
    type === 'Credit Card'
      ? `coalesce(${balance}, 0) <= 0 AND ${any(isStatus('CLOSED'))}`
      : `(${balance} <= 0 OR (${balance} IS NULL AND ${ended}))`;
  const days = has('days_past_due') ? 'days_past_due' : 'CAST(NULL AS INTEGER)';
  const bucket = `CASE WHEN ${days} >= 120 THEN '120' WHEN ${days} >= 90 THEN '90' WHEN ${days} >= 60 THEN '60' WHEN ${days} >= 30 THEN '30' ELSE 'CURRENT' END`;
  return {
    defaulted,
    named: any(names),
    charged: `CAST(${charged.length > 0 ? `coalesce(${[...charged, '0'].join(', ')})` : '0'} AS DECIMAL(38,2))`,
    ended,
    repurchased: any(isCode(REPURCHASE_CODES[type])),
    state: `CASE WHEN ${defaulted} THEN 'DEFAULTED' WHEN ${empty} THEN 'ENDED' ELSE ${bucket} END`,
    days,
  };
}
