import { numberOrNull } from '../../finance/decimal.ts';
import { firstDayOf, lastDayOf, localDatesIn, type Month } from '../../finance/business-date.ts';
import { formatCents, parseCents } from '../../finance/money.ts';
import type { Id } from '../../platform/ids.ts';
import { balanceOf, marketValueOf } from '../../finance/position-value.ts';

/** The face of one tranche that an organization held before an instant, with the factor and the mark of then; numbers as decimal text. */
export type Holding = {
  position_id: Id<'pos'>;
  deal_id: Id<'deal'>;
  deal: string;
  tranche_id: Id<'trn'>;
  tranche: string;
  class: string;
  face: string;
  factor: string;
  /** Clean, per 100 of balance; null before the first mark. */
  price: string | null;
  mark_as_of: string | null;
};

/** A trade of a statement, or a correction of one; amounts as decimal text. */
export type SettledTrade = {
  trade_id: Id<'trd'>;
  tranche_id: Id<'trn'>;
  side: 'BUY';
  face: string;
  factor: string;
  /** Of a correction: the factor and the period of the report that it follows. Its amounts are differences. */
  factor_before: string | null;
  corrects_period: number | null;
  price: string;
  principal_amount: string;
  accrued_interest: string;
  net_amount: string;
  trade_date: string;
  settlement_date: string;
  booked_at: Date;
};

/** A payment of a statement; amounts as decimal text. */
export type BookedPayment = {
  payment_id: Id<'pay'>;
  tranche_id: Id<'trn'>;
  period: number;
  payment_date: string;
  record_date: string;
  face: string;
  interest: string;
  principal: string;
  writedown: string;
  accreted: string;
  factor_before: string;
  factor_after: string;
  restates: Id<'pay'> | null;
  created_at: Date;
};

/* An investor's statement of a month. Amounts are numbers of at most 2 decimals, added up as cents. */

export type StatementTrade = {
  trade_id: Id<'trd'>;
  side: 'BUY';
  face: number;
  factor: number;
  /** Face × factor. */
  balance: number;
  price: number;
  principal_amount: number;
  accrued_interest: number;
  net_amount: number;
  trade_date: string;
  settlement_date: string;
  booked_on: string;
  /** Of a correction: the period of the report that it follows; its face is 0 and its amounts are differences. */
  corrects_period?: number;
};

export type StatementPayment = {
  payment_id: Id<'pay'>;
  period: number;
  payment_date: string;
  record_date: string;
  booked_on: string;
  face: number;
  interest: number;
  principal: number;
  writedown: number;
  accreted: number;
  factor_before: number;
  factor_after: number;
  restates: Id<'pay'> | null;
};

/** Figures that add up over positions. */
export const SUMS = [
  'opening_face',
  'opening_balance',
  'bought_face',
  'bought_balance',
  'net_amount',
  'interest',
  'principal',
  'writedown',
  'accreted',
  'other_change',
  'closing_face',
  'closing_balance',
] as const;
type Sums = Record<(typeof SUMS)[number], number>;

export type StatementPosition = Sums & {
  position_id: Id<'pos'>;
  deal_id: Id<'deal'>;
  deal: string;
  tranche_id: Id<'trn'>;
  tranche: string;
  class: string;
  opening_factor: number | null;
  closing_factor: number;
  price: number | null;
  mark_as_of: string | null;
  market_value: number | null;
  trades: StatementTrade[];
  payments: StatementPayment[];
};

export type StatementTotals = Sums & {
  market_value: number | null;
  without_mark: number;
  balance_without_mark: number;
  position_count: number;
  trade_count: number;
  payment_count: number;
};

/** The balance at the end of a month. */
export type MonthBalance = { month: Month; balance: number };

export type Statement = {
  month: Month;
  from: string;
  to: string;
  zone: string;
  organization_id: Id<'org'>;
  organization: string;
  final: boolean;
  /** The instant up to which bookings count. */
  until: string;
  positions: StatementPosition[];
  totals: StatementTotals;
  balances: MonthBalance[];
};

/** Months of the balances that a statement shows. */
const BALANCE_MONTHS = 12;

export type StatementHead = Pick<Statement, 'month' | 'zone' | 'organization_id' | 'organization' | 'final'> & { until: Date };

/** What was booked in a month, and what was held at its end. */
export type MonthBookings = { holdings: readonly Holding[]; trades: readonly SettledTrade[]; payments: readonly BookedPayment[] };

/** The statement of a month after the statement of the month before it; null: the first one. What was held stays a position, at whatever factor. */
export function buildStatement(
  { until, ...head }: StatementHead,
  previous: Statement | null,
  { holdings, trades, payments }: MonthBookings,
): Statement {
  const before = new Map(previous?.positions.map((each) => [each.tranche_id, each]));
  const [tradesOf, paymentsOf] = [Map.groupBy(trades, byTranche), Map.groupBy(payments, byTranche)];
  const dateOf = localDatesIn(head.zone);
  const positions = holdings.map((holding) =>
    toPosition(holding, dateOf, {
      before: before.get(holding.tranche_id) ?? null,
      trades: tradesOf.get(holding.tranche_id) ?? [],
      payments: paymentsOf.get(holding.tranche_id) ?? [],
    }),
  );
  const totals = totalsOf(positions);
  refuseUnplaced(totals, trades.length, payments.length);
  const balances = [...(previous?.balances ?? []), { month: head.month, balance: totals.closing_balance }].slice(-BALANCE_MONTHS);
  const { month } = head;
  const [from, to] = [firstDayOf(month), lastDayOf(month)];
  return { ...head, from, to, until: until.toISOString(), positions, totals, balances };
}

const byTranche = ({ tranche_id }: { tranche_id: Id<'trn'> }): Id<'trn'> => tranche_id;

function refuseUnplaced({ trade_count, payment_count }: StatementTotals, trades: number, payments: number): void {
  if (trade_count === trades && payment_count === payments) return;
  throw new Error(
    `of ${trades} trades and ${payments} payments ${trade_count} and ${payment_count} belong to the positions of the statement`,
  );
}

const amount = (cents: bigint): number => Number(formatCents(cents));
/** Cents of an amount of a statement: a number of at most 2 decimals prints as it is. */
const centsOf = (value: number): bigint => parseCents(value.toFixed(2));
const sum = <Row>(rows: readonly Row[], of: (row: Row) => bigint): bigint => rows.reduce((total, row) => total + of(row), 0n);

type PositionMonth = {
  before: StatementPosition | null;
  trades: readonly SettledTrade[];
  payments: readonly BookedPayment[];
};

/** The calendar date of an instant in the zone of the statement. */
type DateOf = (at: Date) => string;

function toPosition(holding: Holding, dateOf: DateOf, { before, trades, payments }: PositionMonth): StatementPosition {
  const { face, factor, price, mark_as_of, ...of } = holding;
  const opening = centsOf(before?.closing_balance ?? 0);
  const bought = sum(trades, boughtBalance);
  const paid = (name: 'interest' | 'principal' | 'writedown' | 'accreted') => sum(payments, (each) => parseCents(each[name]));
  const closing = balanceOf(face, factor);
  const explained = opening + bought + paid('accreted') - paid('principal') - paid('writedown');
  return {
    ...of,
    opening_face: before?.closing_face ?? 0,
    opening_factor: before?.closing_factor ?? null,
    opening_balance: amount(opening),
    bought_face: amount(sum(trades, boughtFace)),
    bought_balance: amount(bought),
    net_amount: amount(sum(trades, (each) => parseCents(each.net_amount))),
    interest: amount(paid('interest')),
    principal: amount(paid('principal')),
    writedown: amount(paid('writedown')),
    accreted: amount(paid('accreted')),
    other_change: amount(closing - explained),
    closing_face: amount(parseCents(face)),
    closing_factor: Number(factor),
    closing_balance: amount(closing),
    price: numberOrNull(price),
    mark_as_of,
    market_value: price === null ? null : amount(marketValueOf(closing, price)),
    trades: trades.map((each) => toTrade(each, dateOf)),
    payments: payments.map((each) => toPayment(each, dateOf)),
  };
}

const boughtFace = ({ face, corrects_period }: SettledTrade): bigint => (corrects_period === null ? parseCents(face) : 0n);

/** Of a correction, what the balance that was bought changes by. */
const boughtBalance = ({ face, factor, factor_before }: SettledTrade): bigint =>
  balanceOf(face, factor) - (factor_before === null ? 0n : balanceOf(face, factor_before));

function toTrade(trade: SettledTrade, dateOf: DateOf): StatementTrade {
  const { tranche_id: _tranche, factor_before: _factor, booked_at, corrects_period, ...row } = trade;
  return {
    ...row,
    ...(corrects_period === null ? {} : { corrects_period }),
    face: amount(boughtFace(trade)),
    factor: Number(row.factor),
    balance: amount(boughtBalance(trade)),
    price: Number(row.price),
    principal_amount: Number(row.principal_amount),
    accrued_interest: Number(row.accrued_interest),
    net_amount: Number(row.net_amount),
    booked_on: dateOf(booked_at),
  };
}

function toPayment({ tranche_id: _tranche, created_at, ...row }: BookedPayment, dateOf: DateOf): StatementPayment {
  return {
    ...row,
    booked_on: dateOf(created_at),
    face: Number(row.face),
    interest: Number(row.interest),
    principal: Number(row.principal),
    writedown: Number(row.writedown),
    accreted: Number(row.accreted),
    factor_before: Number(row.factor_before),
    factor_after: Number(row.factor_after),
  };
}

function totalsOf(positions: readonly StatementPosition[]): StatementTotals {
  const sums = Object.fromEntries(SUMS.map((name) => [name, amount(sum(positions, (each) => centsOf(each[name])))])) as Sums;
  const unmarked = positions.filter((each) => each.market_value === null);
  const market = sum(positions, (each) => centsOf(each.market_value ?? 0));
  return {
    ...sums,
    market_value: positions.length > 0 && unmarked.length === positions.length ? null : amount(market),
    without_mark: unmarked.length,
    balance_without_mark: amount(sum(unmarked, (each) => centsOf(each.closing_balance))),
    position_count: positions.length,
    trade_count: positions.reduce((count, each) => count + each.trades.length, 0),
    payment_count: positions.reduce((count, each) => count + each.payments.length, 0),
  };
}
