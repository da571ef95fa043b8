import { numberOrNull } from '../../finance/decimal.ts';
import Type from 'typebox';
import type { LoanOutcome } from '../../loans/criteria/outcomes.ts';
import type { Offender } from '../../loans/criteria/pool-result.ts';
import type { RunResult } from '../../loans/criteria/run.ts';
import { wireMoney } from '../../loans/criteria/decimal.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { id, money, nullable, oneOf, timestamp } from '../../platform/http/schemas.ts';
import type { Basis } from './queue-run.ts';
import { type Run, RUN_STATUSES, type StoredResult } from './run-queries.ts';

const RuleSeverity = namedOneOf('RuleSeverity', ['fail', 'warn']);

const Failure = named('RuleFailure', {
  rule_id: Type.String(),
  name: Type.String(),
  field: nullable(Type.String()),
  operator: nullable(Type.String()),
  expected: Type.Unknown(),
  actual: Type.Unknown(),
  reason: namedOneOf('FailureReason', ['BREACH', 'MISSING']),
  severity: RuleSeverity,
  waived: Type.Optional(Type.Literal(true, { description: 'Present where a waiver lets the loan pass despite this rule.' })),
});

export const Outcome = named('LoanOutcome', {
  loan_id: Type.String(),
  row_number: Type.Integer(),
  outcome: namedOneOf('OutcomeStatus', ['PASSED', 'FAILED', 'WAIVED']),
  balance: money('Balance of the loan.'),
  failures: Type.Array(Failure),
});

const WaterfallStep = named('WaterfallStep', {
  step: oneOf(['TOTAL', 'RULE', 'ELIGIBLE']),
  rule_id: nullable(Type.String()),
  removed: Type.Integer({ description: 'Loans that this rule is the first to remove.' }),
  removed_balance: money('Their balance.'),
  loans: Type.Integer({ description: 'Loans left.' }),
  balance: money('Balance left.'),
});

export const Result = named('CriteriaRun', {
  sc_job_id: Type.String(),
  status: namedOneOf('RunStatus', RUN_STATUSES),
  passed: Type.Integer({ description: 'Loans that pass, waived ones included.' }),
  failed: Type.Integer(),
  total: Type.Integer(),
  run_at: nullable(timestamp()),
  deal_id: id('deal'),
  criteria_id: id('crt'),
  criteria_version: Type.Integer(),
  tape_version: Type.Integer(),
  waived: Type.Integer(),
  passed_balance: money('Balance of the loans that pass.'),
  failed_balance: money('Balance of the loans that fail.'),
  rule_results: Type.Array(
    named('RuleResult', {
      rule_id: Type.String(),
      severity: RuleSeverity,
      failed: Type.Integer({ description: 'Loans that do not pass the rule, without those that `waived` counts.' }),
      missing: Type.Integer(),
      failed_balance: money('Balance of the loans that fail the rule.'),
      only_reason: Type.Integer({ description: 'Loans that fail for this rule alone.' }),
      waived: Type.Integer({ description: 'Loans for which the rule was waived; some may fail another rule.' }),
    }),
  ),
  waterfall: Type.Array(WaterfallStep, { description: 'Loans and balance in all, after each rule, and eligible.' }),
  pool_tests: Type.Array(
    named('PoolTestResult', {
      rule_id: Type.String(),
      group: Type.Optional(nullable(Type.String())),
      limit: Type.Unknown(),
      actual: nullable(Type.Number({ description: 'Measured over the eligible loans, 8 places.' })),
      passed: nullable(Type.Boolean({ description: 'Null: not applicable.' })),
      excess_balance: nullable(money('Balance over the limit.')),
      headroom: nullable(Type.Number()),
      offenders: nullable(
        Type.Array(
          named('PoolTestOffender', {
            group: Type.String(),
            limit: Type.Unknown({ description: 'Its own limit; null where the largest groups break one limit together.' }),
            actual: Type.Number({ description: 'Its share, 8 places.' }),
            excess_balance: nullable(money('Balance over its limit.')),
            headroom: nullable(Type.Number({ description: 'Limit less share; negative beyond the limit.' })),
          }),
          {
            description:
              'Every group over its limit, the worst first, at most 1,000; empty where the test passes or has no groups. Null for a result from before they were kept.',
          },
        ),
      ),
      more_offenders: Type.Boolean({ description: 'Whether more than 1,000 groups are over their limit.' }),
    }),
  ),
  assumptions: Type.Array(Type.String(), {
    description:
      'What was assumed: how columns of `custom_fields` were read where nothing on the tape decides it (a decimal comma, the order of day and month), and which waivers were not applied, since loans without ids are other loans in another version of the tape.',
  }),
  exception_file_id: nullable(Type.String()),
  error: nullable(Type.String({ description: 'Reason of the failure, in a sentence.' })),
  error_code: nullable(Type.String({ description: 'RUN_FAILED or RUN_INTERRUPTED.' })),
  loans: Type.Array(Outcome, { description: 'The first 100 outcomes.' }),
});

/** A run as the API shows it; its first outcomes come beside it. */
export function asResult(run: Run) {
  return {
    sc_job_id: run.sc_job_id,
    status: run.status,
    passed: run.passed ?? 0,
    failed: run.failed ?? 0,
    total: run.total ?? 0,
    waived: run.waived ?? 0,
    run_at: run.run_at?.toISOString() ?? null,
    deal_id: run.deal_id,
    criteria_id: run.criteria_id,
    criteria_version: run.criteria_version,
    tape_version: run.tape_version,
    passed_balance: wireMoney(run.passed_balance ?? '0'),
    failed_balance: wireMoney(run.failed_balance ?? '0'),
    ...asNumbers(run.result ?? {}),
    exception_file_id: run.exception_file_id,
    error: run.error,
    error_code: run.error_code,
  };
}

/** The result of a dry run: it has no run and no exception file, and is not stored. */
export function asDryRun({ deal, criteria, tape }: Basis, now: Date, found: RunResult, loans: readonly LoanOutcome[]) {
  const { outcomesPath: _path, ...result } = found;
  return {
    dry_run: true,
    status: 'COMPLETED',
    deal_id: deal.deal_id,
    criteria_id: criteria.criteria_id,
    criteria_version: criteria.version,
    tape_version: tape.version,
    run_at: now.toISOString(),
    ...result,
    total_balance: wireMoney(result.total_balance),
    passed_balance: wireMoney(result.passed_balance),
    failed_balance: wireMoney(result.failed_balance),
    ...asNumbers(result),
    exception_file_id: null,
    loans: loans.map((loan) => ({ ...loan, balance: wireMoney(loan.balance) })),
  };
}

const toMoney = (text: string | null): number | null => (text === null ? null : wireMoney(text));

const asOffender = (offender: Offender) => ({
  ...offender,
  actual: Number(offender.actual),
  excess_balance: toMoney(offender.excess_balance),
  headroom: numberOrNull(offender.headroom),
});

/** Exact decimals become numbers at the border. */
function asNumbers({ rule_results = [], pool_tests = [], waterfall = [], assumptions = [] }: Partial<StoredResult>) {
  return {
    rule_results: rule_results.map((rule) => ({ ...rule, failed_balance: wireMoney(rule.failed_balance) })),
    pool_tests: pool_tests.map((each) => ({
      ...each,
      actual: numberOrNull(each.actual),
      excess_balance: toMoney(each.excess_balance),
      headroom: numberOrNull(each.headroom),
      offenders: each.offenders?.map(asOffender) ?? null,
      more_offenders: each.more_offenders ?? false,
    })),
    waterfall: waterfall.map((step) => ({
      ...step,
      removed_balance: wireMoney(step.removed_balance),
      balance: wireMoney(step.balance),
    })),
    assumptions,
  };
}
