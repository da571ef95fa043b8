/** No root was found; the message has the range that was searched. */
export class NoRootError extends Error {
  override name = 'NoRootError';
}

const MAX_ITERATIONS = 200;
const TOLERANCE = 1e-16;

/**
 * Root of a continuous function between `low` and `high`, where its signs differ, to 1e-16 in x or as near as doubles go.
 * Brent's method: bisection that takes the secant or inverse quadratic step when it is safe (R. P. Brent, Algorithms for Minimization
 * without Derivatives, 1973, chapter 4). Throws NoRootError when the signs are equal or a value is not a number.
 */
export function findRoot(f: (x: number) => number, low: number, high: number): number {
  let a = low;
  let b = high;
  let fa = f(a);
  let fb = f(b);
  if (fa === 0) return a;
  if (fb === 0) return b;
  if (!(fa * fb < 0)) throw new NoRootError(`no sign change between ${low} (${fa}) and ${high} (${fb})`);
  let c = a;
  let fc = fa;
  let width = b - a;
  let previousWidth = width;
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    if (Math.abs(fc) < Math.abs(fb)) [a, b, c, fa, fb, fc] = [b, c, b, fb, fc, fb];
    const precision = 2 * Number.EPSILON * Math.abs(b) + TOLERANCE / 2;
    const half = (c - b) / 2;
    if (Math.abs(half) <= precision || fb === 0) return b;
    const step = Math.abs(previousWidth) >= precision && Math.abs(fa) > Math.abs(fb) ? interpolate(a, b, c, fa, fb, fc) : half;
    const inside = 2 * Math.abs(step) < Math.min(3 * Math.abs(half) - precision, Math.abs(previousWidth)) && step * half > 0;
    previousWidth = inside ? width : half;
    width = inside ? step : half;
    a = b;
    fa = fb;
    b += Math.abs(width) > precision ? width : Math.sign(half) * precision;
    fb = f(b);
    if (Number.isNaN(fb)) throw new NoRootError(`not a number at ${b}`);
    if (fb > 0 === fc > 0) {
      c = a;
      fc = fa;
      width = b - a;
      previousWidth = width;
    }
  }
  return b;
}

/** Secant step, or inverse quadratic step when three points differ, from `b` towards the root. */
function interpolate(a: number, b: number, c: number, fa: number, fb: number, fc: number): number {
  const s = fb / fa;
  if (a === c) return ((c - b) * s) / (s - 1);
  const q = fa / fc;
  const r = fb / fc;
  const numerator = s * ((c - b) * q * (q - r) - (b - a) * (r - 1));
  return -numerator / ((q - 1) * (r - 1) * (s - 1));
}

/**
 * Widens `[low, high]` step by step, at most to `[min, max]`, until the signs of f differ. Returns the bracket; throws NoRootError
 * when f keeps its sign over the whole range.
 */
export function findBracket(
  f: (x: number) => number,
  low: number,
  high: number,
  [min, max]: readonly [number, number],
): [number, number] {
  let a = low;
  let b = high;
  for (;;) {
    if (f(a) > 0 !== f(b) > 0) return [a, b];
    if (a <= min && b >= max) throw new NoRootError(`no sign change between ${min} and ${max}`);
    const width = b - a;
    a = Math.max(min, a - width);
    b = Math.min(max, b + width);
  }
}
