import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { cents, indentures, POOL_BALANCE, shortMonths } from '../../../test/support/random-structures.ts';
import { collateralOf, note, POOL_DATES, runOver, sequential } from '../../../test/support/structures.ts';
import type { Collateral } from '../types.ts';
import { assetLiability } from './asset-liability.ts';
import { compileStructure } from './compiled-structure.ts';
import { type DealState, openRun, stateOf } from './deal-state.ts';
import type { WaterfallFlows } from './flows.ts';
import type { PayeeNode } from './compiled-payees.ts';
import { collateralResult } from './results.ts';
import { collateralByPeriod, poolRows, trancheRows } from './rows.ts';
import type { Step, Structure } from './structure.ts';
import type { TraceSink } from './trace.ts';
import { validateStructure } from './validate.ts';
import { accountsNow, createWaterfallRun, notesNow, type WaterfallRun } from './waterfall-run.ts';
import { runWaterfall } from './waterfall.ts';

/* What holds of every structure of the second edition, whatever its cash, rounded to the cent and not. */

const RUNS = { numRuns: 200 };
const roundings = fc.constantFrom('CENT' as const, 'NONE' as const);

type Watch = Partial<TraceSink>;
const nothing = () => {};

function watch(structure: Structure, collateral: Collateral, sink: Watch, paidPeriods = 0, state?: DealState): WaterfallFlows {
  const context = { ...POOL_DATES, poolOriginal: POOL_BALANCE, collateralMonths: collateral.periods, paidPeriods };
  const run = createWaterfallRun(compileStructure(structure, context));
  const trace = { startPeriod: nothing, step: nothing, redemption: nothing, endPeriod: nothing, ...sink };
  return runWaterfall(run, collateral, { trace, ...(state ? { open: (opened: WaterfallRun) => openRun(opened, state) } : {}) });
}

const rounded = (structure: Structure, rounding: 'CENT' | 'NONE'): Structure => ({
  ...structure,
  payment: { ...structure.payment, rounding },
});

const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

test('random structures of the second edition are valid', () => {
  const pool = { balance: POOL_BALANCE, cut_off_date: POOL_DATES.cutOff, closing_date: POOL_DATES.closing };
  fc.assert(
    fc.property(indentures, (structure) => assert.deepEqual(validateStructure(structure, pool).issues, [])),
    RUNS,
  );
});

test('cash in is cash out, to the last cent where amounts are rounded, and nothing is negative or a part of a cent', () => {
  fc.assert(
    fc.property(indentures, shortMonths, roundings, (structure, collateral, rounding) => {
      const isExact = rounding === 'CENT';
      const initial = structure.accounts?.[0]?.initial ?? 0;
      let before = isExact ? Math.round(initial * 100) : initial;
      let ofSteps: number[] = [];
      watch(rounded(structure, rounding), collateral, {
        startPeriod: () => (ofSteps = []),
        step: (_run, _number, active, _available, { due, paid }) => active && ofSteps.push(due, paid),
        endPeriod(run) {
          const collected = run.interestCollected + run.principalCollected + run.callProceeds + total(run.earned);
          const toResidual = structure.accounts?.[0]?.release_to === 'RESIDUAL' ? run.releasedApart : 0;
          const paid = [run.feePaid, run.interestPaid, run.principalPaid, run.carryOverPaid].reduce(
            (all, each) => all + total(each),
            toResidual,
          );
          const gap = collected + before - paid - accountsNow(run);
          assert.ok(isExact ? gap === 0 : Math.abs(gap) < 1e-6, `period ${run.periodIndex + 1}: ${gap}`);
          before = accountsNow(run);
          const amounts = [
            run.balance,
            run.interestDue,
            run.interestUnpaid,
            run.interestPaid,
            run.principalPaid,
            run.accrued,
            run.carryOver,
            run.carryOverPaid,
            run.writtenOff,
            run.feeUnpaid,
            run.feePaid,
            run.account,
            run.accountReleased,
            run.accountDrawn,
            run.accountDeposited,
            run.earned,
            ofSteps,
          ];
          for (const amount of amounts.flatMap((each) => [...each])) {
            assert.ok(isExact ? Number.isSafeInteger(amount) && amount >= 0 : amount > -1e-6, `${amount}`);
          }
        },
      });
    }),
    RUNS,
  );
});

test('the rows of assets beside liabilities add up to the cent in every period', () => {
  fc.assert(
    fc.property(indentures, shortMonths, (structure, collateral) => {
      const context = { ...POOL_DATES, poolOriginal: POOL_BALANCE, collateralMonths: collateral.periods };
      const compiled = compileStructure(structure, context);
      const flows = runWaterfall(createWaterfallRun(compiled), collateral);
      const grouped = collateralByPeriod(compiled, collateral);
      const pool = poolRows(compiled, flows, grouped);
      const { rows } = assetLiability(
        compiled,
        flows,
        { rows: pool, result: collateralResult(compiled, grouped, pool, POOL_DATES.closing) },
        compiled.tranches.map((_, place) => trancheRows(compiled, flows, place)),
        POOL_DATES.closing,
      );
      const inCents = (...amounts: number[]): number => amounts.reduce((sum, amount) => sum + Math.round(amount * 100), 0);
      let before = Math.round((structure.accounts?.[0]?.initial ?? 0) * 100);
      assert.equal(rows.length, flows.calledAt === -1 ? compiled.periods.count : flows.calledAt + 1);
      for (const row of rows) {
        const after = inCents(row.reserve_balance);
        const collected = inCents(row.collateral_principal, row.collateral_interest, row.call_proceeds, row.account_income);
        const paid = inCents(row.fees, row.note_interest, row.note_principal, row.residual, row.released_outside);
        assert.equal(collected + before, paid + after, `period ${row.period}`);
        before = after;
      }
    }),
    RUNS,
  );
});

const placesOf = (node: PayeeNode): readonly number[] => (typeof node === 'number' ? [node] : node.places);

test('a later payee of a sequential step gets nothing while an earlier one is owed', () => {
  fc.assert(
    fc.property(indentures, shortMonths, roundings, (structure, collateral, rounding) => {
      const paidBefore = new Map<string, Float64Array>();
      const listsOf = (run: WaterfallRun) => ({
        FEE: [run.feePaid, run.feeUnpaid],
        INTEREST: [run.interestPaid, run.interestUnpaid],
        PRINCIPAL: [run.principalPaid, run.balance],
      });
      const remember = (run: WaterfallRun) => {
        for (const [kind, [paid]] of Object.entries(listsOf(run))) paidBefore.set(kind, paid.slice());
      };
      watch(rounded(structure, rounding), collateral, {
        startPeriod: remember,
        redemption: remember,
        step(run, number) {
          const { pay, payees } = run.structure.steps[number];
          const lists = listsOf(run);
          if ((pay === 'FEE' || pay === 'INTEREST' || pay === 'PRINCIPAL') && !payees.proRata) {
            const [paid, owed] = lists[pay];
            const before = paidBefore.get(pay);
            const sum = (node: PayeeNode, values: Float64Array) => placesOf(node).reduce((all, place) => all + values[place], 0);
            let isOwed = false;
            for (const member of payees.members) {
              const got = sum(member, paid) - (before ? sum(member, before) : 0);
              assert.ok(!isOwed || got < 1e-6, `step ${number + 1} of period ${run.periodIndex + 1}`);
              isOwed ||= sum(member, owed) > 1e-6;
            }
          }
          remember(run);
        },
      });
    }),
    RUNS,
  );
});

test('an account is never below 0, nor above its requirement after its step', () => {
  fc.assert(
    fc.property(indentures, shortMonths, roundings, (structure, collateral, rounding) => {
      const { target = 0, non_declining = false } = structure.accounts?.[0] ?? {};
      let highest = 0;
      watch(rounded(structure, rounding), collateral, {
        step(run, number, active) {
          assert.ok(run.account[0] >= 0);
          if (!active || run.structure.steps[number].pay !== 'RESERVE') return;
          const unit = rounding === 'CENT' ? 100 : 1;
          const percent = typeof target === 'object' && 'percent' in target ? Number(target.percent) : 0;
          const exact = typeof target === 'number' ? target * unit : Math.max((percent / 100) * run.poolCurrent, 1000 * unit);
          highest = Math.max(non_declining ? highest : 0, rounding === 'CENT' ? Math.floor(exact + 0.500001) : exact);
          assert.ok(run.account[0] <= Math.min(highest, notesNow(run)) + 1e-6, `${run.account[0]} above ${highest}`);
        },
      });
    }),
    RUNS,
  );
});

test('what is unpaid is due in the next period, beside what that accrues', () => {
  fc.assert(
    fc.property(indentures, shortMonths, (structure, collateral) => {
      let unpaid: readonly number[] = [];
      let fees: readonly number[] = [];
      const residual = structure.tranches.length - 1;
      watch(structure, collateral, {
        endPeriod(run) {
          for (const [index, due] of run.interestDue.entries()) {
            if (index === residual) continue;
            assert.equal(due, (unpaid[index] ?? 0) + run.accrued[index], `tranche ${index}`);
            assert.equal(run.interestUnpaid[index], due - run.interestPaid[index], `tranche ${index}`);
          }
          for (const [index, accrued] of run.feeAccrued.entries()) {
            assert.equal(run.feeUnpaid[index], (fees[index] ?? 0) + accrued - run.feePaid[index], `fee ${index}`);
          }
          unpaid = [...run.interestUnpaid];
          fees = [...run.feeUnpaid];
        },
      });
    }),
    RUNS,
  );
});

test('the shares of a group do not depend on how many steps pay it', () => {
  const members = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(members, fc.array(cents(20_000), { minLength: 1, maxLength: 5 }), (balances, parts) => {
      const notes = balances.map((balance, place) => note(`A-${place}`, balance / 100, 0, 1));
      const names = notes.map(({ tranche }) => tranche);
      const paidBy = (amounts: number[]) => {
        const structure = sequential(notes, {
          payment: { first_payment_date: '2027-01-15', rounding: 'CENT' },
          waterfall: [
            ...amounts.map((amount): Step => ({ pay: 'PRINCIPAL', to: [names], amount })),
            { pay: 'RESIDUAL', to: ['R'] },
          ],
        });
        const { flows } = runOver(structure, collateralOf(10_000, [{ scheduled: 5000 }, {}]));
        return flows.tranches.map(({ principal }) => principal[0]);
      };
      const sum = parts.reduce((all, part) => all + Math.round(part * 100), 0) / 100;
      assert.deepEqual(paidBy(parts), paidBy([sum]));
    }),
    RUNS,
  );
});

/** The months of a collateral from an index on. */
const from = (collateral: Collateral, month: number): Collateral => ({
  ...(Object.fromEntries(
    Object.entries(collateral).map(([name, values]) => [name, values instanceof Float64Array ? values.slice(month) : values]),
  ) as Collateral),
  periods: collateral.periods - month,
});

test('a run that starts from the state after any period is the uninterrupted run', () => {
  fc.assert(
    fc.property(indentures, shortMonths, roundings, fc.nat(6), (structure, collateral, rounding, place) => {
      const deal = rounded(structure, rounding);
      const paid = 1 + (place % (collateral.periods - 1));
      let stored = '';
      const whole = watch(deal, collateral, {
        endPeriod(run) {
          if (run.periodIndex + 1 === paid)
            stored = JSON.stringify(stateOf(run, run.structure.periods.dates[run.periodIndex].paid));
        },
      });
      if (whole.calledAt !== -1 && whole.calledAt < paid) return;
      const later = watch(deal, from(collateral, paid), {}, paid, JSON.parse(stored));
      assert.equal(later.calledAt, whole.calledAt);
      for (const [index, tranche] of whole.tranches.entries()) {
        for (const [name, values] of Object.entries(tranche)) {
          const restarted = Object.entries(later.tranches[index]).find(([each]) => each === name)?.[1];
          assert.deepEqual(
            Array.from(restarted?.slice(paid) ?? []),
            Array.from(values.slice(paid)),
            `${name} of tranche ${index} after ${paid}`,
          );
        }
      }
      for (const name of ['accounts', 'feesPaid', 'feesUnpaid', 'drawn', 'released', 'releasedApart', 'income'] as const) {
        assert.deepEqual(Array.from(later[name].slice(paid)), Array.from(whole[name].slice(paid)), `${name} after ${paid}`);
      }
      assert.deepEqual(Array.from(later.triggersOn[0].slice(paid)), Array.from(whole.triggersOn[0].slice(paid)));
    }),
    RUNS,
  );
});
