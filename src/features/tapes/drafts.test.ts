import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { autoTape, CSV, PARQUET, put, seller, XLSX } from '../../../test/support/tapes.ts';
import { LOAN_TYPES } from '../../loans/types.ts';

const MIB = 1024 * 1024;

test('a DRAFT deal', async (t) => {
  await using gateway = await startGateway();

  await t.test('is opened with an address for its file that works for 15 minutes, and the limit of its format', async () => {
    const { initiate } = await seller(gateway, 'Opener');
    const began = Date.now();
    const { status, body } = await initiate({ fileName: 'auto-2026-10.csv' });
    assert.equal(status, 201);
    const { id, deal_id, file_key, upload_url, expires_at, ...rest } = body.data;
    assert.equal(id, deal_id);
    assert.partialDeepStrictEqual(rest, {
      status: 'DRAFT',
      loan_type: 'Auto',
      file_name: 'auto-2026-10.csv',
      upload_headers: { 'content-type': CSV },
      max_bytes: 512 * MIB,
    });
    assert.match(deal_id, /^deal_/);
    assert.match(file_key, /^upload\/tapes\/[0-9a-f-]{36}\.csv$/);
    assert.ok(upload_url.startsWith(`${gateway.deps.publicUrl()}/v1/uploads/`));
    const lifeSeconds = (Date.parse(expires_at) - began) / 1000;
    assert.ok(lifeSeconds > 895 && lifeSeconds < 930, `${lifeSeconds} s`);
    const workbook = await initiate({ loanType: 'Student', fileFormat: XLSX, fileName: 'b.xlsx' });
    assert.deepEqual([workbook.body.data.max_bytes, workbook.body.data.upload_headers], [100 * MIB, { 'content-type': XLSX }]);
  });

  await t.test('has the name that it was given, else that of its file without the extension', async () => {
    const { initiate, deal } = await seller(gateway, 'Namer');
    const nameOf = async (loanType: string, changes: object) =>
      (await deal((await initiate({ loanType, ...changes })).body.data.deal_id)).name;
    assert.equal(await nameOf('Auto', { name: 'Übergabe №1', fileName: 'x.csv' }), 'Übergabe №1');
    assert.equal(await nameOf('Personal', { fileName: 'tape.2026-10.csv' }), 'tape.2026-10');
    assert.equal(await nameOf('Student', { fileName: 'no extension' }), 'no extension');
    assert.equal(await nameOf('Business', { fileName: 'book.spreadsheet' }), 'book.spreadsheet', 'not an extension');
  });

  await t.test('is one per organization and loan type, however many are requested at once', async () => {
    const { initiate, call } = await seller(gateway, 'Hasty');
    const answers = await Promise.all(Array.from({ length: 20 }, () => initiate()));
    const [made, ...more] = answers.filter((answer) => answer.status === 201);
    assert.deepEqual(more, []);
    const refused = answers.filter((answer) => answer !== made);
    assert.equal(refused.length, 19);
    for (const answer of refused) {
      assert.deepEqual([...codeOf(answer), answer.body.existing_deal_id], [409, 'DRAFT_EXISTS', made?.body.data.deal_id]);
    }
    assert.equal((await call('GET', '')).body.pagination.total, 1);
  });

  await t.test('of one loan type keeps none of another type or of another organization away', async () => {
    const [ours, theirs] = [await seller(gateway, 'Six types'), await seller(gateway, 'Neighbour')];
    for (const loanType of LOAN_TYPES) assert.equal((await ours.initiate({ loanType })).status, 201, loanType);
    for (const loanType of LOAN_TYPES) assert.equal((await ours.initiate({ loanType })).status, 409, loanType);
    assert.equal((await theirs.initiate()).status, 201);
  });

  await t.test('makes room for the next one when it is completed or deleted', async () => {
    const { initiate, complete, call, uploaded } = await seller(gateway, 'Turning');
    const first = await uploaded();
    assert.equal((await initiate()).status, 409);
    assert.equal((await complete(first)).status, 202);
    const second = await initiate();
    assert.equal(second.status, 201);
    assert.equal((await call('DELETE', `/${second.body.data.deal_id}`)).status, 200);
    assert.equal((await initiate()).status, 201);
  });

  await t.test('is not opened for a request that is wrong, and none is left behind', async () => {
    const { initiate, call } = await seller(gateway, 'Mistaken');
    const wrong: [string, Record<string, unknown>][] = [
      ['loanType', { loanType: 'Boat' }],
      ['loanType', { loanType: 'auto' }],
      ['loanType', { loanType: undefined }],
      ['fileFormat', { fileFormat: 'application/pdf' }],
      ['fileFormat', { fileFormat: null }],
      ['fileName', { fileName: undefined }],
      ['fileName', { fileName: '' }],
      ['fileName', { fileName: '../tape.csv' }],
      ['fileName', { fileName: `${'a'.repeat(252)}.csv` }],
      ['fileName', { fileName: 7 }],
      ['fileSize', { fileSize: -1 }],
      ['fileSize', { fileSize: 1.5 }],
      ['fileSize', { fileSize: '10' }],
      ['name', { name: '' }],
      ['name', { name: 'x'.repeat(201) }],
      ['name', { name: 'a\u202eb' }],
    ];
    for (const [field, changes] of wrong) {
      const refused = await initiate(changes);
      assert.deepEqual([refused.status, refused.body.errors?.[0].field], [400, field], JSON.stringify(changes));
    }
    assert.equal((await call('GET', '')).body.pagination.total, 0);
    assert.equal((await initiate({ fileName: `${'a'.repeat(251)}.csv`, name: 'x'.repeat(200) })).status, 201, 'at the limits');
  });

  await t.test('may declare a file as large as its format allows, and not a byte more', async () => {
    const { initiate, call } = await seller(gateway, 'Large');
    for (const [fileFormat, limit] of [
      [CSV, 512 * MIB],
      [XLSX, 100 * MIB],
      [PARQUET, 512 * MIB],
    ] as const) {
      const refused = await initiate({ fileFormat, fileSize: limit + 1 });
      assert.deepEqual(codeOf(refused), [413, 'PAYLOAD_TOO_LARGE']);
      const taken = await initiate({ fileFormat, fileSize: limit });
      assert.equal(taken.status, 201);
      await call('DELETE', `/${taken.body.data.deal_id}`);
    }
    assert.equal((await call('GET', '')).body.pagination.total, 0);
  });

  await t.test('is opened, refreshed and deleted by its originator alone', async () => {
    const [ours, theirs] = [await seller(gateway, 'Holder'), await seller(gateway, 'Intruder')];
    const dealId = await ours.uploaded();
    for (const path of [`/${dealId}`, '/deal_none']) {
      assert.deepEqual(codeOf(await theirs.call('PATCH', path, {})), [404, 'NOT_FOUND']);
      assert.deepEqual(codeOf(await theirs.call('DELETE', path)), [404, 'NOT_FOUND']);
    }
    for (const role of ['investor', 'operator'] as const) {
      const as = await gateway.key(role, `A ${role}`);
      for (const [method, path] of [
        ['POST', '/initiate'],
        ['PATCH', `/${dealId}`],
        ['DELETE', `/${dealId}`],
      ] as const) {
        const answer = await gateway.call(method, `/v1/api/originator/loans${path}`, {
          as,
          ...(method === 'DELETE' ? {} : { body: {} }),
        });
        assert.deepEqual(codeOf(answer), [403, 'ROLE_FORBIDDEN'], `${role} ${method}`);
      }
    }
    assert.equal((await ours.complete(dealId)).status, 202, 'what was sent is still there');
  });
});

test('a new address of a DRAFT', async (t) => {
  await using gateway = await startGateway();

  await t.test('ends the old one, and what was sent to it is dropped', async () => {
    const { initiate, call, complete } = await seller(gateway, 'Refresher');
    const first = await initiate();
    const dealId = first.body.data.deal_id;
    assert.equal((await put(gateway, first, autoTape(3))).status, 200);
    const second = await call('PATCH', `/${dealId}`, {});
    assert.equal(second.status, 200);
    assert.deepEqual([second.body.data.deal_id, second.body.data.file_key], [dealId, first.body.data.file_key]);
    assert.notEqual(second.body.data.upload_url, first.body.data.upload_url);
    assert.deepEqual(codeOf(await put(gateway, first, autoTape(3))), [403, 'SIGNATURE_INVALID']);
    assert.deepEqual(codeOf(await complete(dealId)), [422, 'FILE_NOT_UPLOADED']);
    assert.equal((await put(gateway, second, autoTape(4))).status, 200);
    assert.equal((await complete(dealId)).status, 202);
  });

  await t.test('may name another file and another format, which brings its own limit and header', async () => {
    const { initiate, call, complete } = await seller(gateway, 'Renamer');
    const dealId = (await initiate({ fileSize: 10 })).body.data.deal_id;
    const renamed = await call('PATCH', `/${dealId}`, { fileName: 'other.csv' });
    assert.deepEqual([renamed.body.data.file_name, renamed.body.data.max_bytes], ['other.csv', 512 * MIB]);
    const workbook = (await call('PATCH', `/${dealId}`, { fileFormat: XLSX })).body.data;
    assert.deepEqual(
      [workbook.file_name, workbook.max_bytes, workbook.upload_headers],
      ['other.csv', 100 * MIB, { 'content-type': XLSX }],
    );
    const back = await call('PATCH', `/${dealId}`, { fileFormat: CSV });
    assert.equal(
      (await put(gateway, back, autoTape(3))).status,
      200,
      'the size that was declared for the first file is not asked of this one',
    );
    assert.deepEqual(codeOf(await complete(dealId)), [400, 'FILE_NAME_MISMATCH']);
    assert.equal((await complete(dealId, 'other.csv')).status, 202);
  });

  await t.test('needs no body, and refuses a name or format that is none without ending the old address', async () => {
    const { initiate, call } = await seller(gateway, 'Careful');
    const first = await initiate();
    const path = `/${first.body.data.deal_id}`;
    for (const body of [{ fileName: 'a/b.csv' }, { fileName: 'nul' }, { fileFormat: 'text/plain' }]) {
      assert.deepEqual(codeOf(await call('PATCH', path, body)), [400, 'VALIDATION_FAILED'], JSON.stringify(body));
    }
    assert.equal((await put(gateway, first, 'x')).status, 200);
    assert.equal((await call('PATCH', path)).status, 200);
    assert.equal((await put(gateway, first, 'x')).status, 403);
  });

  await t.test('is not made for a deal that is no DRAFT any more, nor is such a deal deleted', async () => {
    const ours = await seller(gateway, 'Late');
    const operator = await gateway.key('operator', 'Platform');
    const [checked, approved] = [await ours.checked(), await ours.checked()];
    await gateway.call('POST', `/v1/operator/deals/${approved}/approve`, { as: operator });
    const reviewed = await ours.sent(autoTape(5), 'Student');
    for (const [dealId, status] of [
      [reviewed, 'IN_REVIEW'],
      [checked, 'QC_COMPLETED'],
      [approved, 'APPROVED'],
    ] as const) {
      for (const method of ['PATCH', 'DELETE']) {
        const refused = await ours.call(method, `/${dealId}`, method === 'PATCH' ? {} : undefined);
        assert.deepEqual(
          [...codeOf(refused), refused.body.current_status, refused.body.allowed],
          [409, 'INVALID_TRANSITION', status, ['DRAFT']],
          `${method} ${status}`,
        );
      }
      assert.equal((await ours.deal(dealId)).status, status);
    }
  });
});

test('a DRAFT that is deleted is gone, with its upload and its address', async () => {
  await using gateway = await startGateway();
  const { initiate, call, complete, as } = await seller(gateway, 'Deleter');
  const initiated = await initiate();
  const dealId = initiated.body.data.deal_id;
  await put(gateway, initiated, autoTape(3));
  const deleted = await call('DELETE', `/${dealId}`);
  assert.deepEqual([deleted.status, typeof deleted.body.message], [200, 'string']);
  assert.equal((await call('GET', `/${dealId}`)).status, 404);
  assert.equal((await call('DELETE', `/${dealId}`)).status, 404);
  assert.equal((await complete(dealId)).status, 404);
  assert.deepEqual(codeOf(await put(gateway, initiated, 'x')), [403, 'SIGNATURE_INVALID']);
  const left = await gateway.deps.db.tx({ organization: as.organization_id }, (tx) =>
    tx.rows(`select deal_id from deals union all select deal_id from uploads union all select deal_id from deal_history`),
  );
  assert.deepEqual(left, []);
});
