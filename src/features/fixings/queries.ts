import type { Tx } from '../../platform/db/database.ts';
import { selectPage } from '../../platform/db/page.ts';
import type { Page, PageRequest } from '../../platform/pages.ts';

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

/** How tranches spell an index whose name differs in case or blanks alone: as it is given, where some do; null where none follow it. */
export async function findSpelling(tx: Tx, index: string): Promise<string | null> {
  const row = await tx.one<{ index: string }>(
    `select index from (select distinct index from tranches where index is not null) followed
     where lower(regexp_replace(index, '\\s', '', 'g')) = lower(regexp_replace($1, '\\s', '', 'g')) order by index <> $1, index limit 1`,
    [index],
  );
  return row?.index ?? null;
}

/** Writes the fixing of an index on a date in place of an earlier one. */
export async function upsertFixing(tx: Tx, { index, date, rate }: Pick<Fixing, 'index' | 'date' | 'rate'>): Promise<void> {
  await tx.exec(
    `insert into fixings (index, date, rate, created_at, updated_at) values ($1, $2, $3, $4, $4)
     on conflict on constraint fixings_pkey do update set rate = excluded.rate, updated_at = excluded.updated_at`,
    [index, date, rate, tx.now],
  );
}

/** All fixings of some indices, each in the order of their dates. */
export async function loadFixings(tx: Tx, indices: readonly string[]): Promise<Record<string, Pick<Fixing, 'date' | 'rate'>[]>> {
  const rows = await tx.rows<{ index: string; fixings: Pick<Fixing, 'date' | 'rate'>[] }>(
    `select index, json_agg(json_build_object('date', date, 'rate', rate) order by date) as fixings from fixings where index = any($1) group by index`,
    [indices],
  );
  return Object.fromEntries(rows.map(({ index, fixings }) => [index, fixings]));
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
