import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { normalQuantile, randomStream, streamFromState } from './random.ts';
import {
  choleskyOfCorrelation,
  drawNormals,
  identityMatrix,
  logitNormalPercent,
  logNormalMultiplier,
  shockAssumptions,
  summarizeLosses,
} from './risk.ts';
import { assuming, near } from './test-support.ts';

test('the generator gives the numbers of the reference program of xoshiro128** for state 1, 2, 3, 4', () => {
  const stream = streamFromState([1, 2, 3, 4]);
  const expected = [11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804];
  deepEqual(
    expected.map(() => stream.uint32()),
    expected,
  );
});

test('a seed gives the same numbers for ever, and each stream its own', () => {
  const draw = (seed: number, number: number) => {
    const stream = randomStream(seed, number);
    return Array.from({ length: 5 }, () => stream.uint32());
  };
  // By a program in another language, from the description of the generator: results are stored under their seed and must come again.
  deepEqual(draw(7, 0), [1294974478, 3335724387, 3579447860, 1456218476, 861713444]);
  deepEqual(draw(7, 1).slice(0, 3), [3249274599, 1163113142, 1353391329]);
  const far = randomStream(2 ** 40 + 3, 2 ** 33 + 1);
  deepEqual([far.uint32(), far.uint32(), far.uint32()], [1546290151, 4159711678, 3710183993]);
  const first = randomStream(1);
  deepEqual([first.uniform(), first.uniform()], [0.2534562903899719, 0.12463407124475295]);
  const firsts = Array.from({ length: 2000 }, (_, stream) => randomStream(7, stream).uint32());
  equal(new Set(firsts).size > 1995, true);
  ok(randomStream(2 ** 40, 0).uint32() !== randomStream(0, 0).uint32());
});

test('quantiles of the normal distribution are those of the tables (Wichura, AS 241)', () => {
  near(normalQuantile(0.975), 1.959963984540054, 1e-15);
  near(normalQuantile(0.25), -0.6744897501960817, 1e-15);
  near(normalQuantile(0.001), -3.090232306167814, 1e-14);
  near(normalQuantile(1e-20), -9.2623400897984, 1e-12);
});

test('uniform draws lie strictly between 0 and 1 with the right mean, normal draws have mean 0 and variance 1', () => {
  const stream = randomStream(1);
  const uniforms = Array.from({ length: 50_000 }, () => stream.uniform());
  ok(uniforms.every((value) => value > 0 && value < 1));
  near(mean(uniforms), 0.5, 0.005);
  const normals = Array.from({ length: 50_000 }, () => stream.normal());
  near(mean(normals), 0, 0.02);
  near(mean(normals.map((value) => value ** 2)), 1, 0.03);
});

test('draws of a path have the asked correlation and do not depend on other paths', () => {
  const factored = choleskyOfCorrelation([
    [1, 0.6],
    [0.6, 1],
  ]);
  ok(factored.ok);
  const paths = Array.from({ length: 20_000 }, (_, path) => drawNormals(7, path, factored.lower));
  near(mean(paths.map(([a, b]) => a * b)), 0.6, 0.03);
  deepEqual(drawNormals(7, 12_345, factored.lower), paths[12_345]);
});

test('a correlation matrix times its factor is itself, singular ones too', () => {
  for (const matrix of [
    [
      [1, 0.3, -0.2],
      [0.3, 1, 0.5],
      [-0.2, 0.5, 1],
    ],
    [
      [1, 1],
      [1, 1],
    ],
  ]) {
    const factored = choleskyOfCorrelation(matrix);
    ok(factored.ok);
    for (const [row, values] of matrix.entries()) {
      for (const [column, value] of values.entries()) {
        const product = factored.lower[row].reduce((sum, l, k) => sum + l * factored.lower[column][k], 0);
        near(product, value, 1e-12);
      }
    }
  }
});

test('a matrix that is no correlation is an error value that names the row', () => {
  const impossible = choleskyOfCorrelation([
    [1, 0.9, -0.9],
    [0.9, 1, 0.9],
    [-0.9, 0.9, 1],
  ]);
  equal(impossible.ok, false);
  equal(impossible.ok || impossible.code, 'NOT_POSITIVE_SEMI_DEFINITE');
  equal(impossible.ok || impossible.row, 2);
  for (const malformed of [
    [[1, 0.5]],
    [[2]],
    [
      [1, 0.5],
      [0.4, 1],
    ],
    [
      [1, Number.NaN],
      [Number.NaN, 1],
    ],
  ]) {
    const result = choleskyOfCorrelation(malformed);
    equal(result.ok || result.code, 'NOT_SYMMETRIC');
  }
});

test('speeds are multiplied by a factor of mean 1, severity stays within 0 and 100 with its median', () => {
  const stream = randomStream(3);
  near(mean(Array.from({ length: 50_000 }, () => logNormalMultiplier(0.4, stream.normal()))), 1, 0.01);
  equal(logitNormalPercent(45, 0.8, 0), 45);
  ok(logitNormalPercent(45, 0.8, 9) < 100 && logitNormalPercent(45, 0.8, -9) > 0);
  equal(logitNormalPercent(100, 0.8, -3), 100);
  equal(logitNormalPercent(0, 0.8, 3), 0);
});

test('a severity moves by σz in its log odds, however small or large it is', () => {
  const logOdds = (percent: number) => Math.log(percent / (100 - percent));
  for (const percent of [0.01, 0.5, 1, 45, 99, 99.5, 99.99]) {
    for (const z of [-2, 1.25]) near(logOdds(logitNormalPercent(percent, 0.8, z)) - logOdds(percent), 0.8 * z, 1e-9);
  }
});

test('a shock moves only its own measure', () => {
  const base = assuming({ default: { measure: 'cdr', values: [2, 4] }, severityPercent: [40, 50] });
  const shocked = shockAssumptions(
    base,
    [
      { factor: 'default', sigma: 0.5 },
      { factor: 'severity', sigma: 1 },
    ],
    [1, 0],
  );
  const multiplier = Math.exp(0.5 - 0.125);
  deepEqual(shocked.default.values, [2 * multiplier, 4 * multiplier]);
  deepEqual(shocked.prepayment, base.prepayment);
  near((shocked.severityPercent as number[])[0], 40, 1e-12);
});

test('value at risk is the lower empirical quantile and expected shortfall the mean at or beyond it', () => {
  const losses = Array.from({ length: 100 }, (_, index) => 100 - index);
  const { tail, mean: average, minimum, maximum } = summarizeLosses(losses, [0.95, 0.99, 0.005]);
  deepEqual(tail[0], { confidence: 0.95, valueAtRisk: 95, expectedShortfall: (95 + 96 + 97 + 98 + 99 + 100) / 6 });
  deepEqual(tail[1], { confidence: 0.99, valueAtRisk: 99, expectedShortfall: 99.5 });
  deepEqual(tail[2], { confidence: 0.005, valueAtRisk: 1, expectedShortfall: 50.5 });
  deepEqual([average, minimum, maximum], [50.5, 1, 100]);
});

test('of equal losses at the quantile only those of the tail count for the shortfall, and it is never below the value at risk', () => {
  // A senior note that loses in 2 of 1,000 paths: the mean of the 11 from the 990th on, not of all paths that lose nothing.
  const { tail } = summarizeLosses([...new Array<number>(998).fill(0), 10, 12], [0.99]);
  deepEqual(tail, [{ confidence: 0.99, valueAtRisk: 0, expectedShortfall: 2 }]);
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 1 }),
      fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      (losses, confidence) => {
        const [measure] = summarizeLosses(losses, [confidence]).tail;
        ok(measure?.expectedShortfall >= measure?.valueAtRisk - 1e-9);
      },
    ),
  );
  throws(() => summarizeLosses([], [0.5]), /no losses/);
  throws(() => summarizeLosses([1], [1]), /confidence is 1/);
});

test('the identity needs no factoring', () => {
  deepEqual(choleskyOfCorrelation(identityMatrix(3)), { ok: true, lower: identityMatrix(3) });
});

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
