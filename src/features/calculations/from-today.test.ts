import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, dataOf, openDesk } from '../../../test/support/desk.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import { cents, floating, paidDeal, type Row, SPEEDS } from '../../../test/support/paid-deal.ts';
import { near } from '../../finance/test-support.ts';
import { priceAtYield } from '../../finance/structure/tranche-cash.ts';
import { asId } from '../../platform/ids.ts';
import { readMarkCash } from './mark-cash.ts';
import { listMarkSources, listPoolMetrics, listTranchePerformance } from './mark-queries.ts';

const errorsOf = (answer: { body: { errors?: { field: string; message: string }[] } }) =>
  answer.body.errors?.map(({ field, message }) => `${field} ${message}`);

test('a calculation of a deal that has paid', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await paidDeal(desk);
  const closing = await deal.run();
  const whole = await deal.flows(closing.calculation_id);

  await t.test('starts from the closing date before the first payment, and cannot start later', async () => {
    assert.deepEqual([closing.from, closing.opening], ['CUT_OFF', null]);
    for (const from of ['LATEST', 1]) {
      const refused = await deal.request({ from });
      assert.deepEqual([refused.status, refused.body.code], [422, 'ASSUMPTIONS_INVALID']);
      assert.match(errorsOf(refused)?.[0] ?? '', /^from is (LATEST|1); no report of this pool was applied/);
    }
    assert.equal((await deal.run({ as_of: '2027-01-10' })).from, 'CUT_OFF');
  });

  await deal.pay(deal.reportOf(whole, 1));
  const second = await deal.pay(deal.reportOf(whole, 2));

  await t.test('starts from the last applied report, and is the rest of what the closing date projects', async () => {
    assert.equal(second.verification.status, 'AGREES');
    const latest = await deal.run({ from: 'LATEST' });
    const paid = whole.collateral[1] as Row;
    assert.deepEqual(
      [latest.from, latest.opening, latest.as_of, latest.settlement_date],
      ['LATEST', { period: 2, payment_date: '2027-02-16', pool_balance: paid.closing }, '2027-02-16', '2027-02-16'],
    );
    const rest = await deal.flows(latest.calculation_id);
    assert.equal(rest.collateral[0]?.period, 3);
    for (const [name, rows] of [['collateral', rest.collateral], ...Object.entries<Row[]>(rest.tranches)] as [string, Row[]][]) {
      const projected: Row[] = (name === 'collateral' ? whole.collateral : whole.tranches[name])?.slice(2) ?? [];
      assert.deepEqual(
        rows.map(({ period, date }) => [period, date]),
        projected.map(({ period, date }) => [period, date]),
      );
      for (const [index, row] of rows.entries())
        for (const field of Object.keys(row).filter((each) => !['period', 'date', 'tranche', 'factor'].includes(each)))
          near(row[field], projected[index]?.[field] ?? Number.NaN, 0.021, `${name}, period ${row.period}, ${field}`);
    }
    assert.ok(latest.warnings.some((each: string) => each.includes('the closing tape after 2 months of their schedules')));
    assert.ok(latest.warnings.some((each: string) => /recoveries on loans that defaulted before .* taken as 0/.test(each)));
  });

  await t.test('says which payments before its settlement are not reported', async () => {
    const told = async (body: Record<string, unknown>): Promise<string[]> =>
      (await deal.run(body)).warnings.filter((each: string) => each.startsWith('no report of the payment'));
    assert.deepEqual(await told({ as_of: '2027-03-12' }), []);
    assert.deepEqual(await told({ from: 1 }), []);
    const [late] = await told({ as_of: '2027-03-12', settlement_date: '2027-04-15' });
    assert.match(late ?? '', /^no report of the payment on 2027-03-15, 2027-04-15 is applied: .* after settlement on 2027-04-15/);
  });

  await t.test('says where it starts, by its dates unless it is told', async () => {
    const from = async (body: Record<string, unknown>) => (await deal.run(body)).from;
    assert.deepEqual(
      [
        await from({}),
        await from({ as_of: '2027-02-15' }),
        await from({ as_of: '2027-02-16' }),
        await from({ as_of: '2027-03-01', settlement_date: '2027-03-03' }),
        await from({ as_of: '2027-03-01', settlement_date: '2026-12-15' }),
        await from({ as_of: '2027-03-01', from: 'CUT_OFF' }),
        await from({ as_of: '2027-03-01', from: 1 }),
      ],
      ['CUT_OFF', 'CUT_OFF', 'LATEST', 'LATEST', 'CUT_OFF', 'CUT_OFF', 1],
    );
    assert.deepEqual(errorsOf(await deal.request({ from: 3 })), [
      'from is 3; expected LATEST, CUT_OFF or a period from 1 to 2, the last applied report',
    ]);
    const early = { as_of: '2027-02-15', settlement_date: '2026-12-15' };
    assert.deepEqual(
      errorsOf(await deal.request({ from: 'LATEST', ...early }))?.map((each) => each.split(';')[0]),
      ['as_of is 2027-02-15', 'settlement_date is 2026-12-15'],
    );
    for (const wrong of ['NOW', 0, 1.5, '1', null])
      await assertRefused(gateway, () => deal.request({ from: wrong }), [400, 'VALIDATION_FAILED']);
  });

  await t.test(
    'tells that it starts from the closing date, where the deal has paid and the request does not say so',
    async () => {
      const told = async (body: Record<string, unknown>) =>
        (await deal.run(body)).warnings.filter((each: string) => each.includes('starts from the closing date'));
      const start =
        'it starts from the closing date, with the loans of 2026-11-30, although reports up to period 2 (paid on 2027-02-16) are applied: ';
      const end = '; "from": "LATEST" starts after them, "from": "CUT_OFF" says that the closing date is meant';
      const late = { as_of: '2027-03-01', settlement_date: '2027-01-29' };
      assert.deepEqual(await told({}), [`${start}neither from nor as_of is given${end}`]);
      assert.deepEqual(await told({ as_of: '2027-02-15' }), [
        `${start}from is not given, and as_of 2027-02-15 is before that payment${end}`,
      ]);
      assert.deepEqual(await told(late), [
        `${start}from is not given, and settlement_date 2027-01-29 is before that payment${end}`,
      ]);
      for (const silent of [{ as_of: '2026-12-31' }, { from: 'CUT_OFF' }, { from: 'CUT_OFF', ...late }, { from: 'LATEST' }])
        assert.deepEqual(await told(silent), [], JSON.stringify(silent));
      assert.deepEqual(
        closing.warnings.filter((each: string) => each.includes('closing date')),
        [],
      );
    },
  );

  await t.test('is stored under its state: the same one once, another after a restatement', async () => {
    const before = await deal.run({ from: 'LATEST' });
    assert.equal((await deal.run({ from: 'LATEST' })).calculation_id, before.calculation_id);
    assert.notEqual((await deal.run({ from: 2 })).calculation_id, before.calculation_id);
    const restated = deal.reportOf(whole, 2);
    const { prepayment = 0, closing: left = 0 } = restated.collateral;
    dataOf(
      await desk.send('POST', `${deal.pools}/remittances/${second.remittance_id}/restate`, desk.seller, {
        ...restated,
        available: undefined,
        collateral: { ...restated.collateral, prepayment: cents(prepayment - 100), closing: cents(left + 100) },
      }),
    );
    const after = await deal.run({ from: 'LATEST' });
    assert.notEqual(after.calculation_id, before.calculation_id);
    assert.equal(after.opening.pool_balance, cents(left + 100));
    assert.ok(
      after.warnings.some((each: string) => each.startsWith('the report of period 2 could not be run through the waterfall')),
      after.warnings.join('\n'),
    );
  });

  await t.test('goes on from the losses that were reported, and its mark is priced from its own cash', async () => {
    const mark = await deal.run({ type: 'PRICING', purpose: 'MARK', from: 'LATEST', yields: { 'A-1': 5.75, B: 8 } });
    dataOf(await desk.operate('POST', `calculations/${mark.calculation_id}/publish`));
    const dealId = asId('deal', deal.deal_id);
    const [pool, tranches, sources] = await gateway.deps.db.tx({ platform: true }, async (tx) => [
      (await listPoolMetrics(tx, [dealId])) ?? [],
      (await listTranchePerformance(tx, [dealId])) ?? [],
      await listMarkSources(tx, dealId),
    ]);
    const closingLoss = (closing.results[0].collateral.loss / (whole.collateral[0]?.opening ?? 0)) * 100;
    assert.deepEqual(
      pool.slice(0, 4).map(({ period, basis }) => `${period} ${basis}`),
      ['1 ACTUAL', '2 ACTUAL', '3 PROJECTED', '4 PROJECTED'],
    );
    near(pool.at(-1)?.cumulative_net_loss, closingLoss, 0.01, 'loss at the end');
    assert.ok((pool[2]?.cumulative_net_loss ?? 0) > (pool[1]?.cumulative_net_loss ?? 1));
    assert.deepEqual(
      tranches
        .filter(({ tranche }) => tranche === 'B')
        .slice(0, 3)
        .map(({ period, basis }) => `${period} ${basis}`),
      ['1 ACTUAL', '2 ACTUAL', '3 PROJECTED'],
    );
    for (const { tranche, price, yield: quoted, cash } of await readMarkCash(gateway.deps.store, sources)) {
      assert.ok(cash && quoted !== null, tranche);
      near(Number(priceAtYield(cash, quoted)), price, 2e-4, tranche);
    }
  });

  await t.test('is no matter of another organization', async () => {
    const stranger = await gateway.key('originator', 'Stranger');
    const path = `/v1/api/originator/analytics/pools/${deal.pool_id}/calculations`;
    await assertRefused(
      gateway,
      () => desk.send('POST', path, stranger, { type: 'CASHFLOW', assumptions: SPEEDS, from: 'LATEST' }),
      [404, 'NOT_FOUND'],
    );
  });
});

test('a floater of a deal that has paid', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const index_curves = { SOFR: [{ period: 1, rate: 4 }] };
  const interest = (rows: Row[], period: number) => rows.find((row) => row.period === period)?.interest_due;
  /** Interest on 100,000 at an index and a point. */
  const due = (index: number, days: number) => Math.round((100_000 * (index + 1) * days) / 360) / 100;

  await t.test('has the fixing of the period in progress, recorded or from the structure, and the curve after it', async () => {
    const deal = await paidDeal(desk, floating(1));
    const whole = await deal.flows((await deal.run({ index_curves })).calculation_id);
    await deal.pay(deal.reportOf(whole, 1, { fixings: { SOFR: 4 } }));
    const rows = async () =>
      (await deal.flows((await deal.run({ index_curves, from: 'LATEST' })).calculation_id)).tranches['A-1'] ?? [];
    assert.equal(interest(await rows(), 2), due(4, 32));
    dataOf(await desk.operate('PUT', 'fixings', { index: 'SOFR', date: '2027-01-14', rate: 5.5 }));
    const fixed = await rows();
    assert.deepEqual([interest(fixed, 2), interest(fixed, 3)], [due(5.5, 32), due(4, 27)]);
  });

  await t.test(
    'has the recorded fixing of the day on which its index is observed, whatever the structure says of it',
    async () => {
      // 5.5 is on record for 2027-01-14; the accrual begins on 2027-01-15.
      dataOf(await desk.operate('PUT', 'fixings', { index: 'SOFR', date: '2027-01-12', rate: 3 }));
      const [first, ...others] = floating(1).tranches;
      const having = async (structure: object) => {
        const deal = await paidDeal(desk, { ...floating(1), ...structure });
        const whole = await deal.flows((await deal.run({ index_curves, from: 'CUT_OFF' })).calculation_id);
        await deal.pay(deal.reportOf(whole, 1));
        const { calculation_id } = await deal.run({ index_curves, from: 'LATEST' });
        return interest((await deal.flows(calculation_id)).tranches['A-1'] ?? [], 2);
      };
      const fixings = { SOFR: [{ date: '2027-01-15', rate: 6 }] };
      assert.equal(await having({ fixings }), due(5.5, 32));
      const observed = { ...first, coupon: { ...first?.coupon, reset: { lag_days: 2 } } };
      assert.equal(await having({ tranches: [observed, ...others] }), due(3, 32));
      assert.equal(await having({ fixings, tranches: [observed, ...others] }), due(3, 32));
    },
  );

  await t.test('may follow an index whose name every object inherits', async () => {
    const [first, ...others] = floating(1).tranches;
    const coupon = { type: 'FLOATING', index: 'constructor', margin_bp: 100 };
    const deal = await paidDeal(desk, { ...floating(1), tranches: [{ ...first, coupon }, ...others] });
    const curves = { index_curves: { constructor: [{ period: 1, rate: 4 }] } };
    const whole = await deal.flows((await deal.run(curves)).calculation_id);
    await deal.pay(deal.reportOf(whole, 1, { fixings: { constructor: 4 } }));
    const latest = await deal.flows((await deal.run({ ...curves, from: 'LATEST' })).calculation_id);
    assert.equal(interest(latest.tranches['A-1'] ?? [], 2), due(4, 32));
  });

  await t.test('keeps the fixing of its last reset until the next one', async () => {
    const deal = await paidDeal(desk, floating(3));
    const whole = await deal.flows((await deal.run({ index_curves })).calculation_id);
    await deal.pay(deal.reportOf(whole, 1, { fixings: { SOFR: 4 } }));
    const moved = { SOFR: [{ period: 1, rate: 9 }] };
    const { calculation_id } = await deal.run({ index_curves: moved, from: 'LATEST' });
    const rows = (await deal.flows(calculation_id)).tranches['A-1'] ?? [];
    assert.deepEqual(
      [2, 3, 4].map((period) => interest(rows, period)),
      [due(4, 32), due(4, 27), due(9, 31)],
    );
  });
});
