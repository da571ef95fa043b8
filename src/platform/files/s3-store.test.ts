import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { SELF_SIGNED } from '../../../test/support/receivers.ts';
import { startS3 } from '../../../test/support/s3.ts';
import { unavailableReason } from '../unavailable.ts';
import { createS3Store } from './s3-store.ts';
import { ObjectDamaged, StoreRefused, StoreUnavailable, TooLarge } from './store.ts';

const MIB = 1024 * 1024;

/** Bytes that arrive piece by piece, as from a socket. */
function arriving(bytes: Buffer, pieceBytes = 64 * 1024): Readable {
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    })(),
    { objectMode: false },
  );
}

/** How to reach a service that responds as the listener does, until the test ends. */
async function serve(t: TestContext, listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { bucket: 'b', endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', prefix: '' };
}

test('objects in an S3 service', async (t) => {
  await using s3 = await startS3();
  const cacheDir = mkdtempSync(join(tmpdir(), 'sluice-s3-'));
  t.after(() => rmSync(cacheDir, { recursive: true, force: true }));
  const store = createS3Store({ ...s3.options, prefix: 'gateway' }, cacheDir);

  await t.test('come back as they went in, below the prefix, with their size and hash', async () => {
    const bytes = randomBytes(200_000);
    const stored = await store.put('tapes/a.csv', arriving(bytes), MIB);
    assert.equal(stored.size, bytes.length);
    assert.match(stored.sha256, /^[0-9a-f]{64}$/);
    assert.deepEqual(await store.stat('tapes/a.csv'), { size: bytes.length });
    const found = await store.get('tapes/a.csv');
    assert.equal(found?.size, bytes.length);
    assert.ok((await buffer(found?.stream)).equals(bytes));
    assert.ok(s3.keys().includes('gateway/tapes/a.csv'), s3.keys().join());
  });

  await t.test('larger than one part are put together in the right order', async () => {
    const bytes = randomBytes(17 * MIB + 5);
    assert.equal((await store.put('tapes/large', arriving(bytes), 32 * MIB)).size, bytes.length);
    assert.ok((await buffer((await store.get('tapes/large'))?.stream as Readable)).equals(bytes));
  });

  await t.test('without bytes are objects too', async () => {
    assert.equal((await store.put('tapes/empty', Readable.from([]), MIB)).size, 0);
    assert.deepEqual(await store.stat('tapes/empty'), { size: 0 });
  });

  await t.test('are listed by how their keys start, below the prefix', async () => {
    for (const key of ['list/one', 'list/two/three', 'list/twofold', 'other'])
      await store.put(key, arriving(Buffer.from(key)), MIB);
    const listed = await Array.fromAsync(store.list('list/two'));
    assert.deepEqual(listed, [
      { key: 'list/two/three', size: 14 },
      { key: 'list/twofold', size: 12 },
    ]);
  });

  await t.test('over their limit are refused and leave nothing behind, in one part or in several', async () => {
    await assert.rejects(store.put('tapes/small', arriving(randomBytes(2_000)), 1_000), TooLarge);
    await assert.rejects(store.put('tapes/many', arriving(randomBytes(20 * MIB)), 18 * MIB), TooLarge);
    assert.equal(await store.stat('tapes/small'), null);
    assert.equal(await store.stat('tapes/many'), null);
    assert.equal(s3.unfinished(), 0);
  });

  await t.test('whose sender goes away are never visible', async () => {
    const broken = new Readable({ read() {} });
    broken.push(randomBytes(9 * MIB));
    setImmediate(() => broken.destroy(new Error('the sender went away')));
    await assert.rejects(store.put('tapes/broken', broken, 32 * MIB), /went away/);
    assert.equal(await store.stat('tapes/broken'), null);
    assert.equal(s3.unfinished(), 0);
  });

  await t.test('that are absent are null, not errors', async () => {
    assert.equal(await store.get('nope'), null);
    assert.equal(await store.stat('nope'), null);
    assert.equal(await store.localPath('nope'), null);
    await store.delete('nope');
  });

  await t.test('have one local copy, made once and gone with the object', async () => {
    const bytes = randomBytes(3 * MIB);
    await store.put('tapes/copy', arriving(bytes), 4 * MIB);
    const before = s3.requests();
    const paths = await Promise.all([store.localPath('tapes/copy'), store.localPath('tapes/copy')]);
    assert.equal(paths[0], paths[1]);
    assert.ok(readFileSync(paths[0] as string).equals(bytes));
    const asked = s3.requests() - before;
    await store.localPath('tapes/copy');
    assert.equal(s3.requests() - before, asked);
    assert.deepEqual(readdirSync(join(cacheDir, 'tapes')), ['copy']);
    await store.delete('tapes/copy');
    assert.equal(await store.localPath('tapes/copy'), null);
  });

  await t.test('are fetched again where a loss of power left an empty copy of them', async () => {
    await store.put('tapes/torn', arriving(Buffer.from('the bytes')), MIB);
    const path = (await store.localPath('tapes/torn')) as string;
    writeFileSync(path, '');
    assert.equal(await store.localPath('tapes/torn'), path);
    assert.equal(readFileSync(path, 'utf8'), 'the bytes');
    await store.localPath('tapes/empty');
    assert.equal(readFileSync((await store.localPath('tapes/empty')) as string, 'utf8'), '');
  });

  await t.test('lose the copies that nobody asked for since a time, and are fetched anew', async () => {
    const [used, unused] = ['copies/deep/used', 'copies/deep/unused'];
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    for (const key of [used, unused]) {
      await store.put(key, arriving(Buffer.from(key)), MIB);
      const path = (await store.localPath(key)) as string;
      utimesSync(path, twoDaysAgo, twoDaysAgo);
    }
    await store.localPath(used);
    assert.equal(await store.removeCopies(new Date(Date.now() - 86_400_000)), 1);
    assert.deepEqual(readdirSync(join(cacheDir, 'copies/deep')), ['used']);
    assert.equal(readFileSync((await store.localPath(unused)) as string, 'utf8'), unused);
  });

  await t.test('are as if the store did not answer while the service is down, and the store is not ready', async () => {
    await store.ready();
    await store.put('tapes/before', arriving(randomBytes(10)), MIB);
    await s3.stop();
    await assert.rejects(store.put('tapes/down', arriving(randomBytes(10)), MIB), StoreUnavailable);
    await assert.rejects(store.put('tapes/down', arriving(randomBytes(20 * MIB)), 32 * MIB), StoreUnavailable);
    await assert.rejects(store.get('tapes/before'), StoreUnavailable);
    await assert.rejects(store.stat('tapes/before'), StoreUnavailable);
    await assert.rejects(store.localPath('tapes/before'), StoreUnavailable);
    await assert.rejects(store.delete('tapes/before'), StoreUnavailable);
    await assert.rejects(store.ready(), StoreUnavailable);
    await s3.start();
    assert.deepEqual(await store.stat('tapes/before'), { size: 10 });
  });
});

test('a store whose bytes break off in the middle leaves no half copy and says that it does not answer', async (t) => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'sluice-s3-'));
  const options = await serve(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '1000000', etag: '"x"' });
    response.write(Buffer.alloc(1_000));
    setTimeout(() => response.destroy(), 20);
  });
  t.after(() => rmSync(cacheDir, { recursive: true, force: true }));
  const store = createS3Store(options, cacheDir);
  await assert.rejects(store.localPath('half'), StoreUnavailable);
  assert.deepEqual(readdirSync(cacheDir), []);
});

test('a store that answers with fewer bytes than were stored, and says so itself, has a damaged object', async (t) => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'sluice-s3-'));
  const options = await serve(t, (_request, response) =>
    response.writeHead(200, { 'content-length': '5', etag: '"x"' }).end('bytes'),
  );
  t.after(() => rmSync(cacheDir, { recursive: true, force: true }));
  const store = createS3Store(options, cacheDir);
  const sha256 = createHash('sha256').update('bytes').digest('hex');
  assert.equal(await store.localPath('whole', { size: 5, sha256 }), join(cacheDir, 'whole'));
  await assert.rejects(store.localPath('short', { size: 10, sha256 }), /5 bytes instead of 10/);
  await assert.rejects(store.localPath('other', { size: 5, sha256: '0'.repeat(64) }), ObjectDamaged);
  assert.deepEqual(readdirSync(cacheDir), ['whole']);
});

test('parts of uploads that nobody ended are given up once they are old, on every page of them, and only in the folders named', async (t) => {
  const given: string[] = [];
  const [old, fresh] = ['2026-01-01T00:00:00.000Z', new Date().toISOString()];
  const upload = (key: string, id: string, at: string) =>
    `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${at}</Initiated></Upload>`;
  const pages: Record<string, string> = {
    '': `${upload('p/uploads/a', 'one', old)}${upload('p/uploads/b', 'two', fresh)}<IsTruncated>true</IsTruncated><NextKeyMarker>p/uploads/b</NextKeyMarker><NextUploadIdMarker>two</NextUploadIdMarker>`,
    'p/uploads/b': `${upload('p/uploads/c', 'three', old)}<IsTruncated>false</IsTruncated>`,
  };
  const options = await serve(t, (request, response) => {
    const { searchParams, pathname } = new URL(request.url ?? '', 'http://s3');
    if (request.method === 'DELETE') given.push(`${pathname} ${searchParams.get('uploadId')}`);
    if (request.method === 'DELETE') return response.writeHead(204).end();
    const listed = searchParams.get('prefix') === 'p/uploads/' ? pages[searchParams.get('key-marker') ?? ''] : '';
    response.writeHead(200, { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0"?><ListMultipartUploadsResult>${listed}</ListMultipartUploadsResult>`);
  });
  const cacheDir = mkdtempSync(join(tmpdir(), 'sluice-s3-'));
  t.after(() => rmSync(cacheDir, { recursive: true, force: true }));
  const [kept, left] = ['tape', `tape.partial-${randomUUID()}`].map((name) => join(cacheDir, name)) as [string, string];
  for (const path of [kept, left]) {
    writeFileSync(path, 'x');
    utimesSync(path, new Date(old), new Date(old));
  }
  const store = createS3Store({ ...options, prefix: 'p' }, cacheDir);
  assert.equal(await store.removeUnfinished(['uploads', 'tapes'], new Date(Date.now() - 3_600_000)), 3);
  assert.deepEqual(given, ['/b/p/uploads/a one', '/b/p/uploads/c three']);
  assert.deepEqual([existsSync(kept), existsSync(left)], [true, false]);
});

test('a store that takes the connection and never answers is unavailable after its time limit', async (t) => {
  const options = await serve(t, () => {});
  const store = createS3Store(options, tmpdir(), {
    responseTimeoutMs: 100,
  });
  await assert.rejects(store.stat('slow'), StoreUnavailable);
  await assert.rejects(store.put('slow', Readable.from([Buffer.from('x')]), MIB), StoreUnavailable);
});

test('what the service refuses is its failure, whatever the status, and no missing object', async (t) => {
  const refusals: [status: number, code: string][] = [
    [403, 'AccessDenied'],
    [400, 'ExpiredToken'],
    [404, 'NoSuchBucket'],
    [429, 'TooManyRequests'],
    [301, 'PermanentRedirect'],
    [503, 'SlowDown'],
  ];
  let refusal: [status: number, code: string] = [503, ''];
  const options = await serve(t, (request, response) => {
    request.resume();
    response.writeHead(refusal[0], { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0"?><Error><Code>${refusal[1]}</Code><Message>m</Message></Error>`);
  });
  const store = createS3Store(options, tmpdir());
  for (const each of refusals) {
    refusal = each;
    const acts = [
      () => store.get('k'),
      () => store.stat('k'),
      () => store.localPath('absent/k'),
      () => store.put('k', Readable.from([Buffer.from('x')]), MIB),
      () => store.delete('absent/k'),
      () => Array.fromAsync(store.list('k')),
      () => store.ready(),
    ];
    // Whoever deletes many objects goes on after one that a lock of the bucket keeps.
    for (const act of acts) await assert.rejects(act(), each[0] < 500 ? StoreRefused : StoreUnavailable, each.join(' '));
  }
  refusal = [404, 'NoSuchKey'];
  assert.equal(await store.get('k'), null);
  refusal = [403, 'AccessDenied'];
  await assert.rejects(store.get('k'), /responds with 403 AccessDenied$/);
  await assert.rejects(store.ready(), /responds with 403$/);
});

test('what responds in place of the store, and is none, makes it unavailable: nothing is stored or read there', async (t) => {
  const secure = createSecureServer(SELF_SIGNED);
  const other = createTcpServer((socket) => socket.on('error', () => {}).end('220 ready\r\n\r\n'));
  for (const [server, scheme, reason] of [
    [secure, 'https', /certificate .* is not accepted/],
    [other, 'http', /does not speak HTTP/],
  ] as const) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const store = createS3Store(
      { bucket: 'b', endpoint: `${scheme}://127.0.0.1:${port}`, region: 'us-east-1', prefix: '' },
      tmpdir(),
    );
    for (const act of [
      () => store.get('k'),
      () => store.put('k', Readable.from([Buffer.from('x')]), MIB),
      () => store.delete('absent/k'),
      () => store.ready(),
    ]) {
      await assert.rejects(act(), (error: Error) => {
        assert.ok(error instanceof StoreUnavailable && !(error instanceof StoreRefused), String(error));
        assert.match(error.message, reason);
        return true;
      });
    }
  }
});

test('a page of a proxy is no confirmation of an object, and bytes without a length are none', async (t) => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'sluice-s3-'));
  t.after(() => rmSync(cacheDir, { recursive: true, force: true }));
  const options = await serve(t, (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/html' });
    response.write('<html>');
    response.end('Sign in');
  });
  const store = createS3Store(options, cacheDir);
  await assert.rejects(store.put('k', Readable.from([Buffer.from('x')]), MIB), StoreUnavailable);
  await assert.rejects(store.get('k'), StoreUnavailable);
  await assert.rejects(store.localPath('k'), StoreUnavailable);
  assert.deepEqual(readdirSync(cacheDir), []);
});

test('a silent service is asked once, so that a request is answered in time; what it refuses for the moment is asked again', async (t) => {
  let asked = 0;
  let isSilent = true;
  const options = await serve(t, (request, response) => {
    asked += 1;
    request.resume();
    if (!isSilent) response.writeHead(asked < 3 ? 503 : 200, { 'content-length': '5', etag: '"x"' }).end();
  });
  const store = createS3Store(options, tmpdir(), {
    responseTimeoutMs: 1_000,
  });
  for (const act of [() => store.stat('k'), () => store.put('k', Readable.from([Buffer.from('x')]), MIB)]) {
    asked = 0;
    await assert.rejects(act(), StoreUnavailable);
    assert.equal(asked, 1);
  }
  [asked, isSilent] = [0, false];
  assert.deepEqual(await store.stat('k'), { size: 5 });
  assert.equal(asked, 3);
});

test('an object whose bytes stop coming is told to be for want of the store', async (t) => {
  const options = await serve(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '1000000', etag: '"x"' });
    response.write(Buffer.alloc(1_000));
  });
  const store = createS3Store(options, tmpdir(), {
    responseTimeoutMs: 100,
  });
  const found = await store.get('k');
  const failure = await buffer(found?.stream as Readable).catch((error: unknown) => error);
  assert.match(unavailableReason(failure) ?? 'none', /object store/);
});

test('a list of objects goes on until the service has no further page', async (t) => {
  const asked: (string | null)[] = [];
  const options = await serve(t, (request, response) => {
    const token = new URL(request.url ?? '', 'http://s3').searchParams.get('continuation-token');
    asked.push(token);
    const [key, next] = token === null ? ['a', '<NextContinuationToken>more</NextContinuationToken>'] : ['b', ''];
    response.setHeader('content-type', 'application/xml');
    response.end(
      `<ListBucketResult><IsTruncated>${token === null}</IsTruncated>${next}<Contents><Key>${key}</Key><Size>1</Size></Contents></ListBucketResult>`,
    );
  });
  const store = createS3Store(options, tmpdir());
  const listed = await Array.fromAsync(store.list(''), ({ key }) => key);
  assert.deepEqual(
    [listed, asked],
    [
      ['a', 'b'],
      [null, 'more'],
    ],
  );
});
