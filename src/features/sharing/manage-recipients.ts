import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound, orNotFound } from '../../platform/http/errors.ts';
import { mayReach } from '../../platform/http/may-reach.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Id } from '../../platform/ids.ts';
import {
  endRecipient,
  findRecipient,
  insertRecipient,
  listKnownDeals,
  lockRecipient,
  lockRecipients,
  type RecipientRow,
} from './queries.ts';
import { DEFAULT_LIFE_DAYS, MOST_RECIPIENTS, newToken, profileOf } from './recipient.ts';

export type RecipientRequest = { name: string; deal_ids?: Id<'deal'>[]; expires_in_days?: number };

type Profile = ReturnType<typeof profileOf>;

/** Makes a recipient. Only this response has its token. 409 for a name in force; 404 for a deal that its maker does not see. */
export async function createRecipient(
  tx: Tx,
  caller: Caller,
  { name, deal_ids, expires_in_days = DEFAULT_LIFE_DAYS }: RecipientRequest,
  publicUrl: string,
): Promise<RecipientRow & { profile: Profile }> {
  const { organization_id, actor_id, role } = caller;
  const others = await lockRecipients(tx, organization_id);
  const same = others.find((other) => other.name === name);
  if (same)
    throw new ApiError(
      'CONFLICT',
      `The recipient "${name}" (${same.recipient_id}) is in force: revoke it, or choose another name.`,
    );
  if (others.length >= MOST_RECIPIENTS)
    throw new ApiError('UNPROCESSABLE', `An organization has at most ${MOST_RECIPIENTS} recipients in force: revoke one first.`);
  const reach = { sells: mayReach(role, 'originator'), buys: mayReach(role, 'investor') };
  const known = deal_ids && (await listKnownDeals(tx, organization_id, deal_ids, reach));
  const unknown = deal_ids?.find((dealId) => !known?.includes(dealId));
  if (unknown !== undefined) throw notFound(`deal ${unknown}`);
  const { token, token_hash } = newToken();
  const recipient_id = tx.newId('rcp');
  await insertRecipient(tx, {
    recipient_id,
    organization_id,
    name,
    deal_ids: deal_ids ?? null,
    token_hash,
    role,
    created_by: actor_id,
    lifeDays: expires_in_days,
  });
  const created = orNotFound(await findRecipient(tx, organization_id, recipient_id), 'recipient');
  return { ...created, profile: profileOf(publicUrl, token, created.expires_at) };
}

/** Ends a recipient: it reads nothing more within two seconds, and its signed addresses end with it. */
export async function revokeRecipient(
  tx: Tx,
  { organization_id, actor_id }: Caller,
  { recipientId, reason }: { recipientId: Id<'rcp'>; reason: string | null },
): Promise<RecipientRow> {
  const before = orNotFound(await lockRecipient(tx, organization_id, recipientId), 'recipient');
  await endRecipient(tx, organization_id, recipientId);
  const after = orNotFound(await findRecipient(tx, organization_id, recipientId), 'recipient');
  audit(tx, {
    organization_id,
    actor: actor_id,
    action: 'share_recipient.revoked',
    entity_type: 'share_recipient',
    entity_id: recipientId,
    before: { status: before.status },
    after: { status: after.status },
    reason,
  });
  return after;
}
