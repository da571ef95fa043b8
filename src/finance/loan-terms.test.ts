import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { readPoolTerms } from './loan-terms.ts';
import type { LoanFields, TermsContext } from './loan-terms.ts';

const AUTO = { current_balance: 18_000, interest_rate: 5.5, original_term_months: 72, remaining_term_months: 60 };

function read(fields: LoanFields, context: Partial<TermsContext> = {}) {
  const { loans, warnings } = readPoolTerms([fields], { cutOff: '2026-11-30', ...context });
  return { loan: loans[0], codes: warnings.map((warning) => warning.code) };
}

test('a plain loan is level pay without a warning', () => {
  deepEqual(read(AUTO), {
    loan: { balance: 18_000, ratePercent: 5.5, remainingMonths: 60, ageMonths: 12, originalMonths: 72 },
    codes: [],
  });
});

test('the remaining term is that of the tape, else the instalments to maturity, else original less age', () => {
  const { remaining_term_months: _, ...withoutTerm } = AUTO;
  equal(read({ ...AUTO, maturity_date: '2040-01-01' }).loan?.remainingMonths, 60);
  equal(read({ ...withoutTerm, maturity_date: '2031-12-15' }).loan?.remainingMonths, 61);
  equal(read({ ...withoutTerm, maturity_date: '2026-11-30' }).loan?.remainingMonths, 0);
  equal(read({ ...withoutTerm, loan_age_months: 10 }).loan?.remainingMonths, 62);
});

test('the age is that of the tape, else original less remaining, else months since origination', () => {
  equal(read({ ...AUTO, loan_age_months: 14 }).loan?.ageMonths, 14);
  equal(read(AUTO).loan?.ageMonths, 12);
  equal(read({ ...AUTO, original_term_months: null, origination_date: '2025-12-01' }).loan?.ageMonths, 11);
});

test('optional fields make interest-only, balloon, floating, stepped and deferred loans', () => {
  const mortgage = { ...AUTO, amortization_type: 'IO', interest_only_months: 24 };
  deepEqual([read(mortgage).loan?.interestOnlyMonths, read(mortgage).codes], [24, []]);
  equal(read({ ...AUTO, amortization_type: 'BALLOON', balloon_date: '2028-11-30' }).loan?.balloonMonth, 24);
  const floater = read({
    ...AUTO,
    rate_type: 'VARIABLE',
    index: 'SOFR',
    margin: 2.5,
    rate_cap: 12,
    rate_reset_months: 6,
    next_rate_reset_date: '2027-02-15',
  });
  deepEqual(floater.loan?.floating, { index: 'SOFR', marginPercent: 2.5, resetMonths: 6, capPercent: 12, firstResetMonth: 3 });
  const stepped = read({
    ...AUTO,
    rate_steps: [
      { from_month: 13, rate: 7 },
      { from_month: 1, rate: 6 },
    ],
  });
  deepEqual(
    stepped.loan?.steps?.map((step) => step.fromMonth),
    [1, 13],
  );
  equal(read({ ...AUTO, status: 'GRACE', deferment_months: 6 }).loan?.deferMonths, 6);
});

test('a loan that lacks the field of its kind is level pay, with a warning', () => {
  deepEqual(read({ ...AUTO, amortization_type: 'IO' }).codes, ['INTEREST_ONLY_TERM_MISSING']);
  deepEqual(read({ ...AUTO, amortization_type: 'BALLOON' }).codes, ['BALLOON_DATE_MISSING']);
  deepEqual(read({ ...AUTO, amortization_type: 'ARM' }).codes, ['INDEX_OR_MARGIN_MISSING']);
  deepEqual(read({ ...AUTO, status: 'IN_SCHOOL' }).codes, ['DEFERMENT_TERM_MISSING']);
  deepEqual(read({ ...AUTO, interest_rate: null }).codes, ['RATE_MISSING']);
});

test('the payment of the tape is used only where asked', () => {
  equal(read({ ...AUTO, scheduled_payment: 350 }).loan?.scheduledPayment, undefined);
  equal(read({ ...AUTO, scheduled_payment: 350 }, { useScheduledPayment: true }).loan?.scheduledPayment, 350);
});

test('loans without balance or term are left out and counted, with the first of them', () => {
  const rows = [AUTO, { current_balance: 5 }, { ...AUTO, current_balance: null }, { current_balance: 6 }];
  const { loans, warnings } = readPoolTerms(rows, { cutOff: '2026-11-30' });
  equal(loans.length, 1);
  deepEqual(
    warnings.map(({ code, count, firstIndex }) => [code, count, firstIndex]),
    [
      ['REMAINING_TERM_MISSING', 2, 1],
      ['BALANCE_MISSING', 1, 2],
    ],
  );
});

test('card accounts need a balance alone', () => {
  deepEqual(read({ current_balance: 900, apr: 24.9 }, { creditCard: true }), {
    loan: { balance: 900, ratePercent: 24.9, remainingMonths: 1, ageMonths: 0, originalMonths: 1 },
    codes: [],
  });
});
