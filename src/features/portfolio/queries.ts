import { afterDay, localDate } from '../../finance/business-date.ts';
import { accruedInterest } from '../../finance/settlement.ts';
import type { LoanType } from '../../loans/types.ts';
import type { DayCount, IsoDate } from '../../finance/types.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { mapPage, newestFirst, orderBy, type Page, type PageRequest } from '../../platform/pages.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import { paymentDay } from '../pools/queries.ts';
import type { GroupSums } from './portfolio.ts';
import type { Id } from '../../platform/ids.ts';

export type Position = {
  position_id: Id<'pos'>;
  deal_id: Id<'deal'>;
  tranche_id: Id<'trn'>;
  class: string;
  asset_type: LoanType;
  originator: string;
  face: number;
  factor: number;
  current_balance: number;
  price: number;
  market_value: number;
  cost_basis: number;
  /** Null where the coupon of the accrual is not known. */
  accrued_interest: number | null;
  yield: number | null;
  spread: number | null;
  wal: number | null;
  duration: number | null;
  unrealized_gain: number;
  as_of: string;
};

/** Where the face of a position and the factor of its tranche stand, and the join of its mark. */
type Books = { face: string; factor: string; mark: string };

/**
 * Positions valued at the latest mark; without one the price is 100, the yield the coupon, the rest unknown. Current balance = face ×
 * factor, market value = current balance × price / 100, cost basis = amount paid × factor, each rounded to the cent.
 */
const valued = ({ face, factor, mark }: Books): string => `(
  select p.organization_id, p.position_id, p.deal_id, p.tranche_id, p.created_at, t.class, d.asset_type, d.originator, h.face, f.factor,
    round(h.face * f.factor, 2) as current_balance, coalesce(m.price, 100) as price,
    round(round(h.face * f.factor, 2) * coalesce(m.price, 100) * 0.01, 2) as market_value, round(h.paid * f.factor, 2) as cost_basis,
    case when m.price is null then f.coupon else m.yield end as yield, m.spread_bp as spread, m.wal, m.duration,
    coalesce(m.as_of, h.trade_date) as as_of, f.coupon, t.day_count, f.accrued_from,
    case when extract(month from f.accrued_from) = 2 then ${paymentDay('pool')} end as payment_day
  from positions p
    join tranches t using (tranche_id)
    join securitization_deals d on d.deal_id = p.deal_id
    left join pools pool on pool.pool_id = d.pool_id
    cross join lateral (${face}) h
    cross join lateral (${factor}) f
    left join ${mark}
  where h.face > 0) v`;

const VALUED = valued({
  face: 'select p.face, p.paid, p.trade_date',
  factor: 'select t.factor, t.coupon, t.accrued_from',
  mark: 'latest_marks m on m.tranche_id = p.tranche_id',
});

const SETTLED_BEFORE = `from trades x
    where x.organization_id = p.organization_id and x.tranche_id = p.tranche_id and x.status = 'SETTLED' and x.settled_at < $1`;

/** The books as they stood before the instant $1: of the trades that had settled, at the factors and marks of then. */
const VALUED_BEFORE = valued({
  face: `select sum(face) as face, sum(round(coalesce(principal_amount / nullif(factor, 0), face * price / 100), 8)) as paid,
      (array_agg(trade_date order by settled_at desc))[1] as trade_date
    ${SETTLED_BEFORE}`,
  factor: `select factor, accrued_from, coupon
    from tranche_factors x where x.tranche_id = p.tranche_id and x.set_at < $1 order by set_at desc, entry_id desc limit 1`,
  mark: `lateral (select price, yield, spread_bp, wal, duration, as_of from mark_publications x
      where x.tranche_id = p.tranche_id and x.published_at < $1 order by published_at desc limit 1) m on true`,
});

type ValuedRow = Omit<Position, 'accrued_interest' | 'unrealized_gain'> & {
  current_text: string;
  coupon: string | null;
  day_count: DayCount;
  accrued_from: string;
  /** Day of the month on which the tranche pays, where interest accrues from a date in February: only there does it matter. */
  payment_day: number | null;
  unrealized_gain: number;
};

const ROW = `position_id, deal_id, tranche_id, class, asset_type, originator, face::float8 as face, factor::float8 as factor,
  current_balance::float8 as current_balance, current_balance::text as current_text, price::float8 as price,
  market_value::float8 as market_value, cost_basis::float8 as cost_basis, yield::float8 as yield, spread::float8 as spread,
  wal::float8 as wal, duration::float8 as duration, (market_value - cost_basis)::float8 as unrealized_gain, as_of::text as as_of,
  coupon::text as coupon, day_count, accrued_from::text as accrued_from, payment_day`;
const ORDER = newestFirst('created_at', 'position_id');

type PositionFilter = PageRequest & Between & { deal_id?: Id<'deal'>; tranche_id?: Id<'trn'> };

const positionFilters = (organizationId: Id<'org'>, filter: PositionFilter): Filter[] => [
  ['organization_id = ?', organizationId],
  ['deal_id = ?', filter.deal_id],
  ['tranche_id = ?', filter.tranche_id],
  ...between('created_at', filter),
];

export async function listPositions(tx: Tx, organizationId: Id<'org'>, filter: PositionFilter): Promise<Page<Position>> {
  const filters = positionFilters(organizationId, filter);
  const countFrom = '(select * from positions where face > 0) p';
  const page = await selectPage<ValuedRow>(tx, { select: ROW, from: VALUED, countFrom, filters, order: ORDER }, filter);
  const today = localDate(tx.now, tx.zone);
  return mapPage(page, (row) => toPosition(today, row));
}

export async function listAllPositions(tx: Tx, organizationId: Id<'org'>): Promise<Position[]> {
  const rows = await tx.rows<ValuedRow>(`select ${ROW} from ${VALUED} where organization_id = $1 order by ${orderBy(ORDER)}`, [
    organizationId,
  ]);
  const today = localDate(tx.now, tx.zone);
  return rows.map((row) => toPosition(today, row));
}

/** The positions at the end of a date of the business zone, with interest up to it. */
export async function listPositionsAt(
  tx: Tx,
  organizationId: Id<'org'>,
  date: IsoDate,
  filter: PositionFilter,
): Promise<Page<Position>> {
  const filters = positionFilters(organizationId, filter);
  const values = [afterDay(date, tx.zone)];
  const countFrom = `(select * from positions p where exists (select ${SETTLED_BEFORE})) p`;
  const page = await selectPage<ValuedRow>(
    tx,
    { select: ROW, from: VALUED_BEFORE, values, countFrom, filters, order: ORDER },
    filter,
  );
  return mapPage(page, (row) => toPosition(date, row));
}

/** Interest accrues up to a date, by the tranche's day count. */
function toPosition(date: IsoDate, { current_text, coupon, day_count, accrued_from, payment_day, ...row }: ValuedRow): Position {
  const accrual = { coupon, dayCount: day_count, from: accrued_from, paymentDay: payment_day };
  const isUnknown = coupon === null && date > accrued_from;
  return { ...row, accrued_interest: isUnknown ? null : Number(accruedInterest(current_text, accrual, date)) };
}

export type SummaryRow = GroupSums & { grouped_by: 'class' | 'asset_type' | 'originator' | 'all' };

const MEASURED = ['yield', 'spread', 'wal', 'duration'] as const;

/** Sums of one measure over a group of positions: weighted, the market value without it, and the positions without it. */
const sumsOf = (name: string): string =>
  `sum(market_value * ${name}) as ${name}_weighted, coalesce(sum(market_value) filter (where ${name} is null), 0) as ${name}_unweighted,
   count(*) - count(${name}) as ${name}_missing`;
const meanOf = (name: string): string =>
  `round(sum(${name}_weighted) / nullif(sum(market_value) - sum(${name}_unweighted), 0), 6)::float8 as wa_${name},
   coalesce(sum(${name}_missing), 0)::int as without_${name}`;

/**
 * The whole book and its groups by class, asset type and originator, added up exactly, weighted by market value. Each position is valued once,
 * and added up once for the groups that it is in.
 */
export function summarizePositions(reader: Reader, organizationId: Id<'org'>): Promise<SummaryRow[]> {
  return reader.rows<SummaryRow>(
    // Without its offset the subquery is merged, and every sum values each position again.
    `with finest as (
       select class, asset_type, originator, sum(market_value) as market_value, count(*) as position_count, ${MEASURED.map(sumsOf).join(', ')}
       from (select class, asset_type, originator, market_value, ${MEASURED.join(', ')} from ${VALUED} where organization_id = $1 offset 0) v
       group by class, asset_type, originator)
     select case grouping(class, asset_type, originator) when 3 then 'class' when 5 then 'asset_type' when 6 then 'originator' else 'all' end as grouped_by,
       coalesce(class, asset_type, originator, '') as name, coalesce(sum(market_value), 0)::float8 as market_value,
       coalesce(sum(position_count), 0)::int as position_count, ${MEASURED.map(meanOf).join(', ')}
     from finest group by grouping sets ((), (class), (asset_type), (originator))`,
    [organizationId],
  );
}

/** Tranches in which the organization holds face. */
export function listHeldTranches(tx: Tx, organizationId: Id<'org'>): Promise<{ deal_id: Id<'deal'>; tranche_id: Id<'trn'> }[]> {
  return tx.rows(
    'select deal_id, tranche_id from positions where organization_id = $1 and face > 0 order by deal_id, tranche_id',
    [organizationId],
  );
}
