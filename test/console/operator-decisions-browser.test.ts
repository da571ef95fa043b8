import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vin } from '../../src/features/pledges/testing/vin.ts';
import { analyst, PRICING } from '../support/calculations.ts';
import { type Visit, consoleOfFile, sure, withoutBrowser as skip } from '../support/console.ts';
import { selector } from '../support/criteria.ts';
import type { Gateway, Holder } from '../support/gateway.ts';
import { signedIn } from '../support/people.ts';
import { approvedDeal, formPool } from '../support/pools.ts';
import { autoTape } from '../support/tapes.ts';

let operator: Holder;

const opened = consoleOfFile({
  prepare: async (gateway: Gateway) => {
    operator = await gateway.key('operator', 'Platform');
  },
});

const enter = async (email: string, path: string): Promise<Visit> =>
  await opened.enter(await signedIn(opened.gateway, operator.organization_id, email, ['VIEW', 'APPROVE']), path);

const read = async (path: string) => (await opened.gateway.call('GET', `/v1/operator/${path}`, { as: operator })).body.data;

test('the operator issues a pool by its name, and publishes the mark that its originator calculated', { skip }, async () => {
  const { gateway } = opened;
  const { ours, pool, run } = await analyst(gateway, operator, 'Analyst', 20);
  const ask = (act: string) => gateway.call('POST', `/v1/api/originator/pools/${pool.pool_id}/${act}`, { as: ours });
  await run({ type: 'PRICING', assumptions: { cpr: 20 } });
  await run(PRICING);
  assert.equal((await ask('lock')).status, 200);
  await using visited = await enter('issuing@platform.example', `/platform-pools/${pool.pool_id}`);
  const { page, complaints } = visited;
  const issue = page.getByRole('button', { name: 'Issue', exact: true });
  await issue.hover();
  await page.getByText('Its originator has not asked for the issue.').waitFor();
  await issue.click({ force: true });
  assert.equal(await page.getByRole('dialog').count(), 0);
  await ask('issue');

  await page.goto(page.url().replace(/\/platform-pools.*/, '/'));
  await page.getByRole('link', { name: 'Pools whose issue is asked for' }).click();
  await page.getByRole('link', { name: pool.name }).click();
  await issue.click();
  assert.ok(await page.getByRole('dialog').getByRole('button', { name: 'Issue', exact: true }).isDisabled());
  await sure(visited, 'Issue', { [`Type ${pool.name} to confirm`]: pool.name });
  await page.getByText(`${pool.name} is on the market.`).waitFor();
  const issued = await read(`pools/${pool.pool_id}`);
  assert.equal(issued.status, 'ISSUED');

  // Only what was calculated for it can become the mark.
  await page.getByRole('tab', { name: 'Calculations and marks' }).click();
  const rows = page.getByRole('table', { name: 'Calculations' }).getByRole('row');
  await rows.filter({ hasText: 'Mark' }).getByRole('button', { name: 'Publish as mark' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Publish as mark' }).count(), 1);
  await page.getByRole('button', { name: 'Publish as mark' }).click();
  await sure(visited, 'Publish as mark');
  await page.getByText('The marks are published.').waitFor();
  const investor = await gateway.key('investor', 'Buyer');
  const { tranches } = (await gateway.call('GET', `/v1/api/investor/deals/${issued.deal_id}`, { as: investor })).body.data;
  assert.equal(tranches[0].price, 100);
  assert.deepEqual(complaints, []);
});

test('the operator approves one waiver and denies another, and who asked is told why', { skip }, async () => {
  const own = await selector(opened.gateway, 'Waiving Lending');
  const { exception_file_id } = await own.run();
  const [first, second] = [
    (await own.waive(exception_file_id, ['A000001', 'A000002'], { reason: 'Two co-signers.' })).body.data,
    (await own.waive(exception_file_id, ['A000003'], { reason: 'A promise.' })).body.data,
  ];
  await using visited = await enter('waiving@platform.example', '/waivers');
  const { page, complaints } = visited;
  const row = (reason: string) => page.getByRole('row').filter({ hasText: reason });
  await row('Two co-signers.').getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('dialog').getByText('2 loans of rule SCORE pass from the next run on.').waitFor();
  await sure(visited, 'Approve');
  await row('A promise.').getByRole('button', { name: 'Deny' }).click();
  await sure(visited, 'Deny', { Reason: 'A promise is no security.' });
  await row('A promise.').getByText('Denied').waitFor();
  const told = async (id: string) => (await own.call('GET', `/waivers/${id}`)).body.data;
  assert.equal((await told(first.waiver_id)).status, 'APPROVED');
  const denied = await told(second.waiver_id);
  assert.deepEqual([denied.status, denied.decision_reason], ['DENIED', 'A promise is no security.']);
  assert.equal((await own.run()).waived, 2);
  assert.deepEqual(complaints, []);
});

test('a conflict shows who holds which loans, and is resolved with the reason why both may stand', { skip }, async () => {
  const { gateway } = opened;
  const pools: string[] = [];
  for (const [name, prefix] of [
    ['Ours', 'A'],
    ['Theirs', 'T'],
  ] as const) {
    const as = await gateway.key('originator', name);
    const bytes = autoTape(5, (row, at) => Object.assign(row, { VIN: vin(at), 'Loan ID': `${prefix}${at}` }));
    pools.push((await formPool(gateway, as, [await approvedDeal(gateway, as, operator, { bytes })])).body.data.pool_id);
  }
  const [conflict] = await read('pledge-conflicts?status=OPEN');
  await using visited = await enter('resolving@platform.example', '/');
  const { page, complaints } = visited;
  await page.goto(`${page.url()}conflicts/${conflict.conflict_id}`);
  await page.getByRole('heading', { name: '5 Auto loans in conflict' }).waitFor();
  const sides = page.getByRole('table', { name: 'Sides' });
  for (const name of ['Ours', 'Theirs']) await sides.getByRole('row').filter({ hasText: name }).waitFor();
  await page.getByRole('table', { name: 'Loans in conflict' }).getByText('T4').waitFor();
  await page.getByRole('button', { name: 'Resolve' }).click();
  await sure(visited, 'Resolve', { 'Why both may stand': 'Theirs Bank takes them out at closing.' });
  await page.getByText('Resolved: Theirs Bank takes them out at closing.').waitFor();
  const resolved = await read(`pledge-conflicts/${conflict.conflict_id}`);
  assert.deepEqual([resolved.status, resolved.reason], ['RESOLVED', 'Theirs Bank takes them out at closing.']);
  assert.deepEqual(complaints, []);
});

test('the operator sees whose deal it is, in the list and on its page, and a page behind the last one is told as that', {
  skip,
}, async () => {
  const { gateway } = opened;
  const seller = await gateway.key('originator', 'Whose Lending');
  const dealId = await approvedDeal(gateway, seller, operator, { rows: 20 });
  await using visited = await enter('whose@platform.example', `/deals?organization_id=${seller.organization_id}`);
  const { page, complaints } = visited;
  const organization = page.getByRole('link', { name: 'Whose Lending' }).first();
  await page.getByRole('row').filter({ has: organization }).waitFor();
  await page.goto(page.url().replace(/\/deals.*/, `/deals/${dealId}`));
  await page.getByText('Originator', { exact: true }).first().waitFor();
  await organization.waitFor();

  await page.goto(page.url().replace(/\/deals.*/, `/deals?organization_id=${seller.organization_id}&page=9`));
  await page.getByText('There is nothing on page 9').waitFor();
  await page.getByRole('button', { name: 'Go to its first page' }).click();
  await page.getByRole('row').filter({ has: organization }).waitFor();
  assert.deepEqual(complaints, []);
});
