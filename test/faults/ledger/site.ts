import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMachine, type Machine, type Running } from '../processes.ts';

/** A process of the gateway and how it is started; `running` is null while it is away. */
export type Node = { args: string[]; running: Running | null };

/** One machine with two API processes, a worker, the database that they share and files on a disk that can be filled. */
export type Site = {
  machine: Machine;
  apis: Node[];
  worker: Node;
  /** Folder of a small disk that holds the objects and nothing of the database; null where no disk can be mounted. */
  disk: string | null;
  start(node: Node): Promise<void>;
  /** Every process of the database server; where the system does not list processes, the first alone. */
  databaseProcesses(): number[];
  [Symbol.asyncDispose](): Promise<void>;
};

const START_MS = 120_000;
const DISK = '256m';
/** Folders of the data directory that hold files of customers. */
const FOLDERS = ['objects', 'work'];

export async function createSite(settings: Record<string, string>): Promise<Site> {
  const machine = createMachine(settings);
  const disk = mountDisk(machine);
  const start = async (node: Node): Promise<void> => {
    const deadline = Date.now() + START_MS;
    while (!node.running) {
      node.running = await machine.start(node.args).catch((error: Error) => {
        // While the database is away a start may fail: a supervisor would start it again.
        if (Date.now() > deadline) throw error;
        return null;
      });
    }
  };
  const apis: Node[] = [
    { args: ['serve'], running: null },
    { args: ['serve', '--no-worker'], running: null },
  ];
  const worker: Node = { args: ['work'], running: null };
  const site: Site = {
    machine,
    apis,
    worker,
    disk,
    start,
    databaseProcesses: () => {
      const postmaster = machine.postmaster();
      return postmaster === null ? [] : [postmaster, ...childrenOf(postmaster)];
    },
    async [Symbol.asyncDispose]() {
      await machine[Symbol.asyncDispose]();
      if (!disk) return;
      spawnSync('umount', ['--lazy', disk]);
      rmSync(disk, { recursive: true, force: true });
    },
  };
  try {
    await Promise.all([...apis, worker].map(start));
    return site;
  } catch (error) {
    await site[Symbol.asyncDispose]();
    throw error;
  }
}

/** A disk of its own for customers' files, so that filling it harms nobody else; only an administrator can mount one. */
function mountDisk(machine: Machine): string | null {
  const disk = mkdtempSync(join(tmpdir(), 'sluice-disk-'));
  const mounted = process.getuid?.() === 0 && spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', disk]);
  if (!mounted || mounted.status !== 0) {
    rmSync(disk, { recursive: true, force: true });
    return null;
  }
  for (const name of FOLDERS) {
    mkdirSync(join(disk, name));
    symlinkSync(join(disk, name), join(machine.dataDir, name));
  }
  return disk;
}

function childrenOf(parent: number): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      try {
        // After the name in parentheses: state, parent.
        const [, ppid] = (readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1) ?? '').split(' ');
        return Number(ppid) === parent ? [Number(name)] : [];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}
