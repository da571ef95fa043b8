// A child process of the pool: runs the tasks of the table that it is started with, one at a time, until its parent lets go of it.
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { AnyTask, TaskReply, TaskRequest } from './task.ts';
import type { Watch } from './watch.ts';

/** Below the processes that serve requests: heavy work takes the processor time that they leave. */
const NICENESS = 5;
/** When memory ends, the system takes a child before it takes a gateway. */
const OOM_SCORE = '500';

const [tableUrl = '', memoryBytes = ''] = process.argv.slice(2);
// A terminal or a supervisor signals the whole group; the parent decides when its work has ended.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', end);
if (!process.connected) end();
yieldToOthers();
new Worker(new URL('./watch.ts', import.meta.url), {
  workerData: { parent: process.ppid, memoryBytes: Number(memoryBytes) } satisfies Watch,
}).unref();
const table = (import(tableUrl) as Promise<{ tasks: readonly AnyTask[] }>).then(({ tasks }) => tasks);
process.on('message', (request: TaskRequest) => {
  void run(request).then((reply) => process.send?.(reply));
});

async function run({ name, input }: TaskRequest): Promise<TaskReply> {
  try {
    const task = (await table).find((each) => each.name === name);
    if (!task) throw new Error(`there is no task ${name}`);
    const output: unknown = await task.run(input);
    return { ok: true, output, memoryBytes: process.memoryUsage.rss() };
  } catch (thrown) {
    const { name: kind, message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { ok: false, error: { name: kind, message, stack }, memoryBytes: process.memoryUsage.rss() };
  }
}

/** At once: threads of native code may still be busy, and nothing of theirs is wanted any more. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

function yieldToOthers(): void {
  try {
    setPriority(NICENESS);
    if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', OOM_SCORE);
  } catch {
    // A system that forbids it treats the child as it treats every process.
  }
}
