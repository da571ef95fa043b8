import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { describeFault } from './json-fault.ts';

const MARKS = ['}', ']', ',', ':'];

const LEAF = fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom(null, 'x', 'yy'));
const BRANCH = fc.oneof(LEAF, fc.array(LEAF), fc.dictionary(fc.constantFrom('a', 'b', 'c'), LEAF));
const TREE = fc.oneof(fc.array(BRANCH), fc.dictionary(fc.constantFrom('a', 'b', 'c'), BRANCH));

/** The place that the parser of the language names, where it names one. */
function parserPlace(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec((error as SyntaxError).message) ?? [];
    return line ? `line ${line}, column ${column}` : null;
  }
}

test('the place of a mark too many is the place that the parser finds', () => {
  let compared = 0;
  fc.assert(
    fc.property(TREE, fc.nat(), fc.constantFrom(...MARKS), (value, place, mark) => {
      const text = JSON.stringify(value, null, 1);
      const at = place % (text.length + 1);
      // A mark inside a word spoils the word, whose beginning is told.
      if (/[-\w]/.test(text[at - 1] ?? '') && /\w/.test(text[at] ?? '')) return;
      const spoilt = text.slice(0, at) + mark + text.slice(at);
      const expected = parserPlace(spoilt);
      if (expected === null || describeFault(spoilt).startsWith('it ends')) return;
      compared += 1;
      assert.ok(describeFault(spoilt).includes(`at ${expected}: `), `${spoilt}\n${describeFault(spoilt)}\n${expected}`);
    }),
    { numRuns: 2_000 },
  );
  assert.ok(compared > 200, `${compared} places`);
});

test('a typical fault has its remedy', () => {
  const remedies: [string, RegExp][] = [
    ['{"a": 1,}', /line 1, column 9: there is a comma before the end; cut it/],
    ['[1, 2,]', /comma before the end/],
    ["{'a': 1}", /line 1, column 2: names and texts stand in double quotes/],
    ['{a: 1}', /the name of a field stands in double quotes/],
    ['{"a": b}', /a text stands in double quotes/],
    ['{"a" 1}', /a colon is expected/],
    ['{"a": 1 "b": 2}', /a comma or the end is expected/],
    ['{"a": -Infinity}', /no -Infinity/],
    ['{"a": undefined}', /no undefined/],
    ['{"a": None}', /None is null in JSON/],
    ['{"a": 01}', /a number is written as 1234\.5/],
    ['{"a": 1,000}', /the name of a field in double quotes is expected/],
    ['{"a": .5}', /a number is written as/],
    ['{"a": "C:\\data"}', /does not end, or holds a line break or a backslash/],
    ['{"a": "two\nlines"}', /does not end, or holds a line break/],
    ['// all\n{}', /JSON has no comments/],
    ['{\u00a0"a": 1}', /no plain space/],
    ['{“a”: 1}', /double quotes/],
    ['a=1&b=2', /the body is a form/],
    ['<html>', /XML or HTML/],
    ['--x\r\nContent-Disposition: form-data', /multipart/],
    ['{"a": [1', /ends before it is complete/],
    ['{"a": tru', /ends before it is complete/],
    ['', /ends before it is complete/],
  ];
  for (const [text, remedy] of remedies) assert.match(describeFault(text), remedy, text);
});

test('a long text takes no deep stack and no long time', () => {
  const long = `{"a": "${'x'.repeat(4_000_000)}", "b": ${'['.repeat(60)}`;
  const begun = performance.now();
  assert.match(describeFault(long), /ends before/);
  assert.ok(performance.now() - begun < 2_000);
});
