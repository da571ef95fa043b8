import { readFileSync } from 'node:fs';

/** The version of the package, which is also the version of the API's description. */
export const { version: VERSION }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
