import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, type Desk, openDesk } from '../../../test/support/desk.ts';
import { type Answer, codeOf, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool, issuedDeal, structureOver } from '../../../test/support/pools.ts';
import { type Period, reportOf } from '../../../test/support/servicing.ts';
import { autoTape } from '../../../test/support/tapes.ts';
import { newId } from '../../platform/ids.ts';
import { applyDueRemittances } from '../remittances/apply-remittances.ts';

type Projected = {
  /** Pool after each period, CPR and cumulative loss. */
  pool?: [balance: number, cpr: number, cnl: number][];
  completed_at: string;
  purpose?: 'MARK' | 'ANALYSIS';
  status?: string;
  published_at?: string;
  inputs?: object;
};

type Collateral = Partial<Record<string, number | undefined>>;

const refused = (answer: Answer, status: number, code: string): void => assert.deepEqual(codeOf(answer), [status, code]);

let pools = 0;

/** An issued deal over exactly 1,000,000 of loans: A-1 of 700,000, B of 150,000. */
async function millionDeal(desk: Desk) {
  const { gateway, seller, operator } = desk;
  await gateway.setClock('2026-12-10T15:00:00Z');
  const series = (pools += 1);
  const bytes = autoTape(20, (row, index) => {
    row['Loan ID'] = `M${series}-${index}`;
    for (const name of ['Current Balance', 'Original Balance']) row[name] = '50000.00';
  });
  const dealId = await approvedDeal(gateway, seller, operator, { bytes });
  const { pool_id, balance } = dataOf(await formPool(gateway, seller, [dealId]));
  assert.equal(balance, 1_000_000);
  const path = `/v1/api/originator/pools/${pool_id}`;
  dataOf(await desk.send('PUT', `${path}/structure`, seller, structureOver(balance)));
  const deal_id = await issuedDeal(gateway, seller, operator, pool_id);
  /** Sends the report of the last of these periods, with other figures of the collateral where a test says so. */
  const report = async (periods: Period[], collateral: Collateral = {}): Promise<string> => {
    const body = reportOf({ pool: 1_000_000, a: 700_000, b: 150_000 }, periods);
    const sent = await desk.send('POST', `${path}/remittances`, seller, {
      ...body,
      collateral: { ...body.collateral, ...collateral },
    });
    return dataOf(sent).status;
  };
  /** A calculation as its run leaves it. */
  const project = async ({ pool = [[990_000, 6, 0.1]], ...given }: Projected): Promise<string> => {
    const id = newId('calc');
    const rows = pool.map(([pool_balance, cpr, cumulative_net_loss], index) => {
      return { period: index + 1, pool_balance, cpr, cumulative_net_loss };
    });
    await gateway.deps.db.tx({ platform: true }, async (tx) => {
      await tx.exec(
        `insert into calculations (calculation_id, organization_id, pool_id, calculation_key, type, purpose, status, as_of, granularity, inputs, projection, completed_at)
         values ($1, $2, $3, $1, 'PRICING', $4, $5, '2026-11-30', 'LOAN', $6, $7, $8)`,
        [
          id,
          seller.organization_id,
          pool_id,
          given.purpose ?? 'ANALYSIS',
          given.status ?? 'COMPLETED',
          JSON.stringify(given.inputs ?? {}),
          JSON.stringify({ pool: rows, tranches: [] }),
          given.completed_at,
        ],
      );
      if (given.published_at) {
        await tx.exec(
          `insert into marks (tranche_id, calculation_id, deal_id, organization_id, price, as_of, published_at)
           select tranche_id, $2, deal_id, organization_id, 100, '2026-11-30', $3 from tranches where deal_id = $1`,
          [deal_id, id, given.published_at],
        );
      }
    });
    return id;
  };
  const performance = (query = '', as = seller) => desk.send('GET', `${path}/performance${query}`, as);
  return { pool_id, report, project, performance, read: async (query = '') => dataOf(await performance(query)) };
}

test('the performance of a pool', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const due = (date: string) => gateway.setClock(`${date}T15:00:00Z`);

  await t.test('is what its servicer reported, with the speeds and losses that follow', async () => {
    const deal = await millionDeal(desk);
    await due('2027-01-15');
    const first = { principal: 19_900, loss: 5_000 };
    const split = { scheduled_principal: 10_000, prepayments: 9_900, recoveries: 2_000, loan_count: 19 };
    assert.equal(await deal.report([first], { ...split, delinquent_30: 2.5, delinquent_60_amount: 9_751 }), 'APPLIED');
    const [only, ...others] = await deal.read();
    assert.deepEqual(others, []);
    assert.deepEqual(only, {
      period: 1,
      basis: 'CERTIFICATE',
      payment_date: '2027-01-15',
      opening: 1_000_000,
      scheduled: 10_000,
      prepaid: 9_900,
      principal_collected: 19_900,
      repurchased: 0,
      defaulted: 5_000,
      recovered: 2_000,
      closing: 975_100,
      factor: 0.9751,
      // 9,900 of 990,000 is 1 % a month, 5,000 of 1,000,000 is 0.5 %; 1 − 0.99^12 and 1 − 0.995^12.
      cpr: 11.361513,
      cdr: 5.837719,
      abs: null,
      // 3,000 of 1,000,000, and of 5,000.
      cnl: 0.3,
      severity: 60,
      delinquent_30: 2.5,
      // 9,751 of 975,100.
      delinquent_60: 1,
      delinquent_90: null,
      delinquent_120: null,
      roll: [],
      count: 19,
      projected: null,
      ties: [],
      notes: [],
      adjustment: 0,
    });
  });

  await t.test('adds losses up, says what a report has in one figure, and rolls from opening to closing', async () => {
    const deal = await millionDeal(desk);
    await due('2027-01-15');
    await deal.report([{ principal: 20_000, loss: 4_000 }]);
    await due('2027-02-16');
    const together = {
      scheduled_principal: undefined,
      principal_collected: 30_000,
      repurchases: 6_000,
      ending_pool_balance: 940_000,
    };
    await deal.report([{ principal: 20_000, loss: 4_000 }, { principal: 30_000 }], together);
    const [one, two] = await deal.read();
    assert.deepEqual([one.cnl, one.severity, two.cnl, two.severity], [0.4, 100, 0.4, null]);
    assert.deepEqual(
      [two.scheduled, two.prepaid, two.cpr, two.principal_collected, two.repurchased],
      [null, null, null, 30_000, 6_000],
    );
    assert.deepEqual([one.prepaid, one.cpr, one.count], [0, 0, null]);
    for (const row of [one, two])
      assert.equal(row.opening - row.principal_collected - row.repurchased - row.defaulted, row.closing);
    assert.deepEqual([one.closing, two.opening, two.closing, two.factor], [976_000, 976_000, 940_000, 0.94]);
  });

  await t.test('has the periods whose payment dates are asked for, both bounds included', async () => {
    const deal = await millionDeal(desk);
    assert.deepEqual(await deal.read(), []);
    const periods = [{ principal: 20_000 }, { principal: 15_000 }, { principal: 10_000 }];
    for (const count of [1, 2, 3]) await deal.report(periods.slice(0, count));
    // Nothing has been applied: the first payment date has not come.
    assert.deepEqual(await deal.read(), []);
    for (const [place, date] of ['2027-01-15', '2027-02-16'].entries()) {
      await due(date);
      await applyDueRemittances(gateway.deps.db);
      assert.equal((await deal.read()).length, place + 1);
    }
    const periodsOf = async (query: string) => (await deal.read(query)).map(({ period }: { period: number }) => period);
    assert.deepEqual(await periodsOf('?from=2027-01-15&to=2027-02-16'), [1, 2]);
    assert.deepEqual(await periodsOf('?from=2027-01-16'), [2]);
    assert.deepEqual(await periodsOf('?to=2027-02-15'), [1]);
    assert.deepEqual(await periodsOf('?from=2027-02-16&to=2027-02-16'), [2]);
    refused(await deal.performance('?from=2027-02-17&to=2027-02-16'), 422, 'RANGE_REVERSED');
    refused(await deal.performance('?from=2027-02-30'), 400, 'VALIDATION_FAILED');
    refused(await deal.performance('?to=yesterday'), 400, 'VALIDATION_FAILED');
  });

  await t.test('is shown to the owner of the pool alone', async () => {
    const deal = await millionDeal(desk);
    refused(await deal.performance('', await gateway.key('originator', 'Somebody else')), 404, 'NOT_FOUND');
    refused(await deal.performance('', await desk.investor()), 403, 'ROLE_FORBIDDEN');
    refused(await deal.performance('', desk.operator), 403, 'ROLE_FORBIDDEN');
    const unknown = await desk.send('GET', `/v1/api/originator/pools/${newId('pool')}/performance`, desk.seller);
    refused(unknown, 404, 'NOT_FOUND');
  });

  await t.test('stands beside the projection of each period, as far as it goes', async () => {
    const deal = await millionDeal(desk);
    const pool: [number, number, number][] = [[990_000, 6.25, 0.1]];
    const calculation_id = await deal.project({ pool, completed_at: '2026-12-01T00:00:00Z' });
    await due('2027-01-15');
    await deal.report([{ principal: 20_000 }]);
    await due('2027-02-16');
    await deal.report([{ principal: 20_000 }, { principal: 15_000 }]);
    const [one, two] = await deal.read();
    assert.deepEqual([one.factor, one.projected], [0.98, { calculation_id, factor: 0.99, cpr: 6.25, cnl: 0.1 }]);
    assert.deepEqual([two.factor, two.projected], [0.965, null]);
  });

  await t.test(
    'is projected by the first published calculation from the cut-off, else the first for marks, else the first; never by a later start',
    async () => {
      const deal = await millionDeal(desk);
      await due('2027-01-15');
      await deal.report([{ principal: 20_000 }]);
      const source = async () => (await deal.read())[0].projected?.calculation_id ?? null;
      const at = (day: number) => `2026-12-${String(day).padStart(2, '0')}T00:00:00Z`;
      for (const status of ['PENDING', 'RUNNING', 'FAILED'])
        await deal.project({ status, purpose: 'MARK', completed_at: at(1), published_at: at(1) });
      const later = { opening: { period: 3 } };
      await deal.project({ inputs: later, purpose: 'MARK', completed_at: at(1), published_at: at(1) });
      assert.equal(await source(), null);
      const other = await deal.project({ completed_at: at(9), inputs: { opening: null } });
      assert.equal(await source(), other);
      const earliest = await deal.project({ completed_at: at(8) });
      assert.equal(await source(), earliest);
      await deal.project({ purpose: 'MARK', completed_at: at(12) });
      const mark = await deal.project({ purpose: 'MARK', completed_at: at(11) });
      assert.equal(await source(), mark);
      await deal.project({ purpose: 'MARK', completed_at: at(10), published_at: at(20) });
      const published = await deal.project({ purpose: 'MARK', completed_at: at(15), published_at: at(19) });
      assert.equal(await source(), published);
    },
  );
});
