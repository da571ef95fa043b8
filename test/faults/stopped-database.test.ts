import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { autoTape } from '../support/tapes.ts';
import { ask, createMachine, issueKey, readDeal, type Reply, sendTape } from './processes.ts';
import { until } from '../support/until.ts';
import { freePort } from '../support/ports.ts';

const STOPPED_MS = 20_000;
const ANSWERED_MS = 15_000;
const BACK_MS = 120_000;

test('a database that is stopped for 20 seconds, with every connection open', async (t) => {
  const probes = `http://127.0.0.1:${await freePort()}`;
  await using machine = createMachine({ SLUICE_METRICS_LISTEN: new URL(probes).host });
  const worker = await machine.start(['work']);
  const gateway = await machine.start(['serve', '--no-worker']);
  const token = await issueKey(machine, 'both', 'Acme');
  const list = () => ask(gateway, 'GET', '/v1/api/alerts', { token });
  const initiate = { loanType: 'Auto', fileFormat: 'text/csv', fileName: 'auto.csv' };
  await Promise.all(Array.from({ length: 20 }, list));
  for (const path of ['/livez', '/readyz']) assert.equal((await ask({ address: probes }, 'GET', path)).status, 200, path);

  const server = processTree(machine.postmaster() as number);
  const send = (signal: NodeJS.Signals): void => {
    for (const pid of server) process.kill(pid, signal);
  };
  t.after(() => machine.postmaster() !== null && send('SIGCONT'));
  send('SIGSTOP');
  const stoppedAt = performance.now();
  const timed = async (request: Promise<Reply>): Promise<Reply & { ms: number }> => {
    const began = performance.now();
    const reply = await request;
    return { ...reply, ms: performance.now() - began };
  };

  await t.test('asks every client to come again within 15 seconds, and says that it is alive but not ready', async () => {
    const refused = await Promise.all([
      ...Array.from({ length: 40 }, () => timed(list())),
      timed(ask(gateway, 'POST', '/v1/api/originator/loans/initiate', { token, body: initiate })),
      timed(ask(gateway, 'GET', '/v1/api/alerts', { token: `${token}x` })),
      timed(ask(gateway, 'GET', '/readyz')),
      timed(ask({ address: probes }, 'GET', '/readyz')),
    ]);
    for (const { status, ms, headers } of refused) {
      assert.equal(status, 503);
      assert.ok(ms < ANSWERED_MS, `${Math.round(ms)} ms`);
      assert.ok(Number(headers.get('retry-after') ?? 1) >= 1);
    }
    const alive = await Promise.all([timed(ask(gateway, 'GET', '/livez')), timed(ask({ address: probes }, 'GET', '/livez'))]);
    assert.deepEqual(
      alive.map(({ status }) => status),
      [200, 200],
    );
  });

  await t.test('is served from again when it goes on, by the same processes', async () => {
    await sleep(Math.max(0, STOPPED_MS - (performance.now() - stoppedAt)));
    send('SIGCONT');
    await until(async () => (await list()).status === 200, BACK_MS, 'a response');
    await until(async () => (await ask(gateway, 'GET', '/readyz')).status === 200, BACK_MS, 'readiness');
    const isWorkerReady = async () => (await ask({ address: probes }, 'GET', '/readyz')).status === 200;
    await until(isWorkerReady, BACK_MS, 'the worker’s readiness');
    const deal = await sendTape(gateway, token, autoTape(30));
    const done = async () => (await readDeal(gateway, token, deal)).status === 'QC_COMPLETED';
    await until(done, BACK_MS, 'the checks of a tape');
  });

  await t.test('and they end in order', async () => {
    for (const each of [gateway, worker]) each.signal('SIGTERM');
    assert.deepEqual(await Promise.all([gateway.exited, worker.exited]), [0, 0], gateway.stderr() + worker.stderr());
  });
});

test('workers on one machine that share an address for their probes all start, and all but one say that it is in use', async () => {
  const port = await freePort();
  await using machine = createMachine({ SLUICE_METRICS_LISTEN: `127.0.0.1:${port}` });
  await machine.start(['work']);
  const second = await machine.start(['work']);
  // It says that it is ready on the one of its outputs and this on the other.
  await until(() => second.stderr().includes(`127.0.0.1:${port} is in use`), 120_000, 'the warning');
  assert.equal((await ask({ address: `http://127.0.0.1:${port}` }, 'GET', '/livez')).status, 200);
});

/** A process and all that came from it. */
function processTree(root: number): number[] {
  const parents = readdirSync('/proc').flatMap((name) => {
    const parent = /^\d+$/.test(name) ? parentOf(Number(name)) : null;
    return parent === null ? [] : [[Number(name), parent] as const];
  });
  const tree = [root];
  for (const pid of tree) tree.push(...parents.filter(([, parent]) => parent === pid).map(([child]) => child));
  return tree;
}

function parentOf(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return null;
  }
}
