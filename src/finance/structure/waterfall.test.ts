import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collateralOf, loan, note, RESIDUAL, runDeal, runOver, sequential } from '../../../test/support/structures.ts';
import type { WaterfallFlows } from './flows.ts';
import type { Step, Structure, Tranche } from './structure.ts';

const at = (
  flows: WaterfallFlows,
  place: number,
  name: 'principal' | 'interestPaid' | 'closing' | 'shortfall' | 'writeDown' | 'accreted',
) => Array.from(flows.tranches[place][name], (amount) => Math.round(amount * 100) / 100);

const TWO_NOTES = [note('A', 600, 12, 1), note('B', 300, 12, 2)];
const RESIDUAL_STEP: Step = { pay: 'RESIDUAL', to: ['R'] };

test('sequential principal pays no later note while an earlier one is unpaid', () => {
  const notes = [note('A', 600, 0, 1), note('B', 300, 0, 2)];
  const { flows } = runOver(sequential(notes), collateralOf(1000, [{ scheduled: 500 }, { scheduled: 300 }, { scheduled: 200 }]));
  assert.deepEqual(at(flows, 0, 'principal'), [500, 100, 0]);
  assert.deepEqual(at(flows, 1, 'principal'), [0, 200, 100]);
});

test('pro rata principal is shared by balance', () => {
  const structure = sequential(TWO_NOTES, {
    waterfall: [{ pay: 'PRINCIPAL', to: ['A', 'B'], order: 'PRO_RATA' }, { pay: 'INTEREST', to: ['A', 'B'] }, RESIDUAL_STEP],
  });
  const { flows } = runOver(structure, collateralOf(1000, [{ scheduled: 90 }, { scheduled: 910 }]));
  assert.deepEqual(at(flows, 0, 'principal'), [60, 540]);
  assert.deepEqual(at(flows, 1, 'principal'), [30, 270]);
});

test('pro rata interest is shared by what is due, and what is short stays due without interest', () => {
  const structure = sequential(TWO_NOTES, {
    waterfall: [{ pay: 'INTEREST', to: ['A', 'B'], order: 'PRO_RATA' }, { pay: 'PRINCIPAL', to: ['A', 'B'] }, RESIDUAL_STEP],
  });
  const { flows } = runOver(structure, collateralOf(1000, [{ interest: 3 }, { interest: 15 }, { scheduled: 1000 }]));
  assert.deepEqual(at(flows, 0, 'interestPaid').slice(0, 2), [2, 10]);
  assert.deepEqual(at(flows, 1, 'interestPaid').slice(0, 2), [1, 5]);
  assert.deepEqual(at(flows, 0, 'shortfall').slice(0, 2), [4, 0]);
});

test('unpaid interest earns the coupon only where the structure says so', () => {
  const structure = sequential([note('A', 600, 12, 1, { interest_on_shortfall: true })]);
  const { flows } = runOver(structure, collateralOf(1000, [{}, {}, { scheduled: 1000 }]));
  // 6, then 6 + 6 + 1 % of 6.
  assert.deepEqual(at(flows, 0, 'shortfall').slice(0, 2), [6, 12.06]);
});

test('a step pays at most its limit, in money or as a share of a balance', () => {
  const limited = (limit: Step['limit']) =>
    sequential([note('A', 600, 12, 1)], {
      waterfall: [
        { pay: 'INTEREST', to: ['A'], ...(limit === undefined ? {} : { limit }) },
        { pay: 'PRINCIPAL', to: ['A'] },
        RESIDUAL_STEP,
      ],
    });
  const collateral = collateralOf(1000, [{ interest: 100 }, { scheduled: 1000 }]);
  assert.equal(at(runOver(limited(5), collateral).flows, 0, 'interestPaid')[0], 5);
  assert.equal(at(runOver(limited({ percent: 0.4, of: 'POOL_ORIGINAL' }), collateral).flows, 0, 'interestPaid')[0], 4);
  assert.equal(at(runOver(limited({ percent: 0.5, of: 'NOTES' }), collateral).flows, 0, 'interestPaid')[0], 3);
});

test('an over-collateralisation target turbos notes until it is reached and then lets it shrink to its floor', () => {
  const structure = sequential([note('A', 950, 0, 1)], {
    waterfall: [
      {
        pay: 'PRINCIPAL',
        to: ['A'],
        amount: { target: 'OC', percent: 10, of: 'POOL_CURRENT', floor: { percent: 2, of: 'POOL_ORIGINAL' } },
      },
      RESIDUAL_STEP,
    ],
  });
  const months = [
    { scheduled: 100, interest: 20 },
    { scheduled: 100, interest: 60 },
    { scheduled: 700, interest: 5 },
    { scheduled: 100 },
  ];
  const { flows } = runOver(structure, collateralOf(1000, months));
  // Pool 900, 800, 100, 0: notes may be 810, 720, 80 (the floor of 20 binds), 0.
  assert.deepEqual(at(flows, 0, 'closing'), [830, 720, 80, 0]);
});

test('a NOTES target pays notes down to a share of the pool', () => {
  const structure = sequential([note('A', 900, 0, 1)], {
    waterfall: [{ pay: 'PRINCIPAL', to: ['A'], amount: { target: 'NOTES', percent: 80, of: 'POOL_CURRENT' } }, RESIDUAL_STEP],
  });
  const { flows } = runOver(structure, collateralOf(1000, [{ scheduled: 200 }, { scheduled: 800 }]));
  assert.deepEqual(at(flows, 0, 'closing'), [700, 0]);
});

test('a later step of principal collections gets what earlier steps have left of them', () => {
  const structure = sequential(TWO_NOTES, {
    waterfall: [
      { pay: 'PRINCIPAL', to: ['A'], limit: 70 },
      { pay: 'PRINCIPAL', to: ['B'] },
      { pay: 'INTEREST', to: ['A', 'B'] },
      RESIDUAL_STEP,
    ],
  });
  const { flows } = runOver(structure, collateralOf(1000, [{ scheduled: 100, interest: 50 }, { scheduled: 900 }]));
  assert.equal(at(flows, 0, 'principal')[0], 70);
  assert.equal(at(flows, 1, 'principal')[0], 30);
});

test('an accretion bond adds its interest to its balance and lends the cash to the others as principal', () => {
  const z = note('Z', 100, 12, 3, { interest: 'ACCRUE_UNTIL', accrue_until: ['A'] });
  const structure = sequential([note('A', 200, 12, 1), z]);
  const months = [
    { scheduled: 60, interest: 3 },
    { scheduled: 139.99, interest: 3 },
    { scheduled: 100, interest: 3 },
  ];
  const { flows } = runOver(structure, collateralOf(300, months));
  // Month 1: 2 of interest to A, 61 of principal (60 collected, 1 accreted).
  assert.deepEqual(at(flows, 0, 'principal').slice(0, 2), [61, 139]);
  assert.deepEqual(at(flows, 1, 'accreted'), [1, 1.01, 0]);
  assert.deepEqual(at(flows, 1, 'closing'), [101, 100.01, 0]);
});

test('fees carry forward without interest and are paid before interest', () => {
  const structure = sequential([note('A', 500, 12, 1)], {
    fees: [
      { fee: 'servicing', percent: 1.2, of: 'POOL_BEGINNING' },
      { fee: 'trustee', amount_per_year: 24 },
    ],
    waterfall: [
      { pay: 'FEE', to: ['servicing', 'trustee'] },
      { pay: 'INTEREST', to: ['A'] },
      { pay: 'PRINCIPAL', to: ['A'] },
      RESIDUAL_STEP,
    ],
  });
  const { flows } = runOver(structure, collateralOf(1000, [{ interest: 1 }, { interest: 20 }, { scheduled: 1000 }]));
  assert.deepEqual(Array.from(flows.feesPaid).slice(0, 2), [1, 5]);
  assert.deepEqual(Array.from(flows.feesUnpaid).slice(0, 2), [2, 0]);
});

/** A reserve of 50 under notes of 500. */
function withReserve(target: NonNullable<Structure['accounts']>[number]['target'], initial = 50): Structure {
  return sequential([note('A', 500, 12, 1)], {
    accounts: [{ account: 'reserve', initial, ...(target === undefined ? {} : { target }), draws: ['INTEREST'] }],
    waterfall: [
      { pay: 'INTEREST', to: ['A'] },
      { pay: 'PRINCIPAL', to: ['A'] },
      { pay: 'RESERVE', to: ['reserve'] },
      RESIDUAL_STEP,
    ],
  });
}

test('the reserve pays interest that the pot cannot, and is topped up from what is left', () => {
  const { flows, trace } = runOver(withReserve(50), collateralOf(1000, [{ interest: 2 }, { interest: 12 }, { scheduled: 1000 }]));
  assert.equal(at(flows, 0, 'interestPaid')[0], 5);
  assert.deepEqual(
    trace.map(({ accounts }) => accounts[0].closing),
    [47, 50, 0],
  );
  assert.deepEqual([trace[0].steps[0].drawn, trace[1].steps[2].paid], [3, 3]);
});

test('an account of 150 with a fixed target of 210 lacks 60 and takes it (Hastructure AccountTest)', () => {
  const { trace } = runOver(withReserve(210, 150), collateralOf(1000, [{ interest: 105 }, { scheduled: 1000 }]));
  assert.deepEqual([trace[0].steps[2].due, trace[0].steps[2].paid, trace[0].accounts[0].closing], [60, 60, 210]);
});

test('an account without an initial balance and a target is opened with nothing and takes nothing', () => {
  const structure = withReserve(undefined);
  const [{ initial: _, ...account }] = structure.accounts ?? [];
  const { flows } = runOver({ ...structure, accounts: [account] }, collateralOf(1000, [{ interest: 20 }, { scheduled: 1000 }]));
  assert.deepEqual(Array.from(flows.accounts), [0, 0]);
  // 20 less the interest of 5 on 500.
  assert.equal(at(flows, 1, 'interestPaid')[0], 15);
});

test('a reserve above its target is released to the steps after it', () => {
  const structure = withReserve({ percent: 5, of: 'POOL_CURRENT', floor: 10 });
  const { flows } = runOver(
    structure,
    collateralOf(1000, [
      { interest: 5, scheduled: 200 },
      { interest: 3, scheduled: 800 },
    ]),
  );
  assert.deepEqual(Array.from(flows.accounts), [40, 0]);
  assert.equal(at(flows, 1, 'interestPaid')[0], 10);
});

test('the reserve retires the notes as soon as it covers them', () => {
  const structure = withReserve(50);
  const months = [
    { interest: 5, scheduled: 455 },
    { interest: 1, scheduled: 545 },
  ];
  const { flows } = runOver(structure, collateralOf(1000, months));
  assert.deepEqual(at(flows, 0, 'closing'), [0, 0]);
  assert.equal(flows.drawn[0], 45);
});

test('at final maturity the whole balance is due, from the pot and then from the reserve', () => {
  const structure: Structure = {
    ...withReserve(50),
    tranches: [note('A', 500, 0, 1, { final_maturity: '2027-02-15' }), RESIDUAL],
  };
  const months = [{ scheduled: 100 }, { scheduled: 100, interest: 30 }, { scheduled: 800 }];
  const { flows } = runOver(structure, collateralOf(1000, months));
  // 100 of principal, 30 of interest and 50 of reserve; what is still unpaid is taken from the next collections.
  assert.deepEqual(at(flows, 0, 'principal'), [100, 180, 220]);
});

test('a limit holds at final maturity and in the last period, also for what the reserve covers', () => {
  const structure = (changes: Partial<Structure>): Structure =>
    sequential([note('A', 600, 0, 1, { final_maturity: '2027-01-15' })], {
      waterfall: [{ pay: 'PRINCIPAL', to: ['A'], limit: 100 }, RESIDUAL_STEP],
      ...changes,
    });
  const months = [{ scheduled: 500 }, { scheduled: 300 }, { scheduled: 200 }];
  const paid = runOver(structure({}), collateralOf(1000, months));
  assert.deepEqual(at(paid.flows, 0, 'principal'), [100, 100, 100]);
  assert.deepEqual(
    paid.trace.map(({ steps }) => [steps[0].due, steps[0].paid]),
    [
      [100, 100],
      [100, 100],
      [100, 100],
    ],
  );
  const covered = runOver(
    structure({ accounts: [{ account: 'reserve', initial: 700, target: 700 }] }),
    collateralOf(1000, [{}, {}]),
  );
  assert.deepEqual(at(covered.flows, 0, 'principal'), [100, 100]);
  // On a call limits do not hold: what is called is paid in full.
  const called = runOver(structure({ clean_up_call: { percent: 100 } }), collateralOf(1000, months));
  assert.deepEqual(at(called.flows, 0, 'principal'), [600, 0, 0]);
});

test('losses are written off from the most junior note up, as far as its balance goes', () => {
  const structure = sequential([note('A', 500, 0, 1), note('B', 100, 0, 2)], { losses: { mode: 'REVERSE_SEQUENTIAL' } });
  const months = [{ defaulted: 70, lost: 70 }, { defaulted: 50, lost: 50 }, { scheduled: 480 }];
  const { flows } = runOver(structure, collateralOf(600, months));
  assert.deepEqual(at(flows, 1, 'writeDown'), [70, 30, 0]);
  assert.deepEqual(at(flows, 0, 'writeDown'), [0, 20, 0]);
  assert.deepEqual(at(flows, 0, 'principal'), [0, 0, 480]);
});

test('a default that may still be recovered is not written off', () => {
  const structure = sequential([note('A', 600, 0, 1)], { losses: { mode: 'REVERSE_SEQUENTIAL' } });
  const months = [{ defaulted: 100 }, { recovered: 60, lost: 40 }, { scheduled: 500 }];
  const { flows } = runOver(structure, collateralOf(600, months));
  assert.deepEqual(at(flows, 0, 'writeDown'), [0, 40, 0]);
});

test('write-up gives back what was written off once the pool covers it, the most senior first', () => {
  const structure = sequential([note('A', 500, 0, 1), note('B', 100, 0, 2)], {
    losses: { mode: 'REVERSE_SEQUENTIAL', write_up: true },
    waterfall: [{ pay: 'PRINCIPAL', to: ['A', 'B'], amount: 'ALL' }, RESIDUAL_STEP],
  });
  const months = [{ defaulted: 120, lost: 120 }, { interest: 60 }, { scheduled: 480 }];
  const { flows } = runOver(structure, collateralOf(600, months));
  assert.deepEqual(at(flows, 0, 'writeDown'), [20, -20, 0]);
  assert.deepEqual(at(flows, 1, 'writeDown'), [100, -40, 0]);
});

test('without write-offs a note that is unpaid at the end keeps its balance as its loss', () => {
  const { flows } = runOver(
    sequential([note('A', 600, 0, 1)]),
    collateralOf(600, [{ defaulted: 100, lost: 100 }, { scheduled: 500 }]),
  );
  assert.deepEqual(at(flows, 0, 'closing'), [600, 100]);
});

const CALLED = sequential(TWO_NOTES, { clean_up_call: { percent: 50 } });
const TO_CALL = collateralOf(1000, [
  { scheduled: 400, interest: 10 },
  { scheduled: 200, interest: 10 },
  { scheduled: 400, interest: 10 },
]);

test('the call pays notes and accrued interest on the first date at or below its percentage, and the deal ends', () => {
  const { flows, trace } = runOver(CALLED, TO_CALL);
  assert.equal(flows.calledAt, 1);
  assert.deepEqual([at(flows, 0, 'closing')[1], at(flows, 1, 'closing')[1]], [0, 0]);
  assert.equal(flows.callProceeds[1], 400);
  assert.equal(trace.length, 2);
});

test('a pool that is at the percentage on paper is called, whatever its doubles lost', () => {
  const loans = [loan(1_000_000, 0, 60)];
  const callable = sequential([note('A', 500_000, 3, 1)], { clean_up_call: { percent: 20 } });
  const { flows, collateral } = runDeal(callable, loans);
  assert.ok(collateral.closing[47] > 200_000);
  assert.equal(flows.calledAt, 47);
});

test('a pool of no cents is not called: it is paid', () => {
  const structure = sequential([note('A', 900, 0, 1)], { clean_up_call: { percent: 10 } });
  const { flows } = runOver(structure, { ...collateralOf(1000, [{ scheduled: 1000 }]), closing: Float64Array.of(1e-10) });
  assert.equal(flows.calledAt, -1);
});

test('a scenario without the call runs to maturity', () => {
  const { flows } = runOver(CALLED, TO_CALL, undefined, { call: false });
  assert.equal(flows.calledAt, -1);
});

test('a call that would leave notes unpaid is not exercised', () => {
  const months = [
    { defaulted: 600, lost: 600 },
    { scheduled: 400, interest: 10 },
  ];
  const { flows } = runOver(CALLED, collateralOf(1000, months));
  assert.equal(flows.calledAt, -1);
  assert.ok(flows.callShort && flows.callShort.missing > 0);
});

test('a call redeems notes that no step would pay on that date', () => {
  const structure = sequential(TWO_NOTES, {
    clean_up_call: { percent: 50 },
    triggers: [{ trigger: 'never', metric: 'POOL_FACTOR', op: 'lt', value: 0 }],
    waterfall: [
      { pay: 'PRINCIPAL', to: ['A'] },
      { pay: 'INTEREST', to: ['A', 'B'], when: 'never' },
      { pay: 'PRINCIPAL', to: ['B'], when: 'never' },
      RESIDUAL_STEP,
    ],
  });
  const { flows, trace } = runOver(structure, TO_CALL);
  assert.deepEqual([at(flows, 1, 'principal')[1], at(flows, 1, 'interestPaid')[1]], [300, 6]);
  assert.equal(trace[1].steps.find((step) => step.pay === 'REDEMPTION')?.shortfall, 0);
});

test('a delay shifts which month of collateral a payment distributes', () => {
  const structure = sequential([note('A', 900, 0, 1)], { payment: { first_payment_date: '2027-01-15', delay_months: 1 } });
  const { flows } = runOver(structure, collateralOf(1000, [{ scheduled: 400 }, { scheduled: 600 }]));
  assert.deepEqual(at(flows, 0, 'principal'), [0, 400, 500]);
});

test('a quarterly deal distributes three months at a time and accrues a quarter', () => {
  const structure = sequential([note('A', 900, 12, 1)], {
    payment: { first_payment_date: '2027-03-15', frequency: 'QUARTERLY' },
  });
  const months = [10, 20, 30, 40, 50, 850].map((scheduled) => ({ scheduled, interest: 10 }));
  const { flows } = runOver(structure, collateralOf(1000, months));
  assert.deepEqual(at(flows, 0, 'principal'), [60, 840]);
  assert.deepEqual(at(flows, 0, 'interestPaid'), [27, 25.2]);
});

test('a floater pays index plus margin between floor and cap, on actual days between paid dates', () => {
  const floater = note('F', 360_000, 0, 1, {
    coupon: { type: 'FLOATING', index: 'SOFR', margin_bp: 100, floor: 3, cap: 5 },
    day_count: 'ACT/360',
  });
  const structure = sequential([floater], { payment: { first_payment_date: '2027-01-15', first_accrual: 'ACTUAL' } });
  const months = [{ interest: 9000 }, { interest: 9000 }, { interest: 9000 }, { scheduled: 400_000, interest: 9000 }];
  const { flows } = runOver(structure, collateralOf(400_000, months), undefined, { indexCurves: { SOFR: [1, 3, 9] } });
  // 15 December to 15 January: 31 days at 3 %; to Tuesday 16 February (Presidents' Day is the 15th): 32 at 4 %; to 15 March: 27 at 5 %.
  assert.deepEqual(at(flows, 0, 'interestPaid').slice(0, 3), [930, 1280, 1350]);
});

test('a quarterly floater is set by the index of the first month of its quarter', () => {
  const structure = sequential([note('F', 900, 0, 1, { coupon: { type: 'FLOATING', index: 'SOFR', margin_bp: 0 } })], {
    payment: { first_payment_date: '2027-03-15', frequency: 'QUARTERLY' },
  });
  const months = [0, 0, 0, 0, 0, 1000].map((scheduled) => ({ scheduled, interest: 100 }));
  const { flows } = runOver(structure, collateralOf(1000, months), undefined, { indexCurves: { SOFR: [4, 5, 6, 8, 9, 10] } });
  assert.deepEqual(at(flows, 0, 'interestPaid'), [9, 18]);
});

/** VW Auto Loan Enhanced Trust, monthly servicer reports: collections, reserve release and distributions in dollars. */
const VW_REPORTS = [
  {
    collections: 34_740_808.76,
    reserveExcess: 13_094.04,
    servicing: 466_184.25,
    interest: 1_951_083.64,
    principal: 30_169_278.8,
    residual: 2_167_356.11,
  },
  // The fourth report prints neither principal nor residual: everything after interest is one figure here.
  {
    collections: 26_033_578.29,
    reserveExcess: 10_587.53,
    servicing: 346_101.29,
    interest: 1_404_530.42,
    principal: 0,
    residual: 24_293_534.11,
  },
];

test('distributions of VW Auto Loan Enhanced Trust reports come out to the cent', () => {
  for (const report of VW_REPORTS) {
    const notes = 500_000_000;
    const structure = sequential([note('A', notes, 1200 * (report.interest / notes), 1)], {
      fees: [{ fee: 'servicing', amount_per_year: 12 * report.servicing }],
      accounts: [{ account: 'reserve', initial: 2_000_000 + report.reserveExcess, target: 2_000_000 }],
      waterfall: [
        { pay: 'FEE', to: ['servicing'] },
        { pay: 'INTEREST', to: ['A'] },
        { pay: 'PRINCIPAL', to: ['A'], amount: { schedule: [{ period: 1, balance: notes - report.principal }] } },
        { pay: 'RESERVE', to: ['reserve'] },
        RESIDUAL_STEP,
      ],
    });
    const { flows } = runOver(structure, collateralOf(600_000_000, [{ interest: report.collections }, {}]));
    assert.equal(Math.round(flows.feesPaid[0] * 100) / 100, report.servicing);
    assert.equal(at(flows, 0, 'interestPaid')[0], report.interest);
    assert.equal(at(flows, 0, 'principal')[0], report.principal);
    assert.equal(at(flows, 1, 'interestPaid')[0], report.residual);
  }
});

test('a residual whose coupon no step pays gets what is left and is owed nothing beside it', () => {
  const residual: Tranche = { ...RESIDUAL, balance: 100, coupon: { type: 'FIXED', rate: 12 } };
  const structure = sequential([note('A', 900, 0, 1)], { tranches: [note('A', 900, 0, 1), residual] });
  const { flows } = runDeal(structure, [loan(1000, 6, 12)]);
  assert.deepEqual([...flows.tranches[1].shortfall], new Array(12).fill(0));
});
