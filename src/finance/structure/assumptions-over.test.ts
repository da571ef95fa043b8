import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assumptionsLater, assumptionsOver, indexCurvesLater } from './assumptions-over.ts';
import { indexCurvesOf } from './normalize.ts';

test('a measure of a scenario replaces its whole group, and nothing else', () => {
  const base = { psa: 150, sda: 100, severity: 40, recovery_lag_months: 6 };
  assert.deepEqual(assumptionsOver(base, { cpr: 8 }), { cpr: 8, sda: 100, severity: 40, recovery_lag_months: 6 });
  assert.deepEqual(assumptionsOver({ cpr: 8, cnl: { percent: 4, timing: [100] } }, { cdr: 2, severity: 50 }), {
    cpr: 8,
    cdr: 2,
    severity: 50,
  });
  assert.deepEqual(assumptionsOver(base, {}), base);
});

test('values by month begin where a later calculation does, and the last one persists', () => {
  const where = { field: 'state', op: 'eq', value: 'CA' };
  const base = {
    cpr: [1, 2, 3, 4],
    cdr: 5,
    severity: [40, 50],
    delinquency: [1, 2, 3],
    billed_fees: { trustee: [10, 20, 30], audit: 7 },
    segments: [{ where, mdr: [1, 2, 3] }],
  };
  assert.deepEqual(assumptionsLater(base, { months: 3, periods: 1 }), {
    cpr: [4],
    cdr: 5,
    severity: [50],
    delinquency: [3],
    billed_fees: { trustee: [20, 30], audit: 7 },
    segments: [{ where, mdr: [3] }],
  });
  assert.deepEqual(assumptionsLater(base, { months: 0, periods: 0 }), base);
  assert.deepEqual(assumptionsLater(base, { months: 100, periods: 100 }).cpr, [4]);
});

test('values by age of the loans stay, and what is by month beside them does not', () => {
  const base = { by: 'AGE' as const, cpr: [1, 2, 3], severity: [40, 50], delinquency: [1, 2, 3] };
  assert.deepEqual(assumptionsLater(base, { months: 2, periods: 2 }), { ...base, delinquency: [3] });
});

test('index curves begin where a later calculation does', () => {
  const index_curves = {
    SOFR: [
      { period: 1, rate: 4 },
      { period: 3, rate: 5 },
      { period: 5, rate: 6 },
    ],
  };
  const rates = (months: number) => indexCurvesOf({ index_curves: indexCurvesLater({ index_curves }, { months }) ?? {} }).SOFR;
  assert.deepEqual([rates(0), rates(2), rates(9)], [[4, 4, 5, 5, 6], [5, 5, 6], [6]]);
  assert.equal(indexCurvesLater({}, { months: 2 }), undefined);
});
