import assert from 'node:assert/strict';
import test from 'node:test';
import { breaksOf } from './points.ts';

const broken = (source: string): string[] =>
  breaksOf(source).map((each) => source.slice(0, each.start) + each.replacement + source.slice(each.end));

test('operators, limits and conditions are broken one at a time', () => {
  assert.deepEqual(broken('export const f = (a: number): boolean => a < 5 && a !== 2;').sort(), [
    'export const f = (a: number): boolean => a < 5 && a !== 3;',
    'export const f = (a: number): boolean => a < 5 && a === 2;',
    'export const f = (a: number): boolean => a < 5 || a !== 2;',
    'export const f = (a: number): boolean => a < 6 && a !== 2;',
    'export const f = (a: number): boolean => a <= 5 && a !== 2;',
  ]);
  assert.deepEqual(broken('if (ready) go();'), ['if (!(ready)) go();']);
  assert.deepEqual(broken('const x = !ready;'), ['const x = ready;']);
  assert.deepEqual(broken('const x = 5n;'), ['const x = 6n;']);
});

test('SQL text is broken in its predicates, other text is not', () => {
  assert.deepEqual(broken("tx.all('select a from t where b is null and c <= $1 limit 5');").sort(), [
    "tx.all('select a from t where b is not null and c <= $1 limit 5');",
    "tx.all('select a from t where b is null and c < $1 limit 5');",
    "tx.all('select a from t where b is null and c <= $1 limit 6');",
    "tx.all('select a from t where b is null or c <= $1 limit 5');",
  ]);
  assert.deepEqual(broken("const title = 'this and that' + name;"), []);
});

test('types and imports are left alone, and lines are counted in the source', () => {
  const source = "import { a } from './a.ts';\ntype T = 1 | 2;\nlet b: 3 = a as 3;\n\nb -= b - 1;\n";
  assert.deepEqual(
    breaksOf(source).map((each) => [each.line, each.seen, each.replacement]),
    [
      [5, '-', '+'],
      [5, '1', '2'],
    ],
  );
});
