import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyst } from '../../../test/support/calculations.ts';
import { codeOf, startGateway } from '../../../test/support/gateway.ts';
import { structureOver } from '../../../test/support/pools.ts';

type FlowRow = Record<string, number>;
const LOSS_OF_ALL = { cpr: 6, cdr: 90, severity: 100 };

test('assumptions of a calculation', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const { pool, get, request, run, read } = await analyst(gateway, operator, 'Analyst', 40);
  const flowsOf = async (id: string): Promise<FlowRow[]> =>
    (await get(`/calculations/${id}/cashflows?tranche=collateral`)).body.data;
  const scores: (number | null)[] = (
    await gateway.call('GET', `/v1/api/originator/loans/${pool.deal_ids[0]}/loans?limit=100`, {
      as: await gateway.key('originator', 'Analyst'),
    })
  ).body.data.map((loan: { credit_score: number | null }) => loan.credit_score);

  await t.test('the rule of a segment divides the loans of the pool, and the result shows the request', async () => {
    const middle = scores.toSorted((a, b) => Number(a) - Number(b))[20] ?? 0;
    const weak = { field: 'credit_score', op: 'lt', value: middle };
    const [below, above] = [weak, { not: weak }].map((where) => ({ where, cdr: 40, severity: 60 }));
    const asked = (segments: unknown[]) => ({ type: 'CASHFLOW', assumptions: { cpr: 6, segments } });
    const [one, other, both] = [await run(asked([below])), await run(asked([above])), await run(asked([below, above]))];
    const first = await read(one);
    assert.deepEqual([first.status, first.error, first.assumptions.segments], ['COMPLETED', null, [below]]);
    assert.deepEqual(first.results[0].assumptions.segments, [below]);
    const [a, b, all] = [await flowsOf(one), await flowsOf(other), await flowsOf(both)];
    assert.ok(a[0]?.default && b[0]?.default, 'both segments have loans');
    assert.ok(Math.abs(a[0].default + b[0].default - (all[0]?.default ?? 0)) < 0.02);
    const whole = await flowsOf(await run({ type: 'CASHFLOW', assumptions: { cpr: 6, cdr: 40, severity: 60 } }));
    for (const [month, row] of whole.entries()) assert.ok(Math.abs((row.closing ?? 0) - (all[month]?.closing ?? 0)) < 0.02);
  });

  await t.test('a segment without loans is told', async () => {
    const segments = [{ where: { field: 'credit_score', op: 'lt', value: 1 }, ...LOSS_OF_ALL }];
    const { warnings } = await read(
      await run({ type: 'CASHFLOW', assumptions: { cpr: 6 }, scenarios: [{ scenario: 'a', segments }] }),
    );
    assert.deepEqual(
      warnings.filter((text: string) => text.includes('segments')),
      ['scenarios[0].segments[0] has no loan'],
    );
  });

  await t.test(
    'faults of a rule are told with their path, 400 for what is no number and else 422, and nothing is queued',
    async () => {
      const { total } = (await get('/calculations')).body.pagination;
      const faults: [unknown, string, string][] = [
        [
          { assumptions: { segments: [{ where: { field: 'credit_scor', op: 'lt', value: 1 } }] } },
          'UNKNOWN_FIELD',
          'assumptions.segments[0].where.field',
        ],
        [
          {
            scenarios: [
              {
                scenario: 'a',
                segments: [
                  { where: { field: 'ltv', op: 'gt', value: 90 } },
                  { where: { all: [{ field: 'ltv', op: 'gt', value: 'x' }] } },
                ],
              },
            ],
          },
          'VALIDATION_FAILED',
          'scenarios[0].segments[1].where.all[0].value',
        ],
        [{ assumptions: { segments: [{ where: {} }] } }, 'INVALID_RULE', 'assumptions.segments[0].where'],
        [
          { assumptions: { segments: [{ where: { field: 'ltv', op: 'gt', value: 9 }, cdrr: 3 }] } },
          'UNKNOWN_FIELD',
          'assumptions.segments[0].cdrr',
        ],
      ];
      for (const [more, code, field] of faults) {
        const refused = await request({ type: 'CASHFLOW', ...(more as object) });
        const status = code === 'VALIDATION_FAILED' ? 400 : 422;
        assert.deepEqual(
          [...codeOf(refused), refused.body.errors?.[0].field],
          [status, code, field],
          JSON.stringify(refused.body),
        );
      }
      const many = Array.from({ length: 21 }, () => ({ where: { field: 'ltv', op: 'gt', value: 9 } }));
      assert.equal((await request({ type: 'CASHFLOW', assumptions: { segments: many } })).status, 400);
      assert.equal((await get('/calculations')).body.pagination.total, total);
    },
  );

  await t.test('the result shows every assumption as it was requested', async () => {
    const shared = { cpr: [4, 6], by: 'AGE', severity: [40, 50], delinquency_30: [6, 7], delinquency_90: 2 };
    const curve = {
      multiple: 1.5,
      cnl: { percent: 2, timing: { by_month: [0, 40, 60] } },
      billed_fees: { servicing: [12.5, 0] },
    };
    const scenarios = [
      { scenario: 'by month', ...curve },
      { scenario: 'by year', cnl: { percent: 1, timing: [60, 40] } },
    ];
    const { status, error, assumptions, results } = await read(await run({ type: 'CASHFLOW', assumptions: shared, scenarios }));
    assert.deepEqual([status, error], ['COMPLETED', null]);
    const defaults = {
      recovery_lag_months: 0,
      servicer_advances: false,
      late_defaults: 'NONE',
      deferment_interest: 'CAPITALISE',
    };
    assert.deepEqual(assumptions, { ...shared, ...defaults, cdr: 0 });
    assert.deepEqual(results[0].assumptions, { ...shared, ...defaults, ...curve });
    assert.deepEqual(results[1].assumptions, { ...shared, ...defaults, cnl: scenarios[1]?.cnl });
  });

  await t.test(
    'a curve of losses that no pool can have is 422, one that this pool cannot have fails with what it can',
    async () => {
      const cnl = (percent: number, timing: number[]) => ({
        type: 'CASHFLOW',
        assumptions: { severity: 50, cnl: { percent, timing } },
      });
      const refused = await request(cnl(5, [50, 40]));
      assert.deepEqual(
        [...codeOf(refused), refused.body.errors?.[0].field],
        [422, 'ASSUMPTIONS_INVALID', 'assumptions.cnl.timing'],
      );
      const failed = await read(await run(cnl(49, [0, 0, 100])));
      assert.deepEqual([failed.status, failed.error_code], ['FAILED', 'INPUTS_UNUSABLE']);
      assert.match(failed.error, /the pool cannot lose 49 % .* with this timing the most is [\d.]+ %/);
    },
  );

  await t.test('figures of a structure that lead to more than any amount fail with the amount', async () => {
    const as = await gateway.key('originator', 'Analyst');
    const structure = structureOver(pool.balance, {
      fees: [{ fee: 'servicing', amount_per_year: 90_071_992_547_409.91 }],
    });
    const put = await gateway.call('PUT', `/v1/api/originator/pools/${pool.pool_id}/structure`, { as, body: structure });
    assert.equal(put.status, 200);
    const failed = await read(await run({ type: 'CASHFLOW' }));
    assert.deepEqual([failed.status, failed.error_code], ['FAILED', 'INPUTS_UNUSABLE']);
    assert.match(failed.error, /lead to an amount of [\d.]+, above the largest/);
  });
});
