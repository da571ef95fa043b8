import { type ActorFields, actorColumns } from '../../platform/http/actor-fields.ts';
import { storedRecord } from '../../platform/http/stored-record.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { newestFirst, NO_ROWS, type Page, type PageRequest } from '../../platform/pages.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { deleteInBatches } from '../../platform/retention.ts';
import { visibleTo } from '../securitizations/queries.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';

/** The versions that a document is read with, the newest; the list of its versions has all. */
export const SHOWN_VERSIONS = 100;

/** The room of a document, which may be none, as the index of versions has it. */
const roomOf = (row: string): string => `case when ${row}.deal_id is null then '' else ${row}.deal_id end`;

/** A document with its versions; whether investors were told of it is no part of it. */
export const DOCUMENT_RECORD = storedRecord('documents', 'document_id', {
  without: ['announced_at'],
  also: [
    `(select jsonb_agg(jsonb_build_array(v.document_id, v.visibility) order by v.version) from (
        select document_id, visibility, version from documents v where v.organization_id = r.organization_id
          and ${roomOf('v')} = ${roomOf('r')} and v.file_name = r.file_name and v.for_profile = r.for_profile
        order by v.version desc limit ${SHOWN_VERSIONS}) v)`,
    // The profile that was set after a tax form was filed reviews it.
    `(select o.profile_set_at > r.created_at from organizations o where r.for_profile and o.organization_id = r.organization_id)`,
  ],
});

export const VISIBILITIES = ['PRIVATE', 'INVESTORS'] as const;
export const PROFILE_DOCUMENT_STATUSES = ['PENDING', 'REVIEWED'] as const;

/** What the upload of a document is for: a deal room, or the compliance profile. */
export type DocumentPurpose = 'document' | 'profile';
export type Visibility = (typeof VISIBILITIES)[number];

export type DocumentRow = {
  document_id: Id<'doc'>;
  organization_id: Id<'org'>;
  deal_id: Id<'deal'> | null;
  file_key: string;
  file_name: string;
  document_type: string;
  content_type: string;
  size: number;
  sha256: string;
  object_key: string;
  version: number;
  status: 'uploaded';
  visibility: Visibility;
  announced_at: Date | null;
  /** A tax form of its owner's compliance profile, in no deal room. */
  for_profile: boolean;
  created_at: Date;
};

const DOCUMENT = `document_id, organization_id, deal_id, file_key, file_name, document_type, content_type, size, sha256, object_key, version,
  status, visibility, announced_at, for_profile, created_at`;

/** True when the deal, a loan deal or a securitization deal, is the organization's own. */
export async function ownsDeal(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<boolean> {
  const row = await tx.one(
    `select 1 from deals where organization_id = $1 and deal_id = $2
     union all select 1 from securitization_deals where organization_id = $1 and deal_id = $2`,
    [organizationId, dealId],
  );
  return row !== null;
}

export async function isListed(tx: Tx, dealId: Id<'deal'>): Promise<boolean> {
  return (await tx.one('select 1 from securitization_deals where deal_id = $1', [dealId])) !== null;
}

/** The newest version of a name in a deal's room, under a lock that makes the next version wait. */
export async function findNewestVersion(
  tx: Tx,
  {
    organization_id,
    deal_id,
    file_name,
    for_profile,
  }: Pick<DocumentRow, 'organization_id' | 'deal_id' | 'file_name' | 'for_profile'>,
): Promise<Pick<DocumentRow, 'version' | 'visibility'> | null> {
  await tx.rows('select pg_advisory_xact_lock(hashtextextended($1, 21))', [
    `${organization_id}\n${for_profile ? 'profile' : (deal_id ?? '')}\n${file_name}`,
  ]);
  return tx.one(
    `select version, visibility from documents where organization_id = $1 and ${roomOf('documents')} = coalesce($2, '') and file_name = $3
       and for_profile = $4 order by version desc limit 1`,
    [organization_id, deal_id, file_name, for_profile],
  );
}

export async function insertDocument(
  tx: Tx,
  row: Omit<DocumentRow, 'status' | 'created_at' | 'announced_at'>,
): Promise<DocumentRow> {
  const created = await tx.one<DocumentRow>(
    `insert into documents (document_id, organization_id, deal_id, file_key, file_name, document_type, content_type, size, sha256, object_key,
       version, visibility, for_profile, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) returning ${DOCUMENT}`,
    [
      row.document_id,
      row.organization_id,
      row.deal_id,
      row.file_key,
      row.file_name,
      row.document_type,
      row.content_type,
      row.size,
      row.sha256,
      row.object_key,
      row.version,
      row.visibility,
      row.for_profile,
      tx.now,
    ],
  );
  return created as DocumentRow;
}

/** A document of a deal room. */
export function findDocument(
  tx: Tx,
  organizationId: Id<'org'>,
  documentId: Id<'doc'>,
  lock = false,
): Promise<DocumentRow | null> {
  return tx.one<DocumentRow>(
    `select ${DOCUMENT} from documents where organization_id = $1 and document_id = $2 and not for_profile ${lock ? 'for update' : ''}`,
    [organizationId, documentId],
  );
}

/** A document of a deal room or of a profile. For its signed address: whoever has one was given it for this document. */
export function findAnyDocument(tx: Tx, organizationId: Id<'org'>, documentId: Id<'doc'>): Promise<DocumentRow | null> {
  return tx.one<DocumentRow>(`select ${DOCUMENT} from documents where organization_id = $1 and document_id = $2`, [
    organizationId,
    documentId,
  ]);
}

/** The newest versions of the document's name in its deal's room, newest first. */
export function listVersions(tx: Tx, document: DocumentRow): Promise<DocumentRow[]> {
  return tx.rows<DocumentRow>(
    `select ${DOCUMENT} from documents where organization_id = $1 and ${roomOf('documents')} = coalesce($2, '') and file_name = $3 and not for_profile
     order by version desc limit ${SHOWN_VERSIONS}`,
    [document.organization_id, document.deal_id, document.file_name],
  );
}

const NEWEST = `not exists (select from documents newer where newer.organization_id = d.organization_id
  and ${roomOf('newer')} = ${roomOf('d')} and newer.file_name = d.file_name and newer.version > d.version and not newer.for_profile`;

/** How many names there are, each of which has one newest version: it needs no look for a newer version of each row. */
async function countNames(tx: Tx, where: string, values: readonly unknown[]): Promise<number> {
  const row = await tx.one<{ total: number }>(
    `select count(*)::int as total from (select distinct organization_id, deal_id, file_name from documents where ${where}) names`,
    values,
  );
  return row?.total ?? 0;
}

const isWhole = ({ from, to }: Between): boolean => !from && !to;

export async function listDocuments(
  tx: Tx,
  organizationId: Id<'org'>,
  filter: PageRequest & Between & { dealId?: Id<'deal'>; versionsOf?: Id<'doc'> },
): Promise<Page<DocumentRow>> {
  const of = filter.versionsOf && (await findDocument(tx, organizationId, filter.versionsOf));
  if (of === null) return NO_ROWS;
  const ofName: Filter[] = of
    ? [
        [`${roomOf('d')} = ?`, of.deal_id ?? ''],
        ['file_name = ?', of.file_name],
      ]
    : [];
  const [ofRoom, room] = filter.dealId ? [' and deal_id = $2', [filter.dealId]] : ['', []];
  const countAll = () => countNames(tx, `not for_profile and organization_id = $1${ofRoom}`, [organizationId, ...room]);
  return selectPage(
    tx,
    {
      select: DOCUMENT,
      from: 'documents d',
      filters: [
        [`not for_profile ${of ? '' : `and ${NEWEST})`} and organization_id = ?`, organizationId],
        ...ofName,
        ['deal_id = ?', filter.dealId],
        ...between('created_at', filter),
      ],
      order: of ? [{ by: 'version', as: 'integer', desc: true }] : newestFirst('created_at', 'document_id'),
      ...(!of && isWhole(filter) && { total: countAll }),
    },
    filter,
  );
}

/** The newest version that investors may read of each document of a deal. The caller checks that the deal is visible. */
export function listInvestorDocuments(tx: Tx, dealId: Id<'deal'>, page: PageRequest & Between): Promise<Page<DocumentRow>> {
  return selectPage(
    tx,
    {
      select: DOCUMENT,
      from: 'documents d',
      filters: [
        [`d.visibility = 'INVESTORS' and ${NEWEST} and newer.visibility = 'INVESTORS') and d.deal_id = ?`, dealId],
        ...between('d.created_at', page),
      ],
      order: newestFirst('created_at', 'document_id'),
      ...(isWhole(page) && { total: () => countNames(tx, `visibility = 'INVESTORS' and deal_id = $1`, [dealId]) }),
    },
    page,
  );
}

export function findInvestorDocument(tx: Tx, dealId: Id<'deal'>, documentId: Id<'doc'>): Promise<DocumentRow | null> {
  return tx.one<DocumentRow>(
    `select ${DOCUMENT} from documents where deal_id = $1 and document_id = $2 and visibility = 'INVESTORS'`,
    [dealId, documentId],
  );
}

/** The owner of a document that the investor may read. */
export async function findVisibleOwner(tx: Tx, investorId: Id<'org'>, documentId: Id<'doc'>): Promise<Id<'org'> | null> {
  const row = await tx.one<{ organization_id: Id<'org'> }>(
    `select o.organization_id from documents o join securitization_deals d on d.deal_id = o.deal_id
     where o.document_id = $2 and o.visibility = 'INVESTORS' and ${visibleTo('$1')}`,
    [investorId, documentId],
  );
  return row?.organization_id ?? null;
}

export async function updateVisibility(tx: Tx, document: DocumentRow, visibility: Visibility): Promise<DocumentRow> {
  const row = await tx.one<DocumentRow>(
    `update documents set visibility = $3 where organization_id = $1 and document_id = $2 returning ${DOCUMENT}`,
    [document.organization_id, document.document_id, visibility],
  );
  return row as DocumentRow;
}

/** Marks a document as announced to investors; false when it was announced before. */
export async function markAnnounced(tx: Tx, documentId: Id<'doc'>): Promise<boolean> {
  return (
    (await tx.exec('update documents set announced_at = $2 where document_id = $1 and announced_at is null', [
      documentId,
      tx.now,
    ])) > 0
  );
}

export type AccessRow = ActorFields & {
  reader_id: Id<'org'>;
  reader: string;
  act: 'ADDRESS_ISSUED' | 'DOWNLOADED';
  at: Date;
};

export async function recordAccess(
  tx: Tx,
  document: Pick<DocumentRow, 'document_id' | 'organization_id'>,
  reader: Actor,
  act: AccessRow['act'],
): Promise<void> {
  await tx.exec(
    'insert into document_accesses (document_id, organization_id, reader_id, actor_id, act, at) values ($1, $2, $3, $4, $5, $6)',
    [document.document_id, document.organization_id, reader.organization_id, reader.actor_id, act, tx.now],
  );
}

/** Readers of a document, newest first. Needs the platform's scope: readers are other organizations. */
export function listAccesses(
  tx: Tx,
  organizationId: Id<'org'>,
  documentId: Id<'doc'>,
  page: PageRequest & Between,
): Promise<Page<AccessRow>> {
  return selectPage(
    tx,
    {
      select: `a.reader_id, o.name as reader, ${actorColumns('a.actor_id')}, a.act, a.at`,
      from: 'document_accesses a join organizations o on o.organization_id = a.reader_id',
      countFrom: 'document_accesses a',
      filters: [['a.organization_id = ?', organizationId], ['a.document_id = ?', documentId], ...between('a.at', page)],
      order: [{ by: 'a.access_id', as: 'bigint', desc: true }],
    },
    page,
  );
}

/** The access log of documents is evidence and is kept for seven years. */
const OLD_ACCESSES = `delete from document_accesses where access_id in (
  select access_id from document_accesses where at < sluice_now() - interval '7 years' order by at limit $1 for update skip locked)`;

export const deleteOldAccesses = (db: Database): Promise<number> => deleteInBatches(db, OLD_ACCESSES);
