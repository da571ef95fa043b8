import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../running.ts';

/**
 * Takes a lock between processes of one machine for at most `timeoutMs`; the returned function releases it. A lock whose holder is dead,
 * or that is older than any lock may be, is taken over. Throws when others hold it for longer than `timeoutMs`.
 */
export async function lockFile(path: string, timeoutMs: number): Promise<() => void> {
  const deadline = Date.now() + timeoutMs;
  while (!createWhole(path, String(process.pid))) {
    removeAbandoned(path, timeoutMs);
    if (Date.now() > deadline) throw new Error(`another process (${readText(path)}) holds ${path}`);
    await sleep(20);
  }
  return () => rmSync(path, { force: true });
}

/** Creates a file that appears with its whole content; false when it already exists. */
export function createWhole(path: string, content: string): boolean {
  const own = `${path}.${randomUUID()}`;
  try {
    writeFileSync(own, content, { mode: 0o600 });
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function removeAbandoned(path: string, timeoutMs: number): void {
  if (isHeld(path, timeoutMs)) return;
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  // Another process may have taken the lock over before the move: a lock of a living process goes back.
  if (isHeld(aside, timeoutMs)) {
    try {
      linkSync(aside, path);
    } catch {
      // Another process holds it by now.
    }
  }
  rmSync(aside, { force: true });
}

/** After a reboot the holder's process id may belong to another process: then the age of the lock decides. */
function isHeld(path: string, timeoutMs: number): boolean {
  try {
    return isRunning(Number(readFileSync(path, 'utf8'))) && Date.now() - statSync(path).mtimeMs < timeoutMs;
  } catch {
    return false;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
