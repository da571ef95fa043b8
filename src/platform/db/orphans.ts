import { readdirSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../running.ts';

const END_TIMEOUT_MS = 5_000;

/**
 * Ends what a killed postmaster left running on these files: one such backend keeps its shared memory, and with it every new start out. To
 * be called while no postmaster runs on them; what it ends has lost its server, and recovery makes good what it left half done. Returns how
 * many there were. Only Linux shows which files a process works on: elsewhere there are none.
 */
export async function endOrphans(data: string): Promise<number> {
  const orphans = serversOf(data);
  // Killed, not terminated: one that is stopped or busy would not react.
  for (const pid of orphans) kill(pid);
  for (let waited = 0; waited < END_TIMEOUT_MS && orphans.some(isRunning); waited += 20) await sleep(20);
  return orphans.length;
}

/** Every process of PostgreSQL works in the directory of its files. */
function serversOf(data: string): number[] {
  return processes().filter((pid) => linkOf(pid, 'cwd') === data && basename(linkOf(pid, 'exe')).startsWith('postgres'));
}

function processes(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

function linkOf(pid: number, name: 'cwd' | 'exe'): string {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
