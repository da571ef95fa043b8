import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../app.ts';
import type { Config } from '../config.ts';
import { type DeliveryEngine, startDeliveries } from '../features/webhooks/engine.ts';
import { workerProbes } from '../platform/http/worker-probes.ts';
import { type MetricsListener, openMetricsListener } from '../platform/metrics-listener.ts';
import { openRuntime, type Runtime } from '../runtime.ts';
import { jobHandlers } from '../worker.ts';

export type Running = { runtime: Runtime; app: FastifyInstance | null; address: string | null; stop(): Promise<void> };

/** Starts the parts of one process and returns once they are ready. `stop` finishes what was accepted. */
export async function start(
  config: Config,
  parts: { api: boolean; worker: boolean },
  log: (line: string) => void = () => {},
): Promise<Running> {
  const runtime = await openRuntime(config, { log });
  let deliveries: DeliveryEngine | undefined;
  let metrics: MetricsListener | undefined;
  try {
    if (parts.worker) {
      metrics = await openMetricsListener(config.metricsListen, workerProbes(runtime), runtime.log);
      await runtime.jobs.work(jobHandlers(runtime));
      deliveries = startDeliveries(runtime);
    }
    const app = parts.api ? await buildApp(runtime) : null;
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
      stop: async () => {
        await Promise.all([app?.close(), deliveries?.[Symbol.asyncDispose]()]);
        await metrics?.[Symbol.asyncDispose]();
        await runtime[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await metrics?.[Symbol.asyncDispose]();
    await deliveries?.[Symbol.asyncDispose]();
    await runtime[Symbol.asyncDispose]();
    throw error;
  }
}

/** Runs until the process is told to end. */
export async function serve(config: Config, parts: { api: boolean; worker: boolean }): Promise<void> {
  const running = await start(config, parts, (line) => void process.stderr.write(`${line}\n`));
  process.stdout.write(running.address ? `sluice serves ${running.address}\n` : 'sluice works\n');
  await untilTold();
  await running.stop();
}

/** Resolves at SIGINT, SIGTERM, or when the parent of a process tree is gone. */
export function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    // Told again (a terminal tells the whole group, the command forwards it), the process still ends in order.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve();
    }, 500).unref();
  });
}
