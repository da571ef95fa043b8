import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import type { Config } from './config.ts';
import { openCompute } from './platform/compute/compute.ts';
import { openDatabase } from './platform/db/database.ts';
import { startEmbeddedPostgres } from './platform/db/embedded.ts';
import { createWhole } from './platform/db/file-lock.ts';
import { migrate } from './platform/db/migrate.ts';
import type { Deps } from './platform/deps.ts';
import { createLocalStore } from './platform/files/local-store.ts';
import { createAddressSigner } from './platform/files/signed-address.ts';
import type { ObjectStore } from './platform/files/store.ts';
import { openWorkDir } from './platform/files/work-dir.ts';
import { migrateJobs, openJobs } from './platform/jobs/jobs.ts';
import { createMetrics } from './platform/metrics.ts';
import { createSecretBox } from './platform/secret-box.ts';
import { readTokenKeys } from './platform/tokens.ts';
import { openTracing } from './platform/tracing.ts';

export type Runtime = Deps & { databaseUrl: string; setPublicUrl(url: string): void; [Symbol.asyncDispose](): Promise<void> };

const APP_ROLE = 'sluice_app';

/** Everything a process of the gateway needs, opened in order: database (embedded unless a URL is set), schema, store, queue. */
export async function openRuntime(
  config: Config,
  options: { migrate?: boolean; supervise?: boolean; log?: (line: string) => void } = {},
): Promise<Runtime> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const log = pino(
    { level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: false }),
  );
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.reverse().splice(0)) await closer();
  };
  try {
    let databaseUrl = config.databaseUrl;
    if (!databaseUrl) {
      const server = await startEmbeddedPostgres({
        directory: join(config.dataDir, 'postgres'),
        revive: true,
        ...(options.log ? { log: options.log } : {}),
      });
      closers.push(() => server.stop());
      databaseUrl = server.url;
    }
    if (options.migrate !== false) {
      await migrate(databaseUrl, options.log);
      await migrateJobs(databaseUrl);
    }
    const role = await appRole(databaseUrl);
    const db = openDatabase({ url: databaseUrl, role });
    closers.push(() => db[Symbol.asyncDispose]());
    const limits = openDatabase({ url: databaseUrl, role, max: 8, settings: '-c synchronous_commit=off' });
    closers.push(() => limits[Symbol.asyncDispose]());
    const compute = openCompute({ tableUrl: new URL('./tasks.ts', import.meta.url).href, log });
    closers.push(async () => compute[Symbol.asyncDispose]());
    const jobs = await openJobs(
      databaseUrl,
      (error) => log.warn({ err: { name: error.name, message: error.message } }, 'job queue'),
      {
        supervise: options.supervise ?? true,
      },
    );
    closers.push(() => jobs[Symbol.asyncDispose]());
    const work = openWorkDir(join(config.dataDir, 'work'));
    closers.push(async () => work.remove());
    const tracing = await openTracing(config.tracesEndpoint);
    closers.push(() => tracing[Symbol.asyncDispose]());
    let publicUrl = config.http.publicUrl ?? `http://${config.http.host}:${config.http.port}`;
    const signingKey = config.signingKey ?? madeOnce(config.dataDir, 'signing-key.pem', newSigningKey);
    return {
      config,
      db,
      limits,
      compute,
      jobs,
      log,
      store: await openStore(config),
      metrics: createMetrics(),
      tracing,
      addresses: createAddressSigner(signingKey),
      secrets: createSecretBox(
        config.encryptionKey ?? madeOnce(config.dataDir, 'encryption-key', () => randomBytes(32).toString('base64url')),
      ),
      tokens: readTokenKeys(signingKey),
      workDir: work.path,
      databaseUrl,
      publicUrl: () => publicUrl,
      setPublicUrl: (url) => {
        publicUrl = config.http.publicUrl ?? url;
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export async function openStore(config: Config): Promise<ObjectStore> {
  if (config.storage.kind === 'file') return createLocalStore(config.dataDir);
  const { createS3Store } = await import('./platform/files/s3-store.ts');
  return createS3Store(config.storage, join(config.dataDir, 'cache'));
}

/** The role that the gateway's statements run as: one that row-level security binds. A login that cannot have it is bound as an owner. */
async function appRole(url: string): Promise<string | null> {
  const probe = openDatabase({ url, max: 1 });
  try {
    const [row] = await probe.direct<{ has: boolean }>(
      `select exists (select 1 from pg_roles where rolname = $1 and pg_has_role(current_user, oid, 'member')) as has`,
      [APP_ROLE],
    );
    return row?.has ? APP_ROLE : null;
  } finally {
    await probe[Symbol.asyncDispose]();
  }
}

function madeOnce(dataDir: string, name: string, make: () => string): string {
  const path = join(dataDir, 'secrets', name);
  if (!existsSync(path)) {
    mkdirSync(join(dataDir, 'secrets'), { recursive: true, mode: 0o700 });
    createWhole(path, make());
  }
  return readFileSync(path, 'utf8').trim();
}

function newSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
