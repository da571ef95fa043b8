import { addDays } from '../../finance/dates.ts';
import { accrualCoupons, accrualStartAfter, isLimitedByLoans } from '../../finance/structure/accrual-coupons.ts';
import { fixingsOf, knownFixing, resetPlace } from '../../finance/structure/compiled-coupon.ts';
import { datesOf, firstPeriods, withPaidDates } from '../../finance/structure/periods.ts';
import { openRemittances } from '../../finance/structure/remittance.ts';
import type { Structure, Tranche } from '../../finance/structure/structure.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import { findPool, type Pool } from '../pools/queries.ts';
import {
  findReport,
  hasVaryingCoupon,
  holdDeal,
  listFollowing,
  listObserved,
  listPayments,
  type ReportedPayment,
  updateCoupons,
} from './queries.ts';

/** A pool of an issued deal, as its coupons follow from it. */
export type IssuedPool = Pick<Pool, 'organization_id' | 'pool_id' | 'balance' | 'wac' | 'cut_off_date' | 'closing_date'> & {
  structure: Structure;
  deal_id: Id<'deal'>;
};

/** The coupon of one accrual of a tranche. */
export type AccrualCoupon = {
  /** Decimal text, percent a year; null where it is not known. */
  coupon: string | null;
  /** Where it is not known: why, and what to do. */
  missing: string | null;
};

/** Sets the coupons in force: of the accrual that follows the last applied report. Whoever calls it holds the deal. */
export async function setCoupons(tx: Tx, pool: IssuedPool): Promise<void> {
  if (!(await hasVaryingCoupon(tx, pool.deal_id))) return;
  const payments = await listPayments(tx, pool);
  const coupons = await loadCoupons(tx, pool, payments, (payments.findLast((each) => each.applied)?.period ?? 0) + 1);
  const named = pool.structure.tranches.map(({ tranche }, place) => ({ tranche, coupon: coupons[place]?.coupon ?? null }));
  await updateCoupons(tx, pool.deal_id, named);
}

/** Sets the coupons in force of every deal with a tranche that follows an index. In the platform's scope. */
export async function followFixing(tx: Tx, index: string): Promise<void> {
  for (const { organization_id, pool_id, deal_id } of await listFollowing(tx, index)) {
    // A report that is applied at this moment reads the fixings of before: it comes first, or waits.
    await holdDeal(tx, deal_id);
    const pool = await findPool(tx, organization_id, pool_id);
    if (pool?.structure) await setCoupons(tx, { ...pool, structure: pool.structure, deal_id });
  }
}

/** The coupon of a tranche in the accrual that a day is the first of, or the latest begun by then. */
export async function loadCoupon(tx: Tx, pool: IssuedPool, tranche: string, from: string): Promise<AccrualCoupon> {
  const place = pool.structure.tranches.findIndex((each) => each.tranche === tranche);
  const payments = await listPayments(tx, pool);
  const { day_count = '30/360' } = pool.structure.tranches[place] ?? {};
  const before = payments.findLast((each) => accrualStartAfter(pool.structure, datesOf(pool), day_count, each) <= from);
  const coupon = (await loadCoupons(tx, pool, payments, (before?.period ?? 0) + 1))[place];
  if (!coupon) throw new Error(`${tranche} is no tranche of ${pool.pool_id}`);
  return coupon;
}

/**
 * The coupons of the accrual that ends with the payment of a period, by tranche. What the report of the period says of its rates counts
 * first; where the rate of the loans is needed and not reported, it is that of the pool at the cut-off or of the report before, less the fees.
 */
async function loadCoupons(
  tx: Tx,
  pool: IssuedPool,
  payments: readonly ReportedPayment[],
  period: number,
): Promise<AccrualCoupon[]> {
  const { structure, balance } = pool;
  const before = await findReport(tx, pool, period - 1);
  const own = await findReport(tx, pool, period);
  const indices = await loadIndices(tx, pool, payments, period);
  const wac = before ? before.report.collateral.wac : pool.wac;
  const facts = {
    period,
    state: before?.state ?? openRemittances(structure, Number(balance)),
    ...(own ? { paymentDate: own.report.payment_date } : {}),
    loanRate: null,
    netRate: own?.report.rates?.NET_WAC ?? null,
    indices,
  };
  const reported = accrualCoupons(structure, datesOf(pool), facts);
  const loanRate = wac === undefined || wac === null ? null : Number(wac);
  const computed = accrualCoupons(structure, datesOf(pool), { ...facts, loanRate });
  return structure.tranches.map((tranche, place): AccrualCoupon => {
    const row = own?.report.tranches.find((each) => each.tranche === tranche.tranche);
    const coupon = reported[place] ?? row?.rate ?? computed[place] ?? null;
    if (coupon !== null) return { coupon: decimalText(coupon), missing: null };
    return { coupon: null, missing: whyMissing(tranche, period, indices[place] ?? null, loanRate) };
  });
}

const decimalText = (coupon: number): string => coupon.toFixed(8).replace(/\.?0+$/, '');

function whyMissing({ tranche, coupon }: Tranche, period: number, index: number | null, loanRate: number | null): string {
  if (coupon?.type === 'FLOATING' && index === null) return `${coupon.index} has no fixing. Record one`;
  const own = `period ${period} with rates.NET_WAC or the rate of ${tranche}`;
  if (!isLimitedByLoans(coupon) || loanRate !== null) {
    return `the coupon of ${tranche} depends on what period ${period} collects: report ${own}`;
  }
  const limited = `the net rate of the loans limits the coupon of ${tranche}, and`;
  if (period === 1) return `${limited} the pool has no rate of its loans: report ${own}`;
  return `${limited} the report of period ${period - 1} has no collateral.wac: restate that one with it, or report ${own}`;
}

/**
 * The indices of floaters in a period: as its report gives them, else of the latest reset as its report, the operator or the structure has
 * them, which is the order in which a report is verified; a fixing that the operator recorded for another accrual stands in for none.
 */
async function loadIndices(
  tx: Tx,
  pool: IssuedPool,
  payments: readonly ReportedPayment[],
  period: number,
): Promise<(number | null)[]> {
  const { structure } = pool;
  const dates = datesOf(pool);
  const paid = Object.fromEntries(payments.map(({ period: number, payment_date }) => [number - 1, payment_date]));
  const periods = withPaidDates(firstPeriods(structure.payment, dates, period), paid);
  const resets = structure.tranches.map(({ coupon, day_count = '30/360' }) => {
    if (coupon?.type !== 'FLOATING') return null;
    const { index, reset } = coupon;
    const place = resetPlace(reset, periods, period - 1);
    const observed = (of: number): string => {
      const payment = payments.find((each) => each.period === of);
      const start = payment ? accrualStartAfter(structure, dates, day_count, payment) : periods.datedDate;
      return addDays(start > periods.datedDate ? start : periods.datedDate, -(reset?.lag_days ?? 0));
    };
    return { index, place, day: observed(place), before: place === 0 ? '' : observed(place - 1) };
  });
  const recorded = await listObserved(
    tx,
    resets.filter((each) => each !== null),
  );
  return resets.map((each) => {
    if (!each) return null;
    const fixed = recorded.shift();
    const isOfAccrual = fixed?.date ? fixed.date <= each.day && fixed.date > each.before : false;
    return (
      fixingOf(payments, period, each.index) ??
      fixingOf(payments, each.place + 1, each.index) ??
      (isOfAccrual ? fixed?.rate : null) ??
      knownFixing(fixingsOf(structure, each.index), periods, each.place)?.rate ??
      fixed?.rate ??
      null
    );
  });
}

function fixingOf(payments: readonly ReportedPayment[], period: number, index: string): number | undefined {
  const fixings = payments.find((each) => each.period === period)?.fixings ?? {};
  return Object.hasOwn(fixings, index) ? fixings[index] : undefined;
}
