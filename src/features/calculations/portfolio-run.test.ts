import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../../test/support/cents.ts';
import { PRICING } from '../../../test/support/calculations.ts';
import { assertRefused, dataOf, type Desk, openDesk } from '../../../test/support/desk.ts';
import { codeOf, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { insertMark } from '../../../test/support/market.ts';
import { type Serviced, servicedDeal, soldTrades } from '../../../test/support/servicing.ts';
import { housekeeping } from '../../worker.ts';
import { applyDueRemittances } from '../remittances/apply-remittances.ts';

type Group = {
  name: string;
  market_value: number;
  interest: number;
  principal: number;
  writedown: number;
  position_count: number;
};
type Month = { month: string; interest: number; principal: number; writedown: number };
type Figures = Omit<Group, 'name' | 'position_count'>;
type Position = Figures & { tranche: string; price: number; yield: number; wal: number };
type Result = Record<'by_class' | 'by_asset_type' | 'by_originator', Group[]> & {
  scenario: string;
  market_value: number;
  interest: number;
  principal: number;
  writedown: number;
  wal: number;
  positions: Position[];
  months: Month[];
};

const SCENARIOS = '/v1/api/investor/portfolio/scenarios';
const STRESS = { scenario: 'stress', cdr: 60, severity: 90 };
const FACE = { first: 96_000, second: 48_000, junior: 10_000 };
const NOTHING = { interest: 0, principal: 0, writedown: 0 };
const NO_GROUPS = { by_class: [], by_asset_type: [], by_originator: [] };
const total = <Row>(rows: readonly Row[], of: (row: Row) => number): number => rows.reduce((sum, row) => sum + cents(of(row)), 0);

const request = (desk: Desk, as: Holder, body: object) => desk.send('POST', SCENARIOS, as, body);
const read = async (desk: Desk, as: Holder, id: string) => dataOf(await desk.send('GET', `${SCENARIOS}/${id}`, as));

async function run(desk: Desk, as: Holder, scenarios: object[], more: object = {}) {
  const { calculation_id } = dataOf(await request(desk, as, { scenarios, ...more }));
  await desk.gateway.runJobs();
  const done = await read(desk, as, calculation_id);
  assert.equal(done.status, 'COMPLETED', JSON.stringify(done));
  return done;
}

async function mark(desk: Desk, deal: Serviced, body: object = {}): Promise<string> {
  const base = `/v1/api/originator/analytics/pools/${deal.pool_id}/calculations`;
  const { calculation_id } = dataOf(await desk.send('POST', base, desk.seller, { ...PRICING, ...body }));
  await desk.gateway.runJobs();
  dataOf(await desk.operate('POST', `calculations/${calculation_id}/publish`));
  return calculation_id;
}

/** A deal as an investor calculates it by itself: the price of A-1 at the yield of the mark, and its cash flows. */
async function own(desk: Desk, deal: Serviced, as: Holder, body: object) {
  const { tranches } = dataOf(await desk.get(`deals/${deal.deal_id}`, as));
  const marked = Object.fromEntries(
    tranches
      .filter((each: { yield: number | null }) => each.yield !== null)
      .map((each: { tranche: string; yield: number }) => [each.tranche, each.yield]),
  );
  const base = `/v1/api/investor/deals/${deal.deal_id}/calculations`;
  const { calculation_id } = dataOf(await desk.send('POST', base, as, { type: 'PRICING', yields: marked, ...body }));
  await desk.gateway.runJobs();
  const { results } = dataOf(await desk.send('GET', `${base}/${calculation_id}`, as));
  const rows = dataOf(await desk.send('GET', `${base}/${calculation_id}/cashflows?tranche=A-1`, as));
  const { price, wal, write_down } = results[0].tranches.find((each: { tranche: string }) => each.tranche === 'A-1');
  return { price, wal, write_down, rows };
}

test('a book under scenarios', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const [investor, second, stranger] = [await desk.investor(), await desk.investor(), await desk.investor()];
  const deal = await servicedDeal(desk);
  const sold = await soldTrades(desk, deal, [
    [investor, FACE.first],
    [second, FACE.second],
    [investor, FACE.junior, 1],
  ]);
  for (const trade of sold) dataOf(await desk.decide(trade, 'settle'));
  const unmarked = await servicedDeal(desk);
  for (const trade of await soldTrades(desk, unmarked, [[investor, 20_000]])) dataOf(await desk.decide(trade, 'settle'));
  await mark(desk, deal);
  await gateway.setClock('2026-12-15T15:00:00Z');

  await t.test('is worth what the marks say where a scenario says nothing, and leaves out what has none', async () => {
    const done = await run(desk, investor, [{ scenario: 'base' }]);
    const [base] = done.results as Result[];
    assert.equal(base?.market_value, FACE.first + FACE.junior);
    assert.deepEqual(
      done.left_out.map((each: { deal_id: string; tranche_ids: string[]; code: string }) => [
        each.deal_id,
        each.tranche_ids,
        each.code,
      ]),
      [[unmarked.deal_id, [unmarked.tranches[0]], 'NO_MARK']],
    );
    assert.deepEqual([done.as_of, done.deal_count, done.deals_done, done.position_count], ['2026-12-15', 1, 1, 3]);
    const [event] = dataOf(await desk.send('GET', '/v1/api/events?type=calculation.completed', investor));
    assert.deepEqual(event.data, { calculation_id: done.calculation_id, type: 'PORTFOLIO', status: 'COMPLETED' });
  });

  await t.test('is priced at the yields of the marks, with shares of the cash flows of each deal', async () => {
    const done = await run(desk, second, [{ scenario: 'base' }, STRESS]);
    const result = done.results[1] as Result;
    const assumptions = { ...PRICING.assumptions, cdr: 60, severity: 90 };
    const { price, wal, write_down, rows } = await own(desk, deal, second, { assumptions });
    const [position] = result.positions;
    assert.deepEqual([position?.tranche, position?.price, position?.wal, result.wal], ['A-1', price, wal, wal]);
    assert.ok(price < 100);
    assert.ok(write_down > 0);
    assert.equal(cents(result.market_value), Math.round(FACE.second * price));
    const shared = (amount: number): number => Math.round((cents(amount) * FACE.second) / deal.a);
    for (const { month, interest, principal } of result.months.slice(0, 12)) {
      const row = rows.find((each: { date: string }) => each.date.startsWith(month));
      assert.deepEqual([cents(interest), cents(principal)], [shared(row.interest_paid), shared(row.principal)], month);
    }
    const repaid = total(result.months, (each) => each.principal) + total(result.months, (each) => each.writedown);
    assert.ok(Math.abs(repaid - cents(FACE.second)) <= result.months.length, `${repaid}`);
    assert.ok(total(result.months, (each) => each.writedown) > 0);
  });

  await t.test('adds up to the cent by class, asset type, originator and month', async () => {
    for (const result of (await run(desk, investor, [{ scenario: 'a' }, { scenario: 'b', cpr: 20 }])).results as Result[]) {
      const all: Figures[][] = [result.by_class, result.by_asset_type, result.by_originator, result.positions];
      for (const groups of all) {
        assert.equal(
          total(groups, (each) => each.market_value),
          cents(result.market_value),
        );
        for (const name of ['interest', 'principal', 'writedown'] as const)
          assert.equal(
            total(groups, (each) => each[name]),
            total(result.months, (each) => each[name]),
            name,
          );
        for (const name of ['interest', 'principal', 'writedown'] as const)
          assert.equal(
            cents(result[name]),
            total(result.months, (each) => each[name]),
            name,
          );
      }
      assert.deepEqual(
        result.by_class.map(({ name, position_count }) => [name, position_count]),
        [
          ['A', 1],
          ['B', 1],
        ],
      );
    }
  });

  await t.test('is seen by nobody else, and calculated once for all who ask the same of a deal', async () => {
    const slow = { scenario: 'slow', cpr: 3 };
    const done = await run(desk, investor, [slow]);
    for (const as of [second, stranger])
      await assertRefused(gateway, () => desk.send('GET', `${SCENARIOS}/${done.calculation_id}`, as), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await desk.send('GET', `${SCENARIOS}/${done.calculation_id}`, desk.seller)), [403, 'ROLE_FORBIDDEN']);
    // A price that no calculation gives shows where the other one has it from.
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(`update scenario_flows set flows = jsonb_set(flows::jsonb, '{tranches,A-1,price}', '50')`),
    );
    const [same] = (await run(desk, second, [{ ...slow, scenario: 'another name' }])).results as Result[];
    assert.equal(same?.market_value, FACE.second / 2);
    await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec('delete from scenario_flows'));
    const inScopes = [{ organization: investor.organization_id }, { market: [investor.organization_id] }];
    await run(desk, investor, [{ scenario: 'kept', cpr: 4 }]);
    for (const scope of inScopes)
      assert.deepEqual(await gateway.deps.db.tx(scope, (tx) => tx.rows('select 1 from scenario_flows')), []);
  });

  await t.test('is one calculation for the same request, also of two at once', async () => {
    const body = { scenarios: [{ scenario: 'once', cpr: 7 }] };
    const answers = await Promise.all([request(desk, investor, body), request(desk, investor, body)]);
    const ids = answers.map((answer) => dataOf(answer).calculation_id);
    assert.equal(ids[0], ids[1]);
    await gateway.runJobs();
    assert.equal(dataOf(await request(desk, investor, body)).calculation_id, ids[0]);
    const listed = dataOf(await desk.send('GET', `${SCENARIOS}?status=COMPLETED`, investor));
    assert.equal(listed.filter((each: { calculation_id: string }) => each.calculation_id === ids[0]).length, 1);
    assert.equal(dataOf(await desk.send('GET', SCENARIOS, stranger)).length, 0);
  });

  await t.test('that another engine has calculated, or a part of it, is calculated anew when asked again', async () => {
    const scenarios = [{ scenario: 'other engine' }];
    const first = await run(desk, investor, scenarios);
    const asPlatform = (sql: string, id: string) => gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(sql, [id]));
    // As a worker of an earlier build stores it.
    await asPlatform(
      `update portfolio_runs set result = result::jsonb - 'engine_version' where calculation_id = $1`,
      first.calculation_id,
    );
    const second = await run(desk, investor, scenarios);
    assert.notEqual(second.calculation_id, first.calculation_id);
    assert.deepEqual(second.results, first.results);
    assert.equal((await run(desk, investor, scenarios)).calculation_id, second.calculation_id);
  });

  await t.test('of nothing is worth nothing', async () => {
    const done = await run(desk, stranger, [{ scenario: 'base' }]);
    assert.deepEqual(
      [done.results, done.left_out],
      [[{ scenario: 'base', market_value: 0, ...NOTHING, wal: null, months: [], positions: [], ...NO_GROUPS }], []],
    );
  });

  await t.test('names what cannot be asked', async () => {
    const base = { scenario: 'base' };
    const refused: [object, number, string][] = [
      [{ scenarios: [] }, 400, 'VALIDATION_FAILED'],
      [{ scenarios: Array.from({ length: 13 }, (_, index) => ({ scenario: `s${index}` })) }, 400, 'VALIDATION_FAILED'],
      [{ scenarios: [base, base] }, 422, 'ASSUMPTIONS_INVALID'],
      [{ scenarios: [{ ...base, cpr: 5, psa: 100 }] }, 422, 'ASSUMPTIONS_INVALID'],
      [
        { scenarios: [{ ...base, segments: [{ where: { field: 'state', op: 'eq', value: 'CA' }, cdr: 9 }] }] },
        422,
        'ASSUMPTIONS_INVALID',
      ],
      [{ scenarios: [{ ...base, crd: 5 }] }, 422, 'UNKNOWN_FIELD'],
      [{ scenarios: [base], as_of: '2026-12-16' }, 422, 'UNPROCESSABLE'],
      [{ scenarios: [base], as_of: '2026-02-30' }, 400, 'VALIDATION_FAILED'],
    ];
    for (const [body, status, code] of refused) await assertRefused(gateway, () => request(desk, investor, body), [status, code]);
    await assertRefused(gateway, () => request(desk, desk.seller, { scenarios: [base] }), [403, 'ROLE_FORBIDDEN']);
  });

  await t.test('leaves out a deal that fails, and starts anew when asked again', async () => {
    const scenarios = [{ scenario: 'cut off', cpr: 8 }];
    const { calculation_id } = dataOf(await request(desk, investor, { scenarios }));
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec('update portfolio_run_deals set attempts = 3 where calculation_id = $1', [calculation_id]),
    );
    await gateway.runJobs();
    const done = await read(desk, investor, calculation_id);
    assert.deepEqual([done.status, done.results[0].market_value], ['COMPLETED', 0]);
    assert.deepEqual(
      done.left_out.map(({ code }: { code: string }) => code),
      ['NO_MARK', 'CALCULATION_INTERRUPTED'],
    );
    const again = await run(desk, investor, scenarios);
    assert.notEqual(again.calculation_id, calculation_id);
    assert.ok(again.results[0].market_value > 0);
  });

  await t.test('goes on after its jobs were lost', async () => {
    const { calculation_id } = dataOf(await request(desk, investor, { scenarios: [{ scenario: 'lost', cpr: 2 }] }));
    const owner = await gateway.owner();
    await owner.query('delete from pgboss.job');
    await owner.end();
    await gateway.runJobs();
    assert.deepEqual(await read(desk, investor, calculation_id).then(({ status, deals_done }) => [status, deals_done]), [
      'RUNNING',
      0,
    ]);
    await housekeeping(gateway.deps);
    await gateway.runJobs();
    assert.equal((await read(desk, investor, calculation_id)).status, 'COMPLETED');
  });

  await t.test('starts from the last payment that had been applied by the date', async () => {
    await gateway.setClock('2027-01-15T15:00:00Z');
    dataOf(await deal.send(deal.report({ principal: 20_000 })));
    await applyDueRemittances(gateway.deps.db);
    const done = await run(desk, second, [STRESS]);
    const [position] = dataOf(await desk.get('portfolio/positions', second));
    const assumptions = { ...PRICING.assumptions, cdr: 60, severity: 90 };
    const { price, rows } = await own(desk, deal, second, { assumptions, as_of: '2027-01-15', from: 'LATEST' });
    assert.equal(cents(done.results[0].market_value), Math.round(position.current_balance * price));
    assert.equal(done.results[0].months[0].month, '2027-02');
    assert.equal(cents(done.results[0].months[0].interest), cents((rows[0].interest_paid * FACE.second) / deal.a));
    // The day before, as it stood then.
    const before = await run(desk, second, [{ scenario: 'base' }], { as_of: '2026-12-15' });
    assert.equal(before.results[0].market_value, FACE.second);
    assert.equal(before.results[0].months[0].month, '2027-01');
  });

  await t.test('says which payments up to its date are not reported yet: they are in no figure', async () => {
    // The 15th is Washington's Birthday.
    await gateway.setClock('2027-02-16T15:00:00Z');
    const told = async () => {
      const { warnings } = await run(desk, second, [{ scenario: 'base' }]);
      const [own] = warnings as { deal_id: string; warnings: string[] }[];
      return own?.warnings.filter((each) => each.includes('no report of the payment'));
    };
    const unreported =
      'no report of the payment on 2027-02-16 is applied: what it pays is in no figure, and the market value is of the balance before it';
    assert.deepEqual(await told(), [unreported]);
    dataOf(await deal.send(deal.report({ principal: 20_000 }, { principal: 20_000 })));
    await applyDueRemittances(gateway.deps.db);
    assert.deepEqual(await told(), []);
  });

  await t.test('has no part of a mark without a calculation, and says so', async () => {
    await insertMark(gateway, unmarked.tranches[0] as string, { price: 99, yield: 5 });
    const done = await run(desk, investor, [{ scenario: 'base' }]);
    assert.deepEqual(
      done.left_out.map(({ code }: { code: string }) => code),
      ['NO_CALCULATION'],
    );
  });

  await t.test('leaves out a deal whose loans are gone', async () => {
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec('update pools set loans_key = null where pool_id = $1', [deal.pool_id]),
    );
    const done = await run(desk, second, [{ scenario: 'gone', cpr: 1 }]);
    assert.deepEqual(
      done.left_out.map(({ deal_id, code }: { deal_id: string; code: string }) => [deal_id, code]),
      [[deal.deal_id, 'CANNOT_RUN']],
    );
  });
});
