import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRICING } from '../../../test/support/calculations.ts';
import { assertRefused, dataOf, type Desk, openDesk } from '../../../test/support/desk.ts';
import { type Holder, startGateway } from '../../../test/support/gateway.ts';
import { servicedDeal } from '../../../test/support/servicing.ts';
import { storeWith } from '../../../test/support/stores.ts';
import { applyDueRemittances } from '../remittances/apply-remittances.ts';
import { runCalculation } from './run-calculation.ts';

/** Calculations of a deal as one investor asks for them. */
function asked(desk: Desk, dealId: string, as: Holder) {
  const base = `/v1/api/investor/deals/${dealId}/calculations`;
  const request = (body: object) => desk.send('POST', base, as, { ...PRICING, purpose: 'ANALYSIS', ...body });
  const read = async (id: string) => dataOf(await desk.send('GET', `${base}/${id}`, as));
  return {
    base,
    request,
    read,
    run: async (body: object = {}) => {
      const { calculation_id } = dataOf(await request(body));
      await desk.gateway.runJobs();
      const calculation = await read(calculation_id);
      assert.equal(calculation.status, 'COMPLETED', calculation.error);
      return calculation;
    },
    list: async () => dataOf(await desk.send('GET', base, as)).map((each: { calculation_id: string }) => each.calculation_id),
  };
}

test('calculations of investors', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await servicedDeal(desk);
  const [first, second] = [await desk.investor(), await desk.investor()];
  const [one, other] = [asked(desk, deal.deal_id, first), asked(desk, deal.deal_id, second)];
  const owners = `/v1/api/originator/analytics/pools/${deal.pool_id}/calculations`;
  const { calculation_id: markId } = dataOf(await desk.send('POST', owners, desk.seller, PRICING));
  await gateway.runJobs();
  dataOf(await desk.operate('POST', `calculations/${markId}/publish`));
  const mark = dataOf(await desk.send('GET', `${owners}/${markId}`, desk.seller));

  await t.test('have the figures of the mark with its assumptions, and name nothing that the deal is made of', async () => {
    const calculation = await one.run();
    assert.deepEqual(calculation.results, mark.results);
    assert.deepEqual([calculation.deal_id, calculation.from, calculation.purpose], [deal.deal_id, 'CUT_OFF', 'ANALYSIS']);
    for (const field of ['pool_id', 'tape_versions']) assert.equal(field in calculation, false, field);
    const rows = dataOf(await desk.send('GET', `${one.base}/${calculation.calculation_id}/cashflows?tranche=A-1`, first));
    assert.deepEqual(rows, dataOf(await desk.send('GET', `${owners}/${markId}/cashflows?tranche=A-1`, desk.seller)));
    const trace = dataOf(await desk.send('GET', `${one.base}/${calculation.calculation_id}/trace?period=2`, first));
    assert.equal(trace[0].steps[0].pay, 'FEE');
    const [event] = dataOf(await desk.send('GET', '/v1/api/events?type=calculation.completed', first));
    assert.deepEqual([event.data.deal_id, event.data.pool_id], [deal.deal_id, undefined]);
  });

  await t.test('are seen by nobody else: not by the owner, another investor or the market', async () => {
    const own = await one.run({ assumptions: { cpr: 11, cdr: 3, severity: 60 } });
    const id = own.calculation_id;
    assert.ok((await one.list()).includes(id));
    assert.deepEqual(await other.list(), []);
    for (const path of ['', '/cashflows', '/trace']) {
      await assertRefused(gateway, () => desk.send('GET', `${other.base}/${id}${path}`, second), [404, 'NOT_FOUND']);
      await assertRefused(gateway, () => desk.send('GET', `${owners}/${id}${path}`, desk.seller), [404, 'NOT_FOUND']);
      // And no investor reads what the owner tried.
      await assertRefused(gateway, () => desk.send('GET', `${one.base}/${markId}${path}`, first), [404, 'NOT_FOUND']);
    }
    const listed = dataOf(await desk.send('GET', owners, desk.seller)).map(
      (each: { calculation_id: string }) => each.calculation_id,
    );
    assert.equal(listed.includes(id), false);
    const inMarket = await gateway.deps.db.tx({ market: [second.organization_id] }, (tx) =>
      tx.rows<{ calculation_id: string }>('select calculation_id from calculations', []),
    );
    assert.deepEqual(
      inMarket.map(({ calculation_id }) => calculation_id),
      [markId],
    );
    assert.equal((await desk.operate('POST', `calculations/${id}/publish`)).status, 422);
  });

  await t.test('of the same inputs are calculated once, and each has its own', async () => {
    const assumptions = { cpr: 4, cdr: 1, severity: 30 };
    const own = await one.run({ assumptions });
    // A figure that no calculation gives shows where the other one has it from.
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(
        `update calculations set result = replace(result::text, '"price":100,', '"price":99.5,')::json where calculation_id = $1`,
        [own.calculation_id],
      ),
    );
    const same = await other.run({ assumptions });
    assert.notEqual(same.calculation_id, own.calculation_id);
    assert.equal(same.results[0].tranches[0].price, 99.5);
    assert.ok(dataOf(await desk.send('GET', `${other.base}/${same.calculation_id}/cashflows?tranche=B`, second)).length > 10);
    assert.equal((await other.run({ assumptions })).calculation_id, same.calculation_id);
  });

  await t.test('are calculated anew where those of the same inputs are deleted while they are copied', async () => {
    const assumptions = { cpr: 5, cdr: 2, severity: 35 };
    const { calculation_id: copied } = await one.run({ assumptions });
    const { calculation_id } = dataOf(await other.request({ assumptions }));
    const { deps } = gateway;
    const list = async function* (prefix: string) {
      const keys = await Array.fromAsync(deps.store.list(prefix), ({ key }) => key);
      await deps.db.tx({ platform: true }, (tx) => tx.exec('delete from calculations where calculation_id = $1', [copied]));
      for (const key of keys) await deps.store.delete(key);
      yield* deps.store.list(prefix);
    };
    const job = { organization_id: second.organization_id, calculation_id };
    await runCalculation({ ...deps, store: storeWith(deps.store, { list }) }, job, new AbortController().signal);
    assert.equal((await other.read(calculation_id)).status, 'COMPLETED');
    assert.ok(dataOf(await desk.send('GET', `${other.base}/${calculation_id}/cashflows?tranche=B`, second)).length > 10);
  });

  await t.test('are no marks, and choose no loans', async () => {
    const where = { field: 'credit_score', op: 'lt', value: 620 };
    const refused = await one.request({
      purpose: 'MARK',
      assumptions: { cpr: 5, segments: [{ where, cdr: 9 }] },
    });
    assert.deepEqual(
      [refused.status, refused.body.errors?.map(({ field }) => field)],
      [422, ['purpose', 'assumptions.segments']],
    );
    await assertRefused(gateway, () => one.request({ assumptions: { cpr: 500 } }), [400, 'VALIDATION_FAILED']);
    await assertRefused(gateway, () => desk.send('POST', one.base, desk.seller, PRICING), [403, 'ROLE_FORBIDDEN']);
  });

  await t.test('start from the last applied report', async () => {
    dataOf(await deal.send(deal.report({ principal: 20_000 })));
    await gateway.setClock('2027-01-15T15:00:00Z');
    assert.equal(await applyDueRemittances(gateway.deps.db), 1);
    const latest = await one.run({ as_of: '2027-01-20' });
    assert.deepEqual([latest.from, latest.opening.period], ['LATEST', 1]);
  });

  await t.test('stand beside what was reported and what the published marks had projected', async () => {
    const [period, ...more] = dataOf(await desk.send('GET', `/v1/api/investor/deals/${deal.deal_id}/performance`, first));
    assert.deepEqual([period.period, period.closing, period.projected.calculation_id, more], [1, deal.pool - 20_000, markId, []]);
    const owner = dataOf(await desk.send('GET', `/v1/api/originator/pools/${deal.pool_id}/performance`, desk.seller));
    assert.deepEqual(owner, [period]);
    const unmarked = await servicedDeal(desk);
    dataOf(await unmarked.send({ ...unmarked.report({ principal: 20_000 }) }));
    const analysis = `/v1/api/originator/analytics/pools/${unmarked.pool_id}/calculations`;
    dataOf(await desk.send('POST', analysis, desk.seller, { ...PRICING, purpose: 'ANALYSIS' }));
    await gateway.runJobs();
    await gateway.setClock('2027-01-15T16:00:00Z');
    await applyDueRemittances(gateway.deps.db);
    const [unseen] = dataOf(await desk.send('GET', `/v1/api/investor/deals/${unmarked.deal_id}/performance`, first));
    assert.equal(unseen.projected, null);
  });

  await t.test('read the structure of the deal in sentences', async () => {
    const read = dataOf(await desk.send('GET', `/v1/api/investor/deals/${deal.deal_id}/structure`, first));
    assert.equal(read.structure.tranches[0].tranche, 'A-1');
    assert.match(read.explanation.steps[0].text, /^First, /);
    assert.equal('findings' in read.explanation, false);
  });

  await t.test('end with what an investor may see', async () => {
    const hidden = await servicedDeal(desk);
    const before = asked(desk, hidden.deal_id, first);
    const { calculation_id } = await before.run();
    dataOf(await desk.move(hidden.deal, 'withdraw', { reason: 'Test' }));
    for (const call of [
      () => before.request({}),
      () => desk.send('GET', before.base, first),
      () => desk.send('GET', `${before.base}/${calculation_id}`, first),
      () => desk.send('GET', `/v1/api/investor/deals/${hidden.deal_id}/structure`, first),
      () => desk.send('GET', `/v1/api/investor/deals/${hidden.deal_id}/performance`, first),
    ])
      await assertRefused(gateway, call, [404, 'NOT_FOUND']);
  });
});
