import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verify } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import { newSecret, platformSignature, signedHeaders, standardSignature } from './signature.ts';

const text = (headers: Record<string, string | number>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

test('the platform signature is that of the published example', () => {
  // GitHub, "Validating webhook deliveries": the values for testing an implementation.
  assert.equal(
    platformSignature("It's a Secret to Everybody", Buffer.from('Hello, World!')),
    'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  );
});

test('the Standard Webhooks signature is that of the published example', () => {
  // Standard Webhooks reference libraries, their common test vector.
  assert.equal(
    standardSignature(
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1_614_265_330,
      Buffer.from('{"test": 2432232314}'),
    ),
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) as unknown;
const BODIES = ['{}', JSON.stringify({ data: 'é 🏦 \u2028 \u2029 \ud83d\ude00', n: 1e21, deep }), ' {"a" : 1}\n', '"\\u0000"'];

test('both signatures verify with the libraries that receivers use, byte for byte', async () => {
  const secret = newSecret();
  for (const each of BODIES) {
    const body = Buffer.from(each);
    const headers = text(
      signedHeaders(
        { eventId: 'evt_1', deliveryId: 'dlv_1', event: 'loan.approved', body },
        { current: secret, previous: null },
        Date.now(),
      ),
    );
    assert.equal(await verify(secret, body.toString('utf8'), headers['X-Platform-Signature'] ?? ''), true);
    new Webhook(secret).verify(body.toString('utf8'), headers);
    assert.equal(Number(headers['Content-Length']), body.length);
    assert.equal(await verify(secret, `${body.toString('utf8')} `, headers['X-Platform-Signature'] ?? ''), false);
  }
});

test('during a rotation both secrets verify, and no header comes twice', async () => {
  const [previous, current] = [newSecret(), newSecret()];
  const body = Buffer.from('{"a":1}');
  const headers = text(
    signedHeaders({ eventId: 'evt_1', deliveryId: 'dlv_1', event: 'loan.approved', body }, { current, previous }, Date.now()),
  );
  assert.equal(await verify(previous, '{"a":1}', headers['X-Platform-Signature'] ?? ''), true);
  assert.equal(await verify(current, '{"a":1}', headers['X-Platform-Signature-Next'] ?? ''), true);
  for (const secret of [previous, current]) new Webhook(secret).verify('{"a":1}', headers);
  assert.equal(new Set(Object.keys(headers).map((name) => name.toLowerCase())).size, Object.keys(headers).length);
});

test('every secret is new and has 32 random bytes', () => {
  const secrets = Array.from({ length: 100 }, newSecret);
  assert.equal(new Set(secrets).size, 100);
  for (const secret of secrets) {
    assert.match(secret, /^whsec_/);
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32);
  }
});
