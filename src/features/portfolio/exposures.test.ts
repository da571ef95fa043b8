import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { type Holder, startGateway } from '../../../test/support/gateway.ts';
import { insertPosition } from '../../../test/support/market.ts';
import { approvedDeal, formPool, issuedDeal, structureOver } from '../../../test/support/pools.ts';
import { autoTape } from '../../../test/support/tapes.ts';

type Exposure = { name: string; balance: number; share: number; deals: number; left_out?: { deal_id: string; reason: string }[] };

test('an investor’s part of the loans behind its positions', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const issue = async (series: string, stateOf: (index: number) => string) => {
    const bytes = autoTape(40, (row, index) => {
      row['Loan ID'] = `${series}${index}`;
      row['Obligor State'] = stateOf(index);
      row['Obligor ID'] = `P${index % 4}`;
    });
    const loanDeal = await approvedDeal(gateway, desk.seller, desk.operator, { bytes });
    const pool = dataOf(await formPool(gateway, desk.seller, [loanDeal]));
    const path = `/v1/api/originator/pools/${pool.pool_id}`;
    dataOf(await desk.send('PUT', `${path}/structure`, desk.seller, structureOver(pool.balance)));
    const deal_id = await issuedDeal(gateway, desk.seller, desk.operator, pool.pool_id);
    const disclose = async (level: string, fields: string[]) =>
      dataOf(await desk.send('PUT', `${path}/disclosure`, desk.seller, { level, fields }));
    return { deal_id, balance: Number(pool.balance), disclose };
  };
  // 20 loans in Texas, 17 in California, 3 in Utah; all of the second deal in Texas.
  const first = await issue('A', (index) => (index < 20 ? 'TX' : index < 37 ? 'CA' : 'UT'));
  const second = await issue('B', () => 'TX');
  const investor = await desk.investor();
  const exposures = async (by: string, as: Holder = investor): Promise<Exposure[]> =>
    dataOf(await desk.send('GET', `/v1/api/investor/portfolio/exposures?by=${by}`, as));
  const partOf = async ({ deal_id, balance }: { deal_id: string; balance: number }, face: number): Promise<number> => {
    const tranches = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ tranche_id: string; tranche: string; balance: number }>(
        'select tranche_id, tranche, current_balance::float8 as balance from tranches where deal_id = $1',
        [deal_id],
      ),
    );
    const senior = tranches.find(({ tranche }) => tranche === 'A-1');
    await insertPosition(gateway, investor, senior?.tranche_id ?? '', face);
    return Math.floor((face * balance * 100) / tranches.reduce((sum, each) => sum + each.balance, 0)) / 100;
  };

  await t.test('is nothing without a position', async () => {
    for (const by of ['state', 'servicer', 'obligor']) assert.deepEqual(await exposures(by), []);
    assert.equal((await desk.send('GET', '/v1/api/investor/portfolio/exposures', investor)).status, 400);
    assert.equal((await desk.send('GET', '/v1/api/investor/portfolio/exposures?by=vin', investor)).status, 400);
  });

  const [ofFirst, ofSecond] = [await partOf(first, 100_000), await partOf(second, 50_000)];
  const whole = Math.round((ofFirst + ofSecond) * 100) / 100;
  const sum = (rows: Exposure[], pick: (row: Exposure) => number) =>
    Math.round(rows.reduce((all, row) => all + pick(row), 0) * 1e6) / 1e6;

  await t.test('adds up to its share of the pools, and joins groups of a few loans', async () => {
    const byState = await exposures('state');
    assert.deepEqual(
      byState.map(({ name, deals }) => [name, deals]),
      // Three loans in Utah are joined with the smallest other group.
      [
        ['TX', 2],
        ['(other)', 1],
      ],
    );
    assert.deepEqual([sum(byState, (row) => row.balance), sum(byState, (row) => row.share)], [whole, 1]);
    const [servicer] = await exposures('servicer');
    assert.deepEqual(servicer, { name: 'Seller', balance: whole, share: 1, deals: 2 });
  });

  await t.test('shows small groups where each loan is disclosed in what they show', async () => {
    await first.disclose('LOAN_LEVEL', ['state']);
    assert.equal((await exposures('state')).length, 2);
    await first.disclose('LOAN_LEVEL', ['state', 'current_balance']);
    assert.deepEqual(
      (await exposures('state')).map(({ name }) => name),
      ['TX', 'CA', 'UT'],
    );
  });

  await t.test('names obligors of deals that disclose them, and says which deals do not', async () => {
    const none = await exposures('obligor');
    assert.deepEqual(
      none.map(({ name, balance, left_out }) => [name, balance, left_out?.map(({ deal_id, reason }) => `${deal_id} ${reason}`)]),
      [['(not disclosed)', whole, [first, second].map(({ deal_id }) => `${deal_id} OBLIGORS_NOT_DISCLOSED`).toSorted()]],
    );
    await first.disclose('LOAN_LEVEL', ['obligor_id', 'current_balance']);
    await second.disclose('AGGREGATE', ['obligor_id', 'current_balance']);
    const some = await exposures('obligor');
    const named = some.filter(({ name }) => /^obl_[0-9a-f]{24}$/.test(name));
    assert.deepEqual([named.length, some.length, sum(some, (row) => row.balance)], [4, 5, whole]);
    assert.equal(
      sum(named, (row) => row.balance),
      ofFirst,
    );
    const loans = dataOf(await desk.send('GET', `/v1/api/investor/deals/${first.deal_id}/loans?limit=500`, investor));
    const tokens = new Set(loans.map((loan: { obligor_id: string }) => loan.obligor_id));
    assert.deepEqual(new Set(named.map(({ name }) => name)), tokens, 'the tokens of the lists of loans');
    await second.disclose('LOAN_LEVEL', ['obligor_id']);
    const both = await exposures('obligor');
    assert.deepEqual(
      both.map(({ deals }) => deals),
      [2, 2, 2, 2],
      'one obligor has one token in all deals of an owner',
    );
  });

  await t.test('is the investor’s own', async () => {
    assert.deepEqual(await exposures('state', await desk.investor()), []);
    assert.equal((await desk.send('GET', '/v1/api/investor/portfolio/exposures?by=state', desk.seller)).status, 403);
  });
});
