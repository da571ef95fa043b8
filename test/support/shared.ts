import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SHARED = fileURLToPath(new URL('../../../shared/', import.meta.url));

/** Path of a file of the material beside the project, or null when it is not on this machine. */
export function sharedPath(relative: string): string | null {
  const path = SHARED + relative;
  return existsSync(path) ? path : null;
}

/** Value for a test's `skip` option: false when every named file is here, else the reason. */
export function skipWithout(...relatives: string[]): string | false {
  return relatives.every((relative) => sharedPath(relative)) ? false : 'skipped: ../shared is not here';
}
