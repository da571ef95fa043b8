import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { type Answer, type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { startS3 } from '../../../test/support/s3.ts';
import { StoreRefused } from '../../platform/files/store.ts';
import { autoTape, CSV, put } from '../../../test/support/tapes.ts';
import { housekeeping } from '../../worker.ts';
import { storeWith } from '../../../test/support/stores.ts';

const FILE = { fileFormat: CSV, fileName: 'tape.csv' };
const LOANS = '/v1/api/originator/loans';

const uploads = (gateway: Gateway) =>
  gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ file_key: string; object_key: string | null }>('select file_key, object_key from uploads order by upload_id'),
  );

/** Keys of uploaded files; housekeeping also keeps checkpoints of the audit log in the store. */
const uploaded = (s3: { keys(): string[] }): string[] => s3.keys().filter((key) => key.startsWith('uploads/'));

/** Moves the end of an upload's address into the past. */
const age = (gateway: Gateway, initiated: Answer, by: string) =>
  gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec('update uploads set expires_at = now() - $2::interval where file_key = $1', [initiated.body.data.file_key, by]),
  );

test('housekeeping removes uploads that were never completed, with their bytes', async () => {
  await using s3 = await startS3();
  await using gateway = await startGateway({ SLUICE_STORAGE_URL: s3.url });
  const as = await gateway.key('originator');
  const bulk = () => gateway.call('POST', `${LOANS}/bulk/uploads`, { as, body: FILE });
  const draft = await gateway.call('POST', `${LOANS}/initiate`, { as, body: { ...FILE, loanType: 'Auto' } });
  const [empty, emptyStill, sent, sentStill, completed] = [await bulk(), await bulk(), await bulk(), await bulk(), await bulk()];
  for (const each of [sent, sentStill, completed, draft]) await put(gateway, each, autoTape(3));
  const deals = [{ loanType: 'Auto', fileKey: completed.body.data.file_key }];
  assert.equal((await gateway.call('POST', `${LOANS}/bulk`, { as, body: { deals } })).status, 202);
  await age(gateway, empty, '61 minutes');
  await age(gateway, emptyStill, '59 minutes');
  await age(gateway, sent, '25 hours');
  await age(gateway, sentStill, '23 hours');
  for (const each of [completed, draft]) await age(gateway, each, '20 days');
  const gone = (await uploads(gateway)).find((row) => row.file_key === sent.body.data.file_key)?.object_key ?? '';
  assert.ok(uploaded(s3).includes(gone));
  await housekeeping(gateway.deps);
  const kept = [emptyStill, sentStill, completed, draft].map((each) => each.body.data.file_key).sort();
  assert.deepEqual((await uploads(gateway)).map((row) => row.file_key).sort(), kept);
  assert.deepEqual([uploaded(s3).length, uploaded(s3).includes(gone)], [3, false]);
  assert.equal((await gateway.call('DELETE', `${LOANS}/${draft.body.data.deal_id}`, { as })).status, 200);
  await housekeeping(gateway.deps);
  assert.equal(uploaded(s3).length, 2);
});

test('housekeeping removes what killed processes left: claims, temporary files and files that no row names', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator');
  const { dataDir } = gateway.deps.config;
  const leave = (name: string, hoursOld: number): string => {
    const path = join(dataDir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'left');
    const at = new Date(Date.now() - hoursOld * 3_600_000);
    utimesSync(path, at, at);
    return path;
  };
  const initiated = await gateway.call('POST', `${LOANS}/bulk/uploads`, { as, body: FILE });
  await put(gateway, initiated, autoTape(3));
  const [{ object_key } = { object_key: '' }] = await uploads(gateway);
  const named = leave(`objects/${object_key}`, 48);
  const half = leave('objects/uploads/org_killed/half', 1);
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec(
      `update uploads set receiver = 'killed', receiver_until = now() - interval '2 minutes', receiving_key = 'uploads/org_killed/half'`,
    ),
  );
  const gone = [leave('objects/.partial/old', 13), leave('objects/uploads/org_gone/inline/old.json', 13), half];
  const kept = [
    leave('objects/.partial/new', 1),
    leave('objects/uploads/org_gone/inline/new.json', 1),
    leave('objects/tapes/x', 48),
    named,
  ];
  await housekeeping(gateway.deps);
  assert.deepEqual(gone.map(existsSync), [false, false, false]);
  assert.deepEqual(kept.map(existsSync), [true, true, true, true]);
  assert.equal((await put(gateway, initiated, autoTape(4))).status, 200);
  await housekeeping(gateway.deps);
  assert.equal(readdirSync(dirname(named)).length, 1);
});

test('housekeeping removes inline loans of a submission that did not come about, and keeps those of one that did', async () => {
  await using s3 = await startS3();
  await using gateway = await startGateway({ SLUICE_STORAGE_URL: s3.url });
  const as = await gateway.key('originator');
  const inline = { loanType: 'Auto', loans: [{ loan_id: '1', original_balance: 1_000, current_balance: 900 }] };
  const submit = (deals: object[]) => gateway.call('POST', `${LOANS}/bulk`, { as, body: { deals } });
  assert.equal((await submit([inline])).status, 202);
  assert.equal((await submit([inline, { loanType: 'Auto', fileKey: 'upload/bulk/none.csv' }])).status, 404);
  assert.equal(uploaded(s3).length, 2);
  const elapse = () =>
    gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(`update removed_objects set removed_at = removed_at - interval '1 hour'`),
    );
  await housekeeping(gateway.deps);
  assert.equal(uploaded(s3).length, 2);
  await elapse();
  await housekeeping(gateway.deps);
  assert.equal(uploaded(s3).length, 1);
  await gateway.runJobs();
  const listed = await gateway.call('GET', LOANS, { as });
  assert.deepEqual(
    listed.body.data.map((deal: { status: string; loan_count: number }) => [deal.status, deal.loan_count]),
    [['QC_COMPLETED', 1]],
  );
});

test('housekeeping deletes what it can when the store refuses to delete an object', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator');
  const objects: string[] = [];
  for (const each of ['Auto', 'Personal']) {
    const initiated = await gateway.call('POST', `${LOANS}/initiate`, { as, body: { ...FILE, loanType: each } });
    await put(gateway, initiated, autoTape(3));
    objects.push((await uploads(gateway)).find((row) => row.file_key === initiated.body.data.file_key)?.object_key ?? '');
    assert.equal((await gateway.call('DELETE', `${LOANS}/${initiated.body.data.deal_id}`, { as })).status, 200);
  }
  const { store } = gateway.deps;
  const refusing = storeWith(store, {
    delete: (key) => (key === objects[0] ? Promise.reject(new StoreRefused('access denied')) : store.delete(key)),
  });
  await housekeeping({ ...gateway.deps, store: refusing });
  assert.deepEqual(await Promise.all(objects.map(async (key) => (await store.localPath(key)) !== null)), [true, false]);
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec(`update removed_objects set removed_at = now() - interval '1 second'`),
  );
  await housekeeping(gateway.deps);
  assert.equal(await store.localPath(objects[0] ?? ''), null);
});

test('housekeeping gives up the parts that a killed process left of a list of pledged loans, as of every other large object', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator');
  const loans = [{ loan_id: '1' }];
  const body = { pledgee: 'A bank', loan_type: 'Auto', as_of: '2026-11-30', loans };
  assert.equal((await gateway.call('POST', '/v1/api/originator/pledges', { as, body })).status, 201);
  const { store } = gateway.deps;
  const listed = await Array.fromAsync(store.list(''));
  let swept: readonly string[] = [];
  const watched = storeWith(store, {
    removeUnfinished: async (folders) => {
      swept = folders;
      return 0;
    },
  });
  await housekeeping({ ...gateway.deps, store: watched });
  assert.equal(listed.length, 1);
  for (const { key } of listed) assert.ok(swept.includes(key.split('/')[0] ?? ''), key);
});

test('a part of housekeeping that fails is reported, and the parts after it run', async () => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator');
  const { store } = gateway.deps;
  const failing = storeWith(store, { removeUnfinished: () => Promise.reject(new Error('the listing failed')) });
  await assert.rejects(housekeeping({ ...gateway.deps, store: failing }), /the listing failed/);
  const { body } = await gateway.call('GET', '/v1/operator/audit/verify', { as: operator });
  assert.equal(body.data.checkpoints.count, 1);
});
