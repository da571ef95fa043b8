import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';

test('names in a record of a body are bounded, and the refusal says how long they may be', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator');
  const submit = (name: string) =>
    gateway.call('POST', '/v1/api/originator/loans/bulk', {
      as,
      body: { deals: [{ loanType: 'Auto', loans: [{ loan_id: '1', original_balance: 5, [name]: 'x' }] }] },
    });
  assert.equal((await submit('n'.repeat(200))).status, 202);
  const { status, body } = await submit('n'.repeat(201));
  assert.equal(status, 400);
  assert.deepEqual(body.errors, [
    {
      field: 'deals.0.loans.0',
      code: 'INVALID',
      message: 'seen a name of 201 characters, expected names that are text of at most 200 characters',
    },
  ]);
});
