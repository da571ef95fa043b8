import { readFileSync } from 'node:fs';

/** Whether a process of this machine is running. A zombie, which has ended but was not reaped by its parent, is not. */
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
    // The state follows the name of the program, which is in parentheses.
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.startsWith('Z') ?? false;
  } catch {
    return false;
  }
}
