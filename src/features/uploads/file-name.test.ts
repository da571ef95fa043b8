import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { checkFileName, checkSameFileName } from './file-name.ts';
import { checkDeclaredSize } from './upload.ts';

const refused = (name: string): void =>
  assert.throws(() => checkFileName(name), { code: 'VALIDATION_FAILED' }, JSON.stringify(name));

test('a plain file name is taken as it is, in any script', () => {
  for (const name of [
    'tape.csv',
    'Tape 2026-10 (final).xlsx',
    'Kredite_Übersicht.csv',
    '貸付.csv',
    '.hidden.csv',
    'نامه\u200cها.csv',
    '👩\u200d💻❤\ufe0f.csv',
    'a'.repeat(255),
  ])
    assert.doesNotThrow(() => checkFileName(name));
});

test('a name is the same in either form of Unicode in which a file system spells it', () => {
  const forms = ['café.csv', 'cafe\u0301.csv'];
  for (const file_name of forms) for (const sent of forms) checkSameFileName(sent, { file_name });
  assert.throws(() => checkSameFileName('cafe.csv', { file_name: 'café.csv' }), { code: 'FILE_NAME_MISMATCH' });
});

test('a name that a file system or a terminal would take otherwise is refused', () => {
  for (const name of ['../tape.csv', 'a/b.csv', 'a\\b.csv', 'c:tape.csv', '.', '..', '...', 'tape.', 'tape ', ' tape.csv'])
    refused(name);
  for (const name of ['\u200btape.csv', 'ta\u00adpe.csv', 'tape\ufeff.csv', 'tape\u2060.csv', 'tape\u3164.csv']) refused(name);
  for (const name of ['con', 'NUL.csv', 'com1.txt', 'LPT9', 'a'.repeat(256)]) refused(name);
  for (const name of ['tape\u0000.csv', 'tape\n.csv', 'tape\u202evsc.exe', 'tape\u200e.csv', 'a"b.csv', 'a|b', 'a?b'])
    refused(name);
});

test('no name with a character that separates folders or hides text passes, wherever it stands', () => {
  const bad = fc.constantFrom('/', '\\', ':', '*', '?', '"', '<', '>', '|', '\u0000', '\u001f', '\u007f', '\u202e', '\u2066');
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), bad, fc.string({ maxLength: 40 }), (before, character, after) =>
      refused(`${before}${character}${after}`),
    ),
  );
});

test('a declared size may be the limit and not a byte more', () => {
  for (const size of [undefined, 0, 100]) checkDeclaredSize(size, 100);
  assert.throws(() => checkDeclaredSize(101, 100), { code: 'PAYLOAD_TOO_LARGE' });
});
