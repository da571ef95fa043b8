// A thread beside a child's tasks, which may keep its main thread busy for minutes: kills the process when its parent has gone or its
// memory limit is exceeded.
import { workerData } from 'node:worker_threads';

export type Watch = { parent: number; memoryBytes: number };

/** The signal that kills a child which exceeded its memory: nothing else sends it, and nothing listens to it. */
export const EXHAUSTED = 'SIGUSR2';

const EVERY_MS = 100;

if (workerData) {
  const { parent, memoryBytes } = workerData as Watch;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
    if (process.memoryUsage.rss() > memoryBytes) process.kill(process.pid, EXHAUSTED);
  }, EVERY_MS);
}
