import type { Tx } from '../../platform/db/database.ts';
import { inParts } from '../../platform/db/in-parts.ts';
import type { Between } from '../../platform/db/list-filter.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import type { Order, Page, PageRequest } from '../../platform/pages.ts';
import type { Id } from '../../platform/ids.ts';
import type { HolderKind } from './allot.ts';

export type PaymentRow = {
  payment_id: Id<'pay'>;
  organization_id: Id<'org'>;
  holder: HolderKind;
  deal_id: Id<'deal'>;
  tranche_id: Id<'trn'>;
  tranche: string;
  remittance_id: Id<'rem'>;
  version: number;
  period: number;
  payment_date: string;
  record_date: string;
  face: number;
  interest: number;
  principal: number;
  writedown: number;
  accreted: number;
  factor_before: number;
  factor_after: number;
  restates: Id<'pay'> | null;
  created_at: Date;
};

const PAYMENT = `p.payment_id, p.organization_id, p.holder, p.deal_id, p.tranche_id, t.tranche, p.remittance_id, p.version, p.period,
  p.payment_date::text as payment_date, p.record_date::text as record_date, p.face::float8 as face, p.interest::float8 as interest,
  p.principal::float8 as principal, p.writedown::float8 as writedown,
  p.accreted::float8 as accreted, p.factor_before::float8 as factor_before, p.factor_after::float8 as factor_after, p.restates, p.created_at`;
const PAYMENTS = 'payments p join tranches t using (tranche_id)';

export type PaymentFilter = PageRequest &
  Between & {
    deal_id?: Id<'deal'>;
    tranche_id?: Id<'trn'>;
    organization_id?: Id<'org'>;
    period?: number;
    holder?: HolderKind;
  };

const ORDER: Order = [
  { by: 'p.payment_date', as: 'date', desc: true },
  { by: 'p.payment_id', as: 'text', desc: true },
];

/** The first date that begins at an instant or after it. Dates are compared with dates, by the index. */
const FIRST_DATE = `(((?::timestamptz at time zone 'UTC') - interval '1 microsecond')::date + 1)`;

/** Payments by their date, the newest first; `organizationId` null: any organization's (the operator). */
export function listPayments(tx: Tx, organizationId: Id<'org'> | null, filter: PaymentFilter): Promise<Page<PaymentRow>> {
  const filters: Filter[] = [
    ['p.organization_id = ?', organizationId ?? filter.organization_id],
    ['p.holder = ?', filter.holder],
    ['p.deal_id = ?', filter.deal_id],
    ['p.tranche_id = ?', filter.tranche_id],
    ['p.period = ?', filter.period],
    [`p.payment_date >= ${FIRST_DATE}`, filter.from],
    [`p.payment_date < ${FIRST_DATE}`, filter.to],
  ];
  return selectPage(
    tx,
    { select: PAYMENT, from: PAYMENTS, countFrom: 'payments p', filters, order: ORDER, apart: 'all' },
    filter,
  );
}

export function listPaymentsById(tx: Tx, paymentIds: readonly Id<'pay'>[]): Promise<PaymentRow[]> {
  return tx.rows<PaymentRow>(`select ${PAYMENT} from ${PAYMENTS} where p.payment_id = any($1) order by p.payment_id`, [
    paymentIds,
  ]);
}

/** Face by organization and tranche from the trades of a deal that had settled before an instant; decimal text. */
export function listSettledFace(
  tx: Tx,
  dealId: Id<'deal'>,
  before: Date,
): Promise<{ organization_id: Id<'org'>; tranche_id: Id<'trn'>; face: string }[]> {
  return tx.rows(
    `select organization_id, tranche_id, sum(face)::text as face from trades
     where deal_id = $1 and status = 'SETTLED' and settled_at < $2 group by organization_id, tranche_id`,
    [dealId, before],
  );
}

export type PaidTranche = {
  tranche_id: Id<'trn'>;
  tranche: string;
  /** Decimal text. */
  original_balance: string;
  factor: string;
};

/** Every tranche of a deal, also those that are not offered. */
export function listPaidTranches(tx: Tx, dealId: Id<'deal'>): Promise<PaidTranche[]> {
  return tx.rows<PaidTranche>(
    `select tranche_id, tranche, original_balance::text as original_balance, factor::text as factor
     from tranches where deal_id = $1 order by seniority, tranche`,
    [dealId],
  );
}

export type BookedTotal = {
  /** The payment of the first version; null of a period that was applied before payments were booked, which has corrections alone. */
  payment_id: Id<'pay'> | null;
  organization_id: Id<'org'>;
  holder: HolderKind;
  tranche_id: Id<'trn'>;
  record_date: string;
  face: string;
  interest: string;
  principal: string;
  writedown: string;
  accreted: string;
};

/** What was booked for a report, all its versions together, by holder and tranche; amounts as decimal text. */
export function listBookedTotals(tx: Tx, remittanceId: Id<'rem'>): Promise<BookedTotal[]> {
  return tx.rows<BookedTotal>(
    `select min(payment_id) filter (where version = 1) as payment_id, organization_id, holder, tranche_id,
       min(record_date)::text as record_date, max(face)::text as face, sum(interest)::text as interest, sum(principal)::text as principal,
       sum(writedown)::text as writedown, sum(accreted)::text as accreted
     from payments where remittance_id = $1 group by organization_id, holder, tranche_id`,
    [remittanceId],
  );
}

/** A payment to book; amounts as decimal text. */
export type NewPayment = Omit<BookedTotal, 'payment_id' | 'record_date'> & {
  payment_id: Id<'pay'>;
  journal_id: Id<'jrn'>;
  factor_before: string;
  factor_after: string;
  restates: Id<'pay'> | null;
};

export type PaymentSource = {
  deal_id: Id<'deal'>;
  /** Of the deal: its entries carry it. */
  owner: Id<'org'>;
  remittance_id: Id<'rem'>;
  version: number;
  period: number;
  payment_date: string;
  record_date: string;
};

/**
 * Writes payments and books each in one journal: cash from the deal to the holder against the outstanding balance that the holder gives up. The
 * database refuses a journal that does not balance and a payment that is booked twice.
 */
export async function insertPayments(tx: Tx, source: PaymentSource, payments: readonly NewPayment[]): Promise<void> {
  for (const some of inParts(payments)) await insertSome(tx, source, some);
}

async function insertSome(tx: Tx, source: PaymentSource, payments: readonly NewPayment[]): Promise<void> {
  const rows = JSON.stringify(payments);
  const { deal_id, owner, remittance_id, version, period, payment_date, record_date } = source;
  await tx.exec(
    `insert into payments (payment_id, organization_id, holder, deal_id, tranche_id, remittance_id, version, period, payment_date, record_date, face,
       interest, principal, writedown, accreted, factor_before, factor_after, restates, created_at)
     select payment_id, organization_id, holder, $2, tranche_id, $3, $4, $5, $6, $7, face, interest, principal, writedown, accreted, factor_before,
       factor_after, restates, $8
     from json_to_recordset($1) as p (payment_id text, organization_id text, holder text, tranche_id text, face numeric, interest numeric,
       principal numeric, writedown numeric, accreted numeric, factor_before numeric, factor_after numeric, restates text)`,
    [rows, deal_id, remittance_id, version, period, payment_date, record_date, tx.now],
  );
  await tx.exec(
    `insert into ledger_entries (journal_id, organization_id, account, tranche_id, amount, payment_id, party, booked_at)
     select p.journal_id, case leg.party when 'DEAL' then $2 else p.organization_id end, leg.account, leg.tranche_id, leg.amount, p.payment_id,
       leg.party, $3
     from json_to_recordset($1) as p (payment_id text, journal_id text, organization_id text, tranche_id text, interest numeric, principal numeric,
         writedown numeric, accreted numeric),
       lateral (values
         ('HOLDER', 'CASH', null, p.interest + p.principal), ('DEAL', 'CASH', null, -p.interest - p.principal),
         ('HOLDER', 'BALANCE', p.tranche_id, p.accreted - p.principal - p.writedown),
         ('DEAL', 'BALANCE', p.tranche_id, p.principal + p.writedown - p.accreted)) as leg (party, account, tranche_id, amount)
     where leg.amount <> 0`,
    [rows, owner, tx.now],
  );
}
