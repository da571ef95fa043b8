import { storedRecord } from '../../platform/http/stored-record.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newestFirst, type Page } from '../../platform/pages.ts';
import { selectPage } from '../../platform/db/page.ts';
import { type ListFilter, listFilters } from '../../platform/db/list-filter.ts';
import type { Id } from '../../platform/ids.ts';

export const IOI_RECORD = storedRecord('iois', 'ioi_id', {
  hold: (tx, id) => tx.rows('select sluice_hold_books(deal_id) from iois where ioi_id = $1', [id]),
});

export const IOI_STATUSES = ['submitted', 'withdrawn', 'converted', 'expired'] as const;
export type IoiStatus = (typeof IOI_STATUSES)[number];

export type IoiRow = {
  ioi_id: Id<'ioi'>;
  status: IoiStatus;
  deal_id: Id<'deal'>;
  interest_amount: number;
  created_at: Date;
  updated_at: Date;
};

const IOI = 'ioi_id, status, deal_id, interest_amount::float8 as interest_amount, created_at, updated_at';

export async function insertIoi(
  tx: Tx,
  row: { ioi_id: Id<'ioi'>; organization_id: Id<'org'>; deal_id: Id<'deal'>; interest_amount: number },
): Promise<IoiRow> {
  const created = await tx.one<IoiRow>(
    `insert into iois (ioi_id, organization_id, deal_id, interest_amount, created_at, updated_at) values ($1, $2, $3, $4, $5, $5) returning ${IOI}`,
    [row.ioi_id, row.organization_id, row.deal_id, row.interest_amount, tx.now],
  );
  return created as IoiRow;
}

export function findIoi(tx: Tx, organizationId: Id<'org'>, ioiId: Id<'ioi'>, lock = false): Promise<IoiRow | null> {
  return tx.one<IoiRow>(`select ${IOI} from iois where organization_id = $1 and ioi_id = $2 ${lock ? 'for update' : ''}`, [
    organizationId,
    ioiId,
  ]);
}

export function listIois(tx: Tx, organizationId: Id<'org'>, filter: ListFilter): Promise<Page<IoiRow>> {
  const filters = listFilters(organizationId, filter);
  return selectPage(tx, { select: IOI, from: 'iois', filters, order: newestFirst('created_at', 'ioi_id'), apart: 'all' }, filter);
}

export type OperatorIoiRow = IoiRow & { organization_id: Id<'org'>; organization: string };

const OPERATOR_IOI = `${IOI}, organization_id, (select name from organizations o where o.organization_id = iois.organization_id) as organization`;

/** For operators, who may see every indication. */
export function findOperatorIoi(tx: Tx, ioiId: Id<'ioi'>): Promise<OperatorIoiRow | null> {
  return tx.one<OperatorIoiRow>(`select ${OPERATOR_IOI} from iois where ioi_id = $1`, [ioiId]);
}

/** Indications of all investors, newest first. */
export function listOperatorIois(tx: Tx, filter: ListFilter): Promise<Page<OperatorIoiRow>> {
  return selectPage(
    tx,
    {
      select: OPERATOR_IOI,
      from: 'iois',
      filters: listFilters(null, filter),
      order: newestFirst('created_at', 'ioi_id'),
      apart: 'all',
    },
    filter,
  );
}

export async function updateInterest(tx: Tx, organizationId: Id<'org'>, ioiId: Id<'ioi'>, amount: number): Promise<IoiRow> {
  const row = await tx.one<IoiRow>(
    `update iois set interest_amount = $3, updated_at = $4 where organization_id = $1 and ioi_id = $2 returning ${IOI}`,
    [organizationId, ioiId, amount, tx.now],
  );
  return row as IoiRow;
}
