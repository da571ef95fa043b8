import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import type { Batch } from './read-identities.ts';

/** A pool or an outside pledge, with its organization. */
export type Holder = { organization_id: Id<'org'>; holder_id: Id<'pool'> | Id<'plg'> };

/** The loans of a batch ($1 … $7), in the order of the file of identities. */
const LOANS = `unnest($1::int[], $2::smallint[], $3::uuid[], $4::numeric[], $5::date[], $6::numeric[], $7::text[])
  as l (row_no, generation, identity, original_balance, origination_date, balance, loan_id)`;

const insertOf = (generation: string): string =>
  `insert into encumbered_loans (holder_id, organization_id, row_no, generation, identity, original_balance, origination_date, balance, loan_id)
   select $8, $9, l.row_no, ${generation}, l.identity, l.original_balance, l.origination_date, l.balance, l.loan_id from ${LOANS}`;

/** Claims loans. Fails by `encumbered_loans_one_claim` when another live pool has one of them. */
export async function insertClaims(tx: Tx, holder: Holder, batch: Batch): Promise<void> {
  await tx.exec(insertOf('l.generation'), [...batch, holder.holder_id, holder.organization_id]);
}

/** Claims loans whose ids may be those of other loans in live pools; returns how many are. */
export async function insertReused(tx: Tx, holder: Holder, batch: Batch): Promise<number> {
  const rows = await tx.one<{ reused: number }>(
    `with claimed as (${insertOf(
      'l.generation + coalesce((select max(e.generation) + 1 from encumbered_loans e where e.identity = l.identity and e.generation is not null and e.holder_id <> $8), 0)',
    )} returning generation)
     select count(*) filter (where generation > 0)::int as reused from claimed`,
    [...batch, holder.holder_id, holder.organization_id],
  );
  return rows?.reused ?? 0;
}

/** Records loans that are pledged outside the platform: no claim, so that pools can have them, in conflict. */
export async function insertPledged(tx: Tx, holder: Holder, batch: Batch): Promise<void> {
  await tx.exec(insertOf('null'), [...batch, holder.holder_id, holder.organization_id]);
}

/** SQL: the claims of other live pools of the organization ($9 but $8) on the loans of a batch. */
const CLAIMED_ELSEWHERE = `${LOANS} join encumbered_loans e on e.identity = l.identity and e.generation is not null
  where e.holder_id <> $8 and e.organization_id = $9
    and not coalesce(e.original_balance <> l.original_balance and e.origination_date <> l.origination_date, false)`;

export type ClaimedElsewhere = { loan_id: string; pool_id: Id<'pool'> };

/**
 * Loans of a batch that other live pools of the organization have, at most `limit`, and how many there are. A claim under the same id with
 * another amount and another date is of another loan; where one of them is not known, it is the same.
 */
export function listClaimedElsewhere(
  tx: Tx,
  holder: Holder,
  batch: Batch,
  limit: number,
): Promise<(ClaimedElsewhere & { total: number })[]> {
  return tx.rows(
    `select loan_id, pool_id, count(*) over ()::int as total
     from (select distinct on (l.row_no) l.row_no, l.loan_id, e.holder_id as pool_id from ${CLAIMED_ELSEWHERE} order by l.row_no, e.holder_id) c
     order by row_no limit $10`,
    [...batch, holder.holder_id, holder.organization_id, limit],
  );
}

/** The pools that have loans of a batch. */
export async function listClaimants(tx: Tx, holder: Holder, batch: Batch): Promise<Id<'pool'>[]> {
  const rows = await tx.rows<{ pool_id: Id<'pool'> }>(`select distinct e.holder_id as pool_id from ${CLAIMED_ELSEWHERE}`, [
    ...batch,
    holder.holder_id,
    holder.organization_id,
  ]);
  return rows.map((row) => row.pool_id);
}

/** Holds the claims under the ids of a batch until the transaction ends, so that none is released while others are numbered after it. */
export async function lockClaims(tx: Tx, holder: Holder, batch: Batch): Promise<void> {
  await tx.rows(
    `select 1 from encumbered_loans where identity = any($1::uuid[]) and generation is not null and organization_id = $2
     order by identity, generation for update`,
    [batch[2], holder.organization_id],
  );
}

/** Writes the fingerprints of a holder, a batch of blocks in the order of their file. */
export async function insertFingerprints(tx: Tx, holder: Holder, batch: Batch): Promise<void> {
  await tx.exec(
    `insert into loan_fingerprints (holder_id, organization_id, kind, block, digests, row_nos)
     select $5, $6, kind, block, digests::uuid[], row_nos::int[]
     from unnest($1::text[], $2::int[], $3::text[], $4::text[]) as b (kind, block, digests, row_nos)`,
    [...batch, holder.holder_id, holder.organization_id],
  );
}

export async function deleteFingerprints(tx: Tx, { organization_id, holder_id }: Holder): Promise<void> {
  await tx.exec('delete from loan_fingerprints where organization_id = $1 and holder_id = $2', [organization_id, holder_id]);
}

/** How many loans of a batch are those of the same rows of the holder. */
export async function countSameLoans(tx: Tx, holder: Holder, batch: Batch): Promise<number> {
  const counted = await tx.one<{ same: number }>(
    `select count(*)::int as same from ${LOANS} join encumbered_loans e
     on e.holder_id = $8 and e.organization_id = $9 and e.row_no = l.row_no and e.identity is not distinct from l.identity`,
    [...batch, holder.holder_id, holder.organization_id],
  );
  return counted?.same ?? 0;
}

/** Releases the loans of a holder; a loan that has the id of a released one takes its place. */
export async function deleteEncumbrances(tx: Tx, { organization_id, holder_id }: Holder): Promise<void> {
  await deleteFingerprints(tx, { organization_id, holder_id });
  await tx.exec('delete from encumbered_loans where organization_id = $1 and holder_id = $2', [organization_id, holder_id]);
  // The first claim under an id always has generation 0: the unique index then refuses a second one without a look at the others.
  await tx.exec(
    `update encumbered_loans e set generation = 0
     where e.organization_id = $1 and e.generation > 0
       and not exists (select 1 from encumbered_loans f where f.identity = e.identity and f.generation < e.generation)`,
    [organization_id],
  );
}
