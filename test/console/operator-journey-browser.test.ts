import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raiseAlert } from '../../src/events/emit.ts';
import { consoleOfFile, sure, withoutBrowser as skip } from '../support/console.ts';
import { dataOf, openDesk } from '../support/desk.ts';
import { type SignedIn, signedIn } from '../support/people.ts';
import { servicedDeal } from '../support/servicing.ts';
import { autoTape, seller } from '../support/tapes.ts';

const opened = consoleOfFile();

async function operatorOf(email: string, rights: ('ADMIN' | 'EDIT' | 'APPROVE' | 'VIEW')[]): Promise<SignedIn> {
  const { organization_id } = await opened.gateway.key('operator', 'Platform');
  return await signedIn(opened.gateway, organization_id, email, rights);
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
  await row.getByRole('link', { name: /, Placed 2026-1$/ }).waitFor();
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
  await sure(visited, 'Close the books', { Reason: 'The period of marketing ended.' });
  await page.getByRole('button', { name: 'Try it out' }).click();
  await page.getByText('This is a trial: nothing is saved and nobody is notified.').waitFor();
  await page
    .getByRole('table', { name: 'Fills of the trial' })
    .getByRole('row', { name: /100\.0%/ })
    .waitFor();
  assert.equal((await desk.operate('GET', `allocations?deal_id=${deal.deal_id}`)).body.data.length, 0);
  await page.getByRole('button', { name: 'Allocate', exact: true }).click();
  await sure(visited, 'Allocate', { 'Type allocate to confirm': 'allocate' });
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
  await dialog.getByText(/Somebody else changed it after this page had read it/).waitFor();
  assert.equal((await deal.read(remittance_id)).accepted_at, null);
  await dialog.getByRole('button', { name: 'Go back' }).click();
  await page.reload();
  await differences.getByText('2.00', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Accept' }).click();
  await sure(visited, 'Accept', { Reason: 'The fee was agreed on.' });
  await page.getByText(/^Accepted .*The fee was agreed on\.$/).waitFor();
  assert.equal((await deal.read(remittance_id)).accepted_reason, 'The fee was agreed on.');
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('status of 412')),
    [],
  );
});

test('what a decision needs stands on one page; who may not decide is told why, and who may gives the reason', {
  skip,
}, async () => {
  const { gateway } = opened;
  const ours = await seller(gateway, 'Decided Lending');
  const spoilt = autoTape(40, (row, index) => index < 7 && (row['Contract Rate'] = 'high'));
  const dealId = await ours.checked(spoilt);
  await using looking = await opened.enter(await operatorOf('reading@platform.example', ['VIEW']), `/deals/${dealId}`);
  for (const part of ['Who decides', 'Checks', 'Criteria', 'Waivers', 'Risk', 'Loans in groups', 'Documents', 'History'])
    await looking.page.getByRole('region', { name: part, exact: true }).waitFor();
  const rules = looking.page.getByRole('table', { name: 'Findings by rule' });
  await rules.getByRole('row', { name: /17\.5%/ }).waitFor();
  assert.equal((await rules.getByRole('row').nth(1).getByRole('cell').allInnerTexts())[2], '7');
  await looking.page.getByText('may not: the right APPROVE is needed, and yours are VIEW').waitFor();
  const refused = looking.page.getByRole('button', { name: 'Approve', exact: true });
  await refused.focus();
  await looking.page.getByText('This needs the right APPROVE; yours: VIEW.').waitFor();
  await refused.click({ force: true });
  assert.equal(await looking.page.getByRole('dialog').count(), 0);

  await using deciding = await opened.enter(await operatorOf('deciding@platform.example', ['VIEW', 'APPROVE']), '/');
  await deciding.page.getByRole('link', { name: 'Deals to approve or reject' }).click();
  await deciding.page.getByRole('table', { name: 'Deals' }).getByRole('link').first().click();
  await deciding.page.getByRole('button', { name: 'Reject', exact: true }).click();
  await sure(deciding, 'Reject', { Reason: 'Seven rates cannot be read.' });
  await deciding.page.getByText('It is decided: the deal is rejected.').waitFor();
  await deciding.page.getByRole('region', { name: 'History' }).getByText('Seven rates cannot be read.').waitFor();
  assert.equal((await ours.deal(dealId)).status, 'REJECTED');
  assert.deepEqual([...looking.complaints, ...deciding.complaints], []);
});

test('a fixing that corrects another says so before it is recorded, and a rate with too many decimals is refused at its field', {
  skip,
}, async () => {
  await using visited = await opened.enter(await operatorOf('fixing@platform.example', ['VIEW', 'APPROVE']), '/fixings');
  const { page, complaints } = visited;
  const dialog = page.getByRole('dialog');
  const fill = async (rate: string): Promise<void> => {
    await dialog.getByLabel('Index').fill('SOFR_1M');
    await dialog.getByLabel('Date').fill('2026-11-25');
    await dialog.getByLabel('Rate (%)').fill(rate);
  };
  await page.getByRole('button', { name: 'Record a fixing' }).click();
  await fill('4.1234567');
  await dialog.getByRole('button', { name: 'Record', exact: true }).click();
  await dialog
    .getByText(/at most 6 decimals/)
    .first()
    .waitFor();
  await dialog.getByLabel('Rate (%)').fill('4.31');
  await sure(visited, 'Record');
  const fixings = page.getByRole('table', { name: 'Fixings' });
  await fixings.getByText('4.31000').waitFor();
  await page.getByRole('button', { name: 'Record a fixing' }).click();
  await fill('4.25');
  await dialog.getByText(/is on record with 4.31 %/).waitFor();
  await sure(visited, 'Correct');
  await fixings.getByText('4.25000').waitFor();
  assert.equal(await fixings.getByText('4.31000').count(), 0);
  assert.deepEqual(
    complaints.filter((complaint) => !/status of 4\d\d/.test(complaint)),
    [],
  );
});

test('the audit log says in words whether its chain holds, and an entry shows every field that changed', { skip }, async () => {
  const { gateway } = opened;
  const { organization_id } = await gateway.key('investor', 'Audited Capital');
  await using visited = await opened.enter(await operatorOf('auditing@platform.example', ['VIEW', 'ADMIN']), '/audit');
  const { page, complaints } = visited;
  const verdict = async (answer: object, text: RegExp): Promise<void> => {
    const data = {
      valid: true,
      entries: 120,
      broken_at: null,
      problems: [],
      checkpoints: { count: 2, last_at: null },
      ...answer,
    };
    await page.route('**/v1/operator/audit/verify', (asked) => asked.fulfill({ json: { success: true, data } }), { times: 1 });
    await page.getByRole('button', { name: 'Verify the chain' }).click();
    await page.getByText(text).waitFor();
  };
  await verdict({ valid: null }, /intact, but its checkpoints could not be read/);
  const message = 'Checkpoint 2 was signed when the log had 130 entries; it ends with entry 120.';
  await verdict({ valid: false, broken_at: 121, problems: [{ sequence: 121, message }] }, /The chain is broken at entry 121/);
  await page.getByText(message).waitFor();
  await page.getByRole('button', { name: 'Verify the chain' }).click();
  await page.getByText('The chain is intact and agrees with its signed checkpoints').waitFor();

  await page.goto(page.url().replace(/\/audit.*/, `/organizations/${organization_id}`));
  await page.getByRole('button', { name: 'Suspend' }).click();
  await sure(visited, 'Suspend', { 'Type Audited Capital to confirm': 'Audited Capital', Reason: 'Under investigation.' });
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.goto(page.url().replace(/\/organizations.*/, `/audit?entity_id=${organization_id}`));
  await page
    .getByRole('row', { name: /Under investigation/ })
    .getByRole('link')
    .first()
    .click();
  const changes = page.getByRole('table', { name: 'What changed' });
  await changes.getByRole('row', { name: /Status ACTIVE SUSPENDED/ }).waitFor();
  await page.getByRole('region', { name: 'Place in the chain' }).getByText('Hash before', { exact: true }).waitFor();
  assert.deepEqual(complaints, []);
});

test('alerts of the operator lead to their record and are read; the e-mail that is wrong is told at its field', {
  skip,
}, async () => {
  const { gateway } = opened;
  const person = await operatorOf('alerted@platform.example', ['VIEW', 'EDIT', 'ADMIN']);
  const { organization_id } = await gateway.key('operator', 'Platform');
  const notice = { category: 'compliance', priority: 'HIGH', message: 'Its profile expires.' } as const;
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    raiseAlert(tx, organization_id, 'compliance.review_required', {
      ...notice,
      entity_type: 'organization',
      entity_id: organization_id,
      title: 'A review is required',
    }),
  );
  await using visited = await opened.enter(person, '/alerts');
  const { page, complaints } = visited;
  const row = page.getByRole('row', { name: /A review is required/ });
  await row.getByRole('button', { name: 'Mark as read' }).click();
  await row.getByText('Read', { exact: true }).waitFor();
  await row.getByRole('link', { name: 'A review is required' }).click();
  await page.getByRole('heading', { name: 'Platform' }).waitFor();

  await page.getByRole('link', { name: 'E-mail', exact: true }).click();
  await page.getByRole('textbox', { name: 'Addresses' }).fill('desk@example.com\nnot an address');
  await page.getByRole('button', { name: 'Save the preferences' }).click();
  await page.getByText(/^Address 2: /).waitFor();
  await page.getByRole('textbox', { name: 'Addresses' }).fill('desk@example.com');
  await page.getByRole('button', { name: 'Save the preferences' }).click();
  await page.getByRole('table', { name: 'Addresses' }).getByText('desk@example.com').waitFor();
  assert.deepEqual(
    complaints.filter((complaint) => !/status of 4\d\d/.test(complaint)),
    [],
  );
});
