import { afterDay, localDate, recordDate } from '../../finance/business-date.ts';
import { addDays, addMonths, daysBetween } from '../../finance/dates.ts';
import { formatCents, parseCents } from '../../finance/money.ts';
import type { IsoDate } from '../../finance/types.ts';
import { asPlatform } from '../../platform/db/as-platform.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { ObjectStore } from '../../platform/files/store.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { refuseReversedDates } from '../../platform/http/schemas.ts';
import type { Id } from '../../platform/ids.ts';
import { readRows } from '../calculations/mark-cash.ts';
import { listMarkedRows, type MarkedRows } from '../calculations/mark-queries.ts';
import {
  bookedRow,
  type CalendarDate,
  calendarOf,
  type CalendarRow,
  type DateRange,
  knownBalance,
  type KnownBalance,
  openRow,
  type Projection,
  projectionOf,
} from './calendar.ts';
import {
  type CalendarReport,
  listCalendarPayments,
  listCalendarReports,
  listDealDates,
  listPaidPositions,
  listSettledFaces,
  type PaidPosition,
  type SettledFace,
} from './calendar-queries.ts';

/** Ten years and their leap days. */
const MAX_DAYS = 3_653;
const MAX_ROWS = 20_000;
const DEFAULT_MONTHS = 12;
/** Dates have years of four digits: from here on there is no whole year any more. */
const LAST_WHOLE_YEAR = '9999-01-01';
const LAST_DAY = '9999-12-31';
/** Files of cash flows that are read at a time. */
const AT_A_TIME = 8;

/** A payment date of a position that nothing was booked for. */
type Open = { deal: string; position: PaidPosition; date: CalendarDate };

/** The mark of a tranche that the calendar projects. */
type Marked = MarkedRows & { tranche: string; known: KnownBalance };

/** A calendar before the cash flows of the marks are read. */
export type OpenCalendar = { booked: CalendarRow[]; open: Open[]; marks: Marked[] };

/** The payment dates of an organization's settled positions: from today unless it says so, over a year. 422 for more than can be answered. */
export async function loadCalendar(
  tx: Tx,
  organizationId: Id<'org'>,
  given: { from?: IsoDate; to?: IsoDate },
): Promise<OpenCalendar> {
  const today = localDate(tx.now, tx.zone);
  const range = rangeOf(given, today);
  const booked = (await listCalendarPayments(tx, organizationId, range)).map(bookedRow);
  const positions = await listPaidPositions(tx, organizationId);
  const ofDeal = Map.groupBy(positions, ({ deal_id }) => deal_id);
  const dealIds = [...ofDeal.keys()];
  const deals = await listDealDates(tx, dealIds);
  // Reports ahead of their date are not shown to investors: of these deals the organization is a holder, and sees its own amounts of them.
  const reports = Map.groupBy(await asPlatform(tx, () => listCalendarReports(tx, dealIds)), ({ deal_id }) => deal_id);
  let settled: Promise<SettledFaces> | undefined;
  const loadSettled = (): Promise<SettledFaces> => (settled ??= loadSettledFaces(tx, organizationId, dealIds));
  const open: Open[] = [];
  for (const deal of deals) {
    const dates = calendarOf(deal, reports.get(deal.deal_id) ?? [], range.to).filter(({ date }) => date >= range.from);
    for (const date of dates)
      for (const position of await heldOn(tx, ofDeal.get(deal.deal_id) ?? [], date, { today, loadSettled }))
        open.push({ deal: deal.deal, position, date });
    refuseTooLong(booked.length + open.length, range);
  }
  const projected = new Map(
    open.flatMap(({ position, date }) => (date.report === null ? [[position.tranche_id, position]] : [])),
  );
  const marks = (await listMarkedRows(tx, [...projected.keys()])).flatMap((mark) => {
    const position = projected.get(mark.tranche_id);
    if (!position) return [];
    return [{ ...mark, tranche: position.tranche, known: knownBalance(reports.get(position.deal_id) ?? [], position) }];
  });
  return { booked, open, marks };
}

/** The positions that a payment date concerns: none where payments were booked, and those of its record date once that has ended. */
async function heldOn(
  tx: Tx,
  positions: readonly PaidPosition[],
  { date, report }: CalendarDate,
  { today, loadSettled }: { today: IsoDate; loadSettled: () => Promise<SettledFaces> },
): Promise<readonly PaidPosition[]> {
  const [first] = positions;
  // What settled after the record date is booked ex, whatever is reported by then.
  if (!isApplied(report) && today <= recordDate(date)) return positions;
  if ((isApplied(report) && report.booked) || !first) return [];
  const faces = faceBefore((await loadSettled()).get(first.deal_id) ?? [], afterDay(recordDate(date), tx.zone));
  return positions.flatMap((position) => {
    const face = faces.get(position.tranche_id);
    return face === undefined ? [] : [{ ...position, face: formatCents(face) }];
  });
}

/** What settled in each deal; loaded once, and only where a date needs it. */
type SettledFaces = ReadonlyMap<Id<'deal'>, readonly SettledFace[]>;

async function loadSettledFaces(tx: Tx, organizationId: Id<'org'>, dealIds: readonly Id<'deal'>[]): Promise<SettledFaces> {
  return Map.groupBy(await listSettledFaces(tx, organizationId, dealIds), ({ deal_id }) => deal_id);
}

/** Face by tranche that had settled before an instant, in cents. */
function faceBefore(settled: readonly SettledFace[], before: Date): Map<Id<'trn'>, bigint> {
  const faces = new Map<Id<'trn'>, bigint>();
  for (const { tranche_id, settled_at, face } of settled)
    if (settled_at < before) faces.set(tranche_id, (faces.get(tranche_id) ?? 0n) + parseCents(face));
  return faces;
}

const isApplied = (report: CalendarReport | null): report is CalendarReport => report?.status === 'APPLIED';

/** The rows by date; where nothing is reported yet, with the cash flows of the marks. */
export async function projectCalendar(store: ObjectStore, { booked, open, marks }: OpenCalendar): Promise<CalendarRow[]> {
  const projections = await readProjections(store, marks);
  const rows = open.flatMap(
    ({ deal, position, date }) =>
      openRow(deal, position, date, projections.get(position.tranche_id) ?? { missing: 'NO_MARK' }) ?? [],
  );
  return [...booked, ...rows].toSorted((a, b) => (a.date === b.date ? 0 : a.date < b.date ? -1 : 1));
}

async function readProjections(store: ObjectStore, marks: readonly Marked[]): Promise<Map<Id<'trn'>, Projection>> {
  const projections = new Map<Id<'trn'>, Projection>();
  const files = [...Map.groupBy(marks, ({ details_key }) => details_key)];
  for (let first = 0; first < files.length; first += AT_A_TIME) {
    const read = files.slice(first, first + AT_A_TIME).map(async ([key, ofFile]) => {
      const rows = key === null ? {} : await readRows(store, key);
      for (const { tranche_id, calculation_id, tranche, known } of ofFile)
        projections.set(tranche_id, projectionOf(calculation_id, rows[tranche], known));
    });
    await Promise.all(read);
  }
  return projections;
}

function rangeOf({ from, to }: { from?: IsoDate; to?: IsoDate }, today: IsoDate): DateRange {
  const first = from ?? today;
  const last = to ?? (first < LAST_WHOLE_YEAR ? addDays(addMonths(first, DEFAULT_MONTHS), -1) : LAST_DAY);
  if (first > last && from === undefined)
    throw new ApiError(
      'RANGE_REVERSED',
      `to is ${last}, before today, ${first}, which is from where none is given: give from too.`,
    );
  refuseReversedDates({ from: first, to: last });
  const days = daysBetween(first, last);
  if (days > MAX_DAYS) throw tooLong(`is ${last}, ${days} days after ${first}; expected at most ${MAX_DAYS}`);
  return { from: first, to: last };
}

function refuseTooLong(rows: number, { from, to }: DateRange): void {
  if (rows > MAX_ROWS)
    throw tooLong(
      `is ${to}: from ${from} on your positions have more than ${MAX_ROWS} payments by then, expected at most ${MAX_ROWS}`,
    );
}

const tooLong = (problem: string): ApiError =>
  new ApiError('UNPROCESSABLE', 'The calendar is too long for one request.', {
    errors: [{ field: 'to', code: 'RANGE_TOO_LONG', message: `${problem}: read the calendar in parts` }],
  });
