import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Config } from './config.ts';
import { openCalculationThreads } from './features/calculations/in-thread.ts';
import { bringEmailsForward } from './features/notifications/mail-queries.ts';
import { bringDeliveriesForward } from './features/webhooks/queue-queries.ts';
import { LABELS } from './features/requests/labels.ts';
import { findDatabase, type Found } from './find-database.ts';
import { JOB_NAMES } from './job-names.ts';
import { openOnDemand } from './loans/engine/open-on-demand.ts';
import { type Compute, openCompute } from './platform/compute/compute.ts';
import { OF_LIMITER } from './platform/db/connection.ts';
import { openDatabase } from './platform/db/database.ts';
import { migrate } from './platform/db/migrate.ts';
import { openReplica } from './platform/db/replica.ts';
import type { Deps } from './platform/deps.ts';
import { keepCopiesInUse } from './platform/files/copies.ts';
import { createLocalStore, objectsFolder } from './platform/files/local-store.ts';
import type { ObjectStore } from './platform/files/store.ts';
import { openWorkDir } from './platform/files/work-dir.ts';
import { createHeartbeat } from './platform/heartbeat.ts';
import { createRateLimiter } from './platform/http/rate-limit.ts';
import { createRequestLog } from './platform/http/request-logger.ts';
import { openJobs } from './platform/jobs/jobs.ts';
import { migrateJobs } from './platform/jobs/queue-schema.ts';
import { createLog } from './platform/log.ts';
import { createLogWriter } from './platform/log-writer.ts';
import { createMetrics } from './platform/metrics.ts';
import { createResolver } from './platform/net/resolver.ts';
import { createSlots } from './platform/slots.ts';
import { openTracing } from './platform/open-tracing.ts';
import type { Watch } from './platform/watch.ts';
import { readKeys } from './secret-keys.ts';
import { createBatchers } from './platform/batcher.ts';

export type Runtime = Deps & {
  /** Address of the database for its owner. */
  databaseUrl: string;
  setPublicUrl(url: string): void;
  [Symbol.asyncDispose](): Promise<void>;
};

/** The tasks that run in child processes. */
export const TASKS_URL = new URL('./tasks.ts', import.meta.url).href;
const STDERR = 2;
const APP_ROLE = 'sluice_app';
/** Reading a page of a file needs little memory; heavier work runs in child processes. */
const READING_MEMORY = '512MB';

/** Everything a process of the gateway needs, opened in order: database (embedded unless a URL is set), schema, store, queue. */
export async function openRuntime(
  config: Config,
  options: {
    migrate?: boolean;
    supervise?: boolean;
    log?: (line: string) => void;
    watch?: Watch;
    database?: Found;
    /** Processes for heavy work that another one has opened, and closes. */
    compute?: Compute;
  } = {},
): Promise<Runtime> {
  // Under load V8 would put the rows of results among old objects from their beginning, and keep all that the dead ones refer to until it
  // collects the whole memory: a tenth of the processor time.
  setFlagsFromString('--no-allocation-site-pretenuring');
  const { dataDir, storage } = config;
  const metrics = createMetrics({ data: dataDir, ...(storage.kind === 'file' ? { objects: objectsFolder(dataDir) } : {}) });
  const lines = createLogWriter({ fd: STDERR, onDropped: (count) => metrics.logLinesDropped.inc(count) });
  const log = createLog(config.logLevel, lines);
  // Closed in the reverse order, each whether or not the others could be.
  await using opening = new AsyncDisposableStack();
  opening.defer(() => lines.flush());
  const { databaseUrl, url, stop } = options.database ?? (await findDatabase(config, options.log));
  opening.defer(stop);
  if (options.migrate !== false) {
    await migrate(databaseUrl, options.log);
    await migrateJobs(databaseUrl, JOB_NAMES);
  }
  const role = await appRole(url);
  const db = opening.use(openDatabase({ url, role, zone: config.businessZone, log }));
  const limits = opening.use(openDatabase({ url, role, max: 8, settings: { synchronous_commit: 'off' }, patience: OF_LIMITER }));
  const replicaUrl = config.databaseReplicaUrl;
  const replica = replicaUrl
    ? opening.use(await openReplica({ url: replicaUrl, role, zone: config.businessZone, primary: db, metrics, log }))
    : null;
  const rateLimiter = opening.use(createRateLimiter(limits, { positions: replica !== null }));
  const batchers = opening.use(createBatchers(db));
  const requestLog = config.requestLog ? opening.use(createRequestLog({ db: limits, metrics, log, labels: LABELS })) : null;
  // Jobs have stopped before this removes the folder in which they and their tasks work.
  const { columns, workDir } = opening.use(openColumns(config));
  const compute = options.compute ?? opening.use(openCompute({ tableUrl: TASKS_URL, log }));
  const calculationThreads = opening.use(openCalculationThreads());
  const heartbeat = createHeartbeat();
  const jobs = await openJobs({
    url,
    names: JOB_NAMES,
    onError: (error) => log.warn({ err: error }, 'job queue'),
    onClockSetBack: () => {
      log.warn('the clock of the database was set back: what waits for a time that has gone is brought forward');
      return db.patient().tx({ platform: true }, async (tx) => {
        await bringDeliveriesForward(tx, config.webhooks.retriesMs);
        await bringEmailsForward(tx);
      });
    },
    supervise: options.supervise ?? true,
    onStatement: () => heartbeat.beat('job queue'),
  });
  opening.use(jobs);
  const tracing = opening.use(await openTracing(config.tracesEndpoint));
  let publicUrl = config.http.publicUrl ?? `http://${config.http.host}:${config.http.port}`;
  const store = await openStore(config);
  opening.use(keepCopiesInUse(store, log));
  const keys = readKeys(config);
  const opened = opening.move();
  return {
    config,
    db,
    reads: (position) => (replica && position ? replica.reads(position) : db),
    limits,
    rateLimiter,
    batchers,
    requestLog,
    compute,
    calculationThreads,
    columns,
    jobs,
    log,
    store,
    watch: options.watch ?? null,
    metrics,
    tracing,
    heartbeat,
    ...keys,
    alertStreams: createSlots(),
    resolveName: createResolver(),
    workDir,
    databaseUrl,
    publicUrl: () => publicUrl,
    setPublicUrl: (url) => {
      publicUrl = config.http.publicUrl ?? url;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** What reads and writes tables of loans, and the folder for the temporary files of this process. */
export function openColumns(config: Config): Pick<Deps, 'columns' | 'workDir'> & AsyncDisposable {
  const work = openWorkDir(join(config.dataDir, 'work'));
  const directories = [join(config.dataDir, 'objects'), join(config.dataDir, 'cache')];
  const columns = openOnDemand({ workDir: work.path, allowedDirectories: directories, memoryLimit: READING_MEMORY });
  return {
    columns,
    workDir: work.path,
    async [Symbol.asyncDispose]() {
      await columns[Symbol.asyncDispose]();
      work.remove();
    },
  };
}

export async function openStore(config: Config): Promise<ObjectStore> {
  if (config.storage.kind === 'file') return createLocalStore(config.dataDir);
  const { createS3Store } = await import('./platform/files/s3-store.ts');
  return createS3Store(config.storage, join(config.dataDir, 'cache'));
}

/** The role that runs the gateway's statements: one that row-level security binds. A login that cannot take it is bound as the owner. */
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
