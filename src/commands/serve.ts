import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { findDatabase } from '../find-database.ts';
import type { Watch } from '../platform/watch.ts';
import { endOnDefects, notice, outliveReaders } from './notice.ts';
import type { Running } from './start-parts.ts';

type Parts = { api: boolean; worker: boolean };

/** Starts the parts of one process and returns once they are ready. `stop` finishes the requests and jobs that were accepted. */
export async function start(
  config: Config,
  parts: Parts,
  { log = () => {}, watch }: { log?: (line: string) => void; watch?: Watch } = {},
): Promise<Running> {
  if (parts.api) await refuseTakenAddress(config.http);
  const finding = findDatabase(config, log);
  // A server of its own starts while the modules are read, which takes longer. One elsewhere is only connected to, and on a busy
  // machine the reading would hold the connection until it is taken for silent.
  if (config.databaseUrl) await finding;
  const [database, modules] = await Promise.allSettled([finding, readModules(parts)]);
  if (database.status === 'rejected') throw database.reason;
  if (modules.status === 'rejected') {
    await database.value.stop();
    throw modules.reason;
  }
  return await modules.value.startParts(config, parts, { database: database.value, log, ...(watch ? { watch } : {}) });
}

/** Reads what the parts are made of, piece by piece: in between, the start of the database goes on. */
async function readModules({ api, worker }: Parts): Promise<typeof import('./start-parts.ts')> {
  const pieces = [
    () => import('../platform/jobs/jobs.ts'),
    () => import('../runtime.ts'),
    ...(worker ? [() => import('../worker.ts')] : []),
    ...(api ? [() => import('../app.ts')] : []),
  ];
  for (const read of pieces) {
    await read();
    await setImmediate();
  }
  return await import('./start-parts.ts');
}

/** Before anything is started for it: an address that another process has, or that this machine has not, cannot be served. */
async function refuseTakenAddress({ host, port }: Config['http']): Promise<void> {
  const probe = createServer();
  try {
    probe.listen({ host, port });
    await once(probe, 'listening');
  } catch (error) {
    const why = addressProblem({ host, port }, (error as NodeJS.ErrnoException).code);
    throw why ? new Error(why) : error;
  } finally {
    await new Promise((resolve) => probe.close(resolve));
  }
}

function addressProblem({ host, port }: Pick<Config['http'], 'host' | 'port'>, code: string | undefined): string | null {
  if (code === 'EADDRINUSE')
    return `${host}:${port} is in use: stop what listens there, or choose another port with PORT=${port + 1}`;
  if (code === 'EACCES') return `${host}:${port} is kept from this process by the system: choose a port from 1024 with PORT=8080`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is no address of this machine: set HOST to one that it has, 127.0.0.1 for itself alone or 0.0.0.0 for all`;
  return null;
}

/** Runs until a signal stops the process. */
export async function serve(config: Config, parts: { api: boolean; worker: boolean }): Promise<void> {
  outliveReaders();
  endOnDefects();
  const running = await start(config, parts, { log: notice });
  // Whoever waits for the line may stop the process as soon as it is out.
  const stopped = untilStopped();
  process.stdout.write(running.address ? `sluice serves ${running.address}\n` : 'sluice works\n');
  const reason = await stopped;
  running.runtime.log.info({ reason }, 'the process stops: it finishes what it has begun');
  await running.stop();
}

/** Resolves at a signal that ends processes, with its name, or when the parent of a process tree is gone. */
export function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    // A second signal (a terminal signals the whole group, and the command forwards it) does not interrupt the orderly stop.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve('the process that started it has ended');
    }, 500).unref();
  });
}
