import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine } from '../../../test/support/command-line.ts';

const PATH = '/v1/downloads/SECRET-TOKEN';

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('documents whose connection fails are told as other commands tell it, without the signed address, and leave no file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-documents-'));
  t.after(() => rm(folder, { recursive: true }));
  const closed = createServer();
  const nobody = await listening(closed);
  await new Promise((resolve) => closed.close(resolve));
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/v1/downloads/')) {
      response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': '1000' });
      response.write('%PDF-1.7', () => response.destroy());
      return;
    }
    const address = request.url?.includes('doc_broken') ? url : nobody;
    const data = { upload_url: address + PATH, upload_headers: {}, file_key: 'key', download_url: address + PATH };
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ success: true, data }));
    });
  });
  const url = await listening(server);
  t.after(() => server.close());
  const sluice = commandLine(folder, { SLUICE_URL: url, SLUICE_KEY: 'slk_test' });
  await writeFile(join(folder, 'memo.pdf'), '%PDF-1.7');
  for (const [args, told] of [
    [
      ['documents', 'upload', 'memo.pdf'],
      /the upload to http:\/\/127\.0\.0\.1:\d+: no response: fetch failed: connect ECONNREFUSED/,
    ],
    [
      ['documents', 'download', 'doc_1', '-o', 'out.pdf'],
      /the download from http:\/\/127\.0\.0\.1:\d+: no response: fetch failed: connect/,
    ],
    [['documents', 'download', 'doc_broken', '-o', 'out.pdf'], /the file broke off: terminated: other side closed/],
  ] as const) {
    const { code, stderr } = await sluice(args);
    assert.match(stderr, told);
    assert.match(stderr, /code NETWORK_ERROR/);
    assert.doesNotMatch(stderr, /SECRET-TOKEN/);
    assert.equal(code, 7, stderr);
    assert.equal(existsSync(join(folder, 'out.pdf')), false);
  }
});

test('documents that are refused are told in a sentence: the words of the gateway, or the status and what to do', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-documents-'));
  t.after(() => rm(folder, { recursive: true }));
  const page = `<html><head><title>Request too large</title></head>\n<body>${PATH} ${'long '.repeat(1_000)}</body></html>`;
  const expired = {
    success: false,
    message: 'The address has expired.',
    statusCode: 403,
    code: 'FORBIDDEN',
    request_id: 'req-1',
    doc_url: 'http://127.0.0.1/docs/errors#FORBIDDEN',
  };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.method === 'PUT') response.writeHead(413, { 'content-type': 'text/html' }).end(page);
      else if (request.url === PATH) response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(expired));
      else {
        const data = { upload_url: url + PATH, upload_headers: {}, file_key: 'key', download_url: url + PATH };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ success: true, data }));
      }
    });
  });
  const url = await listening(server);
  t.after(() => server.close());
  const sluice = commandLine(folder, { SLUICE_URL: url, SLUICE_KEY: 'slk_test' });
  await writeFile(join(folder, 'memo.pdf'), '%PDF-1.7');
  const upload = await sluice(['documents', 'upload', 'memo.pdf']);
  assert.match(
    upload.stderr,
    /^sluice: the upload was refused with status 413: the file is larger than .+ \(the response begins: <html>/,
  );
  assert.doesNotMatch(upload.stderr, /SECRET-TOKEN/);
  assert.ok(upload.stderr.length < 500, `${upload.stderr.length} characters`);
  assert.equal(upload.code, 6);
  const download = await sluice(['documents', 'download', 'doc_1', '-o', 'out.pdf']);
  assert.match(
    download.stderr,
    /^sluice: the download was refused: The address has expired\.\n {2}code FORBIDDEN, status 403, request req-1\n/,
  );
  assert.doesNotMatch(download.stderr, /[{}]/);
  assert.deepEqual([download.code, existsSync(join(folder, 'out.pdf'))], [3, false]);
});
