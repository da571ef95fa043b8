import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { autoTape, CSV } from '../support/tapes.ts';
import { ask, createMachine, issueKey } from './processes.ts';
import { holdsWithin, until } from '../support/until.ts';

test('an address that a killed process was receiving at is free again within five seconds', async () => {
  await using machine = createMachine();
  const nodes = [await machine.start(['serve']), await machine.start(['serve'])] as const;
  const token = await issueKey(machine, 'originator', 'Acme');
  const initiated = await ask(nodes[0], 'POST', '/v1/api/originator/loans/bulk/uploads', {
    token,
    body: { fileFormat: CSV, fileName: 'tape.csv' },
  });
  const { pathname } = new URL(initiated.body.data.upload_url);
  const outgoing = request(new URL(pathname, nodes[0].address), { method: 'PUT', headers: { 'content-type': CSV } });
  outgoing.on('error', () => {});
  outgoing.write('Loan ID,Current Balance\n');
  const partial = join(machine.dataDir, 'objects', '.partial');
  await until(() => existsSync(partial) && readdirSync(partial).length > 0, 5_000, 'the upload');
  const send = () => ask(nodes[1], 'PUT', pathname, { headers: { 'content-type': CSV }, bytes: autoTape(3) });
  const refused = await send();
  assert.deepEqual([refused.status, refused.body.code, refused.headers.get('retry-after')], [409, 'UPLOAD_IN_PROGRESS', '5']);
  nodes[0].signal('SIGKILL', 'group');
  await nodes[0].exited;
  const killedAt = performance.now();
  await holdsWithin(5_000, killedAt, async () => (await send()).status === 200, 'the end of the claim');
});
