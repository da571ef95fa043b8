import { writeSync } from 'node:fs';

const STDERR = 2;

/** A line for the user of the command. A full disk or a reader that has gone does not end the command. */
export function notice(line: string): void {
  try {
    writeSync(STDERR, `${line}\n`);
  } catch {
    // There is nowhere left to report it.
  }
}

/** A process that serves continues when the readers of its output have gone. */
export function outliveReaders(): void {
  process.stdout.removeAllListeners('error');
  process.stdout.on('error', () => {});
}
