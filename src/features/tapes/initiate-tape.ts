import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { type Deal, deleteDeal, findDraft, insertDeal, lockDeal, touchDeal } from '../deals/queries.ts';
import { lockOrganization } from '../keys/queries.ts';
import { checkTakesVersion } from './add-version.ts';
import { checkFileName } from '../uploads/file-name.ts';
import { findLatestTapeUpload, type Upload } from '../uploads/queries.ts';
import { checkDeclaredSize, createUpload, MAX_BYTES, refreshUpload } from '../uploads/upload.ts';
import type { Id } from '../../platform/ids.ts';

const FOLDER = 'upload/tapes';

export type TapeFile = { fileName: string; fileFormat: string; fileSize?: number };

/** Opens a DRAFT deal and the upload of its first tape. The database holds one DRAFT per organization and loan type. */
export async function initiateTape(
  tx: Tx,
  actor: Actor,
  request: TapeFile & { loanType: string; name?: string },
): Promise<{ deal: Deal; upload: Upload }> {
  const { organization_id } = actor;
  checkFile(request);
  // The unique index refuses a second draft; under this lock the refusal can name the first one.
  await lockOrganization(tx, organization_id);
  const existing = await findDraft(tx, organization_id, request.loanType);
  if (existing)
    throw new ApiError('DRAFT_EXISTS', draftExists(request.loanType, existing), { extra: { existing_deal_id: existing } });
  const deal = await insertDeal(tx, {
    organization_id,
    name: request.name ?? request.fileName.replace(/(?:\.csv)?\.[A-Za-z0-9]{1,8}$/i, ''),
    loan_type: request.loanType,
    status: 'DRAFT',
    actor: actor.actor_id,
  });
  return { deal, upload: await openUpload(tx, deal, request, 'REPLACE') };
}

const draftExists = (loanType: string, dealId: string): string =>
  `The deal ${dealId} is a DRAFT of the loan type ${loanType} already: complete it, get a new address for it with PATCH, or delete it with DELETE /v1/api/originator/loans/${dealId}.`;

/** Makes a new upload address for a DRAFT deal; the old one stops working. */
export async function refreshTape(
  tx: Tx,
  actor: Actor,
  { dealId, ...changes }: Partial<TapeFile> & { dealId: Id<'deal'> },
): Promise<{ deal: Deal; upload: Upload }> {
  if (changes.fileName !== undefined) checkFileName(changes.fileName);
  const deal = orNotFound(await lockDeal(tx, actor.organization_id, dealId), 'deal');
  const upload = await findLatestTapeUpload(tx, actor.organization_id, dealId, true);
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
  actor: Actor,
  { dealId, ...request }: TapeFile & { dealId: Id<'deal'>; mode?: 'REPLACE' | 'MERGE' },
): Promise<{ deal: Deal; upload: Upload }> {
  checkFile(request);
  const deal = orNotFound(await lockDeal(tx, actor.organization_id, dealId), 'deal');
  await checkTakesVersion(tx, deal);
  return { deal, upload: await openUpload(tx, deal, request, request.mode ?? 'REPLACE') };
}

export async function deleteDraft(tx: Tx, actor: Actor, dealId: Id<'deal'>): Promise<void> {
  const deal = orNotFound(await lockDeal(tx, actor.organization_id, dealId), 'deal');
  if (deal.status !== 'DRAFT') throw notDraft(deal);
  await deleteDeal(tx, actor.organization_id, dealId);
}

function checkFile(request: TapeFile): void {
  checkFileName(request.fileName);
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
