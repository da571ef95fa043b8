import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { add, allot, isNothing, NOTHING, type PaidAmounts, subtract, withRetained } from './allot.ts';

const cents = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
const amounts: fc.Arbitrary<PaidAmounts> = fc.record(
  { interest: cents, principal: cents, writedown: cents, accreted: cents },
  { noNullPrototype: true },
);
const faces = fc.array(fc.bigInt({ min: 0n, max: 10n ** 14n }), { minLength: 1, maxLength: 20 });
const holdersOf = (all: readonly bigint[]) => all.map((face) => ({ face }));
const sum = (shares: readonly PaidAmounts[]): PaidAmounts => shares.reduce(add, NOTHING);

test('holders add up to the tranche to the cent, each within a cent of its share', () => {
  fc.assert(
    fc.property(amounts, faces, (paid, all) => {
      const shares = allot(paid, holdersOf(all));
      assert.deepEqual(sum(shares), paid);
      const total = all.reduce((one, other) => one + other, 0n);
      for (const name of ['interest', 'principal', 'writedown', 'accreted'] as const)
        for (const [index, face] of all.entries()) {
          const off = (shares[index] as PaidAmounts)[name] * total - paid[name] * face;
          assert.ok(total === 0n || (off < total && off > -total), `${name} of ${face}`);
        }
    }),
  );
});

test('differences of restatements add up to nothing when the first figures come back', () => {
  fc.assert(
    fc.property(fc.array(amounts, { minLength: 1, maxLength: 6 }), faces, (versions, all) => {
      const reported = [...versions, versions[0] as PaidAmounts].map((each) => allot(each, holdersOf(all)));
      for (const index of all.keys()) {
        const own = reported.map((shares) => shares[index] as PaidAmounts);
        const differences = own.slice(1).map((each, at) => subtract(each, own[at] as PaidAmounts));
        assert.ok(isNothing(sum(differences)));
      }
    }),
  );
});

test('a class without face pays its owner', () => {
  const paid = { ...NOTHING, interest: 12_345n };
  const [owner] = withRetained([], 'org_owner', 0n);
  assert.deepEqual(owner, { organization_id: 'org_owner', holder: 'RETAINED', face: 0n });
  assert.deepEqual(allot(paid, [{ face: 0n }]), [paid]);
});

test('the owner has the rest of the face, and equal remainders go by the order of the holders’ ids', () => {
  const holders = withRetained(
    [
      { organization_id: 'org_b', face: 100n },
      { organization_id: 'org_a', face: 100n },
    ],
    'org_owner',
    300n,
  );
  assert.deepEqual(
    holders.map((each) => [each.organization_id, each.holder, each.face]),
    [
      ['org_a', 'OF_RECORD', 100n],
      ['org_b', 'OF_RECORD', 100n],
      ['org_owner', 'RETAINED', 100n],
    ],
  );
  assert.deepEqual(
    allot({ ...NOTHING, interest: 4n, writedown: -2n }, holders).map((each) => [each.interest, each.writedown]),
    [
      [2n, -1n],
      [1n, -1n],
      [1n, 0n],
    ],
  );
  assert.throws(
    () => withRetained([{ organization_id: 'org_a', face: 301n }], 'org_owner', 300n),
    /301 cents of a tranche of 300/,
  );
});
