import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { readConfig } from '../../config.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Resolver } from '../../platform/net/lookup.ts';
import { checkReceiverUrl } from './receiver-url.ts';

const development = { config: readConfig({}), publicUrl: () => 'http://127.0.0.1:8080' };
const production = {
  config: { ...development.config, environment: 'production' } as const,
  publicUrl: () => 'https://gateway.example',
};

const resolvesTo =
  (...addresses: string[]): Resolver =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
const unresolved: Resolver = async () => {
  throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
};

/** The status that an address is refused with, or 'accepted'. */
async function verdict(url: string, where: typeof development | typeof production, resolve = unresolved) {
  try {
    assert.equal(
      await checkReceiverUrl({ ...where, resolveName: resolve }, url),
      url,
      'an accepted address stays as it was given',
    );
    return 'accepted';
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

test('an address is accepted, malformed, or not allowed, by environment', async () => {
  const cases: [string, string, string][] = [
    ['https://example.com/hook', 'accepted', 'accepted'],
    ['https://example.com:8443/hook?a=1', 'accepted', 'accepted'],
    ['http://example.com/hook', 'accepted', 'VALIDATION_FAILED'],
    ['http://127.0.0.1:3000/', 'accepted', 'VALIDATION_FAILED'],
    ['https://127.0.0.1:3000/', 'accepted', 'URL_NOT_ALLOWED'],
    ['https://10.1.2.3/', 'accepted', 'URL_NOT_ALLOWED'],
    ['https://[::1]/', 'accepted', 'URL_NOT_ALLOWED'],
    ['https://169.254.169.254/latest', 'URL_NOT_ALLOWED', 'URL_NOT_ALLOWED'],
    ['https://[fe80::1]/', 'URL_NOT_ALLOWED', 'URL_NOT_ALLOWED'],
    ['ftp://example.com/', 'VALIDATION_FAILED', 'VALIDATION_FAILED'],
    ['example.com', 'VALIDATION_FAILED', 'VALIDATION_FAILED'],
    ['https:/example.com', 'VALIDATION_FAILED', 'VALIDATION_FAILED'],
    ['https://user:pass@example.com/', 'VALIDATION_FAILED', 'VALIDATION_FAILED'],
    ['https://example.com/#fragment', 'VALIDATION_FAILED', 'VALIDATION_FAILED'],
    ['https://example.com/a\tb', 'VALIDATION_FAILED', 'VALIDATION_FAILED'],
    ['https://example.com:22/', 'VALIDATION_FAILED', 'VALIDATION_FAILED'],
    [`https://example.com/${'a'.repeat(2_048)}`, 'VALIDATION_FAILED', 'VALIDATION_FAILED'],
    [`https://example.com/${'ä'.repeat(700)}`, 'VALIDATION_FAILED', 'VALIDATION_FAILED'],
  ];
  for (const [url, inDevelopment, inProduction] of cases) {
    assert.deepEqual(
      [await verdict(url, development), await verdict(url, production)],
      [inDevelopment, inProduction],
      url.slice(0, 60),
    );
  }
});

test('a name is refused when any address that it resolves to is not allowed', async () => {
  const url = 'https://hooks.example/';
  assert.equal(await verdict(url, production, resolvesTo('93.184.215.14')), 'accepted');
  assert.equal(await verdict(url, production, resolvesTo('10.0.0.1')), 'URL_NOT_ALLOWED');
  assert.equal(await verdict(url, production, resolvesTo('93.184.215.14', '10.0.0.1')), 'URL_NOT_ALLOWED');
  assert.equal(await verdict(url, development, resolvesTo('10.0.0.1')), 'accepted');
  assert.equal(await verdict(url, development, resolvesTo('169.254.169.254')), 'URL_NOT_ALLOWED');
});

test('a name that does not resolve yet, or not in time, is accepted', async () => {
  assert.equal(await verdict('https://not-yet.example/', production, unresolved), 'accepted');
  assert.equal(await verdict('https://slow.example/', production, () => new Promise(() => {})), 'accepted');
});

test('the gateway does not send to itself', async () => {
  assert.equal(await verdict('http://127.0.0.1:8080/v1', development), 'URL_NOT_ALLOWED');
  assert.equal(await verdict('http://127.0.0.1:8081/v1', development), 'accepted');
  assert.equal(await verdict('https://gateway.example:9443/', production), 'URL_NOT_ALLOWED');
});

test('whatever text is given, it is accepted or refused, and a refusal does not repeat it', async () => {
  const Part = fc.constantFrom(
    'https:',
    'http:',
    'ftp:',
    '//',
    '/',
    'a.example',
    '10.0.0.1',
    '[::1]',
    ':443',
    ':22',
    '#',
    '?',
    '%',
    '	',
    'ä',
    '🏦',
  );
  const Text = fc.oneof(
    fc.string(),
    fc.array(Part, { maxLength: 8 }).map((parts) => parts.join('')),
  );
  await fc.assert(
    fc.asyncProperty(Text, fc.uuid(), async (text, password) => {
      for (const url of [text, `https://user:${password}@example.com/${text}`]) {
        const error = await checkReceiverUrl({ ...production, resolveName: unresolved }, url).then(
          () => null,
          (refusal: unknown) => refusal,
        );
        assert.ok(error === null || error instanceof ApiError);
        if (error) assert.ok(!JSON.stringify([error.message, error.extra]).includes(password));
      }
    }),
  );
});
