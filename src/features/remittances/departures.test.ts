import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRICING } from '../../../test/support/calculations.ts';
import { dataOf, type Desk, openDesk } from '../../../test/support/desk.ts';
import { type Holder, startGateway } from '../../../test/support/gateway.ts';
import { type Period, type Serviced, servicedDeal, soldTrades } from '../../../test/support/servicing.ts';
import { note, sequential } from '../../../test/support/structures.ts';
import { dayNumber } from '../../finance/dates.ts';
import { openRemittances, type Remittance } from '../../finance/structure/remittance.ts';
import { rollForward } from '../../finance/structure/roll-forward.ts';
import { applyDueRemittances } from './apply-remittances.ts';
import { factorDeparture, isNear, newlyNear } from './departures.ts';
import { reportedPerformance } from './performance.ts';
import { triggerStatuses } from './trigger-status.ts';

const status = (actual: number | null, more: object = {}) => {
  const tests = [{ metric: 'CUMULATIVE_NET_LOSS', actual, op: 'gt', threshold: 1.5, breached: false, ...more }];
  const [made] = triggerStatuses([{ trigger: 'cnl', on: false, newly_on: false, tests }], []);
  assert.ok(made);
  return made;
};

test('a trigger is near within a tenth of its threshold, from either side, and not once it is on', () => {
  assert.deepEqual(
    [1.34, 1.35, 1.5, 1.6, null].map((actual) => isNear(status(actual))),
    [false, true, true, true, false],
  );
  assert.deepEqual(
    [1.66, 1.65, 1.5].map((actual) => isNear(status(actual, { op: 'lt' }))),
    [false, true, true],
  );
  assert.equal(isNear({ ...status(1.6), on: true }), false);
  assert.equal(isNear(status(1, { threshold: null })), false);
  assert.equal(isNear(status(-0.95, { op: 'lt', threshold: -1 })), true);
});

test('a date is never near: it comes by itself', () => {
  const tests = { metric: 'DATE', op: 'gte', threshold: dayNumber('2030-01-15') };
  for (const date of ['2027-01-15', '2030-01-14']) assert.equal(isNear(status(dayNumber(date), tests)), false);
});

test('of a threshold of nothing there is no tenth: a shortfall of none is not near it, one for too few periods is', () => {
  const tests = { metric: 'INTEREST_SHORTFALL', op: 'gt', threshold: 0 };
  assert.deepEqual(
    [0, 0.01].map((actual) => isNear(status(actual, tests))),
    [false, true],
  );
});

test('an approach is new where the trigger was neither near nor on', () => {
  const near = status(1.4);
  const names = (earlier: ReturnType<typeof status>[][]) => newlyNear([near], earlier).map(({ trigger }) => trigger);
  assert.deepEqual(names([]), ['cnl']);
  assert.deepEqual(names([[status(1)]]), ['cnl']);
  assert.deepEqual(names([[near]]), []);
  assert.deepEqual(names([[{ ...status(1.6), on: true }]]), []);
  assert.deepEqual(names([[status(1)], [near]]), []);
});

/** The performance of the first period of a pool of 1,000,000 with this balance after it. */
function reportedPool(ending_pool_balance: number) {
  const structure = sequential([note('A', 800_000, 5, 1)]);
  const report: Remittance = {
    period: 1,
    payment_date: '2027-01-15',
    collateral: { beginning_pool_balance: 1_000_000, ending_pool_balance },
    tranches: [{ tranche: 'A', beginning_balance: 800_000, interest_paid: 0, principal_paid: 0, ending_balance: 800_000 }],
  };
  const rolled = rollForward(openRemittances(structure, 1_000_000), report, structure);
  return { period: 1, performance: reportedPerformance(structure, report, rolled) };
}

test('a pool factor is off where it is more than a point below its projection, and not above', () => {
  const off = (balance: number) => {
    const [report, projection] = [reportedPool(balance), { pool: [reportedPool(900_000).performance.pool] }];
    return factorDeparture(report, projection, 1_000_000)?.difference;
  };
  assert.deepEqual([950_000, 900_000, 890_000, 889_999.99, 880_000].map(off), [
    undefined,
    undefined,
    undefined,
    -0.01000001,
    -0.02,
  ]);
});

/** An issued deal with a published mark, of which an investor holds a part. */
async function markedDeal(desk: Desk, investor: Holder): Promise<Serviced & { calculation_id: string }> {
  const deal = await servicedDeal(desk);
  for (const trade of await soldTrades(desk, deal, [[investor, 96_000]])) dataOf(await desk.decide(trade, 'settle'));
  const base = `/v1/api/originator/analytics/pools/${deal.pool_id}/calculations`;
  const { calculation_id } = dataOf(await desk.send('POST', base, desk.seller, PRICING));
  await desk.gateway.runJobs();
  dataOf(await desk.operate('POST', `calculations/${calculation_id}/publish`));
  return { ...deal, calculation_id };
}

const eventsOf = async (desk: Desk, as: Holder, type: string) =>
  dataOf(await desk.send('GET', `/v1/api/events?type=${type}`, as)) as { data: Record<string, unknown> }[];

test('a pool that departs from its marks, and a trigger that comes near', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const [investor, stranger] = [await desk.investor(), await desk.investor()];
  const deal = await markedDeal(desk, investor);
  const projected = dataOf(
    await desk.send(
      'GET',
      `/v1/api/originator/analytics/pools/${deal.pool_id}/calculations/${deal.calculation_id}/cashflows?tranche=collateral`,
      desk.seller,
    ),
  ) as { closing: number }[];
  const closing = (period: number): number => projected[period - 1]?.closing ?? 0;
  const cents = (amount: number): number => Math.round(amount * 100) / 100;
  /** What brings the pool of a period to this share of the original pool from what the marks projected; and a loss. */
  const paid: Period[] = [];
  const pay = async (date: string, off: number, loss = 0): Promise<void> => {
    const gone = paid.reduce((sum, each) => sum + each.principal + (each.loss ?? 0), 0);
    paid.push({ principal: cents(deal.pool - gone - loss - closing(paid.length + 1) - off * deal.pool), loss });
    await gateway.setClock(`${date}T15:00:00Z`);
    dataOf(await deal.send(deal.report(...paid)));
    await applyDueRemittances(gateway.deps.db);
  };
  const counts = async (type: string) =>
    Promise.all([desk.seller, investor, stranger].map(async (as) => (await eventsOf(desk, as, type)).length));

  await t.test('is told to nobody while it is larger than projected', async () => {
    await pay('2027-01-15', 0.0199);
    assert.deepEqual(await counts('pool.factor_off'), [0, 0, 0]);
    assert.deepEqual(await counts('trigger.near'), [0, 0, 0]);
  });

  await t.test('is told to the owner and the holders once, with the figures that they can read', async () => {
    // 1.4 % of the pool is lost: the trigger is at 1.5 %.
    await pay('2027-02-16', -0.0101, cents(deal.pool * 0.014));
    assert.deepEqual(await counts('pool.factor_off'), [1, 1, 0]);
    const [event] = await eventsOf(desk, investor, 'pool.factor_off');
    const [, period] = dataOf(await desk.get(`deals/${deal.deal_id}/performance`, investor));
    assert.deepEqual(
      [event?.data.period, event?.data.reported, event?.data.projected, event?.data.calculation_id],
      [2, period.factor, period.projected.factor, deal.calculation_id],
    );
    const [alert] = dataOf(await desk.send('GET', '/v1/api/alerts?type=pool.factor_off', investor));
    assert.match(alert.title, /smaller than its marks projected/);
    // Triggers are the owner's.
    assert.deepEqual(await counts('trigger.near'), [1, 0, 0]);
    const [near] = await eventsOf(desk, desk.seller, 'trigger.near');
    assert.deepEqual([near?.data.trigger, near?.data.period], ['cnl', 2]);
  });

  await t.test('is not told again while it stays so', async () => {
    await pay('2027-03-15', -0.03);
    assert.deepEqual(await counts('pool.factor_off'), [1, 1, 0]);
    assert.deepEqual(await counts('trigger.near'), [1, 0, 0]);
  });

  await t.test('is told when a restatement makes it so, and not twice', async () => {
    const other = await markedDeal(desk, investor);
    const marks = dataOf(
      await desk.send(
        'GET',
        `/v1/api/originator/analytics/pools/${other.pool_id}/calculations/${other.calculation_id}/cashflows?tranche=collateral`,
        desk.seller,
      ),
    );
    const principal = (off: number): number => cents(other.pool - marks[0].closing - off * other.pool);
    await gateway.setClock('2027-01-15T15:00:00Z');
    const { remittance_id } = dataOf(await other.send(other.report({ principal: principal(0) })));
    await applyDueRemittances(gateway.deps.db);
    const before = await counts('pool.factor_off');
    dataOf(await other.restate(remittance_id, other.report({ principal: principal(-0.05) })));
    assert.deepEqual(await counts('pool.factor_off'), [(before[0] ?? 0) + 1, (before[1] ?? 0) + 1, 0]);
    dataOf(await other.restate(remittance_id, other.report({ principal: principal(-0.06) })));
    assert.deepEqual(await counts('pool.factor_off'), [(before[0] ?? 0) + 1, (before[1] ?? 0) + 1, 0]);
  });

  await t.test('is nothing to tell without a published mark', async () => {
    const unmarked = await servicedDeal(desk);
    await gateway.setClock('2027-01-15T16:00:00Z');
    const before = await counts('pool.factor_off');
    dataOf(await unmarked.send(unmarked.report({ principal: unmarked.pool / 4 })));
    await applyDueRemittances(gateway.deps.db);
    assert.deepEqual(await counts('pool.factor_off'), before);
  });
});
