import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { assertRefused, dataOf, heldOpen, openDesk, waitingForLock } from '../../../test/support/desk.ts';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal } from '../../../test/support/pools.ts';
import { tapedDeal } from '../../../test/support/serviced-tapes.ts';
import { storeWith } from '../../../test/support/stores.ts';
import { autoTape, seller as openSeller } from '../../../test/support/tapes.ts';
import type { Database } from '../../platform/db/database.ts';
import { asId } from '../../platform/ids.ts';
import { housekeeping } from '../../worker.ts';
import { createRecipientAuthenticator } from './authenticate-recipient.ts';
import { endRecipient } from './queries.ts';

const FIELDS = ['state', 'current_balance', 'interest_rate'];
type Row = Record<string, unknown>;

/** A client of the protocol, with the profile file that it was given. */
function clientOf(gateway: Gateway, profile: { endpoint: string; bearerToken: string }) {
  const prefix = new URL(profile.endpoint).pathname;
  const call = (method: string, path: string, body?: unknown) =>
    gateway.call(method, `${prefix}${path}`, { as: profile.bearerToken, ...(body === undefined ? {} : { body }) });
  const lines = (text: string): Row[] =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
  const read = async (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    gateway.app.inject({ method: method as 'GET', url: new URL(url).pathname, headers });
  return {
    token: profile.bearerToken,
    call,
    read,
    items: async (path: string): Promise<Row[]> => {
      const answer = await call('GET', path);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.items;
    },
    /** The lines of a query by what they hold. */
    async query(table: string, body: unknown = {}) {
      const answer = await call('POST', `/shares/${table}/query`, body);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.headers['content-type'], 'application/x-ndjson; charset=utf-8');
      const [protocol, metadata, ...files] = lines(answer.text);
      assert.deepEqual(protocol, { protocol: { minReaderVersion: 1 } });
      return {
        version: Number(answer.headers['delta-table-version']),
        metadata: metadata?.metaData as Row,
        files: files.map(({ file }) => file as Row & { url: string; id: string; size: number; partitionValues: Row }),
      };
    },
    metadata: async (table: string) => lines((await call('GET', `/shares/${table}/metadata`)).text)[1]?.metaData as Row,
    /** The rows of a file as a reader of another make has them. */
    async rows(url: string): Promise<Row[]> {
      const { statusCode, rawPayload } = await read(url);
      assert.equal(statusCode, 200);
      const bytes = new Uint8Array(rawPayload);
      const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
      return parquetReadObjects({ file, compressors: { ZSTD: (input) => new Uint8Array(zstdDecompressSync(input)) } });
    },
  };
}

async function recipientOf(gateway: Gateway, as: Holder, body: object = {}) {
  const made = dataOf(await gateway.call('POST', '/v1/api/share-recipients', { as, body: { name: 'warehouse', ...body } }));
  return { recipient_id: String(made.recipient_id), client: clientOf(gateway, made.profile) };
}

const cents = (rows: readonly Row[], field = 'current_balance'): number =>
  rows.reduce((sum, row) => sum + Math.round(Number(row[field]) * 100), 0);
const fieldsOf = (metadata: Row): { name: string; type: string; nullable: boolean; metadata: Row }[] =>
  (JSON.parse(String(metadata.schemaString)) as { fields: [] }).fields;

test('the tapes of an originator are tables that programs of other makes read', async (t) => {
  await using gateway = await startGateway();
  const { as, checked, version, map } = await openSeller(gateway, 'Harbor');
  const dealId = await checked(autoTape(40));
  const balanceOf = async () =>
    Math.round(dataOf(await gateway.call('GET', `/v1/api/originator/loans/${dealId}`, { as })).total_balance * 100);
  const first = await balanceOf();
  const { client } = await recipientOf(gateway, as);
  const table = `tapes/schemas/${dealId}/tables/loans`;

  await t.test('are listed by share, schema and table, a page at a time', async () => {
    assert.deepEqual(await client.items('/shares'), [{ name: 'pools' }, { name: 'tapes' }]);
    assert.deepEqual((await client.call('GET', '/shares/TAPES')).body, { share: { name: 'tapes' } });
    assert.deepEqual(await client.items('/shares/tapes/schemas'), [{ name: dealId, share: 'tapes' }]);
    const listed = [{ name: 'loans', schema: dealId, share: 'tapes', id: `${dealId}.loans` }];
    assert.deepEqual(await client.items(`/shares/tapes/schemas/${dealId.toUpperCase()}/tables`), listed);
    assert.deepEqual(await client.items('/shares/tapes/all-tables'), listed);
    const page = await client.call('GET', '/shares?maxResults=1');
    const { items, nextPageToken } = page.body;
    assert.deepEqual(items, [{ name: 'pools' }]);
    assert.deepEqual((await client.call('GET', `/shares?maxResults=1&pageToken=${nextPageToken}`)).body, {
      items: [{ name: 'tapes' }],
    });
    const none = (await client.call('GET', '/shares?maxResults=0')).body;
    assert.ok(none.items.length === 0 && none.nextPageToken);
    const still = (await client.call('GET', `/shares?maxResults=0&pageToken=${nextPageToken}`)).body as {
      nextPageToken?: string;
    };
    assert.equal(still.nextPageToken, nextPageToken, 'a page of nothing stays where it is');
    for (const wrong of ['maxResults=-1', 'maxResults=x', 'pageToken=x']) {
      const refused = await client.call('GET', `/shares?${wrong}`);
      assert.deepEqual([refused.status, (refused.body as Row).errorCode], [400, 'VALIDATION_FAILED'], wrong);
    }
  });

  await t.test('have a version and a schema', async () => {
    for (const [method, path] of [
      ['GET', `/shares/${table}/version`],
      ['GET', `/shares/${table}`],
      ['HEAD', `/shares/${table}`],
    ] as const) {
      const answer = await client.call(method, path);
      assert.deepEqual([answer.status, answer.headers['delta-table-version'], answer.text], [200, '1', ''], method);
    }
    const metadata = await client.metadata(table);
    assert.deepEqual([metadata.format, metadata.partitionColumns], [{ provider: 'parquet' }, []]);
    const balance = fieldsOf(metadata).find(({ name }) => name === 'current_balance');
    assert.deepEqual([balance?.type, balance?.nullable], ['decimal(18,6)', true]);
    assert.match(String(balance?.metadata.comment), /principal at period end; USD/);
  });

  await t.test('have rows that sum to the cent as the API says', async () => {
    const { files, version: current } = await client.query(table);
    assert.deepEqual([current, files.length], [1, 1]);
    const rows = await client.rows(files[0]?.url ?? '');
    assert.deepEqual([rows.length, cents(rows)], [40, first]);
    assert.deepEqual(JSON.parse(String(files[0]?.stats)), { numRecords: 40 });
    assert.deepEqual(
      Object.keys(rows[0] ?? {}),
      fieldsOf(await client.metadata(table)).map(({ name }) => name),
    );
  });

  await t.test('are read in ranges, as columnar readers do', async () => {
    const file = (await client.query(table)).files[0];
    assert.ok(file);
    const whole = (await client.read(file.url)).rawPayload;
    assert.equal(whole.length, file.size);
    const last = await client.read(file.url, { range: 'bytes=-8' });
    assert.deepEqual(
      [last.statusCode, last.headers['content-range']],
      [206, `bytes ${file.size - 8}-${file.size - 1}/${file.size}`],
    );
    assert.deepEqual(last.rawPayload, whole.subarray(-8));
    const middle = await client.read(file.url, { range: 'bytes=4-9' });
    assert.deepEqual(middle.rawPayload, whole.subarray(4, 10));
    const head = await client.read(file.url, {}, 'HEAD');
    assert.deepEqual([head.statusCode, head.headers['content-length'], head.rawPayload.length], [200, String(file.size), 0]);
    assert.equal((await client.read(file.url, { range: `bytes=${file.size}-` })).statusCode, 416);
    assert.equal((await client.read(file.url, { range: 'bytes=0-1,4-5' })).statusCode, 200, 'several ranges: the whole');
  });

  await t.test(
    'are read whole by a suffix that is longer than they are, and where they are not the file that a range is of',
    async () => {
      const [file] = (await client.query(table)).files;
      assert.ok(file);
      const { url, size } = file;
      const whole = await client.read(url);
      for (const length of [size, size + 1, 1 << 20]) {
        const { statusCode, headers, rawPayload } = await client.read(url, { range: `bytes=-${length}` });
        assert.deepEqual([statusCode, headers['content-range']], [206, `bytes 0-${size - 1}/${size}`]);
        assert.deepEqual(rawPayload, whole.rawPayload);
      }
      assert.equal((await client.read(url, { range: 'bytes=-0' })).statusCode, 416);
      const range = 'bytes=0-3';
      const same = await client.read(url, { range, 'if-range': String(whole.headers.etag) });
      const other = await client.read(url, { range, 'if-range': '"of another version"' });
      assert.deepEqual([same.statusCode, other.statusCode, other.rawPayload.length], [206, 200, size]);
    },
  );

  await t.test('keep their versions, which a client goes back to by number or time', async () => {
    const before = new Date().toISOString();
    await version(dealId, autoTape(30));
    const now = await client.query(table);
    assert.equal(now.version, 2);
    assert.equal((await client.rows(now.files[0]?.url ?? '')).length, 30);
    for (const body of [{ version: 1 }, { timestamp: before }, { timestamp: before.replace('T', ' ').replace('Z', '') }]) {
      const then = await client.query(table, body);
      assert.deepEqual([then.version, then.metadata.version, then.files[0]?.version], [1, 1, 1]);
      assert.equal(cents(await client.rows(then.files[0]?.url ?? '')), first);
    }
    const since = await client.call('GET', `/shares/${table}/version?startingTimestamp=${before}`);
    assert.equal(since.headers['delta-table-version'], '2');
    for (const body of [
      { version: 3 },
      { timestamp: '1999-01-01 00:00:00' },
      { version: 1, timestamp: before },
      { version: -1 },
    ]) {
      const refused = await client.call('POST', `/shares/${table}/query`, body);
      assert.equal(refused.status, 400, JSON.stringify(body));
    }
    const late = await client.call('GET', `/shares/${table}/version?startingTimestamp=2999-01-01T00:00:00Z`);
    assert.equal(late.status, 400);
    for (const time of ['yesterday', '2026-02-31 00:00:00'])
      assert.equal((await client.call('POST', `/shares/${table}/query`, { timestamp: time })).status, 400, time);
  });

  await t.test('never go back to an older tape while the one in force is checked again', async () => {
    await map(dealId, { source: 'FICO', target: null });
    const now = await client.query(table);
    assert.equal(now.version, 2, 'the loans of the run before');
    assert.equal((await client.rows(now.files[0]?.url ?? '')).length, 30);
    await gateway.runJobs();
    assert.equal((await client.query(table)).version, 2);
  });

  await t.test('say what they do not have, in the words of the protocol', async () => {
    const changes = await client.call('GET', `/shares/${table}/changes?startingVersion=1`);
    const stream = await client.call('POST', `/shares/${table}/query`, { startingVersion: 1 });
    for (const { status, body } of [changes, stream]) {
      assert.deepEqual([status, Object.keys(body)], [400, ['errorCode', 'message']]);
      assert.match(String(body.message), /no change data feed/);
    }
    const absent = [
      '/shares/market',
      '/shares/else/schemas',
      '/shares/tapes/schemas/deal_none/tables',
      `/shares/tapes/schemas/${dealId}/tables/monthly_loans/metadata`,
      `/shares/tapes/schemas/${dealId}/tables/none/version`,
      '/nothing',
    ];
    for (const path of absent) {
      const { status, body } = await client.call('GET', path);
      assert.deepEqual([status, (body as Row).errorCode], [404, 'NOT_FOUND'], path);
    }
    const wrong = await client.call('DELETE', `/shares/${table}/metadata`);
    assert.deepEqual([wrong.status, (wrong.body as Row).errorCode], [405, 'METHOD_NOT_ALLOWED']);
    for (const path of ['%00', 'x%00y', '%F0%9F%98%80', "'", 'x'.repeat(300)]) {
      const { status } = await client.call('GET', `/shares/tapes/schemas/${path}/tables`);
      assert.ok(status === 404 || status === 400, `${path}: ${status}`);
    }
    const list = await client.call('POST', `/shares/${table}/query`, [1]);
    assert.equal(list.status, 400);
    const later = await client.call('POST', `/shares/${table}/query`, { maxFiles: 5, anything: true, limitHint: 1 });
    assert.equal(later.status, 200, 'what later clients send is theirs');
  });

  await t.test('refuse parameters of another type, and page tokens that no page gave', async () => {
    const object = { toString: 1, valueOf: 1 };
    for (const body of [{ version: object }, { version: [1] }, { timestamp: object }, { timestamp: ['2026-01-01 00:00:00'] }]) {
      const { status, body: told } = await client.call('POST', `/shares/${table}/query`, body);
      assert.deepEqual([status, (told as Row).errorCode], [400, 'VALIDATION_FAILED'], JSON.stringify(body));
    }
    const nul = Buffer.from(JSON.stringify(['\u0000', ''])).toString('base64url');
    for (const list of [
      '/shares',
      '/shares/tapes/schemas',
      '/shares/tapes/all-tables',
      `/shares/tapes/schemas/${dealId}/tables`,
    ]) {
      const { status, body } = await client.call('GET', `${list}?pageToken=${nul}`);
      assert.deepEqual([status, (body as Row).errorCode], [400, 'VALIDATION_FAILED'], list);
    }
  });
});

test('a recipient', async (t) => {
  await using gateway = await startGateway();
  const harbor = await openSeller(gateway, 'Harbor');
  const dealId = await harbor.checked(autoTape(5));
  const other = await harbor.checked(autoTape(6));
  const at = (path: string, as: Holder, body?: object) =>
    gateway.call(body ? 'POST' : 'GET', `/v1/api/share-recipients${path}`, { as, ...(body ? { body } : {}) });

  await t.test('shows its token once, and is an entry of the audit log', async () => {
    const made = dataOf(await at('', harbor.as, { name: 'once', expires_in_days: 1 }));
    assert.match(made.profile.bearerToken, /^sluice_share_/);
    assert.equal(made.profile.endpoint, `${gateway.deps.publicUrl()}/delta-sharing`);
    const listed = dataOf(await at('', harbor.as));
    assert.deepEqual([listed.length, listed[0].profile, listed[0].status], [1, undefined, 'ACTIVE']);
    assert.equal(dataOf(await at(`/${made.recipient_id}`, harbor.as)).key_id, harbor.as.key_id);
    const [entry] = await harbor.audited(made.recipient_id);
    assert.deepEqual([entry?.action, entry?.after.name], ['share_recipient.created', 'once']);
    assert.ok(!JSON.stringify(entry).includes(made.profile.bearerToken));
    await assertRefused(gateway, () => at('', harbor.as, { name: 'once' }), [409, 'CONFLICT']);
  });

  await t.test('sees the deals that it is bound to alone', async () => {
    const { client } = await recipientOf(gateway, harbor.as, { name: 'bound', deal_ids: [dealId] });
    assert.deepEqual(
      (await client.items('/shares/tapes/all-tables')).map(({ schema }) => schema),
      [dealId],
    );
    assert.equal((await client.call('GET', `/shares/tapes/schemas/${other}/tables/loans/metadata`)).status, 404);
    await assertRefused(gateway, () => at('', harbor.as, { name: 'x', deal_ids: ['deal_none'] }), [404, 'NOT_FOUND']);
  });

  await t.test('is its organization’s alone, as are the tables that it reads', async () => {
    const { recipient_id, client } = await recipientOf(gateway, harbor.as, { name: 'own' });
    const stranger = await openSeller(gateway, 'Stranger');
    const theirs = await recipientOf(gateway, stranger.as);
    assert.deepEqual(await theirs.client.items('/shares/tapes/all-tables'), []);
    assert.equal((await theirs.client.call('POST', `/shares/tapes/schemas/${dealId}/tables/loans/query`, {})).status, 404);
    for (const answer of [await at(`/${recipient_id}`, stranger.as), await at(`/${recipient_id}/revoke`, stranger.as, {})])
      assert.equal(answer.status, 404);
    await assertRefused(gateway, () => at('', stranger.as, { name: 'y', deal_ids: [dealId] }), [404, 'NOT_FOUND']);
    // An address says for whom it is: no other recipient can make it its own.
    const file = (await client.query(`tapes/schemas/${dealId}/tables/loans`)).files[0];
    const forged = file?.url.replace(/\/files\/([^.]+)/, (_: string, payload: string) => {
      const grant = Buffer.from(payload, 'base64url').toString().replace(recipient_id, theirs.recipient_id);
      return `/files/${Buffer.from(grant).toString('base64url')}`;
    });
    assert.equal((await client.read(String(forged))).statusCode, 403);
  });

  await t.test(
    'that is revoked, or whose organization is suspended, reads nothing any more, not even at an address it has',
    async () => {
      const { recipient_id, client } = await recipientOf(gateway, harbor.as, { name: 'ended' });
      const url = (await client.query(`tapes/schemas/${dealId}/tables/loans`)).files[0]?.url ?? '';
      assert.equal((await client.read(url)).statusCode, 200);
      assert.equal(dataOf(await at(`/${recipient_id}/revoke`, harbor.as, { reason: 'lost' })).status, 'REVOKED');
      assert.equal(dataOf(await at(`/${recipient_id}/revoke`, harbor.as, {})).status, 'REVOKED', 'twice is once');
      // Another process knows nothing of it yet: what this one remembers is left aside.
      const app = await gateway.app.over(gateway.deps);
      const refused = await app.inject({
        url: '/delta-sharing/shares',
        headers: { authorization: `Bearer ${client.token}` },
      });
      assert.deepEqual([refused.statusCode, refused.json().errorCode], [401, 'KEY_REVOKED']);
      const ended = await app.inject({ url: new URL(url).pathname });
      assert.deepEqual([ended.statusCode, ended.json().errorCode], [403, 'SIGNATURE_INVALID']);
      await app.close();

      const other = await recipientOf(gateway, harbor.as, { name: 'suspended' });
      const address = (await other.client.query(`tapes/schemas/${dealId}/tables/loans`)).files[0]?.url ?? '';
      const organization = `/v1/operator/organizations/${harbor.as.organization_id}`;
      const operator = await gateway.key('operator', 'Platform');
      dataOf(await gateway.call('POST', `${organization}/suspend`, { as: operator, body: { reason: 'unpaid' } }));
      const later = await gateway.app.over(gateway.deps);
      const read = async (path: string, headers = {}) => {
        const answer = await later.inject({ url: path, headers });
        return [answer.statusCode, answer.json().errorCode];
      };
      assert.deepEqual(await read(new URL(address).pathname), [403, 'SIGNATURE_INVALID']);
      const token = { authorization: `Bearer ${other.client.token}` };
      assert.deepEqual(await read('/delta-sharing/shares', token), [401, 'ORGANIZATION_SUSPENDED']);
      await later.close();
      dataOf(await gateway.call('POST', `${organization}/resume`, { as: operator, body: { reason: 'paid' } }));
    },
  );

  await t.test('is no API key, and an API key is no recipient', async () => {
    const { client } = await recipientOf(gateway, harbor.as, { name: 'token' });
    assert.equal((await gateway.call('GET', '/v1/api/me', { as: client.token })).status, 401);
    for (const [as, code] of [
      [harbor.as.token, 'KEY_MALFORMED'],
      ['sluice_share_none', 'KEY_UNKNOWN'],
      [null, 'KEY_MISSING'],
    ] as const) {
      const { status, body, headers } = await gateway.call('GET', '/delta-sharing/shares', { as });
      assert.deepEqual([status, (body as Row).errorCode, headers['www-authenticate']], [401, code, 'Bearer']);
    }
    assert.equal((await gateway.call('GET', '/delta-sharing/files/x.y')).status, 403);
    const unread = await gateway.call('POST', `/delta-sharing/shares/tapes/schemas/${dealId}/tables/loans/query`, {
      raw: '{',
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(unread.status, 401, 'before its body is looked at');
  });
});

test('a recipient of an organization with keys of both roles reads what the role of its maker does', async (t) => {
  await using gateway = await startGateway();
  const harbor = await openSeller(gateway, 'Harbor');
  const dealId = await harbor.checked(autoTape(5));
  const buyer = await gateway.key('investor', 'Harbor');
  const make = (as: Holder, body: object) => gateway.call('POST', '/v1/api/share-recipients', { as, body });
  const table = (share: string) => `${share}/schemas/${dealId}/tables/loans`;
  const sharesOf = async ({ client }: Awaited<ReturnType<typeof recipientOf>>) =>
    (await client.items('/shares')).map(({ name }) => name);
  const sells = await recipientOf(gateway, harbor.as, { name: 'sells' });
  const buys = await recipientOf(gateway, buyer, { name: 'buys' });

  await t.test('an investor’s key: the market, and no tape of the originator', async () => {
    assert.deepEqual(await sharesOf(buys), ['market']);
    for (const path of ['/shares/tapes', '/shares/tapes/all-tables', `/shares/${table('tapes')}/metadata`])
      assert.equal((await buys.client.call('GET', path)).status, 404, path);
    assert.equal((await buys.client.call('POST', `/shares/${table('tapes')}/query`, {})).status, 404);
    await assertRefused(gateway, () => make(buyer, { name: 'bound', deal_ids: [dealId] }), [404, 'NOT_FOUND']);
  });

  await t.test('an originator’s key: its tapes and pools, and no market', async () => {
    assert.deepEqual(await sharesOf(sells), ['pools', 'tapes']);
    for (const path of ['/shares/market', '/shares/market/all-tables', `/shares/${table('market')}/metadata`])
      assert.equal((await sells.client.call('GET', path)).status, 404, path);
  });

  await t.test('nor at the address of a file', async () => {
    const file = (await sells.client.query(table('tapes'))).files[0];
    assert.equal((await sells.client.read(String(file?.url))).statusCode, 200);
    const ids = [buys.recipient_id, 'tapes', dealId, 'loans', '1', String(file?.id)];
    const token = gateway.deps.addresses.sign({ act: 'share', ids, generation: 1, expires: Date.now() + 60_000 });
    assert.equal((await buys.client.read(`http://gateway/delta-sharing/files/${token}`)).statusCode, 403);
  });

  await t.test('a key of both roles: all of them', async () => {
    const all = await recipientOf(gateway, await gateway.key('both', 'Harbor'), { name: 'all' });
    assert.deepEqual(await sharesOf(all), ['market', 'pools', 'tapes']);
  });
});

test('a recipient that is revoked while a look-up of it takes long is not remembered from the end of that, nor until a clock that was set back comes there again', async (t) => {
  await using gateway = await startGateway();
  const { as } = await openSeller(gateway, 'Harbor');
  const { recipient_id, client } = await recipientOf(gateway, as);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const { db } = gateway.deps;
  let steadyMs = 0;
  const slow: Database = {
    ...db,
    tx: async (scope, work) => {
      const found = await db.tx(scope, work);
      await gateway.call('POST', `/v1/api/share-recipients/${recipient_id}/revoke`, { as, body: {} });
      steadyMs += 2_000;
      t.mock.timers.setTime(Date.now() - 3_600_000);
      return found;
    },
  };
  const { byToken } = createRecipientAuthenticator(slow, () => steadyMs);
  const ask = () => byToken(`Bearer ${client.token}`);
  assert.equal((await ask()).recipient_id, recipient_id, 'it was in force when it was looked up');
  await assert.rejects(ask, { code: 'KEY_REVOKED' });
});

test('two revocations of a recipient at once are told in their order', async () => {
  await using gateway = await startGateway();
  const { as } = await openSeller(gateway, 'Harbor');
  const { recipient_id } = await recipientOf(gateway, as);
  const revoke = async (reason: string) =>
    dataOf(await gateway.call('POST', `/v1/api/share-recipients/${recipient_id}/revoke`, { as, body: { reason } })).status;
  let second: Promise<string> | undefined;
  const release = await heldOpen(gateway, async (earlier) => {
    await earlier.rows('select from share_recipients where recipient_id = $1 for update', [recipient_id]);
    second = revoke('second');
    await waitingForLock(gateway);
    await endRecipient(earlier, as.organization_id, asId('rcp', recipient_id));
  });
  await release();
  assert.equal(await second, 'REVOKED');
  const { body } = await gateway.call('GET', `/v1/api/audit?entity_id=${recipient_id}&action=share_recipient.revoked`, { as });
  const [entry] = body.data;
  assert.deepEqual([entry.before, entry.after], [{ status: 'REVOKED' }, { status: 'REVOKED' }]);
});

test('recipients and their limits', async () => {
  await using gateway = await startGateway({ SLUICE_RATE_LIMIT: '5' });
  const { as } = await openSeller(gateway, 'Harbor');
  const { client } = await recipientOf(gateway, as);
  const statuses: number[] = [];
  for (let count = 0; count < 6; count += 1) statuses.push((await client.call('GET', '/shares')).status);
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
});

test('pools, and the loans that are disclosed of a deal, are tables too', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  const served = [await deal.month(1), await deal.month(2)];
  const holder = await desk.investor();
  const { client } = await recipientOf(gateway, holder);
  const own = await recipientOf(gateway, desk.seller);
  const disclose = (level: string, fields: string[]) =>
    desk.send('PUT', `${deal.pools}/disclosure`, desk.seller, { level, fields });
  const [loans, months] = ['loans', 'monthly_loans'].map((name) => `market/schemas/${deal.deal_id}/tables/${name}`) as [
    string,
    string,
  ];

  await t.test('of the owner: the closing loans, and those after each period', async () => {
    const pool = `pools/schemas/${deal.pool_id}/tables`;
    const closing = await own.client.query(`${pool}/loans`);
    assert.equal(cents(await own.client.rows(closing.files[0]?.url ?? '')), Math.round(deal.balance * 100));
    const monthly = await own.client.query(`${pool}/monthly_loans`);
    assert.deepEqual(monthly.metadata.partitionColumns, ['period']);
    assert.equal(fieldsOf(monthly.metadata).at(-1)?.name, 'period');
    assert.deepEqual(
      monthly.files.map(({ partitionValues }) => partitionValues),
      [{ period: '1' }, { period: '2' }],
    );
    const closings = await Promise.all(monthly.files.map(async ({ url }) => cents(await own.client.rows(url))));
    assert.deepEqual(
      closings,
      served.map(({ closing: each }) => each),
    );
    const second = {
      op: 'and',
      children: [
        {
          op: 'equal',
          children: [
            { op: 'column', name: 'period', valueType: 'int' },
            { op: 'literal', value: '2', valueType: 'int' },
          ],
        },
        {
          op: 'equal',
          children: [
            { op: 'column', name: 'state', valueType: 'string' },
            { op: 'literal', value: 'TX', valueType: 'string' },
          ],
        },
      ],
    };
    const object = { toString: 1, valueOf: 1 };
    const strange = {
      op: 'equal',
      children: [
        { op: 'column', name: object },
        { op: 'literal', value: object },
      ],
    };
    const whole = await own.client.query(`${pool}/monthly_loans`, {
      predicateHints: [object],
      jsonPredicateHints: JSON.stringify(strange),
    });
    assert.equal(whole.files.length, 2, 'a hint that is not understood leaves no file out');
    // What every object of the language has is no operator.
    for (const op of ['__proto__', 'hasOwnProperty', 'constructor']) {
      const hints = { jsonPredicateHints: JSON.stringify({ ...second.children[0], op }) };
      assert.equal((await own.client.query(`${pool}/monthly_loans`, hints)).files.length, 2, op);
    }
    const hinted = await own.client.query(`${pool}/monthly_loans`, { jsonPredicateHints: JSON.stringify(second) });
    assert.deepEqual(
      hinted.files.map(({ partitionValues }) => partitionValues),
      [{ period: '2' }],
    );
    assert.equal((await own.client.query(`${pool}/monthly_loans`, { predicateHints: ['period < 2'] })).files.length, 1);
    await deal.month(3);
    const next = await own.client.query(`${pool}/monthly_loans`);
    assert.ok(next.version > monthly.version && next.files.length === 3);
  });

  await t.test('of an investor: none while the deal discloses aggregates', async () => {
    assert.deepEqual(await client.items('/shares'), [{ name: 'market' }]);
    assert.deepEqual(await client.items('/shares/market/schemas'), []);
    assert.equal((await client.call('GET', `/shares/${loans}/metadata`)).status, 404);
  });

  await t.test('of an investor: the disclosed fields alone, with ids that tell nothing', async () => {
    dataOf(await disclose('LOAN_LEVEL', FIELDS));
    assert.deepEqual(
      (await client.items(`/shares/market/schemas/${deal.deal_id}/tables`)).map(({ name }) => name),
      ['loans', 'monthly_loans'],
    );
    const [one, two] = await Promise.all([client.query(loans), client.query(loans)]);
    assert.equal(one.files[0]?.id, two.files[0]?.id, 'asked for twice at once it is one file');
    const rows = await client.rows(one.files[0]?.url ?? '');
    assert.deepEqual(Object.keys(rows[0] ?? {}), ['loan', ...FIELDS]);
    assert.equal(cents(rows), Math.round(deal.balance * 100));
    const listed = dataOf(await desk.send('GET', `/v1/api/investor/deals/${deal.deal_id}/loans?limit=500`, holder));
    assert.deepEqual(
      rows.map(({ loan }) => loan),
      listed.map(({ loan }: { loan: string }) => loan),
    );
    const monthly = await client.query(months);
    assert.equal(cents(await client.rows(monthly.files[0]?.url ?? '')), served[0]?.closing);
    const log = dataOf(await desk.send('GET', '/v1/api/access-log?act=DOWNLOADED', desk.seller));
    assert.deepEqual([log.length, log[0].key_id, log[0].details.format], [3, holder.key_id, 'delta-sharing']);
  });

  await t.test('of an investor: another version when the disclosure changes, and the old addresses end', async () => {
    const before = await client.query(loans);
    const url = before.files[0]?.url ?? '';
    dataOf(await disclose('LOAN_LEVEL', ['state']));
    assert.equal((await client.read(url)).statusCode, 403);
    const after = await client.query(loans);
    assert.ok(after.version > before.version && after.files[0]?.id !== before.files[0]?.id);
    assert.deepEqual(Object.keys((await client.rows(after.files[0]?.url ?? ''))[0] ?? {}), ['loan', 'state']);
    dataOf(await disclose('AGGREGATE', []));
    assert.equal((await client.read(after.files[0]?.url ?? '')).statusCode, 403);
    assert.deepEqual(await client.items('/shares/market/schemas'), []);
  });

  await t.test('of an investor: are made again where storing their file took so long that it was deleted', async () => {
    dataOf(await disclose('LOAN_LEVEL', FIELDS));
    const { db, store } = gateway.deps;
    const slow = storeWith(store, {
      put: async (...given) => {
        const stored = await store.put(...given);
        await db.tx({ platform: true }, (tx) => tx.exec('update removed_objects set removed_at = now()'));
        return stored;
      },
    });
    const app = await gateway.app.over({ ...gateway.deps, store: slow });
    const headers = { authorization: `Bearer ${client.token}` };
    await app.inject({ method: 'POST', url: `/delta-sharing/shares/${loans}/query`, headers, payload: {} });
    await app.close();
    await housekeeping(gateway.deps);
    const { files } = await client.query(loans);
    assert.equal(cents(await client.rows(files[0]?.url ?? '')), Math.round(deal.balance * 100));
    dataOf(await disclose('AGGREGATE', []));
  });

  await t.test('leave no files of what is disclosed no more', async () => {
    const files = () =>
      gateway.deps.db.tx({ platform: true }, (tx) => tx.rows<{ object_key: string }>('select object_key from shared_files'));
    assert.ok((await files()).length > 0);
    await housekeeping(gateway.deps);
    // The last change of what is disclosed made the level AGGREGATE: all files are of versions before it.
    assert.deepEqual(await files(), []);
    await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec('update removed_objects set removed_at = now()'));
    await housekeeping(gateway.deps);
    const left: string[] = [];
    for await (const { key } of gateway.deps.store.list('shared/')) left.push(key);
    assert.deepEqual(left, []);
  });
});

test('a deal that its investor may not see is no table', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const loanDeal = await approvedDeal(gateway, desk.seller, desk.operator, { bytes: autoTape(5) });
  const holder = await desk.investor();
  const { client } = await recipientOf(gateway, holder);
  for (const share of ['tapes', 'pools', 'market'])
    assert.equal((await client.call('GET', `/shares/${share}/schemas/${loanDeal}/tables/loans/metadata`)).status, 404);
});
