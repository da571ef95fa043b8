import type { Tx } from '../platform/db/database.ts';
import { queueDeliveries } from './deliveries.ts';
import type { AlertType, Emission, Notice } from './events.ts';

/**
 * Writes events, their alerts and their deliveries inside the caller's transaction: rolled back, nothing happened. The body that
 * receivers get is made here, once.
 */
export async function emit(tx: Tx, emissions: readonly Emission[]): Promise<void> {
  if (emissions.length === 0) return;
  const timestamp = tx.now.toISOString();
  const rows = emissions.map(({ organization_id, event, data, alert }) => ({
    event_id: tx.newId('evt'),
    organization_id,
    event,
    data,
    body: Buffer.from(JSON.stringify({ event, timestamp, data })),
    alert,
  }));
  await tx.exec(
    `insert into events (event_id, organization_id, event, data, body, at)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::bytea[], array_fill($6::timestamptz, array[cardinality($1::text[])]))`,
    [
      rows.map((row) => row.event_id),
      rows.map((row) => row.organization_id),
      rows.map((row) => row.event),
      rows.map((row) => JSON.stringify(row.data)),
      rows.map((row) => row.body),
      tx.now,
    ],
  );
  await insertAlerts(
    tx,
    rows.flatMap((row) =>
      row.alert ? [{ ...row.alert, organization_id: row.organization_id, type: row.event, event_id: row.event_id }] : [],
    ),
  );
  await queueDeliveries(tx, rows);
}

/** An alert that is not the shadow of an event. */
export async function raiseAlert(tx: Tx, organizationId: string, type: AlertType, notice: Notice): Promise<void> {
  await insertAlerts(tx, [{ ...notice, organization_id: organizationId, type, event_id: null }]);
}

/** The channel of the database's signals that says: there are new alerts. */
export const ALERTS_RAISED = 'alerts';

type AlertRow = Notice & { organization_id: string; type: string; event_id: string | null };

async function insertAlerts(tx: Tx, alerts: readonly AlertRow[]): Promise<void> {
  if (alerts.length > 0) tx.signal(ALERTS_RAISED);
  for (const alert of alerts) {
    await tx.exec(
      `insert into alerts (alert_id, organization_id, type, category, priority, title, message, entity_type, entity_id, event_id, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict on constraint alerts_one_per_event do nothing`,
      [
        tx.newId('alt'),
        alert.organization_id,
        alert.type,
        alert.category,
        alert.priority,
        alert.title,
        alert.message,
        alert.entity_type,
        alert.entity_id,
        alert.event_id,
        tx.now,
      ],
    );
  }
}
