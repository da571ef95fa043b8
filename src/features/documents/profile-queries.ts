import type { Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { selectPage } from '../../platform/db/page.ts';
import type { Id } from '../../platform/ids.ts';
import type { Profile } from '../keys/queries.ts';
import type { DocumentRow, PROFILE_DOCUMENT_STATUSES } from './queries.ts';

export type ProfileDocument = Omit<DocumentRow, 'status' | 'deal_id' | 'visibility' | 'announced_at' | 'for_profile'> & {
  organization: string;
  status: (typeof PROFILE_DOCUMENT_STATUSES)[number];
};

/** It is pending until the operator has set the profile after it was filed. */
const STATUS = `case when o.profile_set_at > d.created_at then 'REVIEWED' else 'PENDING' end`;

const DOCUMENT = `d.document_id, d.organization_id, o.name as organization, d.file_key, d.file_name, d.document_type, d.content_type,
  d.size, d.sha256, d.object_key, d.version, ${STATUS} as status, d.created_at`;
const FROM = 'documents d join organizations o using (organization_id)';

export type ProfileDocumentFilter = PageRequest &
  Between & {
    organization_id?: Id<'org'>;
    status?: string;
  };

/** Documents of the profiles of all organizations, newest first. */
export function listProfileDocuments(tx: Tx, filter: ProfileDocumentFilter): Promise<Page<ProfileDocument>> {
  return selectPage<ProfileDocument>(
    tx,
    {
      select: DOCUMENT,
      from: FROM,
      filters: [
        ['d.for_profile = ?', true],
        ['d.organization_id = ?', filter.organization_id],
        [`${STATUS} = ?`, filter.status],
        ...between('d.created_at', filter),
      ],
      order: newestFirst('d.created_at', 'd.document_id'),
    },
    filter,
  );
}

/** A document of a profile; `organizationId` null: of any organization (the operator). */
export function findProfileDocument(
  tx: Tx,
  organizationId: Id<'org'> | null,
  documentId: Id<'doc'>,
): Promise<ProfileDocument | null> {
  return tx.one<ProfileDocument>(
    `select ${DOCUMENT} from ${FROM}
     where d.for_profile and d.document_id = $2 and ($1::text is null or d.organization_id = $1)`,
    [organizationId, documentId],
  );
}

/** The document that the organization filed last. */
export function findNewestFiling(tx: Tx, organizationId: Id<'org'>): Promise<ProfileDocument | null> {
  return tx.one<ProfileDocument>(
    `select ${DOCUMENT} from ${FROM} where d.for_profile and d.organization_id = $1 order by d.created_at desc, d.document_id desc limit 1`,
    [organizationId],
  );
}

export function findProfile(tx: Tx, organizationId: Id<'org'>): Promise<{ name: string; profile: Profile | null } | null> {
  return tx.one('select name, profile from organizations where organization_id = $1', [organizationId]);
}
