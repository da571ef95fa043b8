import type { Tx } from '../../platform/db/database.ts';
import { type PageRequest, selectPage } from '../../platform/db/page.ts';
import type { Page } from '../../platform/http/route.ts';

export type Fixing = {
  index: string;
  date: string;
  /** Percent a year. */
  rate: number;
  /** Floating tranches that follow the index. */
  tranche_count: number;
  created_at: Date;
  updated_at: Date;
};

const FIXING = `f.index, f.date::text as date, f.rate::float8 as rate, f.created_at, f.updated_at,
  (select count(*)::int from tranches t where t.index = f.index and t.coupon_type = 'FLOATING') as tranche_count`;

export function findFixing(tx: Tx, index: string, date: string): Promise<Fixing | null> {
  return tx.one<Fixing>(`select ${FIXING} from fixings f where f.index = $1 and f.date = $2`, [index, date]);
}

/** Writes the fixing of an index on a date in place of an earlier one; the coupons of the tranches that follow the index move with it. */
export async function upsertFixing(tx: Tx, { index, date, rate }: Pick<Fixing, 'index' | 'date' | 'rate'>): Promise<void> {
  await tx.exec(
    `insert into fixings (index, date, rate, created_at, updated_at) values ($1, $2, $3, $4, $4)
     on conflict on constraint fixings_pkey do update set rate = excluded.rate, updated_at = excluded.updated_at`,
    [index, date, rate, tx.now],
  );
}

/**
 * The fixings of indices for the accruals that begin on certain days, ascending: of each the newest on or before its day and after the day
 * before it in the list.
 */
export function listFixingsAt(
  tx: Tx,
  indices: readonly string[],
  starts: readonly string[],
): Promise<Pick<Fixing, 'index' | 'date' | 'rate'>[]> {
  return tx.rows(
    `select i.index, f.date::text as date, f.rate::float8 as rate
     from unnest($1::text[]) i(index)
     cross join (select day, lag(day, 1, '-infinity') over (order by day) as before from unnest($2::date[]) d(day)) s
     cross join lateral (
       select date, rate from fixings where fixings.index = i.index and date <= s.day and date > s.before order by date desc limit 1) f
     order by i.index, f.date`,
    [indices, starts],
  );
}

export type FixingFilter = PageRequest & { index?: string; from?: string; to?: string };

/** Fixings by date, the latest first. */
export function listFixings(tx: Tx, filter: FixingFilter): Promise<Page<Fixing>> {
  return selectPage<Fixing>(
    tx,
    {
      select: FIXING,
      from: 'fixings f',
      filters: [
        ['f.index = ?', filter.index],
        ['f.date >= ?', filter.from],
        ['f.date <= ?', filter.to],
      ],
      order: [
        { by: 'f.date', as: 'date', desc: true },
        { by: 'f.index', as: 'text' },
      ],
    },
    filter,
  );
}
