import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { createMachine, type Running } from './processes.ts';
import { until } from '../support/until.ts';

const metricsOf = (running: Running): string =>
  /"address":"(http:[^"]+)","msg":"metrics are served"/.exec(running.stderr())?.[1] ?? '';

test('a process that serves, and one that only works, have their metrics on an address of their own', async () => {
  await using machine = createMachine({ LOG_LEVEL: 'info', SLUICE_METRICS_LISTEN: '127.0.0.1:0' });
  for (const command of ['serve', 'work']) {
    const running = await machine.start([command]);
    // It says that it is ready on the one of its outputs and this on the other.
    await until(() => metricsOf(running) !== '', 120_000, 'the address of the metrics');
    const address = metricsOf(running);
    const response = await fetch(`${address}/metrics`);
    assert.deepEqual([command, response.status], [command, 200]);
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    assert.match(await response.text(), /# TYPE sluice_http_request_seconds histogram/);
    const [head, posted, absent] = await Promise.all([
      fetch(`${address}/metrics`, { method: 'HEAD' }),
      fetch(`${address}/metrics`, { method: 'POST', body: 'x' }),
      fetch(`${address}/v1/api/me`),
    ]);
    assert.deepEqual([head.status, posted.status, posted.headers.get('allow'), absent.status], [200, 405, 'GET, HEAD', 404]);
    running.signal('SIGTERM');
    assert.equal(await running.exited, 0);
  }
});

test('a process whose metrics address is in use starts all the same and names the setting; off opens nothing', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => holder.once('listening', resolve));
  const { port } = holder.address() as AddressInfo;
  await using machine = createMachine({ SLUICE_METRICS_LISTEN: `127.0.0.1:${port}` });
  try {
    const running = await machine.start(['serve']);
    assert.equal((await fetch(`${running.address}/livez`)).status, 200);
    await until(() => /"level":40.*in use.*SLUICE_METRICS_LISTEN/.test(running.stderr()), 120_000, 'the warning');
    const silent = await machine.start(['work'], { SLUICE_METRICS_LISTEN: 'off', LOG_LEVEL: 'info' });
    silent.signal('SIGTERM');
    assert.equal(await silent.exited, 0);
    assert.match(silent.stderr(), /the process stops/, 'it has a log');
    assert.equal(metricsOf(silent), '');
    const refused = await machine.run(['work'], { SLUICE_METRICS_LISTEN: '192.0.2.1:9464' });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /SLUICE_METRICS_LISTEN: cannot listen on 192\.0\.2\.1:9464/);
  } finally {
    holder.close();
  }
});

test('the address of the metrics is read exactly, and a bad one stops the start', () => {
  const read = (text: string) => readConfig({ SLUICE_METRICS_LISTEN: text }).metricsListen;
  assert.deepEqual(read(''), { host: '127.0.0.1', port: 9464 });
  assert.deepEqual(read('[::1]:9000'), { host: '::1', port: 9000 });
  assert.deepEqual(read('metrics.internal:1'), { host: 'metrics.internal', port: 1 });
  assert.equal(read('off'), null);
  for (const bad of ['9464', '127.0.0.1', ':9464', '127.0.0.1:70000', '::1:9464', 'http://127.0.0.1:9464', 'on']) {
    assert.throws(() => read(bad), /SLUICE_METRICS_LISTEN: expected an address and a port/, bad);
  }
});
