import type { Tx } from '../../platform/db/database.ts';
import { notFound } from '../../platform/http/errors.ts';
import { announceDocument } from './complete-document.ts';
import { type DocumentRow, findDocument, updateVisibility, type Visibility } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

/** Shows a document to the investors of its deal, who are told of it once, or hides it. */
export async function changeVisibility(
  tx: Tx,
  organizationId: Id<'org'>,
  documentId: Id<'doc'>,
  visibility: Visibility,
): Promise<DocumentRow> {
  const found = await findDocument(tx, organizationId, documentId, true);
  if (!found) throw notFound('document');
  const document = await updateVisibility(tx, found, visibility);
  await announceDocument(tx, document);
  return document;
}
