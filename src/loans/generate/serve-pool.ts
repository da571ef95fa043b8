import { writeFile } from 'node:fs/promises';
import { levelPayment } from '../../finance/amortization.ts';
import { commonColumns } from '../analytics/columns.ts';
import { dictionary, findField } from '../dictionary/dictionary.ts';
import { CHARGED_FIELDS, isDeferred, STATUS_FIELDS } from '../dictionary/statuses.ts';
import { columnsOf } from '../engine/columns-of.ts';
import type { Engine } from '../engine/engine.ts';
import { jsonList, parquet, sqlName } from '../engine/sql.ts';
import { LIVE_STATES, loanSigns } from '../analytics/loan-state.ts';
import type { LoanType } from '../types.ts';
import { csvLine } from './generate-tape.ts';
import { Random } from './random.ts';
import { type End, serveMonth, type ServicedMonth, type ServicedState } from './serve-month.ts';

export type ServePoolInput = {
  engine: Engine;
  loanType: LoanType;
  /** A pool's loan table, or that of one of its months. */
  path: string;
  /** Day of that table, and day of the tape; YYYY-MM-DD. */
  asOf: string;
  reportingDate: string;
  months: number;
  /** Months that have passed since that table, and what the loans owe after them, in cents: what the last report says. */
  passed: { months: number; owed: number } | null;
  seed: number;
  /** Receives the tape, with the names of the fields as its headers. */
  csvPath: string;
};

type Row = {
  balance: number;
  rate: number | null;
  remaining: number | null;
  payment: number | null;
  days: number | null;
  limit: number | null;
  state: string;
  charged: number;
  deferred: boolean;
  cells: string;
};

/** Rate and term of a loan whose tape has none. */
const USUAL = { ratePercent: 8, remainingMonths: 36 };
const COUNTED_DOWN = ['interest_only_months', 'deferment_months'];

/**
 * Plays the servicer of a pool for some months: what its loans may do, and the tape that tells it. The same seed gives the same months. Returns
 * one row for each month.
 */
export async function servePool(input: ServePoolInput): Promise<ServicedMonth[]> {
  const { engine, loanType, path, months, seed, csvPath } = input;
  const columns = await columnsOf(engine, path);
  const fields = dictionary(loanType)
    .map(({ field }) => field)
    .filter((field) => !field.startsWith('obligor'));
  const loans: (ServicedState & { cells: (string | null)[] })[] = [];
  for await (const batch of engine.stream<Row>(selectRows(input, fields, columns)))
    for (const { cells, ...row } of batch) loans.push({ ...stateOf(row, loanType), cells: JSON.parse(cells) });
  if (input.passed) letPass(loans, input.passed);
  const random = new Random(seed);
  const served = Array.from({ length: months }, (_, index) => serveMonth(loans, { type: loanType, month: index + 1, random }));
  const shown = loans.filter(({ end, endedIn, recovered }) => end === null || endedIn > 0 || recovered > 0);
  const lines = shown.map((loan) => csvLine(fields.map((field, place) => cellOf(field, loan.cells[place] ?? '', loan, input))));
  await writeFile(csvPath, [csvLine(fields), ...lines]);
  return served;
}

/** Brings loans to what they owe together some months later, each by its share; the largest takes what rounding leaves. */
function letPass(loans: readonly ServicedState[], { months, owed }: { months: number; owed: number }): void {
  const before = loans.reduce((sum, { balance }) => sum + balance, 0);
  if (before === 0) return;
  for (const loan of loans) {
    loan.balance = Math.round((loan.balance * owed) / before);
    loan.paymentCents = Math.round((loan.paymentCents * owed) / before);
    loan.remainingMonths = Math.max(1, loan.remainingMonths - months);
  }
  const largest = loans.reduce((most, loan) => (loan.balance > most.balance ? loan : most));
  largest.balance += owed - loans.reduce((sum, { balance }) => sum + balance, 0);
}

function selectRows({ loanType, path, asOf }: ServePoolInput, fields: readonly string[], columns: ReadonlySet<string>): string {
  const { balance, rate, remaining } = commonColumns(loanType, asOf);
  const signs = loanSigns(loanType, columns);
  const has = (field: string) => columns.has(field) && findField(loanType, field) !== undefined;
  const number = (sql: string, name: string) => `CAST(${sql} AS DOUBLE) AS ${name}`;
  const texts = fields.map((field) => (columns.has(field) ? `CAST(${sqlName(field)} AS VARCHAR)` : 'CAST(NULL AS VARCHAR)'));
  return `SELECT ${[
    number(balance, 'balance'),
    number(rate, 'rate'),
    number(remaining, 'remaining'),
    number(has('scheduled_payment') ? 'scheduled_payment' : 'NULL', 'payment'),
    number(signs.days, 'days'),
    number(has('credit_limit') ? 'credit_limit' : 'NULL', 'limit'),
    `${columns.has('month_state') ? 'month_state' : signs.state} AS state`,
    number(columns.has('charged_total') ? 'charged_total' : signs.charged, 'charged'),
    `${isDeferred(loanType)} AS deferred`,
    `${jsonList(texts)} AS cells`,
  ].join(', ')} FROM ${parquet(path)} ORDER BY deal_number, row_number`;
}

function stateOf(row: Omit<Row, 'cells'>, loanType: LoanType): ServicedState {
  const isLive = LIVE_STATES.some((state) => state === row.state);
  const end: End | null = isLive ? null : row.state === 'DEFAULTED' ? 'CHARGED_OFF' : 'PAID';
  const balance = isLive ? Math.round(row.balance * 100) : 0;
  const ratePercent = row.rate ?? USUAL.ratePercent;
  const remainingMonths = Math.max(1, Math.round(row.remaining ?? USUAL.remainingMonths));
  const level = loanType === 'Credit Card' ? 0 : levelPayment(balance, ratePercent / 1200, remainingMonths);
  return {
    ratePercent,
    paymentCents: Math.round(row.payment ? row.payment * 100 : level),
    limitCents: Math.round((row.limit ?? row.balance) * 100),
    deferred: row.deferred,
    balance,
    remainingMonths,
    daysPastDue: row.days ?? 0,
    end,
    endedIn: 0,
    chargedOff: Math.round(row.charged * 100),
    recovered: 0,
  };
}

/** The cell of a field: what a month changes as it is now, everything else as it was. */
function cellOf(
  field: string,
  was: string,
  loan: ServicedState,
  { loanType, reportingDate, months, passed }: ServePoolInput,
): string {
  const { end, endedIn, balance } = loan;
  const elapsed = months + (passed?.months ?? 0);
  if (field === 'reporting_date') return reportingDate;
  if (field === 'current_balance') return (balance / 100).toFixed(2);
  if (field === 'days_past_due') return end === null ? String(loan.daysPastDue) : '';
  if (field === 'remaining_term_months') return end === null ? String(loan.remainingMonths) : '0';
  if (field === 'loan_age_months') return was === '' ? '' : String(Number(was) + elapsed);
  if (COUNTED_DOWN.includes(field)) return was === '' ? '' : String(Math.max(0, Number(was) - elapsed));
  if (field === 'recovered_amount') return loan.recovered > 0 ? (loan.recovered / 100).toFixed(2) : '';
  if (CHARGED_FIELDS.includes(field)) return end === 'CHARGED_OFF' && endedIn > 0 ? (loan.chargedOff / 100).toFixed(2) : '';
  if (field === 'zero_balance_code') return end === null ? '' : zeroBalanceCode(loanType, end);
  if (STATUS_FIELDS.some((each) => each === field)) return statusOf(field, loan, was);
  return was;
}

/** Why a balance is zero, as the servicer of a type of loans writes it. */
export const zeroBalanceCode = (type: LoanType, end: End): string => {
  if (type === 'Auto') return end === 'CHARGED_OFF' ? '4' : '1';
  return end === 'CHARGED_OFF' ? '09' : '01';
};

function statusOf(field: string, { end, daysPastDue }: ServicedState, was: string): string {
  if (field === 'account_status') return end === 'CHARGED_OFF' ? 'CHARGED_OFF' : was;
  if (end !== null) return end === 'CHARGED_OFF' ? 'CHARGED_OFF' : 'PAID';
  if (field === 'status') return ['CURRENT', 'DELINQUENT'].includes(was) ? (daysPastDue > 0 ? 'DELINQUENT' : 'CURRENT') : was;
  if (daysPastDue === 0) return 'CURRENT';
  if (daysPastDue <= 15) return 'GRACE';
  if (daysPastDue <= 30) return 'LATE_16_30';
  return daysPastDue <= 120 ? 'LATE_31_120' : 'DEFAULT';
}
