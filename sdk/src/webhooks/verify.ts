import type { PlatformEvent } from '../events.ts';

/** A webhook that is what the gateway sent: the event, and the delivery that brought it. */
export type WebhookEvent = PlatformEvent & {
  /** `dlv_…`: another one for each replay. */
  deliveryId: string | null;
};

/** Headers as the web, `node:http` or a plain object has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyOptions = {
  /** Seconds by which the time of the request may differ from the clock here; 300 unless said otherwise. */
  toleranceSeconds?: number;
  /** Milliseconds since 1970; the time of the system unless said otherwise. */
  nowMs?: number;
};

/** Why a webhook was refused. */
export type WebhookRefusal =
  | 'HEADER_MISSING'
  | 'TIMESTAMP_UNREADABLE'
  | 'TIMESTAMP_TOO_OLD'
  | 'TIMESTAMP_TOO_NEW'
  | 'SIGNATURE_MISMATCH'
  | 'BODY_UNREADABLE';

/** A request that is no webhook of the gateway, or one whose body was changed on its way (parsed and written again, for one). */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly code: WebhookRefusal;

  constructor(code: WebhookRefusal, message: string) {
    super(message);
    this.code = code;
  }
}

const TOLERANCE_SECONDS = 300;
const encoder = new TextEncoder();

/**
 * Verifies a webhook by its Standard Webhooks headers (`webhook-id`, `webhook-timestamp`, `webhook-signature`), in constant time, and
 * resolves to its event. `body` is the body as it was received, before any parser. Of several secrets one has to match: give the old and the
 * new one while a secret is being changed. Rejects with a `WebhookVerificationError`, and with a `TypeError` where a secret is none.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, nowMs = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  // NaN, as of an unset variable, would let every age pass.
  if (Number.isNaN(toleranceSeconds) || Number.isNaN(nowMs))
    throw new TypeError(`\`toleranceSeconds\` is ${toleranceSeconds} and \`nowMs\` ${nowMs}; expected numbers.`);
  const keys = await Promise.all([secret].flat().map(keyOf));
  if (keys.length === 0)
    throw new TypeError('No secret was given: a webhook is verified with one, or with several of which one has to match.');
  const id = required(headers, 'webhook-id');
  const timestamp = required(headers, 'webhook-timestamp');
  const signatures = signaturesOf(required(headers, 'webhook-signature'));
  checkTime(timestamp, nowMs, toleranceSeconds);
  const bytes = typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body);
  if (!(await isSigned(joined(`${id}.${timestamp}.`, bytes), signatures, keys)))
    throw new WebhookVerificationError(
      'SIGNATURE_MISMATCH',
      'No signature matches: check that the secret is the one of this webhook subscription, and that the body is the raw one, before any JSON parser.',
    );
  return { ...eventOf(bytes), id, deliveryId: headerOf(headers, 'x-platform-delivery') };
}

async function isSigned(
  content: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
  keys: readonly CryptoKey[],
): Promise<boolean> {
  const pairs = keys.flatMap((key) => signatures.map((signature) => ({ key, signature })));
  const results = await Promise.all(pairs.map(({ key, signature }) => crypto.subtle.verify('HMAC', key, signature, content)));
  return results.includes(true);
}

/** The key is what the secret says in base64 after `whsec_`; JavaScript may pass what is no text, as of an unset variable. */
async function keyOf(secret: unknown): Promise<CryptoKey> {
  const bytes = typeof secret === 'string' ? fromBase64(secret.replace(/^whsec_/, '').trim()) : null;
  if (!bytes || bytes.length === 0)
    throw new TypeError(
      'The secret is not one of a webhook subscription: expected `whsec_` and base64, as the response to its creation shows it.',
    );
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** The signatures of the version that this function knows; others are left out, as the standard asks. */
const signaturesOf = (header: string): Uint8Array<ArrayBuffer>[] =>
  header.split(' ').flatMap((each) => {
    const bytes = each.startsWith('v1,') ? fromBase64(each.slice(3)) : null;
    return bytes ? [bytes] : [];
  });

function checkTime(timestamp: string, nowMs: number, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError(
      'TIMESTAMP_UNREADABLE',
      `webhook-timestamp is ${JSON.stringify(timestamp)}; expected seconds since 1970.`,
    );
  const ageSeconds = Math.floor(nowMs / 1_000) - Number(timestamp);
  if (ageSeconds > toleranceSeconds)
    throw new WebhookVerificationError(
      'TIMESTAMP_TOO_OLD',
      `The request was signed ${ageSeconds} s ago; at most ${toleranceSeconds} s are accepted.`,
    );
  if (-ageSeconds > toleranceSeconds)
    throw new WebhookVerificationError(
      'TIMESTAMP_TOO_NEW',
      `The request was signed ${-ageSeconds} s ahead of the clock here; at most ${toleranceSeconds} s are accepted.`,
    );
}

function eventOf(bytes: Uint8Array): PlatformEvent {
  try {
    // The signature says that the gateway wrote it.
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as PlatformEvent;
  } catch {
    throw new WebhookVerificationError('BODY_UNREADABLE', 'The body is signed, but it is not JSON.');
  }
}

function required(headers: WebhookHeaders, name: string): string {
  const value = headerOf(headers, name);
  if (value === null) throw new WebhookVerificationError('HEADER_MISSING', `The request has no header ${name}.`);
  return value;
}

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const entry = Object.entries(headers).find(([each]) => each.toLowerCase() === name);
  const value: unknown = Array.isArray(entry?.[1]) ? entry[1][0] : entry?.[1];
  return typeof value === 'string' ? value : null;
}

function joined(begin: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(begin);
  const all = new Uint8Array(head.length + bytes.length);
  all.set(head);
  all.set(bytes, head.length);
  return all;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
