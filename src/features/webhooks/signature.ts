import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new signing secret: 32 random bytes in the format of Standard Webhooks. */
export const newSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

/** `X-Platform-Signature` (service specification, section 6): the key is the UTF-8 bytes of the whole secret string. */
export const platformSignature = (secret: string, body: Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** One entry of `webhook-signature` (Standard Webhooks 1.0): the key is the decoded part of the secret after `whsec_`. */
export const standardSignature = (secret: string, id: string, timestampSeconds: number, body: Buffer): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.replace(PREFIX, ''), 'base64'))
    .update(`${id}.${timestampSeconds}.`)
    .update(body)
    .digest('base64')}`;

export type SignedMessage = { eventId: string; deliveryId: string; event: string; body: Buffer };

/** The secrets that are valid now: two during the grace period of a rotation. */
export type SigningSecrets = { current: string; previous: string | null };

/**
 * Headers of one request. During the grace period the specification's header is signed with the secret that receivers know, and
 * `X-Platform-Signature-Next` with the new one; the Standard Webhooks header lists both.
 */
export function signedHeaders(message: SignedMessage, secrets: SigningSecrets, nowMs: number): Record<string, string> {
  const { body, eventId } = message;
  const seconds = Math.floor(nowMs / 1_000);
  const all = secrets.previous === null ? [secrets.current] : [secrets.current, secrets.previous];
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    'User-Agent': 'Sluice-Webhooks/1',
    Accept: '*/*',
    'Accept-Encoding': 'identity',
    'X-Platform-Event': message.event,
    'X-Platform-Delivery': message.deliveryId,
    'X-Platform-Signature': platformSignature(secrets.previous ?? secrets.current, body),
    ...(secrets.previous === null ? {} : { 'X-Platform-Signature-Next': platformSignature(secrets.current, body) }),
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': all.map((secret) => standardSignature(secret, eventId, seconds, body)).join(' '),
  };
}
