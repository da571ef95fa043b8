import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Deps } from '../../platform/deps.ts';
import { createVerifier } from '../../platform/files/integrity.ts';
import { claimObjects, forgetRemovedObject } from '../uploads/sweep-queries.ts';
import { storeUnclaimed } from '../uploads/upload.ts';
import { partOpener, sealPart, wrapDataKey } from './data-key.ts';
import { findTape, type Tape } from './queries.ts';
import { dropPlainFile, setSealedUpload } from './seal-queries.ts';

/**
 * A copy of the uploaded file in a working directory, and the tape with its data key. The first time, the file is encrypted under a new
 * key: the new object is stored first, then the row takes it with the key in one transaction, and only then is the file as it was sent
 * deleted. A process that dies in between leaves the old file in force, or an object that the next sweep deletes.
 */
export async function fetchUpload(deps: Deps, tape: Tape, workDir: string): Promise<{ tape: Tape; path: string }> {
  const path = join(workDir, 'upload');
  try {
    await copyUpload(deps, tape, path);
    return { tape: tape.data_key === null ? await sealUpload(deps, tape, path) : tape, path };
  } catch (error) {
    // Another attempt may have sealed the file in the meantime.
    const { organization_id, deal_id, version } = tape;
    const now = await deps.db.tx({ organization: organization_id }, (tx) => findTape(tx, organization_id, deal_id, version));
    if (tape.data_key !== null || !now?.data_key) throw error;
    const sealed = { ...tape, data_key: now.data_key, object_key: now.object_key };
    await copyUpload(deps, sealed, path);
    return { tape: sealed, path };
  }
}

/** Writes the file as it was sent, compared byte by byte; throws ObjectDamaged or SealBroken if it is not. */
async function copyUpload(deps: Deps, tape: Tape, path: string): Promise<void> {
  if (tape.data_key === null && deps.store.kind === 'file') {
    const local = await deps.store.localPath(tape.object_key, tape);
    if (!local) throw new Error(`the file ${tape.object_key} of the tape is not in the store`);
    return await copyFile(local, path);
  }
  const found = await deps.store.get(tape.object_key);
  if (!found) throw new Error(`the file ${tape.object_key} of the tape is not in the store`);
  const opened = tape.data_key === null ? [] : [partOpener(deps, tape, 'upload')];
  // Not through the store's cache: a file that is not encrypted would stay there.
  await pipeline([found.stream, ...opened, createVerifier(tape.object_key, tape), createWriteStream(path, { mode: 0o600 })]);
}

async function sealUpload(deps: Deps, tape: Tape, path: string): Promise<Tape> {
  const { organization_id, deal_id, version, object_key: plainKey } = tape;
  const scope = { organization: organization_id };
  const sealed = { ...tape, data_key: wrapDataKey(deps.secrets, tape), object_key: sealedName(tape) };
  await storeUnclaimed(deps, organization_id, sealed.object_key, () => sealPart(deps, sealed, 'upload', createReadStream(path)));
  const isDropped = await deps.db.tx(scope, async (tx) => {
    const isClaimed = await claimObjects(tx, [sealed.object_key]);
    if (!isClaimed || !(await setSealedUpload(tx, tape, sealed)))
      throw new Error(`version ${version} of ${deal_id} was sealed or taken over in the meantime`);
    return await dropPlainFile(tx, organization_id, plainKey);
  });
  if (isDropped) await deleteNow(deps, tape, plainKey);
  return sealed;
}

const sealedName = ({ organization_id, deal_id, version }: Tape): string =>
  `uploads/${organization_id}/${deal_id}/${version}-${randomUUID()}.sealed`;

/** Deletes an object that is noted as removed; housekeeping does it if this fails. */
async function deleteNow(deps: Deps, { organization_id }: Pick<Tape, 'organization_id'>, key: string): Promise<void> {
  try {
    await deps.store.delete(key);
    await deps.db.tx({ organization: organization_id }, (tx) => forgetRemovedObject(tx, key));
  } catch (error) {
    deps.log.warn({ object_key: key, err: error }, 'a sealed file will be deleted later');
  }
}

/** A copy of the sealed values of a version in the working directory; null where it has none, or none any more. */
export async function openColumns(
  deps: Deps,
  tape: Pick<Tape, 'deal_id' | 'version' | 'data_key' | 'sealed_key'>,
  workDir: string,
): Promise<string | null> {
  if (tape.data_key === null || tape.sealed_key === null) return null;
  const found = await deps.store.get(tape.sealed_key);
  if (!found) throw new Error(`${tape.sealed_key} is not in the store`);
  const path = join(workDir, `columns-${tape.version}.parquet`);
  await pipeline(found.stream, partOpener(deps, tape, 'columns'), createWriteStream(path, { mode: 0o600 }));
  return path;
}
