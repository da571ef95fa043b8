import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { type Answer, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { listDeal } from '../../../test/support/market.ts';
import { writeWorkbook } from '../../loans/export/workbook-writer.ts';

const PDF = Buffer.from('%PDF-1.7\n1 0 obj << >> endobj\n%%EOF\n');

test('deal room', async (t) => {
  await using gateway = await startGateway();
  const [owner, rival] = [await gateway.key('originator', 'Owner'), await gateway.key('both', 'Rival')];
  const investor = await gateway.key('investor', 'Reader');
  const deal = await listDeal(gateway, owner);
  const post = (path: string, as: Holder, body?: unknown) =>
    gateway.call('POST', `/v1/api/${path}`, { as, ...(body === undefined ? {} : { body }) });
  const pathOf = (url: string): string => new URL(url).pathname;
  const upload = async (
    fileName: string,
    bytes: Buffer,
    more: object = {},
  ): Promise<{ initiated: Answer; completed: Answer }> => {
    const initiated = await post('deals/documents/initiate', owner, { fileName, ...more });
    assert.equal(initiated.status, 201, JSON.stringify(initiated.body));
    const put = await gateway.call('PUT', pathOf(initiated.body.data.upload_url), {
      raw: bytes,
      headers: initiated.body.data.upload_headers,
    });
    assert.equal(put.status, 200);
    const fileKey = initiated.body.data.file_key;
    return { initiated, completed: await post('deals/documents/complete', owner, { fileName, fileKey, ...more }) };
  };

  await t.test(
    'an uploaded document is registered with its hash, as a W-9 unless said otherwise, and told to its owner',
    async () => {
      const { initiated, completed } = await upload('w9.pdf', PDF);
      assert.match(initiated.body.data.file_key, /^upload\/documents\/onboarding\/[0-9a-f-]{36}\.pdf$/);
      assert.equal(initiated.body.data.max_bytes, 25 * 1024 * 1024);
      assert.equal(completed.status, 201, JSON.stringify(completed.body));
      const { document_type, status, version, size, visibility, sha256 } = completed.body.data;
      assert.deepEqual([document_type, status, version, size, visibility], ['W9_FORM', 'uploaded', 1, PDF.length, 'PRIVATE']);
      assert.match(sha256, /^[0-9a-f]{64}$/);
      const alerts = await gateway.call('GET', '/v1/api/alerts?type=document.uploaded', { as: owner });
      assert.equal(alerts.body.data[0].entity_id, completed.body.data.document_id);
      const again = await post('deals/documents/complete', owner, { fileName: 'w9.pdf', fileKey: initiated.body.data.file_key });
      assert.equal(again.status, 409);
    },
  );

  await t.test('the same name for the same deal is a new version; the list shows the newest', async () => {
    const first = (await upload('memo.pdf', PDF, { dealId: deal.deal_id, documentType: 'OFFERING_MEMORANDUM' })).completed;
    const second = (await upload('memo.pdf', Buffer.concat([PDF, PDF]), { dealId: deal.deal_id })).completed;
    assert.deepEqual([first.body.data.version, second.body.data.version], [1, 2]);
    const listed = await gateway.call('GET', `/v1/api/deals/documents?dealId=${deal.deal_id}`, { as: owner });
    assert.deepEqual(
      listed.body.data.map((row: { document_id: string }) => row.document_id),
      [second.body.data.document_id],
    );
    const read = await gateway.call('GET', `/v1/api/deals/documents/${first.body.data.document_id}`, { as: owner });
    assert.deepEqual(
      read.body.data.versions.map((row: { version: number }) => row.version),
      [2, 1],
    );
  });

  await t.test('file names that are paths, devices, controls, overrides or too long are refused', async () => {
    for (const fileName of [
      '../../etc/passwd',
      'con.csv',
      'a\u0000.csv',
      `${'x'.repeat(296)}.csv`,
      'a\u202efdp.csv',
      'a\tb.csv',
      'a/b.pdf',
      'a\\b.pdf',
      '.pdf ',
      'tool.exe',
      'noextension',
    ]) {
      assert.equal((await post('deals/documents/initiate', owner, { fileName })).status, 400, fileName);
    }
    const { initiated } = await upload('fine.pdf', PDF);
    for (const fileName of ['../../etc/passwd', 'con.csv', 'other.pdf']) {
      const answer = await post('deals/documents/complete', owner, { fileName, fileKey: initiated.body.data.file_key });
      assert.equal(answer.status, 400, fileName);
    }
    for (const fileKey of [
      'file:///etc/passwd',
      's3://bucket/key',
      'https://x.example/a.pdf',
      'upload/documents/onboarding/../../x.pdf',
      'upload/documents/onboarding/1.pdf',
    ]) {
      assert.equal((await post('deals/documents/complete', owner, { fileName: 'w9.pdf', fileKey })).status, 400, fileKey);
    }
  });

  await t.test('content that is not what the extension says is refused', async () => {
    const sheet = Buffer.concat(await Array.fromAsync(writeWorkbook({ sheetName: 'S', header: ['a'], rows: [[1]] })));
    const word = zipOf(['[Content_Types].xml', 'word/document.xml']);
    const wrong: [string, Buffer][] = [
      ['program.pdf', Buffer.from('MZ\u0090\u0000')],
      ['page.pdf', Buffer.from('<script>alert(1)</script>')],
      ['page.csv', Buffer.from('\ufeff <!doctype html><html>')],
      ['binary.csv', Buffer.from([65, 0, 66, 0])],
      ['sheet.docx', sheet],
      ['word.xlsx', word],
      ['plain.xlsx', Buffer.from('PK\u0003\u0004 nothing')],
      ['macros.docx', zipOf(['[Content_Types].xml', 'word/document.xml', 'word/vbaProject.bin'])],
      ['photo.png', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
      ['photo.jpeg', Buffer.from([0x89, 0x50, 0x4e, 0x47])],
    ];
    for (const [name, bytes] of wrong) {
      const { completed } = await upload(name, bytes);
      assert.deepEqual([name, completed.status, completed.body.code], [name, 422, 'TYPE_MISMATCH']);
    }
    const right: [string, Buffer][] = [
      ['a.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
      ['a.jpg', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
      ['a.docx', word],
      ['a.xlsx', sheet],
      ['a.csv', Buffer.from('id,name\r\n1,Zo\u00eb\r\n')],
    ];
    for (const [name, bytes] of right) assert.deepEqual([name, (await upload(name, bytes)).completed.status], [name, 201]);
  });

  await t.test('nothing uploaded, a foreign key, a foreign deal: 422, 404, 404', async () => {
    const initiated = await post('deals/documents/initiate', owner, { fileName: 'late.pdf' });
    const body = { fileName: 'late.pdf', fileKey: initiated.body.data.file_key };
    assert.equal((await post('deals/documents/complete', owner, body)).body.code, 'FILE_NOT_UPLOADED');
    assert.equal((await post('deals/documents/complete', rival, body)).status, 404);
    assert.equal((await post('deals/documents/initiate', rival, { fileName: 'a.pdf', dealId: deal.deal_id })).status, 404);
    assert.equal((await post('deals/documents/complete', investor, body)).status, 403);
  });

  await t.test('more than 25 MiB is refused while it streams', async () => {
    const initiated = await post('deals/documents/initiate', owner, { fileName: 'large.csv' });
    const put = await gateway.call('PUT', pathOf(initiated.body.data.upload_url), {
      raw: Buffer.alloc(25 * 1024 * 1024 + 1, 65),
    });
    assert.equal(put.status, 413);
  });

  await t.test('investors read what they are shown, at a short-lived address, and each reading is in the log', async () => {
    const document = (await upload('terms.pdf', PDF, { dealId: deal.deal_id })).completed.body.data;
    const list = () => gateway.call('GET', `/v1/api/investor/deals/${deal.deal_id}/documents`, { as: investor });
    const ask = () => post(`investor/deals/${deal.deal_id}/documents/${document.document_id}/download`, investor);
    assert.deepEqual([(await list()).body.data, (await ask()).status], [[], 404]);
    await post(`investor/deals/${deal.deal_id}/ioi`, investor, { interest_amount: 5_000 });
    const show = (visibility: string) =>
      gateway.call('PUT', `/v1/api/deals/documents/${document.document_id}/visibility`, { as: owner, body: { visibility } });
    for (const visibility of ['INVESTORS', 'PRIVATE', 'INVESTORS']) assert.equal((await show(visibility)).status, 200);
    const told = await gateway.call('GET', '/v1/api/alerts?type=document.uploaded', { as: investor });
    assert.equal(told.body.meta.total, 1);
    assert.equal((await list()).body.data[0].document_id, document.document_id);
    const address = (await ask()).body.data;
    const read = await gateway.call('GET', pathOf(address.download_url));
    assert.equal(read.status, 200);
    assert.equal(read.headers['x-content-type-options'], 'nosniff');
    assert.match(String(read.headers['content-disposition']), /^attachment; filename="terms.pdf"/);
    assert.equal((read.body as unknown as { text: string }).text, PDF.toString());
    const log = await gateway.call('GET', `/v1/api/deals/documents/${document.document_id}/access-log`, { as: owner });
    assert.deepEqual(
      log.body.data.map((row: { reader: string; act: string }) => [row.reader, row.act]),
      [
        ['Reader', 'DOWNLOADED'],
        ['Reader', 'ADDRESS_ISSUED'],
      ],
    );
    assert.equal(
      (await gateway.call('GET', `/v1/api/deals/documents/${document.document_id}/access-log`, { as: rival })).status,
      404,
    );
    await show('PRIVATE');
    assert.equal((await gateway.call('GET', pathOf(address.download_url))).status, 403);
    assert.equal((await gateway.call('GET', `${pathOf(address.download_url)}x`)).status, 403);
    assert.equal((await gateway.call('PUT', pathOf(address.download_url), { as: owner, raw: PDF })).status, 405);
  });

  await t.test('a repeated download request gets a fresh address and one entry in the log', async () => {
    const document = (await upload('once.pdf', PDF)).completed.body.data;
    const ask = () =>
      gateway.call('POST', `/v1/api/deals/documents/${document.document_id}/download`, {
        as: owner,
        headers: { 'idempotency-key': 'once' },
      });
    const [first, second] = [await ask(), await ask()];
    assert.equal(second.headers['idempotency-replayed'], 'true');
    for (const answer of [first, second])
      assert.equal((await gateway.call('GET', pathOf(answer.body.data.download_url))).status, 200);
    const log = await gateway.call('GET', `/v1/api/deals/documents/${document.document_id}/access-log`, { as: owner });
    assert.equal(log.body.data.filter((row: { act: string }) => row.act === 'ADDRESS_ISSUED').length, 1);
  });

  await t.test('a repeated download request gets no address once the deal is withdrawn', async () => {
    const gone = await listDeal(gateway, owner, { name: 'Withdrawn' });
    const document = (await upload('gone.pdf', PDF, { dealId: gone.deal_id })).completed.body.data;
    const shown = await gateway.call('PUT', `/v1/api/deals/documents/${document.document_id}/visibility`, {
      as: owner,
      body: { visibility: 'INVESTORS' },
    });
    assert.equal(shown.status, 200);
    const ask = () =>
      gateway.call('POST', `/v1/api/investor/deals/${gone.deal_id}/documents/${document.document_id}/download`, {
        as: investor,
        headers: { 'idempotency-key': 'gone' },
      });
    assert.equal((await ask()).status, 200);
    const sql = `update securitization_deals set market_status = 'WITHDRAWN' where deal_id = $1`;
    await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(sql, [gone.deal_id]));
    assert.equal((await ask()).status, 404);
  });
});

/** A zip archive with these entries, as small as one can be. */
function zipOf(names: string[]): Buffer {
  const packed = deflateRawSync(Buffer.from('x'));
  const entries = names.map((name) => {
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(8, 8);
    header.writeUInt32LE(packed.length, 18);
    header.writeUInt32LE(1, 22);
    header.writeUInt16LE(name.length, 26);
    return Buffer.concat([header, Buffer.from(name), packed]);
  });
  const directory = names.map((name, index) => {
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(name.length, 28);
    record.writeUInt32LE(
      entries.slice(0, index).reduce((sum, each) => sum + each.length, 0),
      42,
    );
    return Buffer.concat([record, Buffer.from(name)]);
  });
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(names.length, 10);
  end.writeUInt32LE(
    directory.reduce((sum, each) => sum + each.length, 0),
    12,
  );
  end.writeUInt32LE(
    entries.reduce((sum, each) => sum + each.length, 0),
    16,
  );
  return Buffer.concat([...entries, ...directory, end]);
}
