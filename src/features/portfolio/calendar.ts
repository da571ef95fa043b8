import { recordDate } from '../../finance/business-date.ts';
import { monthsBetween } from '../../finance/dates.ts';
import { formatCents, parseCents, toCents } from '../../finance/money.ts';
import { MONTHS_BETWEEN_PAYMENTS } from '../../finance/schedule.ts';
import { MAX_PERIODS } from '../../finance/structure/amount.ts';
import { buildPeriods, datesOf, withPaidDates } from '../../finance/structure/periods.ts';
import type { TrancheRow } from '../../finance/structure/rows.ts';
import type { IsoDate } from '../../finance/types.ts';
import type { Id } from '../../platform/ids.ts';
import { allot, NOTHING } from '../payments/allot.ts';
import type { CalendarPayment, CalendarReport, DealDates, PaidPosition } from './calendar-queries.ts';

/* The payments of positions by date: booked, reported for a date ahead, or projected by the cash flows of the marks. */

export const BASES = ['BOOKED', 'REPORTED', 'PROJECTED'] as const;
export const REASONS = {
  NO_MARK: 'no mark of the tranche was published: nothing projects it',
  NO_CASH_FLOWS: 'the calculation behind the mark has no cash flows of the tranche',
  NOT_PROJECTED: 'the cash flows of the mark begin after this period',
  PAID_OFF_IN_MARK:
    'the tranche has a balance, and the mark has it paid off by now: a mark from the last payment would project it',
  NOT_ACCEPTED: 'the report of the period differs from the structure and has not been accepted yet',
  NOT_BOOKED: 'the period was applied before payments were booked here',
} as const;
export type ReasonCode = keyof typeof REASONS;

export type CalendarRow = {
  date: IsoDate;
  deal_id: Id<'deal'>;
  deal: string;
  tranche_id: Id<'trn'>;
  tranche: string;
  period: number;
  record_date: IsoDate;
  face: number;
  interest: number | null;
  principal: number | null;
  basis: (typeof BASES)[number] | null;
  /** Why the amounts are null. */
  reason: { code: ReasonCode; message: string } | null;
  payment_id: Id<'pay'> | null;
  calculation_id: Id<'calc'> | null;
};

export type DateRange = { from: IsoDate; to: IsoDate };

/** A payment date of a deal with the one before it, and the report of its period if there is one. */
export type CalendarDate = { period: number; date: IsoDate; previous: IsoDate | null; report: CalendarReport | null };

/** The payment dates of a deal from its first one up to a date: those of its reports, then those of its calendar. */
export function calendarOf({ payment, ...deal }: DealDates, reports: readonly CalendarReport[], to: IsoDate): CalendarDate[] {
  const { frequency = 'MONTHLY', first_collection_months = 0 } = payment ?? {};
  const months = Math.max(0, monthsBetween(deal.cut_off_date, to)) + 2 * MONTHS_BETWEEN_PAYMENTS[frequency];
  const last = reports.at(-1)?.period ?? 0;
  const structure = { tranches: [], waterfall: [], ...(payment ? { payment } : {}) };
  const needed =
    Math.min(MAX_PERIODS, Math.max(months, (last + 1) * MONTHS_BETWEEN_PAYMENTS[frequency])) + first_collection_months;
  const byPeriod = new Map(reports.map((report) => [report.period, report]));
  const paid = Object.fromEntries(reports.map(({ period, payment_date }) => [period - 1, payment_date]));
  const { dates } = withPaidDates(buildPeriods(structure, datesOf(deal), needed), paid);
  const called = reports.find((report) => report.status === 'APPLIED' && report.called);
  return dates
    .map(({ paid: date }, index) => ({
      period: index + 1,
      date,
      previous: dates[index - 1]?.paid ?? null,
      report: byPeriod.get(index + 1) ?? null,
    }))
    .filter(({ period, date }) => date <= to && (!called || period <= called.period));
}

/** The balance of a tranche after the last payment of which it is known, in currency units. */
export type KnownBalance = { period: number; balance: number };

/** What is left of a tranche: after its last applied report, or after one whose date is ahead. */
export function knownBalance(
  reports: readonly CalendarReport[],
  { tranche, current_balance }: Pick<PaidPosition, 'tranche' | 'current_balance'>,
): KnownBalance {
  const last = reports.findLast(({ status, agreed }) => status === 'APPLIED' || (status === 'SCHEDULED' && agreed));
  const ahead = last?.tranches?.find((each) => each.tranche === tranche)?.ending;
  return { period: last?.period ?? 0, balance: Number(ahead ?? current_balance) };
}

/** The cash flows of the mark of a tranche by period, and what of them is due to the balance that there is; or why there are none. */
export type Projection =
  | { calculation_id: Id<'calc'>; rows: ReadonlyMap<number, TrancheRow>; scale: number }
  | { missing: ReasonCode };

/**
 * A mark projects from the payment at which its calculation starts. Where the class has paid otherwise since, it is due interest on the
 * balance that it has, and no more principal than that: the cash flows are scaled to it.
 */
export function projectionOf(
  calculation_id: Id<'calc'>,
  rows: readonly TrancheRow[] | undefined,
  { period, balance }: KnownBalance,
): Projection {
  const [first] = rows ?? [];
  if (!rows || !first) return { missing: 'NO_CASH_FLOWS' };
  const byPeriod = new Map(rows.map((row) => [row.period, row]));
  const projected = period + 1 < first.period ? balance : (byPeriod.get(period + 1)?.opening ?? 0);
  if (projected < 0.01 && balance >= 0.01) return { missing: 'PAID_OFF_IN_MARK' };
  return { calculation_id, rows: byPeriod, scale: projected < 0.01 ? 1 : balance / projected };
}

const amount = (cents: bigint): number => Number(formatCents(cents));

export const bookedRow = ({ payment_date, ...payment }: CalendarPayment): CalendarRow => ({
  ...payment,
  date: payment_date,
  basis: 'BOOKED',
  reason: null,
  calculation_id: null,
});

/**
 * A payment date of a position that nothing was booked for; null where nothing is due: the tranche has no balance, or the mark projects
 * none. `projection` is read for periods without a report.
 */
export function openRow(
  deal: string,
  position: PaidPosition,
  { period, date, previous, report }: CalendarDate,
  projection: Projection,
): CalendarRow | null {
  const { deal_id, tranche_id, tranche, face } = position;
  const row = {
    date,
    deal_id,
    deal,
    tranche_id,
    tranche,
    period,
    record_date: recordDate(date),
    face: amount(parseCents(face)),
    interest: null,
    principal: null,
    basis: null,
    reason: null,
    payment_id: null,
    calculation_id: null,
  };
  const unknown = (code: ReasonCode): CalendarRow => ({ ...row, reason: { code, message: REASONS[code] } });
  if (report?.status === 'APPLIED') return unknown('NOT_BOOKED');
  if (report && (report.status === 'HELD' || !report.agreed)) return unknown('NOT_ACCEPTED');
  if (report) {
    const reported = report.tranches?.find((each) => each.tranche === tranche);
    const paid = { interest: parseCents(reported?.interest ?? '0'), principal: parseCents(reported?.principal ?? '0') };
    return { ...row, ...shareOf(position, paid), basis: 'REPORTED' };
  }
  if (Number(position.current_balance) <= 0) return null;
  if ('missing' in projection) return isPastMaturity(position, previous) ? null : unknown(projection.missing);
  const { calculation_id, rows, scale } = projection;
  const projected = rows.get(period);
  if (!projected) return period > Math.max(...rows.keys()) ? null : unknown('NOT_PROJECTED');
  const scaled = (currency: number) => BigInt(toCents(currency * scale));
  const paid = {
    interest: scaled(projected.interest_paid + (projected.carry_over_paid ?? 0)),
    principal: scaled(projected.principal),
  };
  if (projected.opening * scale < 0.01 && paid.interest === 0n && paid.principal === 0n) return null;
  return { ...row, ...shareOf(position, paid), basis: 'PROJECTED', calculation_id };
}

/** The whole balance is due on the first payment date on or after the final maturity. */
const isPastMaturity = ({ final_maturity }: PaidPosition, previous: IsoDate | null): boolean =>
  final_maturity !== null && previous !== null && previous >= final_maturity;

/** The part of a position in what a tranche is paid, by largest remainder between it and the rest of the face. */
function shareOf(
  { face, original_balance }: Pick<PaidPosition, 'face' | 'original_balance'>,
  paid: { interest: bigint; principal: bigint },
): { interest: number; principal: number } {
  const own = parseCents(face);
  const [share = NOTHING] = allot({ ...NOTHING, ...paid }, [{ face: own }, { face: parseCents(original_balance) - own }]);
  return { interest: amount(share.interest), principal: amount(share.principal) };
}
