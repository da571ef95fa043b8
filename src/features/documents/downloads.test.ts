import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dealRoom, DOCUMENTS, pathOf, PDF } from '../../../test/support/documents.ts';
import { type Answer, type Gateway, type Holder, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { insertPosition, listDeal } from '../../../test/support/market.ts';
import { deleteOldAccesses } from './queries.ts';
import type { Grant } from '../../platform/files/signed-address.ts';

type Row = Record<string, string>;

/** A seller with a deal on the market and a document in its room. */
async function listed(gateway: Gateway, name: string, more: object = {}) {
  const room = await dealRoom(gateway, name);
  const deal = await listDeal(gateway, room.as, { name: `${name} 2026-1` });
  const document = await room.register('terms.pdf', { dealId: deal.deal_id, ...more });
  const id: string = document.document_id;
  /** What an investor sees and asks for. */
  const list = async (as: Holder): Promise<Row[]> =>
    (await gateway.call('GET', `/v1/api/investor/deals/${deal.deal_id}/documents`, { as })).body.data;
  const ask = (
    as: Holder,
    {
      document = id,
      dealId = deal.deal_id,
      headers = {},
    }: { document?: string; dealId?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> => gateway.call('POST', `/v1/api/investor/deals/${dealId}/documents/${document}/download`, { as, headers });
  const told = async (as: Holder): Promise<number> =>
    (await gateway.call('GET', '/v1/api/alerts?type=document.uploaded', { as })).body.meta.total;
  const log = async () => (await room.call('GET', `/${id}/access-log`)).body.data.map((row: Row) => [row.reader, row.act]);
  return { ...room, deal, id, list, ask, told, log };
}

test('a document for investors', async (t) => {
  await using gateway = await startGateway();

  await t.test('is read while it is shown, under its own deal, at an address of its own', async () => {
    const { show, ask, list, id, as } = await listed(gateway, 'Seller');
    const investor = await gateway.key('investor', 'Buyer');
    const elsewhere = await listDeal(gateway, as, { name: 'Elsewhere' });
    assert.deepEqual([await list(investor), (await ask(investor)).status], [[], 404]);
    await show(id);
    assert.deepEqual(
      (await list(investor)).map((row) => row.document_id),
      [id],
    );
    assert.deepEqual(codeOf(await ask(investor, { dealId: elsewhere.deal_id })), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await ask(investor, { document: 'doc_none' })), [404, 'NOT_FOUND']);
    const { data } = (await ask(investor)).body;
    assert.deepEqual([data.document_id, data.file_name, data.size], [id, 'terms.pdf', PDF.length]);
    const lifeSeconds = (Date.parse(data.expires_at) - Date.now()) / 1000;
    assert.ok(lifeSeconds > 270 && lifeSeconds <= 300, `${lifeSeconds} s`);
    const read = await gateway.call('GET', pathOf(data.download_url));
    assert.deepEqual([read.status, read.text], [200, PDF.toString()]);
    assert.deepEqual([read.headers['content-type'], read.headers['x-content-type-options']], ['application/pdf', 'nosniff']);
    assert.match(String(read.headers['content-disposition']), /^attachment; filename="terms.pdf"/);
    await show(id, 'PRIVATE');
    assert.deepEqual([await list(investor), (await ask(investor)).status], [[], 404]);
    assert.deepEqual(
      codeOf(await gateway.call('GET', pathOf(data.download_url))),
      [403, 'SIGNATURE_INVALID'],
      'the address ends too',
    );
  });

  await t.test('is listed in its newest version that is shown; an older one is read by its own id', async () => {
    const { show, register, ask, list, id, deal } = await listed(gateway, 'Reviser');
    const investor = await gateway.key('investor', 'Reviewer');
    await show(id);
    const second = (await register('terms.pdf', { dealId: deal.deal_id })).document_id;
    assert.deepEqual(
      (await list(investor)).map((row) => row.document_id),
      [second],
    );
    assert.equal((await ask(investor, { document: id })).status, 200);
    await show(second, 'PRIVATE');
    assert.deepEqual(
      (await list(investor)).map((row) => row.document_id),
      [id],
    );
    assert.equal((await ask(investor, { document: second })).status, 404);
  });

  await t.test('says nothing of where it is stored', async () => {
    const { show, list, id } = await listed(gateway, 'Discreet');
    await show(id);
    const [row] = await list(await gateway.key('investor', 'Curious'));
    assert.deepEqual([row?.file_key, row?.object_key], [undefined, undefined]);
  });

  await t.test('of a deal that was withdrawn is read by its holders alone', async () => {
    const { show, ask, id, deal } = await listed(gateway, 'Withdrawn');
    const [holder, stranger] = [await gateway.key('investor', 'Holder'), await gateway.key('investor', 'Passer-by')];
    await show(id);
    await insertPosition(gateway, holder, deal.tranches[0] ?? '', 1_000);
    const addresses = [(await ask(holder)).body.data.download_url, (await ask(stranger)).body.data.download_url];
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(`update securitization_deals set market_status = 'WITHDRAWN' where deal_id = $1`, [deal.deal_id]),
    );
    assert.deepEqual([(await ask(holder)).status, (await ask(stranger)).status], [200, 404]);
    const opened = await Promise.all(addresses.map((address) => gateway.call('GET', pathOf(address))));
    assert.deepEqual(
      opened.map(({ status }) => status),
      [200, 403],
      'an address of before the withdrawal opens no more than a new one',
    );
  });

  await t.test('is announced once to whoever has a stake in the deal, and never to others or to its owner again', async () => {
    const { show, told, register, id, deal, as } = await listed(gateway, 'Announcer');
    const [interested, withdrawn, bystander] = [
      await gateway.key('investor', 'Interested'),
      await gateway.key('investor', 'Withdrew'),
      await gateway.key('investor', 'Bystander'),
    ];
    const interest = (who: Holder) =>
      gateway.call('POST', `/v1/api/investor/deals/${deal.deal_id}/ioi`, { as: who, body: { interest_amount: 5_000 } });
    assert.equal((await interest(interested)).status < 300, true);
    const { ioi_id } = (await interest(withdrawn)).body.data;
    await gateway.call('DELETE', `/v1/api/investor/iois/${ioi_id}`, { as: withdrawn });
    assert.equal(await told(interested), 0, 'what is private is no news');
    for (const visibility of ['INVESTORS', 'PRIVATE', 'INVESTORS'] as const) await show(id, visibility);
    const counts = async () => Promise.all([interested, withdrawn, bystander, as].map(told));
    assert.deepEqual(await counts(), [1, 0, 0, 1]);
    await register('terms.pdf', { dealId: deal.deal_id });
    assert.deepEqual(await counts(), [2, 0, 0, 2], 'a new version that is shown from the beginning is announced as it comes');
  });

  await t.test('of no deal, or of a loan deal, is shown to nobody', async () => {
    const room = await dealRoom(gateway, 'Unlisted');
    const investor = await gateway.key('investor', 'Hopeful');
    const { document_id } = await room.register('w9.pdf');
    assert.equal((await room.show(document_id)).body.data.visibility, 'INVESTORS');
    const path = `/v1/api/investor/deals/deal_none/documents`;
    assert.deepEqual(codeOf(await gateway.call('GET', path, { as: investor })), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await gateway.call('POST', `${path}/${document_id}/download`, { as: investor })), [404, 'NOT_FOUND']);
  });

  await t.test('is read by investors alone at the investors’ address', async () => {
    const { ask, id, show, as } = await listed(gateway, 'Roles');
    await show(id);
    assert.deepEqual(codeOf(await ask(as)), [403, 'ROLE_FORBIDDEN']);
    assert.deepEqual(codeOf(await ask(await gateway.key('operator', 'Platform'))), [403, 'ROLE_FORBIDDEN']);
    assert.equal((await ask(await gateway.key('both', 'Both'))).status, 200);
  });
});

test('a signed address of a document', async (t) => {
  await using gateway = await startGateway();
  const expect403 = async (token: string, why: string): Promise<void> =>
    assert.deepEqual(codeOf(await gateway.call('GET', `/v1/downloads/${token}`)), [403, 'SIGNATURE_INVALID'], why);

  await t.test('ends after its time, works for reading only, and is worth nothing when it was changed', async () => {
    const { as, id, call } = await listed(gateway, 'Signer');
    const { download_url } = (await call('POST', `/${id}/download`)).body.data;
    const token = pathOf(download_url).split('/').at(-1) ?? '';
    assert.equal((await gateway.call('GET', `/v1/downloads/${token}`)).status, 200);
    await expect403(`${token}x`, 'longer');
    await expect403(token.slice(0, -1), 'shorter');
    const [payload = '', signature] = token.split('.');
    const forged = Buffer.from(Buffer.from(payload, 'base64url').toString().replace(id, 'doc_other')).toString('base64url');
    await expect403(`${forged}.${signature}`, 'forged');
    const ids = [as.organization_id, id, as.organization_id, as.key_id];
    const sign = (changes: Partial<Grant>) =>
      gateway.deps.addresses.sign({ act: 'get', ids, generation: 1, expires: Date.now() + 60_000, ...changes });
    assert.equal((await gateway.call('GET', `/v1/downloads/${sign({})}`)).status, 200);
    await expect403(sign({ expires: Date.now() - 1 }), 'expired');
    await expect403(sign({ act: 'put' }), 'of an upload');
    await expect403(sign({ ids: ids.slice(0, 3) }), 'without its key');
    await expect403(sign({ ids: ids.map((each) => (each === id ? 'doc_none' : each)) }), 'of no document');
    assert.equal((await gateway.call('PUT', `/v1/downloads/${token}`, { as, raw: PDF })).status, 405);
  });

  await t.test('of another organization reads what that organization may read, and no private document', async () => {
    const { as, id, show } = await listed(gateway, 'Guarded');
    const rival = await gateway.key('both', 'Rival');
    const ids = [as.organization_id, id, rival.organization_id, rival.key_id];
    const token = () => gateway.deps.addresses.sign({ act: 'get', ids, generation: 1, expires: Date.now() + 60_000 });
    await expect403(token(), 'private');
    await show(id);
    assert.equal((await gateway.call('GET', `/v1/downloads/${token()}`)).status, 200);
  });

  await t.test('sends no byte of a file that is damaged or gone, and names no path', async () => {
    const { id, call, log, as } = await listed(gateway, 'Damaged');
    const { download_url } = (await call('POST', `/${id}/download`)).body.data;
    const [row] = await gateway.deps.db.tx({ organization: as.organization_id }, (tx) =>
      tx.rows<{ object_key: string }>('select object_key from documents where document_id = $1', [id]),
    );
    const key = row?.object_key ?? '';
    writeFileSync(join(gateway.deps.config.dataDir, 'objects', key), Buffer.from(PDF).reverse());
    const damaged = await gateway.call('GET', pathOf(download_url));
    assert.deepEqual([damaged.status, damaged.body.code], [500, 'INTERNAL']);
    assert.doesNotMatch(JSON.stringify(damaged.body), /objects|uploads\//);
    await gateway.deps.store.delete(key);
    assert.deepEqual(codeOf(await gateway.call('GET', pathOf(download_url))), [404, 'NOT_FOUND']);
    assert.deepEqual(await log(), [['Damaged', 'ADDRESS_ISSUED']], 'nothing was downloaded');
  });
});

test('the log of who read a document', async (t) => {
  await using gateway = await startGateway();

  await t.test('has every address that was issued and every download, newest first, for its owner alone', async () => {
    const { id, show, ask, log, call } = await listed(gateway, 'Logged');
    const investor = await gateway.key('investor', 'Reader');
    await show(id);
    const { download_url } = (await ask(investor)).body.data;
    for (let times = 0; times < 2; times += 1) await gateway.call('GET', pathOf(download_url));
    assert.equal((await gateway.call('HEAD', pathOf(download_url))).status, 200, 'a look at the headers is no download');
    await call('POST', `/${id}/download`);
    assert.deepEqual(await log(), [
      ['Logged', 'ADDRESS_ISSUED'],
      ['Reader', 'DOWNLOADED'],
      ['Reader', 'DOWNLOADED'],
      ['Reader', 'ADDRESS_ISSUED'],
    ]);
    const page = (await call('GET', `/${id}/access-log?limit=1&page=2`)).body;
    assert.deepEqual(
      [page.data[0].key_id, page.data[0].reader_id, page.pagination.total],
      [investor.key_id, investor.organization_id, 4],
    );
    const path = `${DOCUMENTS}/${id}/access-log`;
    assert.deepEqual(codeOf(await gateway.call('GET', path, { as: await gateway.key('originator', 'Rival') })), [
      404,
      'NOT_FOUND',
    ]);
  });

  await t.test('has one entry for a request that was repeated, whose address is made anew', async () => {
    const { id, as, show, ask, log } = await listed(gateway, 'Repeated');
    const investor = await gateway.key('investor', 'Repeater');
    await show(id);
    const headers = { 'idempotency-key': 'once' };
    const own = () => gateway.call('POST', `${DOCUMENTS}/${id}/download`, { as, headers });
    for (const request of [own, () => ask(investor, { headers })]) {
      const [first, second] = [await request(), await request()];
      assert.equal(second.headers['idempotency-replayed'], 'true');
      for (const { body } of [first, second])
        assert.equal((await gateway.call('GET', pathOf(body.data.download_url))).status, 200);
    }
    const issued = (await log()).filter(([, act]: string[]) => act === 'ADDRESS_ISSUED');
    assert.equal(issued.length, 2);
  });

  await t.test('gives a repeated request no address once the investor may not read the document any more', async () => {
    const { id, show, ask, deal } = await listed(gateway, 'Gone');
    const investor = await gateway.key('investor', 'Late reader');
    await show(id);
    const headers = { 'idempotency-key': 'gone' };
    assert.equal((await ask(investor, { headers })).status, 200);
    await show(id, 'PRIVATE');
    assert.deepEqual(codeOf(await ask(investor, { headers })), [404, 'NOT_FOUND']);
    await show(id);
    assert.equal((await ask(investor, { headers })).status, 200);
    const sql = `update securitization_deals set market_status = 'WITHDRAWN' where deal_id = $1`;
    await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(sql, [deal.deal_id]));
    assert.deepEqual(codeOf(await ask(investor, { headers })), [404, 'NOT_FOUND']);
  });

  await t.test('is kept for seven years', async () => {
    const { id, call, log } = await listed(gateway, 'Retained');
    const age = (by: string) =>
      gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.exec('update document_accesses set at = sluice_now() - $2::interval where document_id = $1', [id, by]),
      );
    await call('POST', `/${id}/download`);
    await age('7 years -1 minute');
    await deleteOldAccesses(gateway.deps.db);
    assert.equal((await log()).length, 1);
    await age('7 years 1 minute');
    await deleteOldAccesses(gateway.deps.db);
    assert.deepEqual(await log(), []);
  });
});
