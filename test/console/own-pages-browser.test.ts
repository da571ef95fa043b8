import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raiseAlert } from '../../src/events/emit.ts';
import { consoleOfFile, unnamed, type Visit, withoutBrowser as skip } from '../support/console.ts';
import { dataOf, openDesk } from '../support/desk.ts';
import type { Holder } from '../support/gateway.ts';
import { approvedDeal, formPool, issuedDeal, structureOver, structuredPool } from '../support/pools.ts';
import { setProfile } from '../support/market.ts';
import { servicedDeal, soldTrades } from '../support/servicing.ts';

const opened = consoleOfFile({ worker: false });
const sure = ({ page }: Visit, name: string): Promise<void> => page.getByRole('dialog').getByRole('button', { name }).click();
const go = async ({ page }: Visit, path: string): Promise<void> => {
  await page.evaluate(`location.hash = ${JSON.stringify(path)}`);
};
/** Nothing but refusals that the test provoked. */
const clean = (seen: Visit): void =>
  assert.deepEqual(
    seen.complaints.filter((each) => !/status of 4\d\d/.test(each)),
    [],
  );

const VERIFIED = {
  kyc_status: 'VERIFIED',
  kyc_expires_on: '2040-12-31',
  sanctions_status: 'CLEAR',
  qib: true,
  accredited: false,
  us_person: true,
  tax_form: 'W9_FORM',
  erisa_plan: false,
};

test('an originator reads the demand for its pool, and withdraws an issue request and a deal', { skip }, async () => {
  const { gateway } = opened;
  const desk = await openDesk(gateway);
  const seller = await gateway.key('originator', 'Demand Lending');
  const pool = await structuredPool(gateway, seller, desk.operator, 60);
  const dealId = await issuedDeal(gateway, seller, desk.operator, pool.pool_id);
  const investor = await desk.investor();
  const [tranche] = await desk.read(`deals/${dealId}/tranches`, investor);
  const order = { tranche_id: tranche.tranche_id, amount: tranche.denomination, limit_yield: 5.5 };
  dataOf(await gateway.call('POST', `/v1/api/investor/deals/${dealId}/orders`, { as: investor, body: order }));
  await using seen = await opened.visit(seller);
  const { page } = seen;
  await go(seen, `/pools/${pool.pool_id}/book`);
  await page.getByRole('heading', { name: `Class ${tranche.tranche}` }).waitFor();
  const limits = page.getByRole('region', { name: `Open orders of class ${tranche.tranche} by limit` });
  await limits.getByText('5.500%').waitFor();
  assert.ok(!(await page.locator('main').innerText()).includes('Investor'), 'no names');

  const free = await approvedDeal(gateway, seller, desk.operator, { rows: 20 });
  const other = dataOf(await formPool(gateway, seller, [free], { name: 'Requested 2026-2' }));
  const path = `/v1/api/originator/pools/${other.pool_id}`;
  dataOf(await gateway.call('PUT', `${path}/structure`, { as: seller, body: structureOver(other.balance) }));
  dataOf(await gateway.call('POST', `${path}/lock`, { as: seller }));
  dataOf(await gateway.call('POST', `${path}/issue`, { as: seller }));
  await go(seen, `/deals/${free}`);
  await page.getByRole('button', { name: 'Withdraw the deal' }).click();
  await sure(seen, 'Withdraw it');
  await page.getByRole('alert').getByText(/pool/).waitFor();
  await go(seen, `/pools/${other.pool_id}`);
  await page.getByText('The issue of this pool is requested.').waitFor();
  await page.getByRole('button', { name: 'Withdraw the issue request' }).click();
  await sure(seen, 'Withdraw it');
  await page.getByRole('button', { name: 'Request the issue' }).waitFor();

  const unpooled = await approvedDeal(gateway, seller, desk.operator, { rows: 20, name: 'Free 2026-3' });
  await go(seen, `/deals/${unpooled}`);
  await page.getByRole('button', { name: 'Withdraw the deal' }).click();
  await page.getByLabel('Reason (optional)').fill('Sold elsewhere');
  await sure(seen, 'Withdraw it');
  await page.locator('.badge', { hasText: 'Withdrawn' }).waitFor();
  clean(seen);
});

test('an investor reads its profile, files its tax form, and changes a subscription that waits', { skip }, async () => {
  const { gateway } = opened;
  const desk = await openDesk(gateway);
  const investor = await gateway.key('investor', 'Profile Capital');
  await setProfile(gateway, investor, null);
  await using seen = await opened.visit(investor);
  const { page } = seen;
  await page.getByRole('link', { name: 'Compliance profile' }).click();
  await page.getByText('There is no profile yet').waitFor();
  await page.getByText('No tax form has been filed here.').waitFor();
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'w9.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') });
  await page.getByRole('button', { name: 'File the form' }).click();
  await page.getByText('It waits for the operator').waitFor();
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'w9.pdf', mimeType: 'application/pdf', buffer: Buffer.from('not one') });
  await page.getByRole('button', { name: 'File the form' }).click();
  await page
    .getByRole('alert')
    .getByText(/content/)
    .first()
    .waitFor();
  dataOf(await desk.operate('PUT', `organizations/${investor.organization_id}/profile`, VERIFIED));
  await page.reload();
  await page.getByText('Verified', { exact: true }).waitFor();
  await page.getByText('Nothing is missing.').first().waitFor();
  await page.getByText('Reviewed', { exact: true }).waitFor();

  const deal = await desk.list();
  const subscribed = { subscription_amount: 200_000 };
  dataOf(await gateway.call('POST', `/v1/api/investor/deals/${deal.deal_id}/subscribe`, { as: investor, body: subscribed }));
  await page.getByRole('link', { name: 'Commitments' }).click();
  await page.getByRole('button', { name: 'Change' }).click();
  const amount = page.locator('#in-amend-subscription_amount');
  await amount.fill('99999999');
  await page.getByRole('button', { name: 'Change the subscription' }).click();
  await page.getByRole('list', { name: 'Compliance checks' }).getByText('Capacity', { exact: true }).waitFor();
  await amount.fill('150000');
  await page.getByRole('button', { name: 'Change the subscription' }).click();
  await page.getByRole('region', { name: 'Subscriptions' }).getByText('$150,000.00').waitFor();
  assert.deepEqual(await unnamed(page), []);
  clean(seen);
});

test('the operator has its own alerts, reads books and indications with names, and records fixings', { skip }, async () => {
  const { gateway } = opened;
  const desk = await openDesk(gateway);
  const operator = await gateway.key('operator', 'Desk of the platform');
  const buyer: Holder = await gateway.key('investor', 'Named Capital', { profile: 'verified' });
  const deal = await desk.list({ name: 'Named Auto 2026-9' });
  const on = `/v1/api/investor/deals/${deal.deal_id}`;
  dataOf(await gateway.call('POST', `${on}/ioi`, { as: buyer, body: { interest_amount: 750_000 } }));
  dataOf(await gateway.call('POST', `${on}/orders`, { as: buyer, body: { tranche_id: deal.tranches[0], amount: 500_000 } }));
  await using seen = await opened.visit(operator);
  const { page } = seen;
  await page.getByRole('link', { name: 'Alerts' }).click();
  await page.getByText('There are no alerts.').waitFor();
  const notice = { category: 'compliance', priority: 'HIGH', message: 'M', entity_type: 'deal', entity_id: 'deal_1' } as const;
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    raiseAlert(tx, operator.organization_id, 'compliance.review_required', { ...notice, title: 'A review is required' }),
  );
  await page.locator('ul.alerts').getByText('A review is required').waitFor();
  await page.getByRole('button', { name: 'Mark read' }).click();
  await page.getByText('Everything is read.').waitFor();

  await page.getByRole('link', { name: 'Indications' }).click();
  const row = page.getByRole('region', { name: 'Indications' }).getByRole('row').filter({ hasText: 'Named Capital' });
  await row.getByText('$750,000.00').waitFor();
  await row.getByRole('link', { name: 'Named Auto 2026-9' }).click();
  await page.getByRole('heading', { name: 'The book of Named Auto 2026-9' }).waitFor();
  const investors = page.getByRole('region', { name: /^Investors of class/ }).first();
  await investors.getByText('Named Capital').waitFor();
  assert.match(await investors.innerText(), /\$750,000[\s\S]*\$500,000/);

  await page.getByRole('link', { name: 'Fixings' }).click();
  await page.getByText('No fixing matches.').waitFor();
  const record = async (rate: string): Promise<void> => {
    await page.getByLabel('Index', { exact: true }).first().fill('SOFR_1M');
    await page.getByLabel('Date').first().fill('2026-11-27');
    await page.getByLabel('Rate').fill(rate);
    await page.getByRole('button', { name: 'Record it' }).click();
  };
  await record('4.1234567');
  await page
    .getByRole('alert')
    .getByText(/at most 6 decimals/)
    .first()
    .waitFor();
  await record('4.31');
  const fixings = page.getByRole('region', { name: 'Fixings' });
  await fixings.getByText('4.31 %').waitFor();
  await record('4.25');
  await sure(seen, 'Correct it');
  await fixings.getByText('4.25 %').waitFor();
  assert.equal(await fixings.getByText('4.31 %').count(), 0);
  assert.deepEqual(await unnamed(page), []);
  clean(seen);
});

for (const role of ['originator', 'investor', 'operator'] as const)
  test(`the ${role} chooses what is sent by e-mail`, { skip }, async () => {
    await using seen = await opened.visit(await opened.gateway.key(role, `Mail house of the ${role}`));
    const { page } = seen;
    await page.getByRole('link', { name: 'E-mail' }).click();
    await page.getByText('This platform has no mail server').waitFor();
    await page.getByText('There is no address yet').waitFor();
    await page.getByLabel('Addresses', { exact: true }).fill('desk@example.com\nnot an address');
    await page.getByRole('button', { name: 'Save the preferences' }).click();
    await page.getByRole('alert').getByText('emails[1]', { exact: true }).waitFor();
    await page.getByLabel('Addresses', { exact: true }).fill('desk@example.com\nada@example.com');
    await page.getByLabel('Digest').selectOption('DAILY');
    await page.getByLabel('demand.changed').uncheck();
    await page.getByRole('button', { name: 'Save the preferences' }).click();
    await page.getByRole('region', { name: 'Addresses' }).getByText('ada@example.com').waitFor();
    await page.reload();
    assert.equal(await page.getByLabel('Digest').inputValue(), 'DAILY');
    assert.ok(!(await page.getByLabel('demand.changed').isChecked()));
    assert.ok(await page.getByLabel('deal.listed').isChecked());
    assert.deepEqual(await unnamed(page), []);
    clean(seen);
  });

test('an investor downloads its statements, the month that has not ended among them', { skip }, async () => {
  const { gateway } = opened;
  const desk = await openDesk(gateway);
  const investor = await desk.investor();
  const deal = await servicedDeal(desk);
  const [trade = ''] = await soldTrades(desk, deal, [[investor, 96_000]]);
  dataOf(await desk.decide(trade, 'settle'));
  await gateway.setClock('2027-01-15T15:00:00Z');
  dataOf(await deal.send(deal.report({ principal: 20_000 })));
  await using seen = await opened.visit(investor);
  const { page } = seen;
  await go(seen, '/portfolio');
  const statements = page.getByRole('region', { name: 'Statements' });
  const lines = statements.locator('tbody tr');
  await lines.nth(1).waitFor();
  assert.deepEqual(await lines.allInnerTexts().then((all) => all.map((each) => each.replace(/\s+/g, ' ').trim())), [
    'January 2027 $93,500.00 Not final: the month has not ended PDF XLSX CSV',
    'December 2026 $96,000.00 Final PDF XLSX CSV',
  ]);
  for (const [name, file] of [
    ['December 2026 as PDF', 'statement-2026-12.pdf'],
    ['January 2027 as CSV', 'statement-2027-01-not-final.csv'],
  ] as const) {
    const started = page.waitForEvent('download');
    await statements.getByRole('button', { name }).click();
    assert.equal((await started).suggestedFilename(), file);
  }
  assert.deepEqual(await unnamed(page), []);
  clean(seen);
});
