import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import { copyRows, countingDatabase, manyOrganizations } from '../../../test/support/many.ts';
import { tellNotices } from '../../worker.ts';
import { isSameDemand } from './demand.ts';
import { tellDemand } from './tell-demand.ts';

const NONE = { count: 0, amount: 0 };

test('the demand for a deal', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const [anna, bert] = [await desk.investor(), await desk.investor()];
  const deal = await desk.list({ tranches: [{ balance: 8_000_000 }, { balance: 2_000_000 }] });
  const told = async (): Promise<{ deal_id: string; tranches: unknown }[]> =>
    dataOf(await desk.send('GET', '/v1/api/events?type=demand.changed&limit=100', desk.seller)).map(
      (each: { data: unknown }) => each.data,
    );
  const order = dataOf(await desk.order(deal, bert, { amount: 1_000_000, tranche_id: deal.tranches[1] })).order_id;

  await t.test('is told to its owner, by tranche and without names, once by whatever number of workers', async () => {
    dataOf(await desk.indicate(deal, anna, 500_000));
    dataOf(await desk.indicate(deal, bert, 700_000));
    dataOf(await desk.subscribe(deal, bert, 2_000_000));
    dataOf(await desk.order(deal, anna, { amount: 4_000_000 }));
    await Promise.all([1, 2, 3, 4].map(() => tellNotices(gateway.deps)));
    const [first, ...more] = await told();
    assert.deepEqual(more, []);
    assert.deepEqual(first, {
      deal_id: deal.deal_id,
      tranches: [
        {
          tranche_id: deal.tranches[0],
          indications: { count: 1, amount: 500_000 },
          subscriptions: { count: 1, amount: 2_000_000 },
          orders: { count: 1, amount: 4_000_000 },
          coverage: 0.75,
        },
        {
          tranche_id: deal.tranches[1],
          indications: NONE,
          subscriptions: NONE,
          orders: { count: 1, amount: 1_000_000 },
          coverage: 0.5,
        },
      ],
    });
    const alerts = await desk.send('GET', '/v1/api/alerts?limit=100&type=demand.changed', desk.seller);
    assert.equal(dataOf(alerts).length, 1);
    for (const secret of ['nvestor 1', 'nvestor 2', anna.organization_id, bert.organization_id])
      assert.ok(!JSON.stringify([first, dataOf(alerts)]).includes(secret), secret);
    for (const holder of [anna, bert])
      assert.deepEqual(dataOf(await desk.send('GET', '/v1/api/events?type=demand.changed', holder)), []);
  });

  await t.test('is told at most once a minute, with what it is then, and not again while it stays', async () => {
    dataOf(await desk.cancelOrder(order, bert));
    await tellNotices(gateway.deps);
    assert.equal((await told()).length, 1, 'within the minute');
    await gateway.advance(60);
    await tellNotices(gateway.deps);
    const [, second] = await told();
    assert.deepEqual(second?.tranches, [
      {
        tranche_id: deal.tranches[0],
        indications: { count: 1, amount: 500_000 },
        subscriptions: { count: 1, amount: 2_000_000 },
        orders: { count: 1, amount: 4_000_000 },
        coverage: 0.75,
      },
      { tranche_id: deal.tranches[1], indications: NONE, subscriptions: NONE, orders: NONE, coverage: 0 },
    ]);
    await gateway.advance(3_600);
    await tellNotices(gateway.deps);
    assert.equal((await told()).length, 2);
  });

  await t.test('that nobody has shown, and that of an allocated deal, is not told', async () => {
    await desk.list();
    dataOf(await desk.allocate(deal));
    await gateway.advance(3_600);
    await tellNotices(gateway.deps);
    assert.equal((await told()).length, 2);
  });

  await t.test(
    'of the last minute before an allocation is told when the minute has passed, once, and not what the allocation left',
    async () => {
      const late = await desk.list({ tranches: [{ balance: 5_000_000 }] });
      const quick = await desk.list({ tranches: [{ balance: 4_000_000 }] });
      const toldOf = async ({ deal_id }: { deal_id: string }) =>
        (await told()).flatMap((each) => (each.deal_id === deal_id ? [each.tranches] : []));
      const demand = ({ tranches: [tranche_id] }: { tranches: string[] }, orders: object, coverage: number) => [
        { tranche_id, indications: NONE, subscriptions: NONE, orders, coverage },
      ];
      dataOf(await desk.order(late, anna, { amount: 1_000_000 }));
      await tellNotices(gateway.deps);
      const first = demand(late, { count: 1, amount: 1_000_000 }, 0.2);
      assert.deepEqual(await toldOf(late), [first]);
      dataOf(await desk.order(late, bert, { amount: 2_000_000 }));
      dataOf(await desk.order(quick, anna, { amount: 1_000_000 }));
      dataOf(await desk.allocate(late));
      dataOf(await desk.allocate(quick));
      await tellNotices(gateway.deps);
      assert.deepEqual(await toldOf(late), [first], 'within the minute');
      assert.deepEqual(await toldOf(quick), [demand(quick, { count: 1, amount: 1_000_000 }, 0.25)], 'told of nothing before');
      await gateway.advance(60);
      await Promise.all([1, 2, 3].map(() => tellNotices(gateway.deps)));
      assert.deepEqual(await toldOf(late), [first, demand(late, { count: 2, amount: 3_000_000 }, 0.6)]);
      await gateway.advance(3_600);
      await tellNotices(gateway.deps);
      assert.deepEqual([(await toldOf(late)).length, (await toldOf(quick)).length], [2, 1]);
    },
  );
});

test('no demand at all is news only after there was some', () => {
  const none = [{ tranche_id: 'trn_1', indications: NONE, subscriptions: NONE, orders: NONE, coverage: 0 }];
  const some = none.map((each) => ({ ...each, orders: { count: 1, amount: 1 }, coverage: 1 }));
  assert.deepEqual(
    [isSameDemand(null, none), isSameDemand(null, some), isSameDemand(some, none), isSameDemand(some, some)],
    [true, false, false, true],
  );
});

test('the demand for many deals is read in no statement for each', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  await desk.list({ tranches: [{ balance: 8_000_000 }] });
  const statements = async () => {
    const { seen, counted } = countingDatabase(gateway.deps.db);
    assert.equal(await tellDemand(counted), 0);
    return seen.statements;
  };
  const one = await statements();
  await gateway.deps.db.tx({ platform: true }, async (tx) => {
    await manyOrganizations(tx, desk.seller, 30);
    await copyRows(tx, 'pools', desk.seller, 30, { pool_id: 'pool_', deal_id: 'deal_' });
    await copyRows(tx, 'securitization_deals', desk.seller, 30, { deal_id: 'deal_', pool_id: 'pool_' });
  });
  assert.equal(await statements(), one);
});
