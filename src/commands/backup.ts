import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { backUp } from '../platform/backup/back-up.ts';
import { openStore } from '../runtime.ts';
import { STORED_OBJECTS } from '../stored-objects.ts';
import { VERSION } from '../version.ts';
import { withAdministrator } from './administrator.ts';
import { type Output, summaryOf } from './backup-summary.ts';
import { keyFingerprints, keyLocations } from './key-fingerprints.ts';

/** Saves database and objects in a new directory; 1 when objects that the database names are missing or differ. */
export async function backup(config: Config, path: string, { printJson, notice }: Output): Promise<number> {
  const directory = resolve(path);
  const store = await openStore(config);
  const manifest = await withAdministrator(config, notice, (url) =>
    backUp({
      directory,
      url,
      store,
      references: STORED_OBJECTS,
      about: { version: VERSION, keys: keyFingerprints(config) },
      log: notice,
    }),
  );
  printJson({
    ...summaryOf(directory, manifest),
    bytes: manifest.tables.reduce((sum, { size }) => sum + size, manifest.objects.bytes),
  });
  notice(`The backup holds no key. Keep ${keyLocations(config)} elsewhere: a restored gateway cannot work without them.`);
  for (const { key, problem } of manifest.problems) {
    notice(problem === 'missing' ? `${key} is not in the object store` : `${key} differs from its record in the database`);
  }
  return manifest.problems.length > 0 ? 1 : 0;
}
