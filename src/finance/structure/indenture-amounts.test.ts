import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  collateralOf,
  type HandMonth,
  note,
  POOL_DATES,
  RESIDUAL,
  runOver,
  sequential,
} from '../../../test/support/structures.ts';
import { assuming } from '../test-support.ts';
import type { Amount } from './amount.ts';
import { recomputePeriod, type ReportedPeriod } from './certificate.ts';
import { compileStructure } from './compiled-structure.ts';
import type { DealState } from './deal-state.ts';
import { newTriggerState } from './triggers.ts';
import { runWarnings } from './run-warnings.ts';
import type { NormalScenario } from './normal-request.ts';
import type { Step, Structure, Test, Tranche, Trigger } from './structure.ts';

/* Amounts, triggers and calls of the second edition of the language, each by a case that a person can compute. */

const CENT = { first_payment_date: '2027-01-15', business_day: 'NONE', rounding: 'CENT' } as const;
const RESIDUAL_STEP: Step = { pay: 'RESIDUAL', to: ['R'] };
const MONTH: HandMonth = { scheduled: 100, prepaid: 50, defaulted: 40, recovered: 15, lost: 25, interest: 80 };
const DELINQUENCY = assuming({ delinquency30Percent: [10], delinquencyPercent: [5], delinquency90Percent: [2] });

/** What an amount of principal is worth in each period, before anything is paid but fees and interest. */
function worth(amount: Amount, changes: Partial<Structure> = {}, months: HandMonth[] = [MONTH, {}]): number[] {
  const structure = sequential([note('A', 6000, 6, 1), note('B', 3000, 3, 2)], {
    payment: CENT,
    fees: [{ fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' }],
    accounts: [{ account: 'reserve', initial: 77, target: 77, draws: [] }],
    pool: {
      adjustment: [
        { from_period: 0, value: 300 },
        { from_period: 1, value: 200 },
      ],
    },
    waterfall: [
      { pay: 'FEE', to: ['servicing'] },
      { pay: 'INTEREST', to: ['A', 'B'] },
      { step: 'worth', pay: 'PRINCIPAL', to: ['A', 'B'], amount, limit: 8900 },
      RESIDUAL_STEP,
    ],
    ...changes,
  });
  const { trace } = runOver(structure, collateralOf(10_000, months), DELINQUENCY);
  return trace.slice(0, -1).map(({ steps }) => steps.find(({ name }) => name === 'worth')?.due ?? Number.NaN);
}

test('every base has its amount of the period', () => {
  const tenth = (of: string, of_tranches?: string[]) =>
    worth({ percent: 10, of, ...(of_tranches ? { of_tranches } : {}) } as Amount)[0];
  const expected: [string, number, string[]?][] = [
    ['POOL_ORIGINAL', 1000],
    ['POOL_BEGINNING', 1000],
    ['POOL_CURRENT', 981],
    ['POOL_ADJUSTED', 961],
    ['POOL_ADJUSTED_ORIGINAL', 970],
    ['NOTES', 900],
    ['NOTES', 300, ['B']],
    ['NOTES_ORIGINAL', 900],
    ['NOTES_ORIGINAL', 600, ['A*']],
    ['COLLECTIONS', 24.5],
    ['SCHEDULED', 10],
    ['PREPAID', 5],
    ['LIQUIDATED', 4],
    ['RECOVERED', 1.5],
    ['LOSS', 2.5],
    // 30.00 of A, 7.50 of B; a fee of 8.33. They are paid already, and were due all the same.
    ['INTEREST_DUE', 3.75],
    ['INTEREST_DUE', 0.75, ['B']],
    ['FEES_DUE', 0.83],
    ['ACCOUNT:reserve', 7.7],
    ['DELINQUENT_30', 98.1],
    ['DELINQUENT_60', 49.05],
    ['DELINQUENT_90', 19.62],
  ];
  for (const [of, amount, names] of expected) assert.equal(tenth(of, names), amount, `${of} ${names?.join(', ')}`);
});

test('written off and accreted amounts are bases', () => {
  const z: Tranche = note('Z', 1000, 12, 3, { interest: 'ACCRUE_UNTIL', accrue_until: ['A'] });
  const structure = (of: 'WRITTEN_DOWN' | 'ACCRETED'): Structure =>
    sequential([note('A', 6000, 0, 1), z], {
      payment: CENT,
      losses: { mode: 'REVERSE_SEQUENTIAL' },
      waterfall: [
        { step: 'worth', pay: 'PRINCIPAL', to: ['A', 'Z'], amount: { percent: 100, of, of_tranches: ['Z'] } },
        RESIDUAL_STEP,
      ],
    });
  const due = (of: 'WRITTEN_DOWN' | 'ACCRETED') => {
    const months = [{ defaulted: 100, lost: 100 }, { scheduled: 50 }, {}];
    return runOver(structure(of), collateralOf(7000, months)).trace.map(({ steps }) => steps[0].due);
  };
  // 1 % of 1,000 accretes; without cash 6,000 + 1,010 − 6,900 is written off, and accretes no more.
  assert.deepEqual(due('ACCRETED').slice(0, 2), [10, 9]);
  assert.deepEqual(due('WRITTEN_DOWN').slice(0, 2), [0, 110]);
});

test('a fee and a notional that are of the interest of a period count all of it, wherever they stand', () => {
  const io: Tranche = {
    tranche: 'IO',
    notional: { percent: 100, of: 'ACCRETED', of_tranches: ['Z'] },
    coupon: { type: 'FIXED', rate: 12 },
  };
  const z: Tranche = note('Z', 1000, 12, 3, { interest: 'ACCRUE_UNTIL', accrue_until: ['A'] });
  const structure = sequential([io, note('A', 6000, 6, 1), z], {
    payment: CENT,
    fees: [{ fee: 'manager', amount_per_year: { percent: 120, of: 'INTEREST_DUE', of_tranches: ['A'] } }],
    waterfall: [
      { step: 'fee', pay: 'FEE', to: ['manager'] },
      { step: 'interest', pay: 'INTEREST', to: ['A', 'IO'] },
      { pay: 'PRINCIPAL', to: ['A', 'Z'], amount: 0 },
      RESIDUAL_STEP,
    ],
  });
  const { trace } = runOver(structure, collateralOf(7000, [{ interest: 80 }, { interest: 80 }, { scheduled: 7000 }]));
  const paid = (name: string) => trace.slice(0, 2).map(({ steps }) => steps.find((step) => step.name === name)?.paid);
  // A tenth of 30.00 on A; Z accretes 10.00, then 10.10, of which 1 % is 0.10.
  assert.deepEqual(paid('fee'), [3, 3]);
  assert.deepEqual(paid('interest'), [30.1, 30.1]);
});

test('amounts are the largest, the smallest, the sum or the difference of others, in each other', () => {
  const loss: Amount = { percent: 100, of: 'LOSS' };
  assert.equal(worth({ max_of: [10, loss, 5] })[0], 25);
  assert.equal(worth({ min_of: [10, loss, 5] })[0], 5);
  assert.equal(worth({ sum_of: [10, loss, 5] })[0], 40);
  assert.equal(worth({ minus: [40, loss, 5] })[0], 10);
  assert.equal(worth({ minus: [10, loss] })[0], 0);
  assert.equal(worth({ max_of: [{ min_of: [{ sum_of: [{ minus: [50, loss] }, 3] }, 40] }, 1] })[0], 28);
  assert.equal(worth({ percent: { sum_of: [20, 30] }, of: 'SCHEDULED', floor: { percent: 60, of: 'SCHEDULED' } })[0], 60);
});

test('a schedule holds after its last point, by period or by date', () => {
  const months = Array.from({ length: 5 }, () => ({ scheduled: 100, interest: 80 }));
  assert.deepEqual(
    worth(
      [
        { from_period: 1, value: 5 },
        { from_period: 3, value: 7 },
      ],
      {},
      months,
    ),
    [5, 5, 7, 7],
  );
  // Paid on 15 January, February, March, April.
  const byDate = [
    { from_date: '2027-01-01', value: 5 },
    { from_date: '2027-02-16', value: 7 },
  ];
  assert.deepEqual(worth(byDate, {}, months), [5, 5, 7, 7]);
  assert.deepEqual(worth([byDate[0], { from_date: '2027-02-15', value: 7 }], {}, months), [5, 7, 7, 7]);
});

/** Coupons of note A by period. */
function couponsOf(
  rate: Amount,
  triggers: Trigger[] = [],
  months: HandMonth[] = Array.from({ length: 5 }, () => ({})),
): number[] {
  const structure = sequential([note('A', 500, 0, 1, { coupon: { type: 'FIXED', rate } })], { payment: CENT, triggers });
  return [...runOver(structure, collateralOf(1000, months)).flows.tranches[0].coupon].slice(0, -1);
}

test('a rate of a schedule changes with the next accrual', () => {
  // Accruals begin on 15 December, January, February, March.
  const from = (date: string) =>
    couponsOf([
      { from_date: '2026-12-01', value: 5 },
      { from_date: date, value: 6 },
    ]);
  assert.deepEqual(from('2027-01-15'), [5, 6, 6, 6]);
  assert.deepEqual(from('2027-01-16'), [5, 5, 6, 6]);
  assert.deepEqual(
    couponsOf([
      { from_period: 1, value: 5 },
      { from_period: 3, value: 6 },
    ]),
    [5, 5, 6, 6],
  );
});

/** On in the second period alone. */
const IN_SECOND: Trigger = {
  trigger: 't',
  all_of: [
    { metric: 'PERIOD', op: 'gte', value: 2 },
    { metric: 'PERIOD', op: 'lte', value: 2 },
  ],
  curable: true,
};

test('an amount that depends on a trigger reverts by itself on cure', () => {
  const months = Array.from({ length: 5 }, () => ({ scheduled: 100, interest: 80 }));
  assert.deepEqual(
    worth({ if: 't', then: 10, else: { percent: 1, of: 'SCHEDULED' } }, { triggers: [IN_SECOND] }, months),
    [1, 10, 1, 1],
  );
});

test('a rate that depends on a trigger changes with the next accrual, and back with the one after the cure', () => {
  assert.deepEqual(couponsOf({ if: 't', then: 7, else: 5 }, [IN_SECOND]), [5, 5, 7, 5]);
});

test('a declared event changes steps on its payment date and rates with the next accrual', () => {
  const structure = sequential([note('A', 1200, 0, 1, { coupon: { type: 'FIXED', rate: { if: 'eod', then: 10, else: 5 } } })], {
    payment: CENT,
    triggers: [{ trigger: 'eod', declared: true }],
    waterfall: [
      { pay: 'INTEREST', to: ['A'] },
      { pay: 'PRINCIPAL', to: ['A'], amount: 1, unless: 'eod' },
      { pay: 'PRINCIPAL', to: ['A'], amount: 'ALL', when: 'eod' },
      RESIDUAL_STEP,
    ],
  });
  const compiled = compileStructure(structure, { ...POOL_DATES, poolOriginal: 2000, collateralMonths: 1 });
  const start: DealState = {
    period: 0,
    payment_date: null,
    pool_original: 2000,
    pool_balance: 2000,
    cumulative_net_loss_amount: 0,
    tranches: { A: { balance: 1200, shortfall: 0 }, R: { balance: 0, shortfall: 0 } },
    triggers: newTriggerState(compiled.triggers),
  };
  const report = (period: number, more: Partial<ReportedPeriod> = {}): ReportedPeriod => ({
    period,
    paymentDate: `2027-0${period}-15`,
    poolEnding: 1900,
    interest: 100,
    principal: 0,
    scheduled: 0,
    prepaid: 0,
    recovered: 0,
    loss: 0,
    earned: {},
    billed: {},
    fixings: {},
    netWac: null,
    adjustment: null,
    adjustmentOriginal: null,
    delinquent: [null, null, null],
    events: [],
    call: null,
    ...more,
  });
  const first = recomputePeriod(structure, POOL_DATES, start, report(1, { events: [{ trigger: 'eod', on: true }] }));
  assert.deepEqual([first.run.interestPaid[0], first.run.principalPaid[0]], [500, 9500]);
  const second = recomputePeriod(structure, POOL_DATES, first.state, report(2));
  // 10 % of 1,105.00 / 12 = 9.2083…; what the report does not mention stays on.
  assert.deepEqual([second.run.interestPaid[0], second.run.principalPaid[0]], [921, 9079]);
});

test('the share of named tranches in the pool is a percentage, with a part of the rest', () => {
  // s = 6,000 / 10,000 = 60; half of the rest is 20: 80 % of 50 prepaid.
  const shifted = (shift: Amount): Amount => ({ percent: { share_of: ['A'], shift }, of: 'PREPAID' });
  assert.equal(worth(shifted(50))[0], 40);
  assert.equal(worth(shifted(0))[0], 30);
  assert.equal(worth(shifted([{ from_period: 1, value: 100 }]))[0], 50);
  // 9,000 of a pool of 5,000 are all of it.
  const months = [{ scheduled: 100, prepaid: 50 }, {}];
  const structure = sequential([note('A', 9000, 0, 1)], {
    payment: CENT,
    waterfall: [
      { pay: 'PRINCIPAL', to: ['A'], amount: { percent: { share_of: ['A'], shift: 0 }, of: 'PREPAID' } },
      RESIDUAL_STEP,
    ],
  });
  assert.equal(runOver(structure, collateralOf(5000, months)).trace[0].steps[0].due, 50);
});

/** Periods in which a trigger is on, over a note of 900 whose principal is what is collected. */
function periodsOn(trigger: Omit<Trigger, 'trigger'>, months: HandMonth[], changes: Partial<Structure> = {}): number[] {
  const structure = sequential([note('A', 600, 0, 1), note('B', 300, 12, 2)], {
    payment: CENT,
    triggers: [{ trigger: 't', curable: true, ...trigger }],
    ...changes,
  });
  const { trace } = runOver(structure, collateralOf(1000, months), DELINQUENCY);
  return trace.filter(({ triggers }) => triggers[0].on).map(({ period }) => period);
}

test('PERIOD is a number, DATE a payment date', () => {
  const months = Array.from({ length: 4 }, () => ({}));
  assert.deepEqual(periodsOn({ metric: 'PERIOD', op: 'gte', value: 3 }, months), [3, 4]);
  assert.deepEqual(periodsOn({ metric: 'DATE', op: 'gte', value: '2027-02-15' }, months), [2, 3, 4]);
  assert.deepEqual(periodsOn({ metric: 'DATE', op: 'gt', value: '2027-02-15' }, months), [3, 4]);
});

test('shortfalls are those after the payment before', () => {
  // 3.00 a month is due to B, 1.00 is there in the first month.
  const months = [{ interest: 1 }, { interest: 20 }, {}, {}];
  assert.deepEqual(periodsOn({ metric: 'INTEREST_SHORTFALL', op: 'gte', value: 2 }, months), [2, 4]);
  assert.deepEqual(periodsOn({ metric: 'INTEREST_SHORTFALL', of_tranches: ['A'], op: 'gt', value: 0 }, months), []);
  const short: Step[] = [{ pay: 'PRINCIPAL', to: ['A', 'B'], amount: 5 }, RESIDUAL_STEP];
  // The second month pays all of the 5.00.
  assert.deepEqual(periodsOn({ metric: 'PRINCIPAL_SHORTFALL', op: 'gte', value: 4 }, months, { waterfall: short }), [2, 4]);
});

test('delinquency is a percentage by bucket, each with the worse ones', () => {
  const on = (metric: 'DELINQUENT_30' | 'DELINQUENT_90', value: number) =>
    periodsOn({ metric, op: 'gte', value }, [{}, {}]).length > 0;
  assert.deepEqual(
    [on('DELINQUENT_30', 10), on('DELINQUENT_30', 10.1), on('DELINQUENT_90', 2), on('DELINQUENT_90', 2.1)],
    [true, false, true, false],
  );
});

test('the net loss of 12 months is a percentage of the original pool, and forgets what is older', () => {
  const months = Array.from({ length: 15 }, (_, index) => (index === 1 ? { defaulted: 20, lost: 20 } : {}));
  const on = periodsOn({ metric: 'NET_LOSS_12M', op: 'gte', value: 2 }, months);
  assert.deepEqual([on[0], on.at(-1)], [2, 13]);
});

test('the balance of notes is an amount, exact to the cent at its threshold', () => {
  const months = [{ scheduled: 100.93, interest: 3 }, { interest: 3 }, {}];
  assert.deepEqual(periodsOn({ metric: 'NOTE_BALANCE', op: 'lt', value: 799.07 }, months), []);
  assert.deepEqual(periodsOn({ metric: 'NOTE_BALANCE', op: 'lte', value: 799.07 }, months), [2, 3]);
  // 71,234,567.29 × 100 is a little above a whole number as a double.
  const large = { tranches: [note('A', 71_234_567.29, 0, 1), note('B', 0, 0, 2), RESIDUAL] };
  assert.deepEqual(periodsOn({ metric: 'NOTE_BALANCE', op: 'gte', value: 71_234_567.29 }, [{}, {}], large), [1, 2]);
  assert.deepEqual(periodsOn({ metric: 'NOTE_BALANCE', of_tranches: ['B'], op: 'lte', value: 300 }, months), [1, 2, 3]);
});

test('a trace shows amounts of tests in currency units, whatever the run counts in', () => {
  for (const rounding of ['CENT', 'NONE'] as const) {
    const structure = sequential([note('A', 600, 0, 1), note('B', 300, 12, 2)], {
      payment: { ...CENT, rounding },
      triggers: [
        { trigger: 'notes', metric: 'NOTE_BALANCE', op: 'lt', value: 799.07 },
        { trigger: 'share', metric: 'NOTE_BALANCE', op: 'lt', value: { percent: 50, of: 'POOL_ORIGINAL' } },
        { trigger: 'factor', metric: 'POOL_FACTOR', op: 'lt', value: 50 },
      ],
    });
    const { trace } = runOver(structure, collateralOf(1000, [{ scheduled: 100.93, interest: 3 }, {}]), DELINQUENCY);
    const shown = trace[1].triggers.map(({ tests }) => [tests[0].value, tests[0].threshold]);
    assert.deepEqual(shown, [
      [799.07, 799.07],
      [799.07, 500],
      [89.907, 50],
    ]);
  }
});

test('over-collateralisation counts the named tranches', () => {
  // (1,000 − 600) / 1,000 = 40 %; with B 10 %.
  const on = (value: number, of_tranches?: string[]) =>
    periodsOn({ metric: 'OC', op: 'gte', value, ...(of_tranches ? { of_tranches } : {}) }, [{}, {}]).length > 0;
  assert.deepEqual([on(40, ['A']), on(40.01, ['A']), on(10), on(10.01)], [true, false, true, false]);
});

test('a factor and a ratio are in percent, and a ratio may be the mean of several periods', () => {
  const months = [{ scheduled: 50 }, { scheduled: 150 }, { scheduled: 30 }, {}];
  assert.deepEqual(periodsOn({ metric: 'POOL_FACTOR', op: 'lte', value: 80 }, months), [2, 3, 4]);
  const ratio: [Amount, Amount] = [
    { percent: 100, of: 'SCHEDULED' },
    { percent: 100, of: 'POOL_ORIGINAL' },
  ];
  // 5, 15, 3 and 0; means of two: 5, 10, 9, 1.5.
  assert.deepEqual(periodsOn({ ratio, op: 'gte', value: 5 }, months), [1, 2]);
  assert.deepEqual(periodsOn({ ratio, average: 2, op: 'gte', value: 9 }, months), [2, 3]);
});

test('a ratio after the payment counts in the next period', () => {
  const ratio: [Amount, Amount] = [
    { percent: 100, of: 'NOTES' },
    { percent: 100, of: 'POOL_CURRENT' },
  ];
  // Before the payments 900 / 800 and 700 / 800; after them 700 / 800.
  const months = [{ scheduled: 200 }, {}, {}];
  assert.deepEqual(periodsOn({ ratio, op: 'lt', value: 90 }, months), [2, 3]);
  assert.deepEqual(periodsOn({ ratio, op: 'gt', value: 100 }, months), [1]);
  assert.deepEqual(periodsOn({ ratio, after_payment: true, op: 'lt', value: 90 }, months), [2, 3]);
  assert.deepEqual(periodsOn({ ratio, after_payment: true, op: 'gt', value: 0 }, months), [2, 3]);
});

test('a reserve is tested as it was after the payment before, without the income of the period', () => {
  const accounts = [{ account: 'reserve', initial: 100, target: 100, earns: { rate: 12 } }];
  // 10 % of a pool of 1,000; with income 10.1 %.
  assert.deepEqual(periodsOn({ metric: 'RESERVE_RATIO', op: 'gt', value: 10.05 }, [{ interest: 3 }, {}], { accounts }), [2]);
});

test('steps ask for any or all of several triggers', () => {
  const at = (trigger: string, period: number): Trigger => ({ trigger, metric: 'PERIOD', op: 'gte', value: period });
  const paidIn = (gate: Pick<Step, 'when' | 'unless'>) => {
    const structure = sequential([note('A', 900, 0, 1)], {
      payment: CENT,
      triggers: [at('x', 2), at('y', 3)],
      waterfall: [{ pay: 'PRINCIPAL', to: ['A'], amount: 'ALL', ...gate }, RESIDUAL_STEP],
    });
    const months = Array.from({ length: 5 }, () => ({ interest: 1 }));
    const { flows } = runOver(structure, collateralOf(1000, months));
    return Array.from(flows.tranches[0].principal.slice(0, 4)).flatMap((paid, index) => (paid > 0 ? [index + 1] : []));
  };
  assert.deepEqual(paidIn({ when: { any_of: ['x', 'y'] } }), [2, 3, 4]);
  assert.deepEqual(paidIn({ when: { all_of: ['x', 'y'] } }), [3, 4]);
  assert.deepEqual(paidIn({ unless: { any_of: ['x', 'y'] } }), [1]);
  assert.deepEqual(paidIn({ unless: { all_of: ['x', 'y'] } }), [1, 2]);
  assert.deepEqual(paidIn({ when: 'x', unless: 'y' }), [2]);
});

const CALL_MONTHS: HandMonth[] = [{ scheduled: 100 }, { scheduled: 100 }, { scheduled: 100 }, { scheduled: 700 }];
const called = (tests: Test[], price?: Amount, notes = [note('A', 900, 0, 1)]) => {
  const structure = sequential(notes, {
    payment: CENT,
    calls: [{ call: 'optional', any_of: tests, ...(price === undefined ? {} : { price }) }],
  });
  const collateral = collateralOf(1000, CALL_MONTHS);
  const { flows } = runOver(structure, collateral);
  const compiled = compileStructure(structure, { ...POOL_DATES, poolOriginal: 1000, collateralMonths: 4 });
  const warnings = runWarnings({ scenario: 'base', assumptions: assuming() } as NormalScenario, {
    structure: compiled,
    flows,
    collateral,
  });
  return { flows, warnings };
};

test('a pool is called by a date or a factor, whichever comes first, for a price', () => {
  const byDate: Test = { metric: 'DATE', op: 'gte', value: '2027-03-15' };
  const byFactor: Test = { metric: 'POOL_FACTOR', op: 'lte', value: 80 };
  assert.equal(called([byDate]).flows.calledAt, 2);
  assert.equal(called([byDate, byFactor]).flows.calledAt, 1);
  // 101 % of the 800.15 that are left would be 808.1515: a price is in whole cents.
  const { flows } = called([byFactor], { percent: 101.019, of: 'POOL_CURRENT' });
  assert.equal(flows.callProceeds[1], 808.15);
  assert.deepEqual([flows.tranches[0].closing[1], flows.tranches[1].interestPaid[1]], [0, 108.15]);
});

test('a call that is due and cannot pay the notes is not exercised, with a warning by its name', () => {
  const { flows, warnings } = called([{ metric: 'PERIOD', op: 'gte', value: 2 }], 500);
  // 800 of notes; 100 collected and 500.
  assert.equal(flows.calledAt, -1);
  assert.deepEqual(flows.callShort, { index: 1, missing: 200, call: 'optional' });
  assert.deepEqual(warnings, [
    'scenario "base": the call "optional" is due from period 2 (2027-02-15), where cash, accounts and pool lack $200 to pay fees, interest and notes; it is never exercised',
  ]);
});

test('a call that is not exercised, and a scenario without calls, run to the end', () => {
  const any_of: Test[] = [{ metric: 'PERIOD', op: 'gte', value: 2 }];
  const structure = sequential([note('A', 900, 0, 1)], {
    payment: CENT,
    calls: [{ call: 'optional', any_of, exercised: false }],
  });
  assert.equal(runOver(structure, collateralOf(1000, CALL_MONTHS)).flows.calledAt, -1);
  const exercised = { ...structure, calls: [{ call: 'optional', any_of }] };
  assert.equal(runOver(exercised, collateralOf(1000, CALL_MONTHS), assuming(), { call: false }).flows.calledAt, -1);
  assert.equal(runOver(exercised, collateralOf(1000, CALL_MONTHS)).flows.calledAt, 1);
});

test('the first payment distributes several months, and delinquency is that of the last of them', () => {
  const structure = sequential([note('A', 900, 0, 1)], {
    payment: { ...CENT, first_collection_months: 2 },
    triggers: [{ trigger: 't', metric: 'DELINQUENT_60', op: 'gte', value: 4, curable: true }],
  });
  const months = [{ scheduled: 10, interest: 1 }, { scheduled: 20, interest: 2 }, { scheduled: 30, interest: 3 }, {}];
  const { flows, trace } = runOver(structure, collateralOf(1000, months), assuming({ delinquencyPercent: [1, 4, 1] }));
  assert.deepEqual(Array.from(flows.tranches[0].principal.slice(0, 2)), [30, 30]);
  assert.deepEqual(Array.from(flows.interestCollected.slice(0, 2)), [3, 3]);
  assert.deepEqual(
    trace.map(({ triggers }) => triggers[0].on),
    [true, false, false],
  );
});

test('excess spread and payment rate of a first payment of several months are those of a year and of a month', () => {
  const months = [{ scheduled: 10, interest: 1 }, { scheduled: 20, interest: 2 }, { scheduled: 20, interest: 3 }, {}];
  const structure = (payment: Structure['payment']): Structure =>
    sequential([note('A', 900, 0, 1)], {
      payment: { ...CENT, ...payment },
      triggers: [
        { trigger: 'excess', metric: 'EXCESS_SPREAD', op: 'lt', value: 0, curable: true },
        { trigger: 'paid', metric: 'PAYMENT_RATE', op: 'lt', value: 0, curable: true },
      ],
    });
  const measured = (payment: Structure['payment'], periods: number) =>
    runOver(structure(payment), collateralOf(1000, months))
      .trace.slice(0, periods)
      .map(({ triggers }) => triggers.map(({ tests }) => tests[0].value));
  // 3 of 1,000 in two months are 1.8 % a year, and 30 in two months 1.5 % a month; then 3 and 20 of 970 in one.
  assert.deepEqual(measured({ first_collection_months: 2 }, 2), [
    [1.8, 1.5],
    [3.71134, 2.061856],
  ]);
  // A first date that is a month behind has collected one of its two months: 1 and 10 of 1,000.
  assert.deepEqual(measured({ first_collection_months: 2, delay_months: 1 }, 1), [[1.2, 1]]);
});
