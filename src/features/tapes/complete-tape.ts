import type { Deps } from '../../platform/deps.ts';
import type { Scope, Tx } from '../../platform/db/database.ts';
import { CSV } from '../../platform/files/content-types.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import type { Caller } from '../../platform/http/route.ts';
import { probeTape } from '../../loans/reading/probe.ts';
import { moveDeal } from '../deals/deal.ts';
import { type Deal, findDeal, lockDeal } from '../deals/queries.ts';
import { insertTape } from './queries.ts';
import { uploadedFile } from '../uploads/uploaded-file.ts';
import { completeUpload, findLatestTapeUpload, type Upload } from '../uploads/upload.ts';
import type { Id } from '../../platform/ids.ts';
import { checksJobId } from './tape.ts';

export type Completed = { deal_id: Id<'deal'>; status: string; job_id: Id<'job'> };
type Write = <Result>(work: (tx: Tx) => Promise<Result>, scope?: Scope) => Promise<Result>;

/** Pins the uploaded file as the deal's next tape version and queues its checks with the change of state. */
export async function completeTape(
  deps: Deps,
  caller: Caller,
  write: Write,
  request: { dealId: Id<'deal'>; fileName: string },
): Promise<Completed> {
  const organization = caller.organization_id;
  const found = await deps.db.tx({ organization }, async (tx) => ({
    deal: await findDeal(tx, organization, request.dealId),
    upload: await findLatestTapeUpload(tx, organization, request.dealId),
  }));
  const upload = checkState(found.deal, found.upload, request.fileName);
  await checkFile(deps, upload);
  return write(async (tx) => {
    const deal = await lockDeal(tx, organization, request.dealId);
    const now = checkState(deal, await findLatestTapeUpload(tx, organization, request.dealId, true), request.fileName);
    // Another file may have arrived between the look at it and this lock: then this completion is the later one's to make.
    if (now.object_key !== upload.object_key)
      throw new ApiError('CONFLICT', 'Another file was uploaded meanwhile: complete again.');
    await completeUpload(tx, now);
    const tape = await insertTape(tx, {
      deal_id: request.dealId,
      organization_id: organization,
      upload_id: now.upload_id,
      file_name: now.file_name,
      format: now.content_type === CSV ? 'csv' : 'xlsx',
      mode: now.mode ?? 'REPLACE',
      object_key: now.object_key ?? '',
      size: now.size ?? 0,
      sha256: now.sha256 ?? '',
    });
    const moved = deal?.status === 'DRAFT' ? await moveDeal(tx, deal, { to: 'IN_REVIEW', actor: caller.key_id }) : (deal as Deal);
    await deps.jobs.enqueue(tx, 'ingest-tape', {
      organization_id: organization,
      deal_id: request.dealId,
      version: tape.version,
      run: tape.run,
    });
    return { deal_id: request.dealId, status: moved.status, job_id: checksJobId(tape) };
  });
}

function checkState(deal: Deal | null, upload: Upload | null, fileName: string): Upload {
  if (!deal || !upload) throw notFound('deal');
  if (upload.file_name !== fileName) {
    throw new ApiError('FILE_NAME_MISMATCH', undefined, {
      errors: [{ field: 'fileName', code: 'FILE_NAME_MISMATCH', message: 'expected the file name that was given to initiate' }],
    });
  }
  const open = deal.status === 'DRAFT' || (upload.status !== 'COMPLETED' && ['IN_REVIEW', 'QC_COMPLETED'].includes(deal.status));
  if (!open || upload.status === 'COMPLETED') {
    throw new ApiError('INVALID_TRANSITION', `The deal is ${deal.status} and has no open upload.`, {
      extra: { current_status: deal.status, allowed: ['DRAFT'] },
    });
  }
  return upload;
}

async function checkFile(deps: Deps, upload: Upload): Promise<void> {
  if (upload.status !== 'UPLOADED' || !upload.object_key) throw new ApiError('FILE_NOT_UPLOADED');
  if (upload.size === 0) throw new ApiError('EMPTY_FILE');
  const path = await uploadedFile(deps, upload.object_key, upload);
  const probe = await probeTape(path, upload.content_type === CSV ? 'csv' : 'xlsx');
  if (!probe.ok) throw new ApiError(tapeProblem(probe.problem.code), probe.problem.message);
}

/** The answer's code for what is wrong with a file. */
export function tapeProblem(code: string): 'EMPTY_FILE' | 'UNREADABLE_FILE' | 'NO_LOAN_ROWS' | 'PAYLOAD_TOO_LARGE' {
  if (code === 'EMPTY_FILE' || code === 'NO_LOAN_ROWS') return code;
  return code === 'TOO_LARGE' || code === 'TOO_MANY_ROWS' ? 'PAYLOAD_TOO_LARGE' : 'UNREADABLE_FILE';
}
