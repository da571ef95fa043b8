import type { Database } from '../../platform/db/database.ts';
import { deleteInBatches } from '../../platform/retention.ts';

/** The log of who read a document is evidence: seven years. */
const OLD_ACCESSES = `delete from document_accesses where access_id in (
  select access_id from document_accesses where at < sluice_now() - interval '7 years' order by at limit $1 for update skip locked)`;

export const deleteOldAccesses = (db: Database): Promise<number> => deleteInBatches(db, OLD_ACCESSES);
