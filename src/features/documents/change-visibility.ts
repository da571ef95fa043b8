import type { Tx } from '../../platform/db/database.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { announceDocument } from './complete-document.ts';
import { type DocumentRow, findDocument, updateVisibility, type Visibility } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

/** Shows a document to the investors of its deal, or hides it. The first time it is shown, the investors get its event. */
export async function changeVisibility(
  tx: Tx,
  { organization_id }: Actor,
  { documentId, visibility }: { documentId: Id<'doc'>; visibility: Visibility },
): Promise<DocumentRow> {
  const found = orNotFound(await findDocument(tx, organization_id, documentId, true), 'document');
  tx.unchanged = found.visibility === visibility;
  const document = tx.unchanged ? found : await updateVisibility(tx, found, visibility);
  await announceDocument(tx, document);
  return document;
}
