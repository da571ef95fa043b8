import { ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { findBracket, findRoot, NoRootError } from './solve.ts';
import { near } from './test-support.ts';

test('a root is found to the last digits, also of functions that bend', () => {
  near(
    findRoot((x) => x * x - 2, 0, 2),
    Math.SQRT2,
    1e-15,
  );
  near(
    findRoot((x) => Math.exp(x) - 1e-9, -50, 10),
    Math.log(1e-9),
    1e-12,
  );
  near(
    findRoot((x) => (x - 1) ** 3, 0, 2.5),
    1,
    1e-5,
  );
  near(
    findRoot((x) => (x < 0.3 ? -1 : 1), 0, 1),
    0.3,
    1e-12,
  );
});

test('any cubic with one sign change is solved in a bounded number of steps', () => {
  fc.assert(
    fc.property(fc.double({ min: -5, max: 5, noNaN: true }), fc.double({ min: 0.1, max: 10, noNaN: true }), (root, slope) => {
      let calls = 0;
      const f = (x: number) => {
        calls++;
        return slope * (x - root) * (1 + (x - root) ** 2);
      };
      near(findRoot(f, -10, 10), root, 1e-9);
      ok(calls < 80, `${calls} steps`);
    }),
  );
});

test('a search without a sign change says so', () => {
  throws(() => findRoot((x) => x * x + 1, -1, 1), NoRootError);
  throws(() => findBracket((x) => x * x + 1, 0, 1, [-10, 10]), NoRootError);
});
