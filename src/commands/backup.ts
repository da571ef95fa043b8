import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { backUp } from '../platform/backup/back-up.ts';
import { openStore } from '../runtime.ts';
import { STORED_OBJECTS } from '../stored-objects.ts';
import { withAdministrator } from './administrator.ts';
import { keyFingerprints, keyPlaces } from './key-fingerprints.ts';

type Output = { printJson(value: unknown): void; notice(line: string): void };

/** Keeps database and objects in a new directory; 1 when the store did not have all that the database names. */
export async function backup(config: Config, path: string, { printJson, notice }: Output): Promise<number> {
  const directory = resolve(path);
  const store = await openStore(config);
  const manifest = await withAdministrator(config, notice, (url) =>
    backUp({
      directory,
      url,
      store,
      references: STORED_OBJECTS,
      about: { version: version(), keys: keyFingerprints(config) },
      log: notice,
    }),
  );
  printJson({
    directory,
    snapshot_at: manifest.snapshot_at,
    tables: manifest.tables.length,
    rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
    objects: manifest.objects.count,
    bytes: manifest.tables.reduce((sum, { size }) => sum + size, manifest.objects.bytes),
    problems: manifest.problems,
  });
  notice(`The backup holds no key. Keep ${keyPlaces(config)} elsewhere: without them it cannot serve.`);
  for (const { key, problem } of manifest.problems) {
    notice(problem === 'missing' ? `${key} is not in the object store` : `${key} is not what the database says of it`);
  }
  return manifest.problems.length > 0 ? 1 : 0;
}

function version(): string {
  return (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;
}
