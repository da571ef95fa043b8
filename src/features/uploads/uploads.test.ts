import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { autoTape, CSV, put, sendTape, XLSX } from '../../../test/support/tapes.ts';

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

  await t.test('serves one bulk submission, also when two arrive at once', async () => {
    const upload = await post('bulk/uploads', file);
    await put(gateway, upload, autoTape(5));
    const deals = [{ loanType: 'Auto', fileKey: upload.body.data.file_key }];
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('bulk', { deals })));
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [202, ...Array<number>(7).fill(409)]);
  });
});

test('a tape that is read with a remembered mapping names it', async () => {
  await using gateway = await startGateway();
  const originator = await gateway.key('originator', 'Remembering');
  const deal = async (id: string) => (await gateway.call('GET', `${LOANS}/${id}`, { as: originator })).body.data;
  const send = async (bytes: string): Promise<string> => {
    const { deal_id } = await sendTape(gateway, originator, { loanType: 'Auto', bytes });
    await gateway.runJobs();
    return deal_id;
  };
  const odd = autoTape(8).replace('Original Amount Financed', 'Alpha').replace('Current Balance', 'Beta');
  const first = await send(odd);
  assert.equal((await deal(first)).mapping_id, null);
  const mappings = [{ source: 'Alpha', target: 'original_balance' }];
  const mapped = await gateway.call('PUT', `${LOANS}/${first}/mapping`, { as: originator, body: { mappings } });
  assert.equal(mapped.status, 202, JSON.stringify(mapped.body));
  await gateway.runJobs();
  const { mapping_id } = mapped.body.data;
  assert.deepEqual([(await deal(first)).mapping_id, (await deal(await send(odd))).mapping_id], [mapping_id, mapping_id]);
  assert.equal((await deal(await send(autoTape(8)))).mapping_id, null);
});

test('a mapping that fails its tape is not remembered: the next tape waits for a better one', async () => {
  await using gateway = await startGateway();
  const originator = await gateway.key('originator', 'Mistaken');
  const deal = async (id: string) => (await gateway.call('GET', `${LOANS}/${id}`, { as: originator })).body.data;
  const send = async (): Promise<string> => {
    const { deal_id } = await sendTape(gateway, originator, {
      loanType: 'Credit Card',
      bytes: 'card_id,type,sum\n1,Gold,900\n2,Basic,800\n',
    });
    await gateway.runJobs();
    return deal_id;
  };
  const map = async (id: string, source: string): Promise<void> => {
    const body = { mappings: [{ source, target: 'credit_limit' }] };
    assert.equal((await gateway.call('PUT', `${LOANS}/${id}/mapping`, { as: originator, body })).status, 202);
    await gateway.runJobs();
  };
  const first = await send();
  await map(first, 'type');
  assert.equal((await deal(first)).status, 'REJECTED');
  const second = await send();
  assert.equal((await deal(second)).qc.state, 'NEEDS_MAPPING');
  await map(second, 'sum');
  assert.equal((await deal(second)).status, 'QC_COMPLETED');
  assert.equal((await deal(await send())).status, 'QC_COMPLETED');
});
