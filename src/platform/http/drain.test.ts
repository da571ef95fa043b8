import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { CSV } from '../../../test/support/tapes.ts';

const BEGINNING = 'Loan ID,Current Balance\n';

type Upload = { request: ClientRequest; answered: Promise<number> };

/** An upload whose bytes have begun to arrive, on a connection that its client means to keep. */
async function beginUpload(gateway: Gateway, agent: Agent): Promise<Upload> {
  const holder = await gateway.key('originator');
  const body = { loanType: 'Auto', fileFormat: CSV, fileName: 'auto.csv' };
  const initiated = await gateway.call('POST', '/v1/api/originator/loans/initiate', { as: holder, body });
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = gateway.app.server.address() as AddressInfo;
  const { upload_url, upload_headers } = initiated.body.data;
  const outgoing = request({
    host: '127.0.0.1',
    port,
    agent,
    method: 'PUT',
    path: new URL(upload_url).pathname,
    headers: upload_headers,
  });
  const answered = new Promise<number>((resolve, reject) => {
    outgoing.on('error', reject).on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
  });
  answered.catch(() => {});
  await new Promise((resolve) => outgoing.write(BEGINNING, resolve));
  while (!existsSync(join(gateway.deps.config.dataDir, 'objects', '.partial'))) await new Promise(setImmediate);
  return { request: outgoing, answered };
}

test('a stop waits for the answer that is under way and not for clients that keep their connections', async () => {
  await using gateway = await startGateway();
  const agent = new Agent({ keepAlive: true });
  const upload = await beginUpload(gateway, agent);
  let closed = false;
  const closing = gateway.app.close().then(() => {
    closed = true;
  });
  while (gateway.app.server.listening) await new Promise(setImmediate);
  assert.equal(closed, false);
  upload.request.end('1,1000.00\n');
  assert.equal(await upload.answered, 200);
  const began = performance.now();
  await closing;
  // Those that are held up are cut after fifteen seconds.
  assert.ok(performance.now() - began < 10_000, 'an idle connection held the stop up');
  agent.destroy();
});

test('a stop cuts what does not end in time, and the log says how much', async (t) => {
  await using gateway = await startGateway({}, { drainTimeoutMs: 200 });
  const agent = new Agent({ keepAlive: true });
  const upload = await beginUpload(gateway, agent);
  const warn = t.mock.method(gateway.deps.log, 'warn', () => {});
  await gateway.app.close();
  await assert.rejects(upload.answered, /socket hang up|ECONNRESET/);
  assert.deepEqual(warn.mock.calls.at(-1)?.arguments, [{ connections: 1 }, 'cut: their requests did not end in time']);
  agent.destroy();
});
