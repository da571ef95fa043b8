import { localDate } from '../../finance/business-date.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { Profile } from '../keys/queries.ts';
import type { Facts } from './checks.ts';
import type { Id } from '../../platform/ids.ts';
import { visibleTo } from '../securitizations/queries.ts';

export type BookFacts = Facts & {
  /** When the facts were read, by the platform's clock. */
  now: Date;
  deal_id: Id<'deal'>;
  deal_name: string;
  tranche_id: Id<'trn'>;
};

type FactsRow = {
  index: number;
  now: Date;
  deal_id: Id<'deal'>;
  deal_name: string;
  seller_id: Id<'org'>;
  offering: Facts['deal']['offering'];
  tranche_id: Id<'trn'>;
  tranche: string;
  denomination: string;
  increment: string;
  erisa_eligible: boolean;
  books_open: boolean;
  remaining: string;
  profile: Profile | null;
};

/** One investor's request for a tranche (null: the most senior one on offer); amount as decimal text. */
export type CommitmentRequest = { organization_id: Id<'org'>; deal_id: Id<'deal'>; tranche_id: Id<'trn'> | null; amount: string };

/**
 * The stored facts of each request, or null where the investor may not see such a tranche. The exposure is 0.00: it is loaded only for
 * investors with a limit.
 */
export async function loadFactsOf(reader: Reader, requests: readonly CommitmentRequest[]): Promise<(BookFacts | null)[]> {
  const rows = await reader.rows<FactsRow>(
    `select a.index::int as index, c.now, f.*
     from (select sluice_now() as now) c
       cross join unnest($1::text[], $2::text[], $3::text[]) with ordinality a (organization_id, deal_id, tranche_id, index)
       cross join lateral (
         select d.deal_id, d.name as deal_name, d.organization_id as seller_id, d.offering,
           t.tranche_id, t.tranche, t.denomination::text as denomination, t.increment::text as increment, t.erisa_eligible,
           b.open and d.market_status = 'MARKETING' as books_open, (b.capacity - b.committed)::text as remaining, o.profile
         from securitization_deals d
           join tranches t on t.deal_id = d.deal_id and t.offered
           join tranche_books b on b.tranche_id = t.tranche_id
           join organizations o on o.organization_id = a.organization_id
         where d.deal_id = a.deal_id and (a.tranche_id is null or t.tranche_id = a.tranche_id)
           and ${visibleTo('a.organization_id')}
         order by t.seniority, t.tranche limit 1) f`,
    [
      requests.map((request) => request.organization_id),
      requests.map((request) => request.deal_id),
      requests.map((request) => request.tranche_id),
    ],
  );
  const byIndex = new Map(rows.map((row) => [row.index, row]));
  return requests.map((request, index) => {
    const row = byIndex.get(index + 1);
    return row ? toFacts(row, request, reader.zone) : null;
  });
}

export async function loadFacts(reader: Reader, request: CommitmentRequest): Promise<BookFacts | null> {
  return (await loadFactsOf(reader, [request]))[0] ?? null;
}

function toFacts(row: FactsRow, request: CommitmentRequest, zone: string): BookFacts {
  const { deal_id, deal_name, tranche_id, now, profile, books_open, remaining } = row;
  const { tranche, denomination, increment, erisa_eligible } = row;
  return {
    now,
    today: localDate(now, zone),
    organization_id: request.organization_id,
    profile,
    amount: request.amount,
    deal: { organization_id: row.seller_id, offering: row.offering },
    tranche: { tranche, denomination, increment, erisa_eligible },
    books_open,
    remaining,
    exposure: '0.00',
    deal_id,
    deal_name,
    tranche_id,
  };
}

/** The commitments and holdings of an investor in a deal, as decimal text; the amount of the order or subscription `without` does not count. */
export async function loadExposure(
  reader: Reader,
  organizationId: Id<'org'>,
  dealId: Id<'deal'>,
  without: string | null = null,
): Promise<string> {
  const row = await reader.one<{ exposure: string }>(
    `select (
         (select coalesce(sum(subscription_amount), 0) from subscriptions where organization_id = $1 and deal_id = $2
           and status in ('pending_confirmation', 'confirmed') and subscription_id is distinct from $3)
         + (select coalesce(sum(amount), 0) from orders where organization_id = $1 and deal_id = $2 and status = 'OPEN'
           and order_id is distinct from $3)
         + (select coalesce(sum(allocated_amount), 0) from allocations where organization_id = $1 and deal_id = $2 and status = 'ISSUED')
         + (select coalesce(sum(face), 0) from trades where organization_id = $1 and deal_id = $2
           and status in ('PENDING_SETTLEMENT', 'FAILED'))
         + (select coalesce(sum(face), 0) from positions where organization_id = $1 and deal_id = $2))::numeric(24, 2)::text as exposure`,
    [organizationId, dealId, without],
  );
  return row?.exposure ?? '0.00';
}

/**
 * The same of every investor in a deal, in one pass over the deal's records: looked up for each of its bidders, those that an allocation has
 * just written would be passed over once for each of them, since the planner does not know of them yet.
 */
export async function listExposures(reader: Reader, dealId: Id<'deal'>): Promise<Map<Id<'org'>, string>> {
  const rows = await reader.rows<{ organization_id: Id<'org'>; exposure: string }>(
    `select organization_id, sum(amount)::numeric(24, 2)::text as exposure from (
       select organization_id, subscription_amount as amount from subscriptions
         where deal_id = $1 and status in ('pending_confirmation', 'confirmed')
       union all select organization_id, amount from orders where deal_id = $1 and status = 'OPEN'
       union all select organization_id, allocated_amount from allocations where deal_id = $1 and status = 'ISSUED'
       union all select organization_id, face from trades where deal_id = $1 and status in ('PENDING_SETTLEMENT', 'FAILED')
       union all select organization_id, face from positions where deal_id = $1) e
     group by organization_id`,
    [dealId],
  );
  return new Map(rows.map((row) => [row.organization_id, row.exposure]));
}

/** Makes the requests of one investor wait for each other, for a limit over all of them. */
export async function serializeInvestor(tx: Tx, organizationId: Id<'org'>): Promise<void> {
  await tx.rows('select pg_advisory_xact_lock(hashtextextended($1, 20))', [organizationId]);
}

export async function listProfiles(tx: Tx, organizationIds: readonly Id<'org'>[]): Promise<Map<string, Profile | null>> {
  const rows = await tx.rows<{ organization_id: Id<'org'>; profile: Profile | null }>(
    'select organization_id, profile from organizations where organization_id = any($1)',
    [organizationIds],
  );
  return new Map(rows.map((row) => [row.organization_id, row.profile]));
}
