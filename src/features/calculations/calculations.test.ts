import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyst, PRICING } from '../../../test/support/calculations.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { CALCULATION_TYPES } from '../../finance/structure/request.ts';
import { MEASURES } from '../../finance/structure/tranche-measures.ts';
import { approvedDeal, formPool, structureOver } from '../../../test/support/pools.ts';

const TWO_SCENARIOS = { ...PRICING, scenarios: [{ scenario: 'base' }, { scenario: 'stress', cdr: 8, call: false }] };

type FlowRow = Record<string, number>;
const cents = (amount: number | undefined) => Math.round((amount ?? 0) * 100);
const sumOf = (rows: readonly FlowRow[], name: string) => rows.reduce((sum, row) => sum + cents(row[name]), 0);

test('calculations', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  let analysts = 0;
  const newAnalyst = (rows?: number) => analyst(gateway, operator, `Analyst ${(analysts += 1)}`, rows);

  await t.test('are of every type that the API takes, a table of prices among them', async () => {
    const { run, read } = await newAnalyst();
    const more: Record<string, object> = {
      PRICE_TABLE: { tranche: 'A-1', prices: [99, 101] },
      RISK: { risk: { paths: 10, factors: { cdr: { sigma: 0.2 } } } },
    };
    for (const type of CALCULATION_TYPES) {
      const calculation = await read(await run({ type, assumptions: { cpr: 6, cdr: 2, severity: 40 }, ...more[type] }));
      assert.deepEqual([calculation.type, calculation.status], [type, 'COMPLETED'], calculation.error);
      assert.equal(calculation.rows?.length, type === 'PRICE_TABLE' ? 2 : undefined);
      if (type === 'PRICE_TABLE') assert.ok(calculation.rows[0].cells[0].yield > calculation.rows[1].cells[0].yield);
    }
  });

  await t.test('a calculation is queued, then has its results with their lineage', async () => {
    const { pool, get, request, read } = await newAnalyst(80);
    const requested = await request(TWO_SCENARIOS);
    const { calculation_id } = requested.body.data;
    assert.deepEqual([requested.status, requested.body.data.status], [202, 'PENDING']);
    const pending = await read(calculation_id);
    assert.deepEqual([pending.status, pending.results, pending.tape_versions], ['PENDING', null, pool.tape_versions]);
    for (const path of ['cashflows', 'trace']) {
      const early = await get(`/calculations/${calculation_id}/${path}`);
      assert.deepEqual([...codeOf(early), early.body.current_status], [409, 'CONFLICT', 'PENDING']);
    }
    await gateway.runJobs();
    const { status, engine_version, as_of, granularity, tape_versions, assumptions, results, error } = await read(calculation_id);
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
    assert.ok(Math.abs(senior.effective_duration - senior.modified_duration) < 1e-3);
    assert.deepEqual([senior.discount_margin_bp, senior.z_spread_bp], [null, null]);
    assert.deepEqual(
      senior.unavailable.map((each: { field: string; code: string }) => [each.field, each.code]),
      [
        ['discount_margin_bp', 'NOT_FLOATING'],
        ['z_spread_bp', 'NO_CURVE'],
      ],
    );
    assert.equal(
      cents(senior.principal + junior.principal),
      cents(pool.structure.tranches[0].balance + pool.structure.tranches[1].balance),
    );
  });

  await t.test('a result of an engine that knew fewer measures and assumptions is read as it was stored', async () => {
    const { run, read } = await newAnalyst();
    const id = await run({ ...PRICING, type: 'BREAKEVEN' });
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(
        `update calculations c set result = jsonb_set(c.result::jsonb #- '{assumptions,late_defaults}', '{results}',
           (select jsonb_agg(jsonb_set(r, '{tranches}', (select jsonb_agg(t - $2::text[]) from jsonb_array_elements(r->'tranches') t)))
            from jsonb_array_elements(c.result::jsonb->'results') r))
         where calculation_id = $1`,
        [id, [...MEASURES, 'unavailable', 'first_loss_cdr', 'highest_safe_cdr', 'monotone']],
      ),
    );
    const { status, results, assumptions } = await read(id);
    const [senior] = results[0].tranches;
    assert.deepEqual([status, senior.price, 'monotone' in senior, 'unavailable' in senior], ['COMPLETED', 100, false, false]);
    assert.equal('late_defaults' in assumptions, false);
    assert.equal(typeof senior.break_even_cdr, 'number');
  });

  await t.test('a calculation has the same fields before and after its run, and a list has no results', async () => {
    const { get, queue, read } = await newAnalyst();
    const id = await queue();
    const before = await read(id);
    await gateway.runJobs();
    const after = await read(id);
    assert.deepEqual(Object.keys(before).sort(), Object.keys(after).sort());
    const [row] = (await get('/calculations')).body.data;
    const {
      engine_version: _engine,
      settlement_date: _settlement,
      cut_off_date: _cutOff,
      assumptions: _assumptions,
      results: _results,
      warnings: _warnings,
      ...listed
    } = after;
    assert.deepEqual(row, listed);
    assert.deepEqual([before.completed_at, typeof after.completed_at], [null, 'string']);
  });

  await t.test('equal inputs have one stored calculation, other inputs another', async () => {
    const { get, request, run } = await newAnalyst();
    const id = await run(TWO_SCENARIOS);
    const again = await request({ ...PRICING, scenarios: [{ scenario: 'base' }, { scenario: 'stress', call: false, cdr: 8 }] });
    assert.deepEqual([again.body.data.calculation_id, again.body.data.status], [id, 'COMPLETED']);
    const others = [
      { ...TWO_SCENARIOS, as_of: '2026-12-01' },
      { ...TWO_SCENARIOS, purpose: 'ANALYSIS' },
      { ...TWO_SCENARIOS, use_scheduled_payment: true },
      PRICING,
    ];
    const idsOf = async () => {
      const ids: string[] = [];
      for (const other of others) ids.push((await request(other)).body.data.calculation_id);
      return ids;
    };
    const ids = await idsOf();
    assert.equal(new Set([id, ...ids]).size, 5);
    assert.deepEqual(await idsOf(), ids, 'asked again, each has its own');
    assert.equal((await get('/calculations')).body.pagination.total, 5);
    await gateway.runJobs();
  });

  await t.test(
    'a misspelt word anywhere in a request is refused with its path and what was meant, and nothing is queued',
    async () => {
      const { get, request } = await newAnalyst();
      const misspelt: [object, string, string][] = [
        [{ assumptions: { cdrr: 5 } }, 'assumptions.cdrr', 'cdr'],
        [{ scenarios: [{ scenario: 'base' }, { scenario: 'stress', severty: 60 }] }, 'scenarios[1].severty', 'severity'],
        [{ settlement_dat: '2026-12-20' }, 'settlement_dat', 'settlement_date'],
        [{ benchmark_curve: { points: [{ years: 1, rate: 4, yers: 2 }] } }, 'benchmark_curve.points[0].yers', 'years'],
        [{ index_curves: { SOFR: [{ period: 1, rate: 4, raet: 1 }] } }, 'index_curves.SOFR[0].raet', 'rate'],
        [{ type: 'RISK', risk: { seeed: 1 } }, 'risk.seeed', 'seed'],
      ];
      for (const [more, field, nearest] of misspelt) {
        const refused = await request({ type: 'CASHFLOW', ...more });
        assert.deepEqual(codeOf(refused), [422, 'UNKNOWN_FIELD'], field);
        assert.deepEqual([refused.body.errors?.[0].field, refused.body.errors?.[0].nearest], [field, nearest]);
      }
      assert.equal((await get('/calculations')).body.pagination.total, 0);
    },
  );

  await t.test('another structure makes another calculation of the same request', async () => {
    const { ours, pool, run, read } = await newAnalyst();
    const first = await run();
    const path = `/v1/api/originator/pools/${pool.pool_id}/structure`;
    await gateway.call('PUT', path, { as: ours, body: structureOver(pool.balance, { triggers: [] }) });
    const second = await run();
    assert.notEqual(second, first);
    assert.deepEqual([(await read(first)).structure_version, (await read(second)).structure_version], [1, 2]);
  });

  await t.test('a request sent many times at once is one calculation', async () => {
    const { get, request } = await newAnalyst();
    const answers = await Promise.all(Array.from({ length: 10 }, () => request({ type: 'CASHFLOW' })));
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [202]);
    assert.equal(new Set(answers.map((answer) => answer.body.data.calculation_id)).size, 1);
    assert.equal((await get('/calculations')).body.pagination.total, 1);
    assert.equal(await gateway.runJobs(), 1, 'it runs once');
  });

  await t.test('calculations are listed newest first, by status, type and purpose', async () => {
    const { get, run, queue } = await newAnalyst();
    const mark = await run();
    const waiting = await queue({ type: 'CASHFLOW' });
    const listed = async (query: string) =>
      (await get(`/calculations${query}`)).body.data.map((row: { calculation_id: string }) => row.calculation_id);
    assert.deepEqual(await listed(''), [waiting, mark]);
    assert.deepEqual(await listed('?status=COMPLETED'), [mark]);
    assert.deepEqual(await listed('?type=CASHFLOW'), [waiting]);
    assert.deepEqual(await listed('?purpose=MARK'), [mark]);
    assert.deepEqual(await listed('?purpose=ANALYSIS&status=COMPLETED'), []);
    assert.deepEqual(await listed('?limit=1&page=2'), [mark]);
    await gateway.runJobs();
  });

  await t.test('every row of the cash flows ties, follows the row before it, and adds up to the result', async () => {
    const { pool, get, run, read } = await newAnalyst(80);
    const id = await run(TWO_SCENARIOS);
    const { results } = await read(id);
    for (const [index, scenario] of ['base', 'stress'].entries()) {
      const rowsOf = async (tranche: string): Promise<FlowRow[]> =>
        (await get(`/calculations/${id}/cashflows?tranche=${tranche}&scenario=${scenario}`)).body.data;
      const collateral = await rowsOf('collateral');
      assert.equal(cents(collateral[0]?.opening), cents(pool.balance));
      for (const [place, { opening, scheduled_principal, prepayment, closing, ...row }] of collateral.entries()) {
        assert.equal(cents(opening) - cents(scheduled_principal) - cents(prepayment) - cents(row.default), cents(closing));
        if (place > 0) assert.equal(cents(opening), cents(collateral[place - 1]?.closing));
      }
      assert.equal(sumOf(collateral, 'loss'), cents(results[index].collateral.loss));
      for (const [place, tranche] of ['A-1', 'B'].entries()) {
        const rows = await rowsOf(tranche);
        for (const [at, { opening, principal, write_down, closing, ...row }] of rows.entries()) {
          assert.equal(cents(opening) - cents(principal) - cents(write_down), cents(closing));
          assert.equal(cents(row.interest_due) - cents(row.interest_paid), cents(row.interest_shortfall));
          if (at > 0) assert.equal(cents(opening), cents(rows[at - 1]?.closing));
        }
        assert.equal(sumOf(rows, 'principal'), cents(results[index].tranches[place].principal));
        assert.equal(sumOf(rows, 'interest_paid'), cents(results[index].tranches[place].interest));
      }
    }
    const all: FlowRow[] = (await get(`/calculations/${id}/cashflows?scenario=stress`)).body.data;
    assert.deepEqual([...new Set(all.map((row) => row.tranche))], ['A-1', 'B', 'R']);
  });

  await t.test('the first scenario is the default, and a stress loses more than the base', async () => {
    const { get, run } = await newAnalyst();
    const id = await run(TWO_SCENARIOS);
    const flows = async (query: string) => (await get(`/calculations/${id}/cashflows?tranche=collateral${query}`)).body.data;
    const [first, base, stress] = [await flows(''), await flows('&scenario=base'), await flows('&scenario=stress')];
    assert.deepEqual(first, base);
    assert.ok(sumOf(stress, 'loss') > sumOf(base, 'loss'));
  });

  await t.test('cash flows as CSV have the rows of the JSON, with their lineage in the headers', async () => {
    const { pool, get, run } = await newAnalyst();
    const id = await run();
    const csv = await get(`/calculations/${id}/cashflows?tranche=B&format=csv`);
    const [header = '', ...lines] = csv.text.trimEnd().split('\r\n');
    assert.equal(
      header,
      'tranche,period,date,opening,interest_due,interest_paid,interest_shortfall,accreted,principal,write_down,closing,factor',
    );
    assert.match(lines[0] ?? '', /^B,1,2027-01-15,\d+\.\d\d,/);
    const json: FlowRow[] = (await get(`/calculations/${id}/cashflows?tranche=B`)).body.data;
    const names = header.split(',');
    assert.deepEqual(
      lines.map((line) => line.split(',').map((cell, place) => (place === 0 || place === 2 ? cell : Number(cell)))),
      json.map((row) => names.map((name) => row[name])),
    );
    const versions = Object.entries(pool.tape_versions).map(([deal, version]) => `${deal}=${String(version)}`);
    assert.deepEqual(
      [csv.headers['x-calculation-id'], csv.headers['x-as-of'], csv.headers['x-tape-versions']],
      [id, '2026-11-30', versions.join(',')],
    );
    assert.match(String(csv.headers['content-disposition']), new RegExp(`filename="${id}-B.csv"`));
  });

  await t.test('unknown tranches, scenarios, periods and calculations are absent, whatever an object inherits', async () => {
    const { get, run } = await newAnalyst();
    const id = await run();
    for (const query of ['tranche=Q', 'scenario=nope', 'tranche=constructor', 'tranche=__proto__', 'scenario=']) {
      assert.deepEqual(codeOf(await get(`/calculations/${id}/cashflows?${query}`)), [404, 'NOT_FOUND'], query);
    }
    assert.deepEqual(codeOf(await get(`/calculations/${id}/trace?period=900`)), [404, 'NOT_FOUND']);
    assert.equal((await get(`/calculations/${id}/trace?period=0`)).status, 400);
    assert.equal((await get(`/calculations/${id}/cashflows?tranche=${'x'.repeat(65)}`)).status, 400);
    assert.equal((await get('/calculations/calc_nope')).status, 404);
  });

  await t.test('the trace spends all that was collected', async () => {
    const { pool, get, run } = await newAnalyst(80);
    const id = await run();
    const [period] = (await get(`/calculations/${id}/trace?period=1`)).body.data;
    const [fee, interest] = period.steps;
    assert.deepEqual([fee.pay, fee.step, interest.available], ['FEE', 1, Math.round((fee.available - fee.paid) * 100) / 100]);
    const paid = period.steps.reduce(
      (sum: number, step: { paid: number; drawn: number }) => sum + cents(step.paid) - cents(step.drawn),
      0,
    );
    const released = cents(pool.structure.accounts[0].initial) - cents(period.accounts[0].closing);
    assert.ok(Math.abs(paid - released - cents(period.interest_collected) - cents(period.principal_collected)) <= 2);
    assert.equal(period.triggers[0].trigger, 'cnl');
    const all = (await get(`/calculations/${id}/trace`)).body.data;
    assert.deepEqual([all[0], all.length > 12], [period, true]);
  });

  await t.test('assets stand beside liabilities with the mismatch of their lives', async () => {
    const { get, run } = await newAnalyst();
    const none = await get('/asset-liability');
    assert.deepEqual(codeOf(none), [404, 'NOT_FOUND'], 'no calculation is completed yet');
    const id = await run();
    const latest = await run({ type: 'CASHFLOW' });
    const { rows, collateral_wal, notes_wal, wal_mismatch, ...about } = (await get(`/asset-liability?calculation_id=${id}`)).body
      .data;
    assert.deepEqual([about.calculation_id, about.scenario, about.assumptions.cpr], [id, 'base', 6]);
    assert.equal(Math.round((collateral_wal - notes_wal - wal_mismatch) * 1e6), 0);
    for (const row of rows) {
      assert.equal(cents(row.over_collateralization), cents(row.collateral_balance) - cents(row.note_balance));
    }
    assert.equal((await get('/asset-liability')).body.data.calculation_id, latest);
    assert.equal((await get('/asset-liability?calculation_id=calc_nope')).status, 404);
  });

  await t.test('another organization, another pool and another role read and request nothing', async () => {
    const mine = await newAnalyst();
    const other = await newAnalyst();
    const id = await mine.run();
    const investor = await gateway.key('investor', 'Buyer');
    for (const path of [
      '/calculations',
      `/calculations/${id}`,
      `/calculations/${id}/cashflows`,
      `/calculations/${id}/trace`,
      `/asset-liability?calculation_id=${id}`,
    ]) {
      assert.deepEqual(codeOf(await mine.get(path, other.ours)), [404, 'NOT_FOUND'], path);
      assert.deepEqual(codeOf(await mine.get(path, investor)), [403, 'ROLE_FORBIDDEN'], path);
      if (path.includes(id)) assert.deepEqual(codeOf(await other.get(path)), [404, 'NOT_FOUND'], `${path} of another pool`);
    }
    assert.deepEqual(codeOf(await mine.request(PRICING, other.ours)), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await mine.request(PRICING, operator)), [403, 'ROLE_FORBIDDEN']);
  });

  await t.test('a pool without a structure, or one that was cancelled, is not calculated', async () => {
    const ours = await gateway.key('originator', 'Early');
    const { pool_id } = (await formPool(gateway, ours, [await approvedDeal(gateway, ours, operator, { rows: 5 })])).body.data;
    const path = `/v1/api/originator/analytics/pools/${pool_id}/calculations`;
    const early = await gateway.call('POST', path, { as: ours, body: PRICING });
    assert.deepEqual([...codeOf(early), early.body.current_status], [409, 'CONFLICT', 'DRAFT']);
    assert.match(early.body.message ?? '', /set a structure first/);
    const { ours: late, pool, request } = await newAnalyst(5);
    await gateway.call('DELETE', `/v1/api/originator/pools/${pool.pool_id}`, { as: late });
    const cancelled = await request(PRICING);
    assert.deepEqual([...codeOf(cancelled), cancelled.body.current_status], [409, 'CONFLICT', 'CANCELLED']);
    assert.match(cancelled.body.message ?? '', /its loans were released/);
  });

  await t.test('faults of a request are named with their path', async () => {
    const { get, request } = await newAnalyst(5);
    const two = await request({ type: 'CASHFLOW', assumptions: { cpr: 5, psa: 100 } });
    assert.deepEqual(codeOf(two), [422, 'ASSUMPTIONS_INVALID']);
    assert.ok(two.body.errors?.[0].field.startsWith('assumptions'));
    for (const body of [
      { type: 'CASHFLOW', scenarios: [] },
      { type: 'GUESS' },
      {},
      { type: 'CASHFLOW', as_of: '2026-13-01' },
      { type: 'CASHFLOW', scenarios: Array.from({ length: 13 }, (_, index) => ({ scenario: `s${index}` })) },
      { type: 'CASHFLOW', assumptions: { severity: 101 } },
      { type: 'RISK', risk: { paths: 1e9, factors: { cdr: { sigma: 0.5 } } } },
    ]) {
      assert.equal((await request(body)).status, 400, JSON.stringify(body).slice(0, 100));
    }
    assert.equal((await get('/calculations')).body.pagination.total, 0);
  });

  await t.test('a floating tranche needs its index curve', async () => {
    const { ours, pool, request } = await newAnalyst(5);
    const floating = structureOver(pool.balance) as { tranches: { coupon?: unknown }[] };
    (floating.tranches[1] as { coupon: unknown }).coupon = { type: 'FLOATING', index: 'SOFR', margin_bp: 200 };
    await gateway.call('PUT', `/v1/api/originator/pools/${pool.pool_id}/structure`, { as: ours, body: floating });
    const curve = await request(PRICING);
    assert.deepEqual([...codeOf(curve), curve.body.errors?.[0].field], [422, 'CURVE_MISSING', 'index_curves.SOFR']);
  });

  await t.test('break-evens, replines and risk have figures of their own', async () => {
    const { queue, read } = await newAnalyst(40);
    const ids = [
      await queue({ type: 'BREAKEVEN', granularity: 'REPLINE', assumptions: { severity: 50, recovery_lag_months: 3 } }),
      await queue({
        type: 'RISK',
        granularity: 'REPLINE',
        assumptions: { cdr: 4, severity: 50 },
        risk: { paths: 50, seed: 7, factors: { cdr: { sigma: 0.5 } } },
      }),
    ];
    await gateway.runJobs();
    const [breakEven, risk] = await Promise.all(ids.map(read));
    assert.deepEqual([breakEven.status, breakEven.granularity, risk.status], ['COMPLETED', 'REPLINE', 'COMPLETED']);
    const [senior, junior] = breakEven.results[0].tranches;
    assert.ok(senior.break_even_cdr > junior.break_even_cdr);
    assert.deepEqual([risk.results[0].risk.seed, risk.results[0].risk.paths], [7, 50]);
    assert.ok(risk.results[0].risk.collateral.mean > 0);
  });

  await t.test('loans that a tape calls interest-only pay no principal until the tape’s month, and then pay down', async () => {
    const ours = await gateway.key('originator', 'Mortgages');
    const loans = Array.from(
      { length: 20 },
      (_, at) => `M${at},300000,300000,6.5,360,2026-09-01,IO,24,${at % 2 ? '' : '2036-12-01'}`,
    );
    const header =
      'loan_id,original_balance,current_balance,interest_rate,remaining_term_months,origination_date,amortization_type,interest_only_months,balloon_date';
    const bytes = `${header}\n${loans.join('\n')}\n`;
    const dealId = await approvedDeal(gateway, ours, operator, { loanType: 'Mortgage', bytes });
    const { pool_id } = (await formPool(gateway, ours, [dealId])).body.data;
    const put = await gateway.call('PUT', `/v1/api/originator/pools/${pool_id}/structure`, {
      as: ours,
      body: structureOver(6_000_000),
    });
    assert.equal(put.status, 200, JSON.stringify(put.body));
    const base = `/v1/api/originator/analytics/pools/${pool_id}/calculations`;
    const requested = await gateway.call('POST', base, { as: ours, body: { type: 'CASHFLOW' } });
    await gateway.runJobs();
    const path = `${base}/${requested.body.data.calculation_id}/cashflows?tranche=collateral`;
    const rows = (await gateway.call('GET', path, { as: ours })).body.data as FlowRow[];
    assert.deepEqual(
      rows.slice(0, 24).map((row) => row.scheduled_principal),
      Array(24).fill(0),
    );
    assert.ok((rows[24]?.scheduled_principal ?? 0) > 0);
    // Half of the loans are due on 2036-12-01, in the 121st month: what they have not paid down by then.
    assert.ok((rows[120]?.scheduled_principal ?? 0) > 2_000_000, String(rows[120]?.scheduled_principal));
  });
});
