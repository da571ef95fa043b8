import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ComputeBusy } from './failures.ts';
import { createTurns } from './turns.ts';

test('a free place goes to the owner with the fewest at work, then to the longest wait', async () => {
  const turns = createTurns(2);
  const order: string[] = [];
  const first = await turns.take('a', undefined, undefined);
  const second = await turns.take('a', undefined, undefined);
  const take = (owner: string, name: string) =>
    turns.take(owner, undefined, undefined).then((leave) => (order.push(name), leave));
  const waiting = [take('a', 'a3'), take('a', 'a4'), take('b', 'b1'), take('b', 'b2')];
  first();
  const leaveB1 = await (waiting[2] as Promise<() => void>);
  second();
  const leaveA3 = await (waiting[0] as Promise<() => void>);
  leaveB1();
  const leaveB2 = await (waiting[3] as Promise<() => void>);
  leaveA3();
  await waiting[1];
  leaveB2();
  assert.deepEqual(order, ['b1', 'a3', 'b2', 'a4']);
});

test('one owner cannot fill the waiting room', async () => {
  const turns = createTurns(1);
  const leave = await turns.take('a', undefined, 60_000);
  const stop = new AbortController();
  const waiting = Array.from({ length: 16 }, () => turns.take('a', stop.signal, 60_000).catch(() => 'gone'));
  await assert.rejects(turns.take('a', undefined, 60_000), ComputeBusy);
  const other = turns.take('b', undefined, 60_000);
  stop.abort();
  await Promise.all(waiting);
  leave();
  (await other)();
});

test('who leaves the wait takes no place', async () => {
  const turns = createTurns(1);
  const leave = await turns.take('a', undefined, undefined);
  const stop = new AbortController();
  const gone = turns.take('b', stop.signal, undefined);
  stop.abort(new Error('left'));
  await assert.rejects(gone, /left/);
  leave();
  (await turns.take('c', undefined, 10))();
});
