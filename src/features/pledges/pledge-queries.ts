import type { LoanType } from '../../loans/types.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import { storedRecord } from '../../platform/http/stored-record.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import type { Id } from '../../platform/ids.ts';
import type { OutsidePledge } from './outside-pledge.ts';
import { SYNTHETIC_IDS } from '../tapes/queries.ts';

const PLEDGE = `p.pledge_id, p.organization_id, p.pledgee, p.loan_type, p.as_of::text as as_of, p.deal_id, p.status, p.matched, p.unmatched,
  p.fingerprint_key, p.source_key, p.compared_at, p.created_at, p.updated_at, p.released_at`;

export const PLEDGE_RECORD = storedRecord('outside_pledges', 'pledge_id', {
  without: ['compared_at', 'fingerprint_key', 'source_key'],
});

export async function insertPledge(
  tx: Tx,
  pledge: Omit<OutsidePledge, 'status' | 'compared_at' | 'created_at' | 'updated_at' | 'released_at'>,
): Promise<OutsidePledge> {
  const row = await tx.one<OutsidePledge>(
    `insert into outside_pledges as p (pledge_id, organization_id, pledgee, loan_type, as_of, deal_id, status, matched, unmatched,
       fingerprint_key, source_key, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, 'LIVE', $7, $8, $9, $10, $11, $11) returning ${PLEDGE}`,
    [
      pledge.pledge_id,
      pledge.organization_id,
      pledge.pledgee,
      pledge.loan_type,
      pledge.as_of,
      pledge.deal_id,
      pledge.matched,
      pledge.unmatched,
      pledge.fingerprint_key,
      pledge.source_key,
      tx.now,
    ],
  );
  return row as OutsidePledge;
}

export function findPledge(
  tx: Tx,
  organizationId: Id<'org'> | null,
  pledgeId: Id<'plg'>,
  lock = false,
): Promise<OutsidePledge | null> {
  return tx.one<OutsidePledge>(
    `select ${PLEDGE} from outside_pledges p where pledge_id = $1 and ($2::text is null or organization_id = $2) ${lock ? 'for update' : ''}`,
    [pledgeId, organizationId],
  );
}

type PledgeFilter = PageRequest & Between & { status?: string };

export function listPledges(tx: Tx, organizationId: Id<'org'> | null, filter: PledgeFilter): Promise<Page<OutsidePledge>> {
  const filters: Filter[] = [
    ['p.organization_id = ?', organizationId],
    ['p.status = ?', filter.status],
    ...between('p.created_at', filter),
  ];
  return selectPage(
    tx,
    { select: PLEDGE, from: 'outside_pledges p', filters, order: newestFirst('p.created_at', 'p.pledge_id') },
    filter,
  );
}

/** Live pledges of an organization to the same pledgee: they report one pledge, of which a loan may be named again. */
export async function listSamePledgee(tx: Tx, { organization_id, pledgee }: OutsidePledge): Promise<Id<'plg'>[]> {
  const rows = await tx.rows<{ pledge_id: Id<'plg'> }>(
    `select pledge_id from outside_pledges where organization_id = $1 and status = 'LIVE' and lower(pledgee) = lower($2)`,
    [organization_id, pledgee],
  );
  return rows.map((row) => row.pledge_id);
}

export async function setPledgeCompared(tx: Tx, pledgeId: Id<'plg'>): Promise<void> {
  await tx.exec('update outside_pledges set compared_at = $2 where pledge_id = $1', [pledgeId, tx.now]);
}

export async function setPledgeFingerprints(tx: Tx, pledgeId: Id<'plg'>, keyId: string): Promise<void> {
  await tx.exec('update outside_pledges set fingerprint_key = $2, compared_at = null where pledge_id = $1', [pledgeId, keyId]);
}

/** The next live pledge whose loans are not under this key, or not compared with those of others. For workers. */
export function findUnsettledPledge(tx: Tx, keyId: string, after: string): Promise<OutsidePledge | null> {
  return tx.one<OutsidePledge>(
    `select ${PLEDGE} from outside_pledges p where p.status = 'LIVE' and p.pledge_id > $2 and (p.compared_at is null or p.fingerprint_key <> $1)
     order by p.pledge_id limit 1`,
    [keyId, after],
  );
}

/** A tape of an organization that has a loan table. */
export type OwnTape = { deal_id: Id<'deal'>; loan_type: LoanType; loans_key: string; synthetic_ids: boolean };

/** The newest tapes of an organization's deals of a loan type, or of one deal of any type. */
export function listOwnTapes(
  tx: Tx,
  organizationId: Id<'org'>,
  { loan_type, deal_id }: { loan_type: LoanType; deal_id: Id<'deal'> | null },
): Promise<OwnTape[]> {
  return tx.rows<OwnTape>(
    `select d.deal_id, d.loan_type, t.loans_key, ${SYNTHETIC_IDS} as synthetic_ids
     from deals d join tapes t on t.deal_id = d.deal_id and t.version = d.tape_version
     where d.organization_id = $1 and t.loans_key is not null and (d.deal_id = $3 or ($3::text is null and d.loan_type = $2))
     order by d.deal_id`,
    [organizationId, loan_type, deal_id],
  );
}
