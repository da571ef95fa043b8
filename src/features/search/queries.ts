import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import { visibleTo } from '../securitizations/queries.ts';

/** Whose records are searched: all of them (null, the operator), or those that one organization sees in its role. */
export type Searcher = { organization_id: Id<'org'>; sells: boolean; invests: boolean } | null;

export type FoundDeal = {
  deal_id: Id<'deal'>;
  organization_id: Id<'org'>;
  kind: 'LOAN' | 'SECURITIZATION';
  name: string;
  status: string;
};
export type FoundPool = { pool_id: Id<'pool'>; organization_id: Id<'org'>; name: string; status: string };
export type FoundOrganization = { organization_id: Id<'org'>; name: string; status: string };
export type SearchedTape = { deal_id: Id<'deal'>; organization_id: Id<'org'>; loans_key: string };

/** The beginning of an id, or a part of a name, as patterns of LIKE. */
const patterns = (text: string): [id: string, name: string] => {
  const plain = text.replace(/[\\%_]/g, '\\$&');
  return [`${plain}%`, `%${plain}%`];
};

const values = (text: string, searcher: Searcher, most: number): unknown[] => [
  ...patterns(text),
  searcher?.organization_id ?? null,
  most,
];

export function findDeals(tx: Tx, text: string, searcher: Searcher, most: number): Promise<FoundDeal[]> {
  const own = searcher === null || searcher.sells ? '($3::text is null or d.organization_id = $3)' : 'false';
  const seen = searcher?.invests ? `or ${visibleTo('$3')}` : '';
  return tx.rows<FoundDeal>(
    `select * from (
       select d.deal_id, d.organization_id, 'LOAN' as kind, d.name, d.status, d.created_at from deals d
         where (d.deal_id like $1 or d.name ilike $2) and ${own}
       union all
       select d.deal_id, d.organization_id, 'SECURITIZATION', d.name, d.market_status, d.created_at from securitization_deals d
         where (d.deal_id like $1 or d.name ilike $2) and (${own} ${seen})) f
     order by created_at desc, deal_id desc limit $4`,
    values(text, searcher, most),
  );
}

export function findPools(tx: Tx, text: string, searcher: Searcher, most: number): Promise<FoundPool[]> {
  return tx.rows<FoundPool>(
    `select pool_id, organization_id, name, status from pools
     where (pool_id like $1 or name ilike $2) and ($3::text is null or organization_id = $3)
     order by created_at desc, pool_id desc limit $4`,
    values(text, searcher, most),
  );
}

export function findOrganizations(tx: Tx, text: string, searcher: Searcher, most: number): Promise<FoundOrganization[]> {
  return tx.rows<FoundOrganization>(
    `select organization_id, name, status from organizations
     where (organization_id like $1 or name ilike $2) and ($3::text is null or organization_id = $3)
     order by name, organization_id limit $4`,
    values(text, searcher, most),
  );
}

/** The tapes in force whose loans are searched, of the newest deals, and how many there are in all. */
export async function listSearchedTapes(
  tx: Tx,
  { searcher, dealId, most }: { searcher: Searcher; dealId: Id<'deal'> | null; most: number },
): Promise<{ tapes: SearchedTape[]; total: number }> {
  const from = `from deals d join tapes t on t.deal_id = d.deal_id and t.version = d.tape_version
     where t.loans_key is not null and ($1::text is null or d.organization_id = $1) and ($2::text is null or d.deal_id = $2)`;
  const values = [searcher?.organization_id ?? null, dealId];
  const tapes = await tx.rows<SearchedTape>(
    `select d.deal_id, d.organization_id, t.loans_key ${from} order by d.created_at desc, d.deal_id desc limit $3`,
    [...values, most],
  );
  if (tapes.length < most) return { tapes, total: tapes.length };
  const counted = await tx.one<{ total: number }>(`select count(*)::int as total ${from}`, values);
  return { tapes, total: counted?.total ?? 0 };
}
