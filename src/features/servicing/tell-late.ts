import { firstDayOf, localDate, monthOf } from '../../finance/business-date.ts';
import { addBusinessDays } from '../../finance/calendar.ts';
import { monthsBetween } from '../../finance/dates.ts';
import { calendarDates, datesOf } from '../../finance/structure/periods.ts';
import type { IsoDate } from '../../finance/types.ts';
import { emit } from '../../events/emit.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { type DuePool, listPoolsAfter, noteLate } from './queries.ts';

/** Periods beyond the whole months since the cut-off that may be paid in the month of today. */
const MONTHS_AHEAD = 2;

/** A period and the day on which its tape was due. */
type LateTape = { period: number; due_date: IsoDate };

/** The last period whose tape was due before a day, and the day: a business day of the month of its payment date; null before the first. */
function lastDue(
  { structure, day, ...pool }: Pick<DuePool, 'structure' | 'day' | 'cut_off_date' | 'closing_date'>,
  today: IsoDate,
): LateTape | null {
  if (!structure) return null;
  const calendar = structure.payment?.calendar ?? 'US_FED';
  const dueDate = (paid: IsoDate) => addBusinessDays(firstDayOf(monthOf(paid)), day - 1, calendar);
  const dates = calendarDates(structure, datesOf(pool), Math.max(0, monthsBetween(pool.cut_off_date, today)) + MONTHS_AHEAD);
  const index = dates.findLastIndex((paid) => dueDate(paid) < today);
  const paid = dates[index];
  return paid === undefined ? null : { period: index + 1, due_date: dueDate(paid) };
}

/** So many pools are read in one statement, each with its structure. */
const BATCH = 50;

/** Tells the owners of pools whose monthly tapes are late, once for each period. Returns how many it told. */
export async function tellLateTapes(db: Database): Promise<number> {
  let told = 0;
  let after = '';
  for (;;) {
    const { pools, today } = await db.tx({ platform: true }, async (tx) => ({
      pools: await listPoolsAfter(tx, after, BATCH),
      today: localDate(tx.now, tx.zone),
    }));
    for (const pool of pools) {
      const late = lastDue(pool, today);
      if (late && !pool.settled.includes(late.period))
        told += await db.tx({ organization: pool.organization_id }, (tx) => tellLate(tx, pool, late));
    }
    const last = pools.at(-1);
    if (!last || pools.length < BATCH) return told;
    after = last.pool_id;
  }
}

async function tellLate(tx: Tx, pool: DuePool, late: LateTape): Promise<number> {
  if (!pool.deal_id || !(await noteLate(tx, pool, late.period, late.due_date))) return 0;
  await emit(tx, [
    {
      organization_id: pool.organization_id,
      event: 'tape.late',
      data: { pool_id: pool.pool_id, deal_id: pool.deal_id, ...late },
      alert: {
        category: 'pool',
        priority: 'HIGH',
        title: `${pool.name}: the tape of period ${late.period} is late`,
        entity_type: 'pool',
        entity_id: pool.pool_id,
        message: `The tape of period ${late.period} was due on ${late.due_date}, and none was read. Open its upload with POST /v1/api/originator/pools/{id}/tapes.`,
      },
    },
  ]);
  return 1;
}
