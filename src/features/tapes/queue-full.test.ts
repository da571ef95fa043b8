import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { autoTape, sendTape } from '../../../test/support/tapes.ts';

const LOANS = '/v1/api/originator/loans';

test('an organization with 500 jobs in the queue', async (t) => {
  await using gateway = await startGateway();
  const originator = await gateway.key('originator', 'Originator');
  const other = await gateway.key('originator', 'Other');
  const loans = [{ loan_id: 'a', original_balance: 100, current_balance: 90 }];
  const submit = (count: number) => {
    const deals = Array.from({ length: count }, (_, index) => ({ loanType: 'Auto', name: `deal ${index}`, loans }));
    return gateway.call('POST', `${LOANS}/bulk`, { as: originator, body: { deals } });
  };
  for (let each = 0; each < 9; each += 1) assert.equal((await submit(50)).status, 202);
  assert.equal((await submit(49)).status, 202);
  const { completed } = await sendTape(gateway, originator, { loanType: 'Auto', bytes: autoTape(3) });
  assert.equal(completed.status, 202, JSON.stringify(completed.body));

  await t.test('is refused more, with the time after which to try again', async () => {
    const refused = await submit(1);
    assert.deepEqual([refused.status, refused.body.code, refused.headers['retry-after']], [429, 'QUEUE_FULL', '30']);
  });

  await t.test('completes the upload that was refused once its jobs have started', async () => {
    const refused = await sendTape(gateway, originator, { loanType: 'Mortgage', bytes: autoTape(3) });
    assert.deepEqual([refused.completed.status, refused.completed.body.code], [429, 'QUEUE_FULL']);
    const deal = () => gateway.call('GET', `${LOANS}/${refused.deal_id}`, { as: originator });
    assert.equal((await deal()).body.data.status, 'DRAFT');
    await gateway.deps.db.direct(`update pgboss.job set state = 'completed' where state < 'active'`);
    const body = { dealId: refused.deal_id, fileName: 'tape.csv' };
    assert.equal((await gateway.call('POST', `${LOANS}/complete`, { as: originator, body })).status, 202);
  });

  await t.test('takes nothing from others', async () => {
    const sent = await sendTape(gateway, other, { loanType: 'Auto', bytes: autoTape(3) });
    assert.equal(sent.completed.status, 202);
  });
});
