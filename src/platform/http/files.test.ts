import assert from 'node:assert/strict';
import { request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { test } from 'node:test';
import pino from 'pino';
import Type from 'typebox';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { route } from './route.ts';
import { buildServer } from './server.ts';

/** A server whose only route sends the text as a file, listening. */
async function serverOf(deps: Gateway['deps'], text: () => AsyncGenerator<string>) {
  const app = await buildServer({
    deps,
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
  return app;
}

test('a file that fails after its beginning is seen to be cut off by the client, and is in the log', async () => {
  await using gateway = await startGateway();
  const lines: string[] = [];
  const log = pino({ level: 'error' }, new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) }));
  async function* text(): AsyncGenerator<string> {
    yield 'the beginning';
    throw new Error('the disk is gone');
  }
  const app = await serverOf(Object.create(gateway.deps, { log: { value: log } }) as typeof gateway.deps, text);
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

test('a file of unknown length is not sent over HTTP/1.0, where one that was cut off would look complete', async () => {
  await using gateway = await startGateway();
  const sent: string[] = [];
  async function* text(): AsyncGenerator<string> {
    sent.push('the beginning');
    yield 'the beginning';
  }
  const app = await serverOf(gateway.deps, text);
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /v1/file HTTP/1.0\r\n\r\n');
  const [head, body] = (await textOf(socket)).split('\r\n\r\n');
  await app.close();
  assert.match(head ?? '', /^HTTP\/1\.1 400 /);
  const { code, message } = JSON.parse(body ?? '');
  assert.equal(code, 'BAD_REQUEST');
  assert.match(message, /HTTP\/1\.1.*proxy_http_version/);
  assert.deepEqual(sent, []);
});
