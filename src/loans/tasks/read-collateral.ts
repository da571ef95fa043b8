import { dirname } from 'node:path';
import { type CollateralInput, readCollateral } from '../analytics/collateral-loans.ts';
import { openEngine } from '../engine/engine.ts';

/** How the file of a pool's loans is read. */
export type CollateralTerms = Omit<CollateralInput, 'engine' | 'path'>;

/** The loans of a pool's file in the form that projections read, through an engine that lives no longer than the read. */
export async function readCollateralFile(
  file: { path: string; workDir: string },
  terms: CollateralTerms,
): ReturnType<typeof readCollateral> {
  await using engine = await openEngine({
    workDir: file.workDir,
    allowedDirectories: [dirname(file.path)],
    memoryLimit: '512MB',
  });
  return await readCollateral({ engine, path: file.path, ...terms });
}
