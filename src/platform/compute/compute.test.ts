import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isRunning } from '../running.ts';
import { type ComputeOptions, openCompute } from './compute.ts';
import { ComputeBusy, ComputeDied, ComputeExhausted, ComputeTimeout } from './failures.ts';
import { count, crash, die, echo, fail, fillHeap, fillMemory, holdMemory, pidOf, spin } from './testing/tasks-for-test.ts';
import { until } from '../../../test/support/until.ts';

const execute = promisify(execFile);
const MIB = 2 ** 20;
const LIMITS = { heapBytes: 128 * MIB, memoryBytes: 400 * MIB };
const OWNER = { owner: 'org_ours' };

const open = (options: Partial<ComputeOptions> = {}) =>
  openCompute({ tableUrl: new URL('./testing/tasks-for-test.ts', import.meta.url).href, ...options });

test('a task tells its progress in order, before its result, and to its own submitter alone', async () => {
  await using compute = open({ slots: 1 });
  const told: number[] = [];
  const tell = (owner: string, to: number) =>
    compute.run(count, { to }, { owner, onProgress: ({ step }) => told.push(step) }).then(() => told.push(0));
  await tell('org_ours', 3);
  assert.deepEqual(told, [1, 2, 3, 0]);
  await compute.run(count, { to: 5 }, OWNER);
  await tell('org_theirs', 1);
  assert.deepEqual(told, [1, 2, 3, 0, 1, 0]);
});

test('a task runs in another process, which serves the next task too', async () => {
  await using compute = open();
  const first = await compute.run(echo, { text: 'one' }, OWNER);
  const second = await compute.run(echo, { text: 'two' }, OWNER);
  assert.deepEqual([first.text, second.text], ['one', 'two']);
  assert.notEqual(first.pid, process.pid);
  assert.equal(second.pid, first.pid);
});

test('a task that keeps its thread busy does not delay the process that asked for it', async () => {
  await using compute = open();
  await compute.run(echo, { text: 'warm' }, OWNER);
  let isOver = false;
  const spinning = compute.run(spin, { ms: 1_500 }, OWNER).finally(() => (isOver = true));
  let turns = 0;
  for (; !isOver; turns += 1) await sleep(5);
  await spinning;
  // In the same process there would be hardly any.
  assert.ok(turns > 20, `the event loop turned ${turns} times`);
});

test('what goes wrong in a task is its failure by name, and the next task runs', async (t) => {
  await using compute = open({ limits: LIMITS });
  const cases: [string, () => Promise<unknown>, (error: Error) => boolean][] = [
    [
      'an error that it throws',
      () => compute.run(fail, { message: 'no such column' }, OWNER),
      (error) => error.name === 'RangeError',
    ],
    ['memory outside the heap that ends', () => compute.run(fillMemory, {}, OWNER), (error) => error instanceof ComputeExhausted],
    ['a heap that ends', () => compute.run(fillHeap, {}, OWNER), (error) => error instanceof ComputeExhausted],
    ['a process that is killed', () => compute.run(die, {}, OWNER), (error) => error instanceof ComputeDied],
    [
      'its deadline',
      () => compute.run(spin, { ms: 60_000 }, { ...OWNER, deadlineMs: 300 }),
      (error) => error instanceof ComputeTimeout,
    ],
  ];
  for (const [name, run, isExpected] of cases) {
    await t.test(name, async () => {
      await assert.rejects(run, isExpected);
      assert.equal((await compute.run(echo, { text: 'after it' }, OWNER)).text, 'after it');
    });
  }
});

test('without a file descriptor a task has failed for want of it, in a process and in a thread, and runs when there is one', async () => {
  const script = fileURLToPath(new URL('./testing/without-descriptors.ts', import.meta.url));
  const { stdout, stderr } = await execute('sh', ['-c', 'ulimit -n 128 && exec "$0" "$1"', process.execPath, script]);
  const waits = ['unavailable', 'unavailable'];
  assert.deepEqual(JSON.parse(stdout), [waits, ['done', 'done']], stderr);
});

test('what a process says when it dies is told without the message, which may quote what it read', async () => {
  await using compute = open();
  await assert.rejects(compute.run(crash, { message: 'unreadable: Quackenbush' }, OWNER), (error: Error) => {
    assert.ok(error instanceof ComputeDied);
    assert.match(error.message, /exited with code 1\nRangeError\n\s+at .*tasks-for-test\.ts/);
    assert.doesNotMatch(error.message, /Quackenbush/);
    return true;
  });
});

test('a task that is cancelled has ended with its process before its caller hears of it', async () => {
  await using compute = open();
  const { pid } = await compute.run(echo, { text: 'warm' }, OWNER);
  const stop = new AbortController();
  const running = compute.run(spin, { ms: 60_000 }, { ...OWNER, signal: stop.signal });
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort(new Error('nobody waits any more'));
  await assert.rejects(running, /nobody waits any more/);
  assert.equal(isRunning(pid), false);
});

test('who waits for a free process waits for a bounded time', async () => {
  await using compute = open({ slots: 1 });
  const stop = new AbortController();
  const long = compute.run(spin, { ms: 60_000 }, { ...OWNER, signal: stop.signal, waitMs: 1_000 });
  await assert.rejects(compute.run(echo, { text: 'late' }, { ...OWNER, waitMs: 50 }), ComputeBusy);
  const others = compute.run(echo, { text: 'in its own place' }, OWNER);
  assert.equal((await others).text, 'in its own place', 'work that can wait has places of its own');
  stop.abort();
  await assert.rejects(long);
});

test('a process that holds much memory, or has nothing to do, is let go', async () => {
  await using compute = open();
  const { pid: heavy } = await compute.run(holdMemory, { bytes: 500 * MIB }, OWNER);
  assert.notEqual((await compute.run(pidOf, {}, OWNER)).pid, heavy);
  await until(() => !isRunning(heavy), 120_000, 'the end of the heavy process');
  await using brief = open({ idleMs: 200 });
  const { pid: idle } = await brief.run(pidOf, {}, OWNER);
  await until(() => !isRunning(idle), 120_000, 'the end of the idle process');
});

test('a process that has run its share of tasks is replaced', async () => {
  await using compute = open({ mostTasks: 2 });
  const pids: number[] = [];
  for (let task = 0; task < 4; task += 1) pids.push((await compute.run(pidOf, {}, OWNER)).pid);
  assert.deepEqual([pids[0] === pids[1], pids[1] === pids[2], pids[2] === pids[3]], [true, false, true]);
});

test('processes end with the pool, and with a parent that is killed while they are busy', async () => {
  const compute = open();
  const { pid } = await compute.run(pidOf, {}, OWNER);
  await compute[Symbol.asyncDispose]();
  assert.equal(isRunning(pid), false);

  const parent = spawn(process.execPath, [fileURLToPath(new URL('./testing/busy-parent.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const child = Number(String(line));
  assert.ok(isRunning(child));
  parent.kill('SIGKILL');
  await until(() => !isRunning(child), 120_000, 'the end of the busy child');
});
