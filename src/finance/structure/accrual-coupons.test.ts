import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { indentures, shortMonths } from '../../../test/support/random-structures.ts';
import { note, POOL_DATES, sequential } from '../../../test/support/structures.ts';
import { type AccrualFacts, accrualCoupons, accrualStartAfter, notionalsAfter } from './accrual-coupons.ts';
import type { Amount } from './amount.ts';
import { compileStructure } from './compiled-structure.ts';
import { type DealState, stateOf } from './deal-state.ts';
import { openRemittances } from './remittance.ts';
import type { Coupon, Structure, Tranche } from './structure.ts';
import { recordTrace } from './trace.ts';
import { createWaterfallRun } from './waterfall-run.ts';
import { runWaterfall } from './waterfall.ts';

/** Every kind of coupon, for the notes of an indenture; a recurring fee that is known when the accrual begins. */
function withCoupons(structure: Structure): Structure {
  const coupons: Record<string, Coupon> = {
    'A-1': {
      type: 'FIXED',
      rate: [
        { from_period: 1, value: 4 },
        { from_date: '2027-02-15', value: 5.5 },
      ],
    },
    'A-2a': { type: 'FLOATING', index: 'X', margin_bp: 85, reset: { every_months: 3 }, cap: { if: 't', then: 3, else: 9 } },
    'A-2b': { type: 'FLOATING', index: 'X', margin_bp: 1_500, multiplier: -2.5 },
    B: { type: 'FIXED', rate: 30, cap: 'NET_WAC' },
  };
  const tranches = structure.tranches.map((tranche): Tranche => {
    const coupon = coupons[tranche.tranche];
    return coupon ? { ...tranche, coupon } : tranche;
  });
  const [servicing, trustee] = structure.fees ?? [];
  if (!servicing || !trustee) throw new Error('the indenture has two fees');
  const fees = [servicing, { ...trustee, amount_per_year: { max_of: [1200, { percent: 0.5, of: 'POOL_BEGINNING' as const }] } }];
  return { ...structure, tranches, fees };
}

const X = [4, 4.5, 5, 5.5, 3, 2, 1, 0.5, 6, 7, 8, 9];

test('the coupons of an accrual are those of a projection in its period, whatever decides them', () => {
  let compared = 0;
  fc.assert(
    fc.property(indentures, shortMonths, (indenture, collateral) => {
      const structure = withCoupons(indenture);
      const poolOriginal = collateral.opening[0] ?? 0;
      const deal = compileStructure(structure, {
        ...POOL_DATES,
        poolOriginal,
        collateralMonths: collateral.periods,
        indexCurves: { X },
      });
      const opening: DealState[] = [openRemittances(structure, poolOriginal)];
      const loanRates: number[] = [];
      const sink = recordTrace();
      const flows = runWaterfall(createWaterfallRun(deal), collateral, {
        trace: {
          ...sink,
          endPeriod(run) {
            loanRates.push(run.loanRate);
            opening.push(stateOf(run, deal.periods.dates[run.periodIndex]?.paid ?? ''));
            sink.endPeriod(run);
          },
        },
      });
      for (const [place, loanRate] of loanRates.entries()) {
        const facts: AccrualFacts = {
          period: place + 1,
          state: opening[place],
          loanRate,
          netRate: null,
          indices: deal.tranches.map(({ indexPercent }) => indexPercent?.[place] ?? null),
        };
        for (const [tranche, coupon] of accrualCoupons(structure, POOL_DATES, facts).entries()) {
          const projected = flows.tranches[tranche]?.coupon[place] ?? Number.NaN;
          compared += 1;
          assert.ok(coupon !== null && Math.abs(coupon - projected) < 1e-7, `${place + 1}, ${tranche}: ${coupon}, ${projected}`);
        }
      }
    }),
    { numRuns: 60 },
  );
  assert.ok(compared > 500, `${compared} coupons`);
});

const strip = (tranche: string, notional: Amount): Tranche => ({ tranche, notional, coupon: { type: 'FIXED', rate: 1 } });

test('the notional after a payment is that with which a projection opens the next accrual', () => {
  let compared = 0;
  fc.assert(
    fc.property(indentures, shortMonths, (indenture, collateral) => {
      const coupons = withCoupons(indenture);
      const stepped = [
        { from_period: 1, value: 900 },
        { from_period: 3, value: 400.5 },
      ];
      const own = [
        strip('IO-1', { percent: 100, of: 'NOTES', of_tranches: ['A-1', 'B'] }),
        strip('IO-2', { percent: 40, of: 'POOL_BEGINNING' }),
        strip('IO-3', { if: 't', then: stepped, else: { percent: 10, of: 'NOTES_ORIGINAL' } }),
      ];
      const structure = { ...coupons, tranches: [...coupons.tranches, ...own] };
      const poolOriginal = collateral.opening[0] ?? 0;
      const context = { ...POOL_DATES, poolOriginal, collateralMonths: collateral.periods, indexCurves: { X }, call: false };
      const deal = compileStructure(structure, context);
      const opening: DealState[] = [openRemittances(structure, poolOriginal)];
      const sink = recordTrace();
      const flows = runWaterfall(createWaterfallRun(deal), collateral, {
        trace: {
          ...sink,
          endPeriod(run) {
            opening.push(stateOf(run, deal.periods.dates[run.periodIndex]?.paid ?? ''));
            sink.endPeriod(run);
          },
        },
      });
      for (const place of opening.keys()) {
        const notionals = notionalsAfter(structure, POOL_DATES, opening[place]);
        for (const [index, { name }] of deal.tranches.entries()) {
          if (place >= deal.periods.count || !name.startsWith('IO')) continue;
          // A trigger is tested when a period begins, so that what depends on it may be otherwise by then.
          if (name === 'IO-3' && opening[place]?.triggers.on[0] !== opening[place + 1]?.triggers.on[0]) continue;
          const projected = flows.tranches[index]?.opening[place] ?? Number.NaN;
          compared += 1;
          assert.ok(Math.abs((notionals.get(name) ?? Number.NaN) - projected) <= 0.0051, `${place} ${name} ${projected}`);
        }
      }
    }),
    { numRuns: 60 },
  );
  assert.ok(compared > 300, `${compared} notionals`);
});

test('a notional of what the next period collects is not known, and one of a called pool is nothing', () => {
  const structure = sequential([note('A', 900_000, 5, 1), strip('IO', { percent: 100, of: 'COLLECTIONS' }), strip('X', 500)]);
  const state = openRemittances(structure, 1_000_000);
  assert.deepEqual(
    [...notionalsAfter(structure, POOL_DATES, state)],
    [
      ['IO', null],
      ['X', 500],
    ],
  );
  assert.deepEqual(
    [...notionalsAfter(structure, POOL_DATES, { ...state, called_in: 1 })],
    [
      ['IO', 0],
      ['X', 0],
    ],
  );
  assert.equal(notionalsAfter(sequential([note('A', 900_000, 5, 1)]), POOL_DATES, state).size, 0);
});

const capped = (more: Partial<Tranche> = {}): Structure =>
  sequential([{ ...note('A', 900_000, 5, 1), coupon: { type: 'FIXED', rate: 30, cap: 'NET_WAC' }, ...more }], {
    payment: { first_payment_date: '2027-01-15' },
    fees: [
      { fee: 'servicing', percent: 0.5 },
      { fee: 'trustee', amount_per_year: 2_500 },
      { fee: 'once', one_off: { period: 1, amount: 10_000 } },
      { fee: 'reviewer', billed: true },
    ],
  });
const first = (structure: Structure): AccrualFacts => ({
  period: 1,
  state: openRemittances(structure, 1_000_000),
  loanRate: 8,
  netRate: null,
  indices: [],
});
const couponOf = (structure: Structure, changes: Partial<AccrualFacts> = {}): number | null =>
  accrualCoupons(structure, POOL_DATES, { ...first(structure), ...changes })[0] ?? null;

test('the net rate is that of the loans less the fees that recur, unless a report gives it', () => {
  // 0.5 % and 2,500 of 1,000,000 a year; neither what is due once nor what is billed.
  assert.equal(couponOf(capped()), 7.25);
  assert.equal(couponOf(capped(), { netRate: 6.5 }), 6.5);
  assert.equal(couponOf(capped(), { loanRate: 0.5 }), 0);
});

test('a cap by the net rate of the loans counts the days of its accrual where the coupon does', () => {
  const state = { ...openRemittances(capped(), 1_000_000), period: 1, payment_date: '2027-01-15' };
  // 31 days from 2027-01-15 to 2027-02-15, a holiday: 32 to the day after.
  assert.equal(couponOf(capped({ day_count: 'ACT/360' }), { period: 2, state }), 6.796875);
  // The language scales for ACT/360 alone.
  assert.equal(couponOf(capped({ day_count: 'ACT/365' }), { period: 2, state }), 7.25);
  // A report that says when it pays says how many days there are.
  assert.equal(couponOf(capped({ day_count: 'ACT/360' }), { period: 2, state, paymentDate: '2027-02-14' }), 7.25);
});

test('a coupon is null where something that it depends on is not known, and only then', () => {
  const having = (coupon: Coupon) => capped({ coupon });
  assert.equal(couponOf(capped(), { loanRate: null }), null);
  assert.equal(couponOf(having({ type: 'FIXED', rate: 5, cap: { min_of: [8, 'NET_WAC'] } }), { loanRate: null }), null);
  assert.equal(couponOf(having({ type: 'FIXED', rate: 0, floor: 'NET_WAC' }), { loanRate: null }), null);
  assert.equal(couponOf(having({ type: 'FIXED', rate: 5, cap: 9 }), { loanRate: null }), 5);
  const floating: Coupon = { type: 'FLOATING', index: 'X', margin_bp: 100 };
  assert.equal(couponOf(having(floating)), null);
  assert.equal(couponOf(having(floating), { indices: [3.25] }), 4.25);
  assert.equal(couponOf(having({ ...floating, cap: 'NET_WAC' }), { indices: [3.25], loanRate: null }), null);
  // A fee of the balance after the collections is not known before them.
  const after = { ...capped(), fees: [{ fee: 'servicing', percent: 0.5, of: 'POOL_CURRENT' as const }] };
  assert.equal(couponOf(after), null);
});

test('the accrual after a payment begins on the date of the schedule, whatever months the first payment takes', () => {
  const after = (first_collection_months: number, dayCount: '30/360' | 'ACT/360') =>
    accrualStartAfter(
      { payment: { first_payment_date: '2027-01-15', first_collection_months } },
      POOL_DATES,
      dayCount,
      // The 15th is a Saturday.
      { period: 5, payment_date: '2027-05-17' },
    );
  assert.deepEqual(
    [1, 2, 3, 18].map((months) => after(months, '30/360')),
    Array(4).fill('2027-05-15'),
  );
  assert.equal(after(2, 'ACT/360'), '2027-05-17');
});
