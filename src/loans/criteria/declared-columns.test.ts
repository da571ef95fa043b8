import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from './language.ts';
import { measure, outcomesOf, reasonsIn } from './testing/run-small.ts';

const loans = (...balances: number[]) => balances.map((current_balance) => ({ current_balance }));

test('names that differ in case are two fields: the one of the dictionary and the column of the tape', async () => {
  const tape = [
    { current_balance: 60, ltv: 70, state: 'CA' },
    { current_balance: 40, ltv: 90, state: 'CA' },
  ];
  const source = [
    { LTV: '0.70', State: 'ca-1' },
    { LTV: '0.90', State: 'ca-2' },
  ];
  const custom_fields = { LTV: 'number', State: 'string' } as const;
  const results = await measure(
    tape,
    [
      { type: 'weighted_average', field: 'LTV', value: 1 },
      { type: 'weighted_average', field: 'ltv', value: 80 },
      { type: 'concentration', group_by: ['State'], value: 0.6 },
      { type: 'concentration', group_by: ['state'], value: 0.6 },
      { type: 'share', where: { field: 'LTV', op: 'gt', value: 0.8 }, value: 0.4 },
      { type: 'share', where: { field: 'ltv', op: 'gt', value: 0.8 }, value: 0.4 },
    ],
    { custom_fields },
    source,
  );
  assert.deepEqual(
    results.map(({ actual }) => actual),
    ['0.78000000', '78.00000000', '0.60000000', '1.00000000', '0.40000000', '1.00000000'],
  );
});

test('a column declared under two spellings is read as each of them says', async () => {
  const custom_fields = { Miles: 'string', miles: 'number' } as const;
  const outcomes = await outcomesOf(
    loans(1, 1),
    {
      custom_fields,
      loan_rules: [
        { id: 'TEXT', rule: { field: 'Miles', op: 'eq', value: '1,200' } },
        { id: 'NUMBER', rule: { field: 'miles', op: 'gte', value: 1_200 } },
      ],
    },
    [{ miles: '1,200' }, { miles: '900' }],
  );
  assert.deepEqual(reasonsIn(outcomes), [[], ['TEXT BREACH', 'NUMBER BREACH']]);
});

test('groups by two fields are other groups than those by one whose name looks like both', async () => {
  const tape = ['CA', 'CA', 'NY'].map((state, index) => ({ current_balance: 1, state, obligor_id: `o${index}` }));
  const source = ['x', 'x', 'x'].map((text) => ({ 'state | obligor_id': text }));
  const results = await measure(
    tape,
    [
      { type: 'concentration', group_by: ['state', 'obligor_id'], value: 1 },
      { type: 'concentration', group_by: ['state | obligor_id'], value: 1 },
    ],
    { custom_fields: { 'state | obligor_id': 'string' } },
    source,
  );
  assert.deepEqual(
    results.map(({ actual }) => actual),
    ['0.33333333', '1.00000000'],
  );
});

test('the name of a declared column may have any letters', async () => {
  for (const name of ['Größe in m²', '"quoted"', "it's", '100 % (net)', 'a;b--c', 'x'.repeat(128), '日本 1']) {
    const custom_fields = { [name]: 'number' } as const;
    const { result, rows } = await outcomesOf(
      loans(1, 1),
      { custom_fields, loan_rules: [{ id: 'R', rule: { field: name, op: 'gte', value: 2 } }] },
      [{ [name]: '1' }, { [name]: '2' }],
    );
    const found = rows.map(({ failures }) => failures.map(({ field, actual, reason }) => [field, actual, reason]));
    assert.deepEqual([found, result.absent_columns], [[[[name, 1, 'BREACH']], []], []], name);
  }
});

/** What a rule on a declared column of each text sees, and what the run says that it assumed. */
async function valuesOf(name: string, type: 'number' | 'date', source: readonly Record<string, string>[]) {
  const rule: Condition =
    type === 'number' ? { field: name, op: 'lt', value: -1 } : { field: name, op: 'lt', value: '1900-01-01' };
  const { result, rows } = await outcomesOf(
    source.map(() => ({ current_balance: 1 })),
    { custom_fields: { [name]: type }, loan_rules: [{ id: 'R', rule }] },
    source,
  );
  return [rows.map(({ failures }) => failures[0]?.actual), result.assumptions.length];
}

test('a declared number is read with the decimal mark that its own texts or the tape show', async () => {
  const european = [
    { Saldo: '1.234,56', Miles: '1.250', Fee: '1,250', Ort: 'St. Gallen' },
    { Saldo: '99,5', Miles: '2.000', Fee: '2,125', Ort: 'Bern' },
  ];
  assert.deepEqual(await valuesOf('Saldo', 'number', european), [[1234.56, 99.5], 0]);
  assert.deepEqual(await valuesOf('Miles', 'number', european), [[1250, 2000], 1]);
  assert.deepEqual(await valuesOf('Fee', 'number', european), [[1.25, 2.125], 1]);
  const american = [
    { Balance: '1,234.56', Miles: '1,250', Fee: '1.250', Since: '01.2024' },
    { Balance: '99.5', Miles: '2,000', Fee: '2.125', Since: '02.2024' },
  ];
  assert.deepEqual(await valuesOf('Miles', 'number', american), [[1250, 2000], 0]);
  assert.deepEqual(await valuesOf('Fee', 'number', american), [[1.25, 2.125], 0]);
});

test('a run says in which order it read the dates of a declared column that no value decides', async () => {
  const of = (...texts: string[]) => texts.map((Since) => ({ Since }));
  assert.deepEqual(await valuesOf('Since', 'date', of('01/02/2024', '03/04/2024')), [['2024-01-02', '2024-03-04'], 1]);
  assert.deepEqual(await valuesOf('Since', 'date', of('01/02/2024', '13/04/2024')), [['2024-02-01', '2024-04-13'], 0]);
  assert.deepEqual(await valuesOf('Since', 'date', of('2024-01-02')), [['2024-01-02'], 0]);
});
