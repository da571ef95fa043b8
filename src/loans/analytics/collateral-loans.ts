import { LoanColumns } from '../../finance/loan-columns.ts';
import type { CollateralLoan } from '../../finance/types.ts';
import { findField } from '../dictionary.ts';
import type { Engine } from '../engine.ts';
import { parquet } from '../sql.ts';
import type { LoanType } from '../types.ts';
import { loanColumns } from './columns.ts';

export type CollateralInput = {
  engine: Engine;
  path: string;
  loanType: LoanType;
  /** YYYY-MM-DD. */
  cutOff: string;
  /** Use the payment of the tape instead of the recomputed one. */
  useScheduledPayment?: boolean;
  /** Averages of the pool for loans that tell no rate or term. */
  averageRatePercent: number;
  averageRemainingMonths: number;
};

type Row = {
  balance: number;
  rate: number | null;
  remaining: number | null;
  age: number | null;
  original: number | null;
  payment: number | null;
  behaviour: string;
  index_name: string | null;
  margin: number | null;
};

/** Months of a card account: cards are projected as one pool, whatever their terms. */
const CARD_MONTHS = 1;

/**
 * The loans of a pool's table as projections take them, in the order of the table, without those that have no balance above zero. What a
 * loan does not tell is assumed and said in `warnings`: level payments, the pool's average rate or term.
 */
export async function readCollateral(input: CollateralInput): Promise<{ loans: LoanColumns; warnings: string[] }> {
  const loans = new LoanColumns();
  const assumed = new Map<string, number>();
  const assume = (what: string) => void assumed.set(what, (assumed.get(what) ?? 0) + 1);
  for await (const batch of input.engine.stream<Row>(selectRows(input))) {
    for (const row of batch) loans.add(toLoan(row, input, assume));
  }
  return { loans, warnings: [...assumed].map(([what, count]) => `${count} loans ${what}`) };
}

function selectRows({ path, loanType, cutOff }: CollateralInput): string {
  const columns = loanColumns(loanType, cutOff);
  const has = (field: string) => findField(loanType, field) !== undefined;
  const or = (field: string, type: string) => (has(field) ? field : `CAST(NULL AS ${type})`);
  const rateType = has('amortization_type') ? 'amortization_type' : or('rate_type', 'VARCHAR');
  const status = loanType === 'Student' ? 'status' : 'CAST(NULL AS VARCHAR)';
  const behaviour = `CASE WHEN ${status} IN ('IN_SCHOOL', 'GRACE', 'DEFERMENT', 'FORBEARANCE') THEN 'DEFERRED'
    WHEN ${rateType} IN ('VARIABLE', 'FLOATING', 'ADJUSTABLE', 'ARM') THEN 'FLOATING'
    WHEN ${rateType} IN ('IO', 'BALLOON') THEN ${rateType} ELSE 'LEVEL' END`;
  // A decimal becomes a double once, in the engine: as text it would cost more than its projection.
  const double = (sql: string) => `CAST(${sql} AS DOUBLE)`;
  return `SELECT ${double(columns.balance)} AS balance, ${double(columns.rate)} AS rate, ${double(columns.remaining)} AS remaining,
      ${double(columns.age)} AS age, ${double(columns.original)} AS original,
      ${double(or('scheduled_payment', 'DECIMAL(18,6)'))} AS payment, ${behaviour} AS behaviour,
      ${has('index') ? '"index"' : 'CAST(NULL AS VARCHAR)'} AS index_name, ${double(or('margin', 'DECIMAL(18,6)'))} AS margin
    FROM ${parquet(path)} WHERE ${columns.balance} > 0 ORDER BY deal_number, row_number`;
}

function toLoan(row: Row, input: CollateralInput, assume: (what: string) => void): CollateralLoan {
  const card = input.loanType === 'Credit Card';
  if (row.rate === null && !card) assume(`tell no rate: they have the average of the pool, ${input.averageRatePercent} %`);
  if (row.remaining === null && !card)
    assume(`tell no remaining term: they have the average of the pool, ${input.averageRemainingMonths} months`);
  const remainingMonths = card ? CARD_MONTHS : Math.round(row.remaining ?? input.averageRemainingMonths);
  const ageMonths = Math.max(0, Math.round(row.age ?? 0));
  const loan: CollateralLoan = {
    balance: row.balance,
    ratePercent: row.rate ?? input.averageRatePercent,
    remainingMonths: Math.max(1, remainingMonths),
    ageMonths,
    originalMonths: Math.max(1, Math.round(row.original ?? ageMonths + Math.max(1, remainingMonths))),
  };
  if (input.useScheduledPayment && row.payment !== null && row.payment > 0) loan.scheduledPayment = row.payment;
  if (!card) addBehaviour(loan, row, assume);
  return loan;
}

/** Special terms where the tape tells them; level payments where it does not. */
function addBehaviour(loan: CollateralLoan, row: Row, assume: (what: string) => void): void {
  if (row.behaviour === 'FLOATING') {
    if (row.index_name !== null && row.index_name !== 'NONE' && row.margin !== null) {
      loan.floating = { index: row.index_name, marginPercent: row.margin, resetMonths: 1 };
    } else assume('have a moving rate without index and margin: they keep their current rate');
  }
  if (row.behaviour === 'IO') assume('pay interest only for a time that the tape does not tell: they pay level');
  if (row.behaviour === 'BALLOON') assume('have a balloon whose amortization the tape does not tell: they pay level');
  if (row.behaviour === 'DEFERRED')
    assume('are deferred for a time that the tape does not tell: they pay level from the cut-off');
}
