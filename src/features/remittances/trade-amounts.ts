import { afterDay, recordDate } from '../../finance/business-date.ts';
import { divideDecimals, formatDecimal, parseDecimal } from '../../finance/decimal.ts';
import { type Accrual, type TradeAmounts, tradeAmounts } from '../../finance/settlement.ts';
import { accrualStartAfter } from '../../finance/structure/accrual-coupons.ts';
import { datesOf } from '../../finance/structure/periods.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Id } from '../../platform/ids.ts';
import { type AccrualCoupon, loadCoupon } from '../coupons/coupon.ts';
import { listPayments, type ReportedPayment } from '../coupons/queries.ts';
import { findPool, findPoolOwner } from '../pools/queries.ts';
import { reportedBalances, type TrancheBalance } from './derive.ts';
import { listLatestOfDeal } from './queries.ts';
import type { ServicedPool } from './serviced-pool.ts';
import { findReportedTrade, type ReportedTrade } from './trade-queries.ts';

/** Amounts that settling fixes. */
export type SettledAmounts = {
  factor?: number;
  principal_amount?: number;
  accrued_interest?: number;
  net_amount?: number;
  accrued_from?: string;
};

/** Reports ahead of the latest record date that has passed: more are not sent in advance. */
const LATEST = 12;

/**
 * The amounts that settling fixes. A trade that settles after the record date of a payment that it was priced before is booked ex: without that
 * payment, at the factor after it, with interest from that payment on, which is negative before its date. A trade in a coupon that
 * varies has the interest of its accrual's, which may have become known or been corrected after the acceptance: 422 where it is not known. Any
 * other trade keeps its amounts, unless the payment that it was priced after has been restated.
 */
export async function settledAmounts(tx: Tx, tradeId: Id<'trd'>): Promise<SettledAmounts> {
  const trade = await findReportedTrade(tx, tradeId);
  const latest = (await listLatestOfDeal(tx, trade.deal_id, LATEST)).find(
    ({ payment_date }) => afterDay(recordDate(payment_date), tx.zone) <= tx.now,
  );
  const pool = latest || trade.varies ? await findStructured(tx, trade) : null;
  const after = latest && pool && reportedBalances(pool, latest.report, latest.state).find((each) => isOf(trade, each));
  if (after && pool && isPricedBefore(trade, after)) {
    const { factor, accrued_from, ...amounts } = known(trade, await amountsAfter(pool, trade, after));
    return { ...numbersOf(amounts), factor: Number(factor), accrued_from };
  }
  if (!trade.varies) return {};
  const accrual = known(trade, await loadAccrual(orNotFound(pool, 'pool'), trade, trade.accrued_from));
  const { accrued_interest, net_amount } = numbersOf(amountsAt(trade, trade.factor, accrual));
  return { accrued_interest, net_amount };
}

/** A pool with its reports and the coupons of its tranches by where their accruals begin, each of which is loaded once. */
export type CouponedPool = ServicedPool & {
  couponOf: (tranche: string, from: string) => Promise<AccrualCoupon>;
  payments: () => Promise<ReportedPayment[]>;
};

export function withCoupons(tx: Tx, pool: ServicedPool): CouponedPool {
  const loaded = new Map<string, Promise<AccrualCoupon>>();
  const couponOf = (tranche: string, from: string): Promise<AccrualCoupon> => {
    const key = `${from} ${tranche}`;
    const coupon = loaded.get(key) ?? loadCoupon(tx, pool, tranche, from);
    loaded.set(key, coupon);
    return coupon;
  };
  let payments: Promise<ReportedPayment[]> | null = null;
  return { ...pool, couponOf, payments: () => (payments ??= listPayments(tx, pool)) };
}

async function findStructured(tx: Tx, { pool_id, deal_id }: ReportedTrade): Promise<CouponedPool | null> {
  const owner = await findPoolOwner(tx, pool_id);
  const pool = owner && (await findPool(tx, owner, pool_id));
  return pool?.structure ? withCoupons(tx, { ...pool, structure: pool.structure, deal_id }) : null;
}

const isOf = ({ tranche }: ReportedTrade, balance: TrancheBalance): boolean => tranche === balance.tranche;

/** Whether a trade has other terms than those after a payment: it was priced before it, or before its report was restated. */
const isPricedBefore = (trade: ReportedTrade, after: TrancheBalance): boolean =>
  after.accrued_from > trade.accrued_from || (after.accrued_from === trade.accrued_from && !isAtFactor(trade, after));

export const isAtFactor = (trade: ReportedTrade, after: TrancheBalance): boolean =>
  Number(factorAfter(trade, after)) === Number(trade.factor);

/** As the database computes it. */
function factorAfter({ original_balance }: ReportedTrade, { balance }: TrancheBalance): string {
  const original = parseDecimal(original_balance);
  return original.units === 0n ? '0' : formatDecimal(divideDecimals(parseDecimal(balance.toFixed(2)), original, 8, 'HALF_UP'));
}

/** The interest of an accrual is not known yet: since when, and why. */
export type Missing = { accrued_from: string; missing: string };

export type AmountsAfter = Omit<TradeAmounts, 'current_face'> & { factor: string; accrued_from: string };

/** The amounts of a trade without the payments up to one: at the factor after it, with interest from it on, which is negative before its date. */
export async function amountsAfter(
  pool: CouponedPool,
  trade: ReportedTrade,
  after: TrancheBalance,
): Promise<AmountsAfter | Missing> {
  const { accrued_from } = after;
  const factor = factorAfter(trade, after);
  const isAhead = trade.settlement_date < accrued_from && accrued_from > trade.dated_date;
  const own = isAhead ? accrualOf(trade, accrued_from) : await loadAccrual(pool, trade, accrued_from);
  if ('missing' in own) return own;
  const forgone = isAhead && trade.varies ? await loadForgone(pool, trade, accrued_from) : null;
  if (forgone && 'missing' in forgone) return forgone;
  return { ...amountsAt(trade, factor, own, { ex: isAhead, ...(forgone ? { forgone } : {}) }), factor, accrued_from };
}

/** The accruals from the settlement of a trade to a payment: their interest is that of whoever was paid it. */
async function loadForgone(pool: CouponedPool, trade: ReportedTrade, until: string): Promise<Accrual[] | Missing> {
  const { day_count, dated_date, settlement_date } = trade;
  const starts = (await pool.payments()).map((each) => accrualStartAfter(pool.structure, datesOf(pool), day_count, each));
  const accruals: Accrual[] = [];
  const begun = [dated_date, ...starts.filter((start) => start > dated_date && start < until)];
  for (const [place, start] of begun.entries()) {
    if ((begun[place + 1] ?? until) <= settlement_date) continue;
    const accrual = await loadAccrual(pool, trade, start);
    if ('missing' in accrual) return accrual;
    accruals.push(accrual);
  }
  return accruals;
}

/** The accrual of a trade's tranche that begins on a date, with its coupon. */
async function loadAccrual({ couponOf }: CouponedPool, trade: ReportedTrade, from: string): Promise<Accrual | Missing> {
  if (!trade.varies) return accrualOf(trade, from);
  const { coupon, missing } = await couponOf(trade.tranche, from);
  return missing === null ? { ...accrualOf(trade, from), coupon } : { accrued_from: from, missing };
}

const accrualOf = ({ coupon, day_count, payment_day }: ReportedTrade, from: string): Accrual => ({
  coupon,
  dayCount: day_count,
  from,
  paymentDay: payment_day,
});

function amountsAt(
  { face, price, settlement_date }: ReportedTrade,
  factor: string,
  accrual: Accrual,
  ex: { ex?: boolean; forgone?: readonly Accrual[] } = {},
): Omit<TradeAmounts, 'current_face'> {
  const { current_face: _current, ...amounts } = tradeAmounts(face, factor, price, accrual, settlement_date, ex);
  return amounts;
}

const numbersOf = ({ principal_amount, accrued_interest, net_amount }: Omit<TradeAmounts, 'current_face'>) => ({
  principal_amount: Number(principal_amount),
  accrued_interest: Number(accrued_interest),
  net_amount: Number(net_amount),
});

/** 422 for what is not known. */
function known<Found extends object>({ index, tranche_id, settlement_date }: ReportedTrade, found: Found | Missing): Found {
  if (!('missing' in found)) return found;
  const { accrued_from, missing } = found;
  const message = `The interest from ${accrued_from} to ${settlement_date} is not known: ${missing}.`;
  throw new ApiError('FIXING_MISSING', message, { extra: { index, accrued_from, tranche_id } });
}
