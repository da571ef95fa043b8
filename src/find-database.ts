import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { startEmbeddedPostgres } from './platform/db/embedded.ts';
import { refuseSharedSessions } from './platform/db/pooler.ts';

/** Addresses of the database: for its owner, who makes and migrates it (`databaseUrl`), and for the gateway. */
export type Found = { databaseUrl: string; url: string; stop(): Promise<void> };

/** Finds the database of a configuration, or starts the embedded one. */
export async function findDatabase(config: Config, log?: (line: string) => void): Promise<Found> {
  makeDataDirectory(config.dataDir);
  if (config.databaseUrl) {
    await refuseSharedSessions(config.databaseUrl);
    return { databaseUrl: config.databaseUrl, url: config.databaseUrl, stop: async () => {} };
  }
  const directory = join(config.dataDir, 'postgres');
  const server = await startEmbeddedPostgres({ directory, revive: true, ...(log ? { log } : {}) });
  return { databaseUrl: server.url, url: server.gatewayUrl, stop: () => server.stop() };
}

/** Where everything that a gateway has of its own lies, also beside a database elsewhere. */
function makeDataDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const why = `${path} cannot be the data directory: name one in SLUICE_DATA_DIR that this process can make or write to`;
    throw new Error(`${why} (${(error as Error).message})`, { cause: error });
  }
}
