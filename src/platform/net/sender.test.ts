import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { closedPort, type Receiver, SELF_SIGNED, startReceiver, startSocket } from '../../../test/support/receivers.ts';
import { addressPolicy } from './addresses.ts';
import { type Resolver, systemResolver } from './lookup.ts';
import { createSender, MOST_KEPT_BYTES, type PostResult, type Sender } from './sender.ts';

const BODY = Buffer.from('{"é":"\u2028"}');
const HEADERS = { 'content-type': 'application/json', 'content-length': String(BODY.length) };
const DEADLINE_MS = 15_000;
const LOCAL: Resolver = async () => [{ address: '127.0.0.1', family: 4 }];

function sender(options: { environment?: string; resolve?: Resolver; timeoutMs?: number } = {}): Sender & Disposable {
  const made = createSender({
    allowed: addressPolicy(null, options.environment ?? 'development'),
    timeoutMs: options.timeoutMs ?? 60_000,
    resolve: options.resolve ?? systemResolver,
  });
  return Object.assign(made, { [Symbol.dispose]: () => made.close() });
}

async function post(url: string, options: Parameters<typeof sender>[0] = {}): Promise<PostResult> {
  using client = sender(options);
  return await client.post(new URL(url), HEADERS, BODY);
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A post on a clock that stands still but for the test: it ends at its deadline, and not a millisecond before. */
async function postToItsDeadline(t: TestContext, url: string, isReached: () => boolean): Promise<PostResult> {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const client = createSender({ allowed: addressPolicy(null, 'development'), resolve: systemResolver });
  t.after(() => client.close());
  let outcome: PostResult | undefined;
  const posted = client.post(new URL(url), HEADERS, BODY).then((result) => (outcome = result));
  while (!isReached()) await turn();
  for (const ms of [DEADLINE_MS - 1, 1]) {
    assert.equal(outcome, undefined, `at ${now} ms`);
    now += ms;
    t.mock.timers.tick(ms);
    for (let turns = 0; turns < 10; turns += 1) await turn();
  }
  return posted;
}

test('an answer is an outcome with its status, whatever it is', async () => {
  for (const status of [200, 201, 204, 299, 400, 404, 410, 500, 503]) {
    await using receiver = await startReceiver(status);
    const outcome = await post(receiver.url);
    assert.deepEqual([outcome.http_status, outcome.error], [status, null]);
    assert.deepEqual(receiver.received[0]?.body, BODY);
  }
});

test('of a Retry-After that is sent twice the first counts', async () => {
  await using receiver = await startReceiver((response) =>
    response.writeHead(503, ['Retry-After', '5', 'Retry-After', '60']).end(),
  );
  assert.equal((await post(receiver.url)).retry_after, '5');
});

test('nothing is sent to a port that a service of a system has for itself, whenever the address was stored', async () => {
  for (const port of [22, 25, 1_023]) {
    const outcome = await post(`http://127.0.0.1:${port}/`);
    assert.deepEqual([port, outcome.error, outcome.http_status], [port, 'blocked', null]);
  }
});

test('a redirect is an answer and is not followed', async () => {
  await using inside = await startReceiver(200);
  for (const status of [301, 302, 307, 308]) {
    await using receiver = await startReceiver((response) => response.writeHead(status, { location: inside.url }).end());
    const outcome = await post(receiver.url);
    assert.deepEqual([outcome.http_status, outcome.error], [status, null]);
  }
  assert.equal(inside.connections(), 0);
});

test('nobody listening is refused, at once', async () => {
  const outcome = await post(await closedPort());
  assert.deepEqual([outcome.http_status, outcome.error], [null, 'refused']);
});

test('a receiver that never answers is cut at the deadline', async (t) => {
  await using receiver = await startReceiver(() => {});
  const outcome = await postToItsDeadline(t, receiver.url, () => receiver.received.length > 0);
  assert.deepEqual([outcome.error, outcome.ms], ['timeout', DEADLINE_MS]);
});

test('the deadline holds for the body too: a byte now and then does not prolong it', async (t) => {
  await using receiver = await startReceiver((response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(drip));
  });
  let responses = 0;
  const count = (): void => void (responses += 1);
  subscribe('undici:request:headers', count);
  t.after(() => unsubscribe('undici:request:headers', count));
  const outcome = await postToItsDeadline(t, receiver.url, () => responses > 0);
  assert.deepEqual([outcome.http_status, outcome.error, outcome.ms], [200, 'timeout', DEADLINE_MS]);
});

test('headers that come a byte at a time are cut at the deadline', async (t) => {
  let at = 0;
  await using receiver = await startSocket((socket) => {
    const text = `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(5_000)}`;
    socket.once('data', () => {
      const drip = setInterval(() => socket.write(text[at++] ?? 'a'), 10);
      socket.on('close', () => clearInterval(drip));
    });
  });
  const outcome = await postToItsDeadline(t, receiver.url, () => at > 20);
  assert.deepEqual([outcome.http_status, outcome.error, outcome.ms], [null, 'timeout', DEADLINE_MS]);
});

test('of a gigabyte of answer the beginning is kept and the rest is not read', async () => {
  let sent = 0;
  await using receiver = await startReceiver((response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    response.writeHead(200, { 'content-length': 1024 ** 3 });
    const more = (): void => {
      while (sent < 1024 ** 3 && response.writable) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
    };
    more();
  });
  const outcome = await post(receiver.url);
  assert.deepEqual([outcome.http_status, outcome.error, outcome.body.length], [200, null, MOST_KEPT_BYTES]);
  assert.ok(sent < 64 * 1024 ** 2, `${sent} bytes were taken`);
});

test('a compressed bomb stays compressed', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  await using receiver = await startReceiver((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
  const outcome = await post(receiver.url);
  assert.deepEqual([outcome.http_status, outcome.error], [200, null]);
  assert.ok(outcome.body.length <= MOST_KEPT_BYTES);
});

test('a reset, a closed connection and garbage have words of their own', async () => {
  await using resets = await startSocket((socket) => socket.on('data', () => socket.resetAndDestroy()));
  await using closes = await startSocket((socket) => socket.on('data', () => socket.end()));
  await using garbage = await startSocket((socket) => socket.on('data', () => socket.end('SSH-2.0-OpenSSH_9.2\r\n\r\n')));
  await using half = await startReceiver((response) => {
    response.writeHead(200, { 'content-length': 100 }).write('half');
    setTimeout(() => response.destroy(), 20);
  });
  assert.equal((await post(resets.url)).error, 'reset');
  assert.equal((await post(closes.url)).error, 'reset');
  assert.equal((await post(garbage.url)).error, 'invalid_response');
  assert.equal((await post(half.url)).error, 'reset');
});

test('an early hint comes before a response, and what was not asked for is none', async () => {
  const answering = (text: string) => startSocket((socket) => socket.once('data', () => socket.write(text)));
  const accepted = 'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n';
  await using hinting = await answering(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${accepted}`);
  const hinted = await post(hinting.url);
  assert.deepEqual([hinted.http_status, hinted.error], [202, null]);
  await using switching = await answering('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
  await using continuing = await answering(`HTTP/1.1 100 Continue\r\n\r\n${accepted}`);
  for (const { url } of [switching, continuing]) assert.equal((await post(url)).error, 'invalid_response');
});

test('a name that does not exist is dns', async () => {
  const resolve: Resolver = async () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }));
  assert.equal((await post('http://nowhere.test/', { resolve })).error, 'dns');
});

test('a metadata service is not asked under its name, wherever that leads', async () => {
  await using receiver = await startReceiver(200);
  const outcome = await post(`http://metadata.google.internal:${receiver.port}/`, { resolve: LOCAL });
  assert.deepEqual([outcome.error, receiver.connections()], ['blocked', 0]);
});

test('a certificate that nobody vouches for, or for another name, is tls and nothing is sent', async () => {
  await using receiver = await startReceiver(200, { tls: SELF_SIGNED });
  const outcome = await post(`https://receiver.test:${receiver.port}/`, { resolve: LOCAL });
  assert.deepEqual([outcome.http_status, outcome.error], [null, 'tls']);
  assert.equal((await post(receiver.url)).error, 'tls');
  assert.equal(receiver.received.length, 0);
});

test('plain HTTP where TLS is expected is tls', async () => {
  await using receiver = await startReceiver(200);
  assert.equal((await post(receiver.url.replace('http:', 'https:'))).error, 'tls');
});

test('a forbidden literal is blocked without a connection', async () => {
  await using receiver = await startReceiver(200);
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '[::ffff:127.0.0.1]']) {
    const outcome = await post(`http://${host}:${receiver.port}/`, { environment: 'production' });
    assert.deepEqual([outcome.http_status, outcome.error], [null, 'blocked'], host);
  }
  assert.equal(receiver.connections(), 0);
});

test('a name with one allowed and one forbidden address is blocked', async () => {
  await using receiver = await startReceiver(200);
  const resolve: Resolver = async () => [
    { address: '127.0.0.1', family: 4 },
    { address: '169.254.169.254', family: 4 },
  ];
  assert.equal((await post(`http://mixed.test:${receiver.port}/`, { resolve })).error, 'blocked');
  assert.equal(receiver.connections(), 0);
});

test('a name that changes its address between two look-ups does not reach the inside', async () => {
  await using inside = await startReceiver(200);
  const answers = ['8.8.8.8', '127.0.0.1', '127.0.0.1'];
  let asked = 0;
  const resolve: Resolver = async () => [{ address: answers[asked++] ?? '127.0.0.1', family: 4 }];
  // The first look-up is the one at creation; whatever a socket uses later is looked at again.
  assert.equal((await resolve('rebinding.test'))[0]?.address, '8.8.8.8');
  const outcome = await post(`http://rebinding.test:${inside.port}/`, { environment: 'production', resolve });
  assert.equal(outcome.error, 'blocked');
  assert.equal(inside.connections(), 0);
});

test('connections are kept, and one that went stale costs no delivery', async () => {
  const sockets = new Set<unknown>();
  await using receiver = await startReceiver((response, request) => {
    sockets.add(request.socket);
    response.writeHead(204).end();
  });
  using client = sender();
  for (let count = 0; count < 3; count += 1) {
    await client.post(new URL(receiver.url), HEADERS, BODY);
    // A connection is free again one turn after the end of a response.
    await turn();
  }
  assert.equal(receiver.connections(), 1);
  // The receiver closes between two requests, without a word.
  await using fickle = await fickleReceiver();
  for (let count = 0; count < 5; count += 1) {
    const outcome = await client.post(new URL(fickle.url), HEADERS, BODY);
    assert.deepEqual([outcome.http_status, outcome.error], [204, null]);
    await turn();
  }
});

test('a receiver that resets a new connection is not asked again', async () => {
  let connections = 0;
  await using receiver = await startSocket((socket) => {
    connections += 1;
    socket.on('data', () => socket.resetAndDestroy());
  });
  assert.deepEqual([(await post(receiver.url)).error, connections], ['reset', 1]);
});

/** Answers the first request of a connection and resets at the second. */
function fickleReceiver(): Promise<Receiver> {
  return startSocket((socket) => {
    let requests = 0;
    socket.on('data', () => {
      requests += 1;
      if (requests > 1) socket.resetAndDestroy();
      else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
  });
}
