import { report } from './failure.ts';

export type Run = (work: (signal: AbortSignal) => Promise<number>) => Promise<void>;

/** Runs the work of a client command, with a signal that Ctrl-C gives, and sets the exit code. */
export async function run(work: (signal: AbortSignal) => Promise<number>): Promise<void> {
  const stop = new AbortController();
  // A shell and the program that started this one may both pass the signal on.
  const interrupt = (): void => stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  try {
    process.exitCode = await work(stop.signal);
  } catch (error) {
    process.exitCode = report(error, stop.signal.aborted);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
  }
}
