import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sharedPath, skipWithout } from '../../../../test/support/shared.ts';
import { collateralOf, lastMonth, monthCountWal, sum } from '../../../../test/support/structures.ts';
import { projectCollateral } from '../../collateral.ts';
import { assuming, near } from '../../test-support.ts';
import type { Assumptions, Collateral, IsoDate } from '../../types.ts';
import { recomputePeriod } from '../certificate.ts';
import { amountContext } from '../compiled-amount.ts';
import { type CompileContext, compileStructure } from '../compiled-structure.ts';
import type { DealState } from '../deal-state.ts';
import type { WaterfallFlows } from '../flows.ts';
import { isNote, type Structure } from '../structure.ts';
import { compileTriggers, newTriggerState } from '../triggers.ts';
import { validateStructure } from '../validate.ts';
import { createWaterfallRun } from '../waterfall-run.ts';
import { runWaterfall } from '../waterfall.ts';
import { ALLY_2017_3, ALLY_2017_3_TARGET } from './ally-2017-3.ts';
import { AMCAR_2017_1, AMCAR_2017_1_GRID, AMCAR_2017_1_LIVES, AMCAR_2017_1_POOLS, AMCAR_2017_1_SPEEDS } from './amcar-2017-1.ts';
import { CARMAX_2025_2, CARMAX_2025_2_CERTIFICATES } from './carmax-2025-2.ts';
import { CNH_2016_B } from './cnh-2016-b.ts';
import { COLT_2018_4 } from './colt-2018-4.ts';
import { EART_2023_1 } from './eart-2023-1.ts';
import { FORDO_2024_C } from './fordo-2024-c.ts';
import { HDMOT_2021_B } from './hdmot-2021-b.ts';
import { JPMMT_2016_4 } from './jpmmt-2016-4.ts';
import { PAID_2026_2, PAID_2026_2_ENHANCEMENT } from './paid-2026-2.ts';
import { SDART_2024_1 } from './sdart-2024-1.ts';
import {
  SFAST_2026_1,
  SFAST_2026_1_ADJUSTMENT,
  SFAST_2026_1_LAST,
  SFAST_2026_1_LAST_MONTHS,
  SFAST_2026_1_MONTHS,
} from './sfast-2026-1.ts';
import { TAOT_2024_A, TAOT_2024_D, TAOT_CERTIFICATES } from './taot-2024.ts';
import type { TermSheet } from './term-sheet.ts';

const SHEETS: Record<string, TermSheet> = {
  'CarMax 2025-2': CARMAX_2025_2,
  'SFAST 2026-1': SFAST_2026_1,
  'AmeriCredit 2017-1': AMCAR_2017_1,
  'COLT 2018-4': COLT_2018_4,
  'JPMMT 2016-4': JPMMT_2016_4,
  'Ford 2024-C': FORDO_2024_C,
  'Harley-Davidson 2021-B': HDMOT_2021_B,
  'Santander Drive 2024-1': SDART_2024_1,
  'Exeter 2023-1': EART_2023_1,
  'Toyota 2024-A': TAOT_2024_A,
  'Toyota 2024-D': TAOT_2024_D,
  'Ally 2017-3': ALLY_2017_3,
  'CNH 2016-B': CNH_2016_B,
  'Pagaya 2026-2': PAID_2026_2,
};
const INDEX_CURVES = { SOFR30A: [4.3], LIBOR1M: [0.5] };

const datesOf = ({ facts }: TermSheet) => ({ cutOff: facts.cut_off_date, closing: facts.closing_date });
const notesOf = (structure: Structure) => structure.tranches.filter((tranche) => isNote(structure, tranche));
const sizeOf = (structure: Structure): number => notesOf(structure).reduce((total, { balance = 0 }) => total + balance, 0);

/** Runs a deal over collateral. */
function runSheet(sheet: TermSheet, collateral: Collateral, context: Partial<CompileContext> = {}): WaterfallFlows {
  const deal = compileStructure(sheet.structure, {
    ...datesOf(sheet),
    poolOriginal: collateral.opening[0],
    collateralMonths: collateral.periods,
    indexCurves: INDEX_CURVES,
    ...context,
  });
  return runWaterfall(createWaterfallRun(deal), collateral);
}

/** Projects the replines of a deal, with what its adjusted pool and net rate need. */
function project({ structure, loans }: TermSheet, assumptions: Assumptions): Collateral {
  const adjustment = structure.pool?.adjustment;
  const presentValue =
    adjustment && !Array.isArray(adjustment) ? { ratePercent: adjustment.rate, applies: adjustment.applies } : undefined;
  return projectCollateral(loans, assumptions, {
    series: { weightedRate: true, ...(presentValue ? { adjustment: presentValue } : {}) },
  });
}

/** A month of cash written by hand; balances at its opening by tranche, the original ones where they are left out. */
type Month = {
  period: number;
  date: IsoDate;
  before?: IsoDate | null;
  opening?: Record<string, number>;
  /** Pool before and after the month. */
  pool: readonly [number, number];
  interest: number;
  principal: number;
  scheduled?: number;
  prepaid?: number;
  recovered?: number;
  loss?: number;
  earned?: number;
  billed?: Record<string, number>;
  /** Adjustment of the pool, now and at the cut-off. */
  adjustment?: readonly [number, number];
  index?: number;
  netWac?: number;
  delinquent60?: number;
  /** Balance of the accounts, all of them; the initial one where it is left out. */
  account?: number;
};

function payMonth(sheet: TermSheet, month: Month) {
  const { structure, facts } = sheet;
  const { before = null, opening = {}, index = 4.3, delinquent60 = null } = month;
  const dates = datesOf(sheet);
  const state: DealState = {
    period: month.period - 1,
    payment_date: before,
    pool_original: facts.balance,
    pool_balance: month.pool[0],
    cumulative_net_loss_amount: 0,
    tranches: Object.fromEntries(
      structure.tranches.map(({ tranche, balance = 0 }) => [tranche, { balance: opening[tranche] ?? balance, shortfall: 0 }]),
    ),
    accounts: Object.fromEntries(
      (structure.accounts ?? []).map(({ account, initial = 0 }) => [account, { balance: month.account ?? initial }]),
    ),
    triggers: newTriggerState(compileTriggers(structure.triggers ?? [], amountContext(structure, dates, month.period))),
  };
  const {
    run,
    trace,
    state: after,
  } = recomputePeriod(structure, dates, state, {
    period: month.period,
    paymentDate: month.date,
    poolEnding: month.pool[1],
    interest: month.interest,
    principal: month.principal,
    scheduled: month.scheduled ?? month.principal,
    prepaid: month.prepaid ?? 0,
    recovered: month.recovered ?? 0,
    loss: month.loss ?? 0,
    earned: { reserve: month.earned ?? 0 },
    billed: month.billed ?? {},
    fixings: { SOFR30A: index, LIBOR1M: index },
    netWac: month.netWac ?? null,
    adjustment: month.adjustment?.[0] ?? null,
    adjustmentOriginal: month.adjustment?.[1] ?? null,
    delinquent: [delinquent60, delinquent60, null],
    events: [],
    call: null,
  });
  const place = (name: string) => structure.tranches.findIndex(({ tranche }) => tranche === name);
  const step = (name: string) => {
    const found = trace.steps.find((each) => each.name === name);
    assert.ok(found, `a step ${name}`);
    return found;
  };
  return {
    paid: (name: string) => step(name).paid,
    due: (name: string) => step(name).due,
    drawn: (name: string) => step(name).drawn,
    principal: (name: string) => run.principalPaid[place(name)] / run.structure.unit,
    interest: (name: string) => run.interestPaid[place(name)] / run.structure.unit,
    closing: (name: string) => after.tranches[name].balance,
    account: trace.accounts[0],
    after,
  };
}

/** Balances of the notes in the order of the deal. */
const balances = ({ structure }: TermSheet, amounts: readonly number[]): Record<string, number> =>
  Object.fromEntries(notesOf(structure).map(({ tranche }, place) => [tranche, amounts[place] ?? 0]));

for (const [name, sheet] of Object.entries(SHEETS)) {
  test(`${name} is valid, and its notes retire in full and in order over its own pool`, () => {
    const { structure, facts, loans } = sheet;
    assert.deepEqual(validateStructure(structure, facts).issues, []);
    near(
      loans.reduce((total, { balance }) => total + balance, 0),
      facts.balance,
      0.005,
      'pool',
    );
    const flows = runSheet(
      sheet,
      project(
        sheet,
        assuming({
          prepayment: { measure: 'cpr', values: [12] },
          default: { measure: 'cdr', values: [0.5] },
          severityPercent: 50,
          recoveryLagMonths: 3,
        }),
      ),
    );
    const notes = notesOf(structure);
    let retired = 0;
    for (const [place, tranche] of structure.tranches.entries()) {
      if (!notes.includes(tranche)) continue;
      const { principal, accreted, writeDown, shortfall } = flows.tranches[place];
      near(sum(principal) + sum(writeDown), (tranche.balance ?? 0) + sum(accreted), 0.01, `principal of ${tranche.tranche}`);
      near(Math.max(...shortfall), 0, 0.005, `unpaid interest of ${tranche.tranche}`);
      // What is written off may be gone before.
      if (sum(writeDown) > 0) continue;
      assert.ok(lastMonth(principal) >= retired, `${tranche.tranche} retires after those before it`);
      retired = lastMonth(principal);
    }
  });
}

test('CarMax 2025-2: three certificates are recomputed to the cent', () => {
  const names = notesOf(CARMAX_2025_2.structure).map(({ tranche }) => tranche);
  for (const certificate of CARMAX_2025_2_CERTIFICATES) {
    const paid = payMonth(CARMAX_2025_2, {
      ...certificate,
      opening: balances(CARMAX_2025_2, certificate.opening),
      index: certificate.rate - 0.69,
      earned: certificate.reserveIncome,
    });
    assert.deepEqual(names.map(paid.interest), certificate.paidInterest, `interest of ${certificate.date}`);
    assert.deepEqual(names.map(paid.principal), certificate.paidPrincipal, `principal of ${certificate.date}`);
    for (const [step, amount] of Object.entries(certificate.steps)) {
      assert.equal(paid.paid(step), amount, `${step} of ${certificate.date}`);
    }
    assert.equal(paid.paid('regular'), certificate.regular);
    assert.equal(paid.paid('residual'), certificate.residual);
    assert.equal(paid.account.released, certificate.reserveIncome, 'what the reserve earned goes past the waterfall');
    assert.equal(paid.account.closing, 3_526_448.55);
  }
});

test('CarMax 2025-2: in a month that is short every priority payment has its turn, and the reserve pays the last one', () => {
  const paid = payMonth(CARMAX_2025_2, {
    period: 40,
    date: '2028-08-15',
    before: '2028-07-17',
    opening: balances(CARMAX_2025_2, [0, 0, 0, 100_000_000, 0, 28_920_000, 21_160_000, 14_110_000]),
    pool: [120_000_000, 110_000_000],
    interest: 2_000_000,
    principal: 40_000_000,
  });
  assert.equal(paid.paid('servicing'), 100_000);
  assert.equal(paid.paid('priority'), 0);
  // 100,000,000 + 28,920,000 - 110,000,000; then the balance of each class that joins.
  assert.equal(paid.paid('secondary'), 18_920_000);
  assert.equal(paid.paid('tertiary'), 21_160_000);
  assert.equal(paid.due('quaternary'), 14_110_000);
  // 42,000,000 - 100,000 - 373,333.33 - 119,536.00 - 18,920,000 - 90,988.00 - 21,160,000 - 67,492.83 = 1,168,649.84, and the reserve.
  assert.equal(paid.paid('quaternary'), 1_168_649.84 + 3_526_448.55);
  assert.equal(paid.drawn('quaternary'), 3_526_448.55);
  assert.equal(paid.paid('regular'), 0);
});

test('CarMax 2025-2: a class at its final date is paid by the first priority payment, whatever the pool', () => {
  const month = {
    before: '2026-04-15',
    opening: balances(
      CARMAX_2025_2,
      [1_000_000, 350_000_000, 161_510_000, 452_100_000, 89_000_000, 28_920_000, 21_160_000, 14_110_000],
    ),
    pool: [1_130_000_000, 1_128_379_421.74],
    interest: 12_000_000,
    principal: 1_620_578.26,
  } as const;
  assert.equal(payMonth(CARMAX_2025_2, { ...month, period: 13, date: '2026-05-15' }).paid('priority'), 1_000_000);
  assert.equal(payMonth(CARMAX_2025_2, { ...month, period: 12, date: '2026-05-14' }).paid('priority'), 0);
});

const SFAST_SCENARIO = assuming({
  prepayment: { measure: 'abs', values: [1.4] },
  default: { measure: 'cdr', values: [2.25] },
  severityPercent: 50,
  recoveryLagMonths: 3,
});
/** Of the published principal of A-1 and A-2a, on month counts. */
const SFAST_LIVES = [0.28280453, 1.098532];
const SFAST_CURVE = { indexCurves: { SOFR30A: [3.6273] } };
const withStrike = (rate: number): TermSheet => ({
  ...SFAST_2026_1,
  structure: { ...SFAST_2026_1.structure, pool: { adjustment: { kind: 'PRESENT_VALUE', rate, applies: 'BELOW' } } },
});
/** The yield supplement after a month on the pool of the file, which counts loans until they are charged off. */
const supplement = ({ adjustment = new Float64Array(), closing, pendingRecovery }: Collateral, month: number): number =>
  adjustment[month] * (1 + pendingRecovery[month - 1] / closing[month - 1]);

test('SFAST 2026-1: 22 published months of collateral, and the yield supplement of its replines', () => {
  const collateral = project(SFAST_2026_1, SFAST_SCENARIO);
  for (const [place, { pool }] of SFAST_2026_1_MONTHS.entries()) {
    const [ending, , scheduled, prepaid, , adjusted] = pool;
    near(collateral.scheduledPrincipal[place], scheduled, 0.01, `scheduled in month ${place + 1}`);
    near(collateral.prepayment[place], prepaid, 0.01, `prepaid in month ${place + 1}`);
    near(collateral.closing[place] + collateral.pendingRecovery[place], ending, 0.01, `pool after month ${place + 1}`);
    // The file's first supplement is that of the closing date. Its mix of performing loans is not quite that of all loans.
    if (place > 0) near(supplement(collateral, place + 1), ending - adjusted, 4_000, `supplement after month ${place + 1}`);
  }
  // At closing the published one is of the single loans: 0.66 % less than that of replines with average rates.
  near((collateral.adjustment?.[0] ?? 0) / SFAST_2026_1_ADJUSTMENT, 1.0066, 0.0001);
  near(0.0025 * (1_634_210_207.42 - SFAST_2026_1_ADJUSTMENT), 3_906_253.03, 0.005, 'reserve');
});

test('SFAST 2026-1: projected whole, the classes retire in the published months', () => {
  // A loan counts until it is charged off: it defaults that much later, and is liquidated at once.
  const chargedOff = { ...SFAST_SCENARIO, default: { measure: 'cdr' as const, values: [0, 0, 0, 2.25] }, recoveryLagMonths: 0 };
  const collateral = project(SFAST_2026_1, chargedOff);
  for (const [place, { pool }] of SFAST_2026_1_MONTHS.entries()) near(collateral.closing[place] / pool[0], 1, 0.0005, 'pool');
  const flows = runSheet(SFAST_2026_1, collateral, SFAST_CURVE);
  const principal = flows.tranches.slice(0, 7).map((tranche) => tranche.principal);
  assert.deepEqual(principal.map(lastMonth), SFAST_2026_1_LAST_MONTHS);
  near(monthCountWal(principal[1]), SFAST_LIVES[1], 0.002, 'life of A-2a');

  // A schedule of amounts says both strikes, and that the first date has the adjusted pool of the closing.
  const second = project(withStrike(5.8), chargedOff);
  const first = collateral.closing[0] - (1_634_210_207.42 - SFAST_2026_1_ADJUSTMENT);
  const schedule = [
    { from_period: 0, value: SFAST_2026_1_ADJUSTMENT },
    { from_period: 1, value: first },
    ...Array.from(collateral.closing, (_, place) => ({
      from_period: place + 1,
      value: Math.max(0, (place < 21 ? collateral : second).adjustment?.[place + 1] ?? 0),
    })).slice(1),
  ];
  const structure: Structure = { ...SFAST_2026_1.structure, pool: { adjustment: schedule } };
  const scheduled = runSheet({ ...SFAST_2026_1, structure }, collateral, SFAST_CURVE);
  near(scheduled.tranches[0].principal[0], SFAST_2026_1_MONTHS[0].principal[0], 0.01, 'first principal of A-1');
  near(monthCountWal(scheduled.tranches[0].principal), SFAST_LIVES[0], 0.001, 'life of A-1');
  near(monthCountWal(scheduled.tranches[1].principal), SFAST_LIVES[1], 0.001, 'life of A-2a');
  near(scheduled.tranches[3].closing[21] / 456_754_148.31, 1, 0.002, 'A-3 after month 22');
});

test('SFAST 2026-1: once A-2b is retired the second strike decides, which the structure does not say', () => {
  const [ending, , , , , adjusted] = SFAST_2026_1_MONTHS[21].pool;
  const opening = 482_723_089.90049326 + 119_520_000 + 71_880_000 + 58_600_000;
  const due = (adjustment: number) => opening - 0.9325 * (ending - adjustment);
  const published = SFAST_2026_1_MONTHS[21].principal[2];
  near(due(supplement(project(withStrike(5.8), SFAST_SCENARIO), 22)), published, 2_000, 'principal of period 22 at 5.80 %');
  near(due(ending - adjusted) - published, 2_905_849.02, 0.01, 'what 6.30 % pays too much');
});

test('SFAST 2026-1: the published cash flows until A-2b is retired in month 21, each from the state that the one before left', () => {
  const original = SFAST_2026_1_ADJUSTMENT;
  let opening: Record<string, number> | undefined;
  let before: IsoDate | null = null;
  let pool = 1_634_210_207.42;
  const dates = compileStructure(SFAST_2026_1.structure, {
    ...datesOf(SFAST_2026_1),
    poolOriginal: pool,
    collateralMonths: 22,
    indexCurves: INDEX_CURVES,
  }).periods.dates;
  for (const [place, month] of SFAST_2026_1_MONTHS.slice(0, 21).entries()) {
    const [ending, interest, scheduled, prepaid, recovered, adjusted] = month.pool;
    const date = dates[place].paid;
    const paid = payMonth(SFAST_2026_1, {
      period: place + 1,
      date,
      before,
      ...(opening ? { opening } : {}),
      pool: [pool, ending],
      interest,
      principal: scheduled + prepaid + recovered,
      scheduled,
      prepaid,
      recovered,
      adjustment: [ending - adjusted, original],
      index: month.index,
    });
    const [a1, a2, a3] = month.principal;
    for (const [name, amount] of [
      ['A-1', a1],
      ['A-2a', a2],
      ['A-2b', a2],
      ['A-3', a3],
      ['A-4', 0],
    ] as const) {
      near(paid.principal(name), amount, 0.01, `principal of ${name} in period ${place + 1}`);
    }
    for (const [column, name] of ['A-1', 'A-2a', 'A-2b', 'A-3'].entries()) {
      near(paid.interest(name), month.interest[column], 0.01, `interest of ${name} in period ${place + 1}`);
    }
    near(paid.interest('C'), place === 0 ? 174_237.333333333 : 217_796.666666667, 0.01, 'interest of C');
    opening = Object.fromEntries(Object.entries(paid.after.tranches).map(([name, { balance }]) => [name, balance]));
    before = date;
    pool = ending;
  }
});

test('SFAST 2026-1: each allocation brings its classes down to the adjusted pool, and the least that stays is of the closing', () => {
  const paid = payMonth(SFAST_2026_1, {
    period: 45,
    date: '2029-11-20',
    before: '2029-10-22',
    opening: balances(SFAST_2026_1, [0, 0, 0, 100_000_000, 119_520_000, 71_880_000, 58_600_000]),
    pool: [245_000_000, 235_000_000],
    interest: 10_000_000,
    principal: 200_000_000,
    adjustment: [25_000_000, SFAST_2026_1_ADJUSTMENT],
  });
  // 219,520,000 - 210,000,000, then B and C whole; 6.75 % of 210,000,000 is less than 1 % of 1,562,501,211.49.
  assert.deepEqual(['first', 'second', 'third'].map(paid.paid), [9_520_000, 71_880_000, 58_600_000]);
  near(paid.paid('regular'), 15_625_012.11, 0.01);
});

test('the reserve and the collections together retire the notes, where neither could', () => {
  const month: Month = {
    period: 60,
    date: '2030-04-15',
    before: '2030-03-15',
    opening: balances(CARMAX_2025_2, [0, 0, 0, 0, 0, 0, 0, 4_600_000]),
    pool: [15_800_000, 15_000_000],
    interest: 120_000,
    principal: 1_000_000,
  };
  // 1,120,000 and 3,526,448.55 against 4,600,000, its interest of 22,003.33 and the fee of 13,166.67: 11,278.55 remain.
  const paid = payMonth(CARMAX_2025_2, month);
  assert.equal(paid.principal('D'), 4_600_000);
  near(paid.account.closing + paid.account.released + paid.paid('residual'), 11_278.55, 0.001);
  // With 11,278.56 less it is one cent short, and the target alone decides: 4,600,000 - (15,000,000 - 10,579,421.74).
  const short = payMonth(CARMAX_2025_2, { ...month, interest: 108_721.44 });
  assert.equal(short.principal('D'), 179_421.74);
});

test('SFAST 2026-1: the reserve retires the notes in the published month', () => {
  const [ending, interest, scheduled, prepaid, recovered, adjusted] = SFAST_2026_1_LAST.pool;
  const paid = payMonth(SFAST_2026_1, {
    period: 64,
    date: '2031-06-20',
    before: '2031-05-20',
    opening: balances(SFAST_2026_1, [0, 0, 0, 0, 0, 0, SFAST_2026_1_LAST.opening]),
    pool: [SFAST_2026_1_LAST.before, ending],
    interest,
    principal: scheduled + prepaid + recovered,
    adjustment: [ending - adjusted, SFAST_2026_1_ADJUSTMENT],
  });
  near(paid.interest('C'), SFAST_2026_1_LAST.interest, 0.01, 'interest of C');
  near(paid.principal('C'), SFAST_2026_1_LAST.opening, 0.01, 'principal of C');
});

/** The pools of the tables: those of January have paid twice by the first date. */
function amcarCollateral(speed: number): Collateral {
  const assumptions = assuming({ prepayment: { measure: 'abs', values: [speed] } });
  const january = projectCollateral(AMCAR_2017_1_POOLS.january, assumptions);
  const february = projectCollateral(AMCAR_2017_1_POOLS.february, assumptions);
  const months = Array.from({ length: february.periods }, (_, month) => {
    const of = (read: (pool: Collateral) => Float64Array) => {
      const [first, second, own] = [read(january), read(january), read(february)];
      return (month === 0 ? first[0] : 0) + (second[month + 1] ?? 0) + own[month];
    };
    return {
      scheduled: of((pool) => pool.scheduledPrincipal),
      prepaid: of((pool) => pool.prepayment),
      interest: of((pool) => pool.interest),
    };
  });
  return collateralOf(january.opening[0] + february.opening[0], months);
}

const AMCAR_CLASSES: Record<string, number[]> = { 'A-1': [0], 'A-2': [1, 2], 'A-3': [3], B: [4], C: [5], D: [6] };

test('AmeriCredit 2017-1: the percent outstanding of its prospectus, 195 cells at four speeds', () => {
  const misses: string[] = [];
  let cells = 0;
  for (const [at, speed] of AMCAR_2017_1_SPEEDS.entries()) {
    const flows = runSheet(AMCAR_2017_1, amcarCollateral(speed));
    for (const [name, places] of Object.entries(AMCAR_CLASSES)) {
      const size = places.reduce((total, place) => total + (AMCAR_2017_1.structure.tranches[place].balance ?? 0), 0);
      const { from, percent } = AMCAR_2017_1_GRID[name][at];
      for (const [offset, published] of percent.entries()) {
        cells++;
        const index = from - 1 + offset;
        const closing = places.reduce((total, place) => total + flows.tranches[place].closing[index], 0);
        const miss = Math.abs((100 * closing) / size - published);
        if (miss > 0.5) misses.push(`${name} in period ${index + 1} at ${speed} ABS`);
        assert.ok(miss < 0.71, `${name} in period ${index + 1} at ${speed} ABS misses by ${miss}`);
      }
    }
  }
  assert.equal(cells, 195);
  // Three cells of A-1 that the assumptions, as they are stated, reach by no reading.
  assert.deepEqual(misses, ['A-1 in period 3 at 0.5 ABS', 'A-1 in period 3 at 1 ABS', 'A-1 in period 1 at 2 ABS']);
});

test('AmeriCredit 2017-1: the 48 average lives of its prospectus', () => {
  for (const [at, speed] of AMCAR_2017_1_SPEEDS.entries()) {
    for (const [basis, call] of [
      ['toCall', true],
      ['toMaturity', false],
    ] as const) {
      const flows = runSheet(AMCAR_2017_1, amcarCollateral(speed), { call });
      for (const [name, places] of Object.entries(AMCAR_CLASSES)) {
        const principal = flows.tranches[places[0]].principal.map((_, index) =>
          places.reduce((total, place) => total + flows.tranches[place].principal[index], 0),
        );
        // From 23 February to the 18th of the month: 25 days to the first date.
        near(
          monthCountWal(principal) - 5 / 360,
          AMCAR_2017_1_LIVES[name][basis][at],
          0.005 + 1e-9,
          `${name} ${basis} at ${speed} ABS`,
        );
      }
    }
  }
});

test('AmeriCredit 2017-1: principal is held back at the target, and the turbo never takes the notes below it', () => {
  const pool = 500_000_000;
  // 14.75 % of the pool less the reserve: 73,750,000 - 20,239,398.59 = 53,510,601.41.
  const target = 53_510_601.41;
  const month = {
    period: 20,
    date: '2018-10-18',
    before: '2018-09-18',
    pool: [520_000_000, pool],
    interest: 6_000_000,
    principal: 20_000_000,
  } as const;
  const notes = (size: number) => ({
    opening: balances(AMCAR_2017_1, [0, 0, 0, size - 277_780_000, 73_370_000, 91_080_000, 89_550_000, 23_780_000]),
  });
  const ahead = payMonth(AMCAR_2017_1, { ...month, ...notes(pool - target + 15_000_000) });
  near(ahead.paid('distributable'), 15_000_000, 0.01, 'principal less the step-down amount of 5,000,000');
  near(ahead.paid('accelerated'), 0, 0.01);
  const behind = payMonth(AMCAR_2017_1, { ...month, ...notes(pool - target + 21_000_000) });
  near(behind.paid('distributable'), 20_000_000, 0.01, 'all that was collected');
  near(behind.paid('accelerated'), 1_000_000, 0.01, 'the rest comes from excess cash');
  near(1_011_969_929.28 - sizeOf(AMCAR_2017_1.structure), 58_189_929.28, 0.005, 'initial overcollateralization');
});

test('COLT 2018-4: seniors share principal by balance, and A-1 comes first while a trigger event is in effect', () => {
  const month: Month = {
    period: 1,
    date: '2018-12-26',
    pool: [354_493_121, 351_458_661],
    interest: 1_700_000,
    principal: 3_034_460,
    netWac: 4.1,
    delinquent60: 1_000_000,
  };
  const calm = payMonth(COLT_2018_4, month);
  // A hundredth of the seniors' 303,446,000.
  assert.deepEqual(['A-1', 'A-2', 'A-3', 'M-1'].map(calm.principal), [2_430_050, 343_850, 260_560, 0]);
  // Delinquent beyond 20 % of the pool after the month: 70,291,732.20.
  const event = payMonth(COLT_2018_4, { ...month, delinquent60: 70_291_733 });
  assert.deepEqual(['A-1', 'A-2', 'A-3', 'M-1'].map(event.principal), [3_034_460, 0, 0, 0]);
  assert.equal(payMonth(COLT_2018_4, { ...month, delinquent60: 70_291_732 }).principal('A-1'), 2_430_050);
  // The lesser of 4.108 and the net rate; B-2 has the net rate itself.
  near(calm.interest('A-1'), (243_005_000 * 4.006) / 1200, 0.001);
  near(calm.interest('A-2'), (34_385_000 * 4.1) / 1200, 0.001);
  near(calm.interest('B-2'), (5_000_000 * 4.1) / 1200, 0.001);
  // 1,250 a month; 3,500 or 0.029 % / 12 of the pool, 8,566.92; 0.25 % / 12.
  near(calm.paid('trustee'), 1_250, 0.005);
  near(calm.paid('master servicing'), 8_566.92, 0.005);
  near(calm.paid('servicing'), 73_852.73, 0.005);
});

test('COLT 2018-4: the credit enhancement trigger is half of the enhancement at closing, and losses start with B-3', () => {
  const month: Month = {
    period: 30,
    date: '2021-05-25',
    before: '2021-04-26',
    pool: [201_000_000, 200_000_000],
    interest: 900_000,
    principal: 1_000_000,
    netWac: 5.5,
    delinquent60: 0,
  };
  // (354,493,121 - 243,005,000) / 354,493,121 / 2 = 15.7250 %: of 200,000,000, A-1 of more than 168,550,000.
  const at = (a1: number) => payMonth(COLT_2018_4, { ...month, opening: balances(COLT_2018_4, [a1, 10_000_000, 0, 20_000_000]) });
  assert.equal(at(168_500_000).principal('A-2') > 0, true);
  assert.equal(at(168_600_000).principal('A-2'), 0);
  const lossy = payMonth(COLT_2018_4, {
    period: 1,
    date: '2018-12-26',
    pool: [354_493_121, 352_493_121],
    interest: 1_700_000,
    principal: 1_000_000,
    loss: 1_000_000,
    netWac: 5.5,
    delinquent60: 0,
  });
  near(lossy.closing('B-3'), 14_675_121 - 1_000_000, 0.001);
  near(lossy.closing('B-2'), 5_000_000, 0.001);
});

test('JPMMT 2016-4: seniors get their share of scheduled principal and, before December 2021, all prepayments', () => {
  const share = 300_112_000 / 321_836_570;
  const month = {
    pool: [321_836_570, 319_336_570],
    interest: 1_000_000,
    principal: 2_500_000,
    scheduled: 500_000,
    prepaid: 2_000_000,
    netWac: 3.4,
  } as const;
  const early = payMonth(JPMMT_2016_4, { ...month, period: 1, date: '2017-01-25' });
  near(early.paid('senior scheduled'), share * 500_000, 0.01);
  near(early.paid('senior prepaid'), 2_000_000, 0.01);
  near(early.paid('subordinates'), (1 - share) * 500_000 + 0, 0.01);
  // A-12 accretes 13,280,000 x 3 % / 12 = 33,200, which A-10 is paid.
  near(early.principal('A-10'), 33_200, 0.01);
  near(early.closing('A-12'), 13_313_200, 0.01);
  // The support class A-14 by its share of the seniors; A-6 before A-10 in the rest.
  near(early.principal('A-14'), ((2_000_000 + share * 500_000) * 26_542_000) / 300_112_000, 0.01);
  near(early.principal('B-5') / early.principal('B-1'), 3_378_570 / 4_506_000, 1e-6);
  // Seniors have the same part of what was liquidated, 150,000, and no more than was recovered of it.
  const recovered = payMonth(JPMMT_2016_4, {
    ...month,
    period: 1,
    date: '2017-01-25',
    principal: 2_600_000,
    recovered: 100_000,
    loss: 50_000,
  });
  near(recovered.paid('senior recovered'), 100_000, 0.01);
});

test('JPMMT 2016-4: the subordinates take part in prepayments from December 2021 by the schedule', () => {
  const share = 300_112_000 / 321_836_570;
  const month = {
    pool: [321_836_570, 319_336_570],
    interest: 1_000_000,
    principal: 2_500_000,
    scheduled: 500_000,
    prepaid: 2_000_000,
    netWac: 3.4,
  } as const;
  const shifted = payMonth(JPMMT_2016_4, { ...month, period: 60, date: '2021-12-27', before: '2021-11-26' });
  near(shifted.paid('senior prepaid'), (share + 0.7 * (1 - share)) * 2_000_000, 0.01);
  // Losses of 20 % of 21,724,570 and more fail the test of that year, and all goes to the seniors again.
  const failed = payMonth(JPMMT_2016_4, { ...month, period: 60, date: '2021-12-27', before: '2021-11-26', loss: 4_344_915 });
  near(failed.paid('senior prepaid'), 2_000_000, 0.01);
  const passed = payMonth(JPMMT_2016_4, { ...month, period: 60, date: '2021-12-27', before: '2021-11-26', loss: 4_344_913 });
  near(passed.paid('senior prepaid'), (share + 0.7 * (1 - share)) * 2_000_000, 0.01);
});

test('Ford 2024-C: regular principal is the balance of A-1 while it is the greater', () => {
  const first = payMonth(FORDO_2024_C, {
    period: 1,
    date: '2024-10-15',
    pool: [1_688_795_240.91, 1_640_000_000],
    interest: 8_000_000,
    principal: 48_795_240.91,
    adjustment: [100_000_000, 105_000_000],
    billed: { 'trustees and reviewer': 400_000 },
  });
  // 1,500,000,000 is below the adjusted 1,540,000,000; with B it is 7,370,000 above.
  assert.equal(first.paid('first priority'), 0);
  assert.equal(first.paid('second priority'), 7_370_000);
  assert.equal(first.due('regular'), 330_000_000 - 7_370_000);
  assert.equal(first.paid('residual'), 0, 'nothing leaves while A-1 is outstanding');
  assert.equal(first.paid('trustees and reviewer'), 375_000);
  assert.equal(first.due('additional fees'), 25_000);
});

test('Ford 2024-C: after A-1 it is what the target asks of the pool that is not adjusted', () => {
  const later = payMonth(FORDO_2024_C, {
    period: 14,
    date: '2025-11-17',
    before: '2025-10-15',
    opening: balances(FORDO_2024_C, [0, 275_229_357.8, 224_770_642.2, 545_000_000, 80_000_000, 47_370_000, 31_570_000]),
    pool: [1_240_000_000, 1_200_000_000],
    interest: 7_000_000,
    principal: 40_000_000,
    adjustment: [60_000_000, 105_000_000],
  });
  // 1,125,000,000 against 1,140,000,000; 1,172,370,000 against it; 1,171,570,000 against 1,200,000,000 - 33,775,904.82.
  assert.equal(later.paid('first priority'), 0);
  assert.equal(later.paid('second priority'), 32_370_000);
  const reserveAt = (period: number, date: IsoDate, before: IsoDate) =>
    payMonth(FORDO_2024_C, {
      period,
      date,
      before,
      opening: balances(FORDO_2024_C, [0, 0, 0, 0, 0, 0, 9_000_000]),
      pool: [50_000_000, 49_000_000],
      interest: 300_000,
      principal: 9_500_000,
      adjustment: [0, 105_000_000],
      account: 3_900_000,
    }).due('reserve');
  assert.equal(reserveAt(89, '2032-02-17', '2032-01-15'), 47_350);
  assert.equal(reserveAt(90, '2032-03-15', '2032-02-17'), 0, 'on the final date of C nothing goes to the reserve');
  near(later.due('regular'), 1_203_940_000 - 32_370_000 - 1_166_224_095.18, 0.001);
});

test('Harley-Davidson 2021-B: principal is the fall of the pool, charged-off contracts with it, and caps come back at the end', () => {
  const paid = payMonth(HDMOT_2021_B, {
    period: 1,
    date: '2021-09-15',
    pool: [635_500_000, 620_000_000],
    interest: 3_500_000,
    principal: 15_000_000,
    loss: 500_000,
    billed: { trustee: 200_000, reviewer: 100_000 },
  });
  assert.equal(paid.paid('principal'), 15_500_000);
  assert.equal(paid.paid('trustee'), 150_000);
  assert.equal(paid.paid('reviewer'), 100_000);
  assert.equal(paid.paid('trustee above the cap'), 50_000);
  // From 25 August: 21 days by actual days, 20 of 30-day months.
  assert.equal(paid.interest('A-1'), 4_712.31);
  assert.equal(paid.interest('A-4'), 36_581.11);
  const short = payMonth(HDMOT_2021_B, {
    period: 2,
    date: '2021-10-15',
    before: '2021-09-15',
    pool: [620_000_000, 600_000_000],
    interest: 0,
    principal: 600_000,
    account: 0,
  });
  // 600,000 less the fee of 516,666.67 leaves 83,333.33 for 211,603.55 of interest, which all classes share.
  near(short.interest('A-4'), (83_333.33 * 54_871.67) / 211_603.55, 0.01);
  assert.equal(short.paid('principal'), 0);
});

test('Santander Drive 2024-1: each allocation is the class that joins once the pool is below the ones before', () => {
  const paid = payMonth(SDART_2024_1, {
    period: 8,
    date: '2024-09-16',
    before: '2024-08-15',
    pool: [950_000_000, 900_000_000],
    interest: 12_000_000,
    principal: 700_000_000,
  });
  // 942,440,000 - 900,000,000, then B, C and D whole; then 16.5 % of the pool.
  assert.deepEqual(['first', 'second', 'third', 'fourth'].map(paid.paid), [42_440_000, 174_650_000, 129_570_000, 210_060_000]);
  assert.equal(paid.due('regular'), 148_500_000);
  // The least that stays is 1.5 % of the original pool.
  const late = payMonth(SDART_2024_1, {
    period: 60,
    date: '2029-01-16',
    before: '2028-12-15',
    opening: balances(SDART_2024_1, [0, 0, 0, 0, 0, 100_000_000]),
    pool: [110_000_000, 100_000_000],
    interest: 2_000_000,
    principal: 60_000_000,
  });
  assert.equal(late.paid('regular'), 24_144_652.92);
  near(1_609_643_527.83 - sizeOf(SDART_2024_1.structure), 152_923_527.83, 0.005, 'initial overcollateralization');
});

test('Exeter 2023-1: the turbo comes before the reserve, and losses start with E', () => {
  const paid = payMonth(EART_2023_1, {
    period: 2,
    date: '2023-04-17',
    before: '2023-03-15',
    pool: [603_330_000, 590_000_000],
    interest: 10_000_000,
    principal: 13_330_000,
    account: 1_000_000,
  });
  // 551,650,000 - 590,000,000 x 85 %: more than there is.
  assert.equal(paid.due('turbo'), 50_150_000);
  assert.equal(paid.paid('reserve'), 0);
  assert.equal(paid.account.closing, 1_000_000);
  const lossy = payMonth(EART_2023_1, {
    period: 2,
    date: '2023-04-17',
    before: '2023-03-15',
    pool: [560_000_000, 530_000_000],
    interest: 8_000_000,
    principal: 5_000_000,
    loss: 25_000_000,
    account: 0,
  });
  // What cash could not pay of the 21,650,000 above the pool.
  const above = 21_650_000 - lossy.paid('fifth parity');
  assert.ok(above > 0);
  near(lossy.closing('E'), 66_850_000 - above, 0.005);
  assert.equal(lossy.closing('D'), 80_300_000);
});

test('Toyota 2024-A and 2024-D: the three payments of principal and the balances of four certificates', () => {
  for (const { sheet, period, date, before, opening, paid: published, closing } of TAOT_CERTIFICATES) {
    const adjusted = opening.reduce((total, each) => total + each, 0) - (published[0] ?? 0) - (published[1] ?? 0);
    const paid = payMonth(sheet, {
      period,
      date,
      before,
      opening: balances(sheet, opening),
      // The pool and its supplement are stand-ins: what counts is the difference.
      pool: [adjusted + 150_000_000, adjusted + 60_000_000],
      interest: 20_000_000,
      principal: 150_000_000,
      adjustment: [60_000_000, 180_000_000],
    });
    assert.deepEqual(['first priority', 'second priority', 'regular'].map(paid.paid), published, date);
    assert.deepEqual(
      notesOf(sheet.structure).map(({ tranche }) => paid.closing(tranche)),
      closing,
      date,
    );
  }
});

test('Toyota 2024-D: the first date has two months of collections, and its interest 28 days or 29', () => {
  const collateral = project(TAOT_2024_D, assuming());
  const flows = runSheet(TAOT_2024_D, collateral);
  near(flows.principalCollected[0], sum(collateral.scheduledPrincipal.subarray(0, 2)), 0.02);
  // 349,000,000 x 4.791 % x 29 / 360, 597,500,000 x 4.5 % x 28 / 360.
  near(flows.tranches[0].interestPaid[0], 1_346_936.42, 0.005);
  near(flows.tranches[3].interestPaid[0], 2_091_250, 0.005);
});

type Report = Record<string, Record<string, number>>;
const ALLY_FILE = 'data/reference/remittance/ally_10d_dev_deals.csv';

/** The reports of a deal by month and variable. */
function allyReports(): Map<string, Report> {
  const months = new Map<string, Report>();
  for (const line of readFileSync(sharedPath(ALLY_FILE) as string, 'utf8')
    .split('\n')
    .slice(1)) {
    const [name = '', variable = '', value = '', month = '', deal = ''] = line.split(',');
    if (deal !== 'Ally Auto Receivables Trust 2017-3') continue;
    const report = months.get(month) ?? {};
    report[variable] = { ...report[variable], [name]: Number(value) };
    months.set(month, report);
  }
  return new Map([...months].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

test('Ally 2017-3: 31 monthly reports; interest of every class from the first, principal to the target from the fifth', {
  skip: skipWithout(ALLY_FILE),
}, () => {
  const reports = [...allyReports().values()];
  assert.equal(reports.length, 31);
  const names = notesOf(ALLY_2017_3.structure).map(({ tranche }) => tranche);
  const dates = compileStructure(ALLY_2017_3.structure, {
    ...datesOf(ALLY_2017_3),
    poolOriginal: ALLY_2017_3.facts.balance,
    collateralMonths: 31,
  }).periods.dates;
  let pool = ALLY_2017_3.facts.balance;
  for (const [place, report] of reports.entries()) {
    const ending = report['EndingAggregateReceivablesPrincipalBalance'].all;
    const paid = payMonth(ALLY_2017_3, {
      period: place + 1,
      date: dates[place].paid,
      before: place === 0 ? null : dates[place - 1].paid,
      opening: report['BeginningNotePrincipalBalance'],
      pool: [pool, ending],
      // Collections are not reported: enough for everything that is due.
      interest: 20_000_000,
      principal: 60_000_000,
    });
    const of = (variable: string) => names.map((name) => report[variable][name]);
    assert.deepEqual(names.map(paid.interest), of('InterestDistribution'), `interest of ${dates[place].paid}`);
    // Before, the cash of the month did not reach the target.
    if (place >= 4) {
      assert.deepEqual(names.map(paid.principal), of('PrincipalDistribution'), `principal of ${dates[place].paid}`);
      const closing = names.reduce((total, name) => total + paid.closing(name), 0);
      near(ending - closing, ALLY_2017_3_TARGET, 0.005);
    }
    pool = ending;
  }
});

test('CNH 2016-B: principal is the fall of the pool, the turbo goes on to the target, and the spread account is before it', () => {
  const paid = payMonth(CNH_2016_B, {
    period: 1,
    date: '2016-06-15',
    pool: [900_000_000, 880_000_000],
    interest: 4_000_000,
    principal: 19_800_000,
    loss: 200_000,
    account: 17_500_000,
    billed: { reviewer: 250_000 },
  });
  assert.equal(paid.paid('principal'), 20_000_000);
  assert.equal(paid.paid('spread account'), 500_000);
  // 861,880,000 - 20,000,000 - (880,000,000 - 40,500,000).
  assert.equal(paid.due('turbo'), 2_380_000);
  assert.equal(paid.paid('reviewer'), 200_000);
  // From 26 May, 19 days.
  assert.equal(paid.interest('A-2a'), 153_903.17);
  assert.equal(sizeOf(CNH_2016_B.structure), 861_880_000);
  // A-2a and A-2b share what is left by their balances once A-1 is paid.
  const later = payMonth(CNH_2016_B, {
    period: 10,
    date: '2017-03-15',
    before: '2017-02-15',
    opening: balances(CNH_2016_B, [5_000_000, 222_600_000, 110_000_000, 246_600_000, 72_790_000, 19_390_000]),
    pool: [716_880_000, 706_880_000],
    interest: 3_500_000,
    principal: 10_000_000,
  });
  const shared = later.principal('A-2a') + later.principal('A-2b');
  near(later.principal('A-2a'), (shared * 222_600_000) / 332_600_000, 0.01);
  assert.equal(later.principal('A-1'), 5_000_000);
  assert.equal(later.principal('A-3'), 0);
});

test('Pagaya 2026-2: classes have the published enhancement less what it counts beside the pool', () => {
  let senior = 0;
  for (const [place, { balance = 0 }] of notesOf(PAID_2026_2.structure).entries()) {
    senior += balance;
    // The same 1.73 for every class: the reserve of 0.15 and something that the source does not name.
    near(PAID_2026_2_ENHANCEMENT[place] - 100 * (1 - senior / 600_000_000), 1.73, 0.0051, `class ${place + 1}`);
  }
  assert.equal(600_000_000 - senior, 13_800_000);
});

test('Pagaya 2026-2: interest class by class, a turbo for losses, and F2 written off when it does not suffice', () => {
  const month: Month = {
    period: 1,
    date: '2026-05-01',
    pool: [600_000_000, 588_000_000],
    interest: 9_000_000,
    principal: 10_000_000,
    loss: 2_000_000,
  };
  const paid = payMonth(PAID_2026_2, month);
  assert.equal(paid.paid('principal'), 10_000_000);
  // 576,200,000 - (588,000,000 - 13,800,000).
  assert.equal(paid.paid('turbo'), 2_000_000);
  assert.equal(paid.principal('A1'), 12_000_000);
  const lossy = payMonth(PAID_2026_2, {
    ...month,
    pool: [600_000_000, 560_000_000],
    interest: 0,
    principal: 2_000_000,
    loss: 38_000_000,
    account: 0,
  });
  // Interest of A1, A2, B, C, D, E is 2,263,420.25 and more than the cash: E is paid what is left, F1 and F2 nothing.
  const due = [449_982, 355_258.67, 690_591, 148_591.5, 108_465.5];
  assert.deepEqual(['A1', 'A2', 'B', 'C', 'D'].map(lossy.interest), due);
  near(lossy.interest('E'), 2_000_000 - 1_752_888.67, 0.001);
  assert.equal(lossy.interest('F1'), 0);
  assert.equal(lossy.closing('F2'), 0);
  // 586,200,000 - 560,000,000 = 26,200,000, of which F2 bears 19,800,000.
  assert.equal(lossy.closing('F1'), 10_200_000 - 6_400_000);
});
