import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import type { Caller } from '../../platform/http/route.ts';
import { type Deal, deleteDeal, findDraft, insertDeal, lockDeal, touchDeal } from '../deals/queries.ts';
import { findLatestTape } from './queries.ts';
import {
  checkDeclaredSize,
  checkFileName,
  createUpload,
  findLatestTapeUpload,
  MAX_BYTES,
  refreshUpload,
  type Upload,
} from '../uploads/upload.ts';
import type { Id } from '../../platform/ids.ts';

const FOLDER = 'upload/tapes';

export type TapeFile = { fileName: string; fileFormat: string; fileSize?: number };

/** Opens a DRAFT deal and the upload of its first tape. The database holds one DRAFT per organization and loan type. */
export async function initiateTape(
  tx: Tx,
  caller: Caller,
  request: TapeFile & { loanType: string; name?: string },
): Promise<{ deal: Deal; upload: Upload }> {
  const organization_id = caller.organization_id;
  checkFile(request);
  // The row lock makes the answer name the draft that is in the way; the unique index is what refuses.
  await tx.exec('select 1 from organizations where organization_id = $1 for update', [organization_id]);
  const existing = await findDraft(tx, organization_id, request.loanType);
  if (existing) throw new ApiError('DRAFT_EXISTS', undefined, { extra: { existing_deal_id: existing } });
  const deal = await insertDeal(tx, {
    organization_id,
    name: request.name ?? request.fileName.replace(/\.[A-Za-z0-9]{1,8}$/, ''),
    loan_type: request.loanType,
    status: 'DRAFT',
    actor: caller.key_id,
  });
  return { deal, upload: await openUpload(tx, deal, request, 'REPLACE') };
}

/** A new address for a DRAFT deal's file; the old one stops working. */
export async function refreshTape(
  tx: Tx,
  caller: Caller,
  dealId: Id<'deal'>,
  changes: Partial<TapeFile>,
): Promise<{ deal: Deal; upload: Upload }> {
  if (changes.fileName !== undefined) checkFileName('fileName', changes.fileName);
  const deal = await lockDeal(tx, caller.organization_id, dealId);
  if (!deal) throw notFound('deal');
  const upload = await findLatestTapeUpload(tx, caller.organization_id, dealId, true);
  if (deal.status !== 'DRAFT' || !upload) throw notDraft(deal);
  await touchDeal(tx, deal.organization_id, dealId);
  const fresh = await refreshUpload(tx, upload, {
    ...(changes.fileName ? { file_name: changes.fileName } : {}),
    ...(changes.fileFormat ? { content_type: changes.fileFormat } : {}),
  });
  return { deal, upload: fresh };
}

/** Opens the upload of a deal's next tape version. */
export async function initiateVersion(
  tx: Tx,
  caller: Caller,
  dealId: Id<'deal'>,
  request: TapeFile & { mode?: 'REPLACE' | 'MERGE' },
): Promise<{ deal: Deal; upload: Upload }> {
  checkFile(request);
  const deal = await lockDeal(tx, caller.organization_id, dealId);
  if (!deal) throw notFound('deal');
  const running = (await findLatestTape(tx, caller.organization_id, dealId))?.state === 'RUNNING';
  if (!['IN_REVIEW', 'QC_COMPLETED'].includes(deal.status) || running) {
    throw new ApiError(
      'INVALID_TRANSITION',
      running ? 'The checks of the newest tape are still running.' : `A deal that is ${deal.status} takes no new tape.`,
      {
        extra: { current_status: deal.status, allowed: ['IN_REVIEW', 'QC_COMPLETED'] },
      },
    );
  }
  return { deal, upload: await openUpload(tx, deal, request, request.mode ?? 'REPLACE') };
}

export async function deleteDraft(tx: Tx, caller: Caller, dealId: Id<'deal'>): Promise<void> {
  const deal = await lockDeal(tx, caller.organization_id, dealId);
  if (!deal) throw notFound('deal');
  if (deal.status !== 'DRAFT') throw notDraft(deal);
  await deleteDeal(tx, caller.organization_id, dealId);
}

function checkFile(request: TapeFile): void {
  checkFileName('fileName', request.fileName);
  checkDeclaredSize(request.fileSize, MAX_BYTES[request.fileFormat] ?? 0);
}

function openUpload(tx: Tx, deal: Deal, request: TapeFile, mode: 'REPLACE' | 'MERGE'): Promise<Upload> {
  return createUpload(tx, {
    organization_id: deal.organization_id,
    purpose: 'tape',
    folder: FOLDER,
    deal_id: deal.deal_id,
    file_name: request.fileName,
    content_type: request.fileFormat,
    max_bytes: MAX_BYTES[request.fileFormat] ?? 0,
    mode,
    ...(request.fileSize === undefined ? {} : { declared_size: request.fileSize }),
  });
}

function notDraft(deal: Deal): ApiError {
  return new ApiError('INVALID_TRANSITION', `The deal is ${deal.status}; only a DRAFT can be changed or deleted.`, {
    extra: { current_status: deal.status, allowed: ['DRAFT'] },
  });
}
