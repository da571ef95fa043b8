import type { Deps } from '../../platform/deps.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { isCorrection } from '../../loans/reading/correction.ts';
import { type Deal, findDeal, lockDeal } from '../deals/queries.ts';
import { findLatestTapeUpload, type Upload } from '../uploads/queries.ts';
import { checkSameFileName } from '../uploads/file-name.ts';
import { completeUpload } from '../uploads/upload.ts';
import { readableColumns, storedFormat } from './probe-file.ts';
import type { Id } from '../../platform/ids.ts';
import { addVersion, type Completed } from './add-version.ts';
import { isOfInlineLoans, listMergeable } from './queries.ts';

type Request = { dealId: Id<'deal'>; fileName: string };

type State = { deal: Deal; upload: Upload };

/** An upload whose file was read, and whether that file is a corrected issues file. */
export type CheckedUpload = Upload & { corrects: boolean };

/** Reads the uploaded file before the transaction that completes it: no transaction stays open while a file is read. */
export async function checkUploadedTape(deps: Deps, { organization_id }: Actor, request: Request): Promise<CheckedUpload> {
  const { upload } = await deps.db.tx({ organization: organization_id }, async (tx) => {
    const deal = await findDeal(tx, organization_id, request.dealId);
    return checkState(deal, await findLatestTapeUpload(tx, organization_id, request.dealId), request.fileName);
  });
  const columns = await readableColumns(deps, upload);
  return { ...upload, corrects: isCorrection(columns) };
}

/**
 * Stores the checked file as the deal's next tape version, moves the deal and queues the checks. A corrected issues file is merged
 * whatever mode was asked for: as a whole tape it would replace all loans by the few that had findings.
 */
export async function completeTape(
  tx: Tx,
  actor: Actor,
  { dealId, fileName, checked }: Request & { checked: CheckedUpload },
  deps: Pick<Deps, 'jobs'>,
): Promise<Completed> {
  const { organization_id } = actor;
  const locked = await lockDeal(tx, organization_id, dealId);
  const { deal, upload } = checkState(locked, await findLatestTapeUpload(tx, organization_id, dealId, true), fileName);
  // Another file may have arrived since the check; it needs a complete request of its own.
  if (upload.object_key !== checked.object_key)
    throw new ApiError('CONFLICT', 'Another file was uploaded in the meantime: complete the upload again.');
  if (upload.mode === 'MERGE' && !checked.corrects) await refuseMergeOfUnits(tx, deal);
  await completeUpload(tx, upload);
  const merges = upload.mode === 'MERGE' || (checked.corrects && deal.status !== 'DRAFT');
  const file = {
    upload_id: upload.upload_id,
    file_name: upload.file_name,
    format: storedFormat(upload.content_type),
    mode: merges ? ('MERGE' as const) : ('REPLACE' as const),
    object_key: upload.object_key ?? '',
    size: upload.size ?? 0,
    sha256: upload.sha256 ?? '',
  };
  const { version: _version, ...completed } = await addVersion(tx, actor, deal, file, deps);
  return completed;
}

/** A file has units of its own: merged into loans in canonical units, half a percent would be read as half of the whole, or the other way round. */
async function refuseMergeOfUnits(tx: Tx, { organization_id, deal_id }: Deal): Promise<void> {
  const [base] = await listMergeable(tx, organization_id, deal_id);
  if (base && (await isOfInlineLoans(tx, organization_id, deal_id, base.version)))
    throw new ApiError(
      'CONFLICT',
      'The loans of this deal were sent inline, in canonical units, and only their file of findings can be merged into them: send the loans of the file as a new deal, or a whole tape as the next version (mode REPLACE).',
    );
}

function checkState(deal: Deal | null, upload: Upload | null, fileName: string): State {
  if (!deal) throw notFound('deal');
  if (!upload) throw noOpenUpload(deal);
  checkSameFileName(fileName, upload);
  const open = deal.status === 'DRAFT' || (upload.status !== 'COMPLETED' && ['IN_REVIEW', 'QC_COMPLETED'].includes(deal.status));
  if (!open || upload.status === 'COMPLETED') {
    throw noOpenUpload(deal);
  }
  return { deal, upload };
}

const noOpenUpload = ({ status }: Deal): ApiError =>
  new ApiError('INVALID_TRANSITION', `The deal is ${status} and has no open upload.`, {
    extra: { current_status: status, allowed: ['DRAFT'] },
  });
