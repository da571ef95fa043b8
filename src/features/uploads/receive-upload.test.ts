import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { startSilentProxy } from '../../../test/support/silent-proxy.ts';
import { autoTape, CSV } from '../../../test/support/tapes.ts';
import { beginPut, openPut, type Put, receivers } from '../../../test/support/uploads.ts';
import { buildApp } from '../../app.ts';
import { openRuntime } from '../../runtime.ts';
import { until } from '../../../test/support/until.ts';

const FILE = { fileFormat: CSV, fileName: 'tape.csv' };
const TAPE = autoTape(5);

test('one PUT at a time sends to an address', async (t) => {
  await using gateway = await startGateway();
  await using deps = await openRuntime(gateway.deps.config, { migrate: false, supervise: false });
  const other = await buildApp(deps);
  for (const app of [gateway.app, other]) await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => other.close());
  const as = await gateway.key('originator');
  const initiate = () => gateway.call('POST', '/v1/api/originator/loans/bulk/uploads', { as, body: FILE });
  const send = async (app: Gateway['app'], initiated: Answer): Promise<Awaited<Put['answered']>> => {
    const put = openPut(app, initiated);
    put.outgoing.end(TAPE);
    return put.answered;
  };

  await t.test('twenty others at once are told to come again, by another process on the same database too', async () => {
    const initiated = await initiate();
    const first = await beginPut(gateway, initiated);
    const others = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index % 2 ? gateway.app : other, initiated)));
    const told = { status: 409, code: 'UPLOAD_IN_PROGRESS', retryAfter: '5' };
    assert.deepEqual(others, Array(20).fill(told));
    first.outgoing.end(TAPE);
    assert.equal((await first.answered).status, 200);
    assert.equal((await send(other, initiated)).status, 200);
  });

  await t.test('a new address ends what is still being sent to the old one', async () => {
    const holder = await gateway.key('originator', 'Refreshing while it sends');
    const initiated = await gateway.call('POST', '/v1/api/originator/loans/initiate', {
      as: holder,
      body: { ...FILE, loanType: 'Auto' },
    });
    const sending = await beginPut(gateway, initiated);
    const { deal_id } = initiated.body.data;
    const renewed = await gateway.call('PATCH', `/v1/api/originator/loans/${deal_id}`, { as: holder, body: {} });
    assert.equal(renewed.status, 200);
    assert.equal((await send(gateway.app, renewed)).status, 200, 'the new address is free at once');
    sending.outgoing.end(TAPE);
    const { status, code } = await sending.answered;
    assert.deepEqual([status, code], [403, 'SIGNATURE_INVALID']);
    const body = { dealId: deal_id, fileName: 'tape.csv' };
    assert.equal((await gateway.call('POST', '/v1/api/originator/loans/complete', { as: holder, body })).status, 202);
  });

  await t.test('a lost connection frees the address, whose claim would lapse later', async () => {
    const initiated = await initiate();
    const lost = await beginPut(gateway, initiated);
    lost.outgoing.destroy();
    await until(async () => (await receivers(gateway)).length === 0, 120_000, 'the release of the claim');
    assert.equal((await send(other, initiated)).status, 200);
  });

  await t.test('the claim of a process that was killed before the clock was set back by hours counts for nothing', async () => {
    const initiated = await initiate();
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(
        `update uploads set receiver = 'killed', receiver_until = now() + interval '6 hours' where upload_id = (select max(upload_id) from uploads)`,
      ),
    );
    assert.equal((await send(other, initiated)).status, 200);
  });

  await t.test(
    'a claim that is no longer renewed lapses, and what comes from its holder after that counts for nothing',
    async () => {
      const initiated = await initiate();
      const held = await beginPut(gateway, initiated);
      await gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.exec(`update uploads set receiver_until = now() where receiver is not null`),
      );
      assert.equal((await send(other, initiated)).status, 200);
      held.outgoing.end(TAPE);
      assert.deepEqual((await held.answered).code, 'UPLOAD_IN_PROGRESS');
      assert.equal((await send(gateway.app, initiated)).status, 200);
    },
  );
});

test('a PUT that the database commits and whose answer is lost can be completed: its sender is told to come again', async (t) => {
  await using gateway = await startGateway();
  await using proxy = await startSilentProxy(gateway.deps.databaseUrl);
  const databaseUrl = proxy.url(gateway.deps.databaseUrl);
  await using deps = await openRuntime({ ...gateway.deps.config, databaseUrl }, { migrate: false, supervise: false });
  const app = await buildApp(deps);
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const as = await gateway.key('originator');
  const post = (path: string, body: object) => gateway.call('POST', `/v1/api/originator/loans/${path}`, { as, body });
  const initiated = await post('initiate', { ...FILE, loanType: 'Auto' });
  const put = await beginPut({ ...gateway, app }, initiated);
  // Every commit until the PUT has its answer: the claim is renewed meanwhile.
  proxy.loseCommits(Number.POSITIVE_INFINITY);
  put.outgoing.end(TAPE);
  const { status, code } = await put.answered;
  proxy.loseCommits(0);
  assert.deepEqual([status, code], [503, 'UNAVAILABLE']);
  assert.equal((await post('complete', { dealId: initiated.body.data.deal_id, fileName: 'tape.csv' })).status, 202);
});

test('an organization has at most 100 uploads that are begun and unfinished', async (t) => {
  await using gateway = await startGateway();
  /** An organization that has begun as many uploads as it may, but for `free` of them. */
  const crowded = async (name: string, free = 0) => {
    const as = await gateway.key('originator', name);
    const post = (path: string, body: object, headers: Record<string, string> = {}) =>
      gateway.call('POST', `/v1/api/${path}`, { as, body, headers });
    const bulk = () => post('originator/loans/bulk/uploads', FILE);
    const expire = (most: number) =>
      gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.exec(
          `update uploads set expires_at = now() where upload_id in (
             select upload_id from uploads where organization_id = $2 and status = 'PENDING' and expires_at > now() limit $1)`,
          [most, as.organization_id],
        ),
      );
    assert.equal((await bulk()).status, 201);
    // The others are rows like the first one.
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(
        `insert into uploads select (jsonb_populate_record(u, jsonb_build_object('upload_id', u.upload_id || '_' || n, 'file_key', u.file_key || n))).*
         from uploads u, generate_series(1, $2) n where u.organization_id = $1`,
        [as.organization_id, 99 - free],
      ),
    );
    return { as, post, bulk, expire };
  };

  await t.test('however many are begun at once', async () => {
    const { bulk } = await crowded('At once', 5);
    const statuses = (await Promise.all(Array.from({ length: 20 }, bulk))).map(({ status }) => status);
    assert.deepEqual(
      [201, 409].map((status) => statuses.filter((each) => each === status).length),
      [5, 15],
    );
  });

  await t.test('of tapes, bulk files and documents together, and another organization has its own', async () => {
    const { bulk, post } = await crowded('Together');
    for (const refused of [
      await bulk(),
      await post('originator/loans/initiate', { ...FILE, loanType: 'Auto' }),
      await post('deals/documents/initiate', { fileName: 'w9.pdf' }),
    ]) {
      assert.deepEqual(
        [refused.status, refused.body.code, refused.body.limit, refused.body.pending],
        [409, 'UPLOADS_PENDING', 100, 100],
      );
    }
    const others = await gateway.key('originator', 'Others');
    const path = '/v1/api/originator/loans';
    assert.equal((await gateway.call('POST', `${path}/bulk/uploads`, { as: others, body: FILE })).status, 201);
    const { body } = await post('originator/loans/initiate', { ...FILE, loanType: 'Auto' });
    assert.equal(body.existing_deal_id, undefined, 'the refused one left no draft');
  });

  await t.test('until one is completed; bytes that wait for that count', async () => {
    const { bulk, post } = await crowded('Completing', 1);
    const initiated = await post('originator/loans/initiate', { ...FILE, loanType: 'Auto' });
    assert.equal(initiated.status, 201);
    const { deal_id, upload_url, upload_headers } = initiated.body.data;
    assert.equal((await bulk()).status, 409);
    await gateway.call('PUT', new URL(upload_url).pathname, { headers: upload_headers, raw: TAPE });
    assert.equal((await bulk()).status, 409);
    assert.equal((await post('originator/loans/complete', { dealId: deal_id, fileName: 'tape.csv' })).status, 202);
    assert.deepEqual([(await bulk()).status, (await bulk()).status], [201, 409]);
  });

  await t.test('until an address expires without its bytes', async () => {
    const { bulk, expire } = await crowded('Expiring');
    await expire(2);
    assert.deepEqual([(await bulk()).status, (await bulk()).status, (await bulk()).status], [201, 201, 409]);
  });

  await t.test('and a new address of one of them is no further one', async () => {
    const { post, bulk, as } = await crowded('Refreshing', 1);
    const { deal_id } = (await post('originator/loans/initiate', { ...FILE, loanType: 'Auto' })).body.data;
    const refresh = () => gateway.call('PATCH', `/v1/api/originator/loans/${deal_id}`, { as, body: {} });
    assert.deepEqual([(await refresh()).status, (await bulk()).status], [200, 409]);
  });

  await t.test('also when a repeated request would give an expired address new life', async () => {
    const { post, bulk, expire } = await crowded('Repeating', 1);
    const again = () => post('originator/loans/bulk/uploads', FILE, { 'idempotency-key': 'again' });
    assert.equal((await again()).status, 201);
    await expire(1_000);
    for (let count = 0; count < 100; count += 1) assert.equal((await bulk()).status, 201);
    assert.equal((await again()).body.code, 'UPLOADS_PENDING');
    await expire(1);
    assert.deepEqual([(await again()).status, (await bulk()).status], [201, 409]);
  });
});
