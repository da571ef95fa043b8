import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Profile } from '../keys/queries.ts';
import { assess, type CheckResult, type Facts, ORDER_CHECKS, SUBSCRIPTION_CHECKS } from './checks.ts';
import { asId } from '../../platform/ids.ts';

const PROFILE: Profile = {
  kyc_status: 'VERIFIED',
  kyc_expires_on: '2026-12-31',
  sanctions_status: 'CLEAR',
  qib: true,
  accredited: false,
  us_person: true,
  tax_form: 'W9_FORM',
  erisa_plan: false,
};
const FACTS: Facts = {
  today: '2026-11-20',
  organization_id: asId('org', 'org_buyer'),
  profile: PROFILE,
  amount: '250000.00',
  deal: { organization_id: asId('org', 'org_seller'), offering: '144A' },
  tranche: { tranche: 'A-1', denomination: '100000.00', increment: '1000.00', erisa_eligible: true },
  books_open: true,
  remaining: '250000.00',
  exposure: '0.00',
};

type Case = { name: string; facts: Partial<Facts>; check: string; result: CheckResult };
const profile = (changes: Partial<Profile>): Partial<Facts> => ({ profile: { ...PROFILE, ...changes } });
const deal = (offering: Facts['deal']['offering'], changes: Partial<Profile>): Partial<Facts> => ({
  ...profile(changes),
  deal: { organization_id: asId('org', 'org_seller'), offering },
});
const plan = { ...profile({ erisa_plan: true }), tranche: { ...FACTS.tranche, erisa_eligible: false } };

const CASES: Case[] = [
  { name: 'a rejected KYC review', facts: profile({ kyc_status: 'REJECTED' }), check: 'investor_profile', result: 'failed' },
  {
    name: 'a pending KYC review',
    facts: profile({ kyc_status: 'PENDING' }),
    check: 'investor_profile',
    result: 'review_required',
  },
  {
    name: 'a review that ended yesterday',
    facts: profile({ kyc_expires_on: '2026-11-19' }),
    check: 'investor_profile',
    result: 'failed',
  },
  {
    name: 'a review on its last day',
    facts: profile({ kyc_expires_on: '2026-11-20' }),
    check: 'investor_profile',
    result: 'passed',
  },
  { name: 'a review without an end', facts: profile({ kyc_expires_on: null }), check: 'investor_profile', result: 'passed' },
  { name: 'a sanctions hit', facts: profile({ sanctions_status: 'HIT' }), check: 'sanctions', result: 'failed' },
  { name: 'a sanctions review', facts: profile({ sanctions_status: 'REVIEW' }), check: 'sanctions', result: 'review_required' },
  { name: '144A to no QIB', facts: deal('144A', { qib: false }), check: 'eligibility', result: 'failed' },
  { name: '506(c) to no accredited investor', facts: deal('506C', {}), check: 'eligibility', result: 'failed' },
  { name: '506(c) to an accredited investor', facts: deal('506C', { accredited: true }), check: 'eligibility', result: 'passed' },
  { name: 'Regulation S to a U.S. person', facts: deal('REG_S', {}), check: 'eligibility', result: 'failed' },
  { name: 'Regulation S abroad', facts: deal('REG_S', { us_person: false }), check: 'eligibility', result: 'passed' },
  { name: 'no tax form', facts: profile({ tax_form: null }), check: 'tax_form', result: 'failed' },
  { name: 'a plan in a tranche closed to plans', facts: plan, check: 'erisa', result: 'failed' },
  { name: 'a plan in a tranche open to plans', facts: profile({ erisa_plan: true }), check: 'erisa', result: 'passed' },
  { name: 'less than the denomination', facts: { amount: '99000.00' }, check: 'minimum_and_increment', result: 'failed' },
  { name: 'part of an increment', facts: { amount: '100500.00' }, check: 'minimum_and_increment', result: 'failed' },
  { name: 'the denomination itself', facts: { amount: '100000.00' }, check: 'minimum_and_increment', result: 'passed' },
  {
    name: 'a limit that is just kept',
    facts: { ...profile({ concentration_limit: 300_000 }), exposure: '50000.00' },
    check: 'concentration',
    result: 'passed',
  },
  {
    name: 'a limit passed by a cent',
    facts: { ...profile({ concentration_limit: 300_000 }), exposure: '50000.01' },
    check: 'concentration',
    result: 'failed',
  },
  { name: 'a cent more than is left', facts: { remaining: '249999.99' }, check: 'capacity', result: 'failed' },
  { name: 'closed books', facts: { books_open: false }, check: 'books_open', result: 'failed' },
  { name: 'the own deal', facts: { organization_id: asId('org', 'org_seller') }, check: 'not_own_deal', result: 'failed' },
];

for (const { name, facts, check, result } of CASES) {
  test(`${name}: ${check} is ${result}`, () => {
    const assessment = assess({ ...FACTS, ...facts }, SUBSCRIPTION_CHECKS);
    assert.deepEqual(
      assessment.findings.filter((finding) => finding.result !== 'passed').map((finding) => [finding.check, finding.result]),
      result === 'passed' ? [] : [[check, result]],
    );
    assert.equal(assessment.result, result);
  });
}

test('an investor without a profile fails everything that the profile would say', () => {
  const failed = assess({ ...FACTS, profile: null }, SUBSCRIPTION_CHECKS).findings.filter(
    (finding) => finding.result === 'failed',
  );
  assert.deepEqual(
    failed.map((finding) => finding.check),
    ['investor_profile', 'sanctions', 'eligibility', 'tax_form', 'erisa'],
  );
});

test('an order passes the same checks but capacity', () => {
  assert.equal(assess({ ...FACTS, remaining: '0.00' }, ORDER_CHECKS).result, 'passed');
  assert.equal(ORDER_CHECKS.length, SUBSCRIPTION_CHECKS.length - 1);
});
