import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { listDeal } from '../../../test/support/market.ts';

const DOCUMENTS = '/v1/api/deals/documents';
const PDF = Buffer.from('%PDF-1.7\n1 0 obj << >> endobj\n%%EOF\n');

const post = (gateway: Gateway, path: string, as: Holder, body?: unknown): Promise<Answer> =>
  gateway.call('POST', path, { as, ...(body === undefined ? {} : { body }) });

/** Opens an upload and sends its bytes; the body of its completion. */
async function sent(gateway: Gateway, as: Holder, fileName: string, more: object = {}) {
  const initiated = await post(gateway, `${DOCUMENTS}/initiate`, as, { fileName, ...more });
  assert.equal(initiated.status, 201, JSON.stringify(initiated.body));
  const { upload_url, upload_headers, file_key } = initiated.body.data;
  const put = (raw: Buffer) => gateway.call('PUT', new URL(upload_url).pathname, { headers: upload_headers, raw });
  assert.equal((await put(PDF)).status, 200);
  return { put, body: { fileName, fileKey: file_key as string, ...more } };
}

async function registered(gateway: Gateway, as: Holder, fileName: string, more: object = {}): Promise<string> {
  const { body } = await sent(gateway, as, fileName, more);
  const completed = await post(gateway, `${DOCUMENTS}/complete`, as, body);
  assert.equal(completed.status, 201, JSON.stringify(completed.body));
  return completed.body.data.document_id;
}

test('a document', async (t) => {
  await using gateway = await startGateway();

  await t.test('is its organization’s alone: to others it is not there, with every act', async () => {
    const [owner, rival] = [await gateway.key('originator', 'Owner'), await gateway.key('originator', 'Rival')];
    const investor = await gateway.key('investor', 'Investor');
    const documentId = await registered(gateway, owner, 'private.pdf');
    const acts = (as: Holder): Promise<Answer>[] => [
      gateway.call('GET', `${DOCUMENTS}/${documentId}`, { as }),
      gateway.call('GET', `${DOCUMENTS}/${documentId}/access-log`, { as }),
      gateway.call('PUT', `${DOCUMENTS}/${documentId}/visibility`, { as, body: { visibility: 'INVESTORS' } }),
      post(gateway, `${DOCUMENTS}/${documentId}/download`, as),
    ];
    for (const { status } of await Promise.all(acts(rival))) assert.equal(status, 404);
    for (const { status } of await Promise.all(acts(investor))) assert.equal(status, 403);
    assert.equal((await gateway.call('GET', DOCUMENTS, { as: rival })).body.pagination.total, 0);
    const { data } = (await gateway.call('GET', `${DOCUMENTS}/${documentId}`, { as: owner })).body;
    assert.equal(data.visibility, 'PRIVATE');
    assert.equal((await gateway.call('GET', `${DOCUMENTS}/${documentId}/access-log`, { as: owner })).body.pagination.total, 0);
  });

  await t.test('is registered once, however many completions come at once', async () => {
    const owner = await gateway.key('originator', 'Hasty');
    const { body } = await sent(gateway, owner, 'once.pdf');
    const answers = await Promise.all([1, 2, 3].map(() => post(gateway, `${DOCUMENTS}/complete`, owner, body)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
    assert.equal((await gateway.call('GET', DOCUMENTS, { as: owner })).body.pagination.total, 1);
    const alerts = await gateway.call('GET', '/v1/api/alerts?type=document.uploaded', { as: owner });
    assert.equal(alerts.body.meta.total, 1);
  });

  await t.test('gets a version of its own when uploads of one name are completed at once', async () => {
    const owner = await gateway.key('originator', 'Versioned');
    const uploads = await Promise.all([1, 2, 3, 4].map(() => sent(gateway, owner, 'same.pdf')));
    const answers = await Promise.all(uploads.map(({ body }) => post(gateway, `${DOCUMENTS}/complete`, owner, body)));
    assert.deepEqual(answers.map((answer) => answer.body.data.version).sort(), [1, 2, 3, 4]);
    const listed = await gateway.call('GET', DOCUMENTS, { as: owner });
    assert.deepEqual([listed.body.pagination.total, listed.body.data[0].version], [1, 4]);
  });

  await t.test('keeps the visibility of the version before it', async () => {
    const owner = await gateway.key('originator', 'Shown');
    const deal = await listDeal(gateway, owner);
    const first = await registered(gateway, owner, 'terms.pdf', { dealId: deal.deal_id });
    await gateway.call('PUT', `${DOCUMENTS}/${first}/visibility`, { as: owner, body: { visibility: 'INVESTORS' } });
    const second = await registered(gateway, owner, 'terms.pdf', { dealId: deal.deal_id });
    assert.equal((await gateway.call('GET', `${DOCUMENTS}/${second}`, { as: owner })).body.data.visibility, 'INVESTORS');
    const other = await registered(gateway, owner, 'memo.pdf', { dealId: deal.deal_id });
    assert.equal((await gateway.call('GET', `${DOCUMENTS}/${other}`, { as: owner })).body.data.visibility, 'PRIVATE');
  });

  await t.test('of a deal is read by investors while it is shown, each version by its own id', async () => {
    const [owner, investor] = [await gateway.key('originator', 'Seller'), await gateway.key('investor', 'Buyer')];
    const deal = await listDeal(gateway, owner);
    const elsewhere = await listDeal(gateway, owner, { name: 'Elsewhere' });
    const documentId = await registered(gateway, owner, 'offering.pdf', { dealId: deal.deal_id });
    const download = (dealId: string) =>
      post(gateway, `/v1/api/investor/deals/${dealId}/documents/${documentId}/download`, investor);
    const show = (visibility: string) =>
      gateway.call('PUT', `${DOCUMENTS}/${documentId}/visibility`, { as: owner, body: { visibility } });
    assert.equal((await download(deal.deal_id)).status, 404);
    await show('INVESTORS');
    assert.equal((await download(deal.deal_id)).status, 200);
    assert.equal((await download(elsewhere.deal_id)).status, 404, 'under another deal it is not there');
    await show('PRIVATE');
    assert.equal((await download(deal.deal_id)).status, 404);
  });

  await t.test('cannot be taken over with another organization’s file key or deal', async () => {
    const [owner, rival] = [await gateway.key('originator', 'Victim'), await gateway.key('originator', 'Thief')];
    const deal = await listDeal(gateway, owner);
    const { body } = await sent(gateway, owner, 'secret.pdf');
    assert.equal((await post(gateway, `${DOCUMENTS}/complete`, rival, body)).status, 404);
    const own = await sent(gateway, rival, 'own.pdf');
    const intruding = await post(gateway, `${DOCUMENTS}/complete`, rival, { ...own.body, dealId: deal.deal_id });
    assert.equal(intruding.status, 404);
    const traversing = { fileName: 'own.pdf', fileKey: `${own.body.fileKey.replace('.pdf', '')}/../x.pdf` };
    assert.equal((await post(gateway, `${DOCUMENTS}/complete`, rival, traversing)).status, 400);
    assert.equal((await gateway.call('GET', DOCUMENTS, { as: rival })).body.pagination.total, 0);
  });

  await t.test(
    'is one of the bytes that were checked: others that were sent since are completed by a request of their own',
    async () => {
      const owner = await gateway.key('originator', 'Resender');
      const { put, body } = await sent(gateway, owner, 'resent.pdf');
      const longer = Buffer.concat([PDF, PDF]);
      assert.equal((await put(longer)).status, 200, 'an upload that is not completed takes its bytes anew');
      const completed = await post(gateway, `${DOCUMENTS}/complete`, owner, body);
      assert.deepEqual([completed.status, completed.body.data.size], [201, longer.length]);
      assert.equal((await put(PDF)).status, 409, 'a completed one takes none');
    },
  );
});
