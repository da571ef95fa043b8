import { isOfText } from '../../loans/reading/file-kind.ts';
import { probeTape } from '../../loans/reading/probe.ts';
import type { ProbeOutcome, RawColumn, TapeFormat } from '../../loans/reading/raw-table.ts';
import { probeTapeTask } from '../../loans/tasks/tasks.ts';
import { ComputeBusy, ComputeDied, ComputeExhausted, ComputeTimeout } from '../../platform/compute/failures.ts';
import type { Deps } from '../../platform/deps.ts';
import { PARQUET, XLSX } from '../../platform/files/content-types.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Upload } from '../uploads/queries.ts';
import { withUploadedFile } from '../uploads/upload.ts';

const DEADLINE_MS = 60_000;
const BUSY_RETRY_SECONDS = '5';
/** Longest wait of a client for a free process. */
const WAIT_MS = 10_000;

/** The owner of the work; `waitMs` when a client waits for it. */
type Probing = { owner: string; waitMs?: number };

/**
 * Reads the beginning of an uploaded tape. A workbook and Parquet are read in a child process: the parts of a workbook may take seconds, and a
 * file that crashes the native reader of Parquet must not end this process.
 */
export async function probeFile({ compute }: Pick<Deps, 'compute'>, path: string, probing: Probing): Promise<ProbeOutcome> {
  if (await isOfText(path)) return await probeTape(path);
  try {
    return await compute.run(probeTapeTask, { path }, { ...probing, deadlineMs: DEADLINE_MS });
  } catch (error) {
    if (error instanceof ComputeBusy)
      throw new ApiError('COMPUTE_BUSY', undefined, { headers: { 'retry-after': BUSY_RETRY_SECONDS } });
    if (error instanceof ComputeDied || error instanceof ComputeExhausted || error instanceof ComputeTimeout)
      return { ok: false, problem: { code: 'UNREADABLE_FILE', message: GIVEN_UP } };
    throw error;
  }
}

const GIVEN_UP =
  'The file cannot be read: its first rows took more time or memory than a tape may take. Write it again with a current program, or send the tape as CSV.';

/** The format that was named for a file. Its reader finds out what the file is. */
export function storedFormat(contentType: string | null | undefined): TapeFormat {
  if (contentType === PARQUET) return 'parquet';
  return contentType === XLSX ? 'xlsx' : 'csv';
}

/** The columns of an uploaded tape; refused where there is none that can be read. Reads the file, so call it outside a transaction. */
export async function readableColumns(deps: Deps, upload: Upload): Promise<RawColumn[]> {
  if (upload.status !== 'UPLOADED' || !upload.object_key) throw new ApiError('FILE_NOT_UPLOADED');
  if (upload.size === 0) throw new ApiError('EMPTY_FILE');
  const probe = await withUploadedFile(deps, upload.object_key, upload, (path) =>
    probeFile(deps, path, { owner: upload.organization_id, waitMs: WAIT_MS }),
  );
  if (!probe.ok) throw new ApiError(tapeErrorCode(probe.problem.code), probe.problem.message);
  return probe.columns;
}

/** The API error code for a problem of the tape reader. */
export function tapeErrorCode(code: string): 'EMPTY_FILE' | 'UNREADABLE_FILE' | 'NO_LOAN_ROWS' | 'PAYLOAD_TOO_LARGE' {
  if (code === 'EMPTY_FILE' || code === 'NO_LOAN_ROWS') return code;
  return code === 'TOO_LARGE' || code === 'TOO_MANY_ROWS' ? 'PAYLOAD_TOO_LARGE' : 'UNREADABLE_FILE';
}
