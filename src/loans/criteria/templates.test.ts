import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sharedPath, skipWithout } from '../../../test/support/shared.ts';
import { LOAN_TYPES, type LoanType } from '../types.ts';
import { runCriteria } from './run.ts';
import { criteriaFields } from './fields.ts';
import type { CriteriaSet } from './language.ts';
import { TEMPLATES } from './templates.ts';
import type { Template } from './templates/template.ts';
import { smallTape } from './testing/small-tape.ts';
import { validateCriteria } from './validate.ts';

const CRITERIA = 'data/criteria.json';

// the criteria as they were collected from contracts and lenders: ../shared/data/criteria.json
type Collected = { id: string; loan_type: string; level: string; text: string; rule: object };

const path = sharedPath(CRITERIA);
const collected: Collected[] = path ? JSON.parse(readFileSync(path, 'utf8')).criteria : [];
const templates = new Map(TEMPLATES.map((template) => [template.id, template]));
const skip = skipWithout(CRITERIA);

/** Terms of the same deals that select no loan from a tape, and why they are no templates. */
const NOT_SELECTION_CRITERIA: readonly { id: string; text: string; reason: string }[] = [
  {
    id: 'C060',
    text: 'Three-month average excess spread not below 0',
    reason: 'an amortization event over three months of the deal, a trigger of the structure',
  },
  { id: 'C061', text: 'Transferor interest at least the minimum', reason: 'a balance of the trust, not of its loans' },
  { id: 'C062', text: 'Discount percentage of at most 4 %', reason: 'a term of the sale, not a figure of the loans' },
  {
    id: 'C063',
    text: 'Three-month average payment rate of at least 3 %',
    reason: 'an amortization event over three months of collections, a trigger of the structure',
  },
  {
    id: 'C075',
    text: 'Concentration broken in three consecutive months',
    reason: 'a trigger over the history of a test, not a test of one tape',
  },
  {
    id: 'C076',
    text: 'Over-collateralisation target of 5 %, stepping up',
    reason: 'pool against notes, a trigger and target of the structure',
  },
];

test('every collected criterion is a template or says why it is none', { skip }, () => {
  const others = new Set(NOT_SELECTION_CRITERIA.map(({ id }) => id));
  for (const { id, loan_type, level } of collected) {
    if (others.has(id)) continue;
    assert.deepEqual([templates.get(id)?.loan_type, templates.get(id)?.level], [loan_type, level], id);
  }
  assert.equal(templates.size + others.size, collected.length);
});

/** Templates that state more than the collected rule, or state it in other terms: the words of the source, and every figure that follows from them. */
const IN_OTHER_TERMS: Record<string, [words: string, ...figures: number[]]> = {
  C006: ['no funds advanced'],
  C013: ['not in bankruptcy'],
  C023: ['step-rate contracts at most 1%', 0.01],
  C024: ['one dealer at most 4% (1.5%); top-20 dealers at most 20%', 0.04, 20, 0.2],
  C027: ['at least 680 with missing FICO counted as 300; commercial at most 15%', 300, 680, 0.15],
  C031: ['not originated by the sponsor: at most 3%', 0.03],
  C032: ['restructured receivables at most 5%', 0.05],
  C035: ['each obligor at most 1%; top-3 dealers at most 1% / top-5 at most 2%', 0.01, 3, 0.01, 5, 0.02],
  C045: ['30 / 17.5 / 15 / 12.5 / 7.5%', 0.3, 0.175, 0.15, 0.125, 0.075],
  C047: ['more than 120 days'],
  C053: ['$10,000 to $250,000 (400,000 for graduate degrees)', 10_000, 250_000, 10_000, 400_000],
  C058: ['not a secured card; payable in trust currency'],
  C074: ['at most 62.5%', 0.625],
  C085: ['30+ days delinquent at most $15,000,000; 60+ at most $10,000,000', 30, 15_000_000, 60, 10_000_000],
  C086: ['manufactured housing at most $40,000,000; condominium at most $25,000,000', 40_000_000, 25_000_000],
  C087: ['WA FICO 765-773, WA LTV 67.5-79, WA DTI 32-37, California 37-40%', 765, 773, 67.5, 79, 32, 37, 0.4],
};

/** Templates whose source has no limit: their figures are examples. */
const EXAMPLES = ['C044', 'C055', 'C077', 'C088'];

/** The largest group alone is what a limit on every group tests. */
function withoutTopOne(rule: object): object {
  const { top, ...rest } = rule as { top?: number };
  return top === 1 ? rest : rule;
}

/** Every number inside a rule, in its order. */
function figuresOf(part: unknown): number[] {
  if (typeof part === 'number') return [part];
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(figuresOf) : [];
}

test('a template has the rule that was collected, and every figure of its source', { skip }, () => {
  let same = 0;
  for (const { id, rule, text } of collected) {
    const template = templates.get(id);
    if (!template) continue;
    if (EXAMPLES.includes(id)) {
      assert.equal(template.illustrative, true, id);
      continue;
    }
    const rules = [...template.loan_rules.map((each) => each.rule), ...template.pool_tests.map(({ id: _id, ...each }) => each)];
    const [words, ...figures] = IN_OTHER_TERMS[id] ?? [];
    if (words === undefined) {
      assert.deepEqual(rules, [withoutTopOne(rule)], id);
      same += 1;
    } else {
      assert.ok(text.includes(words), `${id}: ${text}`);
      assert.deepEqual(figuresOf(rules), figures, id);
    }
  }
  assert.ok(same > 55, String(same));
});

/** A criteria set of one template, for a loan type where the template fits any. */
function templateSet(template: Template, loanType: LoanType, asOf?: string): CriteriaSet {
  const { loan_rules, pool_tests, custom_fields, value_sets } = template;
  return {
    loan_type: template.loan_type === 'Any' ? loanType : template.loan_type,
    name: template.text,
    ...(asOf === undefined ? {} : { as_of: asOf }),
    ...(custom_fields ? { custom_fields } : {}),
    ...(value_sets ? { value_sets } : {}),
    loan_rules,
    pool_tests,
  };
}

for (const type of LOAN_TYPES) {
  test(`every ${type} template is sound and runs; a loan with nothing but a balance fails its rules with MISSING`, async () => {
    await using tape = await smallTape(type, [{ current_balance: 1000 }, { current_balance: 2000 }]);
    for (const template of TEMPLATES.filter(({ loan_type }) => loan_type === type || loan_type === 'Any')) {
      const set = templateSet(template, type, template.needs_as_of ? '2026-06-30' : undefined);
      assert.deepEqual(validateCriteria(set, criteriaFields(set)).issues, [], template.id);
      const result = await runCriteria({ ...tape, set });
      assert.equal(result.total, 2, template.id);
      assert.equal(result.pool_tests.length, template.pool_tests.length, template.id);
      for (const { failed, missing } of result.rule_results) assert.equal(failed, missing, template.id);
    }
  });
}
