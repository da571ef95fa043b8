import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { createMachine, type Machine, type Running } from './processes.ts';
import { until } from '../support/until.ts';
import { freePort } from '../support/ports.ts';

const REQUESTS = 200;

const metricsOf = async (port: number): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

async function serveOn(machine: Machine, running: Running, metrics: number): Promise<void> {
  for (let count = 0; count < REQUESTS; count += 1) {
    assert.equal((await fetch(`${running.address}/livez`)).status, 200);
  }
  const dropped = async () => Number(/^sluice_log_lines_dropped_total (\d+)$/m.exec(await metricsOf(metrics))?.[1] ?? 0);
  await until(async () => (await dropped()) >= REQUESTS, 120_000, 'the count of the dropped lines');
  const { code, stdout } = await machine.run(['organizations', 'list']);
  assert.deepEqual([code, JSON.parse(stdout)], [0, []]);
  running.signal('SIGTERM');
  assert.equal(await running.exited, 0);
}

test('a process whose log disk is full serves on, counts the lines that it drops, and ends in order', async () => {
  const metrics = await freePort();
  await using machine = createMachine({ LOG_LEVEL: 'info', SLUICE_METRICS_LISTEN: `127.0.0.1:${metrics}` });
  const full = openSync('/dev/full', 'w');
  try {
    await serveOn(machine, await machine.start(['serve'], {}, full), metrics);
    const migrated = await machine.run(['migrate'], {}, { stderr: full });
    assert.equal(migrated.code, 0);
    const lost = await machine.run(['openapi'], {}, { stdout: full });
    assert.equal(lost.code, 1);
    assert.match(lost.stderr, /standard output cannot be written: .*ENOSPC/);
  } finally {
    closeSync(full);
  }
});

test('a process whose log collector dies serves on, counts the lines that it drops, and ends in order', async () => {
  const metrics = await freePort();
  await using machine = createMachine({ LOG_LEVEL: 'info', SLUICE_METRICS_LISTEN: `127.0.0.1:${metrics}` });
  const running = await machine.start(['serve']);
  running.close('stderr');
  await serveOn(machine, running, metrics);
});

test('sluice dev goes on when nobody reads what it prints and its log disk is full', async () => {
  const metrics = await freePort();
  await using machine = createMachine({ SLUICE_METRICS_LISTEN: `127.0.0.1:${metrics}` });
  const full = openSync('/dev/full', 'w');
  try {
    const running = await machine.start(['dev'], {}, full);
    running.close('stdout');
    // It has printed its keys into nothing and seeds the sandbox.
    await until(async () => /^sluice_jobs_total\{.*outcome="done"\} /m.test(await metricsOf(metrics)), 60_000, 'a finished job');
    assert.equal((await fetch(`${running.address}/livez`)).status, 200);
    running.signal('SIGTERM');
    assert.equal(await running.exited, 0);
  } finally {
    closeSync(full);
  }
});
