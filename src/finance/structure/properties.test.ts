import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { assumptions, loans, percentOf, POOL_BALANCE, structures } from '../../../test/support/random-structures.ts';
import { monthCountWal, note, runDeal, sequential, sum } from '../../../test/support/structures.ts';
import { assuming } from '../test-support.ts';
import { createFlows } from './flows.ts';
import { validateStructure } from './validate.ts';
import { compileStructure } from './compiled-structure.ts';
import { collateralByPeriod, poolRows, trancheRows } from './rows.ts';

const RUNS = { numRuns: 150 };

test('cash is conserved in every period and nothing is negative, whatever the structure, pool and assumptions', () => {
  fc.assert(
    fc.property(structures, loans, assumptions, (structure, pool, assumed) => {
      assert.deepEqual(
        validateStructure(structure, { balance: POOL_BALANCE, cut_off_date: '2026-11-30', closing_date: '2026-12-15' }).issues,
        [],
      );
      const { flows, collateral } = runDeal(structure, pool, assumed);
      let before = structure.accounts?.[0]?.initial ?? 0;
      for (let index = 0; index < flows.periods; index++) {
        const at = (values: Float64Array) => values[index];
        const collected = at(flows.interestCollected) + at(flows.principalCollected) + at(flows.callProceeds);
        const paid = flows.tranches.reduce(
          (total, tranche) => total + at(tranche.interestPaid) + at(tranche.principal),
          at(flows.feesPaid),
        );
        if (flows.calledAt === -1 || index <= flows.calledAt) {
          assert.ok(Math.abs(collected + before - paid - at(flows.accounts)) < 0.005, `period ${index + 1}`);
        }
        for (const { closing, principal, interestPaid, shortfall } of flows.tranches) {
          assert.ok(Math.min(at(closing), at(principal), at(interestPaid), at(shortfall)) > -1e-6, `period ${index + 1}`);
        }
        before = at(flows.accounts);
      }
      if (flows.calledAt !== -1) return;
      const all = sum(collateral.interest) + sum(collateral.advancedInterest) + principalOf(collateral);
      const paidInAll =
        sum(flows.feesPaid) +
        flows.tranches.reduce((total, { interestPaid, principal }) => total + sum(interestPaid) + sum(principal), 0);
      assert.ok(Math.abs(all + (structure.accounts?.[0]?.initial ?? 0) - paidInAll - before) < 0.01);
    }),
    RUNS,
  );
});

function principalOf({
  scheduledPrincipal,
  prepayment,
  recovery,
  advancedPrincipal,
}: ReturnType<typeof runDeal>['collateral']): number {
  return sum(scheduledPrincipal) + sum(prepayment) + sum(recovery) + sum(advancedPrincipal);
}

test('rounded rows tie to the cent and stay within a cent or two of what they round, whatever the structure', () => {
  fc.assert(
    fc.property(structures, loans, assumptions, (structure, pool, assumed) => {
      const { flows, collateral } = runDeal(structure, pool, assumed);
      const deal = compileStructure(structure, {
        cutOff: '2026-11-30',
        closing: '2026-12-15',
        poolOriginal: POOL_BALANCE,
        collateralMonths: collateral.periods,
      });
      for (const [place, tranche] of flows.tranches.entries()) {
        for (const row of trancheRows(deal, flows, place)) {
          const whole = (amount: number) => Math.round(amount * 100);
          assert.equal(
            whole(row.opening) + whole(row.accreted) - whole(row.principal) - whole(row.write_down),
            whole(row.closing),
          );
          assert.equal(whole(row.interest_due) - whole(row.interest_paid), whole(row.interest_shortfall));
          assert.ok(row.principal >= 0 && row.closing >= 0 && row.interest_shortfall >= 0, JSON.stringify(row));
          assert.ok(Math.abs(row.principal - tranche.principal[row.period - 1]) < 0.021);
        }
      }
    }),
    RUNS,
  );
});

/** Two notes without over-collateralisation, losses from the junior up. */
const SUBORDINATED = sequential([note('A', 700_000, 4, 1), note('B', 200_000, 6, 2), note('C', 100_000, 8, 3)], {
  losses: { mode: 'REVERSE_SEQUENTIAL' },
});

test('rows of the pool tie to the cent, and over its life defaults are recovered, lost or advanced', () => {
  fc.assert(
    fc.property(structures, loans, assumptions, (structure, pool, assumed) => {
      const { flows, collateral } = runDeal(structure, pool, assumed);
      const context = { cutOff: '2026-11-30', closing: '2026-12-15', poolOriginal: POOL_BALANCE };
      const deal = compileStructure(structure, { ...context, collateralMonths: collateral.periods });
      const rows = poolRows(deal, flows, collateralByPeriod(deal, collateral));
      const whole = (amount: number) => Math.round(amount * 100);
      let pending = 0;
      for (const row of rows) {
        const left = whole(row.opening) - whole(row.scheduled_principal) - whole(row.prepayment) - whole(row.default);
        assert.equal(left, whole(row.closing), JSON.stringify(row));
        pending += whole(row.default) - whole(row.recovery) - whole(row.loss) - whole(row.advanced_principal);
        assert.ok(pending >= 0, JSON.stringify(row));
      }
      assert.equal(pending, 0);
    }),
    RUNS,
  );
});

test('a senior note never loses a greater share of its balance than a junior one', () => {
  fc.assert(
    fc.property(loans, assumptions, (pool, assumed) => {
      const { flows } = runDeal(SUBORDINATED, pool, assumed);
      const lost = flows.tranches
        .slice(0, 3)
        .map(({ opening, writeDown, closing }) => (sum(writeDown) + (closing.at(-1) ?? 0)) / opening[0]);
      assert.ok(lost[0] <= lost[1] + 1e-9 && lost[1] <= lost[2] + 1e-9, lost.join(', '));
    }),
    RUNS,
  );
});

test('without defaults the life of every sequential note falls as prepayments rise', () => {
  // Without coupons, so that principal is never spent on interest that a pool of low rates lacks.
  const notes = sequential([note('A', 500_000, 0, 1), note('B', 300_000, 0, 2), note('C', 200_000, 0, 3)]);
  fc.assert(
    fc.property(loans, percentOf(40), percentOf(20), (pool, slow, more) => {
      const livesAt = (cpr: number) => {
        const { flows } = runDeal(notes, pool, assuming({ prepayment: { measure: 'cpr', values: [cpr] } }));
        return flows.tranches.slice(0, 3).map(({ principal }) => monthCountWal(principal));
      };
      const fast = livesAt(slow + more);
      for (const [place, life] of livesAt(slow).entries()) assert.ok(fast[place] <= life + 1e-9, `${place}`);
    }),
    RUNS,
  );
});

test('notes of a pool are paid as from its parts together', () => {
  fc.assert(
    fc.property(loans, assumptions, (pool, assumed) => {
      const halves = pool.flatMap((whole) => [
        { ...whole, balance: whole.balance * 0.25 },
        { ...whole, balance: whole.balance * 0.75 },
      ]);
      const whole = runDeal(SUBORDINATED, pool, assumed).flows;
      const parts = runDeal(SUBORDINATED, halves, assumed).flows;
      for (const [place, tranche] of whole.tranches.entries()) {
        for (const [index, paid] of tranche.principal.entries()) {
          assert.ok(Math.abs(paid - parts.tranches[place].principal[index]) < 1e-4, `${place} ${index}`);
        }
      }
    }),
    RUNS,
  );
});

test('a deal of no periods has empty flows', () => {
  const deal = compileStructure(SUBORDINATED, {
    cutOff: '2026-11-30',
    closing: '2026-12-15',
    poolOriginal: 0,
    collateralMonths: 0,
  });
  assert.equal(createFlows(deal).periods, 0);
});
