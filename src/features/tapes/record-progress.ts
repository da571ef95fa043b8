import type { Deps } from '../../platform/deps.ts';
import { type ChecksProgress, setProgress, type Tape } from './queries.ts';

const EVERY_MS = 1_000;

/** Where the progress of a run of the checks goes. */
export type ProgressRecord = {
  tell(progress: ChecksProgress): void;
  /** Waits for the write in flight; nothing is written after it. */
  end(): Promise<void>;
};

/**
 * Writes how far the checks of a tape have come: a new stage at once, within a stage at most once a second, one write at a time. The
 * checks do not depend on it: a write that fails is left out.
 */
export function recordProgress(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  tape: Tape,
  clock: () => number = () => performance.now(),
): ProgressRecord {
  let next: ChecksProgress | null = null;
  let stage = '';
  let writtenAt = 0;
  let ended = false;
  let writing: Promise<void> | null = null;
  const write = async (): Promise<void> => {
    while (next && !ended) {
      const progress: ChecksProgress = next;
      next = null;
      stage = progress.stage;
      writtenAt = clock();
      await db
        .tx({ organization: tape.organization_id }, (tx) => setProgress(tx, tape, progress))
        .catch((error: unknown) => log.debug({ deal_id: tape.deal_id, err: error }, 'the progress of checks was not written'));
    }
    writing = null;
  };
  return {
    tell(progress) {
      if (ended || (progress.stage === stage && clock() - writtenAt < EVERY_MS)) return;
      next = progress;
      writing ??= write();
    },
    async end() {
      ended = true;
      await writing;
    },
  };
}
