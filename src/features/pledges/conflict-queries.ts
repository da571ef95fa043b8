import type { Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import type { StoredRecord } from '../../platform/http/stored-record.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import type { Id } from '../../platform/ids.ts';
import type { LoanType } from '../../loans/types.ts';
import type { ConflictSide, Meeting } from './conflict.ts';
import type { Holder } from './encumbrance-queries.ts';

const SIDE = `c.conflict_id, c.organization_id, c.holder_id, c.pair, c.loan_type, c.status, c.count, c.balance::float8 as balance, c.met,
  c.first_seen, c.updated_at, c.ended_at, c.resolved_by, c.reason`;

/**
 * Compares the loans of a holder with those of every other holder that they may not have in common: of other organizations, and of its
 * own where one of the two is a pledge outside the platform. `exempt` are holders that stand for the same pledge. The matches stay in a
 * table of the transaction; returns the other holders.
 */
export async function matchLoans(tx: Tx, holder: Holder, exempt: readonly string[]): Promise<Holder[]> {
  const meetings = [FINGERPRINTS_MEET];
  const byIdentity = await hasOutsidePledges(tx);
  if (byIdentity) meetings.push(IDENTITIES_MEET);
  return keepMatches(tx, meetings.join(' union all '), [holder.holder_id, exempt], byIdentity);
}

/** The holder `o` may not have a loan in common with `m`, of the same organization only where one of the two is a pledge outside the platform. */
const APART = `m.holder_id = $1 and o.holder_id <> $1 and o.holder_id <> all ($2)
  and (o.organization_id <> m.organization_id or starts_with(m.holder_id, 'plg_') or starts_with(o.holder_id, 'plg_'))`;

/** Blocks are joined first: most have no digest in common, and overlapping lists are few. */
const FINGERPRINTS_MEET = `select o.holder_id, o.organization_id, a.row_no, b.row_no as other_row_no, m.kind as met
  from loan_fingerprints m join loan_fingerprints o on o.kind = m.kind and o.block = m.block and o.digests && m.digests
    cross join lateral unnest(m.digests, m.row_nos) as a (digest, row_no)
    join lateral unnest(o.digests, o.row_nos) as b (digest, row_no) on b.digest = a.digest
  where ${APART}`;

const meetingByIdentity = (where: string): string =>
  `select o.holder_id, o.organization_id, m.row_no, o.row_no as other_row_no, 'loan_id' as met
   from encumbered_loans m join encumbered_loans o on o.identity = m.identity where ${where}`;

const IDENTITIES_MEET = meetingByIdentity(`(o.generation is null or m.generation is null) and ${APART}`);

async function hasOutsidePledges(tx: Tx): Promise<boolean> {
  const found = await tx.one<{ found: boolean }>(
    'select exists (select 1 from encumbered_loans where generation is null and identity is not null) as found',
  );
  return found?.found ?? false;
}

/** The same for two pools of one organization that claimed the same loans before one claim excluded another. */
export async function matchClaims(tx: Tx, holder: Holder, other: Holder): Promise<Holder[]> {
  const same = `m.holder_id = $1 and o.holder_id = $2
    and not coalesce(o.original_balance <> m.original_balance and o.origination_date <> m.origination_date, false)`;
  return keepMatches(tx, meetingByIdentity(same), [holder.holder_id, other.holder_id], true);
}

async function keepMatches(tx: Tx, meetings: string, params: readonly unknown[], byIdentity: boolean): Promise<Holder[]> {
  await tx.exec('drop table if exists pledge_matches');
  await tx.exec(
    'create temporary table pledge_matches (holder_id text, organization_id text, row_no int, other_row_no int, met text[]) on commit drop',
  );
  // The planner has no statistics of rows that have just been written: it takes a holder for one loan, and looks each of a million up.
  const large =
    byIdentity &&
    (await tx.one<{ is_large: boolean }>(
      `select (select count(*) from encumbered_loans where holder_id = $1) * 8 > reltuples as is_large
       from pg_class where oid = 'encumbered_loans'::regclass`,
      [params[0]],
    ));
  if (large && large.is_large) await tx.rows(`select set_config('enable_nestloop', 'off', true)`);
  await tx.exec(
    `insert into pledge_matches select holder_id, organization_id, row_no, other_row_no, array_agg(met order by met)
     from (${meetings}) t group by 1, 2, 3, 4`,
    params,
  );
  await tx.rows(`select set_config('enable_nestloop', 'on', true)`);
  return tx.rows('select distinct holder_id, organization_id from pledge_matches order by 1');
}

type NewConflict = {
  conflict_id: Id<'plc'>;
  loan_type: LoanType;
  pair: string;
  holder: Holder;
  other: Holder;
};

/** Writes both sides of a conflict from the matches of `matchLoans`, each with its loans. */
export async function insertConflict(
  tx: Tx,
  { conflict_id, loan_type, pair, holder, other }: NewConflict,
): Promise<ConflictSide[]> {
  const pairs = `select *, row_number() over (order by row_no, other_row_no) as pair_no from pledge_matches where holder_id = $1`;
  const sides = [
    { side: holder, row: 'row_no' },
    { side: other, row: 'other_row_no' },
  ];
  for (const { side, row } of sides) {
    await tx.exec(
      `with pairs as (${pairs}),
         loans as (select e.row_no, e.loan_id, e.balance, p.met, p.pair_no from pairs p join encumbered_loans e on e.holder_id = $2 and e.row_no = p.${row})
       insert into pledge_conflicts (conflict_id, organization_id, holder_id, pair, loan_type, status, count, balance, met, first_seen, updated_at)
       select $3, $4, $2, $5, $6, 'OPEN', count(*), coalesce(sum(balance), 0), (select array_agg(distinct m order by m) from loans, unnest(met) m), $7, $7
       from (select distinct on (row_no) row_no, balance from loans order by row_no) l`,
      [other.holder_id, side.holder_id, conflict_id, side.organization_id, pair, loan_type, tx.now],
    );
    await tx.exec(
      `with pairs as (${pairs})
       insert into pledge_conflict_loans (conflict_id, organization_id, holder_id, row_no, loan_id, balance, met, pair_no)
       select $3, $4, $2, e.row_no, e.loan_id, e.balance, p.met, p.pair_no from
         (select ${row} as row_no, min(pair_no) as pair_no, array(select distinct unnest(string_to_array(string_agg(array_to_string(met, ','), ','), ',')) order by 1) as met
          from pairs group by 1) p
         join encumbered_loans e on e.holder_id = $2 and e.row_no = p.row_no`,
      [other.holder_id, side.holder_id, conflict_id, side.organization_id],
    );
  }
  return lockConflict(tx, conflict_id);
}

/** Both sides of a conflict, locked. For the platform, which may see both. */
export function lockConflict(tx: Tx, conflictId: Id<'plc'>): Promise<ConflictSide[]> {
  return tx.rows(`select ${SIDE} from pledge_conflicts c where conflict_id = $1 order by holder_id for update`, [conflictId]);
}

/** Both sides of the open conflicts of a holder, locked. For the platform. */
export function lockOpenConflicts(tx: Tx, { holder_id }: Pick<Holder, 'holder_id'>): Promise<ConflictSide[]> {
  return tx.rows(
    `select ${SIDE} from pledge_conflicts c where c.status = 'OPEN'
       and c.conflict_id in (select conflict_id from pledge_conflicts where holder_id = $1 and status = 'OPEN')
     order by c.conflict_id, c.holder_id for update`,
    [holder_id],
  );
}

/** Ids of the open conflicts of a pool or pledge of an organization. */
export async function listOpenConflictIds(tx: Tx, { organization_id, holder_id }: Holder): Promise<Id<'plc'>[]> {
  const rows = await tx.rows<{ conflict_id: Id<'plc'> }>(
    `select conflict_id from pledge_conflicts where organization_id = $1 and holder_id = $2 and status = 'OPEN' order by conflict_id`,
    [organization_id, holder_id],
  );
  return rows.map((row) => row.conflict_id);
}

/** A conflict as its owner sees it: its own holders and loans, and nothing of another organization. */
export type OwnConflict = {
  conflict_id: Id<'plc'>;
  loan_type: LoanType;
  status: ConflictSide['status'];
  count: number;
  balance: number;
  met: Meeting[];
  holders: string[];
  first_seen: Date;
  updated_at: Date;
  ended_at: Date | null;
};

/** One conflict from its rows: both where an organization pools what it has pledged elsewhere, or the operator looks. */
const OWN = `c.conflict_id, min(c.loan_type) as loan_type, min(c.status) as status, max(c.count) as count, max(c.balance)::float8 as balance,
  string_to_array(min(array_to_string(c.met, ',')), ',') as met, array_agg(c.holder_id order by c.holder_id) as holders, min(c.first_seen) as first_seen,
  max(c.updated_at) as updated_at, max(c.ended_at) as ended_at`;

type ConflictFilter = PageRequest & Between & { status?: string };

/** Conflicts, newest first: an organization's own sides, or both sides of all where `organizationId` is null (the operator). */
export function listConflicts(tx: Tx, organizationId: Id<'org'> | null, filter: ConflictFilter): Promise<Page<OwnConflict>> {
  const filters: Filter[] = [
    ['? = any(owners)', organizationId],
    ['status = ?', filter.status],
    ...between('first_seen', filter),
  ];
  // Row security leaves an organization its own sides alone, so that the other one counts for nothing here.
  const from = `(select ${OWN}, array_agg(c.organization_id) as owners from pledge_conflicts c group by c.conflict_id) c`;
  return selectPage(tx, { select: '*', from, filters, order: newestFirst('first_seen', 'conflict_id') }, filter);
}

export function findConflict(tx: Tx, organizationId: Id<'org'> | null, conflictId: Id<'plc'>): Promise<OwnConflict | null> {
  return tx.one(
    `select ${OWN} from pledge_conflicts c where ($1::text is null or c.organization_id = $1) and c.conflict_id = $2 group by c.conflict_id`,
    [organizationId, conflictId],
  );
}

export type ConflictLoan = {
  holder_id: string;
  organization_id: Id<'org'>;
  loan_id: string | null;
  balance: number | null;
  met: Meeting[];
  pair_no: number;
};

export function listConflictLoans(
  tx: Tx,
  organizationId: Id<'org'> | null,
  conflictId: Id<'plc'>,
  page: PageRequest,
): Promise<Page<ConflictLoan>> {
  const filters: Filter[] = [
    ['organization_id = ?', organizationId],
    ['conflict_id = ?', conflictId],
  ];
  return selectPage(
    tx,
    {
      select: 'holder_id, organization_id, loan_id, balance::float8 as balance, met, pair_no',
      from: 'pledge_conflict_loans',
      filters,
      order: [
        { by: 'pair_no', as: 'integer' },
        { by: 'holder_id', as: 'text' },
        { by: 'row_no', as: 'integer' },
      ],
    },
    page,
  );
}

/** Both sides of conflicts, for the operator. */
export function listSides(tx: Tx, conflictIds: readonly Id<'plc'>[]): Promise<ConflictSide[]> {
  return tx.rows(`select ${SIDE} from pledge_conflicts c where conflict_id = any($1) order by conflict_id, holder_id`, [
    conflictIds,
  ]);
}

/** Both sides together, as far as the reader may see them. */
export const CONFLICT_RECORD: StoredRecord = {
  table: 'pledge_conflicts',
  where: 'r.conflict_id = $1 and r.holder_id = (select min(holder_id) from pledge_conflicts where conflict_id = $1)',
  fields: '(select jsonb_agg(to_jsonb(s) order by s.holder_id) from pledge_conflicts s where s.conflict_id = r.conflict_id)',
};

/** Locks holders by their first loans, in one order for everybody; returns how many still hold loans. */
export async function lockHolders(tx: Tx, holderIds: readonly string[]): Promise<number> {
  const rows = await tx.rows(
    'select 1 from encumbered_loans where holder_id = any($1) and row_no = 1 order by holder_id for no key update',
    [holderIds],
  );
  return rows.length;
}

export async function hasOpenConflict(tx: Tx, pair: string): Promise<boolean> {
  return (await tx.one(`select 1 from pledge_conflicts where pair = $1 and status = 'OPEN' limit 1`, [pair])) !== null;
}

/**
 * Whether all matches of two holders, of those of `matchLoans`, are loans of a conflict of theirs that the operator has resolved. One more
 * loan is another conflict.
 */
export async function wasResolved(tx: Tx, pair: string, holder: Holder, other: Holder): Promise<boolean> {
  const row = await tx.one<{ was_resolved: boolean }>(
    `with resolved as materialized (select conflict_id, holder_id, count from pledge_conflicts where pair = $1 and status = 'RESOLVED'),
       matched as materialized (
         select $2 as holder_id, p.row_no from pledge_matches p where p.holder_id = $3
         union select $3, p.other_row_no from pledge_matches p where p.holder_id = $3),
       loans as materialized (select holder_id, coalesce(e.loan_id, '') as loan_id from matched join encumbered_loans e using (holder_id, row_no))
     select exists (select from resolved)
       and not exists (select from loans n where not exists (
         select from pledge_conflict_loans l join resolved using (conflict_id, holder_id)
         where l.holder_id = n.holder_id and coalesce(l.loan_id, '') = n.loan_id))
       and not exists (select from (select holder_id, count(*) as count from loans group by 1) n
         where n.count > (select max(r.count) from resolved r where r.holder_id = n.holder_id)) as was_resolved`,
    [pair, holder.holder_id, other.holder_id],
  );
  return row?.was_resolved ?? false;
}
