import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerName } from './header-name.ts';

const seen = (header: string) => {
  const { name, unit } = headerName(header);
  return [name, unit && unit.scale, unit && unit.kind, unit && unit.currency];
};

test('the unit beside a name is read with its factor and its currency', () => {
  const cases: [string, string, number, string, string | null][] = [
    ['Current Balance ($000s)', 'Current Balance', 1_000, 'amount', 'USD'],
    ["Current Balance (000's)", 'Current Balance', 1_000, 'amount', null],
    ['Current Balance in thousands', 'Current Balance', 1_000, 'amount', null],
    ['Current Balance (in thousands of euros)', 'Current Balance', 1_000, 'amount', 'EUR'],
    ['Current Balance (USD mm)', 'Current Balance', 1_000_000, 'amount', 'USD'],
    ['Current Balance [EUR]', 'Current Balance', 1, 'amount', 'EUR'],
    ['Current Balance, EUR', 'Current Balance', 1, 'amount', 'EUR'],
    ['current_balance_usd_mm', 'current_balance', 1_000_000, 'amount', 'USD'],
    ['Current Balance (cents)', 'Current Balance', 0.01, 'amount', null],
    ['Current Balance (TEUR)', 'Current Balance', 1_000, 'amount', 'EUR'],
    ['Current Balance in TEUR', 'Current Balance', 1_000, 'amount', 'EUR'],
    ['Current Balance T€', 'Current Balance', 1_000, 'amount', 'EUR'],
    ['Current Balance (KUSD)', 'Current Balance', 1_000, 'amount', 'USD'],
    ['Current Balance $K', 'Current Balance', 1_000, 'amount', 'USD'],
    ['Current Balance (Mio. EUR)', 'Current Balance', 1_000_000, 'amount', 'EUR'],
    ['Current Balance (SEK)', 'Current Balance', 1, 'amount', 'SEK'],
    ['Current Balance £', 'Current Balance', 1, 'amount', 'GBP'],
    ['Saldo (R$)', 'Saldo', 1, 'amount', 'BRL'],
    ['Loan Amount (Rs.)', 'Loan Amount', 1, 'amount', 'INR'],
    ['Loan Amount (₹ in thousands)', 'Loan Amount', 1_000, 'amount', 'INR'],
    ['Current Balance ($M)', 'Current Balance', 1, 'unclear', 'USD'],
    ['Margin (bps)', 'Margin', 0.01, 'basis points', null],
    ['Margin (basis points)', 'Margin', 0.01, 'basis points', null],
    ['Note Rate (%)', 'Note Rate', 1, 'percent', null],
    ['Note Rate %', 'Note Rate', 1, 'percent', null],
    ['Note Rate (% p.a.)', 'Note Rate', 1, 'percent', null],
    ['Zinssatz in % p. a.', 'Zinssatz', 1, 'percent', null],
    ['NoteRate%', 'NoteRate', 1, 'percent', null],
    ['Balance$', 'Balance', 1, 'amount', 'USD'],
    ['Loan Term (years)', 'Loan Term', 1, 'years', null],
    ['term_in_months', 'term', 1, 'months', null],
    ['Loan Term [Mos]', 'Loan Term', 1, 'months', null],
    ["Current Balance ($'000)", 'Current Balance', 1_000, 'amount', 'USD'],
    ["Current Balance $'000", 'Current Balance', 1_000, 'amount', 'USD'],
    ['Current Balance (x1000)', 'Current Balance', 1_000, 'amount', null],
    ['Hoofdsom (x € 1.000)', 'Hoofdsom', 1_000, 'amount', 'EUR'],
    ['Restschuld (Tsd. EUR)', 'Restschuld', 1_000, 'amount', 'EUR'],
    ['Saldo vivo (miles de euros)', 'Saldo vivo', 1_000, 'amount', 'EUR'],
    ['Kwota (tys. zł)', 'Kwota', 1_000, 'amount', 'PLN'],
    ['Durée (années)', 'Durée', 1, 'years', null],
    ['Laufzeit in Jahren', 'Laufzeit', 1, 'years', null],
    ['Durée en mois', 'Durée', 1, 'months', null],
    ['Looptijd (mnd)', 'Looptijd', 1, 'months', null],
    ['Impayés (jours)', 'Impayés', 1, 'days', null],
    ['残高（千円）', '残高', 1_000, 'amount', 'JPY'],
    ['残高(百万円)', '残高', 1_000_000, 'amount', 'JPY'],
    ['残高(円)', '残高', 1, 'amount', 'JPY'],
    ['贷款余额(万元)', '贷款余额', 10_000, 'amount', 'CNY'],
    ['대출잔액(백만원)', '대출잔액', 1_000_000, 'amount', 'KRW'],
    ['返済期間(年)', '返済期間', 1, 'years', null],
    ['返済期間（ヶ月）', '返済期間', 1, 'months', null],
    ['贷款期限(月)', '贷款期限', 1, 'months', null],
  ];
  for (const [header, ...expected] of cases) assert.deepEqual(seen(header), expected, header);
});

test('words that are no unit stay in the name, and a name that is nothing but a unit is a name', () => {
  for (const header of [
    'Current Balance (net)',
    'Inquiries (6 months)',
    'Odometer (miles)',
    'Balance ($1,000,000)',
    'Rate (12.000)',
    'Property (lat)',
    'Interest Rate',
    'State',
    'USD',
    'Thousands',
    'Fee (per month)',
    'NT$',
  ])
    assert.deepEqual(seen(header), [header, null, null, null], header);
});

test('the number of a column in a list is no part of its name', () => {
  for (const [header, name] of [
    ['12. Model', 'Model'],
    ['(3) Current Balance', 'Current Balance'],
    ['A12: State', 'State'],
    ['7) Note Rate', 'Note Rate'],
  ] as const)
    assert.equal(headerName(header).name, name);
  for (const header of ['12.5', '2020', '30 Days', '1st Payment']) assert.equal(headerName(header).name, header);
});

test('a rate that is said to be that of a year is named without it', () => {
  for (const header of ['Nominalzins p.a.', 'Nominalzins (p.a.)', 'Nominalzins per annum'])
    assert.deepEqual(headerName(header), { name: 'Nominalzins', unit: null, dates: null }, header);
  assert.equal(headerName('P.A. State').name, 'P.A. State');
});

test('a pattern of dates in brackets is no part of the name', () => {
  for (const [header, name, dates] of [
    ['Maturity Date (MM/DD/YYYY)', 'Maturity Date', 'MM/DD/YYYY'],
    ['Maturity Date[ dd.mm.yy ]', 'Maturity Date', 'dd.mm.yy'],
    ['Reporting Period (YYYYMM)', 'Reporting Period', 'YYYYMM'],
    ['Balance (mm)', 'Balance', null],
    ['Birth (DD/DD/YYYY)', 'Birth (DD/DD/YYYY)', null],
  ] as const)
    assert.deepEqual([headerName(header).name, headerName(header).dates], [name, dates], header);
});

test('a header of blanks or of another length takes no time', () => {
  const began = process.cpuUsage();
  for (const blank of [' ', '_', '( '])
    for (const length of [300, 20_000]) {
      const header = `a${blank.repeat(length / blank.length)}x`;
      assert.deepEqual(headerName(header), { name: header, unit: null, dates: null });
    }
  // The time grew with the third power of the length: hours for the longest of them.
  const { user } = process.cpuUsage(began);
  assert.ok(user < 10_000_000, `${user} µs`);
});
