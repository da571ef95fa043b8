import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { openEngine } from '../engine/engine.ts';
import { hasBit, noBits, ruleBit, rulesIn, withBits, wordColumns, wordCount } from './bits.ts';
import type { LoanRule } from './language.ts';

test('sixty-four rules share a word', () => {
  assert.deepEqual([0, 1, 63, 64, 65, 128, 129, 200].map(wordCount), [1, 1, 1, 1, 2, 2, 3, 4]);
  assert.deepEqual(wordColumns('fail', 65), ['fail_0', 'fail_1']);
  assert.deepEqual(ruleBit(0), { word: 0, bit: 1n });
  assert.deepEqual(ruleBit(63), { word: 0, bit: 2n ** 63n });
  assert.deepEqual(ruleBit(64), { word: 1, bit: 1n });
});

test('the rules of a set of words are found again, ascending', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 199 }), { maxLength: 60 }), (rules) => {
      const words = Array.from({ length: wordCount(200) }, () => 0n);
      for (const rule of rules) {
        const { word, bit } = ruleBit(rule);
        words[word] = (words[word] ?? 0n) | bit;
      }
      const ascending = rules.toSorted((a, b) => a - b);
      assert.deepEqual(rulesIn(words), ascending);
      assert.deepEqual(rulesIn(words.map(String)), ascending, 'as text too');
    }),
  );
});

test('the engine puts every rule into its bit: failed or warned by its severity, undecided beside it', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'bits-'));
  await using engine = await openEngine({ workDir: dir, allowedDirectories: [] });
  const truth = fc.constantFrom<(boolean | null)[]>(true, false, null);
  const rule = fc.record({ truth, severity: fc.constantFrom('fail' as const, 'warn' as const, undefined) });
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 200 }), async (rules) => {
      const set = rules.map(
        ({ severity = 'fail' }, index): LoanRule => ({ id: `R${index}`, severity, rule: { field: 'x', op: 'eq', value: 1 } }),
      );
      const truths = rules.map((each) => `CAST(${each.truth} AS BOOLEAN)`);
      const judged = withBits('SELECT 7 AS row_number', ['row_number'], set, truths);
      const row = await engine.first<Record<string, string | number>>(judged);
      const found = (bits: 'fail' | 'warn' | 'miss') =>
        rulesIn(wordColumns(bits, rules.length).map((column) => row?.[column] ?? 0));
      const indices = (which: (each: (typeof rules)[number]) => boolean) =>
        rules.flatMap((each, index) => (which(each) ? [index] : []));
      assert.deepEqual(
        [found('fail'), found('warn'), found('miss'), row?.row_number],
        [
          indices((each) => each.truth !== true && each.severity !== 'warn'),
          indices((each) => each.truth !== true && each.severity === 'warn'),
          indices((each) => each.truth === null),
          7,
        ],
      );
    }),
    { numRuns: 40, endOnFailure: true },
  );
  await rm(dir, { recursive: true, force: true });
});

test('a query asks for one bit, or for none of a set', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'bits-'));
  await using engine = await openEngine({ workDir: dir, allowedDirectories: [] });
  const columns = (words: bigint[]) => words.map((word, index) => `${word}::UBIGINT AS fail_${index}`).join(', ');
  const asked = async (words: bigint[], condition: string) =>
    (await engine.first<{ met: boolean }>(`SELECT ${condition} AS met FROM (SELECT ${columns(words)})`))?.met;
  for (const index of [0, 1, 31, 32, 63, 64, 127, 130]) {
    const { word, bit } = ruleBit(index);
    const words = [0n, 0n, 0n].map((_, each) => (each === word ? bit : 0n));
    assert.equal(await asked(words, hasBit('fail', index)), true, String(index));
    assert.equal(await asked(words, hasBit('fail', index + 1)), false, String(index));
    assert.equal(await asked(words, noBits('fail', 140)), false);
    const others = words.map((_, at) => (at === word ? (2n ** 64n - 1n) ^ bit : 2n ** 64n - 1n));
    assert.equal(await asked(others, hasBit('fail', index)), false, `all but ${index}`);
  }
  assert.equal(await asked([0n, 0n, 0n], noBits('fail', 140)), true);
  await rm(dir, { recursive: true, force: true });
});
