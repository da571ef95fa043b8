// A child process of the pool: runs the tasks of the given table, one at a time, until its parent closes the channel.
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { AnyTask, TaskProgress, TaskReply, TaskRequest } from './task.ts';
import type { Watch } from './watch.ts';

/** Lower than that of processes that serve requests: heavy work gets the processor time that they leave. */
const NICENESS = 5;
/** When memory runs out, the system kills a child before a gateway. */
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
    const output: unknown = await task.run(input, (progress: unknown) => process.send?.({ progress } satisfies TaskProgress));
    return { ok: true, output, memoryBytes: process.memoryUsage.rss() };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const { name: kind, message, stack } = error;
    const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
    return { ok: false, error: { name: kind, message, stack, code }, memoryBytes: process.memoryUsage.rss() };
  }
}

/** Exits immediately: threads of native code may still be busy, and their results are no longer needed. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

function yieldToOthers(): void {
  try {
    setPriority(NICENESS);
    if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', OOM_SCORE);
  } catch {
    // If the system forbids it, the child is treated like any other process.
  }
}
