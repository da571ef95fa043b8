import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import type { CriteriaSet } from './language.ts';
import { outcomesOf } from './testing/run-small.ts';

test('the waterfall goes from the whole tape rule by rule to what is eligible', async () => {
  const loans = [1, 2, 3, 4].map((ltv) => ({ current_balance: 10 * ltv, ltv, state: ltv > 2 ? 'CA' : 'NY' }));
  const { result } = await outcomesOf(loans, {
    loan_rules: [
      { id: 'LTV', rule: { field: 'ltv', op: 'lte', value: 3 } },
      { id: 'STATE', rule: { field: 'state', op: 'eq', value: 'CA' } },
    ],
  });
  const { waterfall, rule_results } = result;
  assert.deepEqual(
    waterfall.map(({ step, removed, loans: left, balance }) => [step, removed, left, balance]),
    [
      ['TOTAL', 0, 4, '100.00'],
      ['RULE', 1, 3, '60.00'],
      ['RULE', 2, 1, '30.00'],
      ['ELIGIBLE', 0, 1, '30.00'],
    ],
  );
  assert.deepEqual(
    rule_results.map(({ failed, only_reason, failed_balance }) => [failed, only_reason, failed_balance]),
    [
      [1, 1, '40.00'],
      [2, 2, '30.00'],
    ],
  );
});

/** Rules `R0`, `R1`, … that hold where the digit of their place in the loan's number is 1, break at 0 and are missing at 2. */
const FIELDS = ['original_balance', 'vehicle_value', 'ltv', 'pti', 'interest_rate'] as const;
const severity = fc.constantFrom('fail' as const, 'fail' as const, 'warn' as const);
const digits = fc.array(fc.constantFrom(0, 1, 1, 2), { minLength: FIELDS.length, maxLength: FIELDS.length });
const loan = fc.record({ digits, cents: fc.integer({ min: 0, max: 10_000 }) });

test('every figure of every rule is what a plain count over the loans gives', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(loan, { minLength: 1, maxLength: 15 }),
      fc.tuple(severity, severity, severity, severity, severity),
      async (loans, severities) => {
        const set: Partial<CriteriaSet> = {
          loan_rules: FIELDS.map((field, index) => ({
            id: `R${index}`,
            severity: severities[index],
            rule: { field, op: 'eq', value: 1 },
          })),
        };
        const tape = loans.map((each) => ({
          current_balance: each.cents / 100,
          ...Object.fromEntries(
            FIELDS.map((field, index) => [field, each.digits[index] === 2 ? null : (each.digits[index] ?? 0)]),
          ),
        }));
        const { result } = await outcomesOf(tape, set);
        const unmet = loans.map((each) => FIELDS.flatMap((_, index) => (each.digits[index] === 1 ? [] : [index])));
        const failing = unmet.map((indices) => indices.filter((index) => severities[index] === 'fail'));
        const money = (which: (index: number) => boolean) =>
          (loans.reduce((sum, { cents }, index) => (which(index) ? sum + cents : sum), 0) / 100).toFixed(2);
        const count = (which: (index: number) => boolean) => loans.filter((_, index) => which(index)).length;
        assert.deepEqual(
          [
            result.total,
            result.failed,
            result.passed,
            result.waived,
            result.total_balance,
            result.failed_balance,
            result.passed_balance,
          ],
          [
            loans.length,
            count((index) => (failing[index]?.length ?? 0) > 0),
            count((index) => failing[index]?.length === 0),
            0,
            money(() => true),
            money((index) => (failing[index]?.length ?? 0) > 0),
            money((index) => failing[index]?.length === 0),
          ],
        );
        assert.deepEqual(
          result.rule_results,
          FIELDS.map((_, rule) => ({
            rule_id: `R${rule}`,
            name: `R${rule}`,
            severity: severities[rule],
            failed: count((index) => unmet[index]?.includes(rule) === true),
            missing: count((index) => loans[index]?.digits[rule] === 2),
            failed_balance: money((index) => unmet[index]?.includes(rule) === true),
            only_reason: count((index) => failing[index]?.length === 1 && failing[index][0] === rule),
            waived: 0,
          })),
        );
        const steps = FIELDS.flatMap((_, rule) => (severities[rule] === 'fail' ? [rule] : []));
        assert.deepEqual(
          result.waterfall.map(({ step, rule_id, removed, removed_balance, loans: left, balance }) => [
            step,
            rule_id,
            removed,
            removed_balance,
            left,
            balance,
          ]),
          [
            ['TOTAL', null, 0, '0.00', loans.length, money(() => true)],
            ...steps.map((rule) => {
              const first = (index: number) => failing[index]?.[0] === rule;
              const stays = (index: number) => (failing[index]?.[0] ?? 99) > rule;
              return ['RULE', `R${rule}`, count(first), money(first), count(stays), money(stays)];
            }),
            ['ELIGIBLE', null, 0, '0.00', result.passed, result.passed_balance],
          ],
        );
      },
    ),
    { numRuns: 60, endOnFailure: true },
  );
});

test('a set of warnings alone fails no loan, and its waterfall has no steps', async () => {
  const { result } = await outcomesOf([{ current_balance: 5, ltv: 90 }], {
    loan_rules: [{ id: 'W', severity: 'warn', rule: { field: 'ltv', op: 'lte', value: 80 } }],
  });
  assert.deepEqual([result.failed, result.rule_results[0]?.failed, result.rule_results[0]?.only_reason], [0, 1, 0]);
  assert.deepEqual(
    result.waterfall.map(({ step }) => step),
    ['TOTAL', 'ELIGIBLE'],
  );
});

test('a rule is named by its description, else by its id', async () => {
  const rule = { field: 'ltv', op: 'lte', value: 80 } as const;
  const { result } = await outcomesOf([{ current_balance: 5 }], {
    loan_rules: [
      { id: 'A', rule },
      { id: 'B', description: 'LTV', rule },
    ],
  });
  assert.deepEqual(
    result.rule_results.map(({ name }) => name),
    ['A', 'LTV'],
  );
});
