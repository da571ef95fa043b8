import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { CSV, XLSX } from '../../platform/files/content-types.ts';
import { ApiError, invalidField, orNotFound } from '../../platform/http/errors.ts';
import type { Caller } from '../../platform/http/route.ts';
import { timestamp } from '../../platform/http/schemas.ts';
import { Mover } from '../../platform/moves.ts';
import { type Id } from '../../platform/ids.ts';

export const ADDRESS_LIFE_SECONDS = 15 * 60;
export const TAPE_FORMATS = [CSV, XLSX] as const;
const MIB = 1024 * 1024;
export const MAX_BYTES: Record<string, number> = { [CSV]: 512 * MIB, [XLSX]: 100 * MIB };

export type Upload = {
  upload_id: Id<'upl'>;
  organization_id: Id<'org'>;
  purpose: 'tape' | 'bulk' | 'document';
  deal_id: Id<'deal'> | null;
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
  /** The object that it writes. */
  receiving_key: string | null;
  document_type: string | null;
  mode: 'REPLACE' | 'MERGE' | null;
};

/** The states of an upload. Bytes may be sent again, and a new address drops them, until they are completed. */
export const UPLOAD_MOVES = new Mover<Upload, 'status', Upload['status']>({
  noun: 'upload',
  table: 'uploads',
  key: ['organization_id', 'upload_id'],
  fence: ['object_key'],
  column: 'status',
  moves: { PENDING: ['PENDING', 'UPLOADED'], UPLOADED: ['PENDING', 'UPLOADED', 'COMPLETED'], COMPLETED: [] },
});

export const UploadFields = {
  file_name: Type.String(),
  file_key: Type.String({ description: 'Storage key of the file.' }),
  upload_url: Type.String({ description: 'Send the bytes here with PUT, without a key, before it expires.' }),
  upload_headers: Type.Record(Type.String(), Type.String(), { description: 'Headers that the PUT must carry.' }),
  expires_at: timestamp('When the address stops working: 15 minutes after it was made.'),
  max_bytes: Type.Integer({ description: 'Largest file, in bytes.' }),
};

export type NewUpload = Pick<Upload, 'organization_id' | 'purpose' | 'file_name' | 'max_bytes'> &
  Partial<Pick<Upload, 'deal_id' | 'content_type' | 'declared_size' | 'document_type' | 'mode'>> & { folder: string };

/** Uploads of one organization that are begun and unfinished: their address still works, or their bytes wait to be completed. */
export const MOST_PENDING = 100;

/** Registers an upload; its signed address is made from the row by `uploadAnswer`. */
export async function createUpload(tx: Tx, upload: NewUpload): Promise<Upload> {
  await checkPending(tx, upload.organization_id, null);
  const extension = /\.([A-Za-z0-9]{1,8})$/.exec(upload.file_name)?.[1]?.toLowerCase() ?? 'bin';
  const row = await tx.one<Upload>(
    `insert into uploads (upload_id, organization_id, purpose, deal_id, file_key, file_name, content_type, declared_size, max_bytes, document_type, mode, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now() + make_interval(secs => $12), $13) returning *`,
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
      ADDRESS_LIFE_SECONDS,
      tx.now,
    ],
  );
  return row as Upload;
}

/** Refuses one more pending upload than are allowed. The lock makes the count hold until the transaction ends. */
async function checkPending(tx: Tx, organizationId: Id<'org'>, except: string | null): Promise<void> {
  await tx.rows('select pg_advisory_xact_lock(hashtextextended($1, 73))', [organizationId]);
  const row = await tx.one<{ pending: number }>(
    `select count(*)::integer as pending from uploads
     where organization_id = $1 and upload_id is distinct from $2 and status <> 'COMPLETED'
       and (status = 'UPLOADED' or expires_at > now() or receiver_until > now())`,
    [organizationId, except],
  );
  const pending = row?.pending ?? 0;
  if (pending >= MOST_PENDING) throw new ApiError('UPLOADS_PENDING', undefined, { extra: { pending, limit: MOST_PENDING } });
}

/** Makes a new address for an upload; every older one stops working, and what was sent to it is dropped. */
export async function refreshUpload(
  tx: Tx,
  upload: Upload,
  changes: { file_name?: string; content_type?: string },
): Promise<Upload> {
  await checkPending(tx, upload.organization_id, upload.upload_id);
  const contentType = changes.content_type ?? upload.content_type;
  await UPLOAD_MOVES.move(tx, upload, 'PENDING', {
    generation: upload.generation + 1,
    file_name: changes.file_name ?? upload.file_name,
    content_type: contentType,
    max_bytes: MAX_BYTES[contentType ?? ''] ?? upload.max_bytes,
    declared_size: null,
    object_key: null,
    size: null,
    sha256: null,
    receiver: null,
    receiver_until: null,
    receiving_key: null,
  });
  return renewAddress(tx, upload);
}

/** Lets the address of an upload work for another 15 minutes. */
async function renewAddress(tx: Tx, { organization_id, upload_id }: Upload): Promise<Upload> {
  const row = await tx.one<Upload>(
    `update uploads set expires_at = now() + make_interval(secs => $3) where organization_id = $1 and upload_id = $2 returning *`,
    [organization_id, upload_id, ADDRESS_LIFE_SECONDS],
  );
  return orNotFound(row, 'upload');
}

/** The part of an answer that tells the client where and how to send its bytes. The address works no longer than the key of its holder. */
export function uploadAnswer(deps: Deps, holder: Pick<Caller, 'key_id'>, upload: Upload) {
  const token = deps.addresses.sign({
    act: 'put',
    upload: `${upload.organization_id}/${upload.upload_id}/${holder.key_id}`,
    generation: upload.generation,
    expires: upload.expires_at.getTime(),
  });
  return {
    file_name: upload.file_name,
    file_key: upload.file_key,
    upload_url: `${deps.publicUrl()}/v1/uploads/${token}`,
    upload_headers: (upload.content_type ? { 'content-type': upload.content_type } : {}) as Record<string, string>,
    expires_at: upload.expires_at.toISOString(),
    max_bytes: upload.max_bytes,
  };
}

const NOT_A_NAME = /[\\/:*?"<>|]|^\.+$|[. ]$|^\s|[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** File names are one plain name: no folders, no reserved device names, no control or direction characters, nothing that a file system or a terminal would take otherwise. */
export function checkFileName(field: string, name: string): string {
  if (name.length > 255 || NOT_A_NAME.test(name) || RESERVED.test(name)) {
    throw invalidField(
      field,
      'INVALID_FILE_NAME',
      'expected a plain file name of at most 255 characters, without folders, reserved names or invisible characters',
    );
  }
  return name;
}

/** Refuses a declared size over the limit before a byte is sent. */
export function checkDeclaredSize(size: number | undefined, maxBytes: number): void {
  if (size !== undefined && size > maxBytes)
    throw new ApiError('PAYLOAD_TOO_LARGE', `The file may have at most ${maxBytes} bytes.`);
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

/** Ends an upload as it was read; false when it was ended or replaced meanwhile. */
export async function completeUpload(tx: Tx, upload: Upload): Promise<boolean> {
  if (upload.status !== 'UPLOADED') return false;
  return (await UPLOAD_MOVES.tryMove(tx, upload, 'COMPLETED')) !== null;
}

/** For a repeated request: the stored answer with an address that works for another 15 minutes. */
export async function freshAddress(deps: Deps, caller: Caller, data: Record<string, unknown>): Promise<Record<string, unknown>> {
  const organization = caller.organization_id;
  const upload = await deps.db.tx({ organization }, async (tx) => {
    const found = await tx.one<Upload>('select * from uploads where organization_id = $1 and file_key = $2 for update', [
      organization,
      data.file_key,
    ]);
    if (!found || found.status === 'COMPLETED') return null;
    await checkPending(tx, organization, found.upload_id);
    return renewAddress(tx, found);
  });
  return upload ? { ...data, ...uploadAnswer(deps, caller, upload) } : data;
}
