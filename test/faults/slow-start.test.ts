import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloneDatabase } from '../support/postgres.ts';
import { ask, createMachine } from './processes.ts';

/** Longer than a connection may take, as on a machine that has much else to do. */
const READING_MS = 4_500;

/** Holds the process while the first of its parts is read. */
const SLOW = `
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      if (url.endsWith('/src/platform/jobs/jobs.ts')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${READING_MS});
      return next(url, context);
    },
  });`;

test('a process whose modules are read slowly starts all the same, on its own database and on one elsewhere', async () => {
  const database = await cloneDatabase();
  try {
    for (const settings of [{ DATABASE_URL: database.url }, {}]) {
      await using machine = createMachine({
        ...settings,
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SLOW)}`,
      });
      const gateway = await machine.start(['serve', '--no-worker']);
      assert.equal((await ask(gateway, 'GET', '/readyz')).status, 200);
    }
  } finally {
    await database.drop();
  }
});
