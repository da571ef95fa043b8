import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it. On a file system that is read-only this fails with ENOENT, as if something were missing: the folders
 * are then made one by one, and the system says why it refuses.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path).catch((refused: NodeJS.ErrnoException) => {
      if (refused.code !== 'EEXIST') throw refused;
    });
  }
}
