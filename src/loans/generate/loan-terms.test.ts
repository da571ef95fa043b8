import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMonths, drawTerms, type LoanTerms, REPORTING_DATE, type TermsSpec } from './loan-terms.ts';
import { Random } from './random.ts';

const SPEC: TermsSpec = {
  terms: [12, 36, 60],
  amount: [2_000, 40_000],
  roundTo: 25,
  rate: [4, 20],
  rateDigits: 2,
  score: { middle: 700, spread: 50, least: 620, most: 820 },
  maxAgeMonths: 30,
};

function drawn(count: number, spec: Partial<TermsSpec> = {}): LoanTerms[] {
  const random = new Random(1);
  return Array.from({ length: count }, (_, index) => drawTerms(random, index + 1, { ...SPEC, ...spec }));
}

test('a month added keeps the day, or takes the last one that the month has', () => {
  const cases: [string, number, string][] = [
    ['2026-01-31', 1, '2026-02-28'],
    ['2024-01-31', 1, '2024-02-29'],
    ['2024-02-29', 12, '2025-02-28'],
    ['2026-01-15', -1, '2025-12-15'],
    ['2026-12-31', 2, '2027-02-28'],
    ['2026-03-31', -1, '2026-02-28'],
    ['2026-06-28', 0, '2026-06-28'],
    ['2026-06-28', 360, '2056-06-28'],
    ['2026-06-28', -120, '2016-06-28'],
  ];
  for (const [date, months, expected] of cases) assert.equal(addMonths(date, months), expected, `${date} ${months}`);
});

test('the terms of a loan agree with each other and with the cut-off', () => {
  for (const loan of drawn(2_000)) {
    assert.equal(loan.remainingMonths + loan.ageMonths, loan.termMonths);
    assert.ok(loan.ageMonths >= 1 && loan.ageMonths <= Math.min(30, loan.termMonths - 1));
    assert.equal(loan.firstPaymentDate, addMonths(loan.originationDate, 1));
    assert.equal(loan.maturityDate, addMonths(loan.originationDate, loan.termMonths));
    assert.ok(loan.originationDate < REPORTING_DATE && loan.maturityDate > REPORTING_DATE);
    assert.ok(loan.currentCents >= 1 && loan.currentCents <= loan.originalCents);
    assert.ok(SPEC.terms.includes(loan.termMonths));
  }
});

test('another reporting date moves the dates of a loan and nothing else', () => {
  const at = (reportingDate?: string) => {
    const random = new Random(1);
    return Array.from({ length: 200 }, (_, index) => drawTerms(random, index + 1, SPEC, reportingDate));
  };
  const usual = at();
  for (const [index, loan] of at('2025-02-28').entries()) {
    const { reportingDate, originationDate, firstPaymentDate, maturityDate, ...rest } = loan;
    const { reportingDate: _1, originationDate: then, firstPaymentDate: _2, maturityDate: _3, ...same } = usual[index];
    assert.deepEqual(rest, same);
    assert.equal(reportingDate, '2025-02-28');
    assert.equal(originationDate, addMonths(then, -16));
    assert.ok(originationDate < reportingDate && maturityDate > reportingDate && firstPaymentDate > originationDate);
  }
});

test('a loan pays level: its balance is what the payments made so far leave', () => {
  for (const { originalCents, currentCents, ratePercent, paymentCents, ageMonths, termMonths } of drawn(300)) {
    let balance = originalCents;
    for (let month = 0; month < ageMonths; month += 1) balance = balance * (1 + ratePercent / 1200) - paymentCents;
    assert.ok(Math.abs(balance - currentCents) <= 1, `${balance} for ${currentCents}`);
    for (let month = ageMonths; month < termMonths; month += 1) balance = balance * (1 + ratePercent / 1200) - paymentCents;
    // a payment is whole cents, so that the last one differs by what was rounded in all
    assert.ok(Math.abs(balance) <= termMonths, `${balance} left`);
  }
});

test('a loan without interest pays its amount in equal parts', () => {
  for (const loan of drawn(100, { rate: [0, 0] })) {
    assert.equal(loan.ratePercent, 0);
    assert.equal(loan.paymentCents, Math.round(loan.originalCents / loan.termMonths));
    assert.equal(loan.currentCents, loan.originalCents - loan.paymentCents * loan.ageMonths);
  }
});

test('amounts, rates and scores keep to the bounds of the profile and to its digits', () => {
  const loans = drawn(3_000);
  for (const { originalCents, ratePercent, score } of loans) {
    assert.equal(originalCents % 2_500, 0);
    assert.ok(originalCents >= 2_000_00 && originalCents <= 40_000_00);
    assert.ok(ratePercent >= 4 && ratePercent <= 20 && Number(ratePercent.toFixed(2)) === ratePercent);
    assert.ok(Number.isInteger(score) && score >= 620 && score <= 820);
  }
  const scores = loans.map(({ score }) => score);
  assert.deepEqual([Math.min(...scores), Math.max(...scores) > 800], [620, true], 'the tail below is cut to the least score');
  const small = loans.filter(({ originalCents }) => originalCents < 9_000_00).length / loans.length;
  // half of the logarithms lie below the geometric mean, 8,944 dollars
  assert.ok(Math.abs(small - 0.5) < 0.04, String(small));
});

test('an amount is never rounded to nothing', () => {
  for (const { originalCents } of drawn(200, { amount: [10, 20], roundTo: 1_000 })) assert.equal(originalCents, 1_000_00);
});

test('better scores pay lower rates', () => {
  const loans = drawn(3_000);
  const mean = (which: LoanTerms[]) => which.reduce((sum, { ratePercent }) => sum + ratePercent, 0) / which.length;
  const good = mean(loans.filter(({ score }) => score >= 760));
  const poor = mean(loans.filter(({ score }) => score <= 640));
  assert.ok(poor - good > 6, `${good} and ${poor}`);
});

test('most loans are current, some late, few of them for long, none for 120 days', () => {
  const days = drawn(20_000).map(({ daysPastDue }) => daysPastDue);
  const share = (from: number, to: number) => days.filter((each) => each >= from && each <= to).length / days.length;
  for (const [from, to, expected] of [
    [0, 0, 0.93],
    [1, 29, 0.04],
    [30, 59, 0.02],
    [60, 119, 0.01],
  ] as const)
    assert.ok(Math.abs(share(from, to) - expected) < 0.007, `${from} to ${to}: ${share(from, to)}`);
  assert.equal(share(0, 119), 1);
});
