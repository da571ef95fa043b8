import { asPlatform } from '../platform/db/as-platform.ts';
import type { Tx } from '../platform/db/database.ts';
import { inParts } from '../platform/db/in-parts.ts';
import { queueDeliveries } from './deliveries.ts';
import type { AlertType, Emission, EventName, Notice } from './events.ts';
import { type FanOut, insertAlerts, insertEvents, insertFanOut, listOperators, type NewAlert } from './queries.ts';

/** The database channel that signals new alerts. */
export const ALERTS_RAISED = 'alerts';

/** Writes events, their alerts and their deliveries inside the caller's transaction: a rollback removes all of them. */
export const emit = (tx: Tx, emissions: readonly Emission[]): Promise<void> => emitAsGiven(tx, emissions);

/** An event whose data may not match its schema: customers can fire such events in the sandbox. */
export type EmissionAsGiven = { organization_id: string; event: EventName; data: object; alert: Notice | null };

export async function emitAsGiven(tx: Tx, emissions: readonly EmissionAsGiven[]): Promise<void> {
  // The process serves requests between them.
  for (const some of inParts(emissions)) await emitTogether(tx, some);
}

async function emitTogether(tx: Tx, emissions: readonly EmissionAsGiven[]): Promise<void> {
  const events = emissions.map((emission) => ({
    event_id: tx.newId('evt'),
    inserted_at: tx.moment,
    organization_id: emission.organization_id,
    event: emission.event,
    data: emission.data,
    body: bodyOf(emission, tx.now),
    alert: emission.alert,
  }));
  await insertEvents(tx, events);
  for (const { event_id, organization_id } of events) tx.caused.push({ organization_id, id: event_id });
  await writeAlerts(
    tx,
    events.flatMap(({ alert, organization_id, event, event_id }) =>
      alert ? [{ ...alert, organization_id, type: event, event_id }] : [],
    ),
  );
  await queueDeliveries(tx, events);
}

/** The exact bytes that receivers get, made once: the first attempt, retries and replays all send and sign the same bytes. */
export function bodyOf({ event, data }: { event: EventName; data: object }, at: Date): Buffer {
  return Buffer.from(JSON.stringify({ event, timestamp: at.toISOString(), data }));
}

/** Raises an alert that belongs to no event. */
export async function raiseAlert(tx: Tx, organizationId: string, type: AlertType, notice: Notice): Promise<void> {
  await writeAlerts(tx, [{ ...notice, organization_id: organizationId, type, event_id: null }]);
}

/** Raises an alert of no event for every operator of the platform, whoever's act it tells of. */
export async function alertOperators(tx: Tx, type: AlertType, notice: Notice): Promise<void> {
  await asPlatform(tx, async () => {
    for (const operator of await listOperators(tx)) await raiseAlert(tx, operator, type, notice);
  });
}

async function writeAlerts(tx: Tx, alerts: readonly NewAlert[]): Promise<void> {
  if (alerts.length === 0) return;
  await insertAlerts(
    tx,
    alerts.map(() => tx.newId('alt')),
    alerts,
  );
  tx.signal(ALERTS_RAISED);
}

/**
 * Keeps an event that goes to many organizations, inside the caller's transaction; a worker tells them after the commit. Who they are
 * follows from the event.
 */
export async function fanOut(tx: Tx, row: Omit<FanOut, 'fan_out_id'>): Promise<void> {
  await insertFanOut(tx, { ...row, fan_out_id: tx.newId('fan') });
}
