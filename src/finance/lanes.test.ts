import { deepEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { fillSchedule, firstPrincipal } from './amortization.ts';
import { projectCollateral, projectSchedules, projectTable, scheduleTable } from './collateral.ts';
import { addCollaterals } from './collateral-sum.ts';
import { WINDOW } from './lane-kernels.ts';
import { Lanes } from './lanes.ts';
import { type LoanTable, packLoans } from './loan-table.ts';
import { aLoan, anyAssumptions, anyLoan, assuming, near, SOFR_CURVE } from './test-support.ts';
import type { CollateralLoan, ProjectionOptions } from './types.ts';

type Schedule = { balance: number[]; interest: number[] };

/** Any loan, often one of a few lengths and coupons, so that loans share what is computed once. */
const anyPool = fc.array(
  fc.tuple(anyLoan, fc.constantFrom(undefined, 1, 24, 60), fc.constantFrom(undefined, 0, 7)).map(([loan, months, rate]) => ({
    ...loan,
    ...(months === undefined ? {} : { remainingMonths: months }),
    ...(rate === undefined ? {} : { ratePercent: rate }),
  })),
  { minLength: 1, maxLength: 60 },
);

const anyOptions: fc.Arbitrary<ProjectionOptions> = fc.record({
  indexCurves: fc.constantFrom(
    SOFR_CURVE.indexCurves,
    { SOFR: [3] },
    { SOFR: Array.from({ length: 120 }, (_, month) => (month * 7) % 11) },
  ),
  defermentInterest: fc.constantFrom('CAPITALISE' as const, 'SPREAD' as const, 'PAY' as const),
});

/** Schedules of the rows of a table in windows of a size, as lanes compute them. */
function inLanes(table: LoanTable, options: ProjectionOptions, size: number): Schedule[] {
  const lanes = new Lanes(table, options);
  const schedules: Schedule[] = [];
  for (let from = 0; from < table.terms.count; from += size) {
    const to = Math.min(table.terms.count, from + size);
    lanes.loadSpecials(Array.from({ length: to - from }, (_, index) => from + index));
    for (let number = from; number < to; number++)
      schedules.push(takeSum(lanes, number - from, table.months[table.terms.rows[number]]));
  }
  return schedules;
}

function takeSum(lanes: Lanes, index: number, months: number): Schedule {
  const { balance, interest } = lanes.memory.sums;
  balance.fill(0);
  interest.fill(0);
  lanes.addToSums(index, index + 1, months);
  return { balance: [...balance.subarray(0, months + 1)], interest: [...interest.subarray(0, months)] };
}

function alone(loan: CollateralLoan, options: ProjectionOptions): Schedule {
  const [balance, interest] = [new Float64Array(200), new Float64Array(200)];
  const months = fillSchedule(loan, options, balance, interest);
  return { balance: [...balance.subarray(0, months + 1)], interest: [...interest.subarray(0, months)] };
}

test('schedules of special loans in lanes are those of each loan alone, to the bit, whatever is beside it', () => {
  fc.assert(
    fc.property(anyPool, anyOptions, fc.integer({ min: 1, max: WINDOW }), (loans, options, size) => {
      const table = packLoans(loans);
      const expected = [...table.special.values()].map((loan) => alone(loan, options));
      deepEqual(inLanes(table, options, size), expected);
    }),
    { numRuns: 300 },
  );
});

test('coupons that jump, within moves and caps that bind at times, give each loan the schedule that it has alone', () => {
  const anyFloater = fc.record({
    balance: fc.constantFrom(1_000, 99_999.99),
    ratePercent: fc.constantFrom(0, 3, 4, 5),
    remainingMonths: fc.constantFrom(1, 24, 36),
    interestOnlyMonths: fc.constantFrom(0, 1, 9),
    balloonMonth: fc.constantFrom(13, 40),
    floating: fc.record({
      index: fc.constant('SOFR'),
      marginPercent: fc.constantFrom(0, 1),
      periodicCapPercent: fc.constantFrom(0.5, 1, 2, Number.POSITIVE_INFINITY),
      capPercent: fc.constantFrom(4, 20),
      floorPercent: fc.constantFrom(0, 2),
      resetMonths: fc.constantFrom(1, 1, 6),
      firstResetMonth: fc.constantFrom(1, 2, 13),
    }),
  });
  const anyCurve = fc.array(fc.constantFrom(0, 3, 3, 3, 4, 4, 4.5, 7), { minLength: 1, maxLength: 36 });
  fc.assert(
    fc.property(fc.array(anyFloater, { minLength: 1, maxLength: 30 }), anyCurve, (loans, curve) => {
      const options = { indexCurves: { SOFR: curve } };
      const table = packLoans(loans.map((loan) => aLoan(loan)));
      deepEqual(
        inLanes(table, options, WINDOW),
        [...table.special.values()].map((loan) => alone(loan, options)),
      );
    }),
    { numRuns: 300 },
  );
});

test('a full window of one kind is computed as a part of one', () => {
  const kinds: Partial<CollateralLoan>[] = [
    { interestOnlyMonths: 12 },
    { balloonMonth: 40 },
    { floating: { index: 'SOFR', marginPercent: 2, resetMonths: 1 } },
    {
      floating: { index: 'SOFR', marginPercent: 2, periodicCapPercent: 1, resetMonths: 12, firstResetMonth: 7 },
      interestOnlyMonths: 20,
    },
  ];
  for (const kind of kinds) {
    const loans = Array.from({ length: 2 * WINDOW }, (_, index) =>
      aLoan({ balance: 1000 + index / 3, ratePercent: 3 + (index % 5), remainingMonths: 60 + (index % 3), ...kind }),
    );
    const table = packLoans(loans);
    deepEqual(inLanes(table, SOFR_CURVE, WINDOW), inLanes(table, SOFR_CURVE, 1));
  }
});

test('level loans beside special ones have their own schedules, to the bit', () => {
  const levels = [31, 30, 17].map((remainingMonths) => aLoan({ balance: 9_999.99, ratePercent: 7.3, remainingMonths }));
  const table = packLoans([...levels, aLoan({ interestOnlyMonths: 3, remainingMonths: 31 })]);
  const lanes = new Lanes(table, {});
  lanes.loadRows(0, table.count);
  for (let row = 0; row < table.count; row++) {
    if (table.special.has(row)) continue;
    const months = table.months[row];
    const rate = table.monthlyRate[row];
    const expected: Schedule = { balance: [], interest: [] };
    let remaining = table.balance[row];
    let principal = firstPrincipal(remaining, rate, months);
    for (let month = 0; month < months; month++) {
      expected.balance.push(remaining);
      expected.interest.push(remaining * rate);
      remaining -= principal;
      principal *= 1 + rate;
    }
    expected.balance.push(0);
    deepEqual(takeSum(lanes, row, months), expected);
  }
});

/** Pools most of whose loans are of one length, or of two: with advances they are summed where they are many, and loan by loan where they are few. */
const anyCrowd = fc
  .tuple(
    fc.array(anyLoan, { minLength: 1, maxLength: 50 }),
    fc.integer({ min: 1, max: 70 }),
    fc.constantFrom([24], [1, 24], [24, 25, 60]),
  )
  .map(([loans, count, lengths]) =>
    Array.from({ length: count }, (_, index) => ({
      ...loans[index % loans.length],
      balance: loans[index % loans.length].balance + index,
      remainingMonths: lengths[index % lengths.length],
      ageMonths: 7,
    })),
  );

/** Speeds under advances, with the shortest and longer lags as often as others. */
const anyAdvances = fc.tuple(anyAssumptions, fc.constantFrom(undefined, 0, 1, 2, 11, 12)).map(([speeds, lag]) => ({
  ...speeds,
  servicerAdvances: true,
  ...(lag === undefined ? {} : { recoveryLagMonths: lag }),
}));

test('flows with advances of loans in lanes are those of their kept schedules, to the bit', () => {
  fc.assert(
    fc.property(fc.oneof(anyPool, anyCrowd), fc.boolean(), anyAdvances, anyOptions, (loans, isLevel, assumptions, options) => {
      const pool = isLevel
        ? loans.map(({ balance, ratePercent, remainingMonths }) => aLoan({ balance, ratePercent, remainingMonths }))
        : loans;
      const table = packLoans(pool);
      deepEqual(projectTable(table, assumptions, options), projectSchedules(scheduleTable(table, options, true), assumptions));
    }),
    { numRuns: 400 },
  );
});

test('a loan loses at most what is left of it at its liquidation, however many loans are beside it', () => {
  fc.assert(
    fc.property(anyCrowd, anyAdvances, anyOptions, (loans, assumptions, options) => {
      const together = projectCollateral(loans, assumptions, options);
      const alone = addCollaterals(loans.map((loan) => projectCollateral([loan], assumptions, options)));
      for (const name of ['loss', 'recovery', 'pendingRecovery', 'advancedPrincipal', 'advancedInterest', 'closing'] as const)
        for (let month = 0; month < together.periods; month++)
          near(together[name][month], alone[name][month], 1e-12 * alone.opening[0], `${name} of month ${month + 1}`);
    }),
    { numRuns: 40 },
  );
});

test('lanes of two calculations do not touch', () => {
  const [ours, theirs] = [12, 24].map((interestOnlyMonths) => packLoans([aLoan({ interestOnlyMonths, remainingMonths: 60 })]));
  const alongside = [new Lanes(ours, {}), new Lanes(theirs, {})];
  for (const lanes of alongside) lanes.loadSpecials([0]);
  deepEqual(
    alongside.map((lanes) => [...lanes.balance(0).subarray(0, 61)]),
    [ours, theirs].map((table) => alone(table.special.get(0) ?? aLoan(), {}).balance),
  );
});

test('a floating loan without a curve is refused if it resets before its end, and only then', () => {
  const loan = (firstResetMonth: number) =>
    packLoans([aLoan({ remainingMonths: 60, floating: { index: 'PRIME', marginPercent: 1, firstResetMonth } })]);
  throws(() => projectTable(loan(60), assuming()), /no curve for index PRIME/);
  projectTable(loan(61), assuming());
});
