import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../app.ts';
import { createPathGuide, outsideMessage } from './path-guide.ts';

const guide = createPathGuide(ROUTES);
const nearest = (method: string, url: string, role: 'originator' | 'investor' | 'both' | 'operator' = 'both') =>
  guide(method, url, role).nearest;

test('a path that was missed by a letter, a part or a habit finds the one that was meant', () => {
  const meant: [string, string, string][] = [
    ['GET', '/v1/api/originator/loan', 'GET /v1/api/originator/loans'],
    ['GET', '/v1/api/originators/loans', 'GET /v1/api/originator/loans'],
    ['GET', '/v1/API/Originator/Loans?page=2', 'GET /v1/api/originator/loans'],
    ['GET', '/v1/api//originator/loans', 'GET /v1/api/originator/loans'],
    ['GET', '/v1/v1/api/originator/loans', 'GET /v1/api/originator/loans'],
    ['GET', '/v1/originator/loans', 'GET /v1/api/originator/loans'],
    ['POST', '/v1/api/originator/loans/initate', 'POST /v1/api/originator/loans/initiate'],
    ['GET', '/v1/api/originator/loans/deal_1/issue', 'GET /v1/api/originator/loans/{dealId}/issues'],
    ['GET', '/v1/api/investor/deal/deal_1', 'GET /v1/api/investor/deals/{dealId}'],
    ['POST', '/v1/api/investor/deals/deal_1/subscription', 'POST /v1/api/investor/deals/{dealId}/subscribe'],
    ['POST', '/v1/api/webhooks/subscription', 'POST /v1/api/webhooks/subscriptions'],
  ];
  for (const [method, url, expected] of meant) assert.equal(nearest(method, url), expected, url);
});

test('every path of the API is found from each of its misspellings by one letter', () => {
  for (const { method, path } of ROUTES) {
    const template = path.replace(/:(\w+)/g, '{$1}');
    const parts = path.split('/').map((part) => (part.startsWith(':') ? 'deal_1' : part));
    const at = parts.findLastIndex((part) => part !== 'deal_1' && part.length > 4);
    if (at === -1) continue;
    const misspelt = parts.with(at, `${parts[at]}x`).join('/');
    const found = nearest(method, misspelt, path.startsWith('/v1/operator') ? 'operator' : 'both');
    assert.equal(found, `${method} ${template}`, misspelt);
  }
});

test('a path that is like none is not sent elsewhere', () => {
  for (const url of ['/v1/api/foo', '/v1/graphql', '/v1/api/originator/loans/deal_1/x/y/z', '/v1', `/v1${'/a'.repeat(5_000)}`]) {
    const { message, nearest: found } = guide('GET', url, 'both');
    assert.equal(found, null, url);
    assert.match(message, /openapi\.json/);
    assert.ok(message.length < 1_000);
  }
});

test('a path without a method of the request names the methods that it has', () => {
  assert.equal(nearest('GET', '/v1/api/originator/loans/complete/'), 'POST /v1/api/originator/loans/complete');
});

test('outside the API a message depends on the path alone', () => {
  assert.equal(
    outsideMessage('/api/investor/deals?x=1'),
    'There is no path /api/investor/deals: /v1 is missing before it, as in /v1/api/investor/deals.',
  );
  assert.equal(
    outsideMessage('/api/no/such/thing'),
    'There is no path /api/no/such/thing: /v1 is missing before it, as in /v1/api/no/such/thing.',
  );
  assert.match(outsideMessage('/wp-login.php'), /Paths of the API begin with \/v1/);
});
