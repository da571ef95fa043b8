import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sharedPath, skipWithout } from '../../../test/support/shared.ts';
import { note, POOL_DATES, sequential } from '../../../test/support/structures.ts';
import { openRemittances, type Remittance, type RemittanceState } from './remittance.ts';
import { rollForward } from './roll-forward.ts';
import type { Structure, Tranche } from './structure.ts';
import { tieRemittance } from './tie-remittance.ts';

const DEAL: Structure = sequential([note('A', 800_000, 6, 1), note('B', 150_000, 9, 2)], {
  triggers: [
    { trigger: 'cnl', metric: 'CUMULATIVE_NET_LOSS', op: 'gt', value: 0.5 },
    { trigger: 'dq', metric: 'DELINQUENT_60_AVG3', op: 'gt', value: 3, curable: true },
  ],
});

/** A second report that ties: 20,000 of principal to A, 4,000 charged off, 1,000 recovered. */
function secondReport(): Remittance {
  return {
    period: 2,
    payment_date: '2027-02-15',
    collateral: {
      beginning_pool_balance: 976_000,
      scheduled_principal: 15_000,
      prepayments: 5_000,
      gross_losses: 4_000,
      recoveries: 1_000,
      net_losses: 3_000,
      ending_pool_balance: 952_000,
      interest: 9_000,
      fees: 800,
      delinquent_60: 2,
      delinquent_90: 2.5,
    },
    tranches: [
      { tranche: 'A', beginning_balance: 780_000, interest_paid: 3_900, principal_paid: 21_000, ending_balance: 759_000 },
      { tranche: 'B', beginning_balance: 150_000, interest_paid: 1_125, principal_paid: 0, ending_balance: 150_000 },
    ],
    totals: { beginning_balance: 930_000, interest_paid: 5_025, principal_paid: 21_000, ending_balance: 909_000 },
  };
}

function firstReport(): Remittance {
  return {
    period: 1,
    payment_date: '2027-01-15',
    collateral: {
      beginning_pool_balance: 1_000_000,
      scheduled_principal: 16_000,
      prepayments: 5_000,
      gross_losses: 3_000,
      recoveries: 0,
      ending_pool_balance: 976_000,
      delinquent_60: 1,
    },
    tranches: [
      { tranche: 'A', beginning_balance: 800_000, interest_paid: 4_000, principal_paid: 20_000, ending_balance: 780_000 },
      { tranche: 'B', beginning_balance: 150_000, interest_paid: 1_125, principal_paid: 0, ending_balance: 150_000 },
    ],
  };
}

function afterFirst(): RemittanceState {
  const opening = openRemittances(DEAL, 1_000_000);
  const first = firstReport();
  assert.deepEqual(tieRemittance(opening, first, DEAL), []);
  return rollForward(opening, first, DEAL).state;
}

test('a report that ties to itself and to the one before it has no findings', () => {
  assert.deepEqual(tieRemittance(afterFirst(), secondReport(), DEAL), []);
});

test('the interest of a notional class, which has no balance in a report, ties', () => {
  const strip: Tranche = {
    tranche: 'IO',
    notional: { percent: 100, of: 'NOTES', of_tranches: ['A'] },
    coupon: { type: 'FIXED', rate: 1 },
  };
  const deal = { ...DEAL, tranches: [...DEAL.tranches, strip] };
  const withStrip = (report: Remittance, paid: { interest_paid: number; interest_shortfall?: number }): Remittance => ({
    ...report,
    tranches: [...report.tranches, { tranche: 'IO', beginning_balance: 0, principal_paid: 0, ending_balance: 0, ...paid }],
    totals: {},
  });
  const first = withStrip(firstReport(), { interest_paid: 666.67 });
  const opening = openRemittances(deal, 1_000_000);
  assert.deepEqual(tieRemittance(opening, first, deal), []);
  const { state } = rollForward(opening, first, deal);
  assert.deepEqual(tieRemittance(state, withStrip(secondReport(), { interest_paid: 650 }), deal), []);
  // What was due and what of it is short agree for such a class as for any other.
  const short = withStrip(secondReport(), { interest_paid: 600, interest_shortfall: 50 });
  assert.deepEqual(tieRemittance(state, short, deal), []);
  assert.equal(rollForward(state, short, deal).state.tranches['IO']?.shortfall, 50);
  // A notional in the place of the balance, as a projected row has it, is told as such; principal is none.
  const row = { tranche: 'IO', beginning_balance: 800_000, interest_paid: 666.67, principal_paid: 0, ending_balance: 780_000 };
  const sent = { ...first, tranches: [...firstReport().tranches, row] };
  const why = '(a class with a notional has no balance in a report: its notional follows from the structure)';
  assert.deepEqual(
    tieRemittance(opening, sent, deal).map(({ code, message }) => [code, message]),
    [
      ['BEGINNING_BALANCE', `is $800,000, expected $0 ${why}; they differ by $800,000`],
      ['BALANCE_ROLL', `is $780,000, expected $0 ${why}; they differ by $780,000`],
    ],
  );
  const paid = { ...row, beginning_balance: 0, principal_paid: 5, ending_balance: 0 };
  assert.equal(tieRemittance(opening, { ...sent, tranches: [...firstReport().tranches, paid] }, deal).length, 1);
});

const BREAKS: [name: string, code: string, path: string, damage: (report: Remittance) => void][] = [
  ['a period is left out', 'PERIOD_OUT_OF_ORDER', 'period', (report) => (report.period = 3)],
  ['the payment date does not move on', 'PERIOD_OUT_OF_ORDER', 'payment_date', (report) => (report.payment_date = '2027-01-15')],
  [
    'a cent of pool principal is lost',
    'BALANCE_ROLL',
    'collateral.ending_pool_balance',
    (report) => (report.collateral.prepayments = 5_000.01),
  ],
  [
    'the pool does not begin where it ended',
    'BEGINNING_BALANCE',
    'collateral.beginning_pool_balance',
    (report) => {
      report.collateral.beginning_pool_balance = 976_000.01;
      report.collateral.ending_pool_balance = 952_000.01;
    },
  ],
  [
    'net losses are not gross less recoveries',
    'NET_LOSSES',
    'collateral.net_losses',
    (report) => (report.collateral.net_losses = 3_001),
  ],
  [
    'interest of a fixed class is a cent off',
    'INTEREST',
    'tranches[0].interest_paid',
    (report) => {
      (report.tranches[0] as { interest_paid: number }).interest_paid = 3_900.01;
      report.totals = {};
    },
  ],
  [
    'a note does not roll',
    'BALANCE_ROLL',
    'tranches[1].ending_balance',
    (report) => {
      (report.tranches[1] as { ending_balance: number }).ending_balance = 149_999.99;
      report.totals = {};
    },
  ],
  [
    'a note does not begin where it ended',
    'BEGINNING_BALANCE',
    'tranches[1].beginning_balance',
    (report) => {
      Object.assign(report.tranches[1] as object, { beginning_balance: 140_000, ending_balance: 140_000, interest_paid: 1_050 });
      report.totals = {};
    },
  ],
  ['a sum is wrong', 'TOTAL', 'totals.principal_paid', (report) => (report.totals = { principal_paid: 21_000.5 })],
  [
    'a note is missing',
    'TRANCHE_MISSING',
    'tranches',
    (report) => {
      report.tranches.pop();
      report.totals = {};
    },
  ],
  [
    'a tranche is not of the deal',
    'UNKNOWN_TRANCHE',
    'tranches[2].tranche',
    (report) => {
      report.tranches.push({ tranche: 'X', beginning_balance: 0, interest_paid: 0, principal_paid: 0, ending_balance: 0 });
    },
  ],
];

for (const [name, code, path, damage] of BREAKS) {
  test(`a report is refused when ${name}`, () => {
    const report = secondReport();
    damage(report);
    const findings = tieRemittance(afterFirst(), report, DEAL);
    assert.deepEqual(
      findings.map((finding) => [finding.code, finding.path]),
      [[code, path]],
    );
  });
}

test('interest that was short is due again in the next report', () => {
  const state = afterFirst();
  const short = secondReport();
  Object.assign(short.tranches[1] as object, { interest_paid: 1_000, interest_shortfall: 125 });
  short.totals = {};
  assert.deepEqual(tieRemittance(state, short, DEAL), []);
  const next: Remittance = {
    ...secondReport(),
    period: 3,
    payment_date: '2027-03-15',
    collateral: { beginning_balance: 952_000, scheduled_principal: 0, ending_balance: 952_000 },
    tranches: [
      { tranche: 'A', beginning_balance: 759_000, interest_paid: 3_795, principal_paid: 0, ending_balance: 759_000 },
      {
        tranche: 'B',
        beginning_balance: 150_000,
        interest_due: 1_250,
        interest_paid: 1_250,
        principal_paid: 0,
        ending_balance: 150_000,
      },
    ],
    totals: {},
  };
  assert.deepEqual(tieRemittance(rollForward(state, short, DEAL).state, next, DEAL), []);
});

test('interest that a report has as due and did not pay is short, whether it says so or not; said twice it must agree', () => {
  const short = (figures: object) => {
    const sent = secondReport();
    Object.assign(sent.tranches[1] as object, { interest_due: 1_125, interest_paid: 1_000, ...figures });
    sent.totals = {};
    return sent;
  };
  for (const sent of [short({}), short({ interest_shortfall: 125 })]) {
    assert.deepEqual(tieRemittance(afterFirst(), sent, DEAL), []);
    assert.equal(rollForward(afterFirst(), sent, DEAL).state.tranches.B?.shortfall, 125);
  }
  // Of a class that only the report knows the interest of.
  const floating = { ...DEAL, tranches: [note('A', 800_000, 6, 1), note('B', 150_000, 9, 2, { day_count: 'ACT/360' })] };
  assert.deepEqual(
    tieRemittance(afterFirst(), short({ interest_shortfall: 100 }), floating).map((each) => [
      each.code,
      each.path,
      each.expected,
    ]),
    [['TOTAL', 'tranches[1].interest_shortfall', 125]],
  );
  assert.deepEqual(tieRemittance(afterFirst(), short({ interest_due: 900, interest_shortfall: 0 }), floating), []);
});

test('unpaid interest counts as interest of the period in the excess spread', () => {
  const deal: Structure = { ...DEAL, triggers: [{ trigger: 'spread', metric: 'EXCESS_SPREAD', op: 'lt', value: 0 }] };
  const sent = secondReport();
  Object.assign(sent.tranches[1] as object, { interest_due: 1_125, interest_paid: 1_000 });
  const opening = { ...openRemittances(deal, 1_000_000), pool_balance: 976_000, period: 1 };
  // 12 × (9,000 − 800 of fees − 5,025 that the notes earned − 3,000 of net loss) / 976,000.
  assert.equal(rollForward(opening, sent, deal).triggers[0]?.tests[0].actual, 0.215164);
});

test('factors, losses, speeds and triggers follow from a report', () => {
  const rolled = rollForward(afterFirst(), secondReport(), DEAL);
  assert.equal(rolled.factors.A, 0.94875);
  assert.equal(rolled.pool_factor, 0.952);
  assert.equal(rolled.cumulative_net_loss, 0.6);
  assert.equal(rolled.severity, 75);
  // SMM 5,000 / 961,000 and MDR 4,000 / 976,000 a month, annualised.
  assert.ok(Math.abs((rolled.cpr ?? 0) - 100 * (1 - (1 - 5_000 / 961_000) ** 12)) < 1e-6);
  assert.ok(Math.abs((rolled.cdr ?? 0) - 100 * (1 - (1 - 4_000 / 976_000) ** 12)) < 1e-6);
  const [losses, delinquencies] = rolled.triggers;
  assert.deepEqual([losses?.on, losses?.newly_on, losses?.tests[0].actual], [true, true, 0.6]);
  // 60 days and more: 1 in the first report, 2 + 2.5 in the second.
  assert.deepEqual([delinquencies?.on, delinquencies?.tests[0].actual], [false, 2.75]);
});

test('what the residual is paid is no cost of the excess spread', () => {
  const deal: Structure = { ...DEAL, triggers: [{ trigger: 'spread', metric: 'EXCESS_SPREAD', op: 'lt', value: 0 }] };
  const sent = secondReport();
  sent.tranches.push({ tranche: 'R', beginning_balance: 0, interest_paid: 2_000, principal_paid: 0, ending_balance: 0 });
  const opening = { ...openRemittances(deal, 1_000_000), pool_balance: 976_000, period: 1 };
  // 12 × (9,000 − 800 of fees − 5,025 to the notes − 3,000 of net loss) / 976,000.
  assert.equal(rollForward(opening, sent, deal).triggers[0]?.tests[0].actual, 0.215164);
});

test('fees cost excess spread in one figure or by name, without what was unpaid before', () => {
  const deal: Structure = { ...DEAL, triggers: [{ trigger: 'spread', metric: 'EXCESS_SPREAD', op: 'lt', value: 0 }] };
  const spread = (fees: Remittance['fees'], collateral: Partial<Remittance['collateral']> = {}) => {
    const { fees: _fees, ...own } = secondReport().collateral;
    const sent = { ...secondReport(), collateral: { ...own, ...collateral }, fees };
    const opening = { ...openRemittances(deal, 1_000_000), pool_balance: 976_000, period: 1, fees: { servicing: 150 } };
    return rollForward(opening, sent, deal).triggers[0]?.tests[0].actual;
  };
  // 12 × (9,000 − 800 of fees − 5,025 to the notes − 3,000 of net loss) / 976,000.
  assert.equal(spread(undefined, { fees: 800 }), 0.215164);
  assert.equal(
    spread([
      { fee: 'servicing', due: 850, paid: 850 },
      { fee: 'trustee', paid: 100 },
    ]),
    0.215164,
  );
  assert.equal(spread([{ fee: 'servicing', due: 850, paid: 400 }], { fees: 800 }), 0.215164);
  assert.equal(spread([{ fee: 'servicing', due: 950, paid: 0 }]), 0.215164);
});

test('delinquencies in the place of percentages as balances are tested as those of the ending pool', () => {
  const deal: Structure = {
    ...DEAL,
    triggers: ([30, 60, 90] as const).map((days) => ({
      trigger: `d${days}`,
      metric: `DELINQUENT_${days}` as const,
      op: 'gt',
      value: 4,
    })),
  };
  const readings = (figures: Partial<Remittance['collateral']>) => {
    const { delinquent_60: _60, delinquent_90: _90, ...collateral } = secondReport().collateral;
    const sent = { ...secondReport(), collateral: { ...collateral, ...figures } };
    const opening = { ...openRemittances(deal, 1_000_000), pool_balance: 976_000, period: 1 };
    return rollForward(opening, sent, deal).triggers.map(({ on, tests }) => [on, tests[0]?.actual]);
  };
  const unknown = [false, null];
  // Of 952,000; each has the worse ones in it.
  assert.deepEqual(readings({ delinquent_60_amount: 57_120 }), [unknown, [true, 6], unknown]);
  assert.deepEqual(readings({ delinquent_30_amount: 19_040, delinquent_60_amount: 9_520, delinquent_90_amount: 28_560 }), [
    [true, 6],
    [false, 4],
    [false, 3],
  ]);
  assert.deepEqual(readings({ delinquent_30: 2, delinquent_60_amount: 9_520 }), [[false, 3], [false, 1], unknown]);
  assert.deepEqual(readings({}), [unknown, unknown, unknown]);
});

test('a mean of amounts takes the values of a run in cents and of a report alike', () => {
  const deal: Structure = {
    ...DEAL,
    payment: { rounding: 'CENT' },
    triggers: [{ trigger: 'notes', metric: 'NOTE_BALANCE_AVG3', op: 'lt', value: 935_000 }],
  };
  const opening = { ...openRemittances(deal, 1_000_000), pool_balance: 976_000, period: 1 };
  // The waterfall ran the first period, and kept 940,000.00 of notes in cents; the second opens with 950,000.00.
  opening.triggers.recent[0] = [94_000_000];
  const [{ on, tests }] = rollForward(opening, secondReport(), deal).triggers;
  assert.deepEqual([on, tests[0].actual, tests[0].threshold], [false, 945_000, 935_000]);
});

test('a state survives being stored as JSON', () => {
  const state = afterFirst();
  const stored = JSON.parse(JSON.stringify(state)) as RemittanceState;
  assert.equal(
    JSON.stringify(rollForward(stored, secondReport(), DEAL)),
    JSON.stringify(rollForward(state, secondReport(), DEAL)),
  );
});

type AllyRow = { class: string; variable: string; value: string; period: string; deal: string };
type AllyClass = { factor: string; last_ending_balance: string; full_history: boolean; principal_paid: string; initial: string };

const CSV = 'data/reference/remittance/ally_10d_dev_deals.csv';

test('servicer reports of five auto trusts (SEC 10-D, 2017 to 2019) tie to the cent and end at their published factors', {
  skip: skipWithout(CSV, 'data/reference/remittance_goldens.json'),
}, () => {
  const goldens = JSON.parse(readFileSync(sharedPath('data/reference/remittance_goldens.json') as string, 'utf8'));
  const rows = readAlly(readFileSync(sharedPath(CSV) as string, 'utf8'));
  let tied = 0;
  for (const [deal, classes] of Object.entries(goldens.ally.deals as Record<string, Record<string, AllyClass>>)) {
    const last = replay(
      rows.filter((row) => row.deal === deal),
      Object.keys(classes),
      () => tied++,
    );
    for (const [name, golden] of Object.entries(classes)) {
      assert.equal(last.state.tranches[name]?.balance, Number(golden.last_ending_balance), `${deal} ${name} balance`);
      // Published with 7 decimals.
      assert.ok(Math.abs((last.factors[name] ?? -1) - Number(golden.factor)) < 6e-8, `${deal} ${name} factor`);
    }
  }
  assert.ok(tied > 100, `${tied} reports tied`);
});

function readAlly(text: string): AllyRow[] {
  const [header = '', ...lines] = text.trim().split(/\r?\n/);
  const columns = header.split(',');
  return lines.map((line) => {
    const cells = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g)?.map((cell) => cell.replace(/,$/, '').replace(/^"|"$/g, '')) ?? [];
    return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])) as AllyRow;
  });
}

/** Ties every report of one trust to the one before it and rolls it forward. */
function replay(rows: readonly AllyRow[], classes: readonly string[], count: () => void) {
  const value = (period: string, name: string, variable: string) =>
    Number(rows.find((row) => row.period === period && row.class === name && row.variable === variable)?.value);
  const periods = [...new Set(rows.map((row) => row.period))].sort();
  const first = periods[0];
  const notes = classes.map((name, index) =>
    note(name, value(first, name, 'InitialNotePrincipalBalance'), value(first, name, 'NoteRate'), index + 1, {
      // The money-market class accrues on actual days.
      day_count: name === 'A-1' ? 'ACT/360' : '30/360',
    }),
  );
  const structure = sequential(notes);
  const pool = (period: string) => value(period, 'all', 'EndingAggregateReceivablesPrincipalBalance');
  let state = openRemittances(structure, pool(first));
  let last = null;
  for (const [index, period] of periods.entries()) {
    const report: Remittance = {
      period: state.period + 1,
      payment_date: period,
      collateral: {
        beginning_pool_balance: state.pool_balance,
        scheduled_principal: Math.round((state.pool_balance - pool(period)) * 100) / 100,
        ending_pool_balance: pool(period),
      },
      tranches: classes.map((name) => ({
        tranche: name,
        beginning_balance: value(period, name, 'BeginningNotePrincipalBalance'),
        interest_paid: value(period, name, 'InterestDistribution'),
        interest_shortfall: value(period, name, 'InterestCarryoverShortfall'),
        principal_paid: value(period, name, 'PrincipalDistribution'),
        ending_balance: value(period, name, 'EndingNotePrincipalBalance'),
      })),
    };
    if (index === 0)
      for (const row of report.tranches) (state.tranches[row.tranche] as { balance: number }).balance = row.beginning_balance;
    const findings = isNextMonth(periods[index - 1], period) ? tieRemittance(state, report, structure) : [];
    assert.deepEqual(findings, [], `${rows[0].deal} ${period}`);
    count();
    last = rollForward(state, report, structure);
    state = last.state;
  }
  assert.ok(last);
  return last;
}

/** A report is missing from the source in some months; the one after it has nothing to tie to. */
function isNextMonth(before: string | undefined, period: string): boolean {
  if (before === undefined) return true;
  const months = (date: string) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7));
  return months(period) - months(before) === 1;
}

test('triggers are tested in every report, also where the first payment takes more months than the later ones', () => {
  const deal: Structure = { ...DEAL, payment: { ...DEAL.payment, first_collection_months: 2 } };
  const reports = (structure: Structure) => {
    const first = rollForward(openRemittances(structure, 1_000_000), firstReport(), structure, POOL_DATES);
    const second = secondReport();
    second.collateral = { ...second.collateral, gross_losses: 6_000, net_losses: 5_000, ending_pool_balance: 950_000 };
    return rollForward(first.state, second, structure, POOL_DATES).triggers.find(({ trigger }) => trigger === 'cnl');
  };
  // 3,000 and 5,000 of 1,000,000 are lost.
  const breached = {
    trigger: 'cnl',
    on: true,
    newly_on: true,
    tests: [{ metric: 'CUMULATIVE_NET_LOSS', actual: 0.8, op: 'gt', threshold: 0.5, breached: true }],
  };
  assert.deepEqual(reports(DEAL), breached);
  assert.deepEqual(reports(deal), breached);
});

test('excess spread and payment rate of a first report of two months are those of a year and of a month', () => {
  const deal = (first_collection_months: number): Structure => ({
    ...DEAL,
    payment: { ...DEAL.payment, first_collection_months },
    triggers: [
      { trigger: 'excess', metric: 'EXCESS_SPREAD', op: 'lt', value: 0 },
      { trigger: 'paid', metric: 'PAYMENT_RATE', op: 'lt', value: 0 },
    ],
  });
  const first = firstReport();
  first.collateral = { ...first.collateral, interest: 18_125, fees: 0 };
  const measured = (structure: Structure) =>
    rollForward(openRemittances(structure, 1_000_000), first, structure, POOL_DATES).triggers.map(({ tests }) => tests[0].actual);
  // 18,125 - 5,125 - 3,000 = 10,000 and 21,000 of 1,000,000: in one month 12 % a year and 2.1 %, in two 6 % a year and 1.05 % a month.
  assert.deepEqual(measured(deal(1)), [12, 2.1]);
  assert.deepEqual(measured(deal(2)), [6, 1.05]);
});

test('principal, delinquencies and accounts that are given twice agree', () => {
  const found = (change: (report: Remittance) => void, structure = DEAL) => {
    const report = secondReport();
    change(report);
    return tieRemittance(afterFirst(), report, structure).map(({ path, expected, actual }) => [path, expected, actual]);
  };
  const cash = (principal: number) => found((report) => (report.available = { interest: 9_000, principal, recoveries: 1_000 }));
  assert.deepEqual(cash(20_000), []);
  assert.deepEqual(cash(120_000), [['available.principal', 20_000, 120_000]]);
  const late = (delinquent_60: number, delinquent_60_amount: number) =>
    found((report) => (report.collateral = { ...report.collateral, delinquent_60, delinquent_60_amount }));
  assert.deepEqual(late(2, 19_040), []);
  assert.deepEqual(late(2.13, 20_277.6), []);
  assert.deepEqual(late(4.5, 9_520), [['collateral.delinquent_60', 1, 4.5]]);
  const reserved: Structure = { ...DEAL, accounts: [{ account: 'reserve', initial: 2_000, target: 2_000 }] };
  const account = (closing: number) =>
    found((report) => {
      report.accounts = [{ account: 'reserve', opening: 2_000, earned: 5, deposit: 100, draw: 50, release: 20, closing }];
    }, reserved);
  assert.deepEqual(account(2_035), []);
  assert.deepEqual(account(1_234), [['accounts[0].closing', 2_035, 1_234]]);
});

test('a report without a waterfall counts against the limits of a year what it says was paid', () => {
  const deal: Structure = {
    ...DEAL,
    fees: [{ fee: 'trustee', amount_per_year: 90_000 }],
    waterfall: [
      { step: 'capped', pay: 'FEE', to: ['trustee'], limit: { amount: 20_000, per: 'YEAR' } },
      ...DEAL.waterfall.slice(0, -1),
      { step: 'rest', pay: 'FEE', to: ['trustee'] },
      ...DEAL.waterfall.slice(-1),
    ],
  };
  const state = { ...afterFirst(), limits: { year: 2027, paid: { capped: 7_500 } } };
  const paidAfter = (more: Partial<Remittance>, from: RemittanceState = state) =>
    rollForward(from, { ...secondReport(), ...more }, deal).state.limits;
  const trustee = (paid: number) => [{ fee: 'trustee', paid }];
  assert.deepEqual(paidAfter({ fees: trustee(7_500) }), { year: 2027, paid: { capped: 15_000 } });
  assert.deepEqual(paidAfter({ fees: trustee(30_000) }), { year: 2027, paid: { capped: 20_000 } }, 'the rest is not limited');
  assert.deepEqual(paidAfter({ fees: trustee(7_500), steps: [{ step: 'capped', amount: 7_000 }] })?.paid.capped, 14_500);
  assert.deepEqual(paidAfter({}), { year: 2027, paid: { capped: 7_500 } });
  const before = { ...state, limits: { year: 2026, paid: { capped: 20_000 } } };
  assert.deepEqual(paidAfter({ fees: trustee(7_500) }, before), { year: 2027, paid: { capped: 7_500 } });
});
