import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMachine } from './processes.ts';

/** Whoever waits for the line that says so may stop the process at that moment: here it is stopped before the line is out. */
const STOPPED_WHEN_READY = `
  const { write } = process.stdout;
  process.stdout.write = (text, ...more) => {
    if (/^sluice (serves|works)/.test(text)) process.kill(process.pid, 'SIGTERM');
    return write.call(process.stdout, text, ...more);
  };`;

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

test('a process that is stopped as soon as it says that it is ready ends in order', async () => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(STOPPED_WHEN_READY)}`;
  await using machine = createMachine({ LOG_LEVEL: 'info' });
  for (const command of ['serve', 'work']) {
    const running = await machine.start([command], { NODE_OPTIONS });
    assert.equal(await running.exited, 0, command);
    assert.match(running.stderr(), /"reason":"SIGTERM","msg":"the process stops/);
  }
});
