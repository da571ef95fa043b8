import assert from 'node:assert/strict';
import { createReadStream, mkdirSync, openAsBlob, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { startGateway } from '../../test/support/gateway.ts';
import { temporaryFolder } from '../../test/support/processes.ts';
import { type Source, Sluice, tapeFormatOf, type UploadProgress } from '../src/index.ts';
import { type Fault, faultyServer, hangUp, json, openDoor, quickClock, refusal } from './support.ts';

const ROWS = Array.from({ length: 40 }, (_, row) => `A${row + 1},${row === 1 ? 'x' : 100},5\n`);
const TAPE = `Loan ID,Current Balance,Interest Rate\n${ROWS.join('')}`;
const bytes = new TextEncoder().encode(TAPE);

test('a tape of any source is uploaded, checked, and gives its deal, its check and its findings', async (t) => {
  await using gateway = await startGateway();
  using folder = temporaryFolder();
  const path = join(folder.path, 'march.csv');
  writeFileSync(path, TAPE);
  const door = await openDoor(gateway);
  const sluice = door.client((await gateway.key('originator')).token);
  const sources: Record<string, () => Source> = {
    path: () => path,
    'file URL': () => pathToFileURL(path),
    bytes: () => bytes,
    'array buffer': () => bytes.slice().buffer,
    'part of a buffer': () => new Uint8Array([0, ...bytes, 0]).subarray(1, -1),
    Blob: () => new Blob([TAPE]),
    'web stream': () => new Blob([TAPE]).stream(),
    'stream of Node': () => createReadStream(path),
  };
  for (const [name, source] of Object.entries(sources))
    await t.test(name, async () => {
      const { deal, check, findings } = await sluice.uploadTape(source(), { loanType: 'Auto', name: `by ${name}` });
      assert.deepEqual([deal.name, deal.status, deal.loan_count], [`by ${name}`, 'QC_COMPLETED', 39]);
      assert.deepEqual([check.state, check.rows, check.accepted, check.rejected], ['DONE', 40, 39, 1]);
      const errors = (await Array.fromAsync(findings)).filter(({ severity }) => severity === 'ERROR');
      assert.deepEqual(
        errors.map(({ row_number, rule_id, actual }) => [row_number, rule_id, actual]),
        [[2, 'AMOUNT_UNREADABLE', 'x']],
      );
    });
});

test('progress tells the bytes that were sent and then the checks; the name of the file gives the deal its name', async () => {
  await using gateway = await startGateway();
  const door = await openDoor(gateway);
  const sluice = door.client((await gateway.key('originator')).token);
  const progress: UploadProgress[] = [];
  const onProgress = (each: UploadProgress): void => void progress.push(each);
  const { deal } = await sluice.uploadTape(new File([TAPE], 'april.csv'), { loanType: 'Auto', onProgress });
  assert.equal(deal.name, 'april');
  assert.deepEqual(progress[0], { phase: 'UPLOAD', sentBytes: bytes.length, totalBytes: bytes.length });
  assert.equal(progress.at(-1)?.phase, 'CHECKS');
});

test('without waiting it gives the job; a further version goes to the deal that is named', async () => {
  await using gateway = await startGateway();
  const door = await openDoor(gateway);
  const sluice = door.client((await gateway.key('originator')).token);
  const started = await sluice.uploadTape(bytes, { loanType: 'Auto', wait: false });
  assert.equal(started.deal.status, 'IN_REVIEW');
  const job = await sluice.waitFor('/v1/api/originator/loans/jobs/{jobId}', { params: { path: { jobId: started.jobId } } });
  assert.equal(job.status, 'COMPLETED');
  const next = await sluice.uploadTape(new Blob(['Loan ID,Current Balance,Interest Rate\nB1,400,5\n']), {
    dealId: started.dealId,
    mode: 'MERGE',
  });
  assert.deepEqual([next.dealId, next.deal.tape_version, next.deal.loan_count], [started.dealId, 2, 40]);
});

test('what the gateway refuses is an error of the API, and what cannot be sent is told before anything is', async () => {
  await using gateway = await startGateway();
  const door = await openDoor(gateway);
  const sluice = door.client((await gateway.key('originator')).token);
  const workbook = new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  await assert.rejects(sluice.uploadTape(workbook, { loanType: 'Auto' }), { code: 'UNREADABLE_FILE', status: 422 });
  assert.deepEqual((await sluice.get('/v1/api/originator/loans')).data, [], 'the draft would refuse the next upload');
  await assert.rejects(sluice.uploadTape('/no/such/file.csv', { loanType: 'Auto' }), { code: 'ENOENT' });
  await assert.rejects(
    sluice.uploadTape(bytes, { loanType: 'Auto', fileName: 'tape.dat' }),
    /"tape.dat" does not tell the format.*pass `fileFormat`/,
  );
});

test('the ending of a name tells the format, packed text too', () => {
  const formats = ['a.csv', 'A.CSV.GZ', 'a.tsv', 'a.txt.gz'].map(tapeFormatOf);
  assert.deepEqual(new Set(formats), new Set(['text/csv']));
  assert.match(tapeFormatOf('a.b.xlsx') ?? '', /spreadsheetml/);
  assert.match(tapeFormatOf('a.parquet') ?? '', /parquet/);
  assert.deepEqual(['a', 'a.xls', 'a.gz', 'csv', 'a.csv.zip'].map(tapeFormatOf), [null, null, null, null, null]);
});

const initiated = (url: string): Fault =>
  json(201, {
    success: true,
    data: { deal_id: 'deal_1', upload_url: `${url}/v1/uploads/t`, upload_headers: { 'content-type': 'text/csv' } },
  });
const completed = json(202, { success: true, data: { job_id: 'job_1' } });

test('bytes are sent again after a lost connection; a stream is not, and the address never gets the key', async () => {
  for (const [source, puts] of [
    [new Blob([TAPE]), 2],
    [new Blob([TAPE]).stream(), 1],
  ] as const) {
    const answers: Fault[] = [];
    using server = await faultyServer(...answers, (response, request) => {
      const seen = server.seen.filter(({ method }) => method === 'PUT').length;
      if (request.url === '/v1/uploads/t')
        return seen === 1 ? hangUp(response, request) : json(200, { success: true, data: {} })(response, request);
      return (request.url?.endsWith('initiate') ? initiated(server.url) : completed)(response, request);
    });
    const sluice = new Sluice({ url: server.url, key: 'secret', clock: quickClock() });
    const upload = sluice.uploadTape(source, { loanType: 'Auto', wait: false });
    if (puts === 1) await assert.rejects(upload, { code: 'NETWORK_ERROR' });
    else await upload;
    const sent = server.seen.filter(({ method }) => method === 'PUT');
    assert.deepEqual([sent.length, sent.at(-1)?.body], [puts, TAPE]);
    assert.equal(
      sent.some(({ headers }) => headers.authorization !== undefined),
      false,
    );
  }
});

test('a file that cannot be read is told as what it is: before anything is sent, or once, and unchanged', async () => {
  using folder = temporaryFolder();
  using server = await faultyServer((response, request) =>
    (request.url?.endsWith('initiate') ? initiated(server.url) : completed)(response, request),
  );
  const clock = quickClock();
  const sluice = new Sluice({ url: server.url, clock });
  const directory = join(folder.path, 'd.csv');
  mkdirSync(directory);
  await assert.rejects(sluice.uploadTape(directory, { loanType: 'Auto' }), /d\.csv.*not a regular file/);
  assert.deepEqual(server.seen, []);
  const path = join(folder.path, 'tape.csv');
  writeFileSync(path, TAPE);
  const gone = await openAsBlob(path);
  writeFileSync(path, `${TAPE}more`);
  await assert.rejects(sluice.uploadTape(gone, { loanType: 'Auto' }), { name: 'NotReadableError' });
  const fault = new Error('the disk is broken');
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield bytes;
    throw fault;
  }
  await assert.rejects(sluice.uploadTape(broken(), { loanType: 'Auto' }), (error) => error === fault);
  assert.deepEqual(clock.slept, []);
});

test('no error has the token of a signed address', async () => {
  const answers: Fault[] = [
    hangUp,
    (response) => response.writeHead(404, { 'content-type': 'text/html' }).end('Cannot PUT /v1/uploads/t0ken.sig'),
  ];
  for (const answer of answers) {
    using server = await faultyServer((response, request) => {
      if (request.method === 'PUT') return answer(response, request);
      return json(201, {
        success: true,
        data: { deal_id: 'deal_1', upload_url: `${server.url}/v1/uploads/t0ken.sig`, upload_headers: {} },
      })(response, request);
    });
    const upload = new Sluice({ url: server.url, clock: quickClock(), retries: 0 }).uploadTape(bytes, { loanType: 'Auto' });
    await assert.rejects(upload, (error) => !inspect(error).includes('t0ken'));
  }
});

test('a page of a proxy, or another address, in the place of the upload is an error', async () => {
  const answers: Fault[] = [
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>'),
    (response) => response.writeHead(302, { location: '/sign-in' }).end(),
  ];
  for (const answer of answers) {
    using server = await faultyServer((response, request) => {
      if (request.method === 'PUT') return answer(response, request);
      return (request.url?.endsWith('initiate') ? initiated(server.url) : completed)(response, request);
    });
    const upload = new Sluice({ url: server.url, clock: quickClock() }).uploadTape(bytes, { loanType: 'Auto', wait: false });
    await assert.rejects(upload, { code: 'UNEXPECTED_RESPONSE' });
    assert.equal(server.seen.filter(({ method }) => method === 'PUT').length, 1);
  }
});

test('an upload that its own lost attempt holds up waits for it; one that another sender holds up is refused', async () => {
  const inProgress = refusal(409, 'UPLOAD_IN_PROGRESS', { 'retry-after': '2' });
  const runs: [Fault[], object | null][] = [
    [[hangUp, inProgress, inProgress, json(200, { success: true, data: {} })], null],
    [[inProgress], { code: 'UPLOAD_IN_PROGRESS', retryAfter: 2 }],
  ];
  for (const [answers, refused] of runs) {
    let puts = 0;
    using server = await faultyServer((response, request) => {
      if (request.method === 'PUT') return answers[puts++]?.(response, request);
      return (request.url?.endsWith('initiate') ? initiated(server.url) : completed)(response, request);
    });
    const clock = quickClock();
    const upload = new Sluice({ url: server.url, clock }).uploadTape(bytes, { loanType: 'Auto', wait: false });
    if (refused) await assert.rejects(upload, refused);
    else assert.equal((await upload).jobId, 'job_1');
    assert.equal(puts, answers.length);
    assert.ok(refused || clock.slept.slice(1).every((ms) => ms >= 2_000));
  }
});

test('a completion whose answer is lost goes on where the deal left its draft, and is told where one remains', async () => {
  const deal = (status: string): Fault => json(200, { success: true, data: { status } });
  const notDraft = refusal(409, 'INVALID_TRANSITION');
  const runs: { reads: Fault; deletes: Fault; completes: Fault[]; ends: object | null; deleted: number }[] = [
    { reads: deal('IN_REVIEW'), deletes: notDraft, completes: [hangUp, completed], ends: null, deleted: 0 },
    {
      reads: deal('DRAFT'),
      deletes: deal('DRAFT'),
      completes: [hangUp],
      ends: { code: 'NETWORK_ERROR', dealId: null },
      deleted: 1,
    },
    {
      reads: hangUp,
      deletes: hangUp,
      completes: [refusal(502, 'UNAVAILABLE')],
      ends: { status: 502, dealId: 'deal_1', message: /It is UNAVAILABLE.*deal_1/ },
      deleted: 1,
    },
    { reads: deal('DRAFT'), deletes: notDraft, completes: [hangUp], ends: { dealId: 'deal_1' }, deleted: 1 },
  ];
  for (const { reads, deletes, completes, ends, deleted } of runs) {
    let asked = 0;
    using server = await faultyServer((response, request) => {
      if (request.method === 'PUT') return json(200, { success: true, data: {} })(response, request);
      if (request.method === 'GET') return reads(response, request);
      if (request.method === 'DELETE') return deletes(response, request);
      if (request.url?.endsWith('initiate')) return initiated(server.url)(response, request);
      return completes[Math.min(asked++, completes.length - 1)]?.(response, request);
    });
    const sluice = new Sluice({ url: server.url, clock: quickClock(), retries: 0 });
    const upload = sluice.uploadTape(bytes, { loanType: 'Auto', wait: false });
    if (ends) await assert.rejects(upload, ends);
    else assert.equal((await upload).jobId, 'job_1');
    assert.equal(server.seen.filter(({ method }) => method === 'DELETE').length, deleted);
    const keys = server.seen.filter(({ url }) => url.endsWith('/complete')).map(({ headers }) => headers['idempotency-key']);
    assert.equal(new Set(keys).size, 1, 'the gateway keeps the answer to a key');
  }
});

test('an upload ends by its signal and lets go of the source', async () => {
  using server = await faultyServer((response, request) => initiated(server.url)(response, request));
  const controller = new AbortController();
  let released = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (let sent = 0; ; sent += 1) {
        if (sent === 5) controller.abort(new Error('stop it'));
        yield bytes;
      }
    } finally {
      released = true;
    }
  }
  const sluice = new Sluice({ url: server.url, clock: quickClock() });
  const upload = sluice.uploadTape(endless(), { loanType: 'Auto', signal: controller.signal, wait: false });
  await assert.rejects(upload, /stop it/);
  assert.ok(released);
});

test('of a file of 400 MB no more than 32 MB are read ahead of what has arrived', async () => {
  const chunk = new Uint8Array(1_000_000).fill(65);
  const chunks = 400;
  let received = 0;
  let ahead = 0;
  using server = await faultyServer((response, request) =>
    (request.url?.endsWith('initiate') ? initiated(sinkUrl) : completed)(response, request),
  );
  const sink = createServer((request, response) => {
    request.on('data', (part: Buffer) => {
      received += part.length;
    });
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true,"data":{}}'));
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  const sinkUrl = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
  async function* file(): AsyncGenerator<Uint8Array> {
    for (let sent = 0; sent < chunks; sent += 1) {
      ahead = Math.max(ahead, sent * chunk.length - received);
      yield chunk;
    }
  }
  const sluice = new Sluice({ url: server.url, clock: quickClock() });
  await sluice.uploadTape(file(), { loanType: 'Auto', wait: false });
  sink.close();
  sink.closeAllConnections();
  assert.equal(received, chunks * chunk.length);
  // Up to 10 MB of it stand in the two sockets' own buffers, which Linux sizes by itself; a busy machine fills them.
  assert.ok(ahead < 32_000_000, `${ahead} bytes`);
});
