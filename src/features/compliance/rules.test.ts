import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { asId } from '../../platform/ids.ts';
import type { Profile } from '../keys/queries.ts';
import { assess, capacity, type Check, concentration, type CheckResult, type Facts, minimumAndIncrement } from './checks.ts';
import { INVESTOR_CHECKS, investorProfile, SUBSCRIPTION_CHECKS } from './checks.ts';

const PROFILE: Profile = {
  kyc_status: 'VERIFIED',
  kyc_expires_on: null,
  sanctions_status: 'CLEAR',
  qib: true,
  accredited: true,
  us_person: true,
  tax_form: 'W8_FORM',
  erisa_plan: false,
};

const facts = (changes: Partial<Facts> = {}): Facts => ({
  today: '2026-11-20',
  organization_id: asId('org', 'org_buyer'),
  profile: PROFILE,
  amount: '1000.00',
  deal: { organization_id: asId('org', 'org_seller'), offering: '144A' },
  tranche: { tranche: 'A-1', denomination: '1000.00', increment: '1000.00', erisa_eligible: true },
  books_open: true,
  remaining: '1000.00',
  exposure: '0.00',
  ...changes,
});

const text = (cents: number): string => (cents / 100).toFixed(2);
const Cents = fc.integer({ min: 1, max: 5_000_000 });

test('an amount is valid when counting up from the denomination in increments meets it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 500 }), fc.nat(4_000), (least, step, asked) => {
      let counted = least;
      while (counted < asked) counted += step;
      const tranche = { ...facts().tranche, denomination: text(least), increment: text(step) };
      const { result } = minimumAndIncrement(facts({ amount: text(asked), tranche }));
      assert.equal(result, counted === asked ? 'passed' : 'failed');
    }),
  );
});

test('the two amounts that the reason proposes are valid, and the amount asked for lies between them', () => {
  const dollars = (message: string): number[] =>
    [...message.matchAll(/\$([\d,]+(?:\.\d\d)?)(?= or| is)/g)].map((match) => Number((match[1] ?? '').replaceAll(',', '')));
  fc.assert(
    fc.property(Cents, fc.integer({ min: 2, max: 100_000 }), Cents, (least, step, above) => {
      const tranche = { ...facts().tranche, denomination: text(least), increment: text(step) };
      const finding = minimumAndIncrement(facts({ amount: text(least + above), tranche }));
      if (finding.result === 'passed') return;
      const [lower = 0, upper = 0] = dollars(finding.reason);
      assert.ok(lower < (least + above) / 100 && (least + above) / 100 < upper, finding.reason);
      for (const amount of [lower, upper]) {
        assert.equal(minimumAndIncrement(facts({ amount: amount.toFixed(2), tranche })).result, 'passed', finding.reason);
      }
    }),
  );
});

test('of an amount between the last increment and the largest that there is, the lower one is proposed alone', () => {
  assert.deepEqual(minimumAndIncrement(facts({ amount: '90071992547409.91' })), {
    check: 'minimum_and_increment',
    result: 'failed',
    reason: 'Above $1,000 the amount has to be in increments of $1,000: $90,071,992,547,000 is valid.',
  });
});

test('what an investor asks for and is committed to together is at most its limit, to the cent', () => {
  fc.assert(
    fc.property(Cents, fc.nat(5_000_000), Cents, (asked, used, limit) => {
      const profile = { ...PROFILE, concentration_limit: limit / 100 };
      const { result } = concentration(facts({ amount: text(asked), exposure: text(used), profile }));
      assert.equal(result, asked + used <= limit ? 'passed' : 'failed');
    }),
  );
});

test('an exposure above the limit leaves nothing, and a limit of 0 is a limit', () => {
  const limited = (concentration_limit: number, exposure: string) =>
    concentration(facts({ profile: { ...PROFILE, concentration_limit }, exposure })).result;
  assert.equal(limited(500, '600.00'), 'failed');
  assert.equal(limited(0, '0.00'), 'failed');
  assert.equal(limited(1_000, '0.00'), 'passed');
});

test('an amount is at most what is left, to the cent', () => {
  fc.assert(
    fc.property(Cents, fc.nat(5_000_000), (asked, left) => {
      const { result } = capacity(facts({ amount: text(asked), remaining: text(left) }));
      assert.equal(result, asked <= left ? 'passed' : 'failed');
    }),
  );
});

test('amounts beyond the precision of doubles are compared exactly', () => {
  const limit = '90071992547409.91';
  assert.equal(capacity(facts({ amount: limit, remaining: limit })).result, 'passed');
  assert.equal(capacity(facts({ amount: limit, remaining: '90071992547409.90' })).result, 'failed');
});

test('a review that has expired fails although it is pending, and a rejected one fails although it has not expired', () => {
  const review = (changes: Partial<Profile>) => investorProfile(facts({ profile: { ...PROFILE, ...changes } }));
  const cases: [Partial<Profile>, CheckResult, RegExp][] = [
    [{ kyc_status: 'PENDING', kyc_expires_on: '2026-11-19' }, 'failed', /expired on 2026-11-19/],
    [{ kyc_status: 'PENDING', kyc_expires_on: '2026-11-20' }, 'review_required', /pending/],
    [{ kyc_status: 'PENDING', kyc_expires_on: null }, 'review_required', /pending/],
    [{ kyc_status: 'REJECTED', kyc_expires_on: '2099-12-31' }, 'failed', /rejected/],
    [{ kyc_status: 'REJECTED', kyc_expires_on: '2020-12-31' }, 'failed', /rejected/],
    [{ kyc_expires_on: '2026-11-20' }, 'passed', /until 2026-11-20/],
    [{ kyc_expires_on: null }, 'passed', /is valid\.$/],
  ];
  for (const [changes, result, reason] of cases) {
    const finding = review(changes);
    assert.equal(finding.result, result, JSON.stringify(changes));
    assert.match(finding.reason, reason);
  }
});

test('the worst finding is the result, in whatever order the checks stand', () => {
  const Result = fc.constantFrom<CheckResult>('passed', 'review_required', 'failed');
  const severity: CheckResult[] = ['passed', 'review_required', 'failed'];
  fc.assert(
    fc.property(fc.array(Result, { maxLength: 8 }), (results) => {
      const checks = results.map(
        (result, index): Check =>
          () => ({ check: `check_${index}`, result, reason: '' }),
      );
      const assessment = assess(facts(), checks);
      assert.equal(assessment.result, severity[Math.max(0, ...results.map((each) => severity.indexOf(each)))]);
      assert.deepEqual(
        assessment.findings.map((each) => each.result),
        results,
      );
    }),
  );
});

test('each fact moves its own check alone', () => {
  const Changed = fc.record({
    kyc: fc.boolean(),
    sanctions: fc.boolean(),
    qib: fc.boolean(),
    tax: fc.boolean(),
    plan: fc.boolean(),
    amount: fc.boolean(),
    limit: fc.boolean(),
    books: fc.boolean(),
    own: fc.boolean(),
  });
  fc.assert(
    fc.property(Changed, (changed) => {
      const profile: Profile = {
        ...PROFILE,
        ...(changed.kyc ? { kyc_status: 'REJECTED' } : {}),
        ...(changed.sanctions ? { sanctions_status: 'HIT' } : {}),
        ...(changed.qib ? { qib: false } : {}),
        ...(changed.tax ? { tax_form: null } : {}),
        ...(changed.plan ? { erisa_plan: true } : {}),
        ...(changed.limit ? { concentration_limit: 1 } : {}),
      };
      const asked = facts({
        profile,
        amount: changed.amount ? '1000.01' : '1000.00',
        remaining: '5000.00',
        tranche: { ...facts().tranche, erisa_eligible: false },
        books_open: !changed.books,
        ...(changed.own ? { organization_id: asId('org', 'org_seller') } : {}),
      });
      const failed = new Set(
        assess(asked, SUBSCRIPTION_CHECKS)
          .findings.filter((finding) => finding.result === 'failed')
          .map((finding) => finding.check),
      );
      const expected: [boolean, string][] = [
        [changed.kyc, 'investor_profile'],
        [changed.sanctions, 'sanctions'],
        [changed.qib, 'eligibility'],
        [changed.tax, 'tax_form'],
        [changed.plan, 'erisa'],
        [changed.amount, 'minimum_and_increment'],
        [changed.limit, 'concentration'],
        [changed.books, 'books_open'],
        [changed.own, 'not_own_deal'],
        [false, 'capacity'],
      ];
      for (const [should, check] of expected) assert.equal(failed.has(check), should, check);
    }),
  );
});

test('the checks of the investor do not look at amounts, books or sellers', () => {
  const bad = facts({ amount: '0.01', remaining: '0.00', books_open: false, organization_id: asId('org', 'org_seller') });
  assert.equal(assess(bad, INVESTOR_CHECKS).result, 'passed');
});
