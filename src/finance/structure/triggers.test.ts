import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collateralOf, type HandMonth, note, POOL_DATES, runOver, sequential } from '../../../test/support/structures.ts';
import { assuming } from '../test-support.ts';
import type { Trigger } from './structure.ts';
import { amountContext } from './compiled-amount.ts';
import { compileTest, thresholdAt, thresholdOf } from './triggers.ts';

/** Periods in which a trigger is on, over collateral of `months` and notes of 900 without coupon. */
function periodsOn(trigger: Omit<Trigger, 'trigger'>, opening: number, months: HandMonth[], delinquencyPercent: number[] = []) {
  const structure = sequential([note('A', 900, 0, 1)], { triggers: [{ trigger: 't', ...trigger }] });
  const { trace } = runOver(structure, collateralOf(opening, months), assuming({ delinquencyPercent }));
  return trace.filter(({ triggers }) => triggers[0].on).map(({ period }) => period);
}

/** Months that change nothing, for triggers that read delinquency alone. */
const quiet = (count: number): HandMonth[] => Array.from({ length: count }, () => ({}));

/** Cumulative realised loss trigger of an RMBS deal: first month, then a twelfth of the annual increment more each month, to a cap. */
const STEP_CURVE = [0.55, 1.4, 2.5, 3.55, 4.2, 4.3];
const MONTHLY_CURVE = [
  0.55, 0.620833, 0.691667, 0.7625, 0.833333, 0.904167, 0.975, 1.045833, 1.116667, 1.1875, 1.258333, 1.329167, 1.4, 1.491667,
  1.583333, 1.675, 1.766667, 1.858333, 1.95, 2.041667, 2.133333, 2.225, 2.316667, 2.408333, 2.5, 2.5875, 2.675, 2.7625, 2.85,
  2.9375, 3.025, 3.1125, 3.2, 3.2875, 3.375, 3.4625, 3.55, 3.604167, 3.658333, 3.7125, 3.766667, 3.820833, 3.875, 3.929167,
  3.983333, 4.0375, 4.091667, 4.145833, 4.2, 4.208333, 4.216667, 4.225, 4.233333, 4.241667, 4.25, 4.258333, 4.266667, 4.275,
  4.283333, 4.291667, 4.3,
];

test('a linear schedule is the monthly loss curve of a published RMBS trigger', () => {
  const schedule = STEP_CURVE.map((value, step) => ({ from_period: 12 * step + 1, value }));
  for (const [index, expected] of MONTHLY_CURVE.entries()) {
    const threshold = thresholdAt({ schedule, interpolate: 'LINEAR' }, index + 1);
    assert.ok(Math.abs(threshold - expected) < 1e-6, `month ${index + 1}: ${threshold}, expected ${expected}`);
  }
  assert.equal(thresholdAt({ schedule, interpolate: 'LINEAR' }, 100), 4.3);
});

test('a schedule without interpolation holds each value until the next, as the flat steps of published loss triggers do', () => {
  const losses = [1.75, 2.1, 3.5, 4.4, 4.8, 5.2, 5.6];
  const schedule = losses.map((value, step) => ({ from_period: 12 * step + 25, value }));
  assert.ok(Number.isNaN(thresholdAt({ schedule }, 24)));
  assert.deepEqual(
    [25, 36, 37, 96, 97, 300].map((period) => thresholdAt({ schedule }, period)),
    [1.75, 1.75, 2.1, 5.2, 5.6, 5.6],
  );
});

test('a test that was not compiled for a period says so, and does not read as clear', () => {
  const context = amountContext(sequential([note('A', 900, 0, 1)]), POOL_DATES, 2);
  const compiled = compileTest({ metric: 'DELINQUENT_60', op: 'gt', value: 4 }, context, 0);
  assert.deepEqual([thresholdOf(compiled, 0), thresholdOf(compiled, 1)], [4, 4]);
  assert.throws(() => thresholdOf(compiled, 2), /compiled for 2 periods, not for period 3/);
});

test('a trigger is on in the waterfall of the very period whose collateral breaches it', () => {
  const months = [{ scheduled: 10 }, { defaulted: 20, lost: 20 }, { scheduled: 970 }];
  const breach = { metric: 'CUMULATIVE_NET_LOSS', op: 'gt', value: 1.5 } as const;
  assert.deepEqual(periodsOn(breach, 1000, months), [2, 3]);
});

test('a metric that equals its threshold breaches gte and lte, not gt and lt', () => {
  const on = (op: 'gt' | 'gte' | 'lt' | 'lte') => periodsOn({ metric: 'DELINQUENT_60', op, value: 4 }, 1000, quiet(1), [4]);
  assert.deepEqual([on('gt'), on('gte'), on('lt'), on('lte')], [[], [1], [], [1]]);
});

test('a trigger that is not curable stays on, a curable one goes off after its cure periods', () => {
  const delinquency = [5, 1, 1, 5, 1, 1, 1];
  const breach = { metric: 'DELINQUENT_60', op: 'gt', value: 4 } as const;
  assert.deepEqual(periodsOn(breach, 1000, quiet(7), delinquency), [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(periodsOn({ ...breach, curable: true }, 1000, quiet(7), delinquency), [1, 4]);
  assert.deepEqual(periodsOn({ ...breach, curable: true, cure_periods: 3 }, 1000, quiet(7), delinquency), [1, 2, 3, 4, 5, 6]);
});

test('the figures of a test of DATE are shown as days and as dates', () => {
  const structure = sequential([note('A', 900, 0, 1)], {
    triggers: [{ trigger: 't', metric: 'DATE', op: 'gte', value: '2027-02-15' }],
  });
  const { trace } = runOver(structure, collateralOf(1000, quiet(2)));
  assert.deepEqual(
    trace.map(({ triggers: [{ on, tests }] }) => [on, tests[0].date, tests[0].threshold_date, tests[0].threshold]),
    [
      [false, '2027-01-15', '2027-02-15', 20_864],
      [true, '2027-02-15', '2027-02-15', 20_864],
    ],
  );
});

test('consecutive breaches are needed in a row', () => {
  const breach = { metric: 'DELINQUENT_60', op: 'gt', value: 4, consecutive: 2, curable: true } as const;
  assert.deepEqual(periodsOn(breach, 1000, quiet(6), [5, 1, 5, 5, 5, 1]), [4, 5]);
});

test('an average takes the last three periods, and fewer at the start', () => {
  const breach = { metric: 'DELINQUENT_60_AVG3', op: 'gt', value: 4, curable: true } as const;
  // Means: 5, 3.5, 3.67, 5, 7.
  assert.deepEqual(periodsOn(breach, 1000, quiet(5), [5, 2, 4, 9, 8]), [1, 4, 5]);
});

/** Principal paid a month as a share of 1,000, as an amortization event of a card facility tests it. */
const FACILITY_TESTS = [
  { metric: 'PAYMENT_RATE_AVG3', op: 'lt', value: 3 },
  { metric: 'DELINQUENT_60', op: 'gt', value: 4, consecutive: 2 },
] as const;

test('any of several tests, each with its own count of periods, is enough for an amortization event', () => {
  const months = [40, 35, 30, 10, 5, 5].map((scheduled) => ({ scheduled }));
  const anyOf = { any_of: [...FACILITY_TESTS], curable: true };
  // Payment rates 4.0, 3.6, 3.2, 1.1, …: the mean of three falls below 3 in month 4.
  assert.deepEqual(periodsOn(anyOf, 1000, months, [0]), [4, 5, 6]);
  assert.deepEqual(periodsOn(anyOf, 1000, months, [5, 5, 0, 0, 0, 0]), [2, 4, 5, 6]);
});

test('all of several tests must breach together', () => {
  const months = [40, 35, 30, 10, 5, 5].map((scheduled) => ({ scheduled }));
  const allOf = { all_of: [...FACILITY_TESTS], curable: true };
  assert.deepEqual(periodsOn(allOf, 1000, months, [5, 5, 5, 0, 5, 5]), [6]);
});

/**
 * Chase Manhattan Credit Card Master Trust 1996-A, monthly reports of 2002: August earned 16.86 less 2.14, 1.43 and 4.80, September 14.92
 * less 1.98, 1.41 and 4.71, percent a year. June and July follow from the printed three-month averages of 9.32 and 8.06.
 */
const CARD_MONTHS = [
  { portfolioYield: 10.6, deductions: [0, 0, 0] },
  { portfolioYield: 8.87, deductions: [0, 0, 0] },
  { portfolioYield: 16.86, deductions: [2.14, 1.43, 4.8] },
  { portfolioYield: 14.92, deductions: [1.98, 1.41, 4.71] },
];

test('excess spread of a card trust is its portfolio yield less deductions, and its trigger tests the three-month average', () => {
  const pool = 1_200_000;
  const monthly = (percent: number) => (pool * percent) / 1200;
  // The pool stays level: losses come out of pending defaults.
  const months = CARD_MONTHS.map(({ portfolioYield, deductions: [fees = 0, interest = 0, losses = 0] }) => ({
    interest: monthly(portfolioYield - fees - interest),
    lost: monthly(losses),
  }));
  const structure = sequential([note('A', 900_000, 0, 1)], {
    triggers: [
      {
        trigger: 'spread',
        any_of: [
          { metric: 'EXCESS_SPREAD', op: 'lt', value: 0 },
          { metric: 'EXCESS_SPREAD_AVG3', op: 'lt', value: 0 },
        ],
      },
    ],
  });
  const { trace } = runOver(structure, collateralOf(pool, months));
  const spreads = trace.map(({ triggers }) =>
    triggers[0].tests.map(({ value }) => Math.round((value ?? Number.NaN) * 100) / 100),
  );
  assert.deepEqual(spreads.slice(2), [
    [8.49, 9.32],
    [6.82, 8.06],
  ]);
});

test('excess spread takes fees, note interest and losses of the period from its interest', () => {
  const structure = sequential([note('A', 900, 4, 1)], {
    fees: [{ fee: 'servicing', percent: 1 }],
    waterfall: [
      { pay: 'FEE', to: ['servicing'] },
      { pay: 'INTEREST', to: ['A'] },
      { pay: 'PRINCIPAL', to: ['A'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
    triggers: [{ trigger: 'spread', metric: 'EXCESS_SPREAD', op: 'lt', value: 2 }],
  });
  const { trace } = runOver(structure, collateralOf(1200, [{ interest: 12, defaulted: 2, lost: 2 }, { scheduled: 1198 }]));
  // 12 x (12 - 1 - 3 - 2) / 1200 = 6 %.
  assert.equal(trace[0].triggers[0].tests[0].value, 6);
});

test('over-collateralisation and reserve are those after the payment before, against the pool of this period', () => {
  const structure = sequential([note('A', 900, 0, 1)], {
    accounts: [{ account: 'reserve', initial: 8, target: 8 }],
    triggers: [
      {
        trigger: 't',
        any_of: [
          { metric: 'OC', op: 'lt', value: 0 },
          { metric: 'RESERVE_RATIO', op: 'lt', value: 0 },
          { metric: 'POOL_FACTOR', op: 'lt', value: 0 },
        ],
      },
    ],
  });
  const { trace } = runOver(structure, collateralOf(1000, [{ scheduled: 200 }, { scheduled: 800 }]));
  // Pool 800 against notes of 900 before the payment.
  assert.deepEqual(
    trace[0].triggers[0].tests.map(({ value }) => value),
    [-12.5, 1, 80],
  );
});

test('a breached trigger turns principal from pro rata to sequential', () => {
  const structure = sequential([note('A', 600, 0, 1), note('B', 300, 0, 2)], {
    triggers: [{ trigger: 'cnl', metric: 'CUMULATIVE_NET_LOSS', op: 'gt', value: 1 }],
    waterfall: [
      { pay: 'PRINCIPAL', to: ['A', 'B'], order: 'PRO_RATA', unless: 'cnl' },
      { pay: 'PRINCIPAL', to: ['A', 'B'], when: 'cnl' },
      { pay: 'INTEREST', to: ['A', 'B'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  });
  const months = [{ scheduled: 90 }, { scheduled: 90, defaulted: 20, lost: 20 }, { scheduled: 800 }];
  const { flows, trace } = runOver(structure, collateralOf(1000, months));
  assert.deepEqual([flows.tranches[1].principal[0], flows.tranches[1].principal[1]], [30, 0]);
  assert.deepEqual(
    trace[1].steps.slice(0, 2).map(({ active, paid }) => [active, paid]),
    [
      [false, 0],
      [true, 90],
    ],
  );
});
