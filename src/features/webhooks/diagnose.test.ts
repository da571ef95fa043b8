import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from './diagnose.ts';
import { newSecret, platformSignature } from './signature.ts';

const SECRET = newSecret();
const BODY = '{"event":"loan.rejected","data":{"reason":"é 🏦 \u2028","n":1.5}}';
const SIGNATURE = platformSignature(SECRET, Buffer.from(BODY));
const found = (body: string | Buffer, header = SIGNATURE, secret = SECRET): string => {
  const { valid, findings } = diagnose(Buffer.from(body), header, secret);
  assert.equal(valid, findings.length === 0);
  return findings.join(' ');
};

test('what fits is valid', () => {
  assert.deepEqual(diagnose(Buffer.from(BODY), SIGNATURE, SECRET), { valid: true, findings: [] });
  assert.equal(diagnose(Buffer.from(BODY), `X-Platform-Signature: ${SIGNATURE}\n`, SECRET).valid, true);
});

test('each mistake is named', () => {
  const cases: [string, RegExp][] = [
    [found(BODY, SIGNATURE, `${SECRET}\n`), /secret has blanks or a line end/],
    [found(BODY, SIGNATURE, SECRET.slice(6)), /lacks its whsec_ prefix/],
    [found(`${BODY}\n`), /extra line end/],
    [found(`\ufeff${BODY}`), /byte order mark/],
    [found(JSON.stringify(JSON.parse(BODY), null, 2)), /parsed as JSON and serialized again/],
    [found(BODY.replace('é', '\\u00e9')), /parsed as JSON and serialized again/],
    [found(Buffer.from(Buffer.from(BODY).toString('latin1'), 'utf8')), /Latin-1/],
    [found(BODY, SIGNATURE.replace('sha256=', '')), /prefix is missing/],
    [found(BODY, SIGNATURE.replace('sha256=', 'sha1=')), /expected sha256=/],
    [found(BODY, `sha256=${SIGNATURE.slice(7).toUpperCase()}`), /upper case/],
    [found(BODY, `sha256=${Buffer.from(SIGNATURE.slice(7), 'hex').toString('base64')}`), /base64/],
    [found(BODY, 'hello'), /not a signature/],
    [found(BODY, SIGNATURE, newSecret()), /another subscription/],
  ];
  for (const [text, expected] of cases) assert.match(text, expected);
});
