import { isParquet } from '../../loans/reading/file-kind.ts';
import { probeTape } from '../../loans/reading/probe.ts';
import type { ProbeOutcome, TapeFormat } from '../../loans/reading/raw-table.ts';
import { probeTapeTask } from '../../loans/tasks/probe-tape.ts';
import { ComputeBusy, ComputeDied, ComputeExhausted, ComputeTimeout } from '../../platform/compute/failures.ts';
import type { Deps } from '../../platform/deps.ts';
import { PARQUET, XLSX } from '../../platform/files/content-types.ts';
import { ApiError } from '../../platform/http/errors.ts';

const DEADLINE_MS = 60_000;
const BUSY_RETRY_SECONDS = '5';

/** The owner of the work; `waitMs` when a client waits for it. */
type Probing = { owner: string; waitMs?: number };

/**
 * Reads the beginning of an uploaded tape. Parquet is read in a child process, because its reader is native code: a file that crashes it
 * must not end this process.
 */
export async function probeFile({ compute }: Pick<Deps, 'compute'>, path: string, probing: Probing): Promise<ProbeOutcome> {
  if (!(await isParquet(path))) return probeTape(path);
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
  'The Parquet file cannot be read: its first rows took more time or memory than a tape may take. Write it again with a current library, or send the tape as CSV.';

/** The format that was named for a file. Its reader finds out what the file is. */
export function storedFormat(contentType: string | null | undefined): TapeFormat {
  if (contentType === PARQUET) return 'parquet';
  return contentType === XLSX ? 'xlsx' : 'csv';
}
