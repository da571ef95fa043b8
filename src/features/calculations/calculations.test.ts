import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Answer, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool, issuedDeal, structuredPool, structureOver } from '../../../test/support/pools.ts';
import type { Tx } from '../../platform/db/database.ts';
import { WorkerStopping } from '../../platform/jobs/stopping.ts';
import { housekeeping } from '../../worker.ts';
import { completeCalculation, failCalculation, startCalculation } from './calculation.ts';
import type { StartedCalculation } from './queries.ts';
import { listPoolMetrics, listTranchePerformance } from './mark-queries.ts';
import { runCalculation } from './run-calculation.ts';
import { asId } from '../../platform/ids.ts';

const codes = (answer: Answer) => [answer.status, answer.body.code];
const PRICING = { type: 'PRICING', purpose: 'MARK', assumptions: { cpr: 6, cdr: 1.5, severity: 45, recovery_lag_months: 6 } };

type Row = Record<string, number>;
const cents = (amount: number | undefined) => Math.round((amount ?? 0) * 100);

test('calculations', async (t) => {
  await using gateway = await startGateway();
  const [ours, theirs, operator] = [
    await gateway.key('originator', 'Ours'),
    await gateway.key('originator', 'Theirs'),
    await gateway.key('operator', 'Platform'),
  ];
  const pool = await structuredPool(gateway, ours, operator, 80);
  const base = `/v1/api/originator/analytics/pools/${pool.pool_id}`;
  const ask = (body: unknown, as = ours) => gateway.call('POST', `${base}/calculations`, { as, body });
  const get = (path: string, as = ours) => gateway.call('GET', `${base}${path}`, { as });
  let calculationId = '';

  await t.test('a calculation is queued, then told with its lineage', async () => {
    const asked = await ask({ ...PRICING, scenarios: [{ scenario: 'base' }, { scenario: 'stress', cdr: 8, call: false }] });
    assert.deepEqual([asked.status, asked.body.data.status], [202, 'PENDING']);
    calculationId = asked.body.data.calculation_id;
    const pending = (await get(`/calculations/${calculationId}`)).body.data;
    assert.deepEqual([pending.status, pending.results, pending.tape_versions], ['PENDING', null, pool.tape_versions]);
    assert.deepEqual(codes(await get(`/calculations/${calculationId}/cashflows`)), [409, 'CONFLICT']);
    await gateway.runJobs();
    const { body } = await get(`/calculations/${calculationId}`);
    const { status, engine_version, as_of, granularity, tape_versions, assumptions, results, error } = body.data;
    assert.deepEqual([status, error, as_of, granularity], ['COMPLETED', null, '2026-11-30', 'LOAN']);
    assert.deepEqual([tape_versions, assumptions.cpr, typeof engine_version], [pool.tape_versions, 6, 'string']);
    assert.deepEqual(
      results.map((each: { scenario: string }) => each.scenario),
      ['base', 'stress'],
    );
    const [senior, junior, residual] = results[0].tranches;
    assert.equal(senior.price, 100);
    // A note at par yields its coupon: 5 % a month is 5.0523 % bond equivalent, less what the payment delay takes.
    assert.ok(Math.abs(senior.yield - 5.05) < 0.15, String(senior.yield));
    assert.deepEqual([residual.price, residual.yield, residual.modified_duration], [null, null, null]);
    assert.ok(junior.wal > senior.wal);
    assert.equal(
      cents(senior.principal + junior.principal),
      cents(pool.structure.tranches[0].balance + pool.structure.tranches[1].balance),
    );
  });

  await t.test('equal inputs have one stored calculation, other inputs another', async () => {
    const again = await ask({ ...PRICING, scenarios: [{ scenario: 'base' }, { scenario: 'stress', call: false, cdr: 8 }] });
    assert.deepEqual(again.body.data, { calculation_id: calculationId, status: 'COMPLETED' });
    const other = await ask({ ...PRICING, as_of: '2026-12-01' });
    assert.notEqual(other.body.data.calculation_id, calculationId);
    const list = await get('/calculations');
    assert.deepEqual([list.body.pagination.total, list.body.data[1].calculation_id], [2, calculationId]);
    await gateway.runJobs();
  });

  await t.test('every row of the cash flows ties, and their sums are the result', async () => {
    const result = (await get(`/calculations/${calculationId}`)).body.data.results[0];
    const collateral: Row[] = (await get(`/calculations/${calculationId}/cashflows?tranche=collateral`)).body.data;
    for (const row of collateral) {
      const { opening, scheduled_principal, prepayment, closing } = row;
      assert.equal(cents(opening) - cents(scheduled_principal) - cents(prepayment) - cents(row.default), cents(closing));
    }
    assert.equal(cents(collateral[0]?.opening), cents(pool.balance));
    const rows: Row[] = (await get(`/calculations/${calculationId}/cashflows?tranche=A-1`)).body.data;
    for (const { opening, principal, write_down, closing } of rows) {
      assert.equal(cents(opening) - cents(principal) - cents(write_down), cents(closing));
    }
    const paid = rows.reduce((sum, row) => sum + cents(row.principal), 0);
    assert.equal(paid, cents(result.tranches[0].principal));
    const all: Row[] = (await get(`/calculations/${calculationId}/cashflows?scenario=stress`)).body.data;
    assert.deepEqual([...new Set(all.map((row) => row.tranche))], ['A-1', 'B', 'R']);
  });

  await t.test('cash flows come as CSV; unknown tranches, scenarios and periods are absent', async () => {
    const csv = await get(`/calculations/${calculationId}/cashflows?tranche=B&format=csv`);
    const [header, first] = (csv.body as unknown as { text: string }).text.split('\r\n');
    assert.equal(
      header,
      'tranche,period,date,opening,interest_due,interest_paid,interest_shortfall,accreted,principal,write_down,closing,factor',
    );
    assert.match(first ?? '', /^B,1,2027-01-15,\d+\.\d\d,/);
    assert.equal(csv.headers['x-calculation-id'], calculationId);
    for (const query of ['tranche=Q', 'scenario=nope', 'tranche=constructor']) {
      assert.deepEqual(codes(await get(`/calculations/${calculationId}/cashflows?${query}`)), [404, 'NOT_FOUND'], query);
    }
    assert.equal((await get(`/calculations/${calculationId}/trace?period=900`)).status, 404);
    assert.equal((await get('/calculations/calc_nope')).status, 404);
  });

  await t.test('the trace spends all that was collected', async () => {
    const [period] = (await get(`/calculations/${calculationId}/trace?period=1`)).body.data;
    const [fee, interest] = period.steps;
    assert.deepEqual([fee.pay, fee.step, interest.available], ['FEE', 1, Math.round((fee.available - fee.paid) * 100) / 100]);
    const paid = period.steps.reduce(
      (sum: number, step: { paid: number; drawn: number }) => sum + cents(step.paid) - cents(step.drawn),
      0,
    );
    const released = cents(pool.structure.accounts[0].initial) - cents(period.accounts[0].closing);
    assert.ok(Math.abs(paid - released - cents(period.interest_collected) - cents(period.principal_collected)) <= 2);
    assert.equal(period.triggers[0].trigger, 'cnl');
  });

  await t.test('assets stand beside liabilities with the mismatch of their lives', async () => {
    const { body } = await get(`/asset-liability?calculation_id=${calculationId}`);
    const { rows, collateral_wal, notes_wal, wal_mismatch } = body.data;
    assert.equal(Math.round((collateral_wal - notes_wal - wal_mismatch) * 1e6), 0);
    assert.equal(cents(rows[0].over_collateralization), cents(rows[0].collateral_balance) - cents(rows[0].note_balance));
    assert.equal((await get('/asset-liability')).status, 200);
    assert.equal((await get('/asset-liability?calculation_id=calc_nope')).status, 404);
  });

  await t.test('faults of a request are named with their path', async () => {
    const two = await ask({ type: 'CASHFLOW', assumptions: { cpr: 5, psa: 100 } });
    assert.deepEqual(codes(two), [422, 'ASSUMPTIONS_INVALID']);
    assert.ok(two.body.errors?.[0].field.startsWith('assumptions'));
    assert.equal((await ask({ type: 'CASHFLOW', scenarios: [] })).status, 400);
    assert.equal((await ask({ type: 'GUESS' })).status, 400);
    assert.deepEqual(codes(await ask(PRICING, theirs)), [404, 'NOT_FOUND']);
    assert.equal((await get(`/calculations/${calculationId}`, theirs)).status, 404);
    const floating = structureOver(pool.balance) as { tranches: { coupon?: unknown }[] };
    (floating.tranches[1] as { coupon: unknown }).coupon = { type: 'FLOATING', index: 'SOFR', margin_bp: 200 };
    await gateway.call('PUT', `/v1/api/originator/pools/${pool.pool_id}/structure`, { as: ours, body: floating });
    const curve = await ask(PRICING);
    assert.deepEqual([...codes(curve), curve.body.errors?.[0].field], [422, 'CURVE_MISSING', 'index_curves.SOFR']);
    await gateway.call('PUT', `/v1/api/originator/pools/${pool.pool_id}/structure`, {
      as: ours,
      body: structureOver(pool.balance),
    });
  });

  await t.test('run again, the same inputs give the same bytes', async () => {
    const stored = () =>
      gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.one<Record<string, string>>(
          'select result::text as result, projection::text as projection, details_key from calculations where calculation_id = $1',
          [calculationId],
        ),
      );
    const first = await stored();
    await gateway.deps.db.tx({ platform: true }, async (tx) => {
      await tx.exec(
        `update calculations set status = 'RUNNING', run = 1, result = null, projection = null where calculation_id = $1`,
        [calculationId],
      );
      await gateway.deps.jobs.enqueue(tx, 'run-calculation', {
        organization_id: ours.organization_id,
        calculation_id: calculationId,
      });
    });
    await gateway.runJobs();
    const second = await stored();
    assert.deepEqual([second?.result, second?.projection], [first?.result, first?.projection]);
    assert.notEqual(second?.details_key, first?.details_key);
    const rows = await Promise.all([first, second].map((each) => gateway.deps.store.localPath(`${each?.details_key}/0.json`)));
    assert.deepEqual(readFileSync(rows[0] ?? ''), readFileSync(rows[1] ?? ''));
  });

  await t.test('a run that was taken over leaves nothing', async () => {
    const { calculation_id } = (await ask({ type: 'CASHFLOW', as_of: '2026-12-03' })).body.data;
    const inOurs = <Result>(work: (tx: Tx) => Promise<Result>) =>
      gateway.deps.db.tx({ organization: ours.organization_id }, work);
    const start = () => inOurs((tx) => startCalculation(tx, ours.organization_id, calculation_id));
    const [stalled, next] = [await start(), await start()] as StartedCalculation[];
    const outcome = { result: '{}', projection: 'null', details_key: 'nowhere' };
    assert.equal(await inOurs((tx) => completeCalculation(tx, stalled as StartedCalculation, outcome)), null);
    await inOurs((tx) => failCalculation(tx, stalled as StartedCalculation, { code: 'X', message: 'too late' }));
    assert.equal((await get(`/calculations/${calculation_id}`)).body.data.status, 'RUNNING');
    await inOurs((tx) => failCalculation(tx, next as StartedCalculation, { code: 'X', message: 'in time' }));
    assert.equal((await get(`/calculations/${calculation_id}`)).body.data.error, 'in time');
  });

  await t.test(
    'a calculation whose processes were killed three times is given up with a sentence, and may be requested again',
    async () => {
      const { calculation_id } = (await ask({ type: 'CASHFLOW', as_of: '2026-12-02' })).body.data;
      const killed = () =>
        gateway.deps.db.tx({ platform: true }, (tx) =>
          tx.exec(
            `update calculations set status = 'RUNNING', run = run + 1, attempts = attempts + 1 where calculation_id = $1`,
            [calculation_id],
          ),
        );
      for (let times = 0; times < 3; times += 1) await killed();
      await gateway.runJobs();
      const failed = (await get(`/calculations/${calculation_id}`)).body.data;
      assert.equal(failed.status, 'FAILED');
      assert.equal(failed.error_code, 'CALCULATION_INTERRUPTED');
      assert.match(failed.error, /interrupted 3 times/);
      const again = (await ask({ type: 'CASHFLOW', as_of: '2026-12-02' })).body.data;
      assert.notEqual(again.calculation_id, calculation_id);
      await gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.exec(`update calculations set status = 'RUNNING', run = 2, attempts = 2 where calculation_id = $1`, [
          again.calculation_id,
        ]),
      );
      await gateway.runJobs();
      assert.equal((await get(`/calculations/${again.calculation_id}`)).body.data.status, 'COMPLETED', 'killed twice: run again');
    },
  );

  await t.test(
    'a calculation that fails says so in a fixed sentence with a code, and nothing of what went wrong inside',
    async () => {
      const { calculation_id } = (await ask({ type: 'CASHFLOW', as_of: '2026-12-04' })).body.data;
      const job = { organization_id: ours.organization_id, calculation_id };
      const broken = async (): Promise<string> => {
        throw new Error(`IO Error: Cannot open file "/srv/work/loans.parquet"`);
      };
      const deps = { ...gateway.deps, store: { ...gateway.deps.store, localPath: broken } };
      const going = new AbortController().signal;
      await assert.rejects(runCalculation(deps, job, going));
      await assert.rejects(runCalculation(deps, job, going));
      await runCalculation(deps, job, going);
      const failed = (await get(`/calculations/${calculation_id}`)).body.data;
      assert.deepEqual([failed.status, failed.error_code], ['FAILED', 'CALCULATION_FAILED']);
      assert.equal(failed.error, 'Something went wrong on our side. Quote the calculation id to the operator.');
    },
  );

  await t.test('a calculation whose worker stops, or whose job is lost, goes on with all its attempts', async () => {
    const { calculation_id } = (await ask({ type: 'CASHFLOW', as_of: '2026-12-05' })).body.data;
    const stopping = new AbortController();
    stopping.abort(new WorkerStopping());
    const job = { organization_id: ours.organization_id, calculation_id };
    for (let times = 0; times < 5; times += 1) await assert.rejects(runCalculation(gateway.deps, job, stopping.signal));
    assert.equal((await get(`/calculations/${calculation_id}`)).body.data.status, 'RUNNING');
    await gateway.deps.db.direct('delete from pgboss.job');
    await housekeeping(gateway.deps);
    await gateway.runJobs();
    assert.equal((await get(`/calculations/${calculation_id}`)).body.data.status, 'COMPLETED');
  });

  await t.test('break-evens, replines and risk answer with their own figures', async () => {
    const asked = [
      { type: 'BREAKEVEN', granularity: 'REPLINE', assumptions: { severity: 50, recovery_lag_months: 3 } },
      {
        type: 'RISK',
        granularity: 'REPLINE',
        assumptions: { cdr: 4, severity: 50 },
        risk: { paths: 50, seed: 7, factors: { cdr: { sigma: 0.5 } } },
      },
    ];
    const ids: string[] = [];
    for (const body of asked) ids.push((await ask(body)).body.data.calculation_id);
    await gateway.runJobs();
    const [breakEven, risk] = await Promise.all(ids.map(async (each) => (await get(`/calculations/${each}`)).body.data));
    assert.deepEqual([breakEven.status, breakEven.granularity, risk.status], ['COMPLETED', 'REPLINE', 'COMPLETED']);
    const [senior, junior] = breakEven.results[0].tranches;
    assert.ok(senior.break_even_cdr > junior.break_even_cdr);
    assert.deepEqual([risk.results[0].risk.seed, risk.results[0].risk.paths], [7, 50]);
    assert.ok(risk.results[0].risk.collateral.mean > 0);
  });

  await t.test('a mark is published by the operator, once the pool is issued, and is what books show', async () => {
    const put = (await ask(PRICING)).body.data;
    await gateway.runJobs();
    const publish = (id: string) => gateway.call('POST', `/v1/operator/calculations/${id}/publish`, { as: operator });
    assert.deepEqual(codes(await publish(put.calculation_id)), [409, 'CONFLICT']);
    const dealId = await issuedDeal(gateway, ours, operator, pool.pool_id);
    const published = await publish(put.calculation_id);
    assert.deepEqual([published.status, published.body.data.deal_id, published.body.data.marks.length], [200, dealId, 2]);
    const whatIf = (await ask({ type: 'PRICING', assumptions: { cpr: 20 } })).body.data;
    await gateway.runJobs();
    assert.deepEqual(codes(await publish(whatIf.calculation_id)), [422, 'UNPROCESSABLE']);
    assert.deepEqual(codes(await publish('calc_nope')), [404, 'NOT_FOUND']);
    const investor = await gateway.key('investor', 'Buyer');
    const deal = (await gateway.call('GET', `/v1/api/investor/deals/${dealId}`, { as: investor })).body.data;
    const [mark] = published.body.data.marks;
    assert.deepEqual([deal.tranches[0].price, deal.tranches[0].wal], [mark.price, mark.wal]);
  });

  await t.test('reports of servicers replace what was projected, and performance names its calculation', async () => {
    const [deal] = (await gateway.call('GET', '/v1/operator/pools', { as: operator })).body.data;
    const read = () =>
      gateway.deps.db.tx({ platform: true }, async (tx) => ({
        tranches: (await listTranchePerformance(tx, [deal.deal_id])) ?? [],
        pool: (await listPoolMetrics(tx, [deal.deal_id])) ?? [],
        none: await listPoolMetrics(tx, [asId('deal', 'deal_nope')]),
      }));
    const before = await read();
    assert.equal(before.none, null);
    assert.ok(before.pool.every((row) => row.basis === 'PROJECTED' && row.calculation_id.startsWith('calc_')));
    assert.ok(Math.abs((before.pool[0]?.cpr ?? 0) - 6) < 0.01, String(before.pool[0]?.cpr));
    assert.ok(Math.abs((before.pool[0]?.cdr ?? 0) - 1.5) < 0.01, String(before.pool[0]?.cdr));
    // Loans default alike, so what pays in the first period has the pool's coupon.
    assert.ok(Math.abs((before.pool[0]?.wac ?? 0) - pool.wac) < 0.001, `${before.pool[0]?.wac} is not ${pool.wac}`);
    const [mark] = (await get('/calculations?purpose=MARK')).body.data;
    assert.ok(mark);
    const flows = (tranche: string) => get(`/calculations/${before.pool[0]?.calculation_id}/cashflows?tranche=${tranche}`);
    const [collateral] = (await flows('collateral')).body.data;
    const rows = await Promise.all(['A-1', 'B'].map(async (tranche) => (await flows(tranche)).body.data[0]));
    const report = {
      period: 1,
      payment_date: collateral.date,
      collateral: { ...collateral, delinquent_60: 2.5, loan_count: 79 },
      tranches: rows,
    };
    const reported = await gateway.call('POST', `/v1/api/originator/pools/${pool.pool_id}/remittances`, {
      as: ours,
      body: report,
    });
    assert.deepEqual([reported.status, reported.body.data?.basis], [201, 'ACTUAL'], JSON.stringify(reported.body));
    const after = await read();
    assert.deepEqual([after.pool[0]?.basis, after.pool[0]?.delinquent_60, after.pool[0]?.loan_count], ['ACTUAL', 2.5, 79]);
    assert.deepEqual([after.pool[1]?.basis, after.pool[1]?.period, after.pool.length], ['PROJECTED', 2, before.pool.length]);
    const losses = after.pool.map((row) => row.cumulative_net_loss);
    assert.ok((losses[0] ?? 0) > 0);
    assert.deepEqual(
      losses,
      losses.toSorted((one, other) => one - other),
      'cumulative losses never fall',
    );
    assert.deepEqual(
      after.tranches.filter((row) => row.basis === 'ACTUAL').map((row) => [row.tranche, row.balance]),
      rows.map((row) => [row.tranche, row.closing]),
    );
  });
});

test('loans that a tape calls interest-only pay no principal until the tape’s month, and then pay down', async () => {
  await using gateway = await startGateway();
  const ours = await gateway.key('originator', 'Ours');
  const operator = await gateway.key('operator', 'Platform');
  const loans = Array.from(
    { length: 20 },
    (_, at) => `M${at},300000,300000,6.5,360,2026-09-01,IO,24,${at % 2 ? '' : '2036-12-01'}`,
  );
  const header =
    'loan_id,original_balance,current_balance,interest_rate,remaining_term_months,origination_date,amortization_type,interest_only_months,balloon_date';
  const dealId = await approvedDeal(gateway, ours, operator, {
    loanType: 'Mortgage',
    bytes: `${header}\n${loans.join('\n')}\n`,
  });
  const { pool_id } = (await formPool(gateway, ours, [dealId])).body.data;
  const put = await gateway.call('PUT', `/v1/api/originator/pools/${pool_id}/structure`, {
    as: ours,
    body: structureOver(6_000_000),
  });
  assert.equal(put.status, 200, JSON.stringify(put.body));
  const base = `/v1/api/originator/analytics/pools/${pool_id}/calculations`;
  const asked = await gateway.call('POST', base, { as: ours, body: { type: 'CASHFLOW' } });
  await gateway.runJobs();
  const path = `${base}/${asked.body.data.calculation_id}/cashflows?tranche=collateral`;
  const rows = (await gateway.call('GET', path, { as: ours })).body.data as Row[];
  assert.deepEqual(
    rows.slice(0, 24).map((row) => row.scheduled_principal),
    Array(24).fill(0),
  );
  assert.ok((rows[24]?.scheduled_principal ?? 0) > 0);
  // Half of the loans are due on 2036-12-01, in the 121st month: what they have not paid down by then.
  assert.ok((rows[120]?.scheduled_principal ?? 0) > 2_000_000, String(rows[120]?.scheduled_principal));
});
