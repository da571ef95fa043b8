import { divideHalfEven, MICRO, moneyText, quotientText, toMicro } from './decimal.ts';
import type { PoolTest } from './language.ts';

/** A measured figure, exact: n / d with d > 0. For shares and sums both are whole millionths of the weight. */
export interface Quotient {
  n: bigint;
  d: bigint;
}

/**
 * The verdict on a pool test.
 * - `actual`: the figure with 8 decimals, rounded half-even; null when the test is not applicable (0/0 or no loan measured).
 * - `passed`: decided on the exact figure, not on the rounded one; null when not applicable.
 * - `headroom`: distance to the limit in the unit of the test, 8 decimals, negative when the limit is broken; limit − actual for an
 *   upper limit, actual − limit for a lower one, the smaller of both for `between`.
 * - `excess_balance`: for share, concentration and sum, the weight by which the limit is broken in a pool of the present size: n − limit × d
 *   for an upper limit, limit × d − n for a lower one, "0.00" while the limit holds. Null for tests that measure no balance. A cure always removes at least
 *   this, and more, because the pool shrinks with it.
 */
export interface PoolVerdict {
  actual: string | null;
  passed: boolean | null;
  excess_balance: string | null;
  headroom: string | null;
}

const NOT_APPLICABLE: PoolVerdict = { actual: null, passed: null, excess_balance: null, headroom: null };

/** Compares a figure with the limit of a test, exactly. */
export function judgeFigure(test: Pick<PoolTest, 'type' | 'op' | 'value'>, figure: Quotient | null): PoolVerdict {
  if (figure === null) return NOT_APPLICABLE;
  const gaps = gapsOf(test, figure);
  const least = gaps.reduce((a, b) => (b.gap < a.gap ? b : a));
  return {
    actual: quotientText(figure.n, figure.d, 8),
    passed: gaps.every(({ gap, strict }) => (strict ? gap > 0n : gap >= 0n)),
    excess_balance: measuresBalance(test) ? moneyText(excess(least.gap)) : null,
    headroom: quotientText(least.gap, figure.d * MICRO, 8),
  };
}

/** Distances to the limits, times d and a million: negative beyond the limit. */
function gapsOf(test: Pick<PoolTest, 'op' | 'value'>, { n, d }: Quotient): { gap: bigint; strict: boolean }[] {
  const below = (limit: number) => toMicro(limit) * d - n * MICRO;
  if (test.op === 'between') {
    const [low, high] = test.value as [number, number];
    return [
      { gap: below(high), strict: false },
      { gap: -below(low), strict: false },
    ];
  }
  const gap = below(test.value as number);
  const upper = test.op === 'lte' || test.op === 'lt';
  return [{ gap: upper ? gap : -gap, strict: test.op === 'lt' || test.op === 'gt' }];
}

function measuresBalance({ type }: Pick<PoolTest, 'type'>): boolean {
  return type === 'share' || type === 'concentration' || type === 'sum';
}

/** A sum has d = 1 (a million millionths), so its gap carries the same factor as a share's. */
function excess(gap: bigint): bigint {
  return gap >= 0n ? 0n : divideHalfEven(-gap, MICRO);
}
