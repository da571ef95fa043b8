import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DOCUMENTS, dealRoom, PDF } from '../../../test/support/documents.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { listDeal } from '../../../test/support/market.ts';
import { put, seller, XLSX } from '../../../test/support/tapes.ts';
import { checkDocument, completeDocument } from './complete-document.ts';

const LONGER = Buffer.concat([PDF, PDF]);
type Room = Awaited<ReturnType<typeof dealRoom>>;

test('an upload of a document', async (t) => {
  await using gateway = await startGateway();

  await t.test('is opened for the kinds of documents that there are, in either case of the extension', async () => {
    const { initiate } = await dealRoom(gateway, 'Opener');
    for (const extension of ['pdf', 'png', 'jpg', 'jpeg', 'docx', 'xlsx', 'csv', 'PDF', 'Docx']) {
      const { status, body } = await initiate(`terms.${extension}`);
      assert.equal(status, 201, extension);
      assert.match(body.data.file_key, new RegExp(`^upload/documents/onboarding/[0-9a-f-]{36}\\.${extension.toLowerCase()}$`));
      assert.deepEqual([body.data.max_bytes, body.data.upload_headers], [25 * 1024 * 1024, {}], extension);
    }
    for (const fileName of ['tool.exe', 'page.html', 'old.doc', 'book.xlsm', 'noextension', 'pdf', 'a.pdf.zip', '.pdf '])
      assert.equal((await initiate(fileName)).status, 400, fileName);
  });

  await t.test('is opened for no file name that is a path, a device, a control, an override or too long', async () => {
    const { initiate } = await dealRoom(gateway, 'Names');
    for (const fileName of [
      '../../etc/passwd.csv',
      'con.csv',
      'a\u202efdp.csv',
      'a\tb.csv',
      'a/b.pdf',
      'a\\b.pdf',
      `${'x'.repeat(252)}.csv`,
    ])
      assert.equal((await initiate(fileName)).status, 400, fileName);
    assert.equal((await initiate('a\u0000.csv')).status, 400);
    assert.equal((await initiate(`${'x'.repeat(251)}.csv`)).status, 201);
  });

  await t.test('may say its content type, which is that of the extension and binds the address', async () => {
    const { initiate } = await dealRoom(gateway, 'Typed');
    const named = await initiate('a.pdf', { contentType: 'Application/PDF; charset=binary' });
    assert.deepEqual(named.body.data.upload_headers, { 'content-type': 'application/pdf' });
    const url = new URL(named.body.data.upload_url).pathname;
    const send = (type: string) => gateway.call('PUT', url, { headers: { 'content-type': type }, raw: PDF });
    assert.deepEqual([(await send('image/png')).status, (await send('application/pdf')).status], [403, 200]);
    for (const [fileName, contentType] of [
      ['a.pdf', 'image/png'],
      ['a.jpg', 'image/jpg'],
      ['a.csv', XLSX],
      ['a.csv', ''],
    ] as const) {
      const refused = await initiate(fileName, { contentType });
      assert.deepEqual([refused.status, refused.body.errors?.[0].field], [400, 'contentType'], `${fileName} ${contentType}`);
    }
  });

  await t.test('takes 25 MiB, and is refused while more than that streams in', async () => {
    const { initiate } = await dealRoom(gateway, 'Large');
    const limit = 25 * 1024 * 1024;
    const send = async (bytes: number) => {
      const { upload_url } = (await initiate('large.csv')).body.data;
      return (await gateway.call('PUT', new URL(upload_url).pathname, { raw: Buffer.alloc(bytes, 65) })).status;
    };
    assert.deepEqual([await send(limit), await send(limit + 1)], [200, 413]);
  });

  await t.test('is opened for a deal of one’s own, and for no other', async () => {
    const [ours, theirs] = [await dealRoom(gateway, 'Owner'), await dealRoom(gateway, 'Other')];
    const listed = await listDeal(gateway, ours.as);
    const loanDeal = (await (await seller(gateway, 'Owner')).initiate()).body.data.deal_id;
    for (const dealId of [listed.deal_id, loanDeal]) {
      assert.equal((await ours.initiate('a.pdf', { dealId })).status, 201);
      assert.deepEqual(codeOf(await theirs.initiate('a.pdf', { dealId })), [404, 'NOT_FOUND']);
    }
    assert.deepEqual(codeOf(await ours.initiate('a.pdf', { dealId: 'deal_none' })), [404, 'NOT_FOUND']);
  });
});

test('a document is registered', async (t) => {
  await using gateway = await startGateway();

  await t.test('with its hash and size, as a W-9 unless said otherwise, and its owner is told', async () => {
    const { send, complete, as } = await dealRoom(gateway, 'Registrar');
    const { body } = await send('w9.pdf');
    const { status, body: answer } = await complete(body);
    assert.equal(status, 201, JSON.stringify(answer));
    const { document_id, created_at, sha256, ...rest } = answer.data;
    assert.deepEqual(rest, {
      status: 'uploaded',
      document_type: 'W9_FORM',
      deal_id: null,
      file_name: 'w9.pdf',
      file_key: body.fileKey,
      content_type: 'application/pdf',
      size: PDF.length,
      version: 1,
      visibility: 'PRIVATE',
    });
    assert.match(sha256, /^[0-9a-f]{64}$/);
    const read = async (path: string) => (await gateway.call('GET', path, { as })).body.data;
    const [alert, ...more] = await read('/v1/api/alerts?type=document.uploaded');
    assert.deepEqual([alert.entity_id, alert.priority, more], [document_id, 'LOW', []]);
    const [event, ...others] = await read('/v1/api/events?type=document.uploaded');
    assert.deepEqual(others, []);
    assert.deepEqual(event.data, {
      document_id,
      deal_id: null,
      document_type: 'W9_FORM',
      file_name: 'w9.pdf',
      uploaded_at: created_at,
    });
    const [entry] = await read(`/v1/api/audit?entity_id=${document_id}`);
    assert.deepEqual(
      [entry.action, entry.actor, entry.after],
      ['document.registered', as.key_id, { deal_id: null, file_name: 'w9.pdf', version: 1, sha256 }],
    );
  });

  await t.test('under the type and the deal of its completion, else those of its initiate', async () => {
    const { as, send, complete } = await dealRoom(gateway, 'Typing');
    const [first, second] = [await listDeal(gateway, as), await listDeal(gateway, as, { name: 'Second' })];
    const given = { documentType: 'OFFERING_MEMORANDUM', dealId: first.deal_id };
    const later = async (changes: object) => {
      const { fileName, fileKey } = (await send('memo.pdf', PDF, given)).body;
      const { data } = (await complete({ fileName, fileKey, ...changes })).body;
      return [data.document_type, data.deal_id];
    };
    assert.deepEqual(await later({}), ['OFFERING_MEMORANDUM', first.deal_id]);
    assert.deepEqual(await later({ documentType: 'TERM_SHEET' }), ['TERM_SHEET', first.deal_id]);
    assert.deepEqual(await later({ dealId: second.deal_id }), ['OFFERING_MEMORANDUM', second.deal_id]);
  });

  await t.test('once, however many completions come at once', async () => {
    const { as, send, complete, call } = await dealRoom(gateway, 'Hasty');
    const { body } = await send('once.pdf');
    const answers = await Promise.all([1, 2, 3].map(() => complete(body)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
    assert.deepEqual(codeOf(await complete(body)), [409, 'ALREADY_COMPLETED']);
    assert.equal((await call('GET', '')).body.pagination.total, 1);
    assert.equal((await gateway.call('GET', '/v1/api/alerts?type=document.uploaded', { as })).body.meta.total, 1);
  });

  await t.test('with the bytes that were checked: others that were sent since wait for a request of their own', async () => {
    const { as, send, complete } = await dealRoom(gateway, 'Resender');
    const { put: resend, body } = await send('resent.pdf');
    const request = { fileName: body.fileName, fileKey: body.fileKey };
    const checked = await checkDocument(gateway.deps, as, request);
    assert.equal((await resend(LONGER)).status, 200, 'an upload that is not completed takes its bytes anew');
    const stale = gateway.deps.db.tx({ organization: as.organization_id }, (tx) =>
      completeDocument(tx, as, { ...request, checked }),
    );
    await assert.rejects(stale, { code: 'CONFLICT' });
    const completed = await complete(body);
    assert.deepEqual([completed.status, completed.body.data.size], [201, LONGER.length]);
    assert.equal((await resend(PDF)).status, 409, 'a completed one takes none');
  });

  await t.test('of another upload between check and commit not at all', async () => {
    const { as, send, complete } = await dealRoom(gateway, 'Overtaken');
    const { body } = await send('a.pdf');
    const request = { fileName: body.fileName, fileKey: body.fileKey };
    const checked = await checkDocument(gateway.deps, as, request);
    await complete(body);
    const late = gateway.deps.db.tx({ organization: as.organization_id }, (tx) =>
      completeDocument(tx, as, { ...request, checked }),
    );
    await assert.rejects(late, { code: 'ALREADY_COMPLETED' });
  });
});

test('a document is not registered, and nothing of it is kept or told,', async (t) => {
  await using gateway = await startGateway();
  const nothing = async ({ as, call }: Room): Promise<void> => {
    assert.equal((await call('GET', '')).body.pagination.total, 0);
    assert.equal((await gateway.call('GET', '/v1/api/alerts', { as })).body.meta.total, 0);
    assert.deepEqual((await gateway.call('GET', '/v1/api/events', { as })).body.data, []);
    assert.equal((await gateway.call('GET', '/v1/api/audit?action=document.registered', { as })).body.pagination.total, 0);
  };

  await t.test('before its bytes were sent, or when there are none', async () => {
    const room = await dealRoom(gateway, 'Empty');
    const { file_key } = (await room.initiate('late.pdf')).body.data;
    assert.deepEqual(codeOf(await room.complete({ fileName: 'late.pdf', fileKey: file_key })), [422, 'FILE_NOT_UPLOADED']);
    const { body } = await room.send('empty.pdf', Buffer.alloc(0));
    assert.deepEqual(codeOf(await room.complete(body)), [422, 'EMPTY_FILE']);
    await nothing(room);
  });

  await t.test('when its content is not what the extension says; the right bytes may follow', async () => {
    const room = await dealRoom(gateway, 'Mismatched');
    const { body, put: resend } = await room.send('program.pdf', Buffer.from('MZ\u0090\u0000'));
    const refused = await room.complete(body);
    assert.deepEqual(codeOf(refused), [422, 'TYPE_MISMATCH']);
    assert.match(refused.body.message ?? '', /does not start as a PDF/);
    await nothing(room);
    await resend(PDF);
    assert.equal((await room.complete(body)).status, 201);
  });

  await t.test('when its bytes in the store are not those that were sent', async () => {
    const room = await dealRoom(gateway, 'Damaged');
    const { body } = await room.send('a.pdf');
    const [row] = await gateway.deps.db.tx({ organization: room.as.organization_id }, (tx) =>
      tx.rows<{ object_key: string }>('select object_key from uploads'),
    );
    writeFileSync(join(gateway.deps.config.dataDir, 'objects', row?.object_key ?? ''), Buffer.from(PDF).reverse());
    assert.deepEqual(codeOf(await room.complete(body)), [422, 'FILE_NOT_UPLOADED']);
    await nothing(room);
  });

  await t.test('under another name than that of its initiate', async () => {
    const room = await dealRoom(gateway, 'Renamed');
    const { body } = await room.send('fine.pdf');
    const other = await room.complete({ ...body, fileName: 'other.pdf' });
    assert.deepEqual([...codeOf(other), other.body.errors?.[0].field], [400, 'FILE_NAME_MISMATCH', 'fileName']);
    for (const fileName of ['../../etc/passwd', 'con.csv', ''])
      assert.deepEqual(codeOf(await room.complete({ ...body, fileName })), [400, 'VALIDATION_FAILED'], fileName);
    await nothing(room);
  });

  await t.test('with a key that is none, another organization’s, or of an upload for another purpose', async () => {
    const [room, victim] = [await dealRoom(gateway, 'Thief'), await dealRoom(gateway, 'Victim')];
    const { body } = await victim.send('secret.pdf');
    assert.deepEqual(codeOf(await room.complete(body)), [404, 'NOT_FOUND']);
    const absent = `upload/documents/onboarding/${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}.pdf`;
    assert.deepEqual(codeOf(await room.complete({ fileName: 'a.pdf', fileKey: absent })), [404, 'NOT_FOUND']);
    const tape = await (await seller(gateway, 'Thief')).initiate();
    await put(gateway, tape, 'a,b\n1,2\n');
    for (const fileKey of [
      tape.body.data.file_key,
      body.fileKey.replace('.pdf', '.exe'),
      `${body.fileKey.replace('.pdf', '')}/../x.pdf`,
      `x/${body.fileKey}`,
      `${body.fileKey}\n`,
      'file:///etc/passwd',
      's3://bucket/key',
      'upload/documents/onboarding/1.pdf',
    ]) {
      const refused = await room.complete({ fileName: 'a.pdf', fileKey });
      assert.deepEqual([refused.status, refused.body.errors?.[0].field], [400, 'fileKey'], fileKey);
    }
    await nothing(room);
    assert.equal((await victim.complete(body)).status, 201, 'its owner has it still');
  });

  await t.test('for a deal that is not its owner’s', async () => {
    const [room, other] = [await dealRoom(gateway, 'Intruder'), await dealRoom(gateway, 'Listed')];
    const deal = await listDeal(gateway, other.as);
    const { body } = await room.send('own.pdf');
    for (const dealId of [deal.deal_id, 'deal_none'])
      assert.deepEqual(codeOf(await room.complete({ ...body, dealId })), [404, 'NOT_FOUND'], dealId);
    await nothing(room);
  });

  await t.test('by an investor or the operator, or with a type that is no type', async () => {
    const room = await dealRoom(gateway, 'Roles');
    const { body } = await room.send('a.pdf');
    for (const role of ['investor', 'operator'] as const) {
      const as = await gateway.key(role, `A ${role}`);
      assert.deepEqual(codeOf(await gateway.call('POST', `${DOCUMENTS}/complete`, { as, body })), [403, 'ROLE_FORBIDDEN'], role);
    }
    for (const documentType of ['w9', '9_FORM', 'W9 FORM', `A${'B'.repeat(64)}`, '', null])
      assert.deepEqual(codeOf(await room.complete({ ...body, documentType })), [400, 'VALIDATION_FAILED'], String(documentType));
    await nothing(room);
    assert.equal((await room.complete({ ...body, documentType: `A${'B'.repeat(63)}` })).status, 201);
  });
});
