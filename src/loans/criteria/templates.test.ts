import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sharedPath, skipWithout } from '../../../test/support/shared.ts';
import { LOAN_TYPES } from '../types.ts';
import { runCriteria } from './run.ts';
import { criteriaFields } from './fields.ts';
import { NOT_SELECTION_CRITERIA, TEMPLATES, templateSet } from './templates.ts';
import { smallTape } from './testing/small-tape.ts';
import { validateCriteria } from './validate.ts';

const CRITERIA = 'data/criteria.json';

test('every collected criterion is a template or says why it is none', { skip: skipWithout(CRITERIA) }, () => {
  const collected = JSON.parse(readFileSync(sharedPath(CRITERIA) ?? '', 'utf8')) as {
    criteria: { id: string; loan_type: string; level: string }[];
  };
  const templates = new Map(TEMPLATES.map((template) => [template.id, template]));
  const others = new Set(NOT_SELECTION_CRITERIA.map(({ id }) => id));
  for (const { id, loan_type, level } of collected.criteria) {
    if (others.has(id)) continue;
    assert.deepEqual([templates.get(id)?.loan_type, templates.get(id)?.level], [loan_type, level], id);
  }
  assert.equal(templates.size + others.size, collected.criteria.length);
});

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
