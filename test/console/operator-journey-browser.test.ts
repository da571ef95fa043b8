import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Visit, consoleOfFile, withoutBrowser as skip } from '../support/console.ts';
import { dataOf, openDesk } from '../support/desk.ts';
import { type SignedIn, signedIn } from '../support/people.ts';
import { servicedDeal } from '../support/servicing.ts';

const opened = consoleOfFile();

async function operatorOf(email: string, rights: ('ADMIN' | 'EDIT' | 'APPROVE' | 'VIEW')[]): Promise<SignedIn> {
  const { organization_id } = await opened.gateway.key('operator', 'Platform');
  return await signedIn(opened.gateway, organization_id, email, rights);
}

/** Confirms in the dialog, after the word that it wants and the reason. */
async function sure({ page }: Visit, name: string, { typed = '', reason = '' } = {}): Promise<void> {
  const dialog = page.getByRole('dialog');
  if (typed !== '') await dialog.getByLabel(`Type ${typed} to confirm`).fill(typed);
  if (reason !== '') await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

test('the operator confirms, closes the books, tries the allocation out, allocates, and settles the trade', {
  skip,
}, async () => {
  const { gateway } = opened;
  const desk = await openDesk(gateway);
  const investor = await desk.investor();
  const deal = await desk.list({ name: 'Placed 2026-1', tranches: [{ balance: 10_000_000 }] });
  const subscribed = dataOf(await desk.subscribe(deal, investor, 4_000_000));
  await using visited = await opened.enter(await operatorOf('placing@platform.example', ['VIEW', 'APPROVE']), '/');
  const { page, complaints } = visited;
  await page.getByRole('link', { name: 'Subscriptions to confirm or reject' }).click();
  const row = page.getByRole('row', { name: /\$4,000,000/ });
  await row.getByRole('link', { name: /^Placed 2026-1, / }).waitFor();
  await row.getByRole('button', { name: 'Confirm' }).click();
  await sure(visited, 'Confirm');
  const read = (path: string) => desk.operate('GET', path).then(dataOf);
  await page.getByText('The subscription is confirmed.').waitFor();
  assert.equal((await read(`subscriptions/${subscribed.subscription_id}`)).status, 'confirmed');

  await page.goto(page.url().replace(/\/settlement.*/, `/offerings/${deal.deal_id}`));
  await page.getByText('$4,000,000 in 1').first().waitFor();
  await page.getByText('0.40 times').waitFor();
  await page.getByRole('tab', { name: 'Allocate' }).click();
  await page.getByText('The books are open. Close them first').waitFor();
  await page.getByRole('button', { name: 'Close the books' }).click();
  await sure(visited, 'Close the books', { reason: 'The period of marketing ended.' });
  await page.getByRole('button', { name: 'Try it out' }).click();
  await page.getByText('This is a trial: nothing is written and nobody is told.').waitFor();
  await page
    .getByRole('table', { name: 'Fills of the trial' })
    .getByRole('row', { name: /100\.0%/ })
    .waitFor();
  assert.equal((await desk.operate('GET', `allocations?deal_id=${deal.deal_id}`)).body.data.length, 0);
  await page.getByRole('button', { name: 'Allocate', exact: true }).click();
  await sure(visited, 'Allocate', { typed: 'allocate' });
  await page.getByText('The deal is allocated.').waitFor();
  const [allocation] = (await desk.operate('GET', `allocations?deal_id=${deal.deal_id}`)).body.data;
  assert.deepEqual([allocation.status, allocation.allocated_amount], ['ISSUED', 4_000_000]);

  assert.equal((await desk.answer(allocation.allocation_id, investor, 'accept')).status, 200);
  await page.getByRole('tab', { name: 'Trades' }).click();
  await page.getByRole('button', { name: 'Settle', exact: true }).click();
  await sure(visited, 'Settle');
  await page.getByText('The trade is settled.').waitFor();
  const [trade] = (await desk.operate('GET', `trades?deal_id=${deal.deal_id}`)).body.data;
  assert.equal(trade.status, 'SETTLED');
  assert.deepEqual(complaints, []);
});

test('the operator sees which figure of a certificate differs, and by how much, and accepts those figures alone', {
  skip,
}, async () => {
  const { gateway } = opened;
  const desk = await openDesk(gateway);
  const deal = await servicedDeal(desk);
  const rightFee = Math.round((deal.pool * 100) / 1_200) / 100;
  const report = deal.report({ principal: 20_000 });
  const send = (fees: number) =>
    deal.send({ ...report, collateral: { ...report.collateral, fees }, available: { interest: 6_600, principal: 20_000 } });
  const { remittance_id } = dataOf(await send(rightFee + 1));
  await using visited = await opened.enter(
    await operatorOf('verifying@platform.example', ['VIEW', 'APPROVE']),
    `/certificates/${remittance_id}`,
  );
  const { page, complaints } = visited;
  const differences = page.getByRole('table', { name: 'Differences' });
  await differences.getByRole('row', { name: /^Fee paid/ }).waitFor();
  assert.equal(await differences.getByRole('row').count(), 2);
  assert.match(await differences.getByRole('row').nth(1).innerText(), /1\.00/);

  // The servicer sends other figures while the operator looks at these.
  assert.equal((await send(rightFee + 2)).status, 201);
  await page.getByRole('button', { name: 'Accept' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('The fee was agreed on.');
  await dialog.getByRole('button', { name: 'Accept', exact: true }).click();
  await dialog.getByText(/no longer in the version of If-Match|read it/).waitFor();
  assert.equal((await deal.read(remittance_id)).accepted_at, null);
  await dialog.getByRole('button', { name: 'Go back' }).click();
  await page.reload();
  await differences.getByText('2.00', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Accept' }).click();
  await sure(visited, 'Accept', { reason: 'The fee was agreed on.' });
  await page.getByText(/^Accepted .*The fee was agreed on\.$/).waitFor();
  assert.equal((await deal.read(remittance_id)).accepted_reason, 'The fee was agreed on.');
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('412')),
    [],
  );
});

test('what a decision needs stands on one page, and who may not decide is told why', { skip }, async () => {
  const { gateway } = opened;
  const first = await gateway.key('both', 'Somebody');
  const { body } = await gateway.call('POST', '/v1/sandbox/seed', { as: first, body: { months: 1 } });
  const deal = body.data.loan_deals.find(({ status }: { status: string }) => status === 'QC_COMPLETED');
  await using visited = await opened.enter(await operatorOf('reading@platform.example', ['VIEW']), `/deals/${deal.deal_id}`);
  const { page, complaints } = visited;
  for (const part of ['Who decides', 'Checks', 'Criteria', 'Waivers', 'Risk', 'Loans in groups', 'Documents'])
    await page.getByRole('region', { name: part, exact: true }).waitFor();
  await page.getByRole('figure').first().waitFor();
  const approve = page.getByRole('button', { name: 'Approve', exact: true });
  await approve.focus();
  await page.getByText('This needs the right APPROVE; yours: VIEW.').waitFor();
  await approve.click({ force: true });
  assert.equal(await page.getByRole('dialog').count(), 0);
  assert.deepEqual(complaints, []);
});
