import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { autoTape } from '../support/tapes.ts';
import { ask, createMachine, issueKey, readDeal, sendTape, until } from './processes.ts';

const ROWS = 100_000;
const AGAIN_MS = 120_000;

/** The processes of heavy work on this machine whose files are in a folder of the machine under test. */
function childrenOf(parents: ReadonlySet<number>): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const parent = Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[1]);
        return parents.has(parent) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('child-main');
      } catch {
        return false;
      }
    });
}

/** A process and all below it. */
function treeOf(root: number): Set<number> {
  const tree = new Set([root]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each) && !tree.has(Number(each)))) {
      try {
        const parent = Number(readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[1]);
        if (!tree.has(parent)) continue;
        tree.add(Number(name));
        grown = true;
      } catch {
        // It ended while it was looked at.
      }
    }
  }
  return tree;
}

test('a tape that ends the process it is read in', { skip: process.platform !== 'linux' }, async (t) => {
  await using machine = createMachine({ LOG_LEVEL: 'silent' });
  const gateway = await machine.start(['serve']);
  const token = await issueKey(machine, 'originator', 'Acme');
  const deal = await sendTape(gateway, token, autoTape(ROWS));
  const children = () => childrenOf(treeOf(gateway.pid));
  await until(() => children().length > 0, 30_000, 'the process that reads the tape');
  for (const pid of children()) process.kill(pid, 'SIGKILL');

  await t.test('leaves the gateway running, with the deal in review', async () => {
    assert.equal((await ask(gateway, 'GET', '/livez')).status, 200);
    assert.equal((await readDeal(gateway, token, deal)).status, 'IN_REVIEW');
  });

  await t.test('is read again in another process', async () => {
    await until(async () => (await readDeal(gateway, token, deal)).status === 'QC_COMPLETED', AGAIN_MS, 'the second attempt');
    assert.equal((await readDeal(gateway, token, deal)).qc.accepted, ROWS);
  });

  await t.test('leaves no process behind when the gateway stops', async () => {
    const left = children();
    gateway.signal('SIGTERM');
    await gateway.exited;
    await until(() => left.every((pid) => !childrenOf(new Set([pid, 1])).includes(pid)), 10_000, 'the end of the children');
  });
});
