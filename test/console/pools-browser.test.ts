import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consoleOfFile, sure, withoutBrowser as skip } from '../support/console.ts';
import { dataOf, openDesk } from '../support/desk.ts';
import { signedIn } from '../support/people.ts';
import { approvedDeal } from '../support/pools.ts';
import { servicedDeal } from '../support/servicing.ts';

const opened = consoleOfFile();

test('an originator forms a pool, structures it from a template, is told what is wrong where it stands, and asks for the issue', {
  skip,
}, async () => {
  const { gateway } = opened;
  const desk = await openDesk(gateway);
  await approvedDeal(gateway, desk.seller, desk.operator, { name: 'Approved for pooling' });
  const seller = await signedIn(gateway, desk.seller.organization_id, 'ann@pooling.example', ['VIEW', 'EDIT', 'APPROVE']);
  await using visited = await opened.enter(seller, '/pools');
  const { page, complaints } = visited;
  await page.getByRole('link', { name: 'Form a pool' }).click();
  await page.getByLabel('Name').fill('Harbor 2027-1');
  await page.getByLabel('Cut-off date').fill('2026-11-30');
  await page.getByLabel('Closing date').fill('2026-12-15');
  await page.getByLabel(/^Approved for pooling: 60 loans/).check();
  const rules = page.getByLabel('Only loans that pass these rules');
  await rules.fill('[{ "id": "prime", "rule": { "field": "credit_score" }');
  await rules.blur();
  await page.getByText('Not sent while it cannot be read: Only loans that pass these rules.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Form the pool' }).isDisabled(), 'rules that cannot be read are not left out');
  await rules.fill('');
  await rules.blur();
  await page.getByRole('button', { name: 'Form the pool' }).click();
  await page.getByRole('heading', { name: 'Harbor 2027-1' }).waitFor();
  const poolId = page.url().match(/pool_[0-9a-z]+/)?.[0];
  const read = () => desk.send('GET', `/v1/api/originator/pools/${poolId}`, desk.seller).then(dataOf);
  assert.equal((await read()).status, 'DRAFT');

  await page.getByRole('button', { name: 'Start from a template' }).click();
  await page.getByRole('dialog').getByRole('listitem').getByRole('button').first().click();
  await page.getByText('nothing is saved yet', { exact: false }).waitFor();
  assert.equal((await read()).structure, null);
  const balance = page
    .getByRole('table', { name: 'Tranches' })
    .getByRole('textbox', { name: /^Balance of/ })
    .first();
  const before = await balance.inputValue();
  await balance.fill('900m');
  await balance.press('Enter');
  await page.getByText('the tranches exceed the pool by', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Save the structure' }).click();
  await page
    .getByRole('region', { name: 'Changes' })
    .getByText(/the tranches add up to/)
    .waitFor();
  assert.equal((await read()).structure, null);
  await balance.fill(before);
  await balance.press('Enter');

  const first = page.getByRole('region', { name: /^1\. / });
  const name = (await first.getAttribute('aria-label'))?.slice('1. '.length) ?? '';
  await first.getByRole('button', { name: `Move ${name} down` }).press('Enter');
  await page
    .getByRole('region', { name: `2. ${name}` })
    .getByRole('button', { name: `Move ${name} up` })
    .press('Enter');
  await page.getByRole('region', { name: `1. ${name}` }).waitFor();
  await page.getByRole('button', { name: 'Save the structure' }).click();
  await page.getByText('Version 1 of the structure is saved.').waitFor();
  await page.getByText('Nothing has changed since it was saved.').waitFor();
  const saved = await read();
  assert.equal(saved.status, 'STRUCTURED');

  // The same value as JSON: nothing is lost between the two.
  await page.getByText('JSON', { exact: true }).click();
  const json = JSON.parse(await page.getByRole('textbox', { name: 'Structure', exact: true }).inputValue());
  assert.deepEqual(json, saved.structure);
  await page.getByText('In sentences', { exact: true }).click();
  await page.getByRole('region', { name: 'Steps, in their order' }).getByRole('listitem').first().waitFor();

  await page.getByRole('button', { name: 'Lock' }).click();
  await sure(visited, 'Lock');
  await page.getByRole('button', { name: 'Request the issue' }).click();
  await sure(visited, 'Request the issue');
  await page.getByText('the operator decides', { exact: false }).waitFor();
  const asked = await read();
  assert.deepEqual([asked.status, asked.issue_requested_at !== null], ['LOCKED', true]);
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('status of 422')),
    [],
  );
});

test('a servicer compares a report with the structure before it is sent, and sees which figures differ', { skip }, async () => {
  const { gateway } = opened;
  const desk = await openDesk(gateway);
  const deal = await servicedDeal(desk);
  const servicer = await signedIn(gateway, desk.seller.organization_id, 'sam@servicing.example', ['VIEW', 'EDIT']);
  await using visited = await opened.enter(servicer, `/pools/${deal.pool_id}?tab=reports`);
  const { page, complaints } = visited;
  const report = deal.report({ principal: 20_000 });
  await page.getByLabel('Payment date of period 1').fill(report.payment_date);
  const group = (name: string) => page.getByRole('group', { name });
  const fill = async (legend: string, label: string, value: number | undefined): Promise<void> => {
    if (value !== undefined) await group(legend).getByLabel(label, { exact: true }).fill(String(value));
  };
  const { collateral } = report;
  await fill('Collateral (US$)', 'Scheduled principal', collateral.scheduled_principal);
  await fill('Collateral (US$)', 'Interest', collateral.interest);
  // Typed as people write it: the commas are no points.
  const repurchases = group('Collateral (US$)').getByLabel('Repurchases', { exact: true });
  await repurchases.pressSequentially('1,250,000.50');
  assert.equal(await repurchases.inputValue(), '1,250,000.50');
  // Pasted as a spreadsheet writes what is below zero.
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate("navigator.clipboard.writeText('(1,250.75)')");
  await repurchases.press('ControlOrMeta+v');
  assert.equal(await repurchases.inputValue(), '-1,250.75');
  await repurchases.fill('');
  // Typed key by key: the cents that end in zero are a number too.
  await group('Collateral (US$)').getByLabel('Fees', { exact: true }).pressSequentially('900.10');
  await fill('Collateral (US$)', 'Ending balance', collateral.ending_pool_balance);
  for (const tranche of report.tranches) {
    const legend = `Tranche ${tranche.tranche} (US$)`;
    await fill(legend, 'Interest paid', tranche.interest_paid);
    await fill(legend, 'Principal paid', tranche.principal_paid);
    await fill(legend, 'Ending balance', tranche.ending_balance);
  }
  await page.getByLabel('More of the report').fill(JSON.stringify({ available: { interest: 6_600, principal: 20_000 } }));
  await page.getByRole('button', { name: 'Compare with the structure' }).click();
  const differences = page.getByRole('table', { name: 'Differences' });
  await differences.getByRole('row', { name: /^Fee paid/ }).waitFor();
  assert.deepEqual(dataOf(await desk.send('GET', deal.path, desk.seller)), []);
  await group('Collateral (US$)').getByLabel('Fees', { exact: true }).fill('900.20');
  await page.getByText('The figures have changed since they were compared with the structure.').waitFor();
  assert.equal(await differences.count(), 0, 'differences of other figures');
  await group('Collateral (US$)').getByLabel('Fees', { exact: true }).fill('900.10');
  await page.getByRole('button', { name: 'Report', exact: true }).click();
  await page.getByText('Period 1 is reported.').waitFor();
  const [sent] = dataOf(await desk.send('GET', deal.path, desk.seller));
  assert.deepEqual([sent.period, sent.verification.status, sent.report.collateral.fees], [1, 'DIFFERS', 900.1]);
  assert.deepEqual(complaints, []);
});
