import assert from 'node:assert/strict';
import { test } from 'node:test';
import { severalAtOnce } from './save-objects.ts';

test('a failure is thrown once what had begun has ended, and nothing begins after it', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const slow = Promise.withResolvers<void>();
  const failed = severalAtOnce(
    Array.from({ length: 100 }, (_, item) => item),
    async (item) => {
      begun.push(item);
      if (item === 3) throw new Error('the third');
      await slow.promise;
      ended.push(item);
    },
  );
  setImmediate(() => slow.resolve());
  await assert.rejects(failed, /the third/);
  assert.deepEqual(ended, [0, 1, 2, 4, 5, 6, 7]);
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6, 7]);
});
