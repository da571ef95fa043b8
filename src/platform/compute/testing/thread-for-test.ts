// A module of threads: its task is what one of the functions below does.
import { parentPort, threadId } from 'node:worker_threads';
import type { ThreadReply } from '../threads.ts';

export type TestTask =
  | { act: 'tell' }
  | { act: 'keep'; subject: string }
  | { act: 'hold'; bytes: number }
  | { act: 'count'; into: Int32Array }
  | { act: 'exit' | 'throw' | 'fill heap' };

export type TestOutput = { threadId: number };

const kept: string[] = [];
const held: Buffer[] = [];

parentPort?.on('message', (task: TestTask) => {
  perform(task);
  const { heapTotal, external } = process.memoryUsage();
  const reply: ThreadReply<TestOutput> = { output: { threadId }, keeps: kept, memoryBytes: heapTotal + external };
  parentPort?.postMessage(reply);
});

function perform(task: TestTask): void {
  if (task.act === 'keep') kept.push(task.subject);
  if (task.act === 'hold') held.push(Buffer.alloc(task.bytes, 1));
  if (task.act === 'count') for (;;) Atomics.add(task.into, 0, 1);
  if (task.act === 'exit') process.exit(7);
  if (task.act === 'throw') throw new RangeError('no such column');
  if (task.act === 'fill heap') fillHeap();
}

function fillHeap(): void {
  const taken: object[] = [];
  for (;;) taken.push({ index: taken.length, text: String(taken.length).padStart(64) });
}
