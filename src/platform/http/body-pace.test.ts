import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { CSV } from '../../../test/support/tapes.ts';
import { paceBody } from './body-pace.ts';

const MIB = 1024 * 1024;

async function listen(gateway: Gateway): Promise<number> {
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  return (gateway.app.server.address() as AddressInfo).port;
}

/** The path of a new signed address. */
async function uploadPath(gateway: Gateway): Promise<string> {
  const as = await gateway.key('originator');
  const body = { fileFormat: CSV, fileName: 'tape.csv' };
  const initiated = await gateway.call('POST', '/v1/api/originator/loans/bulk/uploads', { as, body });
  return new URL(initiated.body.data.upload_url).pathname;
}

type Exchange = { text: string; error: string | null };

/** Everything that a connection hears until it is closed. */
function heard(socket: Socket): Promise<Exchange> {
  return new Promise((resolve) => {
    let [text, error]: [string, string | null] = ['', null];
    socket.setEncoding('latin1').on('data', (more: string) => {
      text += more;
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      error = code ?? 'unknown';
    });
    socket.on('close', () => resolve({ text, error }));
  });
}

/** A client that reads nothing before it has written everything, as many HTTP libraries do; most of it comes after the refusal is out. */
async function writeFirst(gateway: Gateway, port: number, head: string[], body: Buffer): Promise<Exchange> {
  const socket = connect(port, '127.0.0.1');
  const exchange = heard(socket);
  socket.pause();
  const [, answer] = await new Promise<[IncomingMessage, ServerResponse]>((resolve) => {
    gateway.app.server.once('request', (...pair) => resolve(pair));
    socket.write(`${head.join('\r\n')}\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n`);
  });
  while (!answer.headersSent) await new Promise(setImmediate);
  // A server that ends the connection with its answer has done so by then.
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
  for (let at = 0; at < body.length && !socket.destroyed; at += 64 * 1024) {
    await new Promise((resolve) => socket.write(body.subarray(at, at + 64 * 1024), resolve));
  }
  socket.resume();
  return exchange;
}

test('a body that is refused while it arrives', async (t) => {
  await using gateway = await startGateway();
  const port = await listen(gateway);
  const { token } = await gateway.key('originator');

  await t.test('as JSON of more than 1 MiB is 413 for a client that writes first, and the connection ends', async () => {
    const head = [
      'POST /v1/api/originator/loans/initiate HTTP/1.1',
      `authorization: Bearer ${token}`,
      'content-type: application/json',
    ];
    const { text, error } = await writeFirst(gateway, port, head, Buffer.alloc(MIB + 900_000, 32));
    assert.equal(error, null);
    assert.match(text, /^HTTP\/1\.1 413 /);
    assert.match(text, /connection: close/i);
    assert.match(text, /"code":"PAYLOAD_TOO_LARGE"/);
  });

  await t.test('as the bytes of a file is 413 for a client that writes first, and the connection ends', async () => {
    const path = await uploadPath(gateway);
    await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec('update uploads set max_bytes = 100'));
    const { text, error } = await writeFirst(
      gateway,
      port,
      [`PUT ${path} HTTP/1.1`, `content-type: ${CSV}`],
      Buffer.alloc(900_000, 65),
    );
    assert.equal(error, null);
    assert.match(text, /^HTTP\/1\.1 413 [\s\S]*"code":"PAYLOAD_TOO_LARGE"/);
  });

  await t.test('is read for 1 MiB beyond the largest body and no further', async () => {
    let server: Socket | undefined;
    gateway.app.server.once('connection', (socket: Socket) => {
      server = socket;
    });
    const socket = connect(port, '127.0.0.1');
    const exchange = heard(socket);
    socket.write(`POST /v1/api/originator/loans/initiate HTTP/1.1\r\nhost: x\r\ncontent-length: ${512 * MIB}\r\n\r\n`);
    const flood = setInterval(() => socket.writableLength < MIB && socket.write(Buffer.alloc(256 * 1024)), 1);
    const { text } = await exchange;
    clearInterval(flood);
    assert.match(text, /^HTTP\/1\.1 401 /);
    assert.ok((server?.bytesRead ?? Number.POSITIVE_INFINITY) < 3 * MIB, `${server?.bytesRead} bytes were read`);
  });

  await t.test('and is short leaves its connection to the next request', async () => {
    const socket = connect(port, '127.0.0.1');
    const exchange = heard(socket);
    const refused = 'POST /v1/api/originator/loans/initiate HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n12345';
    socket.write(refused);
    await once(socket, 'data');
    socket.write('67890GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const { text } = await exchange;
    assert.match(text, /^HTTP\/1\.1 401 [\s\S]*HTTP\/1\.1 200 /);
  });
});

test('bytes of a file that stop arriving, or drip, are answered 408 and leave nothing', async () => {
  const bodyPace = { idleMs: 300, leastBytesPerSecond: 10_000, windowMs: 600 };
  await using gateway = await startGateway({}, { bodyPace });
  const port = await listen(gateway);
  const path = await uploadPath(gateway);
  const send = (): Socket => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`PUT ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${CSV}\r\ncontent-length: 100000\r\n\r\n`);
    return socket;
  };
  for (const dripping of [false, true]) {
    const socket = send();
    const exchange = heard(socket);
    const drip = setInterval(() => dripping && socket.write('x'), 20);
    const { text } = await exchange;
    clearInterval(drip);
    assert.match(text, /^HTTP\/1\.1 408 [\s\S]*"code":"REQUEST_TIMEOUT"/, `dripping: ${dripping}`);
  }
  const silent = await Promise.all(Array.from({ length: 50 }, async () => (await heard(send())).text));
  assert.ok(silent.every((text) => /^HTTP\/1\.1 4(08|09) /.test(text)));
  assert.ok(silent.some((text) => text.startsWith('HTTP/1.1 408')));
  assert.deepEqual(readdirSync(join(gateway.deps.config.dataDir, 'objects', '.partial')), []);
});

test('a sender is not blamed for a reader that is slower than it', async () => {
  const bytes = Buffer.alloc(4 * MIB, 7);
  const server = createServer(async (incoming, response) => {
    const body = paceBody(incoming, { idleMs: 50, leastBytesPerSecond: MIB, windowMs: 50 });
    await new Promise((resolve) => setTimeout(resolve, 400));
    response.end(String((await buffer(body)).equals(bytes)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const outgoing = request({ port: (server.address() as AddressInfo).port, method: 'PUT' });
  outgoing.end(bytes);
  const [response] = await once(outgoing, 'response');
  assert.equal((await buffer(response)).toString(), 'true');
  server.close();
});
