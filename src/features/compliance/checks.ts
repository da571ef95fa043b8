import { formatAmount, formatCents, parseCents } from '../../finance/money.ts';
import type { Id } from '../../platform/ids.ts';
import type { Profile } from '../keys/queries.ts';

/** Every stored fact that a check reads. Amounts are decimal text in currency units; dates are `YYYY-MM-DD`. */
export type Facts = {
  today: string;
  organization_id: Id<'org'>;
  profile: Profile | null;
  /** Requested amount of the subscription or order under check. */
  amount: string;
  deal: { organization_id: Id<'org'>; offering: '144A' | '506C' | 'REG_S' };
  tranche: { tranche: string; denomination: string; increment: string; erisa_eligible: boolean };
  books_open: boolean;
  /** Balance less live subscriptions. */
  remaining: string;
  /** The investor's live subscriptions, open orders and holdings in the deal, without the request under check. */
  exposure: string;
};

export type CheckResult = 'passed' | 'review_required' | 'failed';
export type CheckFinding = { check: string; result: CheckResult; reason: string };
export type Check<Known = Facts> = (facts: Known) => CheckFinding;

/** What decides whether an investor may buy under an offering, whatever the deal and the amount. */
export type OfferingFacts = Pick<Facts, 'today' | 'profile'> & { deal: Pick<Facts['deal'], 'offering'> };

const passed = (check: string, reason: string): CheckFinding => ({ check, result: 'passed', reason });
const failed = (check: string, reason: string): CheckFinding => ({ check, result: 'failed', reason });
const review = (check: string, reason: string): CheckFinding => ({ check, result: 'review_required', reason });

/** Know-your-customer review of the organization: verified, and not past its last day. */
export const investorProfile: Check<OfferingFacts> = ({ profile, today }) => {
  const check = 'investor_profile';
  if (!profile) return failed(check, 'The organization has no compliance profile: ask the operator to record one.');
  if (profile.kyc_status === 'REJECTED') return failed(check, 'The KYC review was rejected.');
  if (profile.kyc_expires_on !== null && profile.kyc_expires_on < today)
    return failed(check, `The KYC review expired on ${profile.kyc_expires_on}: renew it.`);
  if (profile.kyc_status === 'PENDING') return review(check, 'The KYC review is pending.');
  return passed(
    check,
    profile.kyc_expires_on ? `The KYC review is valid until ${profile.kyc_expires_on}.` : 'The KYC review is valid.',
  );
};

export const sanctions: Check<OfferingFacts> = ({ profile }) => {
  const check = 'sanctions';
  if (!profile) return failed(check, 'The organization has not been screened for sanctions.');
  if (profile.sanctions_status === 'HIT') return failed(check, 'The sanctions screening has a confirmed hit.');
  if (profile.sanctions_status === 'REVIEW') return review(check, 'The sanctions screening has a possible hit under review.');
  return passed(check, 'The sanctions screening is clear.');
};

/** Whether the offering may be sold to the investor: Rule 144A, Rule 506(c) of Regulation D, or Regulation S. */
export const eligibility = ({ profile, deal }: Pick<OfferingFacts, 'profile' | 'deal'>): CheckFinding => {
  const check = 'eligibility';
  if (!profile) return failed(check, 'The organization has no compliance profile that shows its eligibility.');
  if (deal.offering === '144A')
    return profile.qib
      ? passed(check, 'Qualified institutional buyer (Rule 144A).')
      : failed(check, 'A Rule 144A offering is sold to qualified institutional buyers only.');
  if (deal.offering === '506C')
    return profile.accredited
      ? passed(check, 'Accredited investor (Rule 506(c)).')
      : failed(check, 'A Rule 506(c) offering is sold to accredited investors only.');
  return profile.us_person
    ? failed(check, 'A Regulation S offering is not sold to U.S. persons.')
    : passed(check, 'Not a U.S. person (Regulation S).');
};

const taxForm: Check<OfferingFacts> = ({ profile }) =>
  profile?.tax_form
    ? passed('tax_form', `${profile.tax_form === 'W9_FORM' ? 'W-9' : 'W-8'} on file.`)
    : failed('tax_form', 'No tax form is on file: a W-9 or W-8 is required.');

export const erisa: Check = ({ profile, tranche }) => {
  const check = 'erisa';
  if (!profile) return failed(check, 'The organization has no compliance profile that shows whether ERISA applies.');
  if (profile.erisa_plan && !tranche.erisa_eligible)
    return failed(check, `Benefit plan investors may not buy tranche ${tranche.tranche}.`);
  return passed(check, profile.erisa_plan ? 'The tranche is ERISA eligible.' : 'Not a benefit plan investor.');
};

/** At least the denomination, and whole increments above it. */
export const minimumAndIncrement: Check = ({ amount, tranche }) => {
  const check = 'minimum_and_increment';
  const minimum = formatAmount(tranche.denomination);
  const [requested, least, step] = [amount, tranche.denomination, tranche.increment].map(parseCents) as [bigint, bigint, bigint];
  if (requested < least) return failed(check, `The amount of ${formatAmount(amount)} is below the minimum of ${minimum}.`);
  if ((requested - least) % step !== 0n) {
    const below = requested - ((requested - least) % step);
    // The next one may be above the largest amount that a request can have.
    const valid = [below, below + step].filter((each) => each <= Number.MAX_SAFE_INTEGER);
    return failed(
      check,
      `Above ${minimum} the amount has to be in increments of ${formatAmount(tranche.increment)}: ${valid.map((each) => formatAmount(formatCents(each))).join(' or ')} is valid.`,
    );
  }
  return passed(check, `At least ${minimum}, in increments of ${formatAmount(tranche.increment)}.`);
};

/** The investor's own limit on its holdings and commitments in one deal. */
export const concentration: Check = ({ profile, amount, exposure }) => {
  const check = 'concentration';
  const limit = profile?.concentration_limit;
  if (limit === undefined || limit === null) return passed(check, 'No concentration limit is set.');
  const available = parseCents(String(limit)) - parseCents(exposure);
  return parseCents(amount) > available
    ? failed(check, `The limit in one deal is ${formatAmount(limit)}, of which ${formatAmount(exposure)} is used.`)
    : passed(check, `Within the limit of ${formatAmount(limit)} in one deal.`);
};

export const capacity: Check = ({ amount, remaining, tranche }) =>
  parseCents(amount) > parseCents(remaining)
    ? failed('capacity', `Tranche ${tranche.tranche} has ${formatAmount(remaining)} of capacity left.`)
    : passed('capacity', `Tranche ${tranche.tranche} has enough capacity left.`);

/** Closed books refuse a request before its checks are run, so what is checked here has passed already; the list of checks names it. */
const booksOpen: Check = ({ books_open }) =>
  books_open ? passed('books_open', 'The books are open.') : failed('books_open', 'The books of the deal are closed.');

const notOwnDeal: Check = ({ organization_id, deal }) =>
  deal.organization_id === organization_id
    ? failed('not_own_deal', 'An organization cannot buy its own deal.')
    : passed('not_own_deal', 'The deal belongs to another organization.');

/** What an offering asks of its investors; `erisa` beside them depends on the tranche. */
export const OFFERING_CHECKS: readonly Check<OfferingFacts>[] = [investorProfile, sanctions, eligibility, taxForm];
/** Whether the investor may buy at all: checked when the request comes in, when it is confirmed and when face is allocated. */
export const INVESTOR_CHECKS: readonly Check[] = [...OFFERING_CHECKS, erisa];
/** An order consumes no capacity; it must pass all other checks. */
export const ORDER_CHECKS: readonly Check[] = [...INVESTOR_CHECKS, minimumAndIncrement, concentration, booksOpen, notOwnDeal];
export const SUBSCRIPTION_CHECKS: readonly Check[] = [
  ...INVESTOR_CHECKS,
  minimumAndIncrement,
  concentration,
  capacity,
  booksOpen,
  notOwnDeal,
];

export type Assessment = { result: CheckResult; findings: CheckFinding[] };

/** Runs every check independently; the worst result is the overall result. */
export function assess<Known>(facts: Known, checks: readonly Check<Known>[]): Assessment {
  const findings = checks.map((check) => check(facts));
  const has = (result: CheckResult): boolean => findings.some((finding) => finding.result === result);
  return { result: has('failed') ? 'failed' : has('review_required') ? 'review_required' : 'passed', findings };
}
