import { dirname } from 'node:path';
import { diffTapes } from '../ingest/diff-tapes.ts';
import { openEngine } from '../engine/engine.ts';

/** Compares the loans of two versions of a tape. */
export const runVersionDiff = async (input: { previous: string; next: string; workDir: string }) => {
  const { previous, next, workDir } = input;
  await using engine = await openEngine({ workDir, allowedDirectories: [dirname(previous), dirname(next)] });
  return await diffTapes({ engine, previous, next });
};
