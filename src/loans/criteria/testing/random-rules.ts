import fc from '../../../../test/support/property.ts';
import type { Condition, Leaf } from '../language.ts';

// values sit on and around the literals of the rules, ties of the seventh decimal included
const number = fc.constantFrom(
  null,
  0,
  1,
  2.5,
  100,
  120,
  120.0000005,
  120.000001,
  99.9999995,
  0.3333335,
  -5,
  33.333333,
  60,
  60.000001,
);
const word = fc.constantFrom(null, 'CA', 'ca ', 'TX', 'Ny', 'ZZ');
const date = fc.constantFrom(null, '2020-01-31', '2020-02-01', '2024-02-29');
const flag = fc.constantFrom(null, true, false);
/** Loans whose values sit on and around the literals of the rules. */
export const loan = fc.record({
  current_balance: fc.constantFrom(1, 250.5, 100, 85000),
  original_balance: number,
  vehicle_value: number,
  ltv: number,
  state: word,
  origination_date: date,
  maturity_date: date,
  co_obligor: flag,
});

const NUMBERS = ['original_balance', 'vehicle_value', 'ltv', 'current_balance'];
const missing = fc.constantFrom({}, {}, {}, { on_missing: 'pass' as const }, { on_missing: 'fail' as const });
const numeric = fc.constantFrom(0, 60, 60.000001, 1, 2.5, 100, 120, 120.000001, 33.333333, 0.333333, 0.333334);
const compare = fc.constantFrom('eq', 'neq', 'gt', 'gte', 'lt', 'lte') as fc.Arbitrary<Leaf['op']>;
const left = fc.oneof(
  fc.constantFrom(...NUMBERS).map((field) => ({ field })),
  fc
    .record({ num: fc.constantFrom(...NUMBERS), den: fc.constantFrom(...NUMBERS), scale: fc.constantFrom(1, 100, 0.5) })
    .map((expr) => ({ expr })),
);
const leaf = fc.oneof(
  fc.tuple(left, compare, numeric, missing).map(([side, op, value, more]) => ({ ...side, op, value, ...more })),
  fc
    .tuple(left, numeric, numeric, missing)
    .map(([side, a, b, more]) => ({ ...side, op: 'between' as const, value: [Math.min(a, b), Math.max(a, b)], ...more })),
  fc
    .tuple(left, compare, fc.constantFrom(...NUMBERS), fc.constantFrom(1, 1.2, 0.5, 0.333333), missing)
    .map(([side, op, value_field, factor, more]) => ({ ...side, op, value_field, factor, ...more })),
  fc
    .tuple(fc.constantFrom('eq', 'neq') as fc.Arbitrary<Leaf['op']>, fc.constantFrom('CA', ' tx', 'NY'), missing)
    .map(([op, value, more]) => ({ field: 'state', op, value, ...more })),
  fc
    .tuple(fc.constantFrom('in', 'not_in') as fc.Arbitrary<Leaf['op']>, fc.constantFrom(['CA', 'TX'], ['ny']), missing)
    .map(([op, value, more]) => ({ field: 'state', op, value, ...more })),
  fc.constantFrom<Leaf>(
    { field: 'state', op: 'not_in', value_set: 'WEST' },
    { field: 'ltv', op: 'in', value: [100, 120] },
    { field: 'origination_date', op: 'before', value: '2020-02-01' },
    { field: 'origination_date', op: 'on_or_after', value: 'as_of-29d' },
    { field: 'maturity_date', op: 'after', value_field: 'origination_date' },
    { field: 'maturity_date', op: 'between', value: ['2020-01-31', '2020-02-01'] },
    { field: 'co_obligor', op: 'eq', value: true },
    { field: 'co_obligor', op: 'neq', value: true },
    { field: 'ltv', op: 'is_null' },
    { field: 'state', op: 'not_null' },
  ),
) as fc.Arbitrary<Condition>;
/** Rules of every operator, some levels deep, over those loans; they need `as_of` and the value set WEST. */
export const { rule } = fc.letrec<{ rule: Condition }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.array(tie('rule'), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('rule'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
    tie('rule').map((not) => ({ not })),
    fc.tuple(tie('rule'), tie('rule')).map(([when, then]) => ({ when, then })),
  ),
}));
