import { task } from '../task.ts';

export const echo = task('echo', async (input: { text: string }) => ({ text: input.text, pid: process.pid }));

export const fail = task('fail', async (input: { message: string }): Promise<never> => {
  throw new RangeError(input.message);
});

/** Keeps the main thread of its process busy, as a search over loans does. */
export const spin = task('spin', async (input: { ms: number }) => {
  const until = Date.now() + input.ms;
  while (Date.now() < until);
  return { pid: process.pid };
});

/** Counts to a number and tells every step. */
export const count = task('count', async (input: { to: number }, report?: (progress: { step: number }) => void) => {
  for (let step = 1; step <= input.to; step += 1) report?.({ step });
  return { pid: process.pid };
});

/** Takes memory outside the heap until there is none. */
export const fillMemory = task('fill-memory', async () => {
  const taken: Buffer[] = [];
  for (;;) {
    taken.push(Buffer.alloc(16 * 2 ** 20, 1));
    await new Promise((resolve) => setImmediate(resolve));
  }
});

export const fillHeap = task('fill-heap', async () => {
  const taken: object[] = [];
  for (;;) taken.push({ index: taken.length, text: String(taken.length).padStart(64) });
});

/** Ends its process as the system does when memory ends. */
export const die = task('die', async (): Promise<void> => process.kill(process.pid, 'SIGKILL') && undefined);

/** Ends its process with an error that nothing catches. */
export const crash = task('crash', async (input: { message: string }): Promise<never> => {
  setImmediate(() => {
    throw new RangeError(input.message);
  });
  return await new Promise<never>(() => {});
});

export const holdMemory = task('hold-memory', async (input: { bytes: number }) => {
  held.push(Buffer.alloc(input.bytes, 1));
  return { pid: process.pid };
});

const held: Buffer[] = [];

export const pidOf = task('pid-of', async () => ({ pid: process.pid }));

export const tasks = [echo, pidOf, count, fail, spin, fillMemory, fillHeap, die, crash, holdMemory];
