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
