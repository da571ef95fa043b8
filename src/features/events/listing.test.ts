import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { issuedDeal, structuredPool } from '../../../test/support/pools.ts';
import { tellNotices } from '../../worker.ts';

/** The events of an organization about a deal, with how many alerts each has. */
const about = (gateway: Gateway, { organization_id }: Holder, dealId: string) =>
  gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ event: string; data: Record<string, unknown>; alerts: number }>(
      `select e.event, e.data, (select count(*)::int from alerts a where a.event_id = e.event_id) as alerts
       from events e where e.organization_id = $1 and e.data->>'deal_id' = $2 order by e.event_id`,
      [organization_id, dealId],
    ),
  );

test('a listed deal', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const investors = {
    eligible: await desk.investor(),
    alsoSeller: await gateway.key('both', 'Both sides'),
    ineligible: await desk.investor({ qib: false }),
    withoutProfile: await desk.investor(null),
    suspended: await desk.investor(),
  };
  dataOf(
    await desk.operate('POST', `organizations/${investors.suspended.organization_id}/suspend`, { reason: 'under investigation' }),
  );
  const issued = async (seller = desk.seller): Promise<string> => {
    const pool = await structuredPool(gateway, seller, desk.operator, 6);
    await gateway.runJobs();
    return issuedDeal(gateway, seller, desk.operator, pool.pool_id);
  };
  const count = async (holder: Holder, dealId: string): Promise<number> => (await about(gateway, holder, dealId)).length;

  await t.test('is told to its owner with the issue, and by workers to whom it may be sold, each once', async () => {
    const dealId = await issued();
    const [own, ...more] = await about(gateway, desk.seller, dealId);
    assert.deepEqual([own?.event, own?.alerts, more], ['deal.listed', 1, []]);
    const { previous_market_status, current_market_status, asset_type } = own?.data ?? {};
    assert.deepEqual([previous_market_status, current_market_status, asset_type], [null, 'MARKETING', 'Auto']);
    assert.equal(await count(investors.eligible, dealId), 0, 'nobody is told in the transaction of the issue');
    await Promise.all([1, 2, 3, 4].map(() => tellNotices(gateway.deps)));
    await tellNotices(gateway.deps);
    for (const holder of [investors.eligible, investors.alsoSeller])
      assert.deepEqual(await about(gateway, holder, dealId), [{ event: 'deal.listed', data: own?.data, alerts: 1 }]);
    for (const holder of [investors.ineligible, investors.withoutProfile, investors.suspended, desk.operator])
      assert.equal(await count(holder, dealId), 0);
    assert.equal(await count(desk.seller, dealId), 1);
  });

  await t.test('is told by the job that its issue queues, without waiting for the schedule', async () => {
    const dealId = await issued();
    await gateway.runJobs();
    assert.equal(await count(investors.eligible, dealId), 1);
  });

  await t.test('of a seller that also invests is told to it once', async () => {
    const dealId = await issued(investors.alsoSeller);
    await gateway.runJobs();
    assert.deepEqual([await count(investors.alsoSeller, dealId), await count(investors.eligible, dealId)], [1, 1]);
  });

  await t.test('is told again to nobody when its expansion is repeated', async () => {
    const dealId = await issued();
    await gateway.runJobs();
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(`update event_fan_outs set expanded_at = null, reached = '' where deal_id = $1`, [dealId]),
    );
    await tellNotices(gateway.deps);
    assert.equal(await count(investors.eligible, dealId), 1);
  });

  await t.test('that is withdrawn before it was told is told to no investor', async () => {
    const dealId = await issued();
    dataOf(await desk.operate('POST', `deals/${dealId}/withdraw`, { reason: 'a mistake' }));
    await gateway.runJobs();
    assert.equal(await count(investors.eligible, dealId), 0);
  });
});
