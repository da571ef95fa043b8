import { createHash } from 'node:crypto';
import type { Database, Tx } from '../db/database.ts';
import { deleteInBatches } from '../retention.ts';
import { ApiError } from './errors.ts';
import type { Route } from './route.ts';

/** An answer, and the version that its record had then, if it had one. */
export type StoredResponse = { status: number; body: Record<string, unknown>; etag: string | null };

export type Idempotency = { organizationId: string; key: string; requestHash: string };

/** Whether a route stores its response under the request's key. A body that the handler streams cannot be stored and compared. */
export const takesKey = ({ method, path, bodyKind }: Pick<Route, 'method' | 'path' | 'bodyKind'>): boolean =>
  ['POST', 'PATCH'].includes(method) && bodyKind !== 'raw' && /^\/v1\/(api|operator)\//.test(path);

const KEPT = `interval '24 hours'`;

/** Identifies a request under its key: method, path and the parsed body, whatever the order of its fields. */
export function hashRequest(method: string, url: string, body: unknown): string {
  return createHash('sha256')
    .update(`${method} ${url}\n${JSON.stringify(body, inOrder) ?? ''}`)
    .digest('hex');
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The stored response of the same request, or null; another request under the same key is refused. */
export async function findStoredResponse(tx: Tx, idempotency: Idempotency): Promise<StoredResponse | null> {
  const row = await tx.one<{ request_hash: string; status: number; body: Record<string, unknown> & { etag?: string } }>(
    `select request_hash, status, body from idempotency_keys where organization_id = $1 and key = $2 and created_at > now() - ${KEPT}`,
    [idempotency.organizationId, idempotency.key],
  );
  if (!row) return null;
  if (row.request_hash !== idempotency.requestHash) throw new ApiError('IDEMPOTENCY_KEY_REUSED');
  const { etag = null, ...body } = row.body;
  return { status: row.status, body, etag };
}

/** Locks the key for this transaction; a request is refused while another transaction holds it. */
export async function claimKey(tx: Tx, idempotency: Idempotency): Promise<void> {
  const row = await tx.one<{ taken: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, 7)) as taken', [
    `${idempotency.organizationId}\n${idempotency.key}`,
  ]);
  if (!row?.taken) throw new ApiError('IDEMPOTENCY_IN_PROGRESS', undefined, { headers: { 'retry-after': '1' } });
}

/** Stores the response in the operation's own transaction, without its secret fields; its `etag` beside the fields of the envelope. */
export async function storeResponse(tx: Tx, idempotency: Idempotency, response: StoredResponse, route: Secrets): Promise<void> {
  const { status, body, etag } = response;
  await tx.exec(
    `insert into idempotency_keys (organization_id, key, request_hash, status, body) values ($1, $2, $3, $4, $5)
     on conflict (organization_id, key) do update set request_hash = excluded.request_hash, status = excluded.status, body = excluded.body, created_at = now()`,
    [
      idempotency.organizationId,
      idempotency.key,
      idempotency.requestHash,
      status,
      JSON.stringify({ ...withoutSecrets(body, route), ...(etag === null ? {} : { etag }) }),
    ],
  );
}

type Secrets = Pick<Route, 'secretFields' | 'onReplay'>;

/** A secret that the route cannot make again is gone: `secret_omitted` tells a repeated request so. */
function withoutSecrets(body: Record<string, unknown>, { secretFields = [], onReplay }: Secrets): Record<string, unknown> {
  const { data } = body;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return body;
  const kept = Object.entries(data).filter(([name]) => !secretFields.includes(name));
  const omitted = kept.length < Object.keys(data).length && !onReplay;
  return { ...body, data: { ...Object.fromEntries(kept), ...(omitted ? { secret_omitted: true } : {}) } };
}

const OLD_RESPONSES = `delete from idempotency_keys where (organization_id, key) in (
  select organization_id, key from idempotency_keys where created_at < now() - ${KEPT} order by created_at limit $1 for update skip locked)`;

// There are few windows of ten minutes: reading all of them costs less than an index that every new window would have to update.
const OLD_WINDOWS = `delete from rate_windows where subject in (
  select subject from rate_windows where started_at < now() - interval '10 minutes' limit $1 for update skip locked)`;

/** Deletes expired responses and expired windows of rate limits; returns how many of each. */
export async function deleteOldResponses(db: Database): Promise<{ idempotency_keys: number; rate_windows: number }> {
  return {
    idempotency_keys: await deleteInBatches(db, OLD_RESPONSES),
    rate_windows: await deleteInBatches(db, OLD_WINDOWS),
  };
}
