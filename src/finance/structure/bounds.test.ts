import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { note, sequential } from '../../../test/support/structures.ts';
import { RemittanceSchema } from './remittance.ts';
import { CalculationRequestSchema } from './request.ts';
import { StructureSchema } from './structure.ts';

/*
 * The bounds of the public API: each is accepted and the next value beyond it is refused. They are promises to clients, so each is
 * written here once more.
 */

const BASE_REQUEST = { type: 'CASHFLOW' };
const BASE_STRUCTURE = sequential([note('A', 600, 5, 1)]);

/** The object with the value at a path such as `risk.paths`; numbers in the path are places of a list. */
function withValue(base: object, path: string, value: unknown): unknown {
  const copy = structuredClone(base);
  const names = path.split('.');
  const last = names.pop() ?? '';
  let target = copy as Record<string, unknown>;
  for (const name of names) {
    target[name] ??= {};
    target = target[name] as Record<string, unknown>;
  }
  target[last] = value;
  return copy;
}

type Bound = [path: string, accepted: readonly unknown[], refused: readonly unknown[]];

function holds(schema: TSchema, base: object, bounds: readonly Bound[]): void {
  for (const [path, accepted, refused] of bounds) {
    for (const value of accepted) {
      const problems = [...Value.Errors(schema, withValue(base, path, value))];
      assert.deepEqual(problems, [], `${path} = ${JSON.stringify(value)} is accepted`);
    }
    for (const value of refused)
      assert.equal(Value.Check(schema, withValue(base, path, value)), false, `${path} = ${JSON.stringify(value)} is refused`);
  }
}

const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const record = (count: number, value: unknown): Record<string, unknown> =>
  Object.fromEntries(times(count, (index) => [`A-${index}`, value]));

const SPEEDS: Record<string, number> = {
  cpr: 100,
  psa: 100_000,
  abs: 100,
  smm: 100,
  cdr: 100,
  sda: 100_000,
  mdr: 100,
  severity: 100,
  delinquency: 100,
  payment_rate: 100,
  portfolio_yield: 1_000,
  charge_off: 1_200,
};

test('speeds of a calculation are within their bounds, as a number and in every month of a list', () => {
  for (const [name, highest] of Object.entries(SPEEDS)) {
    const beyond = [-0.01, highest + 0.01];
    for (const place of [`assumptions.${name}`, `scenarios`]) {
      const value = (speed: unknown): unknown => (place === 'scenarios' ? [{ scenario: 'fast', [name]: speed }] : speed);
      holds(CalculationRequestSchema, BASE_REQUEST, [
        [
          place,
          [0, highest, [0], [0, highest], times(1_200, () => highest)].map(value),
          [...beyond, [], ...beyond.map((each) => [0, each]), times(1_201, () => 0), '6', null].map(value),
        ],
      ]);
    }
  }
});

test('counts, prices, yields and curves of a calculation are within their bounds', () => {
  const scenario = (index: number): object => ({ scenario: `s${index}` });
  const point = { years: 1, rate: 4 };
  holds(CalculationRequestSchema, BASE_REQUEST, [
    ['type', ['CASHFLOW', 'PRICING', 'BREAKEVEN', 'SCENARIOS', 'RISK'], ['cashflow', 'DURATION', null]],
    ['assumptions.recovery_lag_months', [0, 240], [-1, 241, 1.5]],
    ['scenarios', [times(1, scenario), times(12, scenario)], [[], times(13, scenario)]],
    ['scenarios', [[{ scenario: 'a'.repeat(64) }]], [[{ scenario: '' }], [{ scenario: 'a'.repeat(65) }], [{}]]],
    ['risk.paths', [1, 10_000], [0, 10_001, 1.5]],
    ['risk.seed', [0, 4_294_967_295], [-1, 4_294_967_296]],
    [
      'risk.factors',
      [{ cpr: { sigma: 0 } }, { default: { sigma: 5 } }],
      [{ cpr: { sigma: -0.01 } }, { cpr: { sigma: 5.01 } }, { cpr: {} }],
    ],
    [
      'risk.correlation',
      [[[1]], times(10, () => times(10, () => -1))],
      [[], [[]], [[1.01]], [[-1.01]], times(11, () => [1]), [times(11, () => 1)]],
    ],
    ['risk.confidence', [[0.000_001], [0.999_999], times(20, () => 0.5)], [[], [0], [1], times(21, () => 0.5)]],
    [
      'prices',
      [{ A: 0.01 }, { A: 1_000 }, record(50, 100)],
      [{ A: 0 }, { A: 1_000.01 }, record(51, 100), { '': 100 }, { ['A'.repeat(65)]: 100 }],
    ],
    [
      'yields',
      [{ A: -50 }, { A: 1_000 }, record(50, 5)],
      [{ A: -50.01 }, { A: 1_000.01 }, record(51, 5), { '': 5 }, { ['A'.repeat(65)]: 5 }],
    ],
    [
      'benchmark_curve',
      [{ points: [point] }, { points: times(200, () => point) }],
      [{}, { points: [] }, { points: times(201, () => point) }],
    ],
    [
      'benchmark_curve.points',
      [[{ years: 0.01, rate: -50 }], [{ years: 100, rate: 1_000 }]],
      [[{ years: 0, rate: 4 }], [{ years: 100.01, rate: 4 }], [{ years: 1, rate: -50.01 }], [{ years: 1, rate: 1_000.01 }]],
    ],
    [
      'index_curves',
      [
        { ['S'.repeat(64)]: [{ period: 1, rate: 4 }] },
        { SOFR: [{ period: 1, rate: -50 }] },
        { SOFR: [{ period: 1_200, rate: 1_000 }] },
        record(20, [{ period: 1, rate: 4 }]),
      ],
      [
        { '': [{ period: 1, rate: 4 }] },
        { ['S'.repeat(65)]: [{ period: 1, rate: 4 }] },
        { SOFR: [] },
        { SOFR: [{ period: 0, rate: 4 }] },
        { SOFR: [{ period: 1_201, rate: 4 }] },
        record(21, [{ period: 1, rate: 4 }]),
      ],
    ],
  ]);
});

test('amounts, counts and terms of a structure are within their bounds', () => {
  const test_ = { metric: 'CUMULATIVE_NET_LOSS', op: 'gt', value: 2 };
  const trigger = (fields: object): object => ({ trigger: 'cnl', ...fields });
  const fee = (index: number): object => ({ fee: `f${index}`, percent: 1 });
  const account = (index: number): object => ({ account: `r${index}`, target: 5 });
  const step = { pay: 'RESIDUAL', to: ['R'] };
  holds(StructureSchema, BASE_STRUCTURE, [
    ['tranches', [times(50, (index) => note(`A${index}`, 1, 5, 1))], [[], times(51, (index) => note(`A${index}`, 1, 5, 1))]],
    ['tranches.0.balance', [0, 90_071_992_547_409.91], [-0.01, 90_071_992_547_410]],
    ['tranches.0.denomination', [0.01, 90_071_992_547_409.91], [0, -1]],
    ['tranches.0.increment', [0.01, 90_071_992_547_409.91], [0, -1]],
    ['tranches.0.seniority', [1, 1_000], [0, 1_001, 1.5]],
    ['tranches.0.rating', ['A'.repeat(32)], ['A'.repeat(33)]],
    ['tranches.0.offered_yield', [-100, 1_000], [-100.01, 1_000.01]],
    ['payment.payment_day', [1, 31], [0, 32]],
    ['payment.delay_months', [0, 24], [-1, 25]],
    ['payment.frequency', ['MONTHLY', 'QUARTERLY', 'SEMI_ANNUAL', 'ANNUAL'], ['WEEKLY']],
    ['accounts', [times(20, account)], [times(21, account)]],
    ['fees', [times(50, fee)], [times(51, fee)]],
    ['waterfall', [times(200, () => step)], [times(201, () => step)]],
    ['triggers', [times(50, () => trigger(test_))], [times(51, () => trigger(test_))]],
    [
      'triggers',
      [[trigger({ any_of: times(20, () => test_) })]],
      [[trigger({ any_of: times(21, () => test_) })], [trigger({ any_of: [] })]],
    ],
    [
      'triggers',
      [[trigger({ all_of: times(20, () => test_) })]],
      [[trigger({ all_of: times(21, () => test_) })], [trigger({ all_of: [] })]],
    ],
    [
      'triggers',
      [[trigger({ ...test_, value: -90_071_992_547_409.91 })], [trigger({ ...test_, value: 90_071_992_547_409.91 })]],
      [[trigger({ ...test_, value: 90_071_992_547_410 })], [trigger({ ...test_, value: 'high' })]],
    ],
    ['clean_up_call.percent', [0, 100], [-0.01, 100.01]],
  ]);
});

test('amounts, counts and percentages of a servicer report are within their bounds', () => {
  const tranche = { tranche: 'A', beginning_balance: 600, interest_paid: 3, principal_paid: 20, ending_balance: 580 };
  const report = { period: 1, payment_date: '2027-01-15', collateral: { scheduled_principal: 20 }, tranches: [tranche] };
  const amounts =
    'beginning_pool_balance beginning_balance scheduled_principal prepayments repurchases gross_losses recoveries ending_pool_balance ' +
    'ending_balance interest fees reserve_balance';
  holds(RemittanceSchema, report, [
    ...amounts
      .split(' ')
      .map((name): Bound => [`collateral.${name}`, [0, 90_071_992_547_409.91], [-0.01, 90_071_992_547_410, '1']]),
    ['collateral.net_losses', [-5, 0, 5], ['5']],
    ['collateral.loan_count', [0, 100_000_000], [-1, 100_000_001, 1.5]],
    ['collateral.wam', [0, 1_200], [-0.01, 1_200.01]],
    ...['wac', 'delinquent_30', 'delinquent_60', 'delinquent_90'].map(
      (name): Bound => [`collateral.${name}`, [0, 100], [-0.01, 100.01]],
    ),
    ['tranches', [times(50, () => tranche)], [[], times(51, () => tranche)]],
  ]);
});
