import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMachine } from './processes.ts';

test('a process that a signal stops says which in its log and ends in order, also where its terminal has gone', async () => {
  await using machine = createMachine({ LOG_LEVEL: 'info' });
  for (const [command, signal] of [
    ['serve', 'SIGHUP'],
    ['serve', 'SIGTERM'],
    ['work', 'SIGINT'],
  ] as const) {
    const running = await machine.start([command]);
    running.signal(signal);
    assert.equal(await running.exited, 0, signal);
    assert.match(running.stderr(), new RegExp(`"reason":"${signal}","msg":"the process stops`));
  }
});
