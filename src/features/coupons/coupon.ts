import { addDays } from '../../finance/dates.ts';
import { accrualCoupons, accrualStartAfter, isLimitedByLoans } from '../../finance/structure/accrual-coupons.ts';
import { fixingsOf, knownFixing, resetPlace } from '../../finance/structure/compiled-coupon.ts';
import { datesOf, firstPeriods, withPaidDates } from '../../finance/structure/periods.ts';
import { openRemittances } from '../../finance/structure/remittance.ts';
import type { Tranche } from '../../finance/structure/structure.ts';
import type { Tx } from '../../platform/db/database.ts';
import {
  hasVaryingCoupon,
  holdDeals,
  type IssuedPool,
  listFollowing,
  listIssuedPools,
  listObserved,
  listPayments,
  listPaymentsOf,
  listReports,
  type Report,
  type ReportedPayment,
  updateCoupons,
} from './queries.ts';

/** The coupon of one accrual of a tranche. */
export type AccrualCoupon = {
  /** Decimal text, percent a year; null where it is not known. */
  coupon: string | null;
  /** Where it is not known: why, and what to do. */
  missing: string | null;
};

/** Sets the coupons in force: of the accrual that follows the last applied report. Whoever calls it holds the deal. */
export async function setCoupons(tx: Tx, pool: IssuedPool): Promise<void> {
  if (await hasVaryingCoupon(tx, pool.deal_id)) await setCouponsOf(tx, [pool]);
}

async function setCouponsOf(tx: Tx, pools: readonly IssuedPool[]): Promise<void> {
  const reported = await listPaymentsOf(tx, pools);
  const accruals = pools.map((pool, nth): Accrual => {
    const payments = reported[nth] ?? [];
    return { pool, payments, period: (payments.findLast((each) => each.applied)?.period ?? 0) + 1 };
  });
  const coupons = await loadCoupons(tx, accruals);
  const named = pools.flatMap(({ deal_id, structure }, nth) =>
    structure.tranches.map(({ tranche }, place) => ({ deal_id, tranche, coupon: coupons[nth]?.[place]?.coupon ?? null })),
  );
  await updateCoupons(tx, named);
}

const DEALS_AT_ONCE = 50;

/** Sets the coupons in force of every deal with a tranche that follows an index. In the platform's scope. */
export async function followFixing(tx: Tx, index: string): Promise<void> {
  const dealIds = await listFollowing(tx, index);
  for (let from = 0; from < dealIds.length; from += DEALS_AT_ONCE) {
    const some = dealIds.slice(from, from + DEALS_AT_ONCE);
    // A report that is applied at this moment reads the fixings of before: it comes first, or waits.
    await holdDeals(tx, some);
    await setCouponsOf(tx, await listIssuedPools(tx, some));
  }
}

/** The coupon of a tranche in the accrual that a day is the first of, or the latest begun by then. */
export async function loadCoupon(tx: Tx, pool: IssuedPool, tranche: string, from: string): Promise<AccrualCoupon> {
  const place = pool.structure.tranches.findIndex((each) => each.tranche === tranche);
  const payments = await listPayments(tx, pool);
  const { day_count = '30/360' } = pool.structure.tranches[place] ?? {};
  const before = payments.findLast((each) => accrualStartAfter(pool.structure, datesOf(pool), day_count, each) <= from);
  const [coupons] = await loadCoupons(tx, [{ pool, payments, period: (before?.period ?? 0) + 1 }]);
  const coupon = coupons?.[place];
  if (!coupon) throw new Error(`${tranche} is no tranche of ${pool.pool_id}`);
  return coupon;
}

/** The accrual of a pool's tranches that ends with the payment of a period. */
type Accrual = { pool: IssuedPool; payments: readonly ReportedPayment[]; period: number };

/**
 * The coupons of accruals, by tranche. What the report of the period says of its rates counts first; where the rate of the loans is needed and
 * not reported, it is that of the pool at the cut-off or of the report before, less the fees.
 */
async function loadCoupons(tx: Tx, accruals: readonly Accrual[]): Promise<AccrualCoupon[][]> {
  const periodOf = ({ pool: { organization_id, pool_id } }: Accrual, period: number) => ({ organization_id, pool_id, period });
  const before = await listReports(
    tx,
    accruals.map((each) => periodOf(each, each.period - 1)),
  );
  const own = await listReports(
    tx,
    accruals.map((each) => periodOf(each, each.period)),
  );
  const indices = await loadIndices(tx, accruals);
  return accruals.map((accrual, nth) =>
    couponsOf(accrual, { before: before[nth] ?? null, own: own[nth] ?? null, indices: indices[nth] ?? [] }),
  );
}

type Facts = { before: Report | null; own: Report | null; indices: readonly (number | null)[] };

function couponsOf({ pool, period }: Accrual, { before, own, indices }: Facts): AccrualCoupon[] {
  const { structure, balance } = pool;
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
 * The indices of floaters in accruals: as the report of the period gives them, else of the latest reset as its report, the operator or the
 * structure has them, which is the order in which a report is verified; a fixing that the operator recorded for another accrual stands in for
 * none.
 */
async function loadIndices(tx: Tx, accruals: readonly Accrual[]): Promise<(number | null)[][]> {
  const resets = accruals.map((accrual) => ({ accrual, ...resetsOf(accrual) }));
  const recorded = await listObserved(
    tx,
    resets.flatMap(({ floaters }) => floaters.filter((each) => each !== null)),
  );
  return resets.map(({ accrual: { pool, payments, period }, periods, floaters }) =>
    floaters.map((each) => {
      if (!each) return null;
      const fixed = recorded.shift();
      const isOfAccrual = fixed?.date ? fixed.date <= each.day && fixed.date > each.before : false;
      return (
        fixingOf(payments, period, each.index) ??
        fixingOf(payments, each.place + 1, each.index) ??
        (isOfAccrual ? fixed?.rate : null) ??
        knownFixing(fixingsOf(pool.structure, each.index), periods, each.place)?.rate ??
        fixed?.rate ??
        null
      );
    }),
  );
}

/** The periods of an accrual's deal, and of each tranche, where it is a floater, the latest reset and the days of which it has its index. */
function resetsOf({ pool, payments, period }: Accrual) {
  const { structure } = pool;
  const dates = datesOf(pool);
  const paid = Object.fromEntries(payments.map(({ period: number, payment_date }) => [number - 1, payment_date]));
  const periods = withPaidDates(firstPeriods(structure.payment, dates, period), paid);
  const floaters = structure.tranches.map(({ coupon, day_count = '30/360' }) => {
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
  return { periods, floaters };
}

function fixingOf(payments: readonly ReportedPayment[], period: number, index: string): number | undefined {
  const fixings = payments.find((each) => each.period === period)?.fixings ?? {};
  return Object.hasOwn(fixings, index) ? fixings[index] : undefined;
}
