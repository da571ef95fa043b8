import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import { visibleTo } from '../securitizations/queries.ts';
import type { Recipient } from './recipient.ts';
import type { Share, TableKind } from './table.ts';

export type ListedTable = { schema: string; table: TableKind };

/** The tables of a pool `p`: its loans, and those of its months where there are any. */
const OF_POOL = `cross join (values ('loans'), ('monthly_loans')) n("table")
  where p.loans_key is not null and (n."table" = 'loans' or exists (select from pool_months m where m.pool_id = p.pool_id))`;

/** The tables of each share: $1 is the organization, $2 the deals that the recipient is bound to, or null. */
const TABLES_OF: Record<Share, string> = {
  tapes: `select d.deal_id as schema, 'loans' as "table" from deals d
    join tapes t on t.organization_id = d.organization_id and t.deal_id = d.deal_id and t.version = d.tape_version
    where d.organization_id = $1 and t.loans_key is not null and ($2::text[] is null or d.deal_id = any($2))`,
  pools: `select p.pool_id as schema, n."table" from pools p ${OF_POOL}
    and p.organization_id = $1 and ($2::text[] is null or p.deal_id = any($2))`,
  market: `select d.deal_id as schema, n."table" from securitization_deals d join pools p on p.pool_id = d.pool_id and p.deal_id = d.deal_id ${OF_POOL}
    and p.status <> 'CANCELLED' and p.disclosure_level = 'LOAN_LEVEL' and ($2::text[] is null or d.deal_id = any($2)) and ${visibleTo('$1')}`,
};

type After = { after: readonly [schema: string, table: string]; limit: number };

const boundsOf = ({ organization_id, deal_ids }: Recipient): unknown[] => [organization_id, deal_ids];

/** Tables of a share, or of one of its schemas, by their names. */
export function listSharedTables(
  tx: Tx,
  recipient: Recipient,
  share: Share,
  { schema = null, after, limit }: After & { schema?: string | null },
): Promise<ListedTable[]> {
  return tx.rows<ListedTable>(
    `select schema, "table" from (${TABLES_OF[share]}) s
     where ($3::text is null or schema = $3) and (schema collate "C", "table" collate "C") > ($4, $5)
     order by schema collate "C", "table" collate "C" limit $6`,
    [...boundsOf(recipient), schema, ...after, limit],
  );
}

/** Schemas of a share that have a table, by their names. */
export function listSharedSchemas(
  tx: Tx,
  recipient: Recipient,
  share: Share,
  { after: [schema], limit }: After,
): Promise<Pick<ListedTable, 'schema'>[]> {
  return tx.rows(
    `select schema from (select distinct schema collate "C" as schema from (${TABLES_OF[share]}) s) d
     where schema > $3 order by schema limit $4`,
    [...boundsOf(recipient), schema, limit],
  );
}

/** Whether a recipient reads a table. */
export async function isShared(tx: Tx, recipient: Recipient, share: Share, { schema, table }: ListedTable): Promise<boolean> {
  const row = await tx.one(`select 1 from (${TABLES_OF[share]}) s where schema = $3 and "table" = $4`, [
    ...boundsOf(recipient),
    schema,
    table,
  ]);
  return row !== null;
}

/** A version of a tape that its table goes back to. */
export type KeptTape = { version: number; loans_key: string; accepted: number; completed_at: Date };

/**
 * The versions of a deal's tape up to the one in force whose checks ended with loans, newest first, without their mappings and findings. While
 * the one in force is checked again it keeps the loans of the run before.
 */
export function listKeptTapes(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<KeptTape[]> {
  return tx.rows<KeptTape>(
    `select t.version, t.loans_key, t.accepted, coalesce(t.completed_at, t.created_at) as completed_at from tapes t join deals d using (organization_id, deal_id)
     where t.organization_id = $1 and t.deal_id = $2 and t.version <= d.tape_version
       and (t.state = 'DONE' or t.version = d.tape_version) and t.loans_key is not null
     order by t.version desc`,
    [organizationId, dealId],
  );
}

/** The files of a pool's months, oldest first, without the figures of the months. */
export function listMonthFiles(tx: Tx, poolId: Id<'pool'>): Promise<{ period: number; loans_key: string; rows: null }[]> {
  return tx.rows('select period, loans_key, null as rows from pool_months where pool_id = $1 order by period', [poolId]);
}

export type SharedFile = {
  file_id: string;
  organization_id: Id<'org'>;
  pool_id: Id<'pool'>;
  loans_key: string;
  disclosure_version: number;
  object_key: string;
};

export async function findSharedFile(tx: Tx, fileId: string): Promise<Pick<SharedFile, 'object_key'> | null> {
  return tx.one('select object_key from shared_files where file_id = $1', [fileId]);
}

/** Keeps a file; false when another request was first. */
export async function insertSharedFile(tx: Tx, file: SharedFile): Promise<boolean> {
  const inserted = await tx.exec(
    `insert into shared_files (file_id, organization_id, pool_id, loans_key, disclosure_version, object_key)
     values ($1, $2, $3, $4, $5, $6) on conflict (file_id) do nothing`,
    [file.file_id, file.organization_id, file.pool_id, file.loans_key, file.disclosure_version, file.object_key],
  );
  return inserted === 1;
}

const DAYS_KEPT = 30;
const MOST_AT_ONCE = 1_000;

/**
 * Forgets files of what is disclosed no more, and those that were made a month ago: they are made again when they are asked for. Their
 * objects are deleted when the addresses that were given out have ended.
 */
export function deleteOldSharedFiles(tx: Tx, addressMinutes: number): Promise<number> {
  return tx.exec(
    `with gone as (
       delete from shared_files where file_id in (
         select f.file_id from shared_files f join pools p using (pool_id)
         where f.created_at < now() - make_interval(days => ${DAYS_KEPT}) or p.disclosure_version <> f.disclosure_version
            or p.status = 'CANCELLED'
            or (p.loans_key <> f.loans_key and not exists (
                 select from pool_months m where m.pool_id = f.pool_id and m.loans_key = f.loans_key))
         limit ${MOST_AT_ONCE})
       returning object_key, organization_id)
     insert into removed_objects (object_key, organization_id, removed_at)
     select object_key, organization_id, now() + make_interval(mins => $1) from gone`,
    [addressMinutes],
  );
}
