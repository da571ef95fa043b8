import assert from 'node:assert/strict';
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { codeOf, startGateway } from '../../../test/support/gateway.ts';
import { storeWith } from '../../../test/support/stores.ts';
import { autoTape, LOANS, put, type Seller, seller } from '../../../test/support/tapes.ts';
import { openRoom } from '../../loans/testing/take-tape.ts';
import { sweepUploads } from '../uploads/sweep-uploads.ts';
import { ingestTape } from './ingest-tape.ts';
import type { Tape } from './queries.ts';

const going = new AbortController().signal;

/** A small tape with names and a column that only looks personal. */
const named = (rows: number, more: (index: number) => string = () => ''): string =>
  autoTape(rows, (row, index) => {
    row['Borrower Name'] = `Ann${index} Quoll`;
    row['Mail Zone'] = `zone ${index % 3}${more(index)}`;
    row['Customer ID'] = `C-${index % 2}`;
  });

test('sealed columns of a tape', async (t) => {
  await using gateway = await startGateway();
  const { deps } = gateway;
  const rowOf = async (dealId: string, version = 1): Promise<Tape> => {
    const rows = await deps.db.tx({ platform: true }, (tx) =>
      tx.rows<Tape>('select * from tapes where deal_id = $1 and version = $2', [dealId, version]),
    );
    assert.ok(rows[0]);
    return rows[0];
  };
  const sealedOf = async (ours: Seller, dealId: string): Promise<string[]> =>
    (await ours.call('GET', `/${dealId}/mapping`)).body.data.sealed.map(({ source }: { source: string }) => source).sort();
  const file = (ours: Seller, dealId: string, version = 1) =>
    gateway.call('GET', `${LOANS}/${dealId}/tapes/${version}/file`, { as: ours.as });
  const destroy = (ours: Seller, dealId: string) => ours.call('DELETE', `/${dealId}/personal-data`);
  const isThere = async (key: string | null) => key !== null && (await deps.store.stat(key)) !== null;

  await t.test('can be unsealed where they were taken for personal by mistake, and others sealed, on record', async () => {
    const ours = await seller(gateway, 'Mistaken');
    const dealId = await ours.checked(named(6));
    assert.deepEqual(await sealedOf(ours, dealId), ['Borrower Name', 'Customer ID', 'Mail Zone']);
    const before = await rowOf(dealId);
    const changed = await ours.map(
      dealId,
      { source: 'Mail Zone', target: null, sealed: false },
      { source: 'FICO', target: null, sealed: true },
    );
    assert.deepEqual(changed.body.data.sealed.map(({ source }: { source: string }) => source).sort(), [
      'Borrower Name',
      'Customer ID',
      'FICO',
    ]);
    await gateway.runJobs();
    assert.deepEqual(await sealedOf(ours, dealId), ['Borrower Name', 'Customer ID', 'FICO']);
    const after = await rowOf(dealId);
    assert.notEqual(after.raw_key, before.raw_key);
    const [entry] = (await ours.audited(dealId)).filter(({ action }) => action === 'mapping.seals_changed');
    assert.deepEqual([entry?.actor, entry?.after], [ours.as.key_id, { sealed: ['FICO'], unsealed: ['Mail Zone'] }]);
    const next = await ours.sent(named(4));
    await gateway.runJobs();
    assert.deepEqual(await sealedOf(ours, next), ['Borrower Name', 'Customer ID', 'FICO'], 'it is remembered for the next tape');
    // The files of the run before are deleted once nobody can be reading them.
    await deps.db.tx({ platform: true }, (tx) => tx.exec(`update removed_objects set removed_at = now() - interval '1 second'`));
    await sweepUploads(deps);
    assert.deepEqual(await Promise.all([isThere(before.raw_key), isThere(before.sealed_key), isThere(after.raw_key)]), [
      false,
      false,
      true,
    ]);
  });

  await t.test('fill no field that is shown', async () => {
    const ours = await seller(gateway, 'Shown');
    const dealId = await ours.checked(named(4));
    const direct = await ours.map(dealId, { source: 'Borrower Name', target: 'vehicle_make' });
    assert.deepEqual([...codeOf(direct), direct.body.errors?.[0].code], [422, 'MAPPING_INVALID', 'SEALED_FIELD']);
    const joined = { source: 'Maturity', target: 'vehicle_make', transform: { concat: { columns: ['Borrower Name'] } } };
    assert.deepEqual(codeOf(await ours.map(dealId, joined)), [422, 'MAPPING_INVALID']);
    const moved = [
      { source: 'Borrower Name', target: 'obligor_id' },
      { source: 'Customer ID', target: null },
    ];
    assert.equal((await ours.map(dealId, ...moved)).status, 202);
    await gateway.runJobs();
  });

  await t.test('leave the uploaded file encrypted alone, whatever the process dies of in between', async () => {
    const ours = await seller(gateway, 'Crashed');
    const dealId = await ours.sent(named(5));
    const plain = (await rowOf(dealId)).object_key;
    const job = { organization_id: ours.as.organization_id, deal_id: (await rowOf(dealId)).deal_id, version: 1, run: 1 };
    const stored: string[] = [];
    const dying = storeWith(deps.store, {
      async put(key, bytes, most) {
        stored.push(key);
        const done = await deps.store.put(key, bytes, most);
        if (key.endsWith('.sealed')) throw new Error('the process ended');
        return done;
      },
    });
    await assert.rejects(ingestTape({ ...deps, store: dying }, job, going));
    assert.deepEqual([(await rowOf(dealId)).object_key, await isThere(plain)], [plain, true], 'the old state');
    const failing = storeWith(deps.store, { delete: () => Promise.reject(new Error('the process ended')) });
    await ingestTape({ ...deps, store: failing }, job, going);
    const sealed = await rowOf(dealId);
    assert.equal(sealed.state, 'DONE');
    assert.deepEqual([await isThere(sealed.object_key), await isThere(plain)], [true, true]);
    await deps.db.tx({ platform: true }, (tx) =>
      tx.exec(`update removed_objects set removed_at = now() - interval '1 second' where organization_id = $1`, [
        ours.as.organization_id,
      ]),
    );
    await sweepUploads(deps);
    assert.deepEqual(await Promise.all([isThere(plain), isThere(stored[0] ?? ''), isThere(sealed.object_key)]), [
      false,
      false,
      true,
    ]);
    assert.equal((await file(ours, dealId)).text, named(5));
    const { body } = await ours.call('GET', `/${dealId}/tapes`);
    assert.deepEqual([body.data[0].size, body.data[0].sha256], [sealed.size, sealed.sha256]);
  });

  await t.test('of a file that several deals of one submission share keep it until the last of them has sealed it', async () => {
    const ours = await seller(gateway, 'Bulk');
    const opened = await ours.call('POST', '/bulk/uploads', { fileName: 'b.csv', fileFormat: 'text/csv' });
    await put(gateway, opened, named(3));
    const fileKey = opened.body.data.file_key;
    const inline = [{ loan_id: 'A', original_balance: 5, borrower_name: 'Ann Quoll' }];
    const submitted = await ours.call('POST', '/bulk', {
      deals: [
        { loanType: 'Auto', fileKey },
        { loanType: 'Auto', fileKey, name: 'Second' },
        { loanType: 'Auto', loans: inline },
      ],
    });
    assert.equal(submitted.status, 202);
    const keys = await deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ object_key: string }>('select distinct object_key from bulk_items where job_id = $1', [
        submitted.body.data.job_id,
      ]),
    );
    await gateway.runJobs();
    for (const { object_key } of keys) assert.equal(await isThere(object_key), false, object_key);
    const { deals } = (await ours.call('GET', `/bulk/${submitted.body.data.job_id}`)).body.data;
    const texts = await Promise.all(deals.map(async ({ id }: { id: string }) => (await file(ours, id)).text));
    assert.deepEqual(texts, [named(3), named(3), JSON.stringify(inline)]);
    assert.deepEqual(await sealedOf(ours, deals[2].id), ['borrower_name']);
  });

  await t.test('that are destroyed leave a tape that can be mapped, corrected and merged', async () => {
    const ours = await seller(gateway, 'Destroyed');
    const dealId = await ours.checked(named(6));
    const tokens = async () =>
      (await ours.call('GET', `/${dealId}/loans`)).body.data.map(({ obligor_id }: { obligor_id: string }) => obligor_id);
    const before = await tokens();
    await ours.map(dealId, { source: 'FICO', target: null });
    assert.deepEqual(codeOf(await destroy(ours, dealId)), [409, 'CONFLICT'], 'not while the checks run');
    await gateway.runJobs();
    assert.deepEqual((await destroy(ours, dealId)).body.data.versions, [1]);
    const [entry] = (await ours.audited(dealId)).filter(({ action }) => action === 'personal_data.destroyed');
    assert.deepEqual(entry?.after.versions, [1]);
    assert.deepEqual(codeOf(await file(ours, dealId)), [410, 'PERSONAL_DATA_DESTROYED']);
    assert.deepEqual(codeOf(await ours.map(dealId, { source: 'Mail Zone', target: null, sealed: false })), [409, 'CONFLICT']);
    assert.equal((await ours.map(dealId, { source: 'Days Past Due', target: null })).status, 202);
    await gateway.runJobs();
    assert.deepEqual(await tokens(), before);
    const merged = await ours.version(dealId, named(8).split('\n').toSpliced(1, 5).join('\n'), 'MERGE');
    assert.deepEqual([merged.qc.state, merged.loan_count], ['DONE', 8]);
    assert.deepEqual((await tokens()).slice(0, 6), before, 'the same person has the same token in both');
    assert.equal((await file(ours, dealId, 2)).status, 200, 'a later version has a key of its own');
    const theirs = await seller(gateway, 'Stranger');
    assert.deepEqual(codeOf(await destroy(theirs, dealId)), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await file(theirs, dealId, 2)), [404, 'NOT_FOUND']);
  });

  await t.test('of a tape from before it was sealed are sealed when its checks run again', async () => {
    const ours = await seller(gateway, 'Legacy');
    const dealId = await ours.checked(named(5));
    const sealed = await rowOf(dealId);
    await using room = await openRoom();
    const shown = ['Borrower Name', 'Mail Zone', 'Customer ID'].map((source) => ({ source, target: null, sealed: false }));
    const tape = await room.take({ loanType: 'Auto', csv: named(5), overrides: shown });
    const [uploadKey, rawKey] = [
      `uploads/${ours.as.organization_id}/legacy`,
      `tapes/${ours.as.organization_id}/${dealId}/1/0/raw.parquet`,
    ];
    await deps.store.put(uploadKey, createReadStream(join(tape.files.raw, '..', 'tape.csv')), 1e9);
    await deps.store.put(rawKey, createReadStream(tape.files.raw), 1e9);
    await deps.db.tx({ platform: true }, (tx) =>
      tx.exec('update tapes set object_key = $2, raw_key = $3, data_key = null, sealed_key = null where deal_id = $1', [
        dealId,
        uploadKey,
        rawKey,
      ]),
    );
    assert.equal((await file(ours, dealId)).text, named(5), 'its file stays readable');
    assert.deepEqual(codeOf(await destroy(ours, dealId)), [409, 'CONFLICT']);
    assert.equal((await ours.map(dealId, { source: 'FICO', target: null })).status, 202);
    await gateway.runJobs();
    const now = await rowOf(dealId);
    assert.ok(now.data_key !== null && now.sealed_key !== null && now.raw_key !== rawKey && sealed.data_key !== now.data_key);
    assert.equal(await isThere(uploadKey), false);
    assert.deepEqual(await sealedOf(ours, dealId), ['Borrower Name', 'Customer ID', 'Mail Zone']);
    assert.equal((await file(ours, dealId)).text, named(5));
    assert.deepEqual((await destroy(ours, dealId)).body.data.versions, [1]);
  });

  await t.test('leave nothing in the working directory', () => {
    assert.deepEqual(
      readdirSync(deps.workDir).filter((name) => /^(ingest|preview|upload)-/.test(name)),
      [],
    );
  });
});
