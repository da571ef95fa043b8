import { writeSync } from 'node:fs';

const STDERR = 2;

/** A line for whoever started the command. A full disk or a reader that is gone is no reason to end. */
export function notice(line: string): void {
  try {
    writeSync(STDERR, `${line}\n`);
  } catch {
    // There is nowhere left to say it.
  }
}

/** A process that serves outlives the readers of its output. */
export function outliveReaders(): void {
  process.stdout.removeAllListeners('error');
  process.stdout.on('error', () => {});
}
