import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sharedPath, skipWithout } from '../../../test/support/shared.ts';
import { parquet } from '../engine/sql.ts';
import { rulesIn } from './bits.ts';
import type { CriteriaSet } from './language.ts';
import { runCriteria, type RunResult } from './run.ts';
import { criteriaFields } from './fields.ts';
import { type LoanValues, type SmallTape, smallTape } from './testing/small-tape.ts';
import { validateCriteria } from './validate.ts';

const CASES = 'data/reference/10_rule_conformance.json';

interface Case {
  name: string;
  rule_set: CriteriaSet;
  loans: LoanValues[];
  expected: {
    total: number;
    passed: number;
    failed: number;
    loan_reasons: string[][];
    pool: { id: string; value: string | null; status: string }[];
  };
}

const path = sharedPath(CASES);
const cases: Case[] = path ? (JSON.parse(readFileSync(path, 'utf8')) as { cases: Case[] }).cases : [];

test('the conformance cases of the rule language are here', { skip: skipWithout(CASES) }, () => {
  assert.ok(cases.length >= 12);
});

for (const { name, rule_set, loans, expected } of cases) {
  test(`conformance: ${name.replaceAll('_', ' ')}`, async () => {
    await using tape = await smallTape(rule_set.loan_type, loans, loans.map(sourceOf));
    const set = { ...rule_set, custom_fields: declared(rule_set, loans) };
    assert.deepEqual(validateCriteria(set, criteriaFields(set)).issues, []);
    const result = await runCriteria({ ...tape, set });
    assert.deepEqual(
      { total: result.total, passed: result.passed, failed: result.failed },
      { total: expected.total, passed: expected.passed, failed: expected.failed },
    );
    assert.deepEqual(await reasons(tape, result, set), expected.loan_reasons);
    assert.deepEqual(result.pool_tests.map(poolLine), expected.pool);
  });
}

/** A case may use a field of another loan type; the set then declares it as a column of the tape. */
function declared(set: CriteriaSet, loans: readonly LoanValues[]): Record<string, 'string'> {
  const known = new Set(criteriaFields(set).map(({ name }) => name));
  const names = loans.flatMap((loan) => Object.keys(loan)).filter((name) => !known.has(name));
  return Object.fromEntries(names.map((name) => [name, 'string' as const]));
}

function sourceOf(loan: LoanValues): Record<string, string | null> {
  return Object.fromEntries(Object.entries(loan).map(([name, value]) => [name, value === null ? null : String(value)]));
}

function poolLine({ rule_id, actual, passed }: RunResult['pool_tests'][number]) {
  return { id: rule_id, value: actual, status: passed === null ? 'NOT_APPLICABLE' : passed ? 'PASS' : 'FAIL' };
}

async function reasons(tape: SmallTape, result: RunResult, set: CriteriaSet): Promise<string[][]> {
  const rows = await tape.engine.rows<{ fail_0: number; miss_0: number }>(
    `SELECT fail_0, miss_0 FROM ${parquet(result.outcomesPath)} ORDER BY row_number`,
  );
  return rows.map(({ fail_0, miss_0 }) => {
    const missing = new Set(rulesIn([miss_0]));
    return rulesIn([fail_0]).map((index) => `${set.loan_rules[index].id}${missing.has(index) ? ':MISSING' : ''}`);
  });
}
