import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { PDF, pathOf } from '../../../test/support/documents.ts';
import { codeOf, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { setProfile } from '../../../test/support/market.ts';

const PROFILE = '/v1/api/investor/profile';
const FULL = {
  kyc_status: 'VERIFIED',
  kyc_expires_on: null,
  sanctions_status: 'CLEAR',
  qib: true,
  accredited: true,
  us_person: true,
  tax_form: 'W9_FORM',
  erisa_plan: false,
};

test('an investor’s profile', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const lacking = async (as: Holder): Promise<Record<string, [string, string[]]>> =>
    Object.fromEntries(
      (await desk.read('profile', as)).offerings.map((each: { offering: string; result: string; lacks: { check: string }[] }) => [
        each.offering,
        [each.result, each.lacks.map(({ check }) => check)],
      ]),
    );

  await t.test('has its own facts, and per kind of offering the checks that do not pass', async () => {
    const [investor, other] = [await desk.investor(), await desk.investor({ qib: false })];
    const { organization_id, organization, profile, filing } = await desk.read('profile', investor);
    assert.deepEqual([organization_id, organization, filing], [investor.organization_id, 'Investor 1', null]);
    assert.deepEqual([profile.kyc_status, profile.qib], ['VERIFIED', true]);
    assert.deepEqual(await lacking(investor), {
      '144A': ['passed', []],
      '506C': ['passed', []],
      REG_S: ['failed', ['eligibility']],
    });
    assert.deepEqual((await lacking(other))['144A'], ['failed', ['eligibility']]);
    await setProfile(gateway, other, {
      kyc_expires_on: '2020-01-01',
      sanctions_status: 'REVIEW',
      tax_form: null,
      us_person: false,
    });
    assert.deepEqual((await lacking(other)).REG_S, ['failed', ['investor_profile', 'sanctions', 'tax_form']]);
    await setProfile(gateway, other, {
      kyc_status: 'PENDING',
      kyc_expires_on: null,
      sanctions_status: 'CLEAR',
      tax_form: 'W9_FORM',
      qib: true,
    });
    assert.deepEqual((await lacking(other))['144A'], ['review_required', ['investor_profile']]);
  });

  await t.test('says what a subscription would be refused for, also where there is none', async () => {
    const deal = await desk.list({ offering: 'REG_S' });
    for (const facts of [null, {}, { us_person: false, tax_form: null }, { us_person: false, sanctions_status: 'HIT' }]) {
      const investor = await desk.investor(facts);
      const answer = await desk.check(deal, investor, 1_000_000);
      const { offerings, profile } = await desk.read('profile', investor);
      assert.equal(profile === null, facts === null);
      const { lacks } = offerings.find((each: { offering: string }) => each.offering === 'REG_S');
      const refused = (answer.body.errors ?? []).filter((each) => each.result !== 'passed' && each.check !== 'erisa');
      assert.deepEqual(
        lacks,
        refused.map(({ check, result, reason }) => ({ check, result, reason })),
      );
      assert.ok(lacks.length > 0);
    }
  });
});

test('a tax form', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const initiate = (as: Holder, body: object, headers = {}) =>
    gateway.call('POST', `${PROFILE}/documents/initiate`, { as, body, headers });
  const complete = (as: Holder, body: object, path = `${PROFILE}/documents/complete`) => gateway.call('POST', path, { as, body });
  const send = async (as: Holder, fileName = 'w8.pdf', more: object = { documentType: 'W8_FORM' }) => {
    const { upload_url, file_key, upload_headers } = dataOf(await initiate(as, { fileName, ...more }));
    assert.equal((await gateway.call('PUT', pathOf(upload_url), { raw: PDF, headers: upload_headers })).status, 200);
    return { fileName, fileKey: file_key as string };
  };

  await t.test('is filed, is pending until the operator sets the profile, and changes no check by itself', async () => {
    const investor = await desk.investor({ tax_form: null });
    const filed = dataOf(await complete(investor, await send(investor)));
    assert.deepEqual(
      [filed.status, filed.document_type, filed.file_name, filed.version, filed.size],
      ['PENDING', 'W8_FORM', 'w8.pdf', 1, PDF.length],
    );
    const told = dataOf(await desk.send('GET', '/v1/operator/alerts?type=compliance.review_required', desk.operator));
    assert.deepEqual(
      told.map((each: { entity_id: string }) => each.entity_id),
      [filed.document_id],
    );
    const read = await desk.read('profile', investor);
    assert.deepEqual(read.filing, filed);
    assert.equal(read.profile.tax_form, null);
    assert.equal(read.offerings[0].lacks.at(-1).check, 'tax_form');
    const audited = await desk.audited(filed.document_id);
    assert.deepEqual(
      audited.map((entry) => [entry.action, entry.actor]),
      [['profile.document_filed', investor.key_id]],
    );
    const waiting = async () => dataOf(await desk.operate('GET', `profile-documents?status=PENDING`));
    const [row] = await waiting();
    assert.deepEqual(
      [row.document_id, row.organization_id, row.organization],
      [filed.document_id, investor.organization_id, read.organization],
    );
    await gateway.advance(1);
    const path = `organizations/${investor.organization_id}/profile`;
    dataOf(await desk.operate('PUT', path, { ...FULL, tax_form: 'W8_FORM' }));
    const after = await desk.read('profile', investor);
    assert.deepEqual([after.filing.status, after.profile.tax_form, after.offerings[0].lacks], ['REVIEWED', 'W8_FORM', []]);
    assert.deepEqual(await waiting(), []);
    await gateway.advance(1);
    const again = dataOf(await complete(investor, await send(investor)));
    assert.deepEqual([again.version, again.status], [2, 'PENDING']);
    const statuses = dataOf(await desk.operate('GET', `profile-documents?organization_id=${investor.organization_id}`));
    assert.deepEqual(
      statuses.map((each: { status: string; version: number }) => [each.version, each.status]),
      [
        [2, 'PENDING'],
        [1, 'REVIEWED'],
      ],
    );
  });

  await t.test('is read by the operator at a short-lived address, with a trace', async () => {
    const investor = await desk.investor();
    const { document_id } = dataOf(await complete(investor, await send(investor)));
    const path = `profile-documents/${document_id}/download`;
    const { download_url, organization_id } = dataOf(await desk.operate('POST', path));
    assert.equal(organization_id, investor.organization_id);
    const answer = await gateway.call('GET', pathOf(download_url));
    assert.deepEqual([answer.status, answer.text], [200, PDF.toString()]);
    const accesses = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ act: string; reader_id: string }>('select act, reader_id from document_accesses where document_id = $1', [
        document_id,
      ]),
    );
    assert.deepEqual(
      accesses.map((each) => [each.act, each.reader_id]),
      [
        ['ADDRESS_ISSUED', desk.operator.organization_id],
        ['DOWNLOADED', desk.operator.organization_id],
      ],
    );
    const headers = { 'idempotency-key': 'form' };
    const repeat = () => gateway.call('POST', `/v1/operator/${path}`, { as: desk.operator, headers });
    await repeat();
    const replayed = dataOf(await repeat());
    assert.equal((await gateway.call('GET', pathOf(replayed.download_url))).status, 200);
    assert.equal((await desk.operate('POST', 'profile-documents/doc_none/download')).status, 404);
  });

  await t.test('is in no deal room, and what is in one is no tax form', async () => {
    const both = await gateway.key('both', 'Both sides');
    const rooms = '/v1/api/deals/documents';
    const { document_id } = dataOf(await complete(both, await send(both)));
    const asRoom = (method: string, path: string, body?: object) =>
      gateway.call(method, `${rooms}${path}`, { as: both, ...(body ? { body } : {}) });
    assert.equal((await asRoom('GET', '')).body.pagination.total, 0);
    assert.equal((await asRoom('GET', `/${document_id}`)).status, 404);
    assert.equal((await asRoom('PUT', `/${document_id}/visibility`, { visibility: 'INVESTORS' })).status, 404);
    assert.equal((await asRoom('POST', `/${document_id}/download`)).status, 404);
    assert.deepEqual(codeOf(await complete(both, await send(both), `${rooms}/complete`)), [404, 'NOT_FOUND']);
    const room = dataOf(await asRoom('POST', '/initiate', { fileName: 'w8.pdf' }));
    await gateway.call('PUT', pathOf(room.upload_url), { raw: PDF });
    const body = { fileName: 'w8.pdf', fileKey: room.file_key };
    assert.deepEqual(codeOf(await complete(both, body)), [404, 'NOT_FOUND']);
    const inRoom = dataOf(await complete(both, body, `${rooms}/complete`));
    assert.equal(inRoom.version, 1);
    assert.equal((await desk.operate('POST', `profile-documents/${inRoom.document_id}/download`)).status, 404);
    assert.equal((await asRoom('GET', '')).body.data[0].document_id, inRoom.document_id);
  });

  await t.test('is its filer’s, of a known kind and content, and filed once', async () => {
    const [investor, other] = [await desk.investor(), await desk.investor()];
    const body = await send(investor);
    assert.deepEqual(codeOf(await complete(other, body)), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await complete(investor, { ...body, fileName: 'w9.pdf' })), [400, 'FILE_NAME_MISMATCH']);
    const answers = await Promise.all([complete(investor, body), complete(investor, body), complete(investor, body)]);
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [201, 409, 409]);
    assert.deepEqual(codeOf(await complete(investor, body)), [409, 'ALREADY_COMPLETED']);
    assert.deepEqual(codeOf(await initiate(investor, { fileName: 'w9.pdf', documentType: 'OFFERING_MEMORANDUM' })), [
      400,
      'VALIDATION_FAILED',
    ]);
    assert.equal((await initiate(investor, { fileName: 'w9.exe' })).status, 400);
    const named = dataOf(await initiate(investor, { file_name: 'w9.png', document_type: 'W9_FORM' }));
    const key = { fileName: 'w9.png', fileKey: named.file_key };
    assert.deepEqual(codeOf(await complete(investor, key)), [422, 'FILE_NOT_UPLOADED']);
    await gateway.call('PUT', pathOf(named.upload_url), { raw: PDF });
    assert.deepEqual(codeOf(await complete(investor, key)), [422, 'TYPE_MISMATCH']);
    const headers = { 'idempotency-key': 'open' };
    const opened = await initiate(investor, { fileName: 'w9.pdf' }, headers);
    const replayed = await initiate(investor, { fileName: 'w9.pdf' }, headers);
    assert.equal(dataOf(replayed).file_key, dataOf(opened).file_key);
    assert.equal((await gateway.call('PUT', pathOf(replayed.body.data.upload_url), { raw: PDF })).status, 200);
  });
});
