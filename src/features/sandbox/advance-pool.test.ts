import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { codeOf, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool } from '../../../test/support/pools.ts';
import { reportOf } from '../../../test/support/servicing.ts';
import { takeLease } from '../../platform/compute/lease.ts';
import { applyDueRemittances } from '../remittances/apply-remittances.ts';
import { tapedDeal } from '../../../test/support/serviced-tapes.ts';
import { jobHandlers } from '../../worker.ts';

type Period = Record<string, unknown> & {
  period: number;
  basis: string;
  closing: number;
  ties: { figure: string; difference: number }[];
};

test('a pool of the sandbox runs its next periods: tapes, reports that agree, payments, and the clock after them', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk, { rows: 80 });
  await gateway.deps.jobs.work(jobHandlers(gateway.deps));
  const advance = (periods: number, as = desk.seller) =>
    desk.send('POST', `/v1/sandbox/pools/${deal.pool_id}/advance`, as, { periods });
  const first = dataOf(await advance(2));
  assert.deepEqual(
    first.periods.map(({ period, payment_date }: Record<string, unknown>) => [period, payment_date]),
    [
      [1, '2026-08-17'],
      [2, '2026-09-15'],
    ],
  );
  assert.ok(first.now > '2026-09-16', 'the reported periods lie in the past');
  const next = dataOf(await advance(1));
  assert.deepEqual([next.periods[0].period, next.periods[0].payment_date], [3, '2026-10-15']);
  const rows: Period[] = await deal.performance();
  assert.deepEqual(
    rows.map(({ period, basis }) => [period, basis]),
    [1, 2, 3].map((period) => [period, 'TAPE']),
  );
  for (const row of rows)
    assert.deepEqual(
      row.ties.filter(
        ({ figure, difference }) =>
          ['opening', 'closing', 'defaulted', 'principal_collected', 'count'].includes(figure) && difference !== 0,
      ),
      [],
      `period ${row.period}: tape and report agree`,
    );
  const reports = dataOf(await desk.send('GET', `${deal.pools}/remittances`, desk.seller));
  assert.deepEqual(
    reports.map(({ status, verification }: { status: string; verification: { status: string } }) => [
      status,
      verification.status,
    ]),
    [1, 2, 3].map(() => ['APPLIED', 'AGREES']),
  );
  for (const period of [1, 2, 3]) assert.deepEqual((await deal.read(period)).by_rule, [], `period ${period}`);
  const payments = dataOf(await desk.send('GET', '/v1/api/originator/payments', desk.seller));
  assert.ok(payments.length >= 6, 'both notes are paid in each period');
  const other = await gateway.key('originator', 'Other');
  assert.deepEqual(codeOf(await advance(1, other)), [404, 'NOT_FOUND']);
  for (const periods of [0, 13, 1.5]) assert.equal((await advance(periods)).status, 400);
});

test('a pool whose last class accrues and is written down runs its periods too: its reports say both', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk, {
    rows: 20,
    change: (structure) => {
      const [a, b, ...others] = structure.tranches as { balance: number }[];
      const owed = { ...b, balance: (b?.balance ?? 0) * 2, interest: 'ACCRUE_UNTIL', accrue_until: ['A-1'] };
      const unpaid = (structure.waterfall as { pay: string }[]).map((step) =>
        step.pay === 'PRINCIPAL' ? { ...step, amount: 0 } : step,
      );
      return { ...structure, tranches: [a, owed, ...others], waterfall: unpaid, losses: { mode: 'REVERSE_SEQUENTIAL' } };
    },
  });
  await gateway.deps.jobs.work(jobHandlers(gateway.deps));
  dataOf(await desk.send('POST', `/v1/sandbox/pools/${deal.pool_id}/advance`, desk.seller, { periods: 2 }));
  const reports: { status: string; verification: { status: string }; report: { tranches: Record<string, number>[] } }[] = dataOf(
    await desk.send('GET', `${deal.pools}/remittances`, desk.seller),
  );
  assert.deepEqual(
    reports.map(({ status, verification }) => [status, verification.status]),
    [1, 2].map(() => ['APPLIED', 'AGREES']),
  );
  for (const { report } of reports) {
    const { interest_paid, accreted = 0, write_down = 0 } = report.tranches[1] ?? {};
    assert.equal(interest_paid, 0);
    assert.ok(accreted > 0 && write_down > 0, JSON.stringify(report.tranches));
  }
});

test('a pool whose coupons follow its loans, and a trigger of late ones, runs its periods too: its reports say the rate and what is late', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk, {
    rows: 400,
    change: (structure) => {
      const [a, b, ...others] = structure.tranches as object[];
      const capped = { ...b, coupon: { type: 'FIXED', rate: 30, cap: 'NET_WAC' } };
      const late = { trigger: 'late', metric: 'DELINQUENT_30', op: 'gt', value: 0 };
      return { ...structure, tranches: [a, capped, ...others], triggers: [late] };
    },
  });
  const { wac } = dataOf(await desk.send('GET', deal.pools, desk.seller));
  await gateway.deps.jobs.work(jobHandlers(gateway.deps));
  dataOf(await desk.send('POST', `/v1/sandbox/pools/${deal.pool_id}/advance`, desk.seller, { periods: 3 }));
  const reports: {
    verification: { status: string };
    report: { rates: { NET_WAC: number }; collateral: Record<string, number> };
    triggers: { tests: { actual: number | null }[] }[];
  }[] = dataOf(await desk.send('GET', `${deal.pools}/remittances`, desk.seller)).toReversed();
  assert.deepEqual(
    reports.map(({ verification }) => verification.status),
    [1, 2, 3].map(() => 'AGREES'),
  );
  assert.ok(
    Math.abs((reports[0]?.report.rates.NET_WAC ?? 0) - (wac - 1)) < 0.001,
    'the rate of the loans less the servicing fee of 1 %',
  );
  const months: Record<'delinquent_30' | 'delinquent_60' | 'delinquent_90' | 'delinquent_120' | 'closing', number>[] =
    await deal.performance();
  for (const [place, month] of months.entries()) {
    const { closing, delinquent_30, delinquent_60, delinquent_90, delinquent_120 } = month;
    const onTape = { delinquent_30, delinquent_60, delinquent_90: delinquent_90 + delinquent_120 };
    for (const [bucket, percent] of Object.entries(onTape)) {
      const reported = reports[place]?.report.collateral[`${bucket}_amount`] ?? 0;
      assert.ok(
        Math.abs((100 * reported) / closing - percent) < 0.001,
        `${bucket} of period ${place + 1}: ${reported}, ${percent} %`,
      );
    }
  }
  assert.ok(
    months.some((month) => month.delinquent_30 + month.delinquent_60 + month.delinquent_90 + month.delinquent_120 > 0),
    'some loan is late',
  );
  assert.ok(
    reports.every(({ triggers }) => typeof triggers[0]?.tests[0]?.actual === 'number'),
    'the trigger has its figure',
  );
});

test('a period is not run where an index has no fixing, which is told', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk, {
    rows: 20,
    change: (structure) => {
      const [a, ...others] = structure.tranches as object[];
      return { ...structure, tranches: [{ ...a, coupon: { type: 'FLOATING', index: 'SOFR', margin_bp: 100 } }, ...others] };
    },
  });
  await gateway.deps.jobs.work(jobHandlers(gateway.deps));
  const answer = await desk.send('POST', `/v1/sandbox/pools/${deal.pool_id}/advance`, desk.seller, { periods: 1 });
  assert.deepEqual(codeOf(answer), [409, 'CONFLICT']);
  assert.match(String(answer.body.message), /the report lacks fixings\.SOFR$/);
});

test('advances of one pool at once run each period once, and those that lose are told of the advance', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk, { rows: 20 });
  await gateway.deps.jobs.work(jobHandlers(gateway.deps));
  const advance = () => desk.send('POST', `/v1/sandbox/pools/${deal.pool_id}/advance`, desk.seller, { periods: 1 });
  const isTold = (answer: Awaited<ReturnType<typeof advance>>) => {
    assert.deepEqual(codeOf(answer), [409, 'CONFLICT']);
    assert.match(String(answer.body.message), /^Another advance of this pool, or its servicer, is at the same period: /);
  };
  const answers = await Promise.all([advance(), advance(), advance(), advance()]);
  const ran = answers.flatMap(({ status, body }) => (status === 200 ? body.data.periods : []));
  answers.filter(({ status }) => status !== 200).forEach(isTold);
  // One that begins after another has ended runs the next period.
  assert.deepEqual(
    ran.map(({ period }: Period) => period).sort(),
    (await deal.performance()).map(({ period }: Period) => period),
  );
  assert.ok(ran.length > 0);
  const lease = await takeLease(gateway.deps.limits, `advance of ${deal.pool_id}`);
  isTold(await advance());
  assert.equal((await deal.performance()).length, ran.length);
  await lease?.[Symbol.asyncDispose]();
  assert.equal((await advance()).status, 200);
});

test('a period that was reported without a tape is where the next one begins', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  const report = reportOf({ pool: deal.balance, a: deal.a, b: deal.b }, [{ principal: 40_000 }]);
  dataOf(await desk.send('POST', `${deal.pools}/remittances`, desk.seller, { ...report, payment_date: '2026-08-17' }));
  await gateway.setClock('2026-08-17T20:00:00Z');
  await applyDueRemittances(gateway.deps.db);
  await gateway.deps.jobs.work(jobHandlers(gateway.deps));
  const { periods } = dataOf(await desk.send('POST', `/v1/sandbox/pools/${deal.pool_id}/advance`, desk.seller, { periods: 1 }));
  assert.equal(periods[0].period, 2);
  const rows: Period[] = await deal.performance();
  assert.deepEqual(
    rows.map(({ period, basis }) => [period, basis]),
    [
      [1, 'CERTIFICATE'],
      [2, 'TAPE'],
    ],
  );
  assert.equal(rows[1]?.ties.find(({ figure }) => figure === 'closing')?.difference, 0);
  assert.ok((rows[1]?.closing ?? 0) < deal.balance - 40_000);
});

test('a period whose report and tape differ is followed by one that begins where the report ended', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  await deal.month(1);
  const report = reportOf({ pool: deal.balance, a: deal.a, b: deal.b }, [{ principal: 40_000 }]);
  dataOf(await desk.send('POST', `${deal.pools}/remittances`, desk.seller, { ...report, payment_date: '2026-08-17' }));
  await gateway.setClock('2026-08-17T20:00:00Z');
  await applyDueRemittances(gateway.deps.db);
  await gateway.deps.jobs.work(jobHandlers(gateway.deps));
  const rows = async (): Promise<Period[]> => deal.performance();
  const differing = (await rows())[0]?.ties.find(({ figure }) => figure === 'closing');
  assert.notEqual(differing?.difference, 0);
  const { periods } = dataOf(await desk.send('POST', `/v1/sandbox/pools/${deal.pool_id}/advance`, desk.seller, { periods: 2 }));
  assert.deepEqual(
    periods.map(({ period }: Period) => period),
    [2, 3],
  );
  for (const { period, ties } of (await rows()).slice(1))
    assert.equal(ties.find(({ figure }) => figure === 'closing')?.difference, 0, `period ${period}`);
});

test('a tape and a report that the owner has sent of the next period are those of the period', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  await deal.month(1);
  const tape = await deal.read(1);
  const report = reportOf({ pool: deal.balance, a: deal.a, b: deal.b }, [{ principal: 40_000 }]);
  const own = { ...report, payment_date: '2026-08-17' };
  const { remittance_id } = dataOf(await desk.send('POST', `${deal.pools}/remittances`, desk.seller, own));
  await gateway.deps.jobs.work(jobHandlers(gateway.deps));
  const { periods } = dataOf(await desk.send('POST', `/v1/sandbox/pools/${deal.pool_id}/advance`, desk.seller, { periods: 2 }));
  assert.deepEqual(
    periods.map(({ period, payment_date }: Period) => [period, payment_date]),
    [
      [1, '2026-08-17'],
      [2, '2026-09-15'],
    ],
  );
  assert.equal(periods[0].closing, deal.balance - 40_000);
  const kept = dataOf(await desk.send('GET', `${deal.pools}/remittances/${remittance_id}`, desk.seller));
  assert.deepEqual([kept.status, kept.report.collateral.scheduled_principal], ['APPLIED', 40_000]);
  assert.deepEqual([(await deal.read(1)).version, (await deal.read(1)).sha256], [tape.version, tape.sha256]);
});

test('a pool that was not issued has no periods to run', async () => {
  await using gateway = await startGateway();
  const { seller, operator, send } = await openDesk(gateway);
  const formed = dataOf(await formPool(gateway, seller, [await approvedDeal(gateway, seller, operator, { rows: 20 })]));
  const advance = () => send('POST', `/v1/sandbox/pools/${formed.pool_id}/advance`, seller, { periods: 1 });
  assert.deepEqual(codeOf(await advance()), [409, 'INVALID_TRANSITION']);
});
