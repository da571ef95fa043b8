import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sharedPath, skipWithout } from '../../../test/support/shared.ts';
import { openRoom } from '../testing/take-tape.ts';
import type { CriteriaSet } from './language.ts';
import { runCriteria } from './run.ts';
import { criteriaFields } from './fields.ts';
import { validateCriteria } from './validate.ts';

const LANGUAGE = 'data/rule_language.json';

interface WorkedRun {
  tape: string;
  rule_set: CriteriaSet;
  expected: {
    total: number;
    passed: number;
    failed: number;
    per_rule: Record<string, { failed: number; missing: number }>;
    pool: { id: string; value: string; status: string }[];
  };
}

const path = sharedPath(LANGUAGE);
const runs = path ? (JSON.parse(readFileSync(path, 'utf8')) as { worked_runs: Record<string, WorkedRun> }).worked_runs : {};

test('the worked runs of the rule language are here', { skip: skipWithout(LANGUAGE) }, () => {
  assert.deepEqual(Object.keys(runs), ['auto_world_omni_dev', 'mortgage_boston_fed']);
});

for (const [name, { tape: file, rule_set, expected }] of Object.entries(runs)) {
  test(`worked run ${name}: every count and every pool figure as in rule_language.json`, {
    skip: skipWithout(`data/${file}`),
  }, async () => {
    await using room = await openRoom();
    const taken = await room.take({
      loanType: rule_set.loan_type,
      path: sharedPath(`data/${file}`) ?? '',
      format: 'csv',
      asOf: '2026-01-01',
    });
    // the rule on `occ` reads the source column, which the tape's mapping calls occupancy
    const set: CriteriaSet = name === 'mortgage_boston_fed' ? { ...rule_set, custom_fields: { occ: 'string' } } : rule_set;
    assert.deepEqual(validateCriteria(set, criteriaFields(set)).issues, []);
    const result = await runCriteria({
      engine: room.engine,
      loansPath: taken.result.files.loans ?? '',
      raw: { path: taken.result.files.raw },
      set,
      outDir: await room.newDir(),
    });
    assert.deepEqual([result.total, result.passed, result.failed], [expected.total, expected.passed, expected.failed]);
    const perRule = Object.fromEntries(result.rule_results.map(({ rule_id, failed, missing }) => [rule_id, { failed, missing }]));
    assert.deepEqual(perRule, expected.per_rule);
    assert.deepEqual(
      result.pool_tests.map(({ rule_id, actual, passed }) => ({ id: rule_id, value: actual, status: passed ? 'PASS' : 'FAIL' })),
      expected.pool,
    );
  });
}
