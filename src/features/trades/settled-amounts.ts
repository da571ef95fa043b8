import { afterDay, recordDate } from '../../finance/business-date.ts';
import { divideDecimals, formatDecimal, parseDecimal } from '../../finance/decimal.ts';
import { tradeAmounts } from '../../finance/settlement.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Id } from '../../platform/ids.ts';
import { loadCoupon } from '../coupons/coupon.ts';
import { findPoolOwner, findPool } from '../pools/queries.ts';
import { reportedBalances } from '../remittances/derive.ts';
import { listLatestOfDeal } from '../remittances/queries.ts';
import { findTradeAccrual, type TradeAccrual, type TradeRow } from './queries.ts';
import type { SettledAmounts } from './trade.ts';

/**
 * The amounts that settling fixes. A trade that settles after the record date of a payment that it was priced before is booked ex: without that
 * payment, at the factor after it, with interest from that payment on, which is negative before its date. A trade in a coupon that
 * varies has the interest of its accrual's, which may have become known or been corrected after the acceptance: 422 where it is not known. Any
 * other trade keeps its amounts.
 */
export async function settledAmounts(tx: Tx, trade: TradeRow): Promise<SettledAmounts> {
  const accrual = await findTradeAccrual(tx, trade.trade_id);
  const ex = await findExTerms(tx, trade, accrual);
  if (ex) return exAmounts(tx, trade, accrual, ex);
  if (!accrual.varies) return {};
  const known = await withCoupon(tx, trade, accrual);
  const { accrued_interest, net_amount } = amountsAt(trade, String(trade.factor), known, accrual.accrued_from);
  return { accrued_interest, net_amount };
}

/** Balance and beginning of the interest after the payment that a trade is booked ex of. */
type ExTerms = { balance: number; accrued_from: string };

/** Null where the trade was priced after the latest payment whose record date has passed. */
async function findExTerms(tx: Tx, { deal_id }: TradeRow, { tranche, accrued_from }: TradeAccrual): Promise<ExTerms | null> {
  const passed = (await listLatestOfDeal(tx, deal_id, LATEST)).find(
    ({ payment_date }) => afterDay(recordDate(payment_date), tx.zone) <= tx.now,
  );
  if (!passed) return null;
  const pool = await findStructured(tx, passed.pool_id);
  const terms = pool && reportedBalances(pool, passed.report, passed.state).find((each) => each.tranche === tranche);
  return terms && terms.accrued_from > accrued_from ? terms : null;
}

/** Reports ahead of the latest record date that has passed: more are not sent in advance. */
const LATEST = 12;

async function findStructured(tx: Tx, poolId: Id<'pool'>) {
  const owner = await findPoolOwner(tx, poolId);
  const pool = owner && (await findPool(tx, owner, poolId));
  return pool?.structure ? { ...pool, structure: pool.structure } : null;
}

async function exAmounts(
  tx: Tx,
  trade: TradeRow,
  before: TradeAccrual,
  { balance, accrued_from }: ExTerms,
): Promise<SettledAmounts> {
  const isAhead = trade.settlement_date < accrued_from;
  // Interest from the settlement to the payment belongs to the period that the payment ends.
  const accrual = isAhead ? before : await findTradeAccrual(tx, trade.trade_id, accrued_from);
  const [units, original] = [parseDecimal(balance.toFixed(2)), parseDecimal(before.original_balance)];
  const factor = original.units === 0n ? '0' : formatDecimal(divideDecimals(units, original, 8));
  return {
    ...amountsAt(trade, factor, await withCoupon(tx, trade, accrual), accrued_from, true),
    factor: Number(factor),
    accrued_from,
  };
}

function amountsAt(trade: TradeRow, factor: string, { coupon, day_count }: TradeAccrual, from: string, ex = false) {
  const accrual = { coupon, dayCount: day_count, from };
  const amounts = tradeAmounts(trade.face.toFixed(2), factor, String(trade.price), accrual, trade.settlement_date, { ex });
  return {
    principal_amount: Number(amounts.principal_amount),
    accrued_interest: Number(amounts.accrued_interest),
    net_amount: Number(amounts.net_amount),
  };
}

/** With the coupon of its accrual; 422 where that is not known. */
async function withCoupon(tx: Tx, trade: TradeRow, accrual: TradeAccrual): Promise<TradeAccrual> {
  if (!accrual.varies) return accrual;
  const { index, tranche, accrued_from } = accrual;
  const pool = orNotFound(await findStructured(tx, accrual.pool_id), 'pool');
  const { coupon, missing } = await loadCoupon(tx, { ...pool, deal_id: trade.deal_id }, tranche, accrued_from);
  if (missing === null) return { ...accrual, coupon };
  const message = `The interest from ${accrued_from} to ${trade.settlement_date} is not known: ${missing}.`;
  throw new ApiError('FIXING_MISSING', message, { extra: { index, accrued_from, tranche_id: trade.tranche_id } });
}
