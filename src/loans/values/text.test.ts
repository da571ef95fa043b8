import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { STATE_CODES, STATE_NAMES } from '../dictionary/dictionary.ts';
import { evaluate, openBench } from '../testing/evaluate.ts';
import {
  cellText,
  cellTextSql,
  isMissing,
  MISSING_MARKERS,
  missingSql,
  presentCellSql,
  presentTextSql,
  sentinelSql,
} from './missing.ts';
import { setTokenKey, tokenSql } from './token.ts';
import { bareTextSql, idSql, pseudonymSql, stateSql, stringSql } from './text.ts';

let bench: Awaited<ReturnType<typeof openBench>>;
before(async () => {
  bench = await openBench();
});
after(() => bench[Symbol.asyncDispose]());

const on = (expression: string, texts: readonly (string | null)[]) => evaluate(bench.engine, expression, texts);

test('the markers of a missing value are those of the specification, in any case', () => {
  for (const marker of ['', 'NA', 'N/A', 'n/a', 'NULL', 'NONE', 'null', '.', 'Not Available', 'Not Applicable'])
    assert.equal(isMissing(marker), true, marker);
  for (const marker of ['\\N', '(null)', '<NULL>', '[NULL]', '<NA>', '(blank)', '#N/A N/A'])
    assert.equal(isMissing(marker), true, marker);
  for (const text of ['0', 'nil', 'n.a.', '..', '---', 'not available yet', ' NA', 'x', '9999'])
    assert.equal(isMissing(text), false, text);
  assert.equal(isMissing(null), true);
});

test('a text that needs no trimming is read as the same text between spaces', async () => {
  const unit = fc.constantFrom(' ', '\t', '\n', '\u00a0', '\u2009', '\u3000', '\ufeff', '!', '=', '"', 'a', 'é', '0');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit, maxLength: 6 }), { maxLength: 80 }), async (random) => {
      const texts = ['', '="00123"', '=""', '="', '=1', 'a', ...random];
      const between = texts.map((text) => ` ${text} `);
      for (const read of [cellTextSql, (t: string) => presentTextSql(t, true), (t: string) => presentCellSql(t, true)])
        assert.deepEqual(await on(read('t'), texts), await on(read('t'), between));
    }),
  );
  const texts = ['', '  ', ' a ', ' ="00123" ', '="="', null];
  for (const isFast of [true, false]) {
    assert.deepEqual(await on(presentTextSql('t', isFast), texts), [null, null, 'a', '="00123"', '="="', null]);
    assert.deepEqual(await on(presentCellSql('t', isFast), texts), [null, null, 'a', '00123', '=', null]);
  }
  assert.deepEqual(await on(cellTextSql('t'), texts), ['', '', ...[' a ', ' ="00123" ', '="="'].map(cellText), null]);
});

test('the engine and this process agree on what is missing', async () => {
  const known = MISSING_MARKERS.flatMap((marker) => [marker, marker.toUpperCase(), `${marker}x`, ` ${marker}`]);
  const texts = fc.array(fc.string({ unit: fc.constantFrom('n', 'A', '/', '-', '.', '#', 'o', 't', ' ', 'u', 'l') }), {
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(texts, async (random) => {
      const all = [null, ...known, ...random];
      assert.deepEqual(
        await on(missingSql('t'), all),
        all.map((text) => String(isMissing(text))),
      );
    }),
    { numRuns: 15 },
  );
});

test('a sentinel is a whole value, whatever zeros, groups of thousands or percent sign it is written with', async () => {
  const texts = [
    '999',
    '999.0',
    '999.0000000',
    '0999',
    '999%',
    '999.',
    '999.5',
    '9990',
    '99.9',
    '1999',
    '9,99',
    '',
    '0',
    '00',
    '0.00',
  ];
  const found = (sentinels: string[], european = false) => on(sentinelSql('t', sentinels, european), texts);
  assert.deepEqual(
    await found(['999']),
    texts.map((_, index) => String(index < 6)),
  );
  assert.deepEqual(
    await found(['0']),
    texts.map((_, index) => String(index > 11)),
  );
  assert.deepEqual(await on(sentinelSql('t', ['9999']), ['9,999', '9,999.00', '9.999', '99,99']), [
    'true',
    'true',
    'false',
    'false',
  ]);
  assert.deepEqual(await on(sentinelSql('t', ['9999'], true), ['9.999', '9.999,00', '9,999', '9999']), [
    'true',
    'true',
    'false',
    'true',
  ]);
});

test('text keeps its characters, and any run of blanks becomes one', async () => {
  assert.deepEqual(
    await on(stringSql('t'), [
      'a b',
      'a  b',
      'a\tb',
      'a \n b',
      'a\u00a0b',
      '\u00a0',
      'a\r\n',
      'N/A',
      '-',
      null,
      'ß 漢  🏦',
      '00123',
    ]),
    ['a b', 'a b', 'a b', 'a b', 'a b', null, 'a', null, null, null, 'ß 漢 🏦', '00123'],
  );
});

test('an id keeps every character between its first and its last', async () => {
  assert.deepEqual(
    await on(idSql('t'), [
      '00123',
      '7  8',
      '\t00123\u00a0',
      '\ufeff1\t',
      'a\tb',
      '\u00a0',
      '1.5',
      '1.2E+10',
      'NA',
      'none',
      'é-1',
      null,
    ]),
    ['00123', '7  8', '00123', '1', 'a\tb', null, '1.5', '1.2E+10', null, null, 'é-1', null],
  );
});

test('an id that was written as a float is the whole number, any other text stays', async () => {
  const cases: [string | null, string | null][] = [
    ['100000.0', '100000'],
    ['0.0', '0'],
    ['123456789012345678.0', '123456789012345678'],
    ['00123.0', '00123.0'],
    ['A1.0', 'A1.0'],
    ['1.00', '1.00'],
    ['1.10', '1.10'],
    ['1.2.0', '1.2.0'],
    ['-5.0', '-5.0'],
    ['.0', '.0'],
    [null, null],
  ];
  const texts = cases.map(([text]) => text);
  assert.deepEqual(
    await on(idSql('t'), texts),
    cases.map(([, id]) => id),
  );
  assert.deepEqual(await on(bareTextSql('t'), texts), texts);
});

test('an id has no character that nobody sees, and a text keeps the joiners and marks that belong to its writing', async () => {
  const marks = ['\u200c', '\u200d', '\u200e', '\u200f', '\u061c', '\u202b', '\u2064', '\ufe0f'];
  const texts = marks.map((mark) => `A${mark}1`);
  assert.deepEqual(
    await on(idSql('t'), texts),
    marks.map(() => 'A1'),
  );
  assert.deepEqual(await on(bareTextSql('t'), texts), texts);
});

test('every name of a state is its code, every code itself, in any case', async () => {
  const names = Object.keys(STATE_NAMES);
  assert.deepEqual(await on(stateSql('t'), names), Object.values(STATE_NAMES));
  assert.deepEqual(
    await on(
      stateSql('t'),
      names.map((name) => name.toLowerCase()),
    ),
    Object.values(STATE_NAMES),
  );
  assert.deepEqual(
    await on(
      stateSql('t'),
      STATE_CODES.map((code) => code.toLowerCase()),
    ),
    STATE_CODES,
  );
  assert.ok(Object.values(STATE_NAMES).every((code) => STATE_CODES.includes(code)));
  // 50 states, the district, five territories and three codes of the armed forces
  assert.deepEqual([STATE_CODES.length, new Set(STATE_CODES).size, names.length], [59, 59, 56]);
});

test('a state is read whatever blanks are around and in it', async () => {
  const seen = ['CA\n', '\tca', 'New\u00a0York', 'new  york', 'North\nCarolina\r\n', 'zz\t'];
  assert.deepEqual(await on(stateSql('t'), seen), ['CA', 'CA', 'NY', 'NY', 'NC', 'ZZ']);
});

test('what is no state is kept for the report, a missing marker is missing', async () => {
  assert.deepEqual(await on(stateSql('t'), ['zz', '37', 'Nowhere', 'N Carolina', 'na', '.', null]), [
    'ZZ',
    '37',
    'Nowhere',
    'N Carolina',
    null,
    null,
    null,
  ]);
});

test('a name becomes the same token whatever its case and blanks, never itself, and another one under another key', async () => {
  const key = randomBytes(32);
  const hmac = (name: string, by = key) => `obl_${createHmac('sha256', by).update(name).digest('hex').slice(0, 24)}`;
  await setTokenKey(bench.engine, key.toString('hex'));
  const tokens = await on(pseudonymSql('t'), ['Joe Smith', 'JOE  SMITH', 'joe\tsmith', 'NA', null, 'Joe Smyth']);
  const joe = hmac('JOE SMITH');
  assert.deepEqual(tokens, [joe, joe, joe, null, null, hmac('JOE SMYTH')]);
  const other = randomBytes(80);
  await setTokenKey(bench.engine, other.toString('hex'));
  assert.deepEqual(await on(pseudonymSql('t'), ['Joe Smith']), [hmac('JOE SMITH', other)]);
  assert.deepEqual(await on(tokenSql('t'), [joe]), [joe], 'a token stays what it is');
});
