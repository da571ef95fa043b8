import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { loan, note, RESIDUAL, sequential } from '../../../test/support/structures.ts';
import { calculate, type CalculationResult, type ScenarioDetail, type ScenarioResult } from './calculate.ts';
import { calculationKey } from './key.ts';
import { canonicalJson } from './canonical-json.ts';
import { normalizeRequest } from './normalize.ts';
import type { CalculationPool } from './normal-request.ts';
import { type CalculationRequest, CalculationRequestSchema } from './request.ts';
import type { TrancheResult } from './results.ts';
import type { TrancheRow } from './rows.ts';
import type { Structure, Tranche } from './structure.ts';

const POOL: CalculationPool = {
  loans: [loan(600_000, 8, 60), loan(300_000, 9.5, 48, 12), loan(100_000, 7, 72, 3)],
  loanType: 'Auto',
  originalBalance: 1_000_000,
  cutOff: '2026-11-30',
  closing: '2026-12-15',
  tapeVersions: { deal_a: 2 },
};

const DEAL: Structure = sequential([note('A', 700_000, 5, 1), note('B', 150_000, 7, 2)], {
  fees: [{ fee: 'servicing', percent: 0.5 }],
  accounts: [{ account: 'reserve', initial: 5_000, target: 5_000 }],
  waterfall: [
    { pay: 'FEE', to: ['servicing'] },
    { pay: 'INTEREST', to: ['A', 'B'] },
    { pay: 'PRINCIPAL', to: ['A', 'B'], amount: { target: 'OC', percent: 18, of: 'POOL_CURRENT' } },
    { pay: 'RESERVE', to: ['reserve'] },
    { pay: 'RESIDUAL', to: ['R'] },
  ],
  losses: { mode: 'REVERSE_SEQUENTIAL' },
});

const ASSUMPTIONS = { cpr: 6, cdr: 2, severity: 50, recovery_lag_months: 3 };

async function run(
  request: Partial<CalculationRequest> = {},
  structure = DEAL,
  pool = POOL,
): Promise<{ result: CalculationResult; first: ScenarioResult; detail: ScenarioDetail }> {
  const asked: CalculationRequest = { type: 'PRICING', assumptions: ASSUMPTIONS, ...request };
  assert.deepEqual([...Value.Errors(CalculationRequestSchema, asked)], []);
  const calculation = await calculate(asked, pool, structure);
  assert.ok(calculation.ok, JSON.stringify(calculation));
  const { result, details } = calculation;
  return { result, first: result.results[0], detail: details[0] };
}

async function faults(request: Partial<CalculationRequest>, structure = DEAL, pool = POOL): Promise<string[]> {
  const calculation = await calculate({ type: 'PRICING', assumptions: ASSUMPTIONS, ...request }, pool, structure);
  return calculation.ok ? [] : calculation.faults.map(({ code, path }) => `${code} ${path}`);
}

const cents = (amount: number) => Math.round(amount * 100);
const trancheOf = (result: ScenarioResult, name: string) =>
  result.tranches.find(({ tranche }) => tranche === name) as TrancheResult;

test('the pool in a calculation of whole cents collects what its waterfall pays, and loses what its notes bear', async () => {
  const deal = { ...DEAL, payment: { ...DEAL.payment, rounding: 'CENT' as const, frequency: 'QUARTERLY' as const } };
  const { detail } = await run({}, deal);
  for (const [index, row] of detail.collateral.entries()) {
    const { interest_collected, principal_collected, pool_current } = detail.trace[index];
    const principal = row.scheduled_principal + row.prepayment + row.recovery + row.advanced_principal;
    assert.deepEqual(
      [cents(interest_collected), cents(principal_collected), cents(pool_current)],
      [cents(row.interest), cents(principal), cents(row.closing)],
      `period ${row.period}`,
    );
  }
});

test('a note at par, bought a month before its first payment, yields its coupon as a bond equivalent', async () => {
  const { first } = await run({ settlement_date: '2026-12-15' });
  const { yield: bondEquivalent, price, spread_bp } = trancheOf(first, 'A');
  assert.equal(price, 100);
  assert.ok(Math.abs((bondEquivalent ?? 0) - 200 * ((1 + 0.05 / 12) ** 6 - 1)) < 1e-7, `${bondEquivalent}`);
  assert.equal(spread_bp, null);
  const monthly = await run({ yield_basis: 'MONTHLY' });
  assert.ok(Math.abs((trancheOf(monthly.first, 'A').yield ?? 0) - 5) < 1e-7);
});

test('price and yield are inverse', async () => {
  const priced = trancheOf((await run({ prices: { A: 98.25 } })).first, 'A');
  const yielded = trancheOf((await run({ yields: { A: priced.yield as number } })).first, 'A');
  assert.ok(Math.abs((yielded.price ?? 0) - 98.25) < 1e-6, `${yielded.price}`);
  assert.ok(Math.abs((yielded.modified_duration ?? 0) - (priced.modified_duration ?? 1)) < 1e-6);
});

test('modified duration and convexity are the slope and bend of the price', async () => {
  const at = async (shift: number) => trancheOf((await run({ yields: { A: 6 + shift } })).first, 'A');
  const [down, middle, up] = [await at(-0.01), await at(0), await at(0.01)];
  const [low, mid, high] = [down.price as number, middle.price as number, up.price as number];
  assert.ok(Math.abs((low - high) / (2 * mid * 1e-4) - (middle.modified_duration as number)) < 1e-4);
  assert.ok(Math.abs((low + high - 2 * mid) / (mid * 1e-8) - (middle.convexity as number)) < 1e-2);
});

test('the spread is the yield less the curve at the average life', async () => {
  const points = [
    { years: 5, rate: 4.4 },
    { years: 1, rate: 4 },
  ];
  const { wal, yield: yieldPercent, spread_bp } = trancheOf((await run({ benchmark_curve: { points } })).first, 'A');
  assert.ok(Math.abs((spread_bp ?? 0) - 100 * ((yieldPercent ?? 0) - (4 + 0.1 * ((wal ?? 0) - 1)))) < 1e-6);
});

test('another basis of the yield is the same bond: modified duration divides by one period of the yield, the spread is of the yield as quoted', async () => {
  const asked = { prices: { A: 98.5 }, benchmark_curve: { points: [{ years: 1, rate: 4 }] } };
  const bey = trancheOf((await run(asked)).first, 'A');
  const monthly = trancheOf((await run({ ...asked, yield_basis: 'MONTHLY' })).first, 'A');
  const macaulay = (tranche: TrancheResult, perYear: number) =>
    (tranche.modified_duration as number) * (1 + (tranche.yield as number) / 100 / perYear);
  assert.ok(Math.abs(macaulay(bey, 2) - macaulay(monthly, 12)) < 1e-7);
  assert.ok((bey.yield as number) - (monthly.yield as number) > 0.05);
  const gap = 100 * ((bey.yield as number) - (monthly.yield as number));
  assert.ok(Math.abs((bey.spread_bp as number) - (monthly.spread_bp as number) - gap) < 1e-6);
});

test('a payment on the 31st comes after a settlement on the 30th', async () => {
  const last: Structure = {
    ...DEAL,
    payment: { first_payment_date: '2027-01-31', payment_day: 31, business_day: 'NONE' },
  };
  const eve = trancheOf((await run({ settlement_date: '2027-01-30', yields: { A: 5 } }, last)).first, 'A');
  const before = trancheOf((await run({ settlement_date: '2027-01-29', yields: { A: 5 } }, last)).first, 'A');
  assert.ok(Math.abs((eve.wal as number) - (before.wal as number)) <= 2 / 360, `${before.wal} and ${eve.wal}`);
  assert.ok(Math.abs((eve.price as number) - (before.price as number)) < 0.02, `${before.price} and ${eve.price}`);
});

test('flows on or before settlement are out, and the price is per 100 of the balance that is left', async () => {
  const { first, detail } = await run({ settlement_date: '2027-06-15' });
  const { price, yield: yieldPercent, wal } = trancheOf(first, 'A');
  const later = (detail.tranches.A ?? []).filter(({ date }) => date > '2027-06-15');
  const principal = later.reduce((sum, row) => sum + row.principal, 0);
  const weighted = later.reduce((sum, row, index) => sum + row.principal * (index + 1), 0) / 12;
  assert.ok(Math.abs((wal ?? 0) - weighted / principal) < 1e-6);
  assert.equal(price, 100);
  assert.ok(Math.abs((yieldPercent ?? 0) - 200 * ((1 + 0.05 / 12) ** 6 - 1)) < 1e-6);
});

test('every row ties to the cent and the totals are the sums of the rows', async () => {
  const { first, detail } = await run({ assumptions: { ...ASSUMPTIONS, cdr: 12 } });
  for (const [name, rows] of Object.entries(detail.tranches)) {
    for (const [index, row] of rows.entries()) {
      const where = `${name} ${row.period}`;
      assert.equal(
        cents(row.opening) + cents(row.accreted) - cents(row.principal) - cents(row.write_down),
        cents(row.closing),
        where,
      );
      assert.equal(cents(row.interest_due) - cents(row.interest_paid), cents(row.interest_shortfall), where);
      if (index > 0) assert.equal(row.opening, rows[index - 1].closing, where);
    }
    const { principal, interest, write_down } = trancheOf(first, name);
    assert.equal(
      cents(principal),
      rows.reduce((sum, row) => sum + cents(row.principal), 0),
    );
    assert.equal(
      cents(interest),
      rows.reduce((sum, row) => sum + cents(row.interest_paid), 0),
    );
    if (name !== 'R') assert.equal(cents(principal) + cents(write_down), cents(rows[0].opening ?? 0));
    const { first_period, last_period } = trancheOf(first, name);
    const window = rows.filter((row) => row.period >= (first_period ?? Infinity) && row.period <= (last_period ?? 0));
    assert.equal(
      window.reduce((sum, row) => sum + cents(row.principal), 0),
      cents(principal),
    );
    assert.ok(name === 'R' || (window[0].principal > 0 && (window.at(-1)?.principal ?? 0) > 0), `${first_period} ${last_period}`);
  }
  for (const row of detail.collateral) {
    assert.equal(
      cents(row.opening) - cents(row.scheduled_principal) - cents(row.prepayment) - cents(row.default),
      cents(row.closing),
    );
  }
  assert.equal(cents(first.collateral.principal) + cents(first.collateral.loss), cents(POOL.originalBalance));
});

test('a scenario replaces the whole group of its measure and keeps the rest', async () => {
  const { result } = await run({ scenarios: [{ scenario: 'base' }, { scenario: 'fast', psa: [100, 200], severity: 60 }] });
  assert.deepEqual(result.results[1].assumptions, {
    psa: [100, 200],
    cdr: 2,
    severity: 60,
    recovery_lag_months: 3,
    servicer_advances: false,
    late_defaults: 'NONE',
    deferment_interest: 'CAPITALISE',
  });
  assert.deepEqual(
    result.results.map(({ scenario }) => scenario),
    ['base', 'fast'],
  );
});

test('without scenarios there is one, base, and no speeds are speeds of 0', async () => {
  const { result, first } = await run({ assumptions: {} });
  assert.equal(first.scenario, 'base');
  assert.deepEqual(result.assumptions, {
    cpr: 0,
    cdr: 0,
    severity: 0,
    recovery_lag_months: 0,
    servicer_advances: false,
    late_defaults: 'NONE',
    deferment_interest: 'CAPITALISE',
  });
  assert.equal(first.collateral.loss, 0);
});

test('contradictions and gaps are named with their place, and nothing is calculated', async () => {
  assert.deepEqual(await faults({ assumptions: { cpr: 6, psa: 100 } }), ['ASSUMPTIONS_INVALID assumptions']);
  assert.deepEqual(await faults({ scenarios: [{ scenario: 'a' }, { scenario: 'b', cdr: 1, mdr: 1 }] }), [
    'ASSUMPTIONS_INVALID scenarios[1]',
  ]);
  assert.deepEqual(await faults({ scenarios: [{ scenario: 'a' }, { scenario: 'a' }] }), [
    'ASSUMPTIONS_INVALID scenarios[1].scenario',
  ]);
  assert.deepEqual(await faults({ prices: { X: 99 } }), ['ASSUMPTIONS_INVALID prices.X']);
  assert.deepEqual(await faults({ prices: { A: 99 }, yields: { A: 5 } }), ['ASSUMPTIONS_INVALID yields.A']);
  const floater = sequential([note('A', 700_000, 0, 1, { coupon: { type: 'FLOATING', index: 'SOFR', margin_bp: 50 } })]);
  assert.deepEqual(await faults({}, floater), ['CURVE_MISSING index_curves.SOFR']);
  const watched: Structure = { ...DEAL, triggers: [{ trigger: 'dq', metric: 'DELINQUENT_60_AVG3', op: 'gt', value: 4 }] };
  assert.deepEqual(await faults({}, watched), ['DELINQUENCY_MISSING assumptions.delinquency']);
  assert.deepEqual(await faults({ assumptions: { delinquency: 2 } }, watched), []);
  const correlation = [
    [1, 0.9, -0.9],
    [0.9, 1, 0.9],
    [-0.9, 0.9, 1],
  ];
  const factors = { cpr: { sigma: 0.2 }, cdr: { sigma: 0.4 }, severity: { sigma: 0.3 } };
  assert.deepEqual(await faults({ type: 'RISK', risk: { factors, correlation } }), [
    'NOT_POSITIVE_SEMI_DEFINITE risk.correlation[2]',
  ]);
});

test('the same request gives the same result to the bit, and the order of keys does not change its key', async () => {
  const request: Partial<CalculationRequest> = { type: 'RISK', risk: { paths: 20, seed: 7, factors: { cdr: { sigma: 0.4 } } } };
  assert.equal(JSON.stringify(await run(request)), JSON.stringify(await run(request)));
  const keyOf = (asked: CalculationRequest) => {
    const normalized = normalizeRequest(asked, POOL, DEAL);
    assert.ok(normalized.ok);
    const inputs = { structureVersion: 3, loanSet: 'abc', tapeVersions: POOL.tapeVersions, cutOff: POOL.cutOff };
    return calculationKey(inputs, normalized.request);
  };
  const spelled = keyOf({ type: 'CASHFLOW', assumptions: { cpr: 6, cdr: 2 } });
  assert.match(spelled, /^[0-9a-f]{64}$/);
  assert.equal(
    keyOf({ assumptions: { cdr: 2, cpr: 6, severity: 0 }, type: 'CASHFLOW', scenarios: [{ scenario: 'base' }] }),
    spelled,
  );
  assert.notEqual(keyOf({ type: 'CASHFLOW', assumptions: { cpr: 6.01, cdr: 2 } }), spelled);
});

test('canonical JSON orders keys and drops what is undefined', () => {
  assert.equal(canonicalJson({ b: [1, { d: null, c: 'x' }], a: undefined, A: 2 }), '{"A":2,"b":[1,{"c":"x","d":null}]}');
});

test('a break-even CDR leaves the note whole, and a hundredth more does not', async () => {
  const { first } = await run({ type: 'BREAKEVEN' });
  const limits = ['A', 'B'].map((name) => trancheOf(first, name).break_even_cdr as number);
  for (const [index, name] of ['A', 'B'].entries()) {
    const { first_loss_cdr, highest_safe_cdr, monotone } = trancheOf(first, name);
    assert.deepEqual([highest_safe_cdr, monotone], [limits[index], true]);
    assert.equal(first_loss_cdr, (Math.round(100 * limits[index]) + 1) / 100);
  }
  assert.ok(limits[0] > limits[1], limits.join(', '));
  assert.equal(trancheOf(first, 'R').break_even_cdr, null);
  for (const [index, name] of ['A', 'B'].entries()) {
    const lossAt = async (cdr: number) => {
      const { write_down } = trancheOf((await run({ assumptions: { ...ASSUMPTIONS, cdr } })).first, name);
      return write_down;
    };
    assert.equal(await lossAt(limits[index]), 0, name);
    assert.ok((await lossAt(limits[index] + 0.01)) > 0, name);
  }
});

/** Losses above the over-collateralisation are the note's, until the trigger turns the excess spread to it. */
const TURNING: Structure = {
  ...sequential([note('A', 950_000, 4, 1)], {
    triggers: [{ trigger: 'cnl', metric: 'CUMULATIVE_NET_LOSS', op: 'gt', value: 6 }],
  }),
  waterfall: [
    { pay: 'INTEREST', to: ['A'] },
    { pay: 'PRINCIPAL', to: ['A'] },
    { pay: 'PRINCIPAL', to: ['A'], amount: 'ALL', when: 'cnl' },
    { pay: 'RESIDUAL', to: ['R'] },
  ],
};

test('where a trigger turns excess spread to the note, the break-even is below the first loss, and the highest safe CDR above it', async () => {
  const pool = { ...POOL, loans: [loan(1_000_000, 14, 60)] };
  const assumptions = { severity: 50 };
  const { first } = await run({ type: 'BREAKEVEN', assumptions }, TURNING, pool);
  const { break_even_cdr, first_loss_cdr, highest_safe_cdr, monotone } = trancheOf(first, 'A');
  const lossAt = async (cdr: number) =>
    trancheOf((await run({ assumptions: { ...assumptions, cdr } }, TURNING, pool)).first, 'A').write_down;
  assert.ok(break_even_cdr != null && first_loss_cdr != null && highest_safe_cdr != null);
  assert.equal(monotone, false);
  assert.equal(Math.round(100 * (first_loss_cdr - break_even_cdr)), 1);
  assert.ok(highest_safe_cdr > first_loss_cdr + 1, `${first_loss_cdr} ${highest_safe_cdr}`);
  for (let cdr = 0; cdr <= break_even_cdr; cdr++) assert.equal(await lossAt(cdr), 0, `${cdr}`);
  assert.deepEqual([await lossAt(break_even_cdr), await lossAt(highest_safe_cdr)], [0, 0]);
  assert.ok((await lossAt(first_loss_cdr)) > 0);
  for (let cdr = Math.floor(highest_safe_cdr) + 1; cdr <= 100; cdr++) assert.ok((await lossAt(cdr)) > 0, `${cdr}`);
});

test('a note that nothing can hurt breaks even at 100, one that is short without defaults nowhere', async () => {
  const safe = sequential([note('A', 100, 4, 1)]);
  const described = async (structure: Structure, assumptions: object) => {
    const { break_even_cdr, first_loss_cdr, highest_safe_cdr, monotone } = trancheOf(
      (await run({ type: 'BREAKEVEN', assumptions }, structure)).first,
      'A',
    );
    return [break_even_cdr, first_loss_cdr, highest_safe_cdr, monotone];
  };
  assert.deepEqual(await described(safe, { severity: 0 }), [100, null, 100, true]);
  assert.deepEqual(await described(sequential([note('A', 1_000_000, 40, 1)]), { severity: 50 }), [null, 0, null, true]);
});

test('the break-even CDR does not rise with severity', async () => {
  const scenarios = [20, 40, 60, 80, 100].map((severity) => ({ scenario: `${severity}`, severity }));
  const { result } = await run({ type: 'BREAKEVEN', scenarios });
  const limits = result.results.map((scenario) => trancheOf(scenario, 'B').break_even_cdr as number);
  assert.deepEqual(
    limits,
    limits.toSorted((a, b) => b - a),
  );
});

test('defaults that the recovery lag leaves out are named with their amount, and kept on request', async () => {
  const pool = { ...POOL, loans: [loan(1_000_000, 8, 12)] };
  const short = { cdr: 20, severity: 50, recovery_lag_months: 9 };
  const usual = await run({ assumptions: short }, DEAL, pool);
  const kept = await run({ assumptions: { ...short, late_defaults: 'KEEP' } }, DEAL, pool);
  const prompt = await run({ assumptions: { ...short, recovery_lag_months: 0 } }, DEAL, pool);
  assert.equal(cents(kept.first.collateral.loss), cents(prompt.first.collateral.loss));
  assert.ok(usual.first.collateral.loss < 0.6 * kept.first.collateral.loss);
  // At a severity of half, the loss that is missing is half of what is left out.
  const missing = 2 * (kept.first.collateral.loss - usual.first.collateral.loss);
  assert.match(usual.result.warnings.join(), /scenario "base": \$[\d,.]+ of defaults .* "late_defaults": "KEEP"/);
  const named = Number(/\$([\d,.]+\d)/.exec(usual.result.warnings.join())?.[1]?.replaceAll(',', ''));
  assert.ok(Math.abs(named - missing) < 0.05, `${named} and ${missing}`);
  assert.deepEqual([kept.result.warnings, prompt.result.warnings], [[], []]);
  assert.equal(kept.detail.collateral.length, 21);
});

test('a call that is due and cannot pay the notes is named, with what it lacks', async () => {
  const called: Structure = { ...DEAL, losses: { mode: 'NONE' }, clean_up_call: { percent: 60 } };
  const assumptions = { ...ASSUMPTIONS, cdr: 30, severity: 100 };
  const { result, first } = await run({ assumptions }, called);
  assert.equal(first.called_period, null);
  assert.match(
    result.warnings.join(),
    /the clean-up call is due from period \d+ \(20\d\d-\d\d-15\), where .* lack \$[\d,.]+ to pay .*; it is never exercised/,
  );
  const without = await run({ assumptions, scenarios: [{ scenario: 'base', call: false }] }, called);
  assert.doesNotMatch(without.result.warnings.join(), /call/);
});

test('paths that do not move all lose what the scenario loses', async () => {
  const { first } = await run({
    type: 'RISK',
    assumptions: { ...ASSUMPTIONS, cdr: 12 },
    risk: { paths: 5, factors: { cdr: { sigma: 0 } } },
  });
  const lost = (100 * first.collateral.loss) / POOL.originalBalance;
  assert.ok(Math.abs((first.risk?.collateral.mean ?? 0) - lost) < 1e-5);
  assert.equal(first.risk?.collateral.standard_deviation, 0);
  const junior = first.risk?.tranches.find(({ tranche }) => tranche === 'B');
  assert.ok(Math.abs((junior?.mean ?? 0) - (100 * trancheOf(first, 'B').write_down) / 150_000) < 1e-5);
});

test('value at risk rises with confidence, expected shortfall is at least as high, and the junior note loses more', async () => {
  const { first } = await run({
    type: 'RISK',
    assumptions: { ...ASSUMPTIONS, cdr: 9 },
    risk: {
      paths: 400,
      seed: 11,
      factors: { cdr: { sigma: 0.6 }, severity: { sigma: 0.4 } },
      correlation: [
        [1, 0.5],
        [0.5, 1],
      ],
    },
  });
  const [senior, junior] = first.risk?.tranches ?? [];
  for (const distribution of [first.risk?.collateral, senior, junior]) {
    const [at95, at99] = distribution?.tail ?? [];
    assert.ok((at99?.value_at_risk ?? 0) >= (at95?.value_at_risk ?? 1));
    assert.ok((at95?.expected_shortfall ?? 0) >= (at95?.value_at_risk ?? 1));
  }
  assert.ok((junior?.mean ?? 0) > (senior?.mean ?? 1), `${junior?.mean} ${senior?.mean}`);
});

test('paths of a pool of credit cards move its charge-off and its payment rate', async () => {
  const pool: CalculationPool = { ...POOL, loanType: 'Credit Card' };
  const losses = async (factors: Record<string, { sigma: number }>) => {
    const assumptions = { payment_rate: 15, portfolio_yield: 18, charge_off: 6 };
    const { first } = await run({ type: 'RISK', assumptions, risk: { paths: 50, seed: 7, factors } }, DEAL, pool);
    return first.risk?.collateral;
  };
  const still = await losses({});
  assert.equal(still?.standard_deviation, 0);
  for (const factor of ['default', 'prepayment']) {
    const moved = await losses({ [factor]: { sigma: 0.5 } });
    assert.ok((moved?.minimum ?? 0) < (still?.mean ?? 0) && (moved?.maximum ?? 0) > (still?.mean ?? 0), factor);
  }
});

test('a pool of credit cards amortizes by payment rate, yield and charge-off', async () => {
  const pool: CalculationPool = { ...POOL, loanType: 'Credit Card' };
  assert.deepEqual(await faults({ assumptions: {} }, DEAL, pool), ['ASSUMPTIONS_INVALID assumptions.payment_rate']);
  const { result, first, detail } = await run(
    { assumptions: { payment_rate: 15, portfolio_yield: 18, charge_off: 6, cpr: 5 } },
    DEAL,
    pool,
  );
  const month = detail.collateral[0];
  assert.deepEqual([month?.scheduled_principal, month?.default, month?.interest, month?.loss], [150_000, 5_000, 15_000, 5_000]);
  assert.equal(trancheOf(first, 'A').write_down, 0);
  assert.match(result.warnings.join(), /assumptions\.cpr is not read/);
});

test('the total of a tranche has what its carry-over step paid beside its interest', async () => {
  const notes = [note('A', 700_000, 5, 1), note('B', 200_000, 0, 2)];
  notes[1] = {
    ...notes[1],
    coupon: {
      type: 'FIXED',
      rate: 9,
      cap: [
        { from_period: 1, value: 2 },
        { from_period: 3, value: 20 },
      ],
      carry_over: true,
    },
  };
  const structure = sequential(notes, {
    waterfall: [
      { pay: 'INTEREST', to: ['A', 'B'] },
      { pay: 'PRINCIPAL', to: ['A', 'B'] },
      { pay: 'CARRY_OVER', to: ['B'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  });
  const { first, detail } = await run({ assumptions: {} }, structure);
  const { interest, carry_over_paid = 0 } = trancheOf(first, 'B');
  const sum = (read: (row: TrancheRow) => number | undefined) =>
    Math.round((detail.tranches.B ?? []).reduce((total, row) => total + (read(row) ?? 0) * 100, 0)) / 100;
  assert.ok(carry_over_paid > 0);
  assert.deepEqual([interest, carry_over_paid], [sum((row) => row.interest_paid), sum((row) => row.carry_over_paid)]);
  assert.equal('carry_over_paid' in trancheOf(first, 'A'), false);
});

test('what a request gives and nothing reads is told', async () => {
  const warningsOf = async (request: Partial<CalculationRequest>) =>
    (await run({ assumptions: {}, ...request })).result.warnings.filter((each) => !each.includes('recovery_lag'));
  const curve = [{ period: 1, rate: 4 }];
  assert.deepEqual(await warningsOf({ index_curves: { SORF: curve } }), [
    'index_curves.SORF is not read: no coupon, account or loan follows SORF',
  ]);
  assert.deepEqual(await warningsOf({ prices: { R: 90 } }), ['prices.R is not read: the residual has no price']);
  const risk = { paths: 2, factors: { cdr: { sigma: 0.4 } } };
  assert.deepEqual(await warningsOf({ risk }), ['risk is not read: the type is PRICING, only RISK simulates']);
  assert.deepEqual(await warningsOf({ type: 'RISK', risk, scenarios: [{ scenario: 'a' }, { scenario: 'b', cdr: 2 }] }), [
    'risk.factors.cdr moves nothing in scenario "a": there is no default to multiply',
  ]);
  const cnl = { percent: 2, timing: [50, 50] };
  assert.deepEqual(await warningsOf({ type: 'RISK', risk, assumptions: { cnl, severity: 50 } }), []);
});

test('a percentage that looks like a fraction is told', async () => {
  const { result } = await run({
    assumptions: { cdr: 1, severity: 0.45 },
    scenarios: [{ scenario: 'base' }, { scenario: 'fast', psa: [1, 1.5], severity: 45 }],
  });
  assert.deepEqual(result.warnings, [
    'assumptions.severity is at most 0.45, which is 0.45 %: a percentage is expected, 45 is 45 %',
    'scenarios[1].psa is at most 1.5, which is 1.5 %: a percentage is expected, 150 is 150 %',
  ]);
});

test('an account that earns an index needs its curve, as a floater does', async () => {
  const structure: Structure = {
    ...DEAL,
    accounts: [{ account: 'reserve', initial: 5_000, target: 5_000, earns: { index: 'SOFR' } }],
  };
  assert.deepEqual(await faults({}, structure), ['CURVE_MISSING index_curves.SOFR']);
  await run({ index_curves: { SOFR: [{ period: 1, rate: 4 }] } }, structure);
});

test('a pool of credit cards that pays so slowly that its projection ends before it says what is left', async () => {
  const slow = { ...POOL, loanType: 'Credit Card' as const };
  const left = async (payment_rate: number, structure = DEAL) => {
    const { result } = await run({ assumptions: { payment_rate, portfolio_yield: 18, charge_off: 0 } }, structure, slow);
    return result.warnings.filter((each) => each.includes('is left'));
  };
  // 1,000,000 × 0.997^600.
  assert.deepEqual(await left(0.3), [
    'scenario "base": $164,852.29 of the pool (16.4852 %) is left after 600 months, where the projection of a pool of credit cards ends: nothing that it pays later is in these figures',
  ]);
  assert.deepEqual(await left(10), []);
  // Called before that, nothing is left.
  assert.deepEqual(await left(0.3, { ...DEAL, clean_up_call: { percent: 50, exercised: true } }), []);
});

test('floating loans whose index has no curve keep their coupon, and the result says so', async () => {
  const floating = { index: 'PRIME', marginPercent: 2 };
  const pool: CalculationPool = { ...POOL, loans: [...POOL.loans].map((fixed) => ({ ...fixed, floating })) };
  const held = await run({}, DEAL, pool);
  assert.deepEqual(held.result.warnings.slice(0, -1), [
    '3 loans follow PRIME, which has no index curve: they keep their current coupon',
  ]);
  assert.deepEqual(held.first.collateral, (await run()).first.collateral);
  const moved = await run({ index_curves: { PRIME: [{ period: 1, rate: 9 }] } }, DEAL, pool);
  assert.ok(moved.first.collateral.interest > held.first.collateral.interest);
});

test('replines of like loans give what the loans give', async () => {
  const alike: CalculationPool = { ...POOL, loans: Array.from({ length: 50 }, () => loan(20_000, 8, 60)) };
  const loans = await run({}, DEAL, alike);
  const replines = await run({ granularity: 'REPLINE' }, DEAL, alike);
  assert.equal(replines.result.granularity, 'REPLINE');
  assert.deepEqual(replines.first, loans.first);
});

test('the call ends the deal early unless the scenario leaves it out', async () => {
  const callable: Structure = { ...DEAL, clean_up_call: { percent: 20 } };
  const { result } = await run({ scenarios: [{ scenario: 'called' }, { scenario: 'held', call: false }] }, callable);
  const [called, held] = result.results;
  assert.ok(called?.called_period);
  assert.equal(held?.called_period, null);
  assert.ok((trancheOf(called, 'B').wal ?? 9) < (trancheOf(held, 'B').wal ?? 0));
});

test('a notional tranche is priced per 100 of the notional with which its next payment opens, whatever that is of', async () => {
  const notionals: Record<string, NonNullable<Tranche['notional']>> = {
    before: { percent: 100, of: 'POOL_BEGINNING' },
    notes: { percent: 80, of: 'NOTES' },
    after: { percent: 100, of: 'POOL_CURRENT' },
    planned: [
      { from_period: 1, value: 300_000 },
      { from_period: 5, value: 200_000 },
      { from_period: 9, value: 0 },
    ],
  };
  const names = Object.keys(notionals);
  const strips = names.map(
    (tranche): Tranche => ({ tranche, notional: notionals[tranche], coupon: { type: 'FIXED', rate: 0.5 } }),
  );
  for (const rounding of ['NONE', 'CENT'] as const) {
    const structure = sequential([note('A', 700_000, 5, 1), ...strips], {
      payment: { first_payment_date: '2027-01-15', business_day: 'NONE', rounding },
      waterfall: [
        { pay: 'INTEREST', to: ['A', ...names] },
        { pay: 'PRINCIPAL', to: ['A'] },
        { pay: 'RESIDUAL', to: ['R'] },
      ],
    });
    // On the day of the fourth payment, from which the fifth is a month away.
    const asked = { settlement_date: '2027-04-15', yields: Object.fromEntries(names.map((name) => [name, 10])) };
    const { detail, first } = await run(asked, structure);
    for (const name of names) {
      const rows = detail.tranches[name] ?? [];
      assert.deepEqual(
        rows.map(({ closing }) => closing),
        [...rows.slice(1).map(({ opening }) => opening), 0],
        name,
      );
      const original = rows[0]?.opening ?? Number.NaN;
      for (const { closing, factor } of rows) assert.ok(Math.abs(factor - closing / original) < 1e-8, `${name}: ${factor}`);
      const [next] = rows.slice(4);
      const value = rows.slice(4).reduce((sum, row, place) => sum + row.interest_paid / 1.05 ** ((place + 1) / 6), 0);
      const price = trancheOf(first, name).price ?? Number.NaN;
      assert.ok(Math.abs(price - (100 * value) / (next?.opening ?? 0)) < 2e-5, `${name}: ${price}`);
      assert.equal(trancheOf(first, name).write_down, 0);
    }
  }
});

test('an empty tranche and the residual have no price, yield or duration', async () => {
  const structure = sequential([note('A', 700_000, 5, 1), note('X', 0, 5, 2)]);
  const { first } = await run({}, structure);
  for (const name of ['X', RESIDUAL.tranche]) {
    const { price, yield: yieldPercent, modified_duration, convexity, spread_bp } = trancheOf(first, name);
    assert.deepEqual([price, yieldPercent, modified_duration, convexity, spread_bp], [null, null, null, null, null]);
  }
});

test('assets and liabilities stand beside each other in every period', async () => {
  const { first, detail } = await run();
  const { rows, collateral_wal, notes_wal, wal_mismatch } = detail.asset_liability;
  assert.equal(collateral_wal, first.collateral.wal);
  assert.ok(Math.abs((collateral_wal ?? 0) - (notes_wal ?? 0) - (wal_mismatch ?? 9)) < 1e-7);
  const opening = 5_000;
  const collected = rows.reduce((sum, row) => sum + row.collateral_principal + row.collateral_interest, 0);
  const paid = rows.reduce((sum, row) => sum + row.fees + row.note_interest + row.note_principal + row.residual, 0);
  assert.ok(
    Math.abs(collected + opening - paid - (rows.at(-1)?.reserve_balance ?? 0)) < 0.05 * rows.length,
    `${collected} ${paid}`,
  );
  assert.equal(
    rows[0].over_collateralization,
    Math.round(((rows[0].collateral_balance ?? 0) - (rows[0].note_balance ?? 0)) * 100) / 100,
  );
});

test('the excess spread of a first payment of two months is that of a year', async () => {
  const { detail } = await run({}, { ...DEAL, payment: { ...DEAL.payment, first_collection_months: 2 } });
  const [pool] = detail.collateral;
  const [first] = detail.asset_liability.rows;
  assert.ok(pool && first);
  const left = first.collateral_interest - first.fees - first.note_interest - first.collateral_loss;
  assert.ok(Math.abs((first.excess_spread ?? 0) - (600 * left) / pool.opening) < 1e-6, `${first.excess_spread}`);
});

test('assets and liabilities end with a call, and the lives of the notes do not depend on it', async () => {
  const { first, detail } = await run({}, { ...DEAL, clean_up_call: { percent: 50 } });
  const { rows, notes_wal } = detail.asset_liability;
  assert.equal(rows.at(-1)?.period, first.called_period);
  assert.ok(detail.collateral.length > rows.length);
  const years = rows.reduce((total, { note_principal }, index) => total + note_principal * ((index + 1) / 12), 0);
  const principal = rows.reduce((total, { note_principal }) => total + note_principal, 0);
  assert.ok(Math.abs((notes_wal ?? 0) - years / principal) < 0.01, `${notes_wal}`);
});

test('a pool has an over-collateralisation for as long as a cent of it is left', async () => {
  const small = { ...POOL, loans: [loan(1.5, 8, 6)], originalBalance: 1.5 };
  const { rows } = (await run({}, sequential([note('A', 1, 5, 1)]), small)).detail.asset_liability;
  assert.ok(rows.some((row) => row.collateral_balance > 0 && row.collateral_balance < 1));
  for (const { collateral_balance, oc, over_collateralization } of rows) {
    if (collateral_balance === 0) assert.equal(oc, null);
    else assert.ok(Math.abs((oc ?? Number.NaN) - (100 * over_collateralization) / collateral_balance) < 1e-6, `${oc}`);
  }
});

test('a pool without loans gives an empty result', async () => {
  const { first } = await run({}, DEAL, { ...POOL, loans: [], originalBalance: 0 });
  assert.deepEqual(first.collateral, { wal: null, principal: 0, interest: 0, loss: 0, last_period: null });
});
