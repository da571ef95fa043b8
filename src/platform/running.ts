import { readFileSync } from 'node:fs';

/** True while a process of this machine runs. A zombie, which has ended but was not reaped by its parent, does not run. */
export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !hasEnded(pid);
}

function hasEnded(pid: number): boolean {
  try {
    // The state follows the name of the program, which stands in parentheses.
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.startsWith('Z') ?? false;
  } catch {
    return false;
  }
}
