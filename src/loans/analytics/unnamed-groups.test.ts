import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stratum } from './strats.ts';
import { withoutNames } from './unnamed-groups.ts';

const group = (key: string, groups?: Stratum[]): Stratum => ({
  key,
  lower: null,
  upper: null,
  share: 0.5,
  loan_count: 5,
  balance: 1,
  average_balance: 1,
  averages: {},
  ...(groups ? { groups } : {}),
});
const keysOf = (groups: readonly Stratum[]): unknown[] =>
  groups.map((each) => (each.groups ? [each.key, keysOf(each.groups)] : each.key));

test('groups of a field that is never disclosed have ranks for names', () => {
  const groups = ['Acme Ltd', 'Beta Ltd', '(missing)', 'Gamma Ltd', '(other)'].map((key) => group(key));
  for (const field of ['debtor', 'invoice_number', 'contract_number'])
    assert.deepEqual(keysOf(withoutNames(groups, { loanType: 'Business', fields: [field], tokenOf: null })), [
      `${field} 1`,
      `${field} 2`,
      '(missing)',
      `${field} 3`,
      '(other)',
    ]);
});

test('an obligor has its token where that is disclosed, and its rank elsewhere; other fields stay as they are', () => {
  const groups = [group('TX', [group('P-1'), group('P-2')]), group('CA', [group('P-2')])];
  const fields = ['state', 'obligor_id'];
  assert.deepEqual(keysOf(withoutNames(groups, { loanType: 'Auto', fields, tokenOf: null })), [
    ['TX', ['Obligor 1', 'Obligor 2']],
    ['CA', ['Obligor 1']],
  ]);
  assert.deepEqual(keysOf(withoutNames(groups, { loanType: 'Auto', fields, tokenOf: (value) => `obl_${value}` })), [
    ['TX', ['obl_P-1', 'obl_P-2']],
    ['CA', ['obl_P-2']],
  ]);
});
