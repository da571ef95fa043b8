import { localDatesIn } from '../../finance/business-date.ts';
import { daysBetween } from '../../finance/dates.ts';
import type { IsoDate } from '../../finance/types.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { refuseReversedDates } from '../../platform/http/schemas.ts';
import type { Id } from '../../platform/ids.ts';
import { type HistoryRow, historyOf } from './history.ts';
import { listBookedPayments, listTrancheEvents } from './statement-queries.ts';

/** Ten years and their leap days. */
const MAX_DAYS = 3_653;

export type History = { zone: string; from: IsoDate | null; to: IsoDate; rows: HistoryRow[] };

/** The value of an organization's book by business date: without `from` since its first purchase, without `to` up to today. */
export async function readHistory(tx: Tx, organizationId: Id<'org'>, range: { from?: IsoDate; to?: IsoDate }): Promise<History> {
  const { zone } = tx;
  const dateOf = localDatesIn(zone);
  const today = dateOf(tx.now);
  const to = range.to ?? today;
  refuseReversedDates(range);
  refuseFuture('to', to, today, zone);
  if (range.from !== undefined && range.to === undefined) refuseFuture('from', range.from, today, zone);
  const events = await listTrancheEvents(tx, organizationId);
  const payments = await listBookedPayments(tx, organizationId, { from: null, before: tx.now });
  const first = events.find((each) => each.face !== null);
  const from = range.from ?? (first ? dateOf(first.at) : null);
  if (from === null || from > to) return { zone, from, to, rows: [] };
  if (daysBetween(from, to) > MAX_DAYS) {
    const message = `is ${from}, ${daysBetween(from, to)} days before ${to}; expected at most ${MAX_DAYS}: read the history in parts`;
    throw new ApiError('UNPROCESSABLE', 'The history is too long for one request.', {
      errors: [{ field: 'from', code: 'RANGE_TOO_LONG', message }],
    });
  }
  const changes = events.map(({ at, ...change }) => ({ date: dateOf(at), ...change }));
  const paid = payments.map(({ created_at, interest, principal, writedown, accreted }) => ({
    date: dateOf(created_at),
    interest,
    principal,
    writedown,
    accreted,
  }));
  return { zone, from, to, rows: historyOf({ from, to }, changes, paid) };
}

/** 422 for a date that has not begun in the business zone. */
export function refuseFuture(field: string, date: IsoDate, today: IsoDate, zone: string): void {
  if (date <= today) return;
  const message = `is ${date}, expected ${today}, the date in ${zone}, or an earlier one`;
  throw new ApiError('UNPROCESSABLE', `${date} is ahead: in ${zone} it is ${today}.`, {
    errors: [{ field, code: 'IN_THE_FUTURE', message }],
  });
}
