import { readdirSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../running.ts';

const END_TIMEOUT_MS = 5_000;

/**
 * Kills the processes that a killed postmaster left running on these files: a single such backend keeps its shared memory and prevents
 * every new start. Call it while no postmaster runs on them; the killed processes have lost their server, and recovery repairs their
 * unfinished work. Returns how many there were. Only Linux shows which files a process works on: elsewhere there are none.
 */
export async function endOrphans(data: string): Promise<number> {
  const orphans = serversOf(data);
  // Killed, not terminated: a stopped or busy process would not react.
  for (const pid of orphans) kill(pid);
  for (let waited = 0; waited < END_TIMEOUT_MS && orphans.some(isRunning); waited += 20) await sleep(20);
  return orphans.length;
}

/** The working directory of every PostgreSQL process is its data directory. */
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
    // It has ended in the meantime.
  }
}
