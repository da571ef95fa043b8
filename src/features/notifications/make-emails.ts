import type { Database, Tx } from '../../platform/db/database.ts';
import { type DigestDay, digestDay } from './digest-time.ts';
import {
  type DigestAlert,
  insertEmails,
  listDigestAddresses,
  lockDueDigests,
  type NewEmail,
  takeDigest,
  takeNotedAlerts,
} from './mail-queries.ts';

const ALERTS_AT_ONCE = 200;
const DIGESTS_AT_ONCE = 50;
/** A digest lists so many alerts and counts the rest. */
const MOST_IN_DIGEST = 100;

/** Makes an e-mail per address of each alert that is to be sent at once. Returns how many alerts were taken. */
export async function expandAlerts(db: Database): Promise<number> {
  let total = 0;
  for (;;) {
    const taken = await db.tx({ platform: true }, expandSome);
    total += taken;
    if (taken === 0) return total;
  }
}

async function expandSome(tx: Tx): Promise<number> {
  const wanted = await takeNotedAlerts(tx, ALERTS_AT_ONCE);
  const emails = wanted.flatMap(({ organization_id, alert_id, address_id }): NewEmail[] =>
    address_id === null ? [] : [{ organization_id, address_id, kind: 'ALERT', alert_ids: [alert_id], total: 1 }],
  );
  await insertEmails(tx, emails);
  return new Set(wanted.map((each) => each.alert_id)).size;
}

/** Makes the digests that are due, each once for its business day. Returns how many organizations had one due. */
export async function makeDigests(db: Database): Promise<number> {
  let total = 0;
  for (;;) {
    const made = await db.tx({ platform: true }, async (tx) => {
      const day = digestDay(tx.now, tx.zone);
      return day === null ? 0 : makeSome(tx, day);
    });
    total += made;
    if (made === 0) return total;
  }
}

async function makeSome(tx: Tx, day: DigestDay): Promise<number> {
  const due = await lockDueDigests(tx, day, DIGESTS_AT_ONCE);
  for (const { organization_id } of due) {
    const alerts = await takeDigest(tx, organization_id, day);
    const addresses = await listDigestAddresses(tx, organization_id);
    await insertEmails(
      tx,
      addresses.flatMap(({ address_id, unsubscribed }) => digestFor(organization_id, address_id, alerts, unsubscribed)),
    );
  }
  return due.length;
}

function digestFor(
  organization_id: string,
  address_id: string,
  alerts: readonly DigestAlert[],
  unsubscribed: readonly string[],
): NewEmail[] {
  const wanted = alerts.filter(({ type }) => !unsubscribed.includes(type));
  if (wanted.length === 0) return [];
  const alert_ids = wanted.slice(0, MOST_IN_DIGEST).map((each) => each.alert_id);
  return [{ organization_id, address_id, kind: 'DIGEST', alert_ids, total: wanted.length }];
}
