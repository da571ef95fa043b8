import type { Structure } from '../../finance/structure/structure.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';

/** A settled position as its coming payments follow from it; amounts as decimal text. */
export type PaidPosition = {
  tranche_id: Id<'trn'>;
  tranche: string;
  deal_id: Id<'deal'>;
  face: string;
  original_balance: string;
  /** Nothing is due to a tranche any more once it is 0. */
  current_balance: string;
  final_maturity: string | null;
};

export function listPaidPositions(tx: Tx, organizationId: Id<'org'>): Promise<PaidPosition[]> {
  return tx.rows<PaidPosition>(
    `select p.tranche_id, t.tranche, p.deal_id, p.face::text as face, t.original_balance::text as original_balance,
       t.current_balance::text as current_balance, t.final_maturity::text as final_maturity
     from positions p join tranches t using (tranche_id) join securitization_deals d on d.deal_id = p.deal_id
     where p.organization_id = $1 and p.face > 0 order by d.name, p.deal_id, t.seniority, t.tranche`,
    [organizationId],
  );
}

/** What the payment dates of a deal follow from. */
export type DealDates = {
  deal_id: Id<'deal'>;
  deal: string;
  cut_off_date: string;
  closing_date: string;
  payment: Structure['payment'] | null;
};

export function listDealDates(tx: Tx, dealIds: readonly Id<'deal'>[]): Promise<DealDates[]> {
  return tx.rows<DealDates>(
    `select d.deal_id, d.name as deal, p.cut_off_date::text as cut_off_date, p.closing_date::text as closing_date, p.structure->'payment' as payment
     from securitization_deals d join pools p using (pool_id) where d.deal_id = any($1)`,
    [dealIds],
  );
}

/** A report of a deal as the calendar of its holders shows it. */
export type CalendarReport = {
  deal_id: Id<'deal'>;
  period: number;
  payment_date: string;
  status: 'SCHEDULED' | 'HELD' | 'APPLIED';
  /** Whether its figures are paid on its payment date as they are. */
  agreed: boolean;
  /** Whether payments were booked for it. */
  booked: boolean;
  called: boolean;
  /** Of the tranches that the report names; amounts as decimal text. */
  tranches: { tranche: string; interest: string; principal: string; ending: string }[] | null;
};

/**
 * The reports of deals, whatever their status, in the order of their periods. In the platform's scope: investors read applied reports alone,
 * so the caller names deals that its organization holds, and shows what is ahead as amounts of its own positions.
 */
export function listCalendarReports(tx: Tx, dealIds: readonly Id<'deal'>[]): Promise<CalendarReport[]> {
  return tx.rows<CalendarReport>(
    `select r.deal_id, r.period, r.payment_date::text as payment_date, r.status,
       r.verification->>'status' is distinct from 'DIFFERS' or r.accepted_at is not null as agreed,
       exists (select from payments p where p.remittance_id = r.remittance_id) as booked,
       r.state_after->>'called_in' is not null as called,
       (select json_agg(json_build_object('tranche', e->>'tranche',
          'interest', ((e->>'interest_paid')::numeric + coalesce((e->>'carry_over_paid')::numeric, 0))::text, 'principal', e->>'principal_paid', 'ending', e->>'ending_balance'))
        from json_array_elements(case when r.status = 'SCHEDULED' then r.report->'tranches' else '[]' end) e) as tranches
     from remittances r where r.deal_id = any($1) order by r.deal_id, r.period`,
    [dealIds],
  );
}

/** A booked payment of a position; amounts in currency units. */
export type CalendarPayment = {
  payment_id: Id<'pay'>;
  deal_id: Id<'deal'>;
  deal: string;
  tranche_id: Id<'trn'>;
  tranche: string;
  period: number;
  payment_date: string;
  record_date: string;
  face: number;
  interest: number;
  principal: number;
};

export function listCalendarPayments(
  tx: Tx,
  organizationId: Id<'org'>,
  { from, to }: { from: string; to: string },
): Promise<CalendarPayment[]> {
  return tx.rows<CalendarPayment>(
    `select p.payment_id, p.deal_id, d.name as deal, p.tranche_id, t.tranche, p.period, p.payment_date::text as payment_date,
       p.record_date::text as record_date, p.face::float8 as face, p.interest::float8 as interest, p.principal::float8 as principal
     from payments p join tranches t using (tranche_id) join securitization_deals d on d.deal_id = p.deal_id
     where p.organization_id = $1 and p.holder = 'OF_RECORD' and p.payment_date between $2 and $3
     order by p.payment_date, p.payment_id`,
    [organizationId, from, to],
  );
}

/** Face that an organization bought in deals, by when it settled; decimal text. */
export type SettledFace = { deal_id: Id<'deal'>; tranche_id: Id<'trn'>; settled_at: Date; face: string };

export function listSettledFaces(tx: Tx, organizationId: Id<'org'>, dealIds: readonly Id<'deal'>[]): Promise<SettledFace[]> {
  return tx.rows<SettledFace>(
    `select deal_id, tranche_id, settled_at, face::text as face from trades
     where organization_id = $1 and deal_id = any($2) and status = 'SETTLED'`,
    [organizationId, dealIds],
  );
}
