import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { ALERT_TYPES, DIGEST_TOPIC } from './notification.ts';
import { insertUnsubscription } from './queries.ts';

/** Mailboxes keep e-mails for long; a link in them works for a year. */
const VALID_MS = 365 * 86_400_000;
/** Links of the first form have this number: another form gets another one. */
const GENERATION = 1;

export type Unsubscription = { organization_id: string; address_id: string; topic: string };

/** The last part of the address that unsubscribes. It holds ids, not the e-mail address: addresses of requests are logged by proxies. */
export const unsubscribeToken = (
  { addresses }: Pick<Deps, 'addresses'>,
  { organization_id, address_id, topic }: Unsubscription,
  nowMs: number,
): string =>
  addresses.sign({
    act: 'unsubscribe',
    ids: [organization_id, address_id, topic],
    generation: GENERATION,
    expires: nowMs + VALID_MS,
  });

/** What a signed address unsubscribes from; 403 for one that was not signed here, is too old, or is for another act. */
export function readUnsubscribeToken({ addresses }: Pick<Deps, 'addresses'>, token: string, nowMs: number): Unsubscription {
  const grant = addresses.verify(token, 'unsubscribe', nowMs);
  const [organization_id, address_id, topic, ...rest] = grant?.ids ?? [];
  const isKnown = topic === DIGEST_TOPIC || ALERT_TYPES.some((type) => type === topic);
  if (grant?.generation !== GENERATION || !organization_id || !address_id || !topic || !isKnown || rest.length > 0)
    throw new ApiError(
      'SIGNATURE_INVALID',
      'This link is not valid or has expired: change the notification preferences instead.',
    );
  return { organization_id, address_id, topic };
}

/** Stops what the topic says to one address. Repeated it changes nothing; an address that was removed gets nothing anyway. */
export async function unsubscribe(tx: Tx, { organization_id, address_id, topic }: Unsubscription): Promise<void> {
  if (!(await insertUnsubscription(tx, address_id, topic))) return;
  audit(tx, {
    organization_id,
    actor: 'unsubscribe link',
    action: 'notifications.unsubscribed',
    entity_type: 'notification_address',
    entity_id: address_id,
    after: { topic },
  });
}
