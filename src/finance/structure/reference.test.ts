import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sharedPath, skipWithout } from '../../../test/support/shared.ts';
import { lastMonth, loan, monthCountWal, note, runDeal, sequential, RESIDUAL } from '../../../test/support/structures.ts';
import { assuming } from '../test-support.ts';
import { projectCollateral } from '../collateral.ts';
import type { Collateral } from '../types.ts';
import type { Structure } from './structure.ts';

/*
 * Agency CMO of Fabozzi and Jones, Foundations of Global Financial Markets and Institutions, chapter 30: 400 million of
 * pass-throughs, WAC 8.125, net 7.5, 357 months left, 3 months old. Decrement tables of an auto deal: computed twice from the ABS formula.
 */
const PASS_THROUGH = [loan(400_000_000, 8.125, 357, 3)];
const SERVICING = [{ fee: 'servicing', percent: 0.625, of: 'POOL_BEGINNING' as const }];
const psa = (speed: number) => assuming({ prepayment: { measure: 'psa', values: [speed] } });

const CMO: Structure = sequential(
  [note('A', 194_500_000, 7.5, 1), note('B', 36_000_000, 7.5, 2), note('C', 96_500_000, 7.5, 3), note('D', 73_000_000, 7.5, 4)],
  {
    fees: SERVICING,
    waterfall: [
      { pay: 'FEE', to: ['servicing'] },
      { pay: 'INTEREST', to: ['A', 'B', 'C', 'D'], order: 'PRO_RATA' },
      { pay: 'PRINCIPAL', to: ['A', 'B', 'C', 'D'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  },
);

const near = (actual: number, expected: number, tolerance: number, what: string) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual}, expected ${expected} ± ${tolerance}`);

function reference(file: string) {
  return JSON.parse(readFileSync(sharedPath(`data/reference/${file}`) as string, 'utf8'));
}

test('the four-class CMO of Fabozzi and Jones pays as published at 165 PSA', () => {
  const { flows } = runDeal(CMO, PASS_THROUGH, psa(165));
  const [a, b, c] = flows.tranches.map(({ principal }) => monthCountWal(principal));
  // The author times cash flows 25 days into the month, so the printed lives are 5/360 shorter than month counts.
  near(a - 5 / 360, 3.48, 0.0051, 'life of A');
  near(b - 5 / 360, 7.49, 0.0051, 'life of B');
  near(c - 5 / 360, 11.19, 0.0051, 'life of C');
  assert.deepEqual(
    flows.tranches.slice(0, 4).map(({ principal }) => lastMonth(principal)),
    [81, 100, 178, 357],
  );
  near(flows.tranches[0].closing[0], 193_790_076, 1, 'balance of A after month 1');
  near(flows.tranches[0].interestPaid[0] + flows.tranches[0].principal[0], 1_925_548, 1, 'cash of A in month 1');
  near(flows.tranches[0].closing[79], 311_926, 1, 'balance of A after month 80');
  near(flows.tranches[1].principal[80], 1_720_271, 1, 'principal of B in month 81');
});

test('the four-class CMO has the recomputed lives and last months at 50 to 500 PSA', {
  skip: skipWithout('data/reference/03_cmo_tranches.json'),
}, () => {
  const cases: Record<string, { wal: Record<string, number>; final_month: Record<string, number> }> =
    reference('03_cmo_tranches.json').cmo1.recomputed_by_psa;
  for (const [speed, { wal, final_month }] of Object.entries(cases)) {
    const { flows } = runDeal(CMO, PASS_THROUGH, psa(Number(speed)));
    for (const [place, name] of ['A', 'B', 'C', 'D'].entries()) {
      const principal = flows.tranches[place].principal;
      near(monthCountWal(principal), wal[name], 0.002, `life of ${name} at ${speed} PSA`);
      assert.equal(lastMonth(principal), final_month[name], `last month of ${name} at ${speed} PSA`);
    }
  }
});

/** Lives of PAC and support by PSA: Fabozzi and Jones; 90 PSA recomputed, since the book prints the row of 100 there. */
const PAC_LIVES: [psa: number, pac: number, support: number][] = [
  [0, 15.9735, 27.2605],
  [90, 7.2553, 20.062],
  [150, 7.2553, 12.5664],
  [200, 7.2553, 8.3794],
  [300, 7.2553, 3.1275],
  [400, 5.9177, 2.1714],
  [500, 4.9261, 1.774],
];

const PAC_ORIGINAL = 243_800_000;

test('a PAC with a 90 to 300 PSA collar keeps its life inside the collar, and the support takes the difference', () => {
  const structure = pacStructure();
  for (const [speed, pacLife, supportLife] of PAC_LIVES) {
    const { flows } = runDeal(structure, PASS_THROUGH, psa(speed));
    near(monthCountWal(flows.tranches[0].principal), pacLife, 0.002, `PAC at ${speed} PSA`);
    near(monthCountWal(flows.tranches[1].principal), supportLife, 0.002, `support at ${speed} PSA`);
  }
});

test('the PAC schedule is the lesser principal of the collar ends', () => {
  const rows: [month: number, at90: number, at300: number][] = [
    [1, 508_169.52, 1_075_931.2],
    [104, 1_440_825.55, 1_433_539.23],
    [346, 618_684.59, 13_269.17],
  ];
  const slow = principalOf(projectCollateral(PASS_THROUGH, psa(90)));
  const fast = principalOf(projectCollateral(PASS_THROUGH, psa(300)));
  for (const [month, at90, at300] of rows) {
    near(slow[month - 1], at90, 1, `month ${month} at 90 PSA`);
    near(fast[month - 1], at300, 1, `month ${month} at 300 PSA`);
  }
});

function principalOf({ scheduledPrincipal, prepayment }: Collateral): Float64Array {
  return scheduledPrincipal.map((amount, month) => amount + prepayment[month]);
}

function pacStructure(): Structure {
  const slow = principalOf(projectCollateral(PASS_THROUGH, psa(90)));
  const fast = principalOf(projectCollateral(PASS_THROUGH, psa(300)));
  let balance = PAC_ORIGINAL;
  const schedule = Array.from(slow, (amount, month) => {
    balance = Math.max(0, balance - Math.min(amount, fast[month]));
    return { period: month + 1, balance };
  });
  return {
    ...CMO,
    tranches: [note('PAC', PAC_ORIGINAL, 7.5, 1), note('S', 156_200_000, 7.5, 2), RESIDUAL],
    waterfall: [
      { pay: 'FEE', to: ['servicing'] },
      { pay: 'INTEREST', to: ['PAC', 'S'], order: 'PRO_RATA' },
      { pay: 'PRINCIPAL', to: ['PAC'], amount: { schedule } },
      { pay: 'PRINCIPAL', to: ['S', 'PAC'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  };
}

const AUTO_NOTES: [name: string, balance: number][] = [
  ['A-1', 190_000_000],
  ['A-2', 330_000_000],
  ['A-3', 330_000_000],
  ['A-4', 100_000_000],
  ['B', 30_000_000],
  ['C', 20_000_000],
];

const AUTO_POOL = [loan(400_000_000, 4.5, 54, 6), loan(600_000_000, 6.25, 68, 4)];

type Decrement = {
  to_maturity: { wal_years: Record<string, number>; last_payment: Record<string, number> };
  to_10pct_call: { wal_years: Record<string, number>; last_payment: Record<string, number> };
  percent_of_initial_balance: Record<string, Record<string, number>>;
  first_month_pool_at_or_below_10pct: number;
};

function autoDeal(call: boolean): Structure {
  const notes = AUTO_NOTES.map(([name, balance], index) => note(name, balance, 2, index + 1));
  return sequential(notes, call ? { clean_up_call: { percent: 10 } } : {});
}

test('the decrement table of an auto deal is reproduced at every ABS speed, to maturity and to the 10 % call', {
  skip: skipWithout('data/reference/09_abs_decrement_tables.json'),
}, () => {
  const table: Record<string, Decrement> = reference('09_abs_decrement_tables.json').auto_abs.by_abs;
  for (const [speed, expected] of Object.entries(table)) {
    const assumptions = assuming({ prepayment: { measure: 'abs', values: [Number(speed)] } });
    const toMaturity = runDeal(autoDeal(false), AUTO_POOL, assumptions);
    const toCall = runDeal(autoDeal(true), AUTO_POOL, assumptions);
    assert.equal(toCall.flows.calledAt + 1, expected.first_month_pool_at_or_below_10pct, `call at ${speed} ABS`);
    for (const [place, [name, original]] of AUTO_NOTES.entries()) {
      const matured = toMaturity.flows.tranches[place].principal;
      const called = toCall.flows.tranches[place].principal;
      near(monthCountWal(matured), expected.to_maturity.wal_years[name], 0.003, `${name} at ${speed} ABS`);
      near(monthCountWal(called), expected.to_10pct_call.wal_years[name], 0.003, `${name} at ${speed} ABS to call`);
      assert.equal(lastMonth(matured), expected.to_maturity.last_payment[name], `last payment of ${name} at ${speed} ABS`);
      assert.equal(
        lastMonth(called),
        expected.to_10pct_call.last_payment[name],
        `last payment of ${name} at ${speed} ABS to call`,
      );
      for (const [month, percent] of Object.entries(expected.percent_of_initial_balance[name])) {
        const closing = month === '0' ? original : (toMaturity.flows.tranches[place].closing[Number(month) - 1] ?? 0);
        near((100 * closing) / original, percent, 0.0051, `${name} after month ${month} at ${speed} ABS`);
      }
    }
  }
});

test('an auto deal at 1.3 ABS has the lives of its decrement table', () => {
  const { flows } = runDeal(autoDeal(false), AUTO_POOL, assuming({ prepayment: { measure: 'abs', values: [1.3] } }));
  const lives = flows.tranches.slice(0, 6).map(({ principal }) => monthCountWal(principal));
  for (const [index, expected] of [0.3341, 1.2106, 2.6047, 3.9163, 4.6001, 5.2145].entries()) {
    near(lives[index], expected, 0.003, `life of note ${index + 1}`);
  }
});
