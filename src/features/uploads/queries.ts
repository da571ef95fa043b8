import { randomUUID } from 'node:crypto';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';

export type Upload = {
  upload_id: Id<'upl'>;
  organization_id: Id<'org'>;
  purpose: 'tape' | 'bulk' | 'document' | 'profile' | 'pool_tape';
  deal_id: Id<'deal'> | null;
  /** The pool and the payment period of a monthly tape. */
  pool_id: Id<'pool'> | null;
  period: number | null;
  file_key: string;
  file_name: string;
  content_type: string | null;
  declared_size: number | null;
  max_bytes: number;
  generation: number;
  expires_at: Date;
  status: 'PENDING' | 'UPLOADED' | 'COMPLETED';
  object_key: string | null;
  size: number | null;
  sha256: string | null;
  /** The PUT that is sending bytes, while its lease lasts. */
  receiver: string | null;
  receiver_until: Date | null;
  /** The object that this PUT writes. */
  receiving_key: string | null;
  document_type: string | null;
  mode: 'REPLACE' | 'MERGE' | null;
};

export type NewUpload = Pick<Upload, 'organization_id' | 'purpose' | 'file_name' | 'max_bytes'> &
  Partial<Pick<Upload, 'deal_id' | 'pool_id' | 'period' | 'content_type' | 'declared_size' | 'document_type' | 'mode'>> & {
    folder: string;
  };

/** Inserts an upload whose address works for `lifeSeconds`. */
export async function insertUpload(tx: Tx, upload: NewUpload, lifeSeconds: number): Promise<Upload> {
  const extension = /\.([A-Za-z0-9]{1,8})$/.exec(upload.file_name)?.[1]?.toLowerCase() ?? 'bin';
  const row = await tx.one<Upload>(
    `insert into uploads (upload_id, organization_id, purpose, deal_id, file_key, file_name, content_type, declared_size, max_bytes, document_type, mode, expires_at, created_at, pool_id, period)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now() + make_interval(secs => $12), $13, $14, $15) returning *`,
    [
      tx.newId('upl'),
      upload.organization_id,
      upload.purpose,
      upload.deal_id ?? null,
      `${upload.folder}/${randomUUID()}.${extension}`,
      upload.file_name,
      upload.content_type ?? null,
      upload.declared_size ?? null,
      upload.max_bytes,
      upload.document_type ?? null,
      upload.mode ?? null,
      lifeSeconds,
      tx.now,
      upload.pool_id ?? null,
      upload.period ?? null,
    ],
  );
  return row as Upload;
}

/**
 * Counts the unfinished uploads of an organization, without the one of `except`. A lock keeps the count valid until the transaction ends.
 */
export async function countPendingUploads(tx: Tx, organizationId: Id<'org'>, except: Id<'upl'> | null): Promise<number> {
  await tx.rows('select pg_advisory_xact_lock(hashtextextended($1, 73))', [organizationId]);
  const row = await tx.one<{ pending: number }>(
    `select count(*)::integer as pending from uploads
     where organization_id = $1 and upload_id is distinct from $2 and status <> 'COMPLETED'
       and (status = 'UPLOADED' or expires_at > now() or receiver_until > now())`,
    [organizationId, except],
  );
  return row?.pending ?? 0;
}

/** Extends the life of an upload's address to `lifeSeconds` from now. */
export function renewAddress(tx: Tx, { organization_id, upload_id }: Upload, lifeSeconds: number): Promise<Upload | null> {
  return tx.one<Upload>(
    `update uploads set expires_at = now() + make_interval(secs => $3) where organization_id = $1 and upload_id = $2 returning *`,
    [organization_id, upload_id, lifeSeconds],
  );
}

export function findUpload(tx: Tx, organizationId: Id<'org'>, uploadId: Id<'upl'>, lock = false): Promise<Upload | null> {
  return tx.one<Upload>(`select * from uploads where organization_id = $1 and upload_id = $2 ${lock ? 'for update' : ''}`, [
    organizationId,
    uploadId,
  ]);
}

export function findUploadByKey(
  tx: Tx,
  organizationId: Id<'org'>,
  purpose: Upload['purpose'],
  fileKey: string,
): Promise<Upload | null> {
  return tx.one<Upload>('select * from uploads where organization_id = $1 and purpose = $2 and file_key = $3', [
    organizationId,
    purpose,
    fileKey,
  ]);
}

/** The newest upload of a deal's tapes. */
export function findLatestTapeUpload(
  tx: Tx,
  organizationId: Id<'org'>,
  dealId: Id<'deal'>,
  lock = false,
): Promise<Upload | null> {
  return tx.one<Upload>(
    `select * from uploads where organization_id = $1 and deal_id = $2 and purpose = 'tape' order by created_at desc, upload_id desc limit 1 ${lock ? 'for update' : ''}`,
    [organizationId, dealId],
  );
}

/** The upload of any purpose that a file key names, under a row lock. */
export function lockUploadByKey(tx: Tx, organizationId: Id<'org'>, fileKey: unknown): Promise<Upload | null> {
  return tx.one<Upload>('select * from uploads where organization_id = $1 and file_key = $2 for update', [
    organizationId,
    fileKey,
  ]);
}

export type Claim = Pick<Upload, 'organization_id' | 'upload_id'> & { receiver: string };

/**
 * Gives an upload to one receiver for `seconds`; false while another one's claim lasts. One that lasts longer than any may is from before the
 * clock was set back.
 */
export async function takeClaim(tx: Tx, claim: Claim, objectKey: string, seconds: number): Promise<boolean> {
  const claimed = await tx.exec(
    `update uploads set receiver = $3, receiver_until = now() + make_interval(secs => $4), receiving_key = $5
     where organization_id = $1 and upload_id = $2 and (receiver is null or receiver_until <= now() or receiver_until > now() + interval '1 minute')`,
    [claim.organization_id, claim.upload_id, claim.receiver, seconds, objectKey],
  );
  return claimed > 0;
}

export async function renewClaim(tx: Tx, claim: Claim, seconds: number): Promise<void> {
  await tx.exec(
    `update uploads set receiver_until = now() + make_interval(secs => $4) where organization_id = $1 and upload_id = $2 and receiver = $3`,
    [claim.organization_id, claim.upload_id, claim.receiver, seconds],
  );
}

export async function releaseClaim(tx: Tx, claim: Claim): Promise<void> {
  await tx.exec(
    `update uploads set receiver = null, receiver_until = null, receiving_key = null where organization_id = $1 and upload_id = $2 and receiver = $3`,
    [claim.organization_id, claim.upload_id, claim.receiver],
  );
}
