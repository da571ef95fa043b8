import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRunning } from '../../src/platform/running.ts';
import { isTaskProcess, processesBelow } from '../support/process-tree.ts';
import { autoTape } from '../support/tapes.ts';
import { ask, createMachine, issueKey, readDeal, sendTape } from './processes.ts';
import { until } from '../support/until.ts';

const ROWS = 100_000;
const AGAIN_MS = 120_000;

test('a tape that ends the process it is read in', { skip: process.platform !== 'linux' }, async (t) => {
  await using machine = createMachine({ LOG_LEVEL: 'error' });
  const gateway = await machine.start(['serve']);
  const token = await issueKey(machine, 'originator', 'Acme');
  const deal = await sendTape(gateway, token, autoTape(ROWS));
  const children = () => processesBelow(gateway.pid).filter(isTaskProcess);
  await until(() => children().length > 0, 120_000, 'the process that reads the tape');
  for (const pid of children()) process.kill(pid, 'SIGKILL');

  await t.test('leaves the gateway running, with the deal in review', async () => {
    assert.equal((await ask(gateway, 'GET', '/livez')).status, 200);
    assert.equal((await readDeal(gateway, token, deal)).status, 'IN_REVIEW');
  });

  await t.test('is read again in another process', async () => {
    await until(async () => (await readDeal(gateway, token, deal)).status === 'QC_COMPLETED', AGAIN_MS, 'the second attempt');
    assert.equal((await readDeal(gateway, token, deal)).qc.accepted, ROWS);
    assert.match(gateway.stderr(), /"job":"ingest-tape".*"msg":"job failed"/, 'the first attempt met the kill');
  });

  await t.test('leaves no process behind when the gateway stops', async () => {
    const left = children();
    gateway.signal('SIGTERM');
    await gateway.exited;
    await until(() => !left.some(isRunning), 120_000, 'the end of the children');
  });
});
