// Runs a task in a process and one in a thread while this process has no file descriptor left, and again when it has. Prints what became of them.
import { closeSync, openSync } from 'node:fs';
import { unavailableReason } from '../../unavailable.ts';
import { openCompute } from '../compute.ts';
import { openThreads } from '../threads.ts';
import { echo } from './tasks-for-test.ts';

await using compute = openCompute({ tableUrl: new URL('./tasks-for-test.ts', import.meta.url).href, slots: 1 });
await using threads = openThreads({ url: new URL('./thread-for-test.ts', import.meta.url), heapMb: 64 });
const inProcess = () => compute.run(echo, { text: 'done' }, { owner: 'org_ours' });
const inThread = async () => {
  await using thread = threads.take('nothing');
  return await thread.run({ act: 'tell' }, { signal: new AbortController().signal, deadlineMs: 60_000 });
};
const outcome = (run: () => Promise<unknown>): Promise<string> =>
  run().then(
    () => 'done',
    (error: unknown) => (unavailableReason(error) === null ? String(error) : 'unavailable'),
  );

const held: number[] = [];
try {
  for (;;) held.push(openSync('/dev/null', 'r'));
} catch {
  // This was the last one.
}
const without = [await outcome(inProcess), await outcome(inThread)];
for (const each of held) closeSync(each);
process.stdout.write(JSON.stringify([without, [await outcome(inProcess), await outcome(inThread)]]));
