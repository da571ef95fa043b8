import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Gateway, type Holder, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { buy, insertPosition } from '../../../test/support/market.ts';
import { issuedDeal, structuredPool } from '../../../test/support/pools.ts';

type Report = {
  period: number;
  payment_date: string;
  collateral: Record<string, number>;
  tranches: Record<string, string | number>[];
  totals?: Record<string, number>;
};

/** A pool that was issued, with reports that tie. */
type Serviced = {
  ours: Holder;
  pool_id: string;
  deal_id: string;
  path: string;
  /** Balances of the pool and of its two notes at the issue. */
  pool: number;
  a: number;
  b: number;
  send: (body: unknown, as?: Holder) => Promise<Answer>;
  report: (period: 1 | 2 | 3) => Report;
};

const DATES = { 1: '2027-01-15', 2: '2027-02-16', 3: '2027-03-15' };
/** Principal and charge-offs up to each period; the 15,000 of period 2 pass the trigger's 1.5 %. */
const PAID = { 0: 0, 1: 20_000, 2: 46_000, 3: 56_000 };
const LOST = { 1: 4_000, 2: 15_000, 3: 0 };
const BEFORE = { 1: 0, 2: 1, 3: 2 } as const;

/** A report that ties, under the names of servicer reports, and in period 2 of cash-flow rows. */
function reportOf(pool: number, a: number, b: number, period: 1 | 2 | 3): Report {
  const [before, after] = [PAID[BEFORE[period]], PAID[period]];
  const flows = period === 2;
  const interest = (balance: number, rate: number) => Math.round((balance * rate) / 12) / 100;
  const tranche = (name: string, opening: number, closing: number, rate: number) => ({
    tranche: name,
    [flows ? 'opening' : 'beginning_balance']: opening,
    interest_paid: interest(opening, rate),
    [flows ? 'principal' : 'principal_paid']: opening - closing,
    [flows ? 'closing' : 'ending_balance']: closing,
  });
  return {
    period,
    payment_date: DATES[period],
    collateral: {
      [flows ? 'opening' : 'beginning_pool_balance']: pool - before,
      scheduled_principal: after - before - LOST[period],
      [flows ? 'default' : 'gross_losses']: LOST[period],
      [flows ? 'closing' : 'ending_pool_balance']: pool - after,
      interest: 6_600,
      fees: 900,
    },
    tranches: [tranche('A-1', a - before, a - after, 5), tranche('B', b, b, 6.5)],
  };
}

test('servicer reports', async (t) => {
  await using gateway = await startGateway();
  // After the payment dates of the reports, which are therefore applied when they are sent.
  await gateway.setClock('2027-04-01T15:00:00Z');
  const operator = await gateway.key('operator', 'Platform');
  let sellers = 0;
  const newSeller = () => gateway.key('originator', `Seller ${(sellers += 1)}`);
  /** An issued pool of an originator of its own. */
  const serviced = async (reports = 0): Promise<Serviced> => {
    const ours = await newSeller();
    const { pool_id, balance, structure } = await structuredPool(gateway, ours, operator, 60);
    const deal_id = await issuedDeal(gateway, ours, operator, pool_id);
    const path = `/v1/api/originator/pools/${pool_id}/remittances`;
    const [a, b] = structure.tranches.map((tranche: { balance: number }) => tranche.balance);
    const send = (body: unknown, as = ours) => gateway.call('POST', path, { as, body });
    const report = (period: 1 | 2 | 3) => reportOf(balance, a, b, period);
    for (const period of ([1, 2, 3] as const).slice(0, reports)) assert.equal((await send(report(period))).status, 201);
    return { ours, pool_id, deal_id, path, pool: balance, a, b, send, report };
  };
  const listed = async ({ path, ours }: Serviced) => (await gateway.call('GET', path, { as: ours })).body;

  await t.test('reports begin with the issue, and another organization or role sends none', async () => {
    const ours = await newSeller();
    const { pool_id, balance } = await structuredPool(gateway, ours, operator, 60);
    const path = `/v1/api/originator/pools/${pool_id}/remittances`;
    const body = reportOf(balance, 700_000, 100_000, 1);
    const early = await gateway.call('POST', path, { as: ours, body });
    assert.deepEqual([...codeOf(early), early.body.current_status], [409, 'CONFLICT', 'STRUCTURED']);
    const stranger = await newSeller();
    assert.deepEqual(codeOf(await gateway.call('POST', path, { as: stranger, body })), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await gateway.call('GET', path, { as: stranger })), [404, 'NOT_FOUND']);
    for (const as of [operator, await gateway.key('investor', 'Buyer')]) {
      assert.deepEqual(codeOf(await gateway.call('POST', path, { as, body })), [403, 'ROLE_FORBIDDEN']);
    }
  });

  await t.test('an applied report is told to the owner and to whoever holds face, once each, and to nobody else', async () => {
    const deal = await serviced();
    const [holder, former, bystander] = await Promise.all(
      ['Holder', 'Former holder', 'Bystander'].map((name) => gateway.key('investor', name)),
    );
    assert.ok(holder && former && bystander);
    const tranches = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ tranche_id: string }>('select tranche_id from tranches where deal_id = $1 and offered order by seniority', [
        deal.deal_id,
      ]),
    );
    for (const { tranche_id } of tranches) await insertPosition(gateway, holder, tranche_id, 10_000);
    await insertPosition(gateway, former, tranches[0]?.tranche_id ?? '', 0);
    assert.equal((await deal.send(deal.report(1))).status, 201);
    const data = { pool_id: deal.pool_id, deal_id: deal.deal_id, period: 1, payment_date: DATES[1] };
    const told = async (as: Holder) =>
      (await gateway.call('GET', '/v1/api/events?type=remittance.applied', { as })).body.data.map(
        (each: { data: unknown }) => each.data,
      );
    const alerts = async (as: Holder) =>
      (await gateway.call('GET', '/v1/api/alerts?type=remittance.applied', { as })).body.data.length;
    for (const as of [deal.ours, holder]) assert.deepEqual([await told(as), await alerts(as)], [[data], 1]);
    for (const as of [former, bystander]) assert.deepEqual([await told(as), await alerts(as)], [[], 0]);
  });

  await t.test('a report that does not tie is refused with every finding, and changes nothing', async () => {
    const deal = await serviced();
    const broken = deal.report(1);
    Object.assign(broken.tranches[0] ?? {}, { ending_balance: deal.a - 19_999.99 });
    broken.collateral.ending_pool_balance = deal.pool - 20_001;
    const refused = await deal.send(broken);
    assert.deepEqual(codeOf(refused), [422, 'REMITTANCE_DOES_NOT_TIE']);
    const fields = refused.body.errors?.map((error) => error.field);
    assert.deepEqual(fields, ['collateral.ending_pool_balance', 'tranches[0].ending_balance']);
    const [, finding] = refused.body.errors ?? [];
    assert.deepEqual([finding.expected, finding.actual], [deal.a - 20_000, deal.a - 19_999.99]);
    // A report without `available` has the lines that verifying it gives, too.
    const verified = await gateway.call('POST', `${deal.path}/verify`, { as: deal.ours, body: broken });
    assert.ok(verified.body.data.verification.lines.some(({ what }: { what: string }) => what === 'TIE'));
    assert.deepEqual(refused.body.lines, verified.body.data.verification.lines);
    assert.equal((await listed(deal)).pagination.total, 0);
    assert.deepEqual(await balancesOf(gateway, deal.deal_id), [
      { tranche: 'A-1', balance: deal.a, accrued_from: '2026-12-15' },
      { tranche: 'B', balance: deal.b, accrued_from: '2026-12-15' },
    ]);
  });

  await t.test('every way in which a second report may fail to tie has its code and its path', async () => {
    const deal = await serviced(1);
    const spoiled: [(report: Report) => void, string, string][] = [
      [(r) => (r.period = 3), 'PERIOD_OUT_OF_ORDER', 'period'],
      [(r) => (r.payment_date = '2027-01-15'), 'PERIOD_OUT_OF_ORDER', 'payment_date'],
      [(r) => (r.collateral.opening = deal.pool), 'BEGINNING_BALANCE', 'collateral.beginning_pool_balance'],
      [(r) => (r.collateral.closing = deal.pool - 45_999.99), 'BALANCE_ROLL', 'collateral.ending_pool_balance'],
      [(r) => (r.collateral.net_losses = 14_999), 'NET_LOSSES', 'collateral.net_losses'],
      [(r) => r.tranches.pop(), 'TRANCHE_MISSING', 'tranches'],
      [(r) => Object.assign(r.tranches[1] ?? {}, { tranche: 'Q' }), 'UNKNOWN_TRANCHE', 'tranches[1].tranche'],
      [(r) => r.tranches.push({ ...r.tranches[0] }), 'UNKNOWN_TRANCHE', 'tranches[2].tranche'],
      [(r) => Object.assign(r.tranches[0] ?? {}, { opening: deal.a }), 'BEGINNING_BALANCE', 'tranches[0].beginning_balance'],
      [(r) => Object.assign(r.tranches[0] ?? {}, { interest_paid: 1 }), 'INTEREST', 'tranches[0].interest_paid'],
      [(r) => (r.totals = { principal_paid: 25_999.99 }), 'TOTAL', 'totals.principal_paid'],
    ];
    for (const [spoil, code, field] of spoiled) {
      const broken = deal.report(2);
      spoil(broken);
      const refused = await deal.send(broken);
      assert.deepEqual(codeOf(refused), [422, 'REMITTANCE_DOES_NOT_TIE'], `${code} ${field}`);
      const found = refused.body.errors?.map((error) => `${error.code} ${error.field}`);
      assert.ok(found?.includes(`${code} ${field}`), `${code} ${field} is not in ${found?.join(', ')}`);
    }
    assert.equal((await deal.send(deal.report(2))).status, 201, 'without a fault it ties');
  });

  await t.test('missing, negative and broken figures, and too many tranches, are 400', async () => {
    const deal = await serviced();
    const partial = deal.report(1);
    delete (partial.tranches[1] ?? {}).principal_paid;
    const refused = await deal.send(partial);
    assert.deepEqual(
      [...codeOf(refused), refused.body.errors?.[0].field],
      [400, 'VALIDATION_FAILED', 'tranches.1.principal_paid'],
    );
    const good = deal.report(1);
    for (const body of [
      { ...good, period: 0 },
      { ...good, period: 1.5 },
      { ...good, payment_date: '2027-02-30' },
      { ...good, tranches: [] },
      { ...good, tranches: Array.from({ length: 51 }, () => good.tranches[0]) },
      { ...good, collateral: { ...good.collateral, scheduled_principal: -1 } },
      { ...good, collateral: { ...good.collateral, scheduled_principal: 0.001 } },
      { ...good, collateral: { ...good.collateral, delinquent_60: 101 } },
      { ...good, collateral: { ...good.collateral, ending_pool_balance: 1e300 } },
      { ...good, collateral: { ...good.collateral, net_losses: 1e308 } },
      { ...good, collateral: { ...good.collateral, net_losses: 0.001 } },
      // Each an amount by itself, and none together.
      { ...good, available: { interest: 90_071_992_547_409.91, principal: 90_071_992_547_409.91, total: 0 } },
    ]) {
      assert.deepEqual(codeOf(await deal.send(body)), [400, 'VALIDATION_FAILED'], JSON.stringify(body).slice(0, 200));
    }
  });

  await t.test('a report that ties moves balances, factors and the date that interest accrues from', async () => {
    const { a, b, deal_id, pool, ...deal } = await serviced();
    const sent = deal.report(1);
    Object.assign(sent.collateral, { delinquent_30: 3, delinquent_60: 1.25, loan_count: 59 });
    const { status, body } = await deal.send(sent);
    assert.equal(status, 201);
    const { basis, pool: metrics, tranches } = body.data;
    assert.deepEqual(
      [basis, metrics.pool_balance, metrics.loan_count, metrics.delinquent_60],
      ['ACTUAL', pool - 20_000, 59, 1.25],
    );
    assert.equal(metrics.cumulative_net_loss, Number((400_000 / pool).toFixed(6)));
    assert.equal(tranches[0].factor, Number(((a - 20_000) / a).toFixed(8)));
    assert.deepEqual(await balancesOf(gateway, deal_id), [
      { tranche: 'A-1', balance: a - 20_000, accrued_from: '2027-01-15' },
      { tranche: 'B', balance: b, accrued_from: '2027-01-15' },
    ]);
    const investor = await gateway.key('investor', 'Looker');
    const seen = await gateway.call('GET', `/v1/api/investor/deals/${deal_id}`, { as: investor });
    const [{ balance, current_balance, factor, remaining_capacity }] = seen.body.data.tranches;
    assert.deepEqual(
      [balance, current_balance, factor, remaining_capacity, seen.body.data.dealSize],
      [a, a - 20_000, tranches[0].factor, a, a + b],
    );
  });

  await t.test('the position of a holder follows the factor that was reported', async () => {
    const deal = await serviced();
    const investor = await gateway.key('investor', 'Holder');
    const { tranches } = (await gateway.call('GET', `/v1/api/investor/deals/${deal.deal_id}`, { as: investor })).body.data;
    await insertPosition(gateway, investor, tranches[0].tranche_id, 100_000);
    await deal.send(deal.report(1));
    const { data } = (await gateway.call('GET', '/v1/api/investor/portfolio/positions', { as: investor })).body;
    const factor = Number(((deal.a - 20_000) / deal.a).toFixed(8));
    assert.deepEqual([data[0].factor, data[0].current_balance], [factor, Math.round(factor * 1e7) / 100]);
  });

  await t.test('a period that was applied is not reported again, with the same figures or with others', async () => {
    const deal = await serviced(2);
    const before = await listed(deal);
    for (const period of [1, 2] as const) {
      const same = await deal.send(deal.report(period));
      assert.deepEqual(codeOf(same), [409, 'CONFLICT']);
      assert.match(
        same.body.message ?? '',
        new RegExp(`Period ${period} has been reported and applied: restate it, or report period 3`),
      );
      const other = deal.report(period);
      other.collateral.interest = 1;
      assert.deepEqual(codeOf(await deal.send(other)), [409, 'CONFLICT']);
    }
    assert.deepEqual((await listed(deal)).data, before.data);
    assert.equal((await deal.send(deal.report(3))).status, 201);
  });

  await t.test('a trigger that goes on raises one alert with its headroom and its trend', async () => {
    const deal = await serviced(1);
    const reported = await deal.send(deal.report(2));
    assert.equal(reported.status, 201, JSON.stringify(reported.body));
    const [trigger] = reported.body.data.triggers;
    const [reading] = trigger.tests;
    assert.deepEqual([trigger.on, trigger.newly_on, reading.trend, reading.history.length], [true, true, 'WORSENING', 2]);
    assert.ok(reading.headroom < 0 && Math.abs(reading.headroom - (1.5 - reading.actual)) < 1e-6);
    const alerts = () => gateway.call('GET', '/v1/api/alerts?type=trigger.breached', { as: deal.ours });
    const { body } = await alerts();
    assert.equal(body.meta.total, 1);
    assert.match(
      body.data[0].message,
      /^CUMULATIVE_NET_LOSS is 1\.\d+, threshold 1\.5, headroom -0\.\d+, worsening; last reports [\d.]+, [\d.]+\.$/,
    );
    assert.deepEqual([body.data[0].entity_type, body.data[0].entity_id], ['pool', deal.pool_id]);
    const third = await deal.send(deal.report(3));
    const [still] = third.body.data.triggers;
    assert.deepEqual([still.on, still.newly_on, still.tests[0].trend], [true, false, 'FLAT']);
    assert.equal((await alerts()).body.meta.total, 1, 'a trigger that stays on raises no further alert');
  });

  await t.test('interest of a 30/360 class accrues from the scheduled date, whatever day it was paid', async () => {
    const deal = await serviced(2);
    // The 15th of February 2027 is a federal holiday: paid on the 16th.
    const dates = (await balancesOf(gateway, deal.deal_id)).map((row) => row.accrued_from);
    assert.deepEqual(dates, ['2027-02-15', '2027-02-15']);
  });

  await t.test('interest accrues from the date of payment where that is no date of the schedule', async () => {
    const deal = await serviced();
    assert.equal((await deal.send({ ...deal.report(1), payment_date: '2027-01-29' })).status, 201);
    const dates = (await balancesOf(gateway, deal.deal_id)).map((row) => row.accrued_from);
    assert.deepEqual(dates, ['2027-01-29', '2027-01-29']);
  });

  await t.test('a payment up to seven days from the schedule belongs to it, whichever way weekends moved it', async () => {
    for (const [paid, accruesFrom] of [
      ['2027-01-08', '2027-01-15'],
      ['2027-01-22', '2027-01-15'],
      ['2027-01-07', '2027-01-07'],
      ['2027-01-23', '2027-01-23'],
    ] as const) {
      const deal = await serviced();
      const sent = await deal.send({ ...deal.report(1), payment_date: paid });
      assert.equal(sent.status, 201, JSON.stringify(sent.body));
      const dates = (await balancesOf(gateway, deal.deal_id)).map((row) => row.accrued_from);
      assert.deepEqual(dates, [accruesFrom, accruesFrom], paid);
    }
  });

  await t.test('a report is in the audit log, and a refused one is not', async () => {
    const deal = await serviced();
    const broken = deal.report(1);
    broken.collateral.ending_pool_balance = 1;
    assert.equal((await deal.send(broken)).status, 422);
    const { remittance_id } = (await deal.send(deal.report(1))).body.data;
    const { data } = (await gateway.call('GET', '/v1/api/audit?action=remittance.reported', { as: deal.ours })).body;
    assert.deepEqual(
      data.map((entry: Record<string, unknown>) => [entry.entity_id, entry.after]),
      [
        [
          remittance_id,
          { pool_id: deal.pool_id, deal_id: deal.deal_id, period: 1, payment_date: '2027-01-15', status: 'APPLIED' },
        ],
      ],
    );
  });

  await t.test('reports are listed newest first, by page, and the pool has the last', async () => {
    const deal = await serviced(3);
    const page = async (query: string) =>
      (await gateway.call('GET', `${deal.path}${query}`, { as: deal.ours })).body.data.map(
        (report: { period: number }) => report.period,
      );
    assert.deepEqual(await page(''), [3, 2, 1]);
    assert.deepEqual(await page('?limit=2&page=2'), [1]);
    const detail = await gateway.call('GET', `/v1/api/originator/pools/${deal.pool_id}`, { as: deal.ours });
    const list = await listed(deal);
    assert.deepEqual(detail.body.data.last_remittance, list.data[0]);
    const [third, second] = list.data;
    // A report is stored under the names of servicer reports, whatever names it was sent with.
    assert.deepEqual(Object.keys(second.report.tranches[0]).sort(), Object.keys(third.report.tranches[0]).sort());
    assert.equal(second.report.collateral.ending_pool_balance, deal.pool - 46_000);
  });

  await t.test('of three reports of one period sent at once one is taken', async () => {
    const deal = await serviced(1);
    const answers = await Promise.all(Array.from({ length: 3 }, () => deal.send(deal.report(2))));
    assert.deepEqual(
      answers.map((answer) => answer.status).sort((a, b) => a - b),
      [201, 409, 409],
    );
    assert.equal((await listed(deal)).pagination.total, 2);
  });

  await t.test('reports go on after the deal has closed', async () => {
    const deal = await serviced();
    const investor = await gateway.key('investor', 'Last buyer');
    const { tranches } = (await gateway.call('GET', `/v1/api/investor/deals/${deal.deal_id}`, { as: investor })).body.data;
    await buy(
      gateway,
      operator,
      investor,
      { deal_id: deal.deal_id, pool_id: deal.pool_id, tranches: [] },
      10_000,
      tranches[0].tranche_id,
    );
    const closed = await gateway.call('POST', `/v1/operator/deals/${deal.deal_id}/close`, { as: operator });
    assert.equal(closed.status, 200, JSON.stringify(closed.body));
    assert.equal((await deal.send(deal.report(1))).status, 201);
  });
});

function balancesOf(gateway: Gateway, dealId: string) {
  return gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ tranche: string; balance: number; accrued_from: string }>(
      `select tranche, current_balance::float8 as balance, accrued_from::text as accrued_from
       from tranches where deal_id = $1 and offered order by tranche`,
      [dealId],
    ),
  );
}
