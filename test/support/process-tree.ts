import { readdirSync, readFileSync } from 'node:fs';

/** The processes below one, at any depth, without itself. Linux only. */
export function processesBelow(root: number): number[] {
  const parents = new Map(processIds().map((pid) => [pid, Number(procText(pid, 'stat').split(') ').at(-1)?.split(' ')[1])]));
  const below = (pid: number): number[] => {
    const own = [...parents].filter(([, parent]) => parent === pid).map(([child]) => child);
    return own.flatMap((child) => [child, ...below(child)]);
  };
  return below(root);
}

export const commandOf = (pid: number): string => procText(pid, 'cmdline').replaceAll('\0', ' ');

/** Child processes that run tasks, of a gateway or of several. */
export const isTaskProcess = (pid: number): boolean => commandOf(pid).includes('compute/child-main');

/** A file about a process; '' once it has ended. */
export function procText(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

function processIds(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

export const killGroup = (pid: number): void => killQuietly(-pid);

/** Kills a process, or with a negative number a group of them; one that is gone already is what is wanted. */
export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
