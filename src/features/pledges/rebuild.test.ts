import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, codeOf, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool } from '../../../test/support/pools.ts';
import { autoTape } from '../../../test/support/tapes.ts';
import { encumberPools } from '../pools/encumber-pools.ts';
import { vin } from './testing/vin.ts';

test('what was written down before', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const pooled = async (name: string, first: number) => {
    const as = await gateway.key('originator', name);
    const bytes = autoTape(4, (row, index) => void (row.VIN = vin(first + index)));
    const dealId = await approvedDeal(gateway, as, operator, { bytes });
    const { pool_id } = (await formPool(gateway, as, [dealId])).body.data;
    return { as, bytes, pool_id: pool_id as string };
  };
  const inPlatform = (sql: string, params: unknown[]): Promise<number> =>
    gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(sql, params));
  const settle = async (): Promise<void> => {
    await gateway.deps.db.tx({ platform: true }, (tx) => gateway.deps.jobs.enqueue(tx, 'notices', {}));
    await gateway.runJobs();
  };
  const conflictsOf = async (as: Awaited<ReturnType<typeof pooled>>['as']) =>
    (await gateway.call('GET', '/v1/api/originator/pledge-conflicts', { as })).body.data;

  await t.test('under another key is made again by a worker, so that nothing is missed', async () => {
    const ours = await pooled('Before', 0);
    const { fingerprints } = gateway.deps;
    gateway.deps.fingerprints = { key: '11'.repeat(32), keyId: 'another' };
    const theirs = await pooled('After', 2);
    assert.deepEqual(await conflictsOf(ours.as), [], 'digests of two keys never meet');
    await settle();
    assert.deepEqual(
      (await conflictsOf(ours.as)).map((each: { count: number; met: string[] }) => [each.count, each.met]),
      [[2, ['vin']]],
    );
    assert.equal((await conflictsOf(theirs.as)).length, 1);
    gateway.deps.fingerprints = fingerprints;
    await settle();
    assert.equal((await conflictsOf(ours.as)).length, 1, 'a pair is told once');
  });

  await t.test('as rows of tapes is claimed by a worker; pools that share loans keep them, in conflict', async () => {
    const ours = await pooled('Twice', 20);
    // The same tape was pooled twice before loans were claimed one by one.
    const forget = async (holder: string): Promise<void> => {
      for (const table of ['encumbered_loans', 'loan_fingerprints'])
        await inPlatform(`delete from ${table} where holder_id = $1`, [holder]);
    };
    await forget(ours.pool_id);
    const dealId = await approvedDeal(gateway, ours.as, operator, { bytes: ours.bytes });
    const second = (await formPool(gateway, ours.as, [dealId])).body.data.pool_id;
    await forget(second);
    await inPlatform('update pools set encumbered_at = null, compared_at = null where organization_id = $1', [
      ours.as.organization_id,
    ]);
    const third = await approvedDeal(gateway, ours.as, operator, { bytes: ours.bytes });
    const form = (): Promise<Answer> => formPool(gateway, ours.as, [third]);
    const early = await form();
    assert.deepEqual(
      [...codeOf(early), early.headers['retry-after']],
      [503, 'UNAVAILABLE', '30'],
      'a claim is not given before they are written down',
    );
    await settle();
    const [conflict, ...more] = await conflictsOf(ours.as);
    assert.deepEqual(
      [conflict.count, conflict.met, conflict.pools.toSorted(), more.length],
      [4, ['loan_id'], [ours.pool_id, second].toSorted(), 0],
    );
    const refused = await form();
    assert.deepEqual([...codeOf(refused), refused.body.total], [409, 'LOAN_ALREADY_POOLED', 4]);
    const cancel = (id: string): Promise<Answer> => gateway.call('DELETE', `/v1/api/originator/pools/${id}`, { as: ours.as });
    await cancel(ours.pool_id);
    assert.deepEqual(codeOf(await form()), [409, 'LOAN_ALREADY_POOLED'], 'the other pool keeps its claim');
    await cancel(second);
    assert.equal((await form()).status, 201);
  });

  await t.test('of a pool whose file is gone is reported, and keeps no other pool from its turn', async () => {
    const [broken, sound] = [await pooled('Broken', 40), await pooled('Sound', 50)];
    const own = [broken.pool_id, sound.pool_id];
    await inPlatform('update pools set fingerprint_key = $2, compared_at = null where pool_id = any($1)', [own, 'former']);
    await inPlatform('update pools set loans_key = $2 where pool_id = $1', [broken.pool_id, 'pools/none']);
    await assert.rejects(encumberPools(gateway.deps), ({ errors }: AggregateError) => {
      const [failure] = errors as Error[];
      assert.match(String(failure?.message), new RegExp(`the loans of ${broken.pool_id} `));
      assert.match(String(failure?.cause), /pools\/none is not in the store/);
      return errors.length === 1;
    });
    const compared = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ pool_id: string }>('select pool_id from pools where pool_id = any($1) and compared_at is not null', [own]),
    );
    assert.deepEqual(compared, [{ pool_id: sound.pool_id }]);
  });
});
