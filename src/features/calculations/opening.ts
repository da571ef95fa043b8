import { testsOf } from '../../finance/structure/amount-faults.ts';
import { type Fixing, fixingAt, fixingsOf, followedIndices } from '../../finance/structure/compiled-coupon.ts';
import type { CalculationFault } from '../../finance/structure/normalize.ts';
import { monthsPaid } from '../../finance/structure/opening.ts';
import type { CalculationOpening, OpeningTape } from '../../finance/structure/normal-request.ts';
import { calendarDates, datesOf } from '../../finance/structure/periods.ts';
import type { CalculationRequest } from '../../finance/structure/request.ts';
import type { RemittanceState } from '../../finance/structure/remittance.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import { listPayments, type ReportedPayment } from '../coupons/queries.ts';
import { loadFixings } from '../fixings/queries.ts';
import { addDays, addMonths, monthsBetween } from '../../finance/dates.ts';
import { findMonthUpTo } from '../servicing/queries.ts';
import { findRemittanceBefore, type RemittanceWithState } from '../remittances/queries.ts';

/** A pool whose deal may have paid. */
type PaidPool = {
  organization_id: Id<'org'>;
  pool_id: Id<'pool'>;
  structure: Structure;
  cut_off_date: string;
  closing_date: string;
};

/** Where a calculation starts, null for the closing date; the structure with the fixings that are known there; and what to say of the choice. */
export type FoundOpening = {
  opening: CalculationOpening | null;
  structure: Structure;
  faults: CalculationFault[];
  warnings: string[];
};

/** Reads the state from which the request starts, as its `from` and its dates say. */
export async function findOpening(tx: Tx, pool: PaidPool, request: CalculationRequest): Promise<FoundOpening> {
  const { structure } = pool;
  const fromClosing = { opening: null, structure, faults: [], warnings: [] };
  if (request.from === 'CUT_OFF') return fromClosing;
  const applied = (await listPayments(tx, pool)).filter((each) => each.applied);
  const latest = applied.at(-1);
  const from = request.from ?? (latest && isLater(request, latest.payment_date) ? 'LATEST' : 'CUT_OFF');
  if (from === 'CUT_OFF') return { ...fromClosing, warnings: unsaidStart(pool, request, applied) };
  const last = from === 'LATEST' ? latest : applied.find(({ period }) => period === from);
  const report = last && (await findRemittanceBefore(tx, pool, last.period + 1));
  if (!report) return { ...fromClosing, faults: [notApplied(from, latest)] };
  const { called_in } = report.state;
  if (called_in !== undefined) return { ...fromClosing, faults: [called(called_in)] };
  const paid = applied.filter(({ period }) => period <= report.period);
  const tape = await findTape(tx, pool, report);
  return {
    opening: {
      from,
      ...(tape ? { tape } : {}),
      state: { ...withAccounts(report.state, structure), payment_date: report.payment_date },
      payment_dates: paid.map(({ payment_date }) => payment_date),
      warnings: unknownAfter(report, structure),
    },
    structure: await withFixings(tx, pool, paid),
    faults: [],
    warnings: notReported(pool, latest?.period ?? report.period, request),
  };
}

/** The payment dates of a deal up to a date, of the periods after one. */
export function paymentDatesUpTo(
  pool: Pick<PaidPool, 'structure' | 'cut_off_date' | 'closing_date'>,
  period: number,
  until: string,
): string[] {
  const months = Math.max(0, monthsBetween(pool.cut_off_date, until)) + 1;
  const dates = calendarDates(pool.structure, datesOf(pool), Math.max(period, months));
  return dates.slice(period).filter((date) => date <= until);
}

/** What settles after payments that nobody has reported is priced on a balance that is projected. */
function notReported(pool: PaidPool, latest: number, { as_of, settlement_date = as_of }: CalculationRequest): string[] {
  const dates = settlement_date === undefined ? [] : paymentDatesUpTo(pool, latest, settlement_date);
  if (dates.length === 0) return [];
  return [
    `no report of the payment on ${dates.join(', ')} is applied: prices, yields and lives are of what is paid after settlement on ${settlement_date}, per balance that is projected for then`,
  ];
}

/** The newest monthly tape up to a report; null where there is none, and where the closing tape alone tells what an adjustment was at first. */
async function findTape(tx: Tx, pool: PaidPool, { period, state }: RemittanceWithState): Promise<OpeningTape | null> {
  const { structure } = pool;
  if (structure.pool?.adjustment && state.adjustment_original === undefined) return null;
  const month = await findMonthUpTo(tx, pool, period);
  if (!month) return null;
  const months = monthsPaid(structure, datesOf(pool), month.period);
  return { period: month.period, months, cut_off: addMonths(pool.cut_off_date, months), loans_key: month.loans_key };
}

/** Whether a request that does not say so counts from the last payment: it names a date, and none before it. */
const isLater = ({ as_of, settlement_date = as_of }: CalculationRequest, paymentDate: string): boolean =>
  as_of !== undefined && as_of >= paymentDate && settlement_date !== undefined && settlement_date >= paymentDate;

/** A request that does not say `from` starts from the closing date although the deal has paid, unless all its dates are before the first payment. */
function unsaidStart(
  { cut_off_date }: PaidPool,
  { as_of, settlement_date }: CalculationRequest,
  applied: readonly ReportedPayment[],
): string[] {
  const [first, latest] = [applied[0], applied.at(-1)];
  if (!first || !latest) return [];
  const named = [as_of, settlement_date].filter((date) => date !== undefined);
  if (named.length > 0 && named.every((date) => date < first.payment_date)) return [];
  const { period, payment_date } = latest;
  const early = as_of !== undefined && as_of < payment_date ? `as_of ${as_of}` : `settlement_date ${settlement_date}`;
  const because =
    as_of === undefined ? 'neither from nor as_of is given' : `from is not given, and ${early} is before that payment`;
  return [
    `it starts from the closing date, with the loans of ${cut_off_date}, although reports up to period ${period} (paid on ${payment_date}) are applied: ` +
      `${because}; "from": "LATEST" starts after them, "from": "CUT_OFF" says that the closing date is meant`,
  ];
}

function notApplied(from: 'LATEST' | number, latest: ReportedPayment | undefined): CalculationFault {
  const known = latest
    ? `expected LATEST, CUT_OFF or a period from 1 to ${latest.period}, the last applied report`
    : 'no report of this pool was applied: leave it out, or CUT_OFF';
  return { code: 'ASSUMPTIONS_INVALID', path: 'from', message: `is ${from}; ${known}` };
}

const called = (period: number): CalculationFault => ({
  code: 'ASSUMPTIONS_INVALID',
  path: 'from',
  message: `starts after the call of the pool in period ${period}: nothing is left to project; expected CUT_OFF or an earlier period`,
});

/** A state of before kept the accounts as one balance. */
function withAccounts(state: RemittanceState, { accounts = [] }: Structure): RemittanceState {
  const [only] = accounts;
  if (state.accounts || !only || accounts.length > 1) return state;
  return { ...state, accounts: { [only.account]: { balance: state.reserve_balance } } };
}

/** What the waterfall alone would say of a state, where a report ran none: for want of its cash, or of what it needs besides. */
function unknownAfter({ state }: RemittanceWithState, structure: Structure): string[] {
  // A state from before says nothing of the waterfall at all.
  const since = state.without_waterfall ?? (state.fees ? undefined : state.period);
  const { accounts = [], fees = [], tranches, waterfall, losses } = structure;
  const tests = testsOf(structure).map(({ test }) => test);
  const unknown = [
    ...(fees.length > 0 ? ['unpaid fees'] : []),
    ...(accounts.length > 0 ? ['accounts whose balance it does not say'] : []),
    ...(accounts.some(({ non_declining }) => non_declining) ? ['their highest targets'] : []),
    ...(waterfall.some(({ limit }) => typeof limit === 'object' && 'per' in limit) ? ['what limits of the year have paid'] : []),
    ...(tranches.some(({ coupon }) => coupon && 'carry_over' in coupon && coupon.carry_over)
      ? ['interest that caps have cut']
      : []),
    ...(losses?.mode === 'REVERSE_SEQUENTIAL' ? ['balances written down before'] : []),
    ...(tests.some(({ ratio }) => ratio !== undefined) ? ['ratios that triggers test'] : []),
    ...(tests.some(({ metric }) => metric === 'PRINCIPAL_SHORTFALL') ? ['the principal that was short'] : []),
  ];
  if (since === undefined || unknown.length === 0) return [];
  return [
    `the report of period ${since} could not be run through the waterfall, for want of its cash or of other figures: ${unknown.join(', ')} are taken as the reports before and since say`,
  ];
}

/**
 * The structure with the fixings of the periods that were paid and of the one in progress. Those of a report win over the recorded ones, and
 * these over the structure's.
 */
async function withFixings(tx: Tx, { structure, closing_date }: PaidPool, paid: readonly ReportedPayment[]): Promise<Structure> {
  const indices = followedIndices(structure);
  if (indices.length === 0) return structure;
  const recorded = await loadFixings(tx, indices);
  const starts = [structure.payment?.dated_date ?? closing_date, ...paid.map(({ payment_date }) => payment_date)];
  const fixings = indices.map((index) => [
    index,
    [
      ...fixingsOf(structure, index),
      ...recordedFor(starts, fixingsOf({ fixings: recorded }, index), lagOf(structure, index)),
      ...paid.flatMap(({ fixings: reported }, place) => {
        const rate = reported && Object.hasOwn(reported, index) ? reported[index] : undefined;
        return rate === undefined ? [] : [{ date: starts[place], rate }];
      }),
    ],
  ]);
  return { ...structure, fixings: { ...structure.fixings, ...Object.fromEntries(fixings) } };
}

/** The recorded fixings of accruals by their first days. They are dated these, so that of two for an accrual the one that counts is the last. */
function recordedFor(starts: readonly string[], recorded: readonly Fixing[], lagDays: number): Fixing[] {
  const observed = starts.map((start) => addDays(start, -lagDays));
  return observed.flatMap((day, place) => {
    const found = fixingAt(recorded, day, observed[place - 1]);
    return found ? [{ date: starts[place] ?? day, rate: found.rate }] : [];
  });
}

/** Days before an accrual on which its index is observed. A structure has one fixing of an index for an accrual: the first that follows it decides. */
function lagOf({ tranches }: Structure, index: string): number {
  const follower = tranches.find(({ coupon }) => coupon?.type === 'FLOATING' && coupon.index === index);
  return follower?.coupon?.type === 'FLOATING' ? (follower.coupon.reset?.lag_days ?? 0) : 0;
}
