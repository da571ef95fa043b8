import { join } from 'node:path';
import type { Config } from './config.ts';
import { startEmbeddedPostgres } from './platform/db/embedded.ts';
import { refuseSharedSessions } from './platform/db/pooler.ts';

/** Addresses of the database: for its owner, who makes and migrates it (`databaseUrl`), and for the gateway. */
export type Found = { databaseUrl: string; url: string; stop(): Promise<void> };

/** Finds the database of a configuration, or starts the embedded one. */
export async function findDatabase(config: Config, log?: (line: string) => void): Promise<Found> {
  if (config.databaseUrl) {
    await refuseSharedSessions(config.databaseUrl);
    return { databaseUrl: config.databaseUrl, url: config.databaseUrl, stop: async () => {} };
  }
  const directory = join(config.dataDir, 'postgres');
  const server = await startEmbeddedPostgres({ directory, revive: true, ...(log ? { log } : {}) });
  return { databaseUrl: server.url, url: server.gatewayUrl, stop: () => server.stop() };
}
