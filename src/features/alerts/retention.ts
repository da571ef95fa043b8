import type { Database } from '../../platform/db/database.ts';
import { deleteInBatches } from '../../platform/retention.ts';

/** Alerts are kept for two years, whatever their status. */
const OLD_ALERTS = `delete from alerts where alert_id in (
  select alert_id from alerts where created_at < sluice_now() - interval '2 years' order by created_at limit $1 for update skip locked)`;

export const deleteOldAlerts = (db: Database): Promise<number> => deleteInBatches(db, OLD_ALERTS);
