import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { ComputeDied, ComputeTimeout } from './failures.ts';
import type { TestOutput, TestTask } from './testing/thread-for-test.ts';
import { openThreads, type ThreadRunOptions, type Threads, type ThreadsOptions } from './threads.ts';

const MIB = 2 ** 20;

const open = (options: Partial<ThreadsOptions> = {}): Threads =>
  openThreads({ url: new URL('./testing/thread-for-test.ts', import.meta.url), heapMb: 64, ...options });

const going = (): ThreadRunOptions => ({ signal: new AbortController().signal, deadlineMs: 60_000 });

/** Runs a task and gives its thread back; the number of the thread. */
async function run(threads: Threads, task: TestTask, options = going(), subject = ''): Promise<number> {
  await using thread = threads.take(subject);
  return (await thread.run<TestTask, TestOutput>(task, options)).threadId;
}

/** Resolves when a counting task has begun, so that its thread is busy for good. */
const begun = (counter: Int32Array): Promise<void> =>
  until(() => Atomics.load(counter, 0) > 0, 120_000, 'the begin of the counting');

test('a thread serves one task after another', async () => {
  await using threads = open();
  const first = await run(threads, { act: 'tell' });
  assert.equal(await run(threads, { act: 'tell' }), first);
});

test('two tasks at once have a thread each', async () => {
  await using threads = open();
  const [first, second] = await Promise.all([run(threads, { act: 'tell' }), run(threads, { act: 'tell' })]);
  assert.notEqual(first, second);
});

test('a thread that fails is replaced, and its task fails by name', async (t) => {
  await using threads = open();
  for (const [act, message] of [
    ['exit', /ended with code 7/],
    ['throw', /RangeError: no such column/],
    ['fill heap', /ERR_WORKER_OUT_OF_MEMORY/],
  ] as const) {
    await t.test(act, async () => {
      const before = await run(threads, { act: 'tell' });
      await assert.rejects(run(threads, { act }), (error) => error instanceof ComputeDied && message.test(error.message));
      assert.notEqual(await run(threads, { act: 'tell' }), before);
    });
  }
  await t.test('at its deadline', async () => {
    const counter = new Int32Array(new SharedArrayBuffer(4));
    await assert.rejects(run(threads, { act: 'count', into: counter }, { ...going(), deadlineMs: 300 }), ComputeTimeout);
    await run(threads, { act: 'tell' });
  });
});

test('a task that is aborted has ended with its thread before its caller hears of it', async () => {
  await using threads = open();
  const stop = new AbortController();
  const counter = new Int32Array(new SharedArrayBuffer(4));
  const running = run(threads, { act: 'count', into: counter }, { ...going(), signal: stop.signal });
  await begun(counter);
  stop.abort(new Error('the worker is stopping'));
  await assert.rejects(running, /the worker is stopping/);
  const counted = Atomics.load(counter, 0);
  await run(threads, { act: 'tell' });
  assert.equal(Atomics.load(counter, 0), counted);
});

test('a task of a signal that is aborted already starts nothing', async () => {
  await using threads = open();
  const before = await run(threads, { act: 'tell' });
  const aborted = { ...going(), signal: AbortSignal.abort(new Error('too late')) };
  await assert.rejects(run(threads, { act: 'exit' }, aborted), /too late/);
  assert.equal(await run(threads, { act: 'tell' }), before);
});

test('a task goes to the idle thread that keeps its subject', async () => {
  await using threads = open();
  const ids = await Promise.all([
    run(threads, { act: 'keep', subject: 'harbor' }),
    run(threads, { act: 'keep', subject: 'prairie' }),
  ]);
  for (const [index, subject] of ['harbor', 'prairie', 'harbor'].entries())
    assert.equal(await run(threads, { act: 'tell' }, going(), subject), ids[index % 2], subject);
  await using other = threads.take('harbor');
  assert.deepEqual([other.keeps('harbor'), other.keeps('prairie')], [true, false]);
});

test('a thread that its holder discards is not used again', async () => {
  await using threads = open();
  const before = await run(threads, { act: 'tell' });
  {
    await using thread = threads.take('');
    await thread.run<TestTask, TestOutput>({ act: 'tell' }, going());
    thread.discard();
  }
  assert.notEqual(await run(threads, { act: 'tell' }), before);
});

test('a thread that holds much memory, or has run its share of tasks, is replaced', async () => {
  await using threads = open({ retiredFromBytes: 100 * MIB, mostTasks: 3 });
  const heavy = await run(threads, { act: 'hold', bytes: 100 * MIB });
  const ids: number[] = [];
  for (let task = 0; task < 4; task += 1) ids.push(await run(threads, { act: 'tell' }));
  assert.notEqual(ids[0], heavy);
  assert.deepEqual([ids[0] === ids[1], ids[1] === ids[2], ids[2] === ids[3]], [true, true, false]);
});

test('no more threads stay idle than the limit says, and none longer', async () => {
  const busy = async (threads: Threads): Promise<number[]> =>
    (await Promise.all([1, 2, 3].map(() => run(threads, { act: 'tell' })))).sort((a, b) => a - b);
  await using limited = open({ mostIdle: 1 });
  const [first, second] = [await busy(limited), await busy(limited)];
  // A task that ends early gives its thread to the next one, so an id may come twice.
  assert.equal(new Set(second.filter((id) => first.includes(id))).size, 1);
  await using brief = open({ idleMs: 1 });
  const before = await run(brief, { act: 'keep', subject: 'harbor' });
  const isGone = async (): Promise<boolean> => {
    await using taken = brief.take('harbor');
    return !taken.keeps('harbor');
  };
  await until(isGone, 120_000, 'the end of the idle thread');
  assert.notEqual(await run(brief, { act: 'tell' }), before);
});

test('threads end with their owner, the busy ones too', async () => {
  const threads = open();
  const counter = new Int32Array(new SharedArrayBuffer(4));
  const running = assert.rejects(run(threads, { act: 'count', into: counter }), ComputeDied);
  await begun(counter);
  await threads[Symbol.asyncDispose]();
  await running;
  await assert.rejects(run(threads, { act: 'tell' }), ComputeDied);
});
