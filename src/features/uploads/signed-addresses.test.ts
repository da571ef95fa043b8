import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { signedIn, type SignedIn } from '../../../test/support/people.ts';
import { startS3 } from '../../../test/support/s3.ts';
import { autoTape, CSV } from '../../../test/support/tapes.ts';
import { openPut, receivers } from '../../../test/support/uploads.ts';

const FILE = { fileFormat: CSV, fileName: 'tape.csv' };
const PDF = Buffer.from('%PDF-1.7\n1 0 obj << >> endobj\n%%EOF\n');

type Addresses = { put(): Promise<number>; get(): Promise<number>; urls: string[] };

/** What one key, or one person, has asked for: an address to send a file to and one to read a document at. */
async function askFor(gateway: Gateway, by: Holder | SignedIn, documentId?: string): Promise<Addresses & { documentId: string }> {
  const post = async (path: string, body: object) => {
    const answer = await gateway.call('POST', `/v1/api/${path}`, { ...('token' in by ? { as: by } : by), body });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body.data;
  };
  const pathOf = (url: string): string => new URL(url).pathname;
  let id = documentId;
  if (!id) {
    const initiated = await post('deals/documents/initiate', { fileName: 'w9.pdf' });
    await gateway.call('PUT', pathOf(initiated.upload_url), { raw: PDF });
    id = (await post('deals/documents/complete', { fileName: 'w9.pdf', fileKey: initiated.file_key })).document_id as string;
  }
  const { upload_url, upload_headers } = await post('originator/loans/bulk/uploads', FILE);
  const { download_url } = await post(`deals/documents/${id}/download`, {});
  return {
    documentId: id,
    urls: [upload_url, download_url],
    put: async () => (await gateway.call('PUT', pathOf(upload_url), { headers: upload_headers, raw: autoTape(2) })).status,
    get: async () => (await gateway.call('GET', pathOf(download_url))).status,
  };
}

test('a signed address works as long as the key that asked for it', async (t) => {
  await using s3 = await startS3();
  await using gateway = await startGateway({ SLUICE_STORAGE_URL: s3.url });
  const operator = await gateway.key('operator', 'Platform');
  const act = async (path: string, body: object = {}) => {
    const answer = await gateway.call('POST', `/v1/operator/${path}`, { as: operator, body });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body.data;
  };

  await t.test('and is the gateway’s own, wherever the files are', async () => {
    const { urls, put, get } = await askFor(gateway, await gateway.key('originator', 'Own'));
    assert.deepEqual(
      urls.map((url) => url.startsWith(`${gateway.deps.publicUrl()}/v1/`)),
      [true, true],
    );
    assert.deepEqual([await put(), await get()], [200, 200]);
  });

  await t.test(
    'a revoked key’s are 403 at once, to send and to read; another key of its organization keeps its own',
    async () => {
      const [leaked, kept] = [await gateway.key('originator', 'Leaky'), await gateway.key('originator', 'Leaky')];
      const of = await askFor(gateway, leaked);
      const others = await askFor(gateway, kept, of.documentId);
      assert.deepEqual([await of.put(), await of.get()], [200, 200]);
      await act(`keys/${leaked.key_id}/revoke`, { reason: 'It leaked.' });
      assert.deepEqual([await of.put(), await of.get()], [403, 403]);
      assert.deepEqual([await others.put(), await others.get()], [200, 200]);
    },
  );

  await t.test('a person’s are 403 once the session has ended in which they were asked for; those of others go on', async () => {
    const key = await gateway.key('originator', 'People');
    const [ann, ben] = [
      await signedIn(gateway, key.organization_id, 'ann@example.com', ['EDIT']),
      await signedIn(gateway, key.organization_id, 'ben@example.com', ['EDIT']),
    ];
    const of = await askFor(gateway, ann);
    const others = await askFor(gateway, ben, of.documentId);
    assert.deepEqual([await of.put(), await of.get()], [200, 200]);
    assert.equal((await gateway.call('POST', '/auth/logout', { headers: ann.headers, body: {} })).status, 200);
    assert.deepEqual([await of.put(), await of.get()], [403, 403]);
    assert.deepEqual([await others.put(), await others.get()], [200, 200]);
  });

  await t.test('a person’s without a session, as they were made before, are 403', async () => {
    const key = await gateway.key('originator', 'People');
    const { member_id } = await signedIn(gateway, key.organization_id, 'cleo@example.com', ['EDIT']);
    const { documentId } = await askFor(gateway, key);
    const ids = [key.organization_id, documentId, key.organization_id, member_id];
    const token = gateway.deps.addresses.sign({ act: 'get', ids, generation: 1, expires: Date.now() + 60_000 });
    assert.equal((await gateway.call('GET', `/v1/downloads/${token}`)).status, 403);
  });

  await t.test('a suspended organization’s are 403 until it is resumed', async () => {
    const holder = await gateway.key('originator', 'Suspended');
    const { put, get } = await askFor(gateway, holder);
    await act(`organizations/${holder.organization_id}/suspend`, { reason: 'A review.' });
    assert.deepEqual([await put(), await get()], [403, 403]);
    await act(`organizations/${holder.organization_id}/resume`, { reason: 'It is over.' });
    assert.deepEqual([await put(), await get()], [200, 200]);
  });

  await t.test('a rotated key’s work for the overlap, and not without one', async () => {
    const [overlapping, ended] = [await gateway.key('originator', 'Rotating'), await gateway.key('originator', 'Rotated')];
    const [works, stops] = [await askFor(gateway, overlapping), await askFor(gateway, ended)];
    await act(`keys/${overlapping.key_id}/rotate`, { overlap_seconds: 3_600 });
    await act(`keys/${ended.key_id}/rotate`, { overlap_seconds: 0 });
    assert.deepEqual([await works.put(), await works.get()], [200, 200]);
    assert.deepEqual([await stops.put(), await stops.get()], [403, 403]);
  });

  await t.test('a key that is revoked while its bytes arrive ends its upload within two seconds', async (inner) => {
    const holder = await gateway.key('originator', 'Sending');
    const initiated = await gateway.call('POST', '/v1/api/originator/loans/bulk/uploads', { as: holder, body: FILE });
    await gateway.app.listen({ host: '127.0.0.1', port: 0 });
    // The seconds are those of the gateway's own timers: how long it takes for its work is the machine's affair.
    inner.mock.timers.enable({ apis: ['setTimeout'] });
    const put = openPut(gateway.app, initiated);
    put.outgoing.write('Loan ID,Current Balance\n');
    while ((await receivers(gateway)).length === 0);
    await act(`keys/${holder.key_id}/revoke`, { reason: 'It leaked.' });
    inner.mock.timers.tick(2_000);
    assert.equal((await put.answered).status, 403);
    put.outgoing.destroy();
  });
});
