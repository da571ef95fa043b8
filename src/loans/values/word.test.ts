import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { defineFields, type Field } from '../dictionary/field.ts';
import { evaluate, openBench } from '../testing/evaluate.ts';
import { decideWords, silentWords, wordKey, wordKeySql, wordSql } from './word.ts';

let bench: Awaited<ReturnType<typeof openBench>>;
before(async () => {
  bench = await openBench();
});
after(() => bench[Symbol.asyncDispose]());

const [STATUS, GRADE, FLAG] = defineFields([
  {
    field: 'status',
    type: 'enum',
    enum: ['CURRENT', 'PAID_IN_FULL', 'CHARGED_OFF'],
    codes: { 'P I F': 'PAID_IN_FULL', EXEMPT: null, '7': 'CHARGED_OFF' },
    aliases: ['Status'],
    description: 'status',
  },
  { field: 'grade', type: 'enum', enum: ['1', '2', 'A'], aliases: ['Grade'], description: 'grade' },
  { field: 'flag', type: 'boolean', codes: { JOINT: 'true', '2': 'true' }, aliases: ['Flag'], description: 'flag' },
]);

const NOTHING = new Map<string, string | null>();

function decided(field: Field, texts: readonly string[], requested: ReadonlyMap<string, string | null> = NOTHING) {
  return decideWords(
    texts.map((text, index) => ({ text, count: index + 1 })),
    field,
    requested,
  );
}

const meaning = (field: Field, text: string, requested = NOTHING) => decided(field, [text], requested).meanings.get(text);

test('a word is the canonical one in any case, with any blanks, and with any marks between its words', () => {
  for (const text of ['PAID_IN_FULL', 'paid_in_full', ' Paid In Full ', 'Paid  in\tfull', 'paid-in-full', 'Paid/In Full'])
    assert.equal(meaning(STATUS, text), 'PAID_IN_FULL', text);
  for (const text of ['PAIDINFULL', 'paid in', 'paid in full.', 'paid in full today', 'PAID'])
    assert.equal(meaning(STATUS, text), undefined, text);
});

test('the word of the user wins over the canonical one, which wins over the codes of the dictionary', () => {
  const requested = new Map<string, string | null>([
    ['CURRENT', 'CHARGED_OFF'],
    ['P I F', null],
    ['EXEMPT', 'CURRENT'],
  ]);
  assert.equal(meaning(STATUS, 'Current'), 'CURRENT');
  assert.equal(meaning(STATUS, 'p i f'), 'PAID_IN_FULL');
  assert.equal(meaning(STATUS, 'Current', requested), 'CHARGED_OFF');
  assert.equal(meaning(STATUS, 'p i f', requested), null);
  assert.equal(meaning(STATUS, 'exempt', requested), 'CURRENT');
  const own = defineFields([{ ...STATUS, range: undefined, codes: { CURRENT: 'CHARGED_OFF' } }])[0];
  assert.equal(meaning(own, 'current'), 'CURRENT');
});

test('a code is the same with and without a fraction of zeros, for the dictionary and for the user', () => {
  for (const text of ['7', '7.0', '7.000']) assert.equal(meaning(STATUS, text), 'CHARGED_OFF', text);
  for (const text of ['7.1', '70', '07', '7.', '7.0x']) assert.equal(meaning(STATUS, text), undefined, text);
  const requested = new Map([
    ['9', 'CURRENT'],
    ['-1', 'CHARGED_OFF'],
  ]);
  assert.equal(meaning(STATUS, '9.00', requested), 'CURRENT');
  assert.equal(meaning(STATUS, '-1.0', requested), 'CHARGED_OFF');
  assert.equal(meaning(GRADE, '2.0'), '2');
  assert.equal(meaning(GRADE, 'a'), 'A');
});

test('a word with a code of nothing and a missing marker are missing, an unknown word is neither', () => {
  for (const text of ['exempt', 'N/A', 'none', '.', '']) assert.equal(meaning(STATUS, text), null, text);
  const { meanings, unknown } = decided(STATUS, ['current', 'who knows', 'n/a', 'toString', '__proto__']);
  assert.deepEqual(
    [...meanings],
    [
      ['current', 'CURRENT'],
      ['n/a', null],
    ],
  );
  assert.deepEqual(unknown, [
    { text: 'who knows', count: 2 },
    { text: 'toString', count: 4 },
    { text: '__proto__', count: 5 },
  ]);
});

test('yes and no are read in booleans only', () => {
  for (const text of ['y', 'Yes', 'TRUE', 't', '1', '1.0', 'joint', '2']) assert.equal(meaning(FLAG, text), 'true', text);
  for (const text of ['n', 'No', 'FALSE', 'f', '0', '0.0']) assert.equal(meaning(FLAG, text), 'false', text);
  for (const text of ['3', 'yeah', '-1', 'on', '10']) assert.equal(meaning(FLAG, text), undefined, text);
  for (const text of ['y', 'yes', 'true', '0']) assert.equal(meaning(GRADE, text), undefined, text);
});

test('the engine reads exactly the decided words, each as it is written on the tape', async () => {
  const texts = ['Current', 'current', "it's", 'n/a', 'P I F', 'P  I F'];
  const reading = decided(STATUS, texts.slice(0, 5), new Map([["IT'S", 'CHARGED_OFF']]));
  assert.deepEqual(await evaluate(bench.engine, wordSql('t', reading, STATUS), texts), [
    'CURRENT',
    'CURRENT',
    'CHARGED_OFF',
    null,
    'PAID_IN_FULL',
    null,
  ]);
  const flags = decided(FLAG, ['Y', 'N', 'perhaps']);
  assert.deepEqual(await evaluate(bench.engine, wordSql('t', flags, FLAG), ['Y', 'N', 'perhaps', null]), [
    'true',
    'false',
    null,
    null,
  ]);
});

test('a column of which no word is known is missing in the type of its field', async () => {
  for (const [field, type] of [
    [STATUS, 'VARCHAR'],
    [FLAG, 'BOOLEAN'],
  ] as const) {
    const sql = wordSql('t', decided(field, ['who knows', 'n/a']), field);
    assert.deepEqual(await evaluate(bench.engine, sql, ['who knows', 'n/a']), [null, null]);
    assert.deepEqual(await evaluate(bench.engine, `typeof(${sql})`, ['x']), [type]);
  }
});

test('words that mean a missing value are silent, those that mean something or nothing known are not', () => {
  assert.deepEqual(silentWords(decided(STATUS, ['exempt', 'current', 'who knows', 'NA'])), ['exempt', 'NA']);
});

test('words are compared without outer blanks, runs of blanks as one, in upper case', () => {
  assert.equal(wordKey('  a \t\n b  '), 'A B');
  assert.equal(wordKey('größe'), 'GRÖSSE');
  assert.equal(wordKey(''), '');
});

test('the engine compares words as this process does', async () => {
  const texts = ['a', 'A  b', 'a\tb', 'a \r\n b', 'état', "it's", ' a '];
  const trimmed = texts.map((text) => text.trim());
  assert.deepEqual(await evaluate(bench.engine, wordKeySql('t'), trimmed), trimmed.map(wordKey));
});
