import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../processes.ts';
import type { Random } from './random.ts';
import type { Node, Site } from './site.ts';
import { until } from '../../support/until.ts';

export type Fault = { name: string; run(random: Random): Promise<void> };

const BACK_MS = 120_000;

/** What can happen to a site, each with its repair. `refuse` makes the receiver of events refuse or take them. */
export function faultsOf(site: Site, refuse: (on: boolean) => void): Fault[] {
  const { apis, worker } = site;
  const all: Fault[] = [
    { name: 'an API process is killed', run: (random) => end(site, random.pick(apis), 'SIGKILL') },
    { name: 'the worker is killed', run: () => end(site, worker, 'SIGKILL') },
    { name: 'an API process is replaced', run: (random) => end(site, random.pick(apis), 'SIGTERM') },
    { name: 'the worker is replaced', run: () => end(site, worker, 'SIGTERM') },
    { name: 'the database is killed', run: async () => signalDatabase(site, 'SIGKILL') },
    { name: 'the database is restarted', run: async () => signalDatabase(site, 'SIGINT') },
    { name: 'the database is silent', run: (random) => silence(site.databaseProcesses(), random.between(1_500, 5_000)) },
    {
      name: 'a process is silent',
      run: async (random) => {
        const pid = random.pick([...apis, worker]).running?.pid;
        if (pid) await silence([-pid], random.between(2_000, 6_000));
      },
    },
    {
      name: 'the receiver refuses',
      run: async (random) => {
        refuse(true);
        await sleep(random.between(1_000, 3_000));
        refuse(false);
      },
    },
  ];
  const { disk } = site;
  return disk ? [...all, { name: 'the disk is full', run: (random) => fill(disk, random.between(1_500, 4_000)) }] : all;
}

/**
 * One fault after the other: those that are named once each, or every one before the first comes again until the time is over. How
 * often each happened.
 */
export async function spread(
  site: Site,
  faults: readonly Fault[],
  random: Random,
  extent: { seconds: number } | { faults: readonly string[] },
  log: (line: string) => void,
): Promise<Record<string, number>> {
  const named = 'faults' in extent ? faults.filter(({ name }) => extent.faults.includes(name)) : faults;
  const endsAt = 'seconds' in extent ? Date.now() + extent.seconds * 1_000 : 0;
  const happened: Record<string, number> = {};
  do {
    for (const fault of random.shuffle(named)) {
      if (endsAt > 0 && Date.now() >= endsAt) break;
      await sleep(random.between(200, 1_500));
      log(fault.name);
      await fault.run(random);
      happened[fault.name] = (happened[fault.name] ?? 0) + 1;
      await healthy(site);
    }
  } while (Date.now() < endsAt);
  return happened;
}

/** Waits until every API process says that it is ready: the service has come back by itself. */
async function healthy(site: Site): Promise<void> {
  for (const { running } of site.apis) {
    const ready = async () =>
      running !== null &&
      (await ask(running, 'GET', '/readyz').catch(() => null))?.status === 200 &&
      site.machine.postmaster() !== null;
    await until(ready, BACK_MS, 'the return of the service after a fault', 100);
  }
}

async function end(site: Site, node: Node, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const { running } = node;
  node.running = null;
  running?.signal(signal, signal === 'SIGKILL' ? 'group' : 'process');
  await running?.exited;
  await site.start(node);
}

function signalDatabase(site: Site, signal: NodeJS.Signals): void {
  const postmaster = site.machine.postmaster();
  if (postmaster) send([postmaster], signal);
}

async function silence(pids: number[], ms: number): Promise<void> {
  send(pids, 'SIGSTOP');
  try {
    await sleep(ms);
  } finally {
    send(pids, 'SIGCONT');
  }
}

function send(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Writes until nothing fits any more, and takes it away again. */
async function fill(disk: string, ms: number): Promise<void> {
  const path = join(disk, 'ballast');
  const file = openSync(path, 'w');
  try {
    for (let bytes = 1024 * 1024; bytes >= 1; ) {
      try {
        writeSync(file, Buffer.alloc(bytes));
      } catch {
        bytes = Math.floor(bytes / 2);
      }
    }
    await sleep(ms);
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}
