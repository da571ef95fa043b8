import { dirname } from 'node:path';
import { task } from '../../platform/compute/task.ts';
import { type PoolTableInput, writePoolTable } from '../analytics/pool-table.ts';
import { openEngine } from '../engine/engine.ts';

/** Selects the loans of a pool into a table of their own. */
export const poolTableTask = task('write-pool', async (input: Omit<PoolTableInput, 'engine'> & { workDir: string }) => {
  const { workDir, ...table } = input;
  const paths = input.sources.flatMap((source) => [source.loansPath, ...source.outcomesPaths]);
  await using engine = await openEngine({ workDir, allowedDirectories: [...new Set(paths.map(dirname))] });
  return await writePoolTable({ ...table, engine });
});
