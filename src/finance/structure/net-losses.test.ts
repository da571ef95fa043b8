import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { loan, note, sequential } from '../../../test/support/structures.ts';
import { near } from '../test-support.ts';
import { calculate } from './calculate.ts';
import { calculationKey } from './key.ts';
import { normalizeRequest } from './normalize.ts';
import type { CalculationPool } from './normal-request.ts';
import { openRemittances } from './remittance.ts';
import { type CalculationRequest, CalculationRequestSchema } from './request.ts';

const POOL: CalculationPool = {
  loans: [loan(600_000, 8, 60), loan(300_000, 9.5, 60, 12), loan(100_000, 7, 72, 3)],
  loanType: 'Auto',
  originalBalance: 1_000_000,
  cutOff: '2026-11-30',
  closing: '2026-12-15',
};

const DEAL = sequential([note('A', 700_000, 5, 1), note('B', 150_000, 7, 2)]);
const CNL = { percent: 6.5, timing: [30, 30, 20, 20] };

/** The pool after some payments, and what it has lost in them. */
function after(period: number, cumulative_net_loss_amount: number): CalculationPool {
  const state = { ...openRemittances(DEAL, 1_000_000), period, payment_date: '2027-01-15', pool_balance: 900_000 };
  return { ...POOL, opening: { from: 'LATEST', state: { ...state, cumulative_net_loss_amount } } };
}

type Asked = CalculationRequest['assumptions'];

async function run(request: Partial<CalculationRequest>, pool = POOL) {
  const asked: CalculationRequest = { type: 'CASHFLOW', ...request };
  deepEqual([...Value.Errors(CalculationRequestSchema, asked)], []);
  const calculated = await calculate(asked, pool, DEAL);
  if (!calculated.ok) throw new Error(JSON.stringify(calculated.faults));
  const { result, details } = calculated;
  const losses = details.map(({ collateral }) => collateral.map(({ loss }) => loss));
  return { result, losses, warnings: result.warnings };
}

function faults(request: Partial<CalculationRequest>): string[] {
  const normalized = normalizeRequest({ type: 'CASHFLOW', ...request }, POOL, DEAL);
  return normalized.ok ? [] : normalized.faults.map(({ path, message }) => `${path}: ${message}`);
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

test('a pool loses the percent of its original balance, in the shares of the timing by year', async () => {
  const { losses, result, warnings } = await run({ assumptions: { cpr: 8, severity: 50, cnl: CNL } });
  const [loss] = losses;
  for (const [year, share] of CNL.timing.entries())
    near(sum(loss.slice(12 * year, 12 * year + 12)), 650 * share, 0.03, `year ${year + 1}`);
  near(sum(loss), 65_000, 0.01);
  near(loss[14], (65_000 * 0.3) / 12, 0.011);
  equal(sum(loss.slice(48)), 0);
  deepEqual(warnings, []);
  deepEqual(result.assumptions.cnl, CNL);
  equal(result.assumptions.cdr, undefined);
});

test('losses that the lag makes impossible at first are booked in the first month that can, and told', async () => {
  // The short loan has no default in its last months; the others make up for it, so no default is left out.
  const loans = [loan(600_000, 8, 60), loan(300_000, 9.5, 60, 12), loan(100_000, 7, 24)];
  const asked = { assumptions: { severity: 50, recovery_lag_months: 6, cnl: CNL } };
  const { losses, warnings } = await run(asked, { ...POOL, loans });
  const [loss] = losses;
  deepEqual(loss.slice(0, 6), [0, 0, 0, 0, 0, 0]);
  near(sum(loss.slice(0, 7)), (65_000 * 0.3 * 7) / 12, 0.011);
  near(sum(loss), 65_000, 0.01);
  deepEqual(warnings, [
    'scenario "base": cnl: nothing is liquidated in the first 6 months (recovery_lag_months), so their loss of $9,750 is booked in month 7',
  ]);
});

test('replines, advances and break-evens take the curve; a break-even replaces it by constant CDRs', async () => {
  const assumptions = { cpr: 8, severity: 50, recovery_lag_months: 2, cnl: CNL };
  for (const asked of [
    { granularity: 'REPLINE' as const, assumptions },
    { assumptions: { ...assumptions, servicer_advances: true } },
  ]) {
    near(sum((await run(asked)).losses[0]), 65_000, 0.01);
  }
  const { cnl: _curve, ...plain } = assumptions;
  const breakEven = async (given: Asked) =>
    (await run({ type: 'BREAKEVEN', assumptions: given })).result.results[0]?.tranches.map(
      ({ break_even_cdr }) => break_even_cdr,
    );
  deepEqual(await breakEven(assumptions), await breakEven(plain));
});

test('the paths of a risk run without shocks lose the curve', async () => {
  const { result } = await run({
    type: 'RISK',
    assumptions: { severity: 50, cnl: CNL },
    risk: { paths: 2, factors: { cdr: { sigma: 0 } } },
  });
  near(result.results[0]?.risk?.collateral.mean, 6.5, 1e-6);
});

test('a scenario replaces a default measure by a curve and a curve by a measure, and a multiple stresses the curve', async () => {
  const { losses } = await run({
    assumptions: { severity: 60, cdr: 1 },
    scenarios: [{ scenario: 'curve', cnl: CNL }, { scenario: 'stress', cnl: CNL, multiple: 2 }, { scenario: 'base' }],
  });
  near(sum(losses[0]), 65_000, 0.01);
  near(sum(losses[1]), 130_000, 0.01);
  const back = await run({ assumptions: { severity: 60, cnl: CNL }, scenarios: [{ scenario: 'base', cdr: 1 }] });
  deepEqual(back.losses[0], losses[2]);
});

test('by month, from a deal with months and losses behind it', async () => {
  const by_month = [50, 20, 20, 10];
  const { losses, warnings } = await run(
    { assumptions: { severity: 50, cnl: { percent: 4, timing: { by_month } } } },
    after(1, 30_000),
  );
  const ofCurve = (each: readonly string[]) => each.filter((warning) => warning.includes('cnl'));
  deepEqual(losses[0]?.slice(0, 4), [4000, 4000, 2000, 0]);
  deepEqual(ofCurve(warnings), []);
  const lost = await run({ assumptions: { severity: 50, cnl: CNL } }, after(20, 70_000));
  deepEqual(
    [sum(lost.losses[0]), ofCurve(lost.warnings)],
    [0, ['scenario "base": cnl: the deal has lost as much already: nothing more defaults']],
  );
});

test('a pool that cannot lose as much is refused with what it can, and that it can', async () => {
  const late = (percent: number) => run({ assumptions: { severity: 50, cnl: { percent, timing: [0, 0, 0, 0, 100] } } });
  const failure = await late(20).then(
    () => null,
    (error: Error) => error,
  );
  equal(failure?.name, 'UnusableInputError');
  const [, most] = /with this timing the most is ([\d.]+) %$/.exec(failure?.message ?? '') ?? [];
  ok(Number(most) > 1 && Number(most) < 20, failure?.message);
  near(sum((await late(Number(most))).losses[0]), 10_000 * Number(most), 0.01);
  await rejects(late(Number(most) + 0.01), /cannot lose/);
  await rejects(
    run({ assumptions: { severity: 50, cnl: CNL } }, after(48, 60_000)),
    /its timing has ended, and \$5,000 of the loss/,
  );
});

test('a curve is refused beside a default measure or segments, with shares that do not add up, or above the severity', () => {
  const severity = 50;
  deepEqual(faults({ assumptions: { severity, cnl: CNL, cdr: 2 } }), [
    'assumptions: has cdr and cnl; expected at most one of cdr, sda, mdr, cnl',
  ]);
  deepEqual(
    faults({
      assumptions: { severity, cnl: { percent: 5, timing: [30, 30, 30] } },
      scenarios: [{ scenario: 'a' }, { scenario: 'b' }],
    }),
    ['assumptions.cnl.timing: adds up to 90; expected 100 percent of the loss'],
  );
  deepEqual(
    faults({ assumptions: { severity }, scenarios: [{ scenario: 'a', cnl: { percent: 5, timing: { by_month: [100.1] } } }] }),
    ['scenarios[0].cnl.timing.by_month: adds up to 100.1; expected 100 percent of the loss'],
  );
  deepEqual(faults({ assumptions: { severity, cnl: { percent: 5, timing: { by_month: new Array(12).fill(8.3333) } } } }), []);
  deepEqual(faults({ assumptions: { severity, multiple: 10, cnl: CNL } }), [
    'assumptions.cnl.percent: is 6.5 × 10, and at a severity of 50 the pool can lose at most 50 percent',
  ]);
  const segments = [{ where: { field: 'ltv', op: 'gt', value: 90 }, cdr: 4 }];
  deepEqual(faults({ assumptions: { severity, cnl: CNL, segments } }), [
    'assumptions.cnl: is of the whole pool, and there are segments with defaults of their own; give one of them',
  ]);
});

test('the curve is part of the key', () => {
  const keyOf = (cnl: NonNullable<Asked>['cnl']) => {
    const normalized = normalizeRequest({ type: 'CASHFLOW', assumptions: { severity: 50, ...(cnl ? { cnl } : {}) } }, POOL, DEAL);
    if (!normalized.ok) throw new Error('unexpected fault');
    return calculationKey({ structureVersion: 1, loanSet: 'a', tapeVersions: {}, cutOff: '2026-11-30' }, normalized.request);
  };
  equal(new Set([undefined, CNL, { ...CNL, percent: 6.4 }, { ...CNL, timing: [30, 30, 40] }].map(keyOf)).size, 4);
});
