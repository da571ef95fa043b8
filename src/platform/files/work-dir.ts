import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '../running.ts';

const OLDEST_MS = 24 * 3_600_000;
const TOUCH_MS = 600_000;

/** A folder of this process below `root`, for temporary files of running work. Leftovers of killed processes are removed. */
export function openWorkDir(root: string): { path: string; remove(): void } {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(root)) {
    if (isAbandoned(root, name)) rmSync(join(root, name), { recursive: true, force: true });
  }
  const path = mkdtempSync(join(root, `${host()}.${process.pid}.`));
  const touching = setInterval(touch, TOUCH_MS, path);
  touching.unref();
  return {
    path,
    remove() {
      clearInterval(touching);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Shows processes of other machines that the folder is in use; one that was removed all the same is made again. */
function touch(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    utimesSync(path, new Date(), new Date());
  } catch {
    // A disk that is lost or full is told by the work that needs it.
  }
}

/** Process ids are only valid on their own machine; a folder of another machine stays until no process can still be working in it. */
function isAbandoned(root: string, name: string): boolean {
  const [machine, pid] = name.split('.');
  const touchedMs = statSync(join(root, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (machine !== host()) return Date.now() - touchedMs > OLDEST_MS;
  // An earlier process may have had the same id.
  if (Number(pid) === process.pid) return touchedMs < Date.now() - process.uptime() * 1_000;
  return !isRunning(Number(pid));
}

const host = (): string => hostname().replace(/[^\w-]/g, '_') || 'machine';
