import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { toRemittance } from './report.ts';

const servicer = {
  period: 3,
  payment_date: '2027-03-15',
  collateral: {
    beginning_pool_balance: 1_000,
    scheduled_principal: 10,
    prepayments: 20,
    repurchases: 5,
    gross_losses: 4,
    recoveries: 1,
    ending_pool_balance: 961,
  },
  tranches: [{ tranche: 'A', beginning_balance: 800, interest_paid: 4, principal_paid: 39, ending_balance: 761 }],
  totals: { principal_paid: 39 },
};

const COLLATERAL: Record<string, string> = {
  beginning_pool_balance: 'opening',
  prepayments: 'prepayment',
  repurchases: 'repurchase',
  gross_losses: 'default',
  recoveries: 'recovery',
  ending_pool_balance: 'closing',
};
const TRANCHE: Record<string, string> = { beginning_balance: 'opening', principal_paid: 'principal', ending_balance: 'closing' };

/** The row with some of its figures under their other names. */
function renamed<Value>(row: Record<string, Value>, names: Record<string, string>, chosen: readonly string[]) {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [chosen.includes(name) ? (names[name] ?? name) : name, value]),
  );
}

test('a report is the same under the names of servicer reports and of cash-flow rows, in any mixture', () => {
  fc.assert(
    fc.property(fc.subarray(Object.keys(COLLATERAL)), fc.subarray(Object.keys(TRANCHE)), (collateral, tranche) => {
      const body = {
        ...servicer,
        collateral: renamed(servicer.collateral, COLLATERAL, collateral),
        tranches: servicer.tranches.map((row) => renamed<string | number>(row, TRANCHE, tranche)),
      };
      assert.deepEqual(toRemittance(body), servicer);
    }),
  );
});

test('beginning_balance and ending_balance of the collateral are read too', () => {
  const { beginning_pool_balance, ending_pool_balance, ...rest } = servicer.collateral;
  const collateral = { ...rest, beginning_balance: beginning_pool_balance, ending_balance: ending_pool_balance };
  assert.deepEqual(toRemittance({ ...servicer, collateral }), servicer);
});

test('a figure under its own name wins over its other name', () => {
  const collateral = { opening: 7, ...servicer.collateral, closing: 8 };
  const tranches = servicer.tranches.map((row) => ({ principal: 9, ...row }));
  assert.deepEqual(toRemittance({ ...servicer, collateral, tranches }), servicer);
});

test('a report without totals has none', () => {
  const { totals: _, ...body } = servicer;
  assert.deepEqual(toRemittance(body), body);
});

test('every missing figure is named with its path', () => {
  const body = {
    ...servicer,
    collateral: { prepayments: 1 },
    tranches: [...servicer.tranches, { tranche: 'B', opening: 1, interest_paid: 0 }],
  };
  assert.throws(
    () => toRemittance(body),
    (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual(
        [error.statusCode, error.code, error.errors?.map((each) => each.field)],
        [
          400,
          'VALIDATION_FAILED',
          [
            'collateral.beginning_pool_balance',
            'collateral.scheduled_principal',
            'collateral.ending_pool_balance',
            'tranches.1.principal_paid',
            'tranches.1.ending_balance',
          ],
        ],
      );
      return true;
    },
  );
});
