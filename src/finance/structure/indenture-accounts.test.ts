import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collateralOf, type HandMonth, note, POOL_DATES, runOver, sequential } from '../../../test/support/structures.ts';
import type { Collateral } from '../types.ts';
import type { Amount } from './amount.ts';
import { compileStructure } from './compiled-structure.ts';
import type { Account, Coupon, Fee, Step, Structure, Tranche } from './structure.ts';
import { type DealState, openRun, stateOf } from './deal-state.ts';
import { recordTrace } from './trace.ts';
import { createWaterfallRun, type WaterfallRun } from './waterfall-run.ts';
import { runWaterfall, type WaterfallInput } from './waterfall.ts';

/* Coupons, fees and accounts of the second edition of the language, each by a case that a person can compute. */

const CENT = { first_payment_date: '2027-01-15', business_day: 'NONE', rounding: 'CENT' } as const;
const RESIDUAL_STEP: Step = { pay: 'RESIDUAL', to: ['R'] };
const CARRY_OVER_STEP: Step = { pay: 'CARRY_OVER', to: ['A'] };

/** Months of nothing but interest. */
const earning = (count: number, interest = 1000): HandMonth[] => Array.from({ length: count }, () => ({ interest }));

/** Collateral whose loans bear a rate. */
function atRate(ratePercent: number, months: HandMonth[], opening = 10_000): Collateral {
  const collateral = collateralOf(opening, months);
  return { ...collateral, weightedRate: collateral.opening.map((balance) => balance * ratePercent) };
}

/** Notes with steps of interest, and those that a case adds. */
function deal(tranches: Tranche[], more: Partial<Structure> = {}, steps: Step[] = []): Structure {
  const paid = tranches.filter(({ notional }) => notional === undefined).map(({ tranche }) => tranche);
  return sequential(tranches, {
    payment: CENT,
    waterfall: [
      ...steps,
      { pay: 'INTEREST', to: tranches.map(({ tranche }) => tranche) },
      { pay: 'PRINCIPAL', to: paid },
      RESIDUAL_STEP,
    ],
    ...more,
  });
}

const withCoupon = (coupon: Coupon, more: Partial<Tranche> = {}): Tranche => note('A', 9000, 0, 1, { coupon, ...more });
const couponsOf = (structure: Structure, collateral: Collateral, curves: Record<string, number[]> = {}): number[] => {
  const { flows } = runOver(structure, collateral, undefined, { indexCurves: curves });
  return [...flows.tranches[0].coupon].slice(0, -1);
};

const SERVICING: Fee = { fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' };
const NET_WAC_CAP = (more: Partial<Extract<Coupon, { type: 'FIXED' }>> = {}): Coupon => ({
  type: 'FIXED',
  rate: 8,
  cap: 'NET_WAC',
  ...more,
});

test('the net rate is that of the loans less the fees of the period, at least 0', () => {
  const at = (rate: number, fees: Fee[] = [SERVICING], steps: Step[] = [{ pay: 'FEE', to: fees.map(({ fee }) => fee) }]) =>
    couponsOf(deal([withCoupon(NET_WAC_CAP())], { fees }, steps), atRate(rate, earning(3)));
  // A fee of 8.33 a month is 0.9996 % a year.
  assert.deepEqual(
    at(6).map((each) => Math.round(each * 1e8) / 1e8),
    [5.0004, 5.0004],
  );
  assert.deepEqual(at(0.5), [0, 0]);
  assert.deepEqual(at(12), [8, 8]);
});

test('carried, one-off, billed and limit-deferred fees do not lower the net rate', () => {
  const at = (fees: Fee[], steps: Step[], months = earning(3)) =>
    couponsOf(deal([withCoupon(NET_WAC_CAP())], { fees }, steps), atRate(6, months)).map((each) => Math.round(each * 1e8) / 1e8);
  const monthly: Fee = { fee: 'm', amount_per_year: 120 };
  assert.deepEqual(at([monthly], [{ pay: 'FEE', to: ['m'] }]), [4.8, 4.8]);
  const others: Fee[] = [
    { fee: 'once', one_off: { period: 1, amount: 50 } },
    { fee: 'billed', billed: true },
  ];
  assert.deepEqual(at([monthly, ...others], [{ pay: 'FEE', to: ['m', 'once', 'billed'] }]), [4.8, 4.8]);
  // Nothing is collected in the first month, so that the fee of the second has one beside it that was carried.
  assert.deepEqual(at([monthly], [{ pay: 'FEE', to: ['m'] }], [{}, { interest: 100 }, {}]), [4.8, 4.8]);
  // Of 10.00 a month the step pays 4.00; with a limit of 15.00 a year all of the first fee and half of the second.
  assert.deepEqual(
    at(
      [monthly],
      [
        { pay: 'FEE', to: ['m'], limit: 4 },
        { pay: 'FEE', to: ['m'] },
      ],
    ),
    [5.52, 5.52],
  );
  const yearly: Step = { pay: 'FEE', to: ['m'], limit: { amount: 15, per: 'YEAR' } };
  assert.deepEqual(at([monthly], [yearly, { pay: 'FEE', to: ['m'] }]), [4.8, 5.4]);
});

test('for a coupon by actual days the net rate is one of 30-day months, also within another amount', () => {
  const of = (cap: Amount) =>
    couponsOf(deal([withCoupon({ type: 'FIXED', rate: 8, cap }, { day_count: 'ACT/360' })]), atRate(6, earning(4)));
  const near = (values: number[], expected: number[]) =>
    assert.deepEqual(
      values.map((each) => Math.round(each * 1e9) / 1e9),
      expected.map((each) => Math.round(each * 1e9) / 1e9),
    );
  // A first accrual of 30 days, then 31 to 15 February and 28 to 15 March.
  near(of('NET_WAC'), [6, (6 * 30) / 31, (6 * 30) / 28]);
  near(of({ min_of: ['NET_WAC', 7] }), [6, (6 * 30) / 31, (6 * 30) / 28]);
});

test('a cap and a floor are numbers or schedules', () => {
  const coupon: Coupon = { type: 'FIXED', rate: 5, cap: [{ from_period: 2, value: 4 }], floor: [{ from_period: 3, value: 4.5 }] };
  // The floor is cut by the cap.
  assert.deepEqual(couponsOf(deal([withCoupon(coupon)]), collateralOf(10_000, earning(4))), [5, 4, 4]);
  const floored: Coupon = { type: 'FIXED', rate: 5, floor: [{ from_period: 2, value: 6 }] };
  assert.deepEqual(couponsOf(deal([withCoupon(floored)]), collateralOf(10_000, earning(3))), [5, 6]);
});

test('what a cap cuts is lost, or carried at the rate without the cap and paid by its own step', () => {
  const run = (carry_over: boolean, months: HandMonth[]) => {
    const structure = sequential([withCoupon({ type: 'FIXED', rate: 8, cap: 5, carry_over })], {
      payment: CENT,
      waterfall: [
        { pay: 'INTEREST', to: ['A'] },
        { pay: 'PRINCIPAL', to: ['A'] },
        ...(carry_over ? [CARRY_OVER_STEP] : []),
        RESIDUAL_STEP,
      ],
    });
    return runOver(structure, collateralOf(10_000, months)).flows;
  };
  const lost = run(false, earning(3, 50));
  assert.deepEqual(
    [lost.tranches[0].interestDue[0], lost.tranches[0].carryOver[0], lost.tranches[1].interestPaid[0]],
    [37.5, 0, 12.5],
  );
  // 9,000 × 3 % / 12 = 22.50 is cut; the second month adds 22.50 and 8 % of what is left of it / 12.
  const carried = run(true, [{ interest: 40 }, { interest: 80 }, {}]);
  const [a, residual] = carried.tranches;
  assert.deepEqual([a.interestPaid[0], a.carryOverPaid[0], a.carryOver[0]], [37.5, 2.5, 20]);
  // 20.00 + 22.50 + 0.13333… = 42.63
  assert.deepEqual([a.interestPaid[1], a.carryOverPaid[1], a.carryOver[1], residual.interestPaid[1]], [37.5, 42.5, 0.13, 0]);
});

test('what is carried lapses after the date on which the balance reaches 0', () => {
  const structure = sequential([withCoupon({ type: 'FIXED', rate: 8, cap: 5, carry_over: true })], {
    payment: CENT,
    waterfall: [
      { pay: 'INTEREST', to: ['A'] },
      { pay: 'PRINCIPAL', to: ['A'] },
      { pay: 'CARRY_OVER', to: ['A'], limit: 1 },
      RESIDUAL_STEP,
    ],
  });
  const { flows } = runOver(structure, collateralOf(10_000, [{ scheduled: 9000, interest: 38.5 }, { interest: 50 }, {}]));
  const [a] = flows.tranches;
  assert.deepEqual([a.closing[0], a.carryOverPaid[0], a.carryOver[0], a.carryOverPaid[1]], [0, 1, 0, 0]);
});

test('an interest-only tranche has a notional of opening balances, and the excess coupon is what the others leave', () => {
  const io: Tranche = { tranche: 'IO', notional: { percent: 100, of: 'NOTES' }, coupon: { type: 'EXCESS' } };
  const structure = deal([note('A', 6000, 4, 1), note('B', 3000, 3, 2), io]);
  const { flows } = runOver(structure, atRate(5, [{ interest: 50, scheduled: 900 }, { interest: 50 }, {}]));
  const [, , excess, residual] = flows.tranches;
  // 5 % less (24,000 + 9,000) / 9,000 = 3.666…: 1.333… % of 9,000 / 12 = 10.00; then 5 % less (20,400 + 9,000) / 8,100.
  assert.deepEqual([excess.opening[0], excess.interestPaid[0], excess.principal[0]], [9000, 10, 0]);
  assert.deepEqual([excess.opening[1], excess.interestPaid[1]], [8100, 9.25]);
  assert.equal(residual.interestPaid[0], 50 - 20 - 7.5 - 10);
  const low = runOver(structure, atRate(3, earning(2))).flows.tranches[2];
  assert.deepEqual([low.coupon[0], low.interestPaid[0]], [0, 0]);
});

test('an excess coupon on ACT/360 is what the rate of the loans, of 30-day months, leaves after the days of the notes', () => {
  const io: Tranche = {
    tranche: 'IO',
    notional: { percent: 100, of: 'NOTES' },
    coupon: { type: 'EXCESS' },
    day_count: 'ACT/360',
  };
  const structure = deal([note('A', 6000, 4, 1, { day_count: 'ACT/360' }), io]);
  const [a, excess] = runOver(structure, atRate(6, earning(2))).flows.tranches;
  // 31 days from 15 January: the loans earn 6,000 × 6 % / 12 = 30.00, the note takes 6,000 × 4 % × 31 / 360 = 20.67.
  assert.deepEqual([a.interestDue[1], excess.interestDue[1]], [20.67, 9.33]);
});

test('the excess coupon comes after the caps of the others', () => {
  const io: Tranche = { tranche: 'IO', notional: { percent: 100, of: 'NOTES' }, coupon: { type: 'EXCESS' } };
  const structure = deal([withCoupon({ type: 'FIXED', rate: 8, cap: 4 }), io]);
  assert.equal(runOver(structure, atRate(5, earning(2))).flows.tranches[1].coupon[0], 1);
});

test('an inverse floater falls with its index, and never below 0', () => {
  const coupon: Coupon = { type: 'FLOATING', index: 'SOFR', margin_bp: 1500, multiplier: -2.5 };
  assert.deepEqual(couponsOf(deal([withCoupon(coupon)]), collateralOf(10_000, earning(4)), { SOFR: [4, 5.8, 9] }), [5, 0.5, 0]);
});

test('a known fixing is used in its accrual, the curve later', () => {
  const fixings = {
    SOFR: [
      { date: '2026-12-15', rate: 4 },
      { date: '2027-01-15', rate: 4.5 },
    ],
  };
  const coupon: Coupon = { type: 'FLOATING', index: 'SOFR', margin_bp: 100 };
  const curves = { SOFR: [7, 7.1, 7.2, 7.3] };
  assert.deepEqual(
    couponsOf(deal([withCoupon(coupon)], { fixings }), collateralOf(10_000, earning(5)), curves),
    [5, 5.5, 8.2, 8.3],
  );
  const quarterly: Coupon = { ...coupon, reset: { every_months: 3 } };
  assert.deepEqual(
    couponsOf(deal([withCoupon(quarterly)], { fixings }), collateralOf(10_000, earning(5)), curves),
    [5, 5, 5, 8.3],
  );
  // The index of a month before, since 15 days before the 15th are in it.
  const lagged: Coupon = { ...coupon, reset: { lag_days: 15 } };
  assert.deepEqual(couponsOf(deal([withCoupon(lagged)]), collateralOf(10_000, earning(5)), curves), [8, 8, 8.1, 8.2]);
});

const reserve = (more: Partial<Account>): Account => ({ account: 'reserve', initial: 1000, target: 1000, draws: [], ...more });
const RESERVE_STEP: Step = { pay: 'RESERVE', to: ['reserve'] };

test('income of an account is ACT/360 on its opening balance, stays there and can be drawn', () => {
  const structure = sequential([note('A', 9000, 12, 1)], {
    payment: CENT,
    accounts: [reserve({ earns: { rate: 6 }, draws: ['INTEREST'] })],
  });
  const { trace } = runOver(structure, collateralOf(10_000, [{ interest: 90 }, { interest: 0 }, {}]));
  // 1,000 × 6 % × 30 / 360, then 1,005 × 6 % × 31 / 360 = 5.1925.
  const [first, second] = trace.map(({ accounts }) => accounts[0]);
  assert.deepEqual([first.earned, first.closing], [5, 1005]);
  assert.deepEqual([second.opening, second.earned, second.drawn, second.closing], [1005, 5.19, 90, 920.19]);
});

test('income to the pot is paid like other cash', () => {
  const structure = sequential([note('A', 9000, 0, 1)], {
    payment: CENT,
    accounts: [reserve({ earns: { rate: 6 }, income_to: 'POT' })],
  });
  const { flows } = runOver(structure, collateralOf(10_000, [{}, {}]));
  assert.deepEqual([flows.accounts[0], flows.tranches[1].interestPaid[0], flows.income[0]], [1000, 5, 5]);
});

test('a collection account earns on the collections for its float days, into the pot', () => {
  const collections = (float_days?: number): Account => ({
    account: 'collections',
    kind: 'COLLECTION',
    earns: { index: 'FUNDS', margin_bp: -20 },
    ...(float_days === undefined ? {} : { float_days }),
  });
  const income = (account: Account) => {
    const structure = sequential([note('A', 9000, 0, 1)], { payment: CENT, accounts: [account] });
    const { flows } = runOver(structure, collateralOf(10_000, [{ scheduled: 4000, interest: 800 }, {}]), undefined, {
      indexCurves: { FUNDS: [5.2] },
    });
    return [flows.income[0], flows.tranches[1].interestPaid[0]];
  };
  // 4,800 × 5 % × 15 / 360, and 30 days.
  assert.deepEqual(income(collections()), [10, 810]);
  assert.deepEqual(income(collections(30)), [20, 820]);
});

const MATURING = [{ scheduled: 500 }, {}];
/** A reserve of 1,000 with a target of 400 before principal of 800. */
const releasing = (release_to: string): Structure => ({
  ...sequential([note('A', 9000, 0, 1)], {
    payment: CENT,
    accounts: [reserve({ target: 400, release_to })],
    waterfall: [RESERVE_STEP, { pay: 'PRINCIPAL', to: ['A'], amount: 800 }, RESIDUAL_STEP],
  }),
});

test('a negative rate takes no more than the account or the pot has', () => {
  const earning = (income_to: 'ACCOUNT' | 'POT', rate: number, initial: number) =>
    runOver(
      deal([note('A', 9000, 0, 1)], { accounts: [{ account: 'reserve', initial, target: initial, earns: { rate }, income_to }] }),
      collateralOf(10_000, [{}, { interest: 0.5 }, {}]),
    );
  // 1,000 × −36 % × 30 / 360 = −30 a month of 30 days.
  assert.deepEqual(
    earning('POT', -36, 1000)
      .trace.map(({ accounts: [{ earned, closing }] }) => [earned, closing])
      .slice(0, 2),
    [
      [0, 1000],
      [-0.5, 1000],
    ],
  );
  const { accounts } = earning('ACCOUNT', -36, 1000).trace[0];
  assert.deepEqual([accounts[0].earned, accounts[0].closing], [-30, 970]);
});

test('what is above the target joins the pot', () => {
  const { flows, trace } = runOver(releasing('POT'), collateralOf(10_000, MATURING));
  assert.deepEqual([flows.tranches[0].principal[0], flows.tranches[1].interestPaid[0], flows.released[0]], [800, 300, 600]);
  assert.equal(trace[0].accounts[0].released, 600);
});

test('or it is kept apart: principal that is short draws it, the rest is paid outside the pot', () => {
  const { flows, trace } = runOver(releasing('RESIDUAL'), collateralOf(10_000, MATURING));
  // 500 of collections and 300 of the 600.
  assert.deepEqual([flows.tranches[0].principal[0], flows.tranches[1].interestPaid[0]], [800, 0]);
  assert.deepEqual([flows.releasedApart[0], flows.accounts[0]], [300, 400]);
  const { drawn, released, release_to } = trace[0].accounts[0];
  assert.deepEqual([drawn, released, release_to, trace[0].steps[2].paid], [300, 300, 'RESIDUAL', 0]);
  assert.deepEqual([trace[0].steps[1].paid, trace[0].steps[1].drawn], [800, 300]);
});

test('the rest may go to a tranche', () => {
  const { flows, trace } = runOver(releasing('A'), collateralOf(10_000, MATURING));
  assert.equal(trace[0].accounts[0].release_to, 'A');
  assert.deepEqual(
    [flows.tranches[0].principal[0], flows.tranches[0].interestPaid[0], flows.tranches[1].interestPaid[0]],
    [800, 300, 0],
  );
});

test('interest never draws what is kept apart', () => {
  const structure = sequential([note('A', 9000, 12, 1)], {
    payment: CENT,
    accounts: [reserve({ target: 400, release_to: 'RESIDUAL' })],
    waterfall: [RESERVE_STEP, { pay: 'INTEREST', to: ['A'] }, { pay: 'PRINCIPAL', to: ['A'] }, RESIDUAL_STEP],
  });
  const { flows } = runOver(structure, collateralOf(10_000, [{ interest: 10 }, {}]));
  assert.deepEqual([flows.tranches[0].shortfall[0], flows.releasedApart[0]], [80, 600]);
});

test('an account is drawn by kinds of steps or by a step', () => {
  const paid = (draws: Account['draws']) => {
    const structure = sequential([note('A', 9000, 12, 1), note('B', 600, 12, 2)], {
      payment: CENT,
      accounts: [reserve({ draws: draws ?? [] })],
      waterfall: [
        { step: 'A interest', pay: 'INTEREST', to: ['A'] },
        { pay: 'INTEREST', to: ['B'] },
        { pay: 'PRINCIPAL', to: ['A', 'B'], amount: 50 },
        RESIDUAL_STEP,
      ],
    });
    const { flows } = runOver(structure, collateralOf(10_000, [{}, {}]));
    return [flows.tranches[0].interestPaid[0], flows.tranches[1].interestPaid[0], flows.tranches[0].principal[0]];
  };
  assert.deepEqual(paid(['INTEREST']), [90, 6, 0]);
  assert.deepEqual(paid(['step:A interest']), [90, 0, 0]);
  assert.deepEqual(paid(['step:2']), [0, 6, 0]);
  assert.deepEqual(paid(['step:3', 'step:2']), [0, 6, 50]);
});

test('a target that does not decline keeps its highest size', () => {
  const target: Amount = { percent: 10, of: 'POOL_CURRENT' };
  const accounts = (non_declining: boolean) => {
    const structure = sequential([note('A', 9000, 0, 1)], {
      payment: CENT,
      accounts: [reserve({ initial: 0, target, non_declining })],
      waterfall: [{ pay: 'PRINCIPAL', to: ['A'] }, RESERVE_STEP, RESIDUAL_STEP],
    });
    return Array.from(
      runOver(structure, collateralOf(10_000, [{ interest: 2000 }, { scheduled: 5000 }, {}])).flows.accounts.slice(0, 2),
    );
  };
  assert.deepEqual(accounts(false), [1000, 500]);
  assert.deepEqual(accounts(true), [1000, 1000]);
});

test('a limit of a calendar year starts anew in January, and a later step without limit pays the rest', () => {
  const structure = sequential([note('A', 9000, 0, 1)], {
    payment: { ...CENT, first_payment_date: '2027-11-15' },
    fees: [{ fee: 'trustee', amount_per_year: 1200 }],
    waterfall: [
      { step: 'capped', pay: 'FEE', to: ['trustee'], limit: { amount: 150, per: 'YEAR' } },
      { pay: 'PRINCIPAL', to: ['A'], amount: 30 },
      { step: 'rest', pay: 'FEE', to: ['trustee'], limit: 20 },
      RESIDUAL_STEP,
    ],
  });
  const { trace } = runOver(structure, collateralOf(10_000, earning(4, 200)));
  const paid = (name: string) => trace.slice(0, 3).map(({ steps }) => steps.find((step) => step.name === name)?.paid);
  // November 100; December 50 and 20 of the rest; January 130, which is due with what was carried.
  assert.deepEqual(paid('capped'), [100, 50, 130]);
  assert.deepEqual(paid('rest'), [0, 20, 0]);
});

test('a fee may be due once, be billed, or be an amount of any form', () => {
  const structure = deal(
    [note('A', 9000, 0, 1)],
    {
      fees: [
        { fee: 'setup', one_off: { period: 2, amount: 45.5 } },
        { fee: 'reviewer', billed: true },
        { fee: 'trustee', amount_per_year: { max_of: [60, { percent: 1.2, of: 'POOL_BEGINNING' }] } },
      ],
    },
    [{ pay: 'FEE', to: ['setup', 'reviewer', 'trustee'] }],
  );
  const paid = (input: WaterfallInput, rounding: 'CENT' | 'NONE') => {
    const collateral = collateralOf(10_000, [{ interest: 100, scheduled: 9000 }, { interest: 100 }, { interest: 100 }, {}]);
    const compiled = compileStructure(
      { ...structure, payment: { ...CENT, rounding } },
      { ...POOL_DATES, poolOriginal: 10_000, collateralMonths: 4 },
    );
    return Array.from(runWaterfall(createWaterfallRun(compiled), collateral, input).feesPaid.slice(0, 3));
  };
  // 120 a year, then 60.
  assert.deepEqual(paid({}, 'CENT'), [10, 50.5, 5]);
  assert.deepEqual(paid({ billedFees: { reviewer: [7.25, 0.75] } }, 'CENT'), [17.25, 51.25, 5.75]);
  assert.deepEqual(paid({ billedFees: { reviewer: [7.25, 0.75] } }, 'NONE'), [17.25, 51.25, 5.75]);
});

test('principal that was written off is paid without being reinstated', () => {
  const structure = sequential([note('A', 900, 0, 1), note('B', 100, 0, 2)], {
    payment: CENT,
    losses: { mode: 'REVERSE_SEQUENTIAL' },
    waterfall: [{ pay: 'PRINCIPAL', to: ['A', 'B'] }, { pay: 'WRITTEN_DOWN', to: ['B'] }, RESIDUAL_STEP],
  });
  const { flows, trace } = runOver(
    structure,
    collateralOf(1000, [{ defaulted: 60, lost: 60 }, { interest: 45 }, { interest: 45 }, {}]),
  );
  const [, b, residual] = flows.tranches;
  assert.deepEqual([b.writeDown[0], b.closing[0]], [60, 40]);
  assert.deepEqual([b.principal[1], b.closing[1], trace[1].steps[1].due], [45, 40, 60]);
  assert.deepEqual([b.principal[2], b.closing[2], residual.interestPaid[2]], [15, 40, 30]);
});

test('curves of a run from a later state count from its first period, fixings and schedules by the deal', () => {
  const coupon: Coupon = {
    type: 'FLOATING',
    index: 'SOFR',
    margin_bp: [
      { from_period: 1, value: 100 },
      { from_period: 4, value: 200 },
    ],
  };
  const structure = deal([withCoupon(coupon)], { fixings: { SOFR: [{ date: '2027-02-15', rate: 4 }] } });
  const context = {
    ...POOL_DATES,
    poolOriginal: 10_000,
    collateralMonths: 3,
    indexCurves: { SOFR: [7, 7.1, 7.2] },
    paidPeriods: 2,
  };
  assert.deepEqual(Array.from(compileStructure(structure, context).tranches[0].couponPercent.slice(2)), [5, 9.1, 9.2]);
});

test('the adjustment at the cut-off is kept for a run from a later state', () => {
  const structure = sequential([note('A', 9000, 0, 1)], {
    payment: CENT,
    pool: { adjustment: { kind: 'PRESENT_VALUE', rate: 8, applies: 'ALL' } },
    waterfall: [{ pay: 'PRINCIPAL', to: ['A'], amount: { percent: 1, of: 'POOL_ADJUSTED_ORIGINAL' } }, RESIDUAL_STEP],
  });
  const months = [{ scheduled: 1000 }, { scheduled: 1000 }, {}];
  const whole = { ...collateralOf(10_000, months), adjustment: Float64Array.from([500, 400, 300, 200]) };
  const dates = { ...POOL_DATES, poolOriginal: 10_000 };
  const first = createWaterfallRun(compileStructure(structure, { ...dates, collateralMonths: 3 }));
  let state: DealState | null = null;
  const trace = recordTrace();
  const endPeriod = (run: WaterfallRun) => {
    if (run.periodIndex === 0) state = stateOf(run, '2027-01-15');
    trace.endPeriod(run);
  };
  const flows = runWaterfall(first, whole, { trace: { ...trace, endPeriod } });
  const rest = { ...collateralOf(9000, months.slice(1)), adjustment: Float64Array.from([400, 300, 200]) };
  const second = createWaterfallRun(compileStructure(structure, { ...dates, collateralMonths: 2, paidPeriods: 1 }));
  const later = runWaterfall(second, rest, { open: (run) => state && openRun(run, state) });
  // 1 % of 10,000 − 500.
  assert.deepEqual([flows.tranches[0].principal[1], later.tranches[0].principal[1]], [95, 95]);
});

test('interest on what was short is rounded together with that of the balance', () => {
  // 9,000.50 × 1 % / 12 = 7.50041…; then as much and 1 % of 7.50 / 12 = 0.00625, 7.50666… together.
  const a = note('A', 9000.5, 1, 1, { interest_on_shortfall: true });
  const { flows } = runOver(deal([a]), collateralOf(10_000, [{}, {}, {}]));
  assert.deepEqual([flows.tranches[0].interestDue[0], flows.tranches[0].interestDue[1]], [7.5, 15.01]);
});
