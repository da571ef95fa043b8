import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { codeOf, startGateway } from '../../../test/support/gateway.ts';
import { autoTape, LOANS, type Seller, seller } from '../../../test/support/tapes.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { asId } from '../../platform/ids.ts';
import { sweepUploads } from '../uploads/sweep-uploads.ts';
import { applyDestructions, DESTRUCTIONS, listDestruction } from './destructions.ts';
import type { Tape } from './queries.ts';

const named = (rows: number): string =>
  autoTape(rows, (row, index) => {
    row['Borrower Name'] = `Ann${index} Quoll`;
  });

test('a destruction that is applied to a restored database', async (t) => {
  await using gateway = await startGateway();
  const { deps } = gateway;
  const apply = () => applyDestructions(deps, (work) => deps.db.tx({ platform: true }, work));
  const list = (ours: Seller, dealId: string, destroyedAt: Date) =>
    listDestruction(deps.store, {
      organization_id: ours.as.organization_id,
      deal_id: asId('deal', dealId),
      versions: [1],
      destroyed_at: destroyedAt.toISOString(),
    });
  const file = (ours: Seller, dealId: string) => gateway.call('GET', `${LOANS}/${dealId}/tapes/1/file`, { as: ours.as });
  const rowOf = async (dealId: string): Promise<Tape> => {
    const [row] = await deps.db.tx({ platform: true }, (tx) =>
      tx.rows<Tape>('select * from tapes where deal_id = $1 and version = 1', [dealId]),
    );
    assert.ok(row);
    return row;
  };
  const uploadOf = async ({ upload_id }: Tape) => {
    const [row] = await deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ object_key: string | null }>('select object_key from uploads where upload_id = $1', [upload_id]),
    );
    return row?.object_key;
  };
  const removals = (key: string) =>
    deps.db.tx({ platform: true }, (tx) => tx.rows('select 1 from removed_objects where object_key = $1', [key]));

  await t.test('reaches a tape that waited for its checks, which then read nothing of it', async () => {
    const ours = await seller(gateway, 'Waiting');
    const dealId = await ours.sent(named(4));
    const before = await rowOf(dealId);
    const destroyedAt = new Date(before.created_at.getTime() + 60_000);
    await list(ours, dealId, destroyedAt);
    assert.deepEqual(await apply(), { listed: 1, destroyed: 1, failures: [] });
    await gateway.runJobs();
    const after = await rowOf(dealId);
    assert.deepEqual([after.state, after.data_key, after.raw_key, after.keys_destroyed_at], ['FAILED', null, null, destroyedAt]);
    assert.match(after.failure ?? '', /personal data .* destroyed/);
    assert.deepEqual(codeOf(await file(ours, dealId)), [410, 'PERSONAL_DATA_DESTROYED']);
    assert.deepEqual(
      [await uploadOf(before), (await removals(before.object_key)).length],
      [null, 1],
      'the file as it was sent goes',
    );
    assert.equal((await apply()).destroyed, 0, 'once');
    const next = await ours.version(dealId, named(5));
    assert.deepEqual([next.qc.state, next.loan_count], ['DONE', 5], 'the deal takes a new version');
  });

  await t.test('reaches a version that was sealed, and its checks that run again', async () => {
    const ours = await seller(gateway, 'Checked');
    const dealId = await ours.checked(named(4));
    assert.equal((await ours.map(dealId, { source: 'FICO', target: null })).status, 202);
    await list(ours, dealId, new Date(Date.now() + 60_000));
    assert.equal((await apply()).destroyed, 1);
    await gateway.runJobs();
    const { state, data_key } = await rowOf(dealId);
    assert.deepEqual([state, data_key], ['DONE', null]);
    assert.deepEqual(codeOf(await file(ours, dealId)), [410, 'PERSONAL_DATA_DESTROYED']);
  });

  await t.test('leaves of loans that were in force before they were sealed nothing that names an obligor', async () => {
    const ours = await seller(gateway, 'Unsealed');
    const dealId = await ours.checked(named(4));
    const before = await rowOf(dealId);
    assert.ok(before.loans_key);
    // As it was before tapes were sealed: no key, and the ids of obligors in the loans; a run of criteria names the table too.
    const plain = `${before.loans_key}.plain`;
    const path = join(deps.workDir, 'plain.parquet');
    const source = await localFile(deps, before.loans_key);
    await deps.columns.run(
      `copy (select * replace ('Ann' || row_number || ' Quoll' as obligor_id) from read_parquet('${source}')) to '${path}' (format parquet)`,
    );
    await deps.store.put(plain, createReadStream(path), 10_000_000);
    await deps.db.tx({ platform: true }, async (tx) => {
      await tx.exec('update tapes set data_key = null, sealed_key = null, loans_key = $2 where deal_id = $1', [dealId, plain]);
      await tx.exec(
        `insert into sc_jobs (sc_job_id, organization_id, deal_id, criteria_id, criteria_version, tape_version, status, loans_key)
         values ('scj_unsealed', $1, $2, 'crt_1', 1, 1, 'COMPLETED', $3)`,
        [ours.as.organization_id, dealId, plain],
      );
    });
    const loans = async () => {
      const { status, body } = await gateway.call('GET', `${LOANS}/${dealId}/loans?limit=100`, { as: ours.as });
      assert.equal(status, 200);
      return body.data as Record<string, unknown>[];
    };
    const shown = await loans();
    assert.match(JSON.stringify(shown), /Ann1 Quoll/);
    await list(ours, dealId, new Date(Date.now() + 60_000));
    const { destroyed, failures } = await apply();
    assert.deepEqual([destroyed, failures.filter((each) => each.includes(dealId))], [1, []]);
    assert.deepEqual(
      await loans(),
      shown.map((loan) => ({ ...loan, obligor_id: null })),
    );
    const after = await rowOf(dealId);
    assert.deepEqual([after.raw_key, after.issues_key, (await removals(plain)).length], [null, null, 1]);
    const [run] = await deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ loans_key: string }>(`select loans_key from sc_jobs where sc_job_id = 'scj_unsealed'`),
    );
    assert.equal(run?.loans_key, after.loans_key);
  });

  await t.test('leaves no file that nothing names where it was broken off', async () => {
    const ours = await seller(gateway, 'Broken off');
    const dealId = await ours.checked(named(4));
    const { loans_key } = await rowOf(dealId);
    await deps.db.tx({ platform: true }, (tx) =>
      tx.exec('update tapes set data_key = null, sealed_key = null where deal_id = $1', [dealId]),
    );
    const path = join(deps.workDir, 'named.parquet');
    const source = await localFile(deps, loans_key ?? '');
    await deps.columns.run(
      `copy (select * replace ('Ann' || row_number || ' Quoll' as obligor_id) from read_parquet('${source}')) to '${path}' (format parquet)`,
    );
    await deps.store.put(loans_key ?? '', createReadStream(path), 10_000_000);
    await list(ours, dealId, new Date(Date.now() + 60_000));
    const kept = async () => (await Array.fromAsync(deps.store.list(`tapes/${ours.as.organization_id}/`))).map(({ key }) => key);
    const before = await kept();
    const broken = await applyDestructions(deps, (work) =>
      deps.db.tx({ platform: true }, async (tx) => {
        const result = await work(tx);
        if ((await kept()).length > before.length) throw new Error('the process ended');
        return result;
      }),
    );
    assert.match(broken.failures.join(), /the process ended/);
    await deps.db.tx({ platform: true }, (tx) => tx.exec('update removed_objects set removed_at = now()'));
    await sweepUploads(deps);
    assert.deepEqual(await kept(), before);
    assert.equal((await apply()).destroyed, 1);
    const { loans_key: after } = await rowOf(dealId);
    await deps.db.tx({ platform: true }, (tx) => tx.exec('update removed_objects set removed_at = now()'));
    await sweepUploads(deps);
    assert.ok(after && (await kept()).includes(after), 'what is in force stays');
  });

  await t.test('leaves a version alone that has the number again and was sent after it', async () => {
    const ours = await seller(gateway, 'Later');
    const dealId = await ours.checked(named(4));
    await list(ours, dealId, new Date((await rowOf(dealId)).created_at.getTime() - 1));
    assert.equal((await apply()).destroyed, 0);
    assert.equal((await file(ours, dealId)).status, 200);
  });

  await t.test('is told when it cannot be read, and keeps no other from being applied', async () => {
    const ours = await seller(gateway, 'Unreadable');
    const dealId = await ours.checked(named(4));
    const broken = `${DESTRUCTIONS}/${ours.as.organization_id}/0.json`;
    await deps.store.put(broken, Readable.from([Buffer.from('{}')]), 2);
    await list(ours, dealId, new Date(Date.now() + 60_000));
    const { destroyed, failures } = await apply();
    assert.equal(destroyed, 1);
    assert.deepEqual(failures, [`${broken}: ${broken} is no record of a destruction`]);
  });
});
