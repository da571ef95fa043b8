import { writeSync } from 'node:fs';
import { safeError } from '../platform/safe-error.ts';

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

/** A defect that nothing caught ends the process, as it would without this; but what is printed of it quotes no data. */
export function endOnDefects(): void {
  process.on('uncaughtException', (error) => {
    notice(
      JSON.stringify({ level: 60, time: new Date().toISOString(), err: safeError(error), msg: 'the process ends: a defect' }),
    );
    process.exit(1);
  });
}
