import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { formPool } from '../../../test/support/pools.ts';
import { autoTape, seller } from '../../../test/support/tapes.ts';

const VIEWS = ['strats?by=state', 'vintage', 'risk'];

test('what an analysis is about', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  /** An originator and its calls about the analyses of a deal or a pool. */
  const analyst = async (name: string) => {
    const ours = await seller(gateway, name);
    const get = (path: string, as = ours.as): Promise<Answer> =>
      gateway.call('GET', `/v1/api/originator/analytics${path}`, { as });
    const approved = async (bytes: string): Promise<string> => {
      const dealId = await ours.checked(bytes);
      await gateway.call('POST', `/v1/operator/deals/${dealId}/approve`, { as: operator });
      return dealId;
    };
    return { ...ours, get, approved };
  };

  await t.test('is a deal with loans: before them it is 409, and without the deal 404', async () => {
    const { uploaded, sent, checked, get } = await analyst('Early');
    const draft = await uploaded(autoTape(3), { loanType: 'Student' });
    const running = await sent(autoTape(3));
    const unmapped = autoTape(3).replace('Original Amount Financed', 'A').replace('Current Balance', 'B');
    for (const view of VIEWS) {
      const refused = await get(`/deals/${draft}/${view}`);
      assert.deepEqual([...codeOf(refused), refused.body.current_status], [409, 'CONFLICT', 'DRAFT'], view);
      assert.deepEqual(codeOf(await get(`/deals/${running}/${view}`)), [409, 'CONFLICT'], view);
      for (const path of ['/deals/deal_none', '/pools/pool_none', `/pools/${draft}`])
        assert.deepEqual(codeOf(await get(`${path}/${view}`)), [404, 'NOT_FOUND'], `${path}/${view}`);
    }
    await gateway.runJobs();
    const waiting = await checked(unmapped, 'Personal');
    assert.deepEqual(codeOf(await get(`/deals/${waiting}/risk`)), [409, 'CONFLICT']);
    assert.equal((await get(`/deals/${running}/risk`)).status, 200);
  });

  await t.test('is its organization’s, and no investor’s or operator’s', async () => {
    const [ours, theirs] = [await analyst('Owner'), await analyst('Stranger')];
    const dealId = await ours.approved(autoTape(5));
    const { pool_id } = (await formPool(gateway, ours.as, [dealId])).body.data;
    const investor = await gateway.key('investor', 'Looker');
    for (const view of VIEWS) {
      for (const path of [`/deals/${dealId}/${view}`, `/pools/${pool_id}/${view}`]) {
        assert.deepEqual(codeOf(await theirs.get(path)), [404, 'NOT_FOUND'], path);
        for (const as of [investor, operator]) assert.deepEqual(codeOf(await ours.get(path, as)), [403, 'ROLE_FORBIDDEN'], path);
      }
    }
  });

  await t.test('is the tape in force, by its version; a pool keeps the loans that it was formed of', async () => {
    const { checked, version, get, sendVersion } = await analyst('Versions');
    const dealId = await checked(autoTape(8));
    await version(dealId, autoTape(6));
    const { data } = (await get(`/deals/${dealId}/risk`)).body;
    assert.deepEqual([data.total.loan_count, data.tape_versions], [6, { [dealId]: 2 }]);
    await sendVersion(dealId, autoTape(4));
    assert.equal(
      (await get(`/deals/${dealId}/risk`)).body.data.total.loan_count,
      6,
      'a version that is being checked is not in force',
    );
    await gateway.runJobs();
    assert.equal((await get(`/deals/${dealId}/risk`)).body.data.total.loan_count, 4);
  });

  await t.test('is of a date: the tape’s for a deal, the cut-off for a pool', async () => {
    const { approved, get, as, deal } = await analyst('Dated');
    const dealId = await approved(autoTape(5));
    const { pool_id } = (await formPool(gateway, as, [dealId], { cut_off_date: '2026-10-31' })).body.data;
    await gateway.advance(10 * 86_400);
    assert.equal((await get(`/deals/${dealId}/risk`)).body.data.as_of, (await deal(dealId)).as_of_date);
    assert.equal((await get(`/pools/${pool_id}/risk`)).body.data.as_of, '2026-10-31');
  });

  await t.test('may be parted by deal where it is a pool, which a deal is not', async () => {
    const { approved, get, as } = await analyst('Parted');
    const [first, second] = [await approved(autoTape(3)), await approved(autoTape(2).replaceAll('A0', 'B0'))];
    const { pool_id, balance } = (await formPool(gateway, as, [first, second])).body.data;
    const { groups } = (await get(`/pools/${pool_id}/strats?by=deal_id`)).body.data;
    assert.deepEqual(
      groups.map((group: { key: string; loan_count: number; balance: number }) => [group.key, group.loan_count, group.balance]),
      [
        [first, 3, 54_030],
        [second, 2, 36_010],
      ],
    );
    assert.equal(balance, 90_040);
    const nested = (await get(`/pools/${pool_id}/strats?by=new_used&then_by=deal_id`)).body.data.groups;
    for (const group of nested) {
      const inside = group.groups.reduce((sum: number, each: { loan_count: number }) => sum + each.loan_count, 0);
      assert.equal(inside, group.loan_count);
    }
    for (const query of ['by=deal_id', 'by=state&then_by=deal_id']) {
      const refused = await get(`/deals/${first}/strats?${query}`);
      assert.deepEqual([...codeOf(refused), refused.body.errors?.[0].field], [400, 'VALIDATION_FAILED', 'by'], query);
    }
  });

  await t.test('is asked in words that exist, and the parameter that does not is named', async () => {
    const { checked, get } = await analyst('Asking');
    const dealId = await checked(autoTape(5));
    const faults: [string, number, string][] = [
      ['by=state&then_by=shoe_size', 422, 'then_by'],
      ['by=credit_score&bands=600,x', 400, 'bands'],
      ['by=state&then_by=credit_score&then_bands=5,4', 400, 'then_bands'],
      ['by=origination_date&bands=1,2', 400, 'bands'],
      ['by=credit_score&bands=month', 400, 'bands'],
      [`by=${'x'.repeat(65)}`, 400, 'by'],
      ['by=', 400, 'by'],
    ];
    for (const [query, status, field] of faults) {
      const refused = await get(`/deals/${dealId}/strats?${query}`);
      assert.deepEqual([refused.status, refused.body.errors?.[0]?.field], [status, field], query);
    }
    assert.deepEqual(codeOf(await get(`/deals/${dealId}/vintage?by=year`)), [400, 'VALIDATION_FAILED']);
    assert.equal((await get(`/deals/${dealId}/vintage`)).body.data.unit, 'quarter', 'quarters unless months are asked for');
  });

  await t.test('shows its rolls from each version with loans to the next one', async () => {
    const { checked, version, get } = await analyst('Rolling');
    const late = (days: string) => autoTape(4, (row, index) => (row['Days Past Due'] = index === 0 ? days : '0'));
    const dealId = await checked(late('0'));
    await version(dealId, late('35'));
    await version(dealId, autoTape(4).replace('Original Amount Financed', 'A').replace('Current Balance', 'B'));
    await version(dealId, late('65'));
    const { roll_rates } = (await get(`/deals/${dealId}/vintage`)).body.data;
    const moves = roll_rates.map(
      (pair: { from_version: number; to_version: number; rolls: { from: string; to: string; loan_count: number }[] }) => [
        pair.from_version,
        pair.to_version,
        pair.rolls.filter((roll) => roll.from !== roll.to).map((roll) => [roll.from, roll.to, roll.loan_count]),
      ],
    );
    assert.deepEqual(
      moves.map((move: unknown[]) => move.slice(0, 2)),
      [
        [1, 2],
        [2, 4],
      ],
      'the version without loans is passed over',
    );
    assert.deepEqual(moves[1]?.[2], [['30-59', '60-89', 1]]);
  });
});
