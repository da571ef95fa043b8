import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { autoTape, seller } from '../../../test/support/tapes.ts';

const LOANS = [{ loan_id: 'a', original_balance: 100, current_balance: 90 }];

test('an organization with 500 jobs in the queue', async (t) => {
  await using gateway = await startGateway();
  /** An organization whose bulk submissions fill the queue but for `free` jobs: each of their deals will have one. */
  const full = async (name: string, free = 0) => {
    const ours = await seller(gateway, name);
    const submit = (count: number) => {
      const deals = Array.from({ length: count }, (_, index) => ({ loanType: 'Auto', name: `deal ${index}`, loans: LOANS }));
      return ours.call('POST', '/bulk', { deals });
    };
    for (let each = 0; each < 9; each += 1) assert.equal((await submit(50)).status, 202);
    assert.equal((await submit(50 - free)).status, 202);
    return { ...ours, submit };
  };

  await t.test('is refused more, with the time after which to try again', async () => {
    const { submit } = await full('Refused');
    const refused = await submit(1);
    assert.deepEqual([refused.status, refused.body.code, refused.headers['retry-after']], [429, 'QUEUE_FULL', '30']);
  });

  await t.test('may queue up to the last one, and no submission that goes beyond', async () => {
    const { submit, complete, uploaded } = await full('Last', 2);
    assert.equal((await submit(3)).body.code, 'QUEUE_FULL');
    assert.equal((await complete(await uploaded())).status, 202);
    assert.equal((await submit(2)).body.code, 'QUEUE_FULL');
    assert.equal((await submit(1)).status, 202);
    assert.equal((await submit(1)).body.code, 'QUEUE_FULL');
  });

  await t.test('completes the upload that was refused once its jobs have started', async () => {
    const { as, complete, uploaded, deal } = await full('Waiting');
    const dealId = await uploaded(autoTape(3), { loanType: 'Mortgage' });
    const refused = await complete(dealId);
    assert.deepEqual([refused.status, refused.body.code], [429, 'QUEUE_FULL']);
    assert.equal((await deal(dealId)).status, 'DRAFT');
    await gateway.deps.db.direct(
      `update pgboss.job set state = 'completed' where state < 'active' and data ->> 'organization_id' = $1`,
      [as.organization_id],
    );
    assert.equal((await complete(dealId)).status, 202);
  });

  await t.test('takes nothing from others', async () => {
    await full('Busy');
    const others = await seller(gateway, 'Others');
    assert.equal((await others.complete(await others.uploaded())).status, 202);
  });
});
