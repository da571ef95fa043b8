import { join } from 'node:path';
import type { Config } from '../config.ts';
import { startEmbeddedPostgres } from '../platform/db/embedded.ts';
import { refuseSharedSessions } from '../platform/db/pooler.ts';

/** Opens the database without migrating it, with the login that owns its tables; an embedded one is joined, or started. */
export async function withAdministrator<Result>(
  config: Config,
  log: (line: string) => void,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  if (config.databaseUrl) {
    await refuseSharedSessions(config.databaseUrl);
    return await work(config.databaseUrl);
  }
  const server = await startEmbeddedPostgres({ directory: join(config.dataDir, 'postgres'), log });
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}
