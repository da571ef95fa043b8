import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from './language.ts';
import { measure, outcomesOf, reasonsIn } from './testing/run-small.ts';

const makes = (...texts: (string | null)[]) => texts.map((vehicle_make) => ({ current_balance: 1, vehicle_make }));

/** Whether each loan's make meets a rule: true, false, or null where it cannot be told. */
async function truths(rule: Condition, ...texts: (string | null)[]): Promise<(boolean | null)[]> {
  const reasons = reasonsIn(await outcomesOf(makes(...texts), { loan_rules: [{ id: 'R', rule }] }));
  return reasons.map(([reason]) => (reason === undefined ? true : reason === 'R MISSING' ? null : false));
}

test('text is compared without regard to case and to blanks around it, in the rule and on the tape', async () => {
  const rule = { field: 'vehicle_make', op: 'eq', value: ' Alfa Romeo\t' } as const;
  const same = ['alfa romeo', 'ALFA ROMEO', '  Alfa Romeo ', '\u00a0Alfa Romeo\r\n', '\ufeffAlfa Romeo'];
  assert.deepEqual(
    await truths(rule, ...same),
    same.map(() => true),
  );
  assert.deepEqual(await truths(rule, 'Alfa  Romeo', 'AlfaRomeo', 'Alfa Romeo.', 'Alfa'), [false, false, false, false]);
});

test('text of blanks alone is a missing value', async () => {
  assert.deepEqual(await truths({ field: 'vehicle_make', op: 'eq', value: 'x' }, '', ' ', '\u00a0\t', null), [
    null,
    null,
    null,
    null,
  ]);
  assert.deepEqual(await truths({ field: 'vehicle_make', op: 'is_null' }, '', 'x', null), [true, false, true]);
  assert.deepEqual(await truths({ field: 'vehicle_make', op: 'not_null' }, ' ', 'x', null), [false, true, false]);
});

/** Letters whose lower case depends on the letters around them, or takes several letters, or is in another plane. */
const LETTERS = ['ΟΔΥΣΣΕΑΣ', 'ΣΑΣ', 'İSTANBUL', 'STRAẞE', 'ÅNGSTRÖM', 'ĲSSEL', '𐐀𐐁', 'ᏣᎳᎩ', 'ǅungla', 'ﬃ'];

test('a text matches itself in every script, alone, in a list and in a long list', async () => {
  const many = Array.from({ length: 600 }, (_, index) => `V${index}`);
  for (const text of LETTERS) {
    const rules: Condition[] = [
      { field: 'vehicle_make', op: 'eq', value: text },
      { field: 'vehicle_make', op: 'in', value: ['other', text] },
      { field: 'vehicle_make', op: 'in', value: [...many, text] },
      { not: { field: 'vehicle_make', op: 'neq', value: text } },
    ];
    const loan_rules = rules.map((rule, index) => ({ id: `R${index}`, rule }));
    assert.deepEqual(reasonsIn(await outcomesOf(makes(text), { loan_rules })), [[]], text);
  }
});

test('a group of any script keeps the limit that is written for it', async () => {
  for (const text of LETTERS) {
    const loans = [...makes(text, text, 'Ford'), { current_balance: 1, vehicle_make: 'Kia' }];
    const [result] = await measure(loans, [
      { type: 'concentration', group_by: ['vehicle_make'], value: 0.3, exceptions: { [` ${text}`]: 0.5 } },
    ]);
    assert.deepEqual([result?.passed, result?.group, result?.limit], [true, text, 0.5], text);
  }
});

test('a quote, a backslash, a percent sign or a comment in a value is text of the value', async () => {
  const odd = ["O'Neil", 'a\\b', '100%', '_', '"', "'; DROP TABLE loans; --", '$1', '{"a":1}', '[x]', ',', '\u0001', '🚗'];
  for (const value of odd) {
    const rules: Condition[] = [
      { field: 'vehicle_make', op: 'eq', value },
      { field: 'vehicle_make', op: 'in', value: [value, 'y'] },
      { field: 'vehicle_make', op: 'in', value: ['a', 'b'] },
    ];
    const loan_rules = rules.map((rule, index) => ({ id: `R${index}`, rule }));
    assert.deepEqual(reasonsIn(await outcomesOf(makes(value, 'x'), { loan_rules })), [
      ['R2 BREACH'],
      ['R0 BREACH', 'R1 BREACH', 'R2 BREACH'],
    ]);
  }
});

test('values of a list that compare as equal are one value', async () => {
  assert.deepEqual(await truths({ field: 'vehicle_make', op: 'in', value: ['KIA', ' kia', 'Kia '] }, 'kia', 'x', null), [
    true,
    false,
    null,
  ]);
  assert.deepEqual(await truths({ field: 'vehicle_make', op: 'not_in', value: ['KIA', ' kia'] }, 'kia', 'x', null), [
    false,
    true,
    null,
  ]);
});

test('a group whose name holds a bar has its limit by that name; groups of two fields by both names around one', async () => {
  const loans = [
    { current_balance: 50, vehicle_make: 'GM|Opel', state: 'CA' },
    { current_balance: 25, vehicle_make: 'Ford', state: 'CA' },
    { current_balance: 25, vehicle_make: 'Kia', state: 'NY' },
  ];
  const results = await measure(loans, [
    { type: 'concentration', group_by: ['vehicle_make'], value: 0.25, exceptions: { 'gm|opel': 0.5 } },
    {
      type: 'concentration',
      group_by: ['state', 'vehicle_make'],
      value: 0.25,
      exceptions: { 'ca|ford': 0.3, 'CA |  gm | opel ': 1 },
    },
    { type: 'concentration', group_by: ['state', 'vehicle_make'], value: 0.5, exceptions: { 'ny|KIA': 0.2 } },
  ]);
  assert.deepEqual(
    results.map(({ group, limit, passed }) => [group, limit, passed]),
    [
      ['GM|Opel', 0.5, true],
      ['CA | GM|Opel', 0.25, false],
      ['NY | Kia', 0.2, false],
    ],
  );
});
