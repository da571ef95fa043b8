import { growthLessOne } from '../../finance/amortization.ts';
import { LoanColumns, NO_SEGMENT, UNDECIDED_SEGMENT } from '../../finance/loan-columns.ts';
import { formatAmount, formatCents, parseCents } from '../../finance/money.ts';
import type { CollateralLoan, FloatingTerms } from '../../finance/types.ts';
import { findField } from '../dictionary/dictionary.ts';
import { FLOATING_KINDS, isDeferred } from '../dictionary/statuses.ts';
import { columnsOf } from '../engine/columns-of.ts';
import type { Engine } from '../engine/engine.ts';
import { parquet, sqlText, textList } from '../engine/sql.ts';
import type { LoanType } from '../types.ts';
import { commonColumns } from './columns.ts';
import { LIVE_STATES, loanSigns } from './loan-state.ts';

export type CollateralInput = {
  engine: Engine;
  path: string;
  loanType: LoanType;
  /** YYYY-MM-DD. */
  cutOff: string;
  /** Use the payment of the tape instead of the recomputed one. */
  useScheduledPayment?: boolean;
  /** Averages of the pool, for loans without a rate or a term; null where no loan has one. */
  averageRatePercent: number | null;
  averageRemainingMonths: number | null;
  /** Lists of SQL conditions over the loan table, each TRUE, FALSE or NULL (not decided), by name: the segments of a list divide the loans. */
  segmentations?: ReadonlyMap<string, readonly string[]>;
};

type CollateralRow = {
  /** By list of conditions; null where there is none. */
  segments: number[];
  balance: number;
  rate: number | null;
  remaining: number | null;
  age: number | null;
  original: number | null;
  payment: number | null;
  /** Rate or amortization type of the tape; empty if it has none. */
  kind: string;
  deferred: boolean;
  interest_only: number | null;
  balloon: number | null;
  deferment: number | null;
  index_name: string | null;
  margin: number | null;
  rate_cap: number | null;
  rate_floor: number | null;
  periodic_rate_cap: number | null;
  reset: number | null;
  first_reset: number | null;
};

/** Months of a card account: cards are projected as one pool, whatever their terms. */
const CARD_MONTHS = 1;

/** Notes that something was assumed of a loan, with its balance where that is what is told. */
type Assume = (what: string, balance?: number) => void;

/**
 * The performing loans of a pool's table in the form that projections read, in the order of the table: those that are charged off or have no
 * balance above zero are left out and counted in `warnings`. So are missing terms, which are replaced: level payments, the average rate or
 * term of the pool. `segments`: by list of conditions, the number of each loan's segment, in the order of the loans.
 */
export async function readCollateral(
  input: CollateralInput,
): Promise<{ loans: LoanColumns; segments: Map<string, Int8Array>; warnings: string[] }> {
  const loans = new LoanColumns();
  const segments = [...(input.segmentations?.keys() ?? [])].map((name) => ({ name, numbers: new Array<number>() }));
  const assumed = new Map<string, { count: number; cents: bigint | null }>();
  const assume: Assume = (what, balance) => {
    const { count, cents } = assumed.get(what) ?? { count: 0, cents: null };
    assumed.set(what, {
      count: count + 1,
      cents: balance === undefined ? cents : (cents ?? 0n) + parseCents(balance.toFixed(2)),
    });
  };
  const columns = await columnsOf(input.engine, input.path);
  for await (const batch of input.engine.stream<CollateralRow>(selectRows(input, columns))) {
    for (const row of batch) {
      loans.add(toLoan(row, input, assume));
      for (const [index, { numbers }] of segments.entries()) numbers.push(row.segments[index]);
    }
  }
  return {
    loans,
    segments: new Map(segments.map(({ name, numbers }) => [name, Int8Array.from(numbers)])),
    warnings: [
      ...(await notPerforming(input, columns)),
      ...[...assumed].map(
        ([what, { count, cents }]) => `${count} loans${cents === null ? '' : ` (${formatAmount(formatCents(cents))})`} ${what}`,
      ),
    ],
  };
}

/**
 * SQL that is true for a loan that is charged off: as the monthly tapes left it where the table is of a month, else by what the tape says of it,
 * in its status, the code of its zero balance or an amount charged off.
 */
function chargedOff(loanType: LoanType, columns: ReadonlySet<string>): string {
  return columns.has('month_state')
    ? `NOT coalesce(list_contains(${textList(LIVE_STATES)}, month_state), false)`
    : loanSigns(loanType, columns).defaulted;
}

type NotPerforming = Record<'lost' | 'lost_balance' | 'part' | 'part_balance' | 'empty' | 'empty_balance', number>;

async function notPerforming(
  { engine, path, loanType, cutOff }: CollateralInput,
  columns: ReadonlySet<string>,
): Promise<string[]> {
  const { balance } = commonColumns(loanType, cutOff);
  const { charged, named } = loanSigns(loanType, columns);
  const out = `${balance} > 0 AND ${chargedOff(loanType, columns)}`;
  const part = `${out} AND NOT ${named} AND ${charged} < ${balance}`;
  const sums = { lost: `${out} AND NOT (${part})`, part, empty: `NOT (${balance} > 0)` };
  const counted = await engine.first<NotPerforming>(
    `SELECT ${Object.entries(sums)
      .map(
        ([name, when]) => `CAST(count(*) FILTER (${when}) AS DOUBLE) AS ${name},
       CAST(coalesce(sum(${balance}) FILTER (${when}), 0) AS DOUBLE) AS ${name}_balance`,
      )
      .join(', ')} FROM ${parquet(path)}`,
  );
  const { lost = 0, lost_balance = 0, part: parts = 0, part_balance = 0, empty = 0, empty_balance = 0 } = counted ?? {};
  // Credit balances are in the balance of the pool, and not in what is projected.
  const credit = empty_balance < 0 ? ` (${formatAmount(empty_balance)} in all)` : '';
  return [
    ...(lost > 0 ? [`${lost} loans (${formatAmount(lost_balance)}) are charged off: they do not perform and are left out`] : []),
    ...(parts > 0
      ? [
          `${parts} loans (${formatAmount(part_balance)}) have an amount charged off that is less than their balance: what is left does not perform either and is left out`,
        ]
      : []),
    ...(empty > 0 ? [`${empty} loans${credit} have no balance above zero: they are left out`] : []),
  ];
}

/** SQL of the number of a loan's segment: the first whose condition holds, if every condition before it is decided. */
function segmentNumber(conditions: readonly string[]): string {
  return conditions.reduceRight(
    (otherwise, condition, index) =>
      `CASE (${condition}) WHEN true THEN ${index} WHEN false THEN ${otherwise} ELSE ${UNDECIDED_SEGMENT} END`,
    `${NO_SEGMENT}`,
  );
}

/** SQL that is true for the loans of a pool's table that `readCollateral` returns, in the order of `deal_number, row_number`. */
export function isPerforming(loanType: LoanType, cutOff: string, columns: ReadonlySet<string>): string {
  return `${commonColumns(loanType, cutOff).balance} > 0 AND NOT ${chargedOff(loanType, columns)}`;
}

function selectRows(
  { path, loanType, cutOff, segmentations = new Map() }: CollateralInput,
  present: ReadonlySet<string>,
): string {
  const columns = commonColumns(loanType, cutOff);
  const day = `DATE ${sqlText(cutOff)}`;
  const has = (field: string) => findField(loanType, field) !== undefined;
  const or = (field: string, type: string) => (has(field) ? field : `CAST(NULL AS ${type})`);
  const kind = has('amortization_type') ? 'amortization_type' : or('rate_type', 'VARCHAR');
  const number = (field: string) => or(field, 'DECIMAL(18,6)');
  // A begun month counts as a whole one; of dates in the past only a balloon's still says something: it is due.
  const monthsUntil = (field: string, past = 'NULL') => {
    const begun = `CASE WHEN ${field} > ${day} + to_months(datesub('month', ${day}, ${field})::INTEGER) THEN 1 ELSE 0 END`;
    return has(field)
      ? `CASE WHEN ${field} > ${day} THEN datesub('month', ${day}, ${field})::DOUBLE + ${begun} WHEN ${field} <= ${day} THEN ${past} END`
      : 'CAST(NULL AS DOUBLE)';
  };
  // The engine converts decimals to doubles: parsing their text would cost more than the projection.
  const double = (sql: string) => `CAST(${sql} AS DOUBLE)`;
  return `SELECT ${double(columns.balance)} AS balance, ${double(columns.rate)} AS rate, ${double(columns.remaining)} AS remaining,
      ${double(columns.age)} AS age, ${double(columns.original)} AS original,
      ${double(number('scheduled_payment'))} AS payment, coalesce(${kind}, '') AS kind, ${isDeferred(loanType)} AS deferred,
      ${double(number('interest_only_months'))} AS interest_only, ${monthsUntil('balloon_date', '0')} AS balloon,
      ${double(number('deferment_months'))} AS deferment,
      ${has('index') ? `nullif("index", 'NONE')` : 'CAST(NULL AS VARCHAR)'} AS index_name, ${double(number('margin'))} AS margin,
      ${double(number('rate_cap'))} AS rate_cap, ${double(number('rate_floor'))} AS rate_floor,
      ${double(number('periodic_rate_cap'))} AS periodic_rate_cap, ${double(number('rate_reset_months'))} AS reset,
      ${monthsUntil('next_rate_reset_date')} AS first_reset,
      ${segmentations.size > 0 ? `[${[...segmentations.values()].map(segmentNumber).join(', ')}]` : 'NULL'} AS segments
    FROM ${parquet(path)} WHERE ${isPerforming(loanType, cutOff, present)} ORDER BY deal_number, row_number`;
}

/** Payments that cover less of a month's interest pay a loan down never: a rounded interest-only payment covers nearly all. */
const LEAST_OF_INTEREST = 0.99;
const interestOf = ({ balance, ratePercent }: CollateralLoan): number => (balance * ratePercent) / 1_200;

/** What is due in the last month beside the payment, where the payments before it are all `payment`; negative where they pay the loan off. */
function leftAtMaturity(loan: CollateralLoan, payment: number): number {
  const rate = loan.ratePercent / 1_200;
  const later = loan.remainingMonths - 1;
  const growth = growthLessOne(rate, later);
  const paid = rate === 0 ? payment * later : (payment * growth) / rate;
  return (loan.balance * (1 + growth) - paid) * (1 + rate) - payment;
}

function toLoan(row: CollateralRow, input: CollateralInput, assume: Assume): CollateralLoan {
  const card = input.loanType === 'Credit Card';
  const { averageRatePercent: rate, averageRemainingMonths: months } = input;
  if (row.rate === null && !card)
    assume(
      `have no rate: ${rate === null ? 'the pool has no average, 0 % is used' : `the average of the pool is used, ${rate} %`}`,
    );
  if (row.remaining === null && !card)
    assume(
      `have no remaining term: ${months === null ? 'the pool has no average, 1 month is used' : `the average of the pool is used, ${months} months`}`,
    );
  if (row.remaining !== null && Math.round(row.remaining) === 0 && !card)
    assume('have no whole month left to their maturity, or are past it: what is left is due in the first month', row.balance);
  const remainingMonths = card ? CARD_MONTHS : Math.round(row.remaining ?? months ?? 1);
  const ageMonths = Math.max(0, Math.round(row.age ?? 0));
  const loan: CollateralLoan = {
    balance: row.balance,
    ratePercent: row.rate ?? rate ?? 0,
    remainingMonths: Math.max(1, remainingMonths),
    ageMonths,
    originalMonths: Math.max(1, Math.round(row.original ?? ageMonths + Math.max(1, remainingMonths))),
  };
  if (!card) addSpecialTerms(loan, row, assume);
  if (input.useScheduledPayment && row.payment !== null && row.payment > 0) addPayment(loan, row.payment, assume);
  return loan;
}

/** Sets the payment of the tape where the loan can go on with it. */
function addPayment(loan: CollateralLoan, payment: number, assume: Assume): void {
  if (loan.interestOnlyMonths || loan.deferMonths) {
    // That of an interest-only period would pay nothing down after it, and one from before a deferment not what joined the balance.
    assume('pay no principal yet: level payments are used from then on, not the payment of the tape', loan.balance);
    return;
  }
  if (payment < LEAST_OF_INTEREST * interestOf(loan)) {
    assume('have a payment on the tape that does not cover their interest: a level payment is used', loan.balance);
    return;
  }
  loan.scheduledPayment = payment;
  const isLevel = loan.floating === undefined && loan.balloonMonth === undefined && loan.remainingMonths > 1;
  const left = isLevel ? leftAtMaturity(loan, payment) : 0;
  // Less than one more payment is what rounding leaves.
  if (left > payment)
    assume('have a payment on the tape that is too low to pay them off: so much is due beside it in their last month', left);
}

/** Sets the special terms of the tape; where it only names their kind, the loan pays level and a warning is added. */
function addSpecialTerms(loan: CollateralLoan, row: CollateralRow, assume: Assume): void {
  if (row.interest_only) loan.interestOnlyMonths = row.interest_only;
  else if (row.kind === 'IO')
    assume('pay interest only for a period that the tape does not have: they are projected with level payments');
  if (row.balloon === 0 && row.remaining !== 0)
    assume('have a balloon that was due by the cut-off: what is left is due in the first month', row.balance);
  if (row.balloon !== null) loan.balloonMonth = Math.max(1, row.balloon);
  else if (row.kind === 'BALLOON')
    assume('have a balloon whose date the tape does not have: they are projected with level payments');
  if (row.deferment) loan.deferMonths = row.deferment;
  else if (row.deferred && row.deferment === null)
    assume('are deferred for a period that the tape does not have: they are projected with level payments from the cut-off');
  const floating = floatingOf(row);
  if (floating) loan.floating = floating;
  else if (FLOATING_KINDS.includes(row.kind))
    assume('have a floating rate without index and margin: they keep their current rate');
}

/** A fixed rate may have an index too: that of a government allowance on it. */
function floatingOf(row: CollateralRow): FloatingTerms | undefined {
  if (row.kind === 'FIXED' || row.index_name === null || row.margin === null) return undefined;
  return {
    index: row.index_name,
    marginPercent: row.margin,
    resetMonths: Math.max(1, row.reset ?? 1),
    ...(row.first_reset === null ? {} : { firstResetMonth: row.first_reset }),
    ...(row.rate_cap === null ? {} : { capPercent: row.rate_cap }),
    ...(row.rate_floor === null ? {} : { floorPercent: row.rate_floor }),
    ...(row.periodic_rate_cap === null ? {} : { periodicCapPercent: row.periodic_rate_cap }),
  };
}
