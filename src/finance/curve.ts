import type { CurvePoint } from './types.ts';
import { UnusableInputError } from './unusable-input.ts';

/** Rate in percent at a maturity in years: linear between points, flat before the first and after the last. Points ascend; at least one. */
export function curveRate(points: readonly CurvePoint[], years: number): number {
  const first = points[0];
  if (!first) throw new RangeError('a curve needs at least one point');
  if (years <= first.years) return first.rate;
  for (let index = 1; index < points.length; index++) {
    const right = points[index];
    if (years > right.years) continue;
    const left = points[index - 1];
    return left.rate + ((right.rate - left.rate) * (years - left.years)) / (right.years - left.years);
  }
  return (points.at(-1) as CurvePoint).rate;
}

/** Nominal spread in basis points: yield less the curve at the weighted average life. HERO 2017-1 A1: 3.724 − 1.97422 = 174.978 bp. */
export function spreadAtWal(yieldPercent: number, points: readonly CurvePoint[], walYears: number): number {
  return (yieldPercent - curveRate(points, walYears)) * 100;
}

/** Discount factors and zero rates (percent, semi-annual compounding) at any time in years. */
export type ZeroCurve = { discountFactor(years: number): number; zeroPercent(years: number): number };

/**
 * Zero curve of a curve of par yields (semi-annual coupon bonds at 100) by bootstrapping on a half-year grid: DF(n) =
 * (1 − c/2 × Σ DF) / (1 + c/2), par rates by `curveRate`. Between grid points the logarithm of the discount factor is linear, so the
 * forward is constant; beyond the last point the par rate is flat. Throws RangeError when a rate leaves no positive discount factor.
 */
export function zeroCurveFromPar(points: readonly CurvePoint[]): ZeroCurve {
  const factors = [1];
  let annuity = 0;
  const factorAt = (halfYears: number): number => {
    while (factors.length <= halfYears) {
      const coupon = curveRate(points, factors.length / 2) / 200;
      const factor = (1 - coupon * annuity) / (1 + coupon);
      if (!(factor > 0))
        throw new UnusableInputError(`par rate ${coupon * 200} % at ${factors.length / 2} years leaves no discount factor`);
      factors.push(factor);
      annuity += factor;
    }
    return factors[halfYears];
  };
  const discountFactor = (years: number): number => {
    if (years <= 0) return 1;
    const before = Math.floor(years * 2);
    const part = years * 2 - before;
    const from = factorAt(before);
    return part === 0 ? from : from * (factorAt(before + 1) / from) ** part;
  };
  return { discountFactor, zeroPercent: (years) => zeroRate(discountFactor(Math.max(years, 1e-6)), Math.max(years, 1e-6)) };
}

/** Zero curve given as zero rates (percent, semi-annual compounding), linear in the rate. */
export function zeroCurveFromZeros(points: readonly CurvePoint[]): ZeroCurve {
  const zeroPercent = (years: number) => curveRate(points, years);
  return { zeroPercent, discountFactor: (years) => (1 + zeroPercent(years) / 200) ** (-2 * years) };
}

function zeroRate(factor: number, years: number): number {
  return 200 * (factor ** (-1 / (2 * years)) - 1);
}
