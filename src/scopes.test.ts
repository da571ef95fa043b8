import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from './app.ts';
import { neededScopes } from './scopes.ts';

test('the operator’s reads of what is in a tape need the scope of loans, as those of its owner', () => {
  for (const part of ['loans', 'loans/file', 'checks', 'issues', 'mapping', 'tapes']) {
    const route = ROUTES.find(({ method, path }) => method === 'GET' && path === `/v1/operator/deals/:dealId/${part}`);
    assert.deepEqual(route && neededScopes(route), ['loans:read'], part);
  }
});
