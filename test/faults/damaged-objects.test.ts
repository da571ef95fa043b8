import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { type Answer, type Gateway, startGateway } from '../support/gateway.ts';
import { startS3 } from '../support/s3.ts';
import { autoTape, CSV, put, sendTape } from '../support/tapes.ts';

const LOANS = '/v1/api/originator/loans';
const TAPE = autoTape(400);
const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(200_000, 'x'), Buffer.from('%%EOF\n')]);

/** What becomes of bytes: half of them are gone, or one line says something else at the same length. */
const DAMAGES: Record<string, (bytes: Buffer) => Buffer> = {
  truncated: (bytes) => bytes.subarray(0, bytes.length / 2),
  altered: (bytes) => Buffer.from(bytes.map((byte, at) => (at === bytes.length - 30 ? byte ^ 1 : byte))),
};

for (const kind of ['local', 'S3'] as const) {
  test(`bytes that are not the bytes that were uploaded are never taken for them (${kind} files)`, async (t) => {
    await using s3 = await startS3();
    await using gateway = await startGateway(kind === 'S3' ? { SLUICE_STORAGE_URL: s3.url } : {});
    const as = await gateway.key('originator', 'Owner');
    const post = (path: string, body: object): Promise<Answer> => gateway.call('POST', `/v1/api/${path}`, { as, body });
    const objectKeys = (table: string) =>
      gateway.deps.db.tx({ platform: true }, (tx) => tx.rows<{ object_key: string }>(`select object_key from ${table}`));

    /** Puts other bytes in the place of the last object of a table; local copies of it are gone, or keep what they had. */
    const damage = async (table: string, original: Buffer | string, how: string, cached: 'uncached' | 'cached' = 'uncached') => {
      const key = (await objectKeys(table)).at(-1)?.object_key ?? '';
      const bytes = DAMAGES[how]?.(Buffer.from(original)) as Buffer;
      if (cached === 'uncached') rmSync(join(gateway.deps.config.dataDir, 'cache'), { recursive: true, force: true });
      await gateway.deps.store.put(key, Readable.from([bytes]), bytes.length);
    };
    const openDeal = async (id: string) => (await gateway.call('GET', `${LOANS}/${id}`, { as })).body.data;

    for (const how of Object.keys(DAMAGES)) {
      await t.test(`a tape that is ${how} when it is completed is sent again`, async () => {
        const initiated = await post('originator/loans/initiate', { loanType: 'Auto', fileFormat: CSV, fileName: 'a.csv' });
        await put(gateway, initiated, TAPE);
        await damage(`uploads where file_key = $$${initiated.body.data.file_key}$$`, TAPE, how);
        const body = { dealId: initiated.body.data.deal_id, fileName: 'a.csv' };
        const refused = await post('originator/loans/complete', body);
        assert.deepEqual([refused.status, refused.body.code], [422, 'FILE_NOT_UPLOADED']);
        assert.match(refused.body.message ?? '', /send it again/);
        await put(gateway, initiated, TAPE);
        assert.equal((await post('originator/loans/complete', body)).status, 202);
        await gateway.runJobs();
        assert.equal((await openDeal(body.dealId)).qc.accepted, 400);
      });

      await t.test(`the checks of a tape that was ${how} after that fail out loud and pass no loan`, async () => {
        const { deal_id } = await sendTape(gateway, as, { loanType: 'Auto', bytes: TAPE });
        await damage('tapes where state = $$RUNNING$$', TAPE, how);
        await assert.rejects(gateway.runJobs(), { name: 'ObjectDamaged' });
        const deal = await openDeal(deal_id);
        assert.deepEqual([deal.status, deal.loan_count ?? 0], ['IN_REVIEW', 0]);
        await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(`delete from tapes where deal_id = $1`, [deal_id]));
        await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(`delete from pgboss.job where name = 'ingest-tape'`));
      });

      await t.test(`a bulk file that is ${how} is an error of its item`, async () => {
        const upload = await post('originator/loans/bulk/uploads', { fileFormat: CSV, fileName: 'b.csv' });
        await put(gateway, upload, TAPE);
        const job = await post('originator/loans/bulk', {
          deals: [{ loanType: 'Auto', fileKey: upload.body.data.file_key }],
        });
        assert.equal(job.status, 202, JSON.stringify(job.body));
        await damage(`bulk_items where job_id = $$${job.body.data.job_id}$$`, TAPE, how);
        await gateway.runJobs();
        const { data } = (await gateway.call('GET', `${LOANS}/bulk/${job.body.data.job_id}`, { as })).body;
        assert.deepEqual([data.status, data.errors[0]?.code, data.deals], ['FAILED', 'FILE_NOT_UPLOADED', []]);
      });

      await t.test(`a document that is ${how} is neither registered nor sent`, async () => {
        const initiated = await post('deals/documents/initiate', { fileName: `${how}.pdf` });
        const body = { fileName: `${how}.pdf`, fileKey: initiated.body.data.file_key };
        await put(gateway, initiated, PDF);
        await damage(`uploads where file_key = $$${body.fileKey}$$`, PDF, how);
        assert.equal((await post('deals/documents/complete', body)).body.code, 'FILE_NOT_UPLOADED');
        await put(gateway, initiated, PDF);
        const { document_id } = (await post('deals/documents/complete', body)).body.data;
        const { download_url } = (await post(`deals/documents/${document_id}/download`, {})).body.data;
        const read = () => download(gateway, new URL(download_url).pathname);
        assert.deepEqual(await read(), { status: 200, bytes: PDF.length, whole: true });
        await damage(`documents where document_id = $$${document_id}$$`, PDF, how);
        const refused = await read();
        assert.deepEqual([refused.status, refused.bytes < 1_000], [500, true]);
        const log = await gateway.call('GET', `/v1/api/deals/documents/${document_id}/access-log`, { as });
        assert.equal(log.body.data.filter((row: { act: string }) => row.act === 'DOWNLOADED').length, 1);
      });
    }
  });
}

test('a damaged local copy is made anew from the service', async () => {
  await using s3 = await startS3();
  await using gateway = await startGateway({ SLUICE_STORAGE_URL: s3.url });
  const { store } = gateway.deps;
  const bytes = Buffer.from('what was uploaded');
  const stored = await store.put('uploads/copy', Readable.from([bytes]), 100);
  const path = (await store.localPath('uploads/copy', stored)) ?? '';
  for (const damaged of ['what was', 'what was uploadeD']) {
    writeFileSync(path, damaged);
    assert.equal(await store.localPath('uploads/copy', stored), path);
    assert.equal(readFileSync(path, 'utf8'), bytes.toString());
  }
});

/** Reads an address over a real connection: the status, the bytes that came, and whether the answer ended as a whole one. */
async function download(gateway: Gateway, path: string): Promise<{ status: number; bytes: number; whole: boolean }> {
  if (!gateway.app.server.listening) await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = gateway.app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('error', () => {});
      response.on('close', () => resolve({ status: response.statusCode ?? 0, bytes, whole: response.complete }));
    });
    outgoing.on('error', reject).end();
  });
}
