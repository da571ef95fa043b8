import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sharedPath, skipWithout } from '../../../test/support/shared.ts';
import { openRoom } from '../testing/take-tape.ts';
import type { FieldStatistics, LoanType } from '../types.ts';

// figures over all rows read, before any is rejected: ../shared/data/reference/tape_goldens.json
type Golden = {
  tape: string;
  rows: number;
  stats: Record<string, { count: number; missing: number; sum: string; min: string; max: string }>;
  weighted_averages: Record<string, { value: string; missing_weight: string }>;
};

const GOLDENS = 'data/reference/tape_goldens.json';

/** Name in the goldens → field, and what our unit is of theirs: percents are fractions there, yearly income is monthly. */
const FIELDS: Record<string, Record<string, [string, number]>> = {
  auto_world_omni_dev: {
    original_balance: ['original_balance', 1],
    current_balance: ['current_balance', 1],
    rate: ['interest_rate', 100],
    term: ['original_term_months', 1],
    rem: ['remaining_term_months', 1],
    score: ['credit_score', 1],
    dpd: ['days_past_due', 1],
    pti: ['pti', 100],
    ltv: ['ltv', 100],
  },
  personal_loansData: {
    original_balance: ['original_balance', 1],
    requested: ['requested_amount', 1],
    rate: ['interest_rate', 1],
    term: ['original_term_months', 1],
    dti: ['dti', 1],
    fico_low: ['credit_score', 1],
    income: ['annual_income', 12],
  },
  personal_berka: {
    original_balance: ['original_balance', 1],
    term: ['original_term_months', 1],
    pmt: ['scheduled_payment', 1],
  },
  business_ppp_VI: { original_balance: ['original_balance', 1], jobs: ['employees', 1] },
  mortgage_boston_fed: {
    original_balance: ['original_balance', 1],
    ltv: ['ltv', 100],
    term: ['original_term_months', 1],
    dti: ['dti', 1],
    units: ['units', 1],
  },
  student_lc_educational: {
    original_balance: ['original_balance', 1],
    rate: ['interest_rate', 1],
    term: ['original_term_months', 1],
    fico: ['credit_score', 1],
    income: ['annual_income', 12],
  },
};

const TYPES: Record<string, LoanType> = {
  auto: 'Auto',
  personal: 'Personal',
  business: 'Business',
  mortgage: 'Mortgage',
  student: 'Student',
};

for (const [name, fields] of Object.entries(FIELDS)) {
  test(`the figures of ${name} are those of the reference`, { skip: skipWithout(GOLDENS) }, async () => {
    const golden = (JSON.parse(readFileSync(sharedPath(GOLDENS) as string, 'utf8')) as Record<string, Golden>)[name];
    await using room = await openRoom();
    const loanType = TYPES[name.split('_')[0]];
    const tape = await room.take({ loanType, path: sharedPath(`data/tapes/${golden.tape}`) as string });
    assert.equal(tape.rows, golden.rows);
    for (const [theirs, [field, scale]] of Object.entries(fields)) {
      const expected = golden.stats[theirs];
      const actual = tape.statistics[field];
      assert.ok(expected && actual, `${theirs} → ${field}`);
      compare(`${name}.${field}`, actual, expected, scale);
      const average = golden.weighted_averages[theirs];
      if (average) near(`${name}.${field} weighted`, actual.weighted_average, average.value, scale, 2e-6);
    }
  });
}

function compare(name: string, actual: FieldStatistics, expected: Golden['stats'][string], scale: number): void {
  assert.equal(actual.count, expected.count, `${name} count`);
  assert.equal(actual.missing, expected.missing, `${name} missing`);
  // every value is rounded to six decimals of our unit
  near(`${name} sum`, actual.sum, expected.sum, scale, 5e-7 * expected.count + 1e-9);
  near(`${name} min`, actual.min, expected.min, scale, 1e-6);
  near(`${name} max`, actual.max, expected.max, scale, 1e-6);
}

function near(name: string, actual: string | null, expected: string, scale: number, tolerance: number): void {
  const difference = Math.abs(Number(actual) - Number(expected) * scale);
  assert.ok(
    difference <= tolerance + 1e-13 * Math.abs(Number(expected) * scale),
    `${name}: ${actual} is not ${expected} × ${scale}`,
  );
}
