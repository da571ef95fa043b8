import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loan, note, sequential } from '../../../test/support/structures.ts';
import { near } from '../test-support.ts';
import type { CollateralLoan } from '../types.ts';
import { calculate } from './calculate.ts';
import type { CalculationRequest } from './request.ts';
import type { TrancheResult } from './results.ts';
import type { Structure, Tranche } from './structure.ts';

/*
 * The cash flows of these notes are known without a projection: the note takes a pool that pays one loan. Prices are closed forms of
 * annuities; times are whole months, on 30/360 from the settlement on a payment day.
 */

const SETTLEMENT = '2026-12-15';
const MONTHS = 24;

/** A loan that pays interest for two years and then its balance. */
const BULLET: CollateralLoan = { ...loan(1_000_000, 6, MONTHS), interestOnlyMonths: MONTHS };
const FLOATER = { type: 'FLOATING', index: 'SOFR', margin_bp: 150 } as const;

async function measured(
  loans: CollateralLoan[],
  changes: Partial<Tranche>,
  request: Partial<CalculationRequest> = {},
  structure: Partial<Structure> = {},
): Promise<TrancheResult[]> {
  const pool = { loans, loanType: 'Auto', originalBalance: 1_000_000, cutOff: '2026-11-30', closing: SETTLEMENT };
  const deal = sequential([note('A', 1_000_000, 6, 1, changes)], structure);
  const calculation = await calculate({ type: 'PRICING', settlement_date: SETTLEMENT, ...request }, pool, deal);
  assert.ok(calculation.ok, JSON.stringify(calculation));
  return calculation.result.results[0].tranches;
}

/** Price per 100 of `coupon` percent a year, paid monthly, and 100 at the end, at `rate` percent compounded twice a year. */
const bulletPrice = (coupon: number, rate: number, months = MONTHS) => {
  const v = (1 + rate / 200) ** (-1 / 6);
  return (coupon / 12) * ((v * (1 - v ** months)) / (1 - v)) + 100 * v ** months;
};

/** Price per 100 of a loan at 6 % in 60 level payments. */
const levelPrice = (rate: number) => {
  const v = (1 + rate / 200) ** (-1 / 6);
  return (50 / 100 / (1 - 1.005 ** -60)) * ((v * (1 - v ** 60)) / (1 - v));
};

/** Slope and bend of a price at a rate, by differences far smaller than the shift. */
function derivatives(price: (rate: number) => number, rate: number) {
  const h = 1e-3;
  const [down, base, up] = [price(rate - h), price(rate), price(rate + h)];
  return { duration: (50 * (down - up)) / (base * h), convexity: (1e4 * (down + up - 2 * base)) / (base * h * h) };
}

const flat = (kind: 'PAR' | 'ZERO', rate: number) => ({ benchmark_curve: { kind, points: [{ years: 2, rate }] } });

test('the Z-spread of a bullet and of a level-pay bond is the spread at which their annuities have the price', async () => {
  for (const kind of ['PAR', 'ZERO'] as const) {
    const [bullet] = await measured([BULLET], {}, { ...flat(kind, 4), prices: { A: bulletPrice(6, 5.5) } });
    near(bullet.z_spread_bp, 150, 1e-5, `bullet over ${kind}`);
    const [level] = await measured([loan(1_000_000, 6, 60)], {}, { ...flat(kind, 4), prices: { A: levelPrice(6.25) } });
    near(level.z_spread_bp, 225, 1e-5, `level over ${kind}`);
  }
});

test('the Z-spread is over the zero rate of each payment, not over one rate', async () => {
  const points = [
    { years: 1, rate: 3 },
    { years: 3, rate: 5 },
  ];
  // Without a coupon the note is one payment in two years, where the zero rate is 4 %.
  const price = 100 * (1 + 5.2 / 200) ** -4;
  const structure = {
    waterfall: [
      { pay: 'PRINCIPAL', to: ['A'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  } as const;
  const request = { benchmark_curve: { kind: 'ZERO', points }, prices: { A: price } } as const;
  const [result] = await measured([BULLET], { coupon: { type: 'FIXED', rate: 0 } }, request, structure as unknown as Structure);
  near(result.z_spread_bp, 120, 1e-6);
  near(result.effective_duration, 2 / (1 + 5.2 / 200), 1e-4);
  near(result.effective_convexity, (2 * 2.5) / (1 + 5.2 / 200) ** 2, 1e-3);
});

test('effective duration and convexity of fixed flows are the slope and bend of the price, with a curve and without one', async () => {
  for (const curve of [{}, flat('PAR', 4), flat('ZERO', 4)]) {
    const [bullet] = await measured([BULLET], {}, { ...curve, prices: { A: bulletPrice(6, 5.5) } });
    const ofBullet = derivatives((rate) => bulletPrice(6, rate), 5.5);
    near(bullet.effective_duration, ofBullet.duration, 1e-4);
    near(bullet.effective_convexity, ofBullet.convexity, 1e-3);
    near(bullet.effective_duration, bullet.modified_duration as number, 1e-4);
    const [level] = await measured([loan(1_000_000, 6, 60)], {}, { ...curve, prices: { A: levelPrice(6.25) } });
    const ofLevel = derivatives(levelPrice, 6.25);
    near(level.effective_duration, ofLevel.duration, 1e-4);
    near(level.effective_convexity, ofLevel.convexity, 1e-2);
  }
});

test('the discount margin of a floater at par is its margin, and at another price that of its annuity', async () => {
  const curve = { index_curves: { SOFR: [{ period: 1, rate: 4 }] } };
  const [atPar] = await measured([BULLET], { coupon: FLOATER }, curve);
  near(atPar.discount_margin_bp, 150, 1e-6);
  // 5.5 % a year paid monthly, discounted at a twelfth of 4 % and 200 basis points a month.
  const w = 1 / (1 + 0.06 / 12);
  const price = (5.5 / 12) * ((w * (1 - w ** MONTHS)) / (1 - w)) + 100 * w ** MONTHS;
  const [below] = await measured([BULLET], { coupon: FLOATER }, { ...curve, prices: { A: price } });
  near(below.discount_margin_bp, 200, 1e-5);
});

test('the discount margin counts the index, not the coupon: a floor that binds is a spread over the index', async () => {
  const curve = { index_curves: { SOFR: [{ period: 1, rate: 1 }] } };
  const [floored] = await measured([BULLET], { coupon: { ...FLOATER, floor: 5 } }, curve);
  near(floored.discount_margin_bp, 400, 1e-6);
});

test('of the accrual in progress at settlement the discount margin counts the rest', async () => {
  const curve = { index_curves: { SOFR: [{ period: 1, rate: 4 }] } };
  const settlement_date = '2027-01-25';
  // 20 days of the second period are left; 10 days of interest are paid with the price.
  const w = 1 / (1 + 0.06 / 12);
  const annuity = 5.5 / 12 + (5.5 / 12) * ((w * (1 - w ** (MONTHS - 2))) / (1 - w)) + 100 * w ** (MONTHS - 2);
  const price = annuity / (1 + (0.06 * 20) / 360) - (5.5 * 10) / 360;
  const [result] = await measured([BULLET], { coupon: FLOATER }, { ...curve, settlement_date, prices: { A: price } });
  near(result.discount_margin_bp, 200, 1e-5);
});

test('the coupons of a floater follow the shift from their next fixing on, so its effective duration is short', async () => {
  const curve = { index_curves: { SOFR: [{ period: 1, rate: 4 }] } };
  const [result] = await measured([BULLET], { coupon: FLOATER }, curve);
  const bondYield = 200 * ((1 + 0.055 / 12) ** 6 - 1);
  const shifted = (shift: number) => {
    const v = (1 + (bondYield + shift) / 200) ** (-1 / 6);
    // The first coupon is set at settlement; the others move.
    return bulletPrice(5.5 + shift, bondYield + shift) - (shift / 12) * v;
  };
  near(result.effective_duration, (shifted(-0.25) - shifted(0.25)) / (2 * 100 * 0.0025), 1e-6);
  assert.ok((result.effective_duration as number) < 0.15, `${result.effective_duration}`);
  assert.ok((result.modified_duration as number) > 1.8);
});

test('loans follow the shift too: the effective duration is that of prices calculated under shifted curves', async () => {
  const floating = { index: 'PRIME', marginPercent: 3 };
  const arm = [{ ...loan(1_000_000, 9, 60), floating }];
  const curve = (shift: number) => ({
    index_curves: {
      PRIME: [
        { period: 1, rate: 6 },
        { period: 2, rate: 6 + shift },
      ],
    },
  });
  const [base] = await measured(arm, {}, { ...curve(0), prices: { A: 98 } });
  const priceAt = async (shift: number) => {
    const [shifted] = await measured(arm, {}, { ...curve(shift), yields: { A: (base.yield as number) + shift } });
    return shifted.price as number;
  };
  const expected = ((await priceAt(-0.25)) - (await priceAt(0.25))) / (2 * 98 * 0.0025);
  near(base.effective_duration, expected, 1e-5);
  const [fixed] = await measured([loan(1_000_000, 9, 60)], {}, { prices: { A: 98 } });
  assert.ok(Math.abs((base.effective_duration as number) - (fixed.effective_duration as number)) > 1e-3);
});

test('a measure that does not apply is null, and the reason says why', async () => {
  const reasons = ({ unavailable = [] }: TrancheResult) => unavailable.map(({ field, code }) => `${field} ${code}`);
  const [fixed, residual] = await measured([BULLET], {});
  assert.deepEqual(reasons(fixed), ['discount_margin_bp NOT_FLOATING', 'z_spread_bp NO_CURVE']);
  assert.deepEqual([fixed.discount_margin_bp, fixed.z_spread_bp], [null, null]);
  const all = (code: string) =>
    ['discount_margin_bp', 'z_spread_bp', 'effective_duration', 'effective_convexity'].map((field) => `${field} ${code}`);
  assert.deepEqual(reasons(residual), all('RESIDUAL'));
  const [paid] = await measured([BULLET], {}, { settlement_date: '2030-01-15' });
  assert.deepEqual(reasons(paid), all('NO_BALANCE'));
  const floating = { coupon: FLOATER, index_curves: { SOFR: [{ period: 1, rate: 4 }] } };
  const [full] = await measured([BULLET], { coupon: FLOATER }, { ...flat('PAR', 4), index_curves: floating.index_curves });
  assert.deepEqual(full.unavailable, []);
});

test('a benchmark curve that leaves no discount factor is a reason, not a failure', async () => {
  const points = [
    { years: 0.5, rate: 1 },
    { years: 1, rate: 300 },
  ];
  const [result] = await measured([BULLET], {}, { benchmark_curve: { points } });
  assert.deepEqual(
    result.unavailable?.map(({ field, code }) => `${field} ${code}`),
    [
      'discount_margin_bp NOT_FLOATING',
      'z_spread_bp CURVE_UNUSABLE',
      'effective_duration CURVE_UNUSABLE',
      'effective_convexity CURVE_UNUSABLE',
    ],
  );
  assert.match(result.unavailable?.[1].message ?? '', /benchmark_curve: par rate .* leaves no discount factor/);
  assert.equal(typeof result.yield, 'number');
});
