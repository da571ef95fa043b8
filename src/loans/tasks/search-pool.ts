import { dirname } from 'node:path';
import { type ComparedRun, compareRuns } from '../criteria/compare.ts';
import { type Cures, curePoolTests, largestPool, type Removal } from '../criteria/cure.ts';
import type { CriteriaSet } from '../criteria/language.ts';
import { openEngine } from '../engine/engine.ts';

/** The files of a finished run, and its criteria. */
export type RunFiles = {
  loansPath: string;
  raw: { path: string; isDestroyed?: boolean };
  outcomesPath: string;
  set: CriteriaSet;
};

export type Objective = 'min_removal' | 'max_pool';

/** Finds the smallest removal that cures each failed pool test, or the largest pool that passes all of them. */
export const runSearch = async (input: { files: RunFiles; objective: Objective; workDir: string }): Promise<Cures | Removal> => {
  const { files, objective, workDir } = input;
  await using engine = await openEngine({ workDir, allowedDirectories: directoriesOf(files) });
  return objective === 'max_pool' ? await largestPool({ ...files, engine }) : await curePoolTests({ ...files, engine });
};

export const runComparison = async ({ first, second, workDir }: { first: RunFiles; second: RunFiles; workDir: string }) => {
  const allowedDirectories = [...directoriesOf(first), ...directoriesOf(second)];
  await using engine = await openEngine({ workDir, allowedDirectories });
  return await compareRuns(engine, first satisfies ComparedRun, second);
};

const directoriesOf = (files: RunFiles): string[] => [files.loansPath, files.raw.path, files.outcomesPath].map(dirname);
