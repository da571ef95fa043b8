import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../support/gateway.ts';
import { buildWorld, MISTAKES } from './mistakes.ts';

test('the message of a typical mistake alone is enough to mend it', async (t) => {
  await using gateway = await startGateway();
  const world = await buildWorld(gateway);
  for (const { name, send, status, code, says } of MISTAKES) {
    await t.test(name, async () => {
      const answer = await send(world);
      const { message = '' } = answer.body;
      assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
      for (const word of says) {
        const words = typeof word === 'function' ? word(world) : word;
        assert.ok(
          typeof words === 'string' ? message.includes(words) : words.test(message),
          `${words} is not in: ${answer.text}`,
        );
      }
    });
  }
});
