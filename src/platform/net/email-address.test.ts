import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { normalizeEmail } from './email-address.ts';

test('an address keeps its local part, and its domain is in lower case', () => {
  assert.equal(normalizeEmail('Ada.Lovelace+deals@Example.COM'), 'Ada.Lovelace+deals@example.com');
  assert.equal(normalizeEmail("o'neill@mail.xn--bcher-kva.example"), "o'neill@mail.xn--bcher-kva.example");
});

test('what is no address is none', () => {
  const wrong = [
    '',
    'ada',
    '@example.com',
    'ada@',
    'ada@localhost',
    'ada@@example.com',
    'a b@example.com',
    '"a b"@example.com',
    'Ada <ada@example.com>',
    'ada@example.com,bob@example.com',
    'ada@example.com\r\nBcc: all@example.com',
    'ada@exam\nple.com',
    '.ada@example.com',
    'ada.@example.com',
    'a..b@example.com',
    'ada@-example.com',
    'ada@example-.com',
    'ada@example..com',
    'ada@[127.0.0.1]',
    'ädä@example.com',
    'ada@exämple.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(64)}.com`,
    `a@${'b.'.repeat(130)}com`,
  ];
  for (const text of wrong) assert.equal(normalizeEmail(text), null, text);
});

test('whatever the text, an address has no character that could begin another header, command or address', () => {
  const part = fc.string({
    unit: fc.constantFrom('a', 'B', '.', '-', '_', '+', '@', ' ', '<', '>', ',', ';', ':', '"', '\r', '\n', 'é'),
    maxLength: 12,
  });
  fc.assert(
    fc.property(part, part, (left, right) => {
      const email = normalizeEmail(`${left}@${right}`);
      if (email !== null) assert.match(email, /^[\x21-\x7e]+$/);
      if (email !== null) assert.doesNotMatch(email, /[<>,;:"\\()[\]\s]/);
    }),
    { numRuns: 2_000 },
  );
});
