import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { ComputeBusy } from './failures.ts';
import { createTurns } from './turns.ts';

test('a free slot goes to the owner with the fewest at work, then to the longest wait', async () => {
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

test('one owner cannot fill the queue', async () => {
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

test('an owner that stops waiting takes no slot', async () => {
  const turns = createTurns(1);
  const leave = await turns.take('a', undefined, undefined);
  const stop = new AbortController();
  const gone = turns.take('b', stop.signal, undefined);
  stop.abort(new Error('left'));
  await assert.rejects(gone, /left/);
  leave();
  (await turns.take('c', undefined, 10))();
});

test('whatever comes and goes, slots are never exceeded, none is lost, and no owner is passed over for one with more at work', async () => {
  const step = fc.oneof(
    fc.record({ act: fc.constant('take' as const), owner: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ act: fc.constant('release' as const), owner: fc.constantFrom('a', 'b', 'c') }),
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 60 }), async (slots, steps) => {
      const turns = createTurns(slots);
      const working: { owner: string; release: () => void }[] = [];
      const waiting: string[] = [];
      const settle = () => new Promise((resolve) => setImmediate(resolve));
      const loadOf = (owner: string): number => working.filter((each) => each.owner === owner).length;
      for (const { act, owner } of steps) {
        if (act === 'take') {
          waiting.push(owner);
          void turns.take(owner, undefined, undefined).then((release) => {
            waiting.splice(waiting.indexOf(owner), 1);
            for (const other of waiting) assert.ok(loadOf(other) >= loadOf(owner), `${owner} before ${other}`);
            working.push({ owner, release });
          });
        } else {
          const index = working.findIndex((each) => each.owner === owner);
          if (index >= 0) working.splice(index, 1)[0]?.release();
        }
        await settle();
        assert.ok(working.length <= slots);
        assert.ok(waiting.length === 0 || working.length === slots, 'a slot is free while somebody waits');
      }
      while (working.length > 0) {
        working.pop()?.release();
        await settle();
      }
      assert.deepEqual(waiting, []);
    }),
    { numRuns: 50 },
  );
});

test('a slot that is released twice is free once', async () => {
  const turns = createTurns(1);
  const release = await turns.take('a', undefined, undefined);
  release();
  release();
  await turns.take('b', undefined, undefined);
  await assert.rejects(turns.take('c', undefined, 1), ComputeBusy);
});
