import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import type { StoredObject } from '../../platform/files/store.ts';
import { ApiError, invalidField } from '../../platform/http/errors.ts';
import { shown } from '../../platform/http/shown.ts';
import { type Holder, isHolderInForce } from '../sessions/queries.ts';
import { claimUpload, keepClaim, uploadInProgress } from './claim-upload.ts';
import { findUpload, type Upload } from './queries.ts';
import { UPLOAD_MOVES } from './upload.ts';
import { asActorId, asId, type Id } from '../../platform/ids.ts';
import { isDatabaseUnavailable } from '../../platform/unavailable.ts';

export type Received = { file_key: string } & StoredObject;

/** The permission in a signed address: to send the bytes of one upload, while the key or session that requested the address is in force. */
export type PutGrant = Holder & { upload_id: Id<'upl'>; generation: number };

type Headers = { type: string | undefined; length: string | undefined; digest: string | string[] | undefined };

/**
 * Receives the bytes that are sent to a signed address, one PUT at a time. They stream into a new object, which becomes the upload's
 * content only when the body is complete, the address is still the newest one, its key or session is in force and the upload is not completed. Bytes
 * may stream for minutes, so there are two transactions: one takes the claim, one commits.
 */
export async function receiveUpload(deps: Deps, token: string, headers: Headers, bytes: Readable): Promise<Received> {
  const grant = readGrant(deps, token);
  const scope = { organization: grant.organization_id };
  const receiver = randomUUID();
  const objectKey = `uploads/${grant.organization_id}/${grant.upload_id}/${grant.generation}-${Date.now().toString(36)}-${receiver.slice(0, 8)}`;
  const upload = await deps.db.tx(scope, async (tx) => {
    const found = await findGranted(tx, deps, grant);
    checkBound(found, headers);
    await claimUpload(tx, found, { receiver, object_key: objectKey });
    return found;
  });
  await using _claim = keepClaim(deps, { receiver, upload, bytes, check: (tx) => findGranted(tx, deps, grant) });
  const stored = await deps.store.put(objectKey, bytes, mostBytes(upload));
  const previous = await deps.db
    .tx(scope, async (tx) => {
      // Without a Content-Length, a body turns out too short only at its end.
      checkSize(upload, stored.size);
      checkDigest(headers.digest, stored.sha256);
      return commit(tx, await findGranted(tx, deps, grant), { receiver, object_key: objectKey, ...stored });
    })
    .catch(async (error: unknown) => {
      // Where its answer was lost the commit may stand, with these bytes: those of no upload are noted as removed with the claim.
      if (!isDatabaseUnavailable(error)) await deps.store.delete(objectKey);
      throw error;
    });
  if (previous) await deps.store.delete(previous);
  return { file_key: upload.file_key, ...stored };
}

function readGrant(deps: Deps, token: string): PutGrant {
  const grant = deps.addresses.verify(token, 'put', Date.now());
  const [organization, upload, key, session = null] = grant?.ids ?? [];
  if (!grant || !organization || !upload || !key) throw new ApiError('SIGNATURE_INVALID', deps.addresses.refusal(token, 'put'));
  return {
    organization_id: asId('org', organization),
    upload_id: asId('upl', upload),
    actor_id: asActorId(key),
    session_hash: session,
    generation: grant.generation,
  };
}

/** Finds and locks the upload if the address still permits sending it. */
async function findGranted(tx: Tx, deps: Deps, grant: PutGrant): Promise<Upload> {
  if (!(await isHolderInForce(tx, grant, deps.config.environment))) {
    throw new ApiError(
      'SIGNATURE_INVALID',
      'The key or session that requested this address is no longer valid: request a new address with a valid one.',
    );
  }
  const upload = await findUpload(tx, grant.organization_id, grant.upload_id, true);
  if (upload?.status === 'COMPLETED') throw new ApiError('ALREADY_COMPLETED');
  if (!upload) throw new ApiError('SIGNATURE_INVALID', 'The upload of this address was deleted: open a new one.');
  if (upload.generation !== grant.generation)
    throw new ApiError(
      'SIGNATURE_INVALID',
      'The upload has a newer address than this one: send the file to the newest upload_url.',
    );
  return upload;
}

/** Makes the stored object the upload's content; returns the key of the object that it replaces. */
async function commit(
  tx: Tx,
  upload: Upload,
  sent: StoredObject & { receiver: string; object_key: string },
): Promise<string | null> {
  if (upload.receiver !== sent.receiver) throw uploadInProgress();
  const { object_key, size, sha256 } = sent;
  await UPLOAD_MOVES.move(tx, upload, 'UPLOADED', {
    object_key,
    size,
    sha256,
    receiver: null,
    receiver_until: null,
    receiving_key: null,
  });
  return upload.object_key;
}

function checkBound(upload: Upload, headers: Headers): void {
  const type = headers.type?.split(';')[0]?.trim().toLowerCase();
  if (upload.content_type && type && type !== upload.content_type) {
    throw new ApiError(
      'SIGNATURE_INVALID',
      `The Content-Type is ${shown(type)}, and the address is bound to ${upload.content_type}: send the headers of upload_headers and the bytes of the file alone, not a form.`,
    );
  }
  if (headers.length === undefined) return;
  const length = Number(headers.length);
  if (length > mostBytes(upload))
    throw new ApiError('PAYLOAD_TOO_LARGE', `The file may have at most ${mostBytes(upload)} bytes.`);
  checkSize(upload, length);
}

const mostBytes = (upload: Upload): number => upload.declared_size ?? upload.max_bytes;

function checkSize(upload: Upload, size: number): void {
  if (upload.declared_size !== null && size !== upload.declared_size)
    throw new ApiError(
      'SIGNATURE_INVALID',
      `The file has ${size} bytes, and the address is bound to the fileSize of ${upload.declared_size} bytes that was declared: request a new address with the right fileSize, or without one.`,
    );
}

/** Refuses bytes that are not those whose SHA-256 the sender names (RFC 9530); digests of other kinds are not compared. */
function checkDigest(digest: string | string[] | undefined, sha256: string): void {
  const [, named] = /(?:^|,)\s*sha-256=([^,;]*)/i.exec(String(digest ?? '')) ?? [];
  if (named === undefined) return;
  const expected = `:${Buffer.from(sha256, 'hex').toString('base64')}:`;
  if (named.trim() !== expected)
    throw invalidField('Content-Digest', 'MISMATCH', `the bytes that arrived have sha-256=${expected}: send the file again`);
}
