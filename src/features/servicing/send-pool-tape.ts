import type { Deps } from '../../platform/deps.ts';
import { asPlatform } from '../../platform/db/as-platform.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import type { StoredMapping } from '../tapes/queries.ts';
import { checkEntries } from '../tapes/check-entries.ts';
import { readableColumns, storedFormat } from '../tapes/probe-file.ts';
import { mergeBySource } from '../tapes/tape.ts';
import { noteRemoved, READERS_MINUTES } from '../tapes/seal-queries.ts';
import { checkFileName, checkSameFileName } from '../uploads/file-name.ts';
import type { Upload } from '../uploads/queries.ts';
import { checkDeclaredSize, completeUpload, createUpload, MAX_BYTES } from '../uploads/upload.ts';
import type { MappingRequest } from '../../loans/types.ts';
import {
  deletePoolTape,
  findPoolTape,
  findPoolUpload,
  findReadAfter,
  insertPoolTape,
  listUnusedMonths,
  type PoolTape,
  deleteMonthsAfter,
  dropUploadedFile,
} from './queries.ts';
import { asIssued, findOwn, lockIssued, NOTHING_READ, POOL_TAPE_MOVES } from './servicing.ts';

const FOLDER = 'upload/pool-tapes';

type OfPeriod = { poolId: Id<'pool'>; period: number };
type Request = OfPeriod & { fileName: string };

/** Opens the upload of a period's tape. */
export async function initiatePoolTape(
  tx: Tx,
  actor: Actor,
  { poolId, period, fileName, fileFormat, fileSize }: Request & { fileFormat: string; fileSize?: number },
): Promise<Upload> {
  checkFileName(fileName);
  const max_bytes = MAX_BYTES[fileFormat] ?? 0;
  checkDeclaredSize(fileSize, max_bytes);
  const pool = asIssued(await findOwn(tx, actor.organization_id, poolId));
  return createUpload(tx, {
    organization_id: pool.organization_id,
    purpose: 'pool_tape',
    folder: FOLDER,
    pool_id: pool.pool_id,
    period,
    file_name: fileName,
    content_type: fileFormat,
    max_bytes,
    ...(fileSize === undefined ? {} : { declared_size: fileSize }),
  });
}

/** Reads the beginning of the uploaded file before the transaction that completes it. */
export async function checkPoolUpload(deps: Deps, { organization_id }: Actor, request: Request): Promise<Upload> {
  const upload = await deps.db.tx({ organization: organization_id }, async (tx) => {
    const pool = asIssued(await findOwn(tx, organization_id, request.poolId));
    return openUpload(await findPoolUpload(tx, pool, request.period), request.fileName);
  });
  await readableColumns(deps, upload);
  return upload;
}

/** Makes the checked file the period's tape and queues its reading. What the file before had given stays in force until it has ended. */
export async function completePoolTape(
  tx: Tx,
  actor: Actor,
  { poolId, period, fileName, checked }: Request & { checked: Upload },
  { jobs }: Pick<Deps, 'jobs'>,
): Promise<PoolTape> {
  const pool = await lockIssued(tx, actor.organization_id, poolId);
  const upload = openUpload(await findPoolUpload(tx, pool, period, true), fileName);
  if (upload.object_key !== checked.object_key)
    throw new ApiError('CONFLICT', 'Another file was uploaded in the meantime: complete the upload again.');
  await completeUpload(tx, upload);
  const file = {
    upload_id: upload.upload_id,
    file_name: upload.file_name,
    format: storedFormat(upload.content_type),
    size: upload.size ?? 0,
    sha256: upload.sha256 ?? '',
    sent_by: actor.actor_id,
  };
  const before = await findPoolTape(tx, pool, period, true);
  if (before) {
    await dropFiles(tx, before);
    await dropUploadedFile(tx, pool.organization_id, before.upload_id);
  }
  const tape = before
    ? await restart(tx, before, {
        ...NOTHING_READ,
        ...file,
        version: before.version + 1,
        overrides: [],
        mapping_id: null,
        mapped_by: null,
      })
    : await insertPoolTape(tx, { organization_id: pool.organization_id, pool_id: pool.pool_id, period, ...file });
  await enqueue(tx, jobs, tape);
  return tape;
}

function openUpload(upload: Upload | null, fileName: string): Upload {
  if (!upload) throw notFound('upload of this period');
  checkSameFileName(fileName, upload);
  if (upload.status === 'COMPLETED')
    throw new ApiError('INVALID_TRANSITION', 'The period has no open upload.', {
      extra: { current_status: 'COMPLETED', allowed: ['UPLOADED'] },
    });
  return upload;
}

/** A tape whose mapping can be changed. */
export type MappedPoolTape = PoolTape & { mapping: StoredMapping; mapping_id: Id<'map'> };

/** Changes the mapping of a period's tape and queues its reading again. */
export async function mapPoolTape(
  tx: Tx,
  actor: Actor,
  { poolId, period, entries }: OfPeriod & { entries: MappingRequest[] },
  { jobs }: Pick<Deps, 'jobs'>,
): Promise<MappedPoolTape> {
  const pool = await lockIssued(tx, actor.organization_id, poolId);
  const tape = orNotFound(await findPoolTape(tx, pool, period, true), 'tape');
  const { mapping, raw_key } = tape;
  if (tape.state === 'RUNNING') throw new ApiError('CONFLICT', 'The tape is still being read.');
  if (!mapping || !raw_key)
    throw new ApiError('CONFLICT', 'The file could not be read, so it has no columns to map: send it again.');
  checkEntries(entries, mapping, pool.loan_type);
  if (entries.some(({ sealed }) => sealed !== undefined))
    throw new ApiError(
      'CONFLICT',
      'The sealed values of a monthly tape are not kept, so its columns cannot be sealed or unsealed: send the file again.',
    );
  const changed = {
    overrides: mergeBySource(tape.overrides, entries),
    mapping_id: tx.newId('map'),
    mapped_by: actor.actor_id,
    // The loans are read anew from the raw table.
    loans_key: null,
    read_issues_key: null,
    issues_key: null,
  };
  await noteRemoved(tx, pool.organization_id, keysOf({ ...tape, raw_key: null }), READERS_MINUTES);
  const restarted = await restart(tx, tape, changed);
  await enqueue(tx, jobs, restarted);
  return { ...restarted, mapping, mapping_id: changed.mapping_id };
}

/** Has a tape compared again, and put in force although most of the loans that owed are missing. */
export async function confirmPoolTape(
  tx: Tx,
  actor: Actor,
  { poolId, period }: OfPeriod,
  { jobs }: Pick<Deps, 'jobs'>,
): Promise<PoolTape> {
  const pool = await lockIssued(tx, actor.organization_id, poolId);
  const tape = orNotFound(await findPoolTape(tx, pool, period, true), 'tape');
  if (tape.state !== 'NEEDS_CONFIRMATION')
    throw new ApiError('INVALID_TRANSITION', `The tape is ${tape.state}; only one that waits for it can be confirmed.`, {
      extra: { current_status: tape.state, allowed: POOL_TAPE_MOVES.allowed(tape.state) },
    });
  const confirmed = await restart(tx, tape, { confirmed_at: tx.now });
  await enqueue(tx, jobs, confirmed);
  return confirmed;
}

/** Takes the tape of a period away, with what it says of its month; the next one is compared with the one before it. */
export async function removePoolTape(
  tx: Tx,
  actor: Actor,
  { poolId, period }: OfPeriod,
  { jobs }: Pick<Deps, 'jobs'>,
): Promise<void> {
  const pool = await lockIssued(tx, actor.organization_id, poolId);
  const tape = orNotFound(await findPoolTape(tx, pool, period, true), 'tape');
  await dropFiles(tx, tape);
  await dropUploadedFile(tx, pool.organization_id, tape.upload_id);
  await deletePoolTape(tx, tape);
  await restartNext(tx, { ...tape, period: period - 1 }, { jobs });
}

/**
 * Has the first tape after a period compared again, since what it was compared with has changed; when that has ended, the one after it
 * follows. Until then the later months are not in force.
 */
export async function restartNext(tx: Tx, { period, ...pool }: PoolTape, { jobs }: Pick<Deps, 'jobs'>): Promise<void> {
  await dropMonths(tx, pool, await deleteMonthsAfter(tx, pool, period));
  const next = await findReadAfter(tx, pool, period);
  if (next) await enqueue(tx, jobs, await restart(tx, next, {}), true);
}

/** Has the loan tables of months deleted that are in force no more, but for those that a calculation names. */
export async function dropMonths(
  tx: Tx,
  { organization_id, pool_id }: Pick<PoolTape, 'organization_id' | 'pool_id'>,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  const unused = await asPlatform(tx, () => listUnusedMonths(tx, pool_id, keys));
  await noteRemoved(tx, organization_id, unused, READERS_MINUTES);
}

async function restart(tx: Tx, tape: PoolTape, values: Partial<PoolTape>): Promise<PoolTape> {
  return POOL_TAPE_MOVES.move(tx, tape, 'RUNNING', {
    ...values,
    run: tape.run + 1,
    attempts: 0,
    failure: null,
    completed_at: null,
  });
}

const enqueue = (
  tx: Tx,
  jobs: Deps['jobs'],
  { organization_id, pool_id, period, run }: PoolTape,
  accepted = false,
): Promise<void> => jobs.enqueue(tx, 'read-pool-tape', { organization_id, pool_id, period, run }, { accepted });

const keysOf = ({ raw_key, read_issues_key, loans_key, issues_key }: PoolTape): string[] =>
  [raw_key, read_issues_key, loans_key, issues_key].filter((key) => key !== null);

async function dropFiles(tx: Tx, tape: PoolTape): Promise<void> {
  await noteRemoved(tx, tape.organization_id, keysOf(tape), READERS_MINUTES);
}
