import { dirname } from 'node:path';
import { openEngine } from '../engine/engine.ts';
import { servePool, type ServePoolInput } from '../generate/serve-pool.ts';
import type { ServicedMonth } from '../generate/serve-month.ts';

/** Plays the servicer of a pool: writes the tape of the next months. For sandboxes. */
export const runPoolService = async ({
  workDir,
  ...input
}: Omit<ServePoolInput, 'engine'> & { workDir: string }): Promise<ServicedMonth[]> => {
  await using engine = await openEngine({ workDir, allowedDirectories: [dirname(input.path)] });
  return await servePool({ ...input, engine });
};
