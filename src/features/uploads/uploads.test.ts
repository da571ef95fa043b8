import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { CSV, put, XLSX } from '../../../test/support/tapes.ts';

const LOANS = '/v1/api/originator/loans';
const file = { fileFormat: CSV, fileName: 'auto.csv' };

test('an upload', async (t) => {
  await using gateway = await startGateway();
  const originator = await gateway.key('originator', 'Uploads');
  const post = (path: string, body: unknown) => gateway.call('POST', `${LOANS}/${path}`, { as: originator, body });

  await t.test('of a declared size takes that many bytes: more are 413, fewer 403, with or without a length', async () => {
    const initiated = await post('initiate', { ...file, loanType: 'Auto', fileSize: 10 });
    const { upload_url, upload_headers } = initiated.body.data;
    const address = await gateway.app.listen({ host: '127.0.0.1', port: 0 });
    const stream = async (text: string): Promise<number> => {
      const body = new Blob([text]).stream();
      const url = address + new URL(upload_url).pathname;
      return (await fetch(url, { method: 'PUT', headers: upload_headers, body, duplex: 'half' })).status;
    };
    for (const [bytes, status] of [
      ['12345678901', 413],
      ['123456789', 403],
    ] as const) {
      assert.equal((await put(gateway, initiated, bytes)).status, status);
      assert.equal(await stream(bytes), status);
    }
    const complete = await post('complete', { dealId: initiated.body.data.deal_id, fileName: 'auto.csv' });
    assert.deepEqual([complete.status, complete.body.code], [422, 'FILE_NOT_UPLOADED']);
    assert.equal(await stream('1234567890'), 200);
  });

  await t.test('of a declared size over the limit is refused before a byte is sent, wherever it is declared', async () => {
    const tooLarge = { ...file, fileName: 'b.xlsx', fileFormat: XLSX, fileSize: 100 * 1024 * 1024 + 1 };
    assert.equal((await post('initiate', { ...tooLarge, loanType: 'Student' })).status, 413);
    assert.equal((await post('bulk/uploads', tooLarge)).status, 413);
    assert.equal((await post('bulk/uploads', { ...tooLarge, fileSize: tooLarge.fileSize - 1 })).status, 201);
  });

  await t.test('that is no draft’s, with a name that is none, is refused for its form', async () => {
    const answer = await gateway.call('PATCH', `${LOANS}/deal_none`, { as: originator, body: { fileName: 'a/b.csv' } });
    assert.deepEqual([answer.status, answer.body.errors?.[0].field], [400, 'fileName']);
  });
});
