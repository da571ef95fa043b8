import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Answer, type Gateway, type Holder, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { autoTape, CSV, put, seller, XLSX } from '../../../test/support/tapes.ts';
import type { Grant } from '../../platform/files/signed-address.ts';
import { withUploadedFile } from './upload.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const pathOf = (initiated: Answer): string => new URL(initiated.body.data.upload_url).pathname;

/** Files of an organization in the local store. */
function storedFiles(gateway: Gateway, { organization_id }: Holder): string[] {
  const folder = join(gateway.deps.config.dataDir, 'objects', 'uploads', organization_id);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}

test('bytes that are sent to a signed address', async (t) => {
  await using gateway = await startGateway();

  await t.test('are stored whole, and answered with their size and hash', async () => {
    const ours = await seller(gateway, 'Sender');
    const initiated = await ours.initiate();
    const bytes = autoTape(50);
    const sent = await put(gateway, initiated, bytes);
    assert.deepEqual(sent.body.data, {
      file_key: initiated.body.data.file_key,
      size: Buffer.byteLength(bytes),
      sha256: sha256(bytes),
    });
    assert.equal(storedFiles(gateway, ours.as).length, 1);
    await ours.complete(initiated.body.data.deal_id);
    const [version] = (await ours.call('GET', `/${initiated.body.data.deal_id}/tapes`)).body.data;
    assert.deepEqual([version.size, version.sha256], [Buffer.byteLength(bytes), sha256(bytes)]);
  });

  await t.test(
    'are refused where they are not those of the digest that the sender names, and leave what was sent before',
    async () => {
      const ours = await seller(gateway, 'Digester');
      const initiated = await ours.initiate();
      const send = (bytes: string, digest: string) =>
        gateway.call('PUT', pathOf(initiated), {
          raw: bytes,
          headers: { ...initiated.body.data.upload_headers, 'content-digest': digest },
        });
      const digestOf = (bytes: string): string => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
      const bytes = autoTape(3);
      assert.equal((await send(bytes, digestOf(bytes))).status, 200);
      assert.equal((await send(bytes, `sha-512=:AA==:, ${digestOf(bytes)}`)).status, 200);
      for (const digest of [digestOf('others'), 'sha-256=:AA==:', 'sha-256=abc']) {
        const refused = await send(autoTape(4), digest);
        assert.deepEqual(codeOf(refused), [400, 'VALIDATION_FAILED']);
        assert.deepEqual([refused.body.errors?.[0].field, refused.body.errors?.[0].code], ['Content-Digest', 'MISMATCH']);
      }
      assert.equal((await send(bytes, 'sha-512=:AA==:')).status, 200, 'another digest is not compared');
      assert.equal(storedFiles(gateway, ours.as).length, 1);
      await ours.complete(initiated.body.data.deal_id);
      await gateway.runJobs();
      assert.equal((await ours.deal(initiated.body.data.deal_id)).loan_count, 3);
    },
  );

  await t.test('replace those that were sent before, of which nothing is left', async () => {
    const ours = await seller(gateway, 'Replacer');
    const initiated = await ours.initiate();
    for (const rows of [3, 4, 5]) assert.equal((await put(gateway, initiated, autoTape(rows))).status, 200);
    assert.equal(storedFiles(gateway, ours.as).length, 1);
    await ours.complete(initiated.body.data.deal_id);
    await gateway.runJobs();
    assert.equal((await ours.deal(initiated.body.data.deal_id)).loan_count, 5);
  });

  await t.test('that go while they are read are not there, which is no fault of the platform', async () => {
    const ours = await seller(gateway, 'Withdrawn');
    const initiated = await ours.initiate();
    const bytes = autoTape(5);
    await put(gateway, initiated, bytes);
    const expected = { size: Buffer.byteLength(bytes), sha256: sha256(bytes) };
    const found = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.one<{ object_key: string }>('select object_key from uploads where file_key = $1', [initiated.body.data.file_key]),
    );
    const reading = withUploadedFile(gateway.deps, found?.object_key ?? null, expected, async (path) => {
      rmSync(path);
      return stat(path);
    });
    await assert.rejects(reading, { code: 'FILE_NOT_UPLOADED' });
  });

  await t.test('that are refused leave those that were sent before', async () => {
    const ours = await seller(gateway, 'Refused');
    const good = autoTape(4);
    const initiated = await ours.initiate({ fileSize: Buffer.byteLength(good) });
    assert.equal((await put(gateway, initiated, good)).status, 200);
    assert.deepEqual(codeOf(await put(gateway, initiated, `${good}x`)), [413, 'PAYLOAD_TOO_LARGE']);
    assert.deepEqual(codeOf(await put(gateway, initiated, good.slice(1))), [403, 'SIGNATURE_INVALID']);
    const wrongType = await gateway.call('PUT', pathOf(initiated), { headers: { 'content-type': XLSX }, raw: good });
    assert.deepEqual(codeOf(wrongType), [403, 'SIGNATURE_INVALID']);
    assert.equal(storedFiles(gateway, ours.as).length, 1);
    assert.equal((await ours.complete(initiated.body.data.deal_id)).status, 202);
  });

  await t.test('may carry the type of the address in any spelling, or none', async () => {
    const ours = await seller(gateway, 'Typed');
    const initiated = await ours.initiate();
    for (const type of [CSV, 'TEXT/CSV', `${CSV}; charset=utf-8`, ` ${CSV} `]) {
      const sent = await gateway.call('PUT', pathOf(initiated), { headers: { 'content-type': type }, raw: autoTape(2) });
      assert.equal(sent.status, 200, type);
    }
    assert.equal((await gateway.call('PUT', pathOf(initiated), { raw: autoTape(2) })).status, 200);
    for (const type of ['text/plain', 'text/csv2', 'application/octet-stream'])
      assert.equal(
        (await gateway.call('PUT', pathOf(initiated), { headers: { 'content-type': type }, raw: 'x' })).status,
        403,
        type,
      );
  });

  await t.test('are under a key that says no more of the file than its extension', async () => {
    const ours = await seller(gateway, 'Keys');
    const keyOf = async (fileName: string): Promise<string> => {
      const initiated = await ours.initiate({ fileName });
      await ours.call('DELETE', `/${initiated.body.data.deal_id}`);
      return initiated.body.data.file_key;
    };
    for (const [fileName, extension] of [
      ['Tape.CSV', 'csv'],
      ['secret name.xlsx', 'xlsx'],
      ['no extension', 'bin'],
      ['archive.spreadsheet', 'bin'],
      ['tape.c-v', 'bin'],
    ] as const)
      assert.match(await keyOf(fileName), new RegExp(`^upload/tapes/[0-9a-f-]{36}\\.${extension}$`), fileName);
  });
});

test('a signed address of an upload', async (t) => {
  await using gateway = await startGateway();
  /** An upload as its row has it, and the addresses that one could make for it. */
  const begun = async (name: string) => {
    const ours = await seller(gateway, name);
    const initiated = await ours.initiate();
    const [row] = await gateway.deps.db.tx({ organization: ours.as.organization_id }, (tx) =>
      tx.rows<{ upload_id: string; generation: number }>('select upload_id, generation from uploads'),
    );
    assert.ok(row);
    const ids = [ours.as.organization_id, row.upload_id, ours.as.key_id];
    const sign = (changes: Partial<Grant> = {}): string =>
      gateway.deps.addresses.sign({ act: 'put', ids, generation: row.generation, expires: Date.now() + 60_000, ...changes });
    const send = (token: string): Promise<Answer> =>
      gateway.call('PUT', `/v1/uploads/${token}`, { headers: { 'content-type': CSV }, raw: autoTape(2) });
    return { ...ours, initiated, row, ids, sign, send };
  };

  await t.test('is worth nothing when it was changed, made for another act, or is over', async () => {
    const { initiated, ids, row, sign, send, as } = await begun('Signed');
    const token = pathOf(initiated).split('/').at(-1) ?? '';
    for (const [why, each] of [
      ['longer', `${token}x`],
      ['another act', sign({ act: 'get' })],
      ['over', sign({ expires: Date.now() - 1 })],
      ['an older one', sign({ generation: row.generation - 1 })],
      ['a newer one', sign({ generation: row.generation + 1 })],
      ['of no upload', sign({ ids: ids.map((each) => (each === row.upload_id ? 'upl_none' : each)) })],
      ['without its key', sign({ ids: [as.organization_id, row.upload_id] })],
      ['of no key', sign({ ids: ids.map((each) => (each === as.key_id ? 'key_none' : each)) })],
      ['garbage', 'x.y'],
    ] as const)
      assert.deepEqual(codeOf(await send(each)), [403, 'SIGNATURE_INVALID'], why);
    assert.deepEqual(storedFiles(gateway, as), []);
    assert.equal((await send(sign())).status, 200);
  });

  await t.test('of one organization’s key sends to no upload of another', async () => {
    const [ours, theirs] = [await begun('Ours'), await begun('Theirs')];
    const crossed = [ours.as.organization_id, theirs.row.upload_id, ours.as.key_id];
    assert.deepEqual(codeOf(await ours.send(ours.sign({ ids: crossed }))), [403, 'SIGNATURE_INVALID']);
    const borrowed = [theirs.as.organization_id, theirs.row.upload_id, ours.as.key_id];
    assert.deepEqual(codeOf(await ours.send(ours.sign({ ids: borrowed }))), [403, 'SIGNATURE_INVALID']);
    assert.deepEqual(storedFiles(gateway, theirs.as), []);
  });

  await t.test('is made anew for a repeated request, until its upload is completed', async () => {
    const { call } = await seller(gateway, 'Repeater');
    const body = { loanType: 'Auto', fileFormat: CSV, fileName: 'tape.csv' };
    const initiate = () => call('POST', '/initiate', body, { 'idempotency-key': 'once' });
    const first = await initiate();
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(`update uploads set expires_at = now() - interval '1 minute' where file_key = $1`, [first.body.data.file_key]),
    );
    const second = await initiate();
    assert.deepEqual([second.status, second.headers['idempotency-replayed']], [201, 'true']);
    assert.equal(second.body.data.file_key, first.body.data.file_key);
    assert.ok(Date.parse(second.body.data.expires_at) > Date.now() + 800_000);
    assert.equal((await put(gateway, second, autoTape(3))).status, 200);
    await call('POST', '/complete', { dealId: first.body.data.deal_id, fileName: 'tape.csv' });
    const third = await initiate();
    assert.deepEqual([third.status, third.body.data.deal_id], [201, first.body.data.deal_id]);
    assert.equal(third.body.data.upload_url, undefined, 'nothing is sent to a completed upload');
  });
});
