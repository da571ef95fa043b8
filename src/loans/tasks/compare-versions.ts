import { dirname } from 'node:path';
import { type DiffInput, diffTapes } from '../ingest/diff-tapes.ts';
import { openEngine } from '../engine/engine.ts';

/** Compares the loans of two versions of a tape. */
export const runVersionDiff = async (input: Omit<DiffInput, 'engine'> & { workDir: string }) => {
  const { workDir, ...tapes } = input;
  const { previous, next } = tapes;
  await using engine = await openEngine({ workDir, allowedDirectories: [dirname(previous), dirname(next)] });
  return await diffTapes({ engine, ...tapes });
};
