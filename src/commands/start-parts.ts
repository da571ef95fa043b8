import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { takeEncryptionKey } from '../encryption-key.ts';
import { type DeliveryEngine, startDeliveries } from '../features/webhooks/engine.ts';
import { type Mailer, startMailer } from '../features/notifications/mailer.ts';
import { startCheckpoints } from '../platform/audit-checkpoints.ts';
import { refuseUnfinished } from '../platform/backup/unfinished.ts';
import type { Database } from '../platform/db/database.ts';
import { workerProbes } from '../platform/http/worker-probes.ts';
import { type MetricsListener, openMetricsListener, type Probes } from '../platform/metrics-listener.ts';
import type { Watch } from '../platform/watch.ts';
import { openRuntime, type Runtime } from '../runtime.ts';
import { jobHandlers, SCHEDULES } from '../worker.ts';
import type { Found } from '../find-database.ts';

export type Running = {
  runtime: Runtime;
  app: FastifyInstance | null;
  address: string | null;
  metricsAddress: string | null;
  stop(): Promise<void>;
};

/** Starts the parts of one process over a database that it stops with them, and returns once they are ready. */
export async function startParts(
  config: Config,
  parts: { api: boolean; worker: boolean },
  { database, log, watch }: { database: Found; log: (line: string) => void; watch?: Watch },
): Promise<Running> {
  // The routes are almost half of what there is to load, and a worker serves none.
  const api = parts.api ? await import('../app.ts') : null;
  const runtime = await openRuntime(config, { database, log, ...(watch ? { watch } : {}) });
  let deliveries: DeliveryEngine | undefined;
  let mailer: Mailer | null = null;
  let metrics: MetricsListener | undefined;
  let checkpoints: AsyncDisposable | undefined;
  try {
    await refuseUnfinished(runtime.db);
    await takeEncryptionKey(runtime);
    if (config.environment === 'production') await markProduction(runtime.db);
    metrics = await openMetricsListener(config.metricsListen, probes(runtime, parts), runtime.log);
    // The database works for the one while the process works for the other.
    const working = parts.worker ? runtime.jobs.work(jobHandlers(runtime), { schedules: SCHEDULES }) : null;
    const [app] = await Promise.all([api && api.buildApp(runtime), working]);
    if (parts.worker) {
      deliveries = startDeliveries(runtime);
      mailer = startMailer(runtime);
      checkpoints = startCheckpoints(runtime);
    }
    if (app) await app.listen({ host: config.http.host, port: config.http.port });
    const bound = app?.server.address() as AddressInfo | undefined;
    const address = bound
      ? `http://${config.http.host.includes(':') ? `[${config.http.host}]` : config.http.host}:${bound.port}`
      : null;
    if (address) runtime.setPublicUrl(address);
    return {
      runtime,
      app,
      address,
      metricsAddress: metrics.address,
      stop: async () => {
        // Requests in flight may still queue jobs: the queue itself is closed with the runtime.
        const ended = await Promise.allSettled([
          app?.close(),
          deliveries?.[Symbol.asyncDispose](),
          mailer?.[Symbol.asyncDispose](),
          runtime.jobs.stop(),
        ]);
        await checkpoints?.[Symbol.asyncDispose]();
        await metrics?.[Symbol.asyncDispose]();
        await runtime[Symbol.asyncDispose]();
        // A part that fails to close does not keep the others open.
        for (const each of ended) if (each.status === 'rejected') throw each.reason;
      },
    };
  } catch (error) {
    await metrics?.[Symbol.asyncDispose]();
    await deliveries?.[Symbol.asyncDispose]();
    await mailer?.[Symbol.asyncDispose]();
    await checkpoints?.[Symbol.asyncDispose]();
    await runtime[Symbol.asyncDispose]();
    throw error;
  }
}

/** Marks the database: from here on it can never be reset, whatever the environment of a later process. */
async function markProduction(db: Database): Promise<void> {
  await db.direct('update platform_clock set production = true where not production');
}

/** Metrics and probes, on an address apart from the one for customers. */
function probes(runtime: Runtime, { worker }: { worker: boolean }): Probes {
  const { registry } = runtime.metrics;
  return {
    '/metrics': async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
    ...(worker ? workerProbes(runtime) : {}),
  };
}
