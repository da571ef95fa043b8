import { afterDay, recordDate } from '../../finance/business-date.ts';
import { divideDecimals, formatDecimal, parseDecimal } from '../../finance/decimal.ts';
import { type Accrual, tradeAmounts } from '../../finance/settlement.ts';
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

/** Balance and beginning of the interest after the payment that a trade is booked ex of; where the accruals before began that it has not been paid either. */
type ExTerms = { balance: number; accrued_from: string; passed: string[] };

/** Null where the trade was priced after the latest payment whose record date has passed. */
async function findExTerms(tx: Tx, { deal_id }: TradeRow, { tranche, accrued_from }: TradeAccrual): Promise<ExTerms | null> {
  const passed = (await listLatestOfDeal(tx, deal_id, LATEST)).filter(
    ({ payment_date }) => afterDay(recordDate(payment_date), tx.zone) <= tx.now,
  );
  const pool = passed[0] && (await findStructured(tx, passed[0].pool_id));
  if (!pool) return null;
  const [terms, ...earlier] = passed.flatMap(({ report, state }) =>
    reportedBalances(pool, report, state).filter((each) => each.tranche === tranche && each.accrued_from > accrued_from),
  );
  return terms ? { ...terms, passed: earlier.map((each) => each.accrued_from).toReversed() } : null;
}

/** Reports ahead of the latest record date that has passed: more are not sent in advance. */
const LATEST = 12;

async function findStructured(tx: Tx, poolId: Id<'pool'>) {
  const owner = await findPoolOwner(tx, poolId);
  const pool = owner && (await findPool(tx, owner, poolId));
  return pool?.structure ? { ...pool, structure: pool.structure } : null;
}

async function exAmounts(tx: Tx, trade: TradeRow, before: TradeAccrual, terms: ExTerms): Promise<SettledAmounts> {
  const { balance, accrued_from } = terms;
  const isAhead = trade.settlement_date < accrued_from;
  const accrual = isAhead ? before : await withCoupon(tx, trade, { ...before, accrued_from });
  const forgone = isAhead && before.varies ? { forgone: await loadForgone(tx, trade, before, terms) } : {};
  const [units, original] = [parseDecimal(balance.toFixed(2)), parseDecimal(before.original_balance)];
  const factor = original.units === 0n ? '0' : formatDecimal(divideDecimals(units, original, 8));
  const amounts = amountsAt(trade, factor, accrual, accrued_from, { ex: true, ...forgone });
  return { ...amounts, factor: Number(factor), accrued_from };
}

/** The accruals from the settlement of a trade to the payment that it is booked ex of: their interest is that of whoever was paid it. */
async function loadForgone(tx: Tx, trade: TradeRow, before: TradeAccrual, { passed, accrued_from }: ExTerms): Promise<Accrual[]> {
  const starts = [before.accrued_from, ...passed];
  const accruals: Accrual[] = [];
  for (const [place, start] of starts.entries()) {
    if ((starts[place + 1] ?? accrued_from) <= trade.settlement_date) continue;
    accruals.push(toAccrual(await withCoupon(tx, trade, { ...before, accrued_from: start })));
  }
  return accruals;
}

const toAccrual = ({ coupon, day_count, accrued_from, payment_day }: TradeAccrual): Accrual => ({
  coupon,
  dayCount: day_count,
  from: accrued_from,
  paymentDay: payment_day,
});

function amountsAt(
  trade: TradeRow,
  factor: string,
  accrual: TradeAccrual,
  from: string,
  ex: { ex?: boolean; forgone?: readonly Accrual[] } = {},
) {
  const accruing = { ...toAccrual(accrual), from };
  const amounts = tradeAmounts(trade.face.toFixed(2), factor, String(trade.price), accruing, trade.settlement_date, ex);
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
