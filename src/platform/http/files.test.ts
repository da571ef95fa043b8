import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import pino from 'pino';
import Type from 'typebox';
import { startGateway } from '../../../test/support/gateway.ts';
import { route } from './route.ts';
import { buildServer } from './server.ts';

test('a file that fails after its beginning is seen to be cut off by the client, and is in the log', async () => {
  await using gateway = await startGateway();
  const lines: string[] = [];
  const log = pino({ level: 'error' }, new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) }));
  async function* text(): AsyncGenerator<string> {
    yield 'the beginning';
    throw new Error('the disk is gone');
  }
  const app = await buildServer({
    deps: Object.create(gateway.deps, { log: { value: log } }) as typeof gateway.deps,
    routes: [
      route({
        operation: 'downloadFile',
        tag: 'Test',
        summary: 'Test',
        access: 'public',
        method: 'GET',
        path: '/v1/file',
        reply: Type.String(),
        replyKind: 'file',
        handler: async () => ({ stream: Readable.from(text()), contentType: 'text/csv', fileName: 'a.csv' }),
      }),
    ],
    authenticate: async () => ({ refused: 'KEY_MISSING' }),
    constraints: {},
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const received = await new Promise<{ body: string; complete: boolean }>((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path: '/v1/file' }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('error', () => {});
      response.on('close', () => resolve({ body, complete: response.complete }));
    });
    asked.on('error', reject).end();
  });
  await app.close();
  assert.deepEqual(received, { body: 'the beginning', complete: false });
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /"route":"\/v1\/file".*"a file was cut off"/);
});
