import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type CellChange, writeCorrection } from '../../loans/export/correction-file.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { type Deal, findDeal, lockDeal } from '../deals/queries.ts';
import { claimObjects } from '../uploads/sweep-queries.ts';
import { storeUnclaimed } from '../uploads/upload.ts';
import { addVersion, checkTakesVersion } from './add-version.ts';
import { findTape, isOfInlineLoans, listMergeable, type Tape } from './queries.ts';

export type CorrectionRequest = { dealId: Id<'deal'>; tape_version: number; cells: CellChange[] };

type StoredCorrection = { object_key: string; size: number; sha256: string };

/** Writes the corrected rows into a file of their own before the transaction: no transaction stays open while a tape is read. */
export async function storeCorrection(deps: Deps, actor: Actor, request: CorrectionRequest): Promise<StoredCorrection> {
  const { organization_id } = actor;
  const tape = await deps.db.tx({ organization: organization_id }, async (tx) => {
    const deal = orNotFound(await findDeal(tx, organization_id, request.dealId), 'deal');
    return await findCorrected(tx, deal, request.tape_version);
  });
  const rawPath = await localFile(deps, tape.raw_key ?? '');
  const written = await writeCorrection(
    { engine: deps.columns, rawPath, isDestroyed: tape.keys_destroyed_at !== null },
    request.cells,
  );
  if ('problems' in written) {
    const errors = written.problems.map(({ index, part, code, message }) => ({ field: `cells.${index}.${part}`, code, message }));
    throw new ApiError('VALIDATION_FAILED', undefined, { errors });
  }
  const bytes = Buffer.from(written.text);
  const object_key = `uploads/${organization_id}/corrections/${randomUUID()}.csv`;
  await storeUnclaimed(deps, organization_id, object_key, () => Readable.from([bytes]), bytes.length);
  return { object_key, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Makes the corrected rows the next version of the tape, which is merged by row into the version that they were read from. */
export async function correctTape(
  tx: Tx,
  actor: Actor,
  { dealId, tape_version, cells, stored }: CorrectionRequest & { stored: StoredCorrection },
  deps: Pick<Deps, 'jobs'>,
) {
  const deal = orNotFound(await lockDeal(tx, actor.organization_id, dealId), 'deal');
  await findCorrected(tx, deal, tape_version);
  if (!(await claimObjects(tx, [stored.object_key])))
    throw new ApiError('CONFLICT', 'The correction took too long: send it again.');
  const file_name = `correction-of-version-${tape_version}.csv`;
  const added = await addVersion(tx, actor, deal, { ...stored, file_name, format: 'csv', mode: 'MERGE' }, deps);
  return { ...added, corrected_cells: cells.length, corrected_rows: new Set(cells.map(({ row_number }) => row_number)).size };
}

/** The version into which a correction is merged; 409 where that is another one than the correction was made for. */
async function findCorrected(tx: Tx, deal: Deal, version: number): Promise<Tape> {
  await checkTakesVersion(tx, deal);
  const [base] = await listMergeable(tx, deal.organization_id, deal.deal_id);
  if (!base) throw new ApiError('CONFLICT', 'The deal has no tape version with rows to correct.');
  if (base.version !== version)
    throw new ApiError(
      'CONFLICT',
      `The cells are those of version ${version} of the tape, and version ${base.version} is in force: read its findings, and correct these.`,
      { extra: { tape_version: base.version } },
    );
  // A file of their rows would be read with the units of a tape: a rate of 0.5 percent as a half.
  if (await isOfInlineLoans(tx, deal.organization_id, deal.deal_id, version))
    throw new ApiError(
      'CONFLICT',
      'The loans of this deal were sent inline, in canonical units, and have no cells of a file: send the corrected loans as a new deal, or a whole tape as its next version.',
    );
  return orNotFound(await findTape(tx, deal.organization_id, deal.deal_id, version), 'tape version');
}
