import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { consoleOfFile, withoutBrowser as skip } from '../support/console.ts';
import type { Gateway, Holder } from '../support/gateway.ts';
import { type SignedIn, signedIn } from '../support/people.ts';
import { seededSandbox } from '../support/sandbox.ts';

/** An investor of a seeded sandbox, with a book, and a deal on the market. */
let buyer: SignedIn;
let investor: Holder;
let seller: Holder;
let offered: string;

const opened = consoleOfFile({
  prepare: async (gateway: Gateway) => {
    ({ investor, originator: seller } = await seededSandbox(gateway));
    buyer = await signedIn(gateway, investor.organization_id, 'bea@buyer.example', ['EDIT', 'APPROVE', 'VIEW']);
    const market = await gateway.call('GET', '/v1/api/investor/deals?market_status=MARKETING', { as: investor });
    offered = market.body.data[0].deal_id;
  },
});

const read = async (path: string) => (await opened.gateway.call('GET', `/v1/api/investor/${path}`, { as: investor })).body.data;
const dollars = (value: number): string =>
  value.toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: Number.isInteger(value) ? 0 : 2,
  });

/** The file that a click saves. */
async function saved(page: Page, click: () => Promise<void>): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  return readFile(await download.path());
}

test('an investor values the book under typed scenarios; the figures are those of the gateway, also after a reload', {
  skip,
}, async () => {
  await using visited = await opened.enter(buyer, '/portfolio?tab=scenarios');
  const { page, complaints } = visited;
  const defaults = page.getByRole('textbox', { name: 'Default of stress' });
  await defaults.fill('6 for a while');
  await page.getByText(/“6 for a while” cannot be read/).waitFor();
  assert.ok(await page.getByRole('button', { name: 'Calculate the book' }).isDisabled());
  await defaults.fill('20 for 12, 8');
  await page.getByRole('button', { name: 'Calculate the book' }).click();
  const table = page.getByRole('table', { name: 'Scenarios side by side' });
  await table.waitFor();
  const id = new URL(page.url()).searchParams.get('run');
  await page.reload();
  await table.waitFor();
  const { results, scenarios } = await read(`portfolio/scenarios/${id}`);
  assert.deepEqual(scenarios[1].cdr, [...Array.from({ length: 12 }, () => 20), 8]);
  for (const { market_value, principal } of results) {
    await table.getByText(dollars(market_value)).first().waitFor();
    await table.getByText(dollars(principal)).first().waitFor();
  }
  await page.getByRole('radiogroup', { name: 'Measure' }).getByText('Principal').click();
  const behind = page.getByRole('table', { name: 'Principal by scenario' });
  await behind.getByText(dollars(results[0].positions[0].principal), { exact: true }).first().waitFor();
  const file = await saved(page, () => page.getByRole('button', { name: 'Save Cash by month as CSV' }).click());
  assert.equal(file.toString('utf8').trim().split('\r\n').length - 1, results[0].months.length + results[1].months.length);
  await page.getByRole('tab', { name: 'Earlier scenarios' }).click();
  await page.getByRole('button', { name: 'as marked, stress' }).click();
  await table.waitFor();
  assert.deepEqual(complaints, []);
});

test('a pending subscription is amended with the checks of its change, which leave it as it was until then', {
  skip,
}, async () => {
  const { tranches } = await read(`deals/${offered}`);
  const [senior] = tranches;
  const body = { subscription_amount: senior.denomination * 2, tranche_id: senior.tranche_id };
  const placed = await opened.gateway.call('POST', `/v1/api/investor/deals/${offered}/subscribe`, { as: investor, body });
  const { subscription_id } = placed.body.data;
  await using visited = await opened.enter(buyer, `/commitments/subscriptions/${subscription_id}`);
  const { page, complaints } = visited;
  await page.getByRole('button', { name: 'Amend', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('New amount (US$)').fill(String(senior.remaining_capacity + senior.denomination));
  await dialog
    .getByText(/of capacity left/)
    .first()
    .waitFor();
  // All that is left, with what the subscription holds of it already.
  await dialog.getByLabel('New amount (US$)').fill(String(senior.remaining_capacity));
  await dialog.getByRole('list', { name: 'Compliance checks' }).getByText('Passed').first().waitFor();
  assert.equal((await read(`subscriptions/${subscription_id}`)).subscription_amount, body.subscription_amount);
  await dialog.getByLabel('New amount (US$)').fill('5k');
  await dialog.getByRole('button', { name: 'Amend to $5,000' }).click();
  await page.getByRole('heading', { name: 'Subscription of $5,000' }).waitFor();
  assert.equal((await read(`subscriptions/${subscription_id}`)).subscription_amount, 5_000);
  // What was refused while it was typed is an answer of the API, which the browser logs.
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('status of 422')),
    [],
  );
});

test('an order enters the book with its terms to the last decimal, and is amended with a word about its place in time', {
  skip,
}, async () => {
  const { tranches } = await read(`deals/${offered}`);
  const [senior] = tranches;
  await using visited = await opened.enter(buyer, `/market/${offered}?tab=ticket`);
  const { page, complaints } = visited;
  await page.getByRole('radiogroup', { name: 'Kind' }).getByText('Order', { exact: true }).click();
  await page.getByLabel('Amount (US$)').fill(String(senior.denomination * 3));
  await page.getByLabel('Limit yield (%)').fill('5.1251');
  await page.getByLabel('Least fill (US$)').fill('many');
  await page.getByText('Write an amount, such as 250k, or nothing.').waitFor();
  await page.getByLabel('Least fill (US$)').fill(String(senior.denomination));
  await page.getByRole('button', { name: 'Order', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Order', exact: true }).click();
  await page.getByText('The order is in the book.').waitFor();
  const [placed] = await read('orders?status=OPEN');
  const terms = ({ amount, minimum_amount, limit_yield }: Record<string, unknown>) => [amount, minimum_amount, limit_yield];
  assert.deepEqual(terms(placed), [senior.denomination * 3, senior.denomination, 5.1251]);

  await page.goto(new URL('/console/commitments?tab=orders', page.url()).href);
  await page.getByRole('button', { name: 'Amend', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/as it is now/).waitFor();
  await dialog.getByLabel('Limit yield (%)').fill('101');
  await dialog.getByText('Write percent a year, such as 5.25, or nothing.').waitFor();
  assert.ok(await dialog.getByRole('button', { name: /^Amend to/ }).isDisabled());
  await dialog.getByLabel('Limit yield (%)').fill('5.0625 %');
  await dialog.getByText(/its place in time becomes that of this moment/).waitFor();
  await dialog.getByLabel('Limit yield (%)').fill('5.1251');
  await dialog.getByLabel('Amount (US$)').fill(String(senior.denomination * 2));
  await dialog.getByText(/less than now; it keeps its place in time/).waitFor();
  // What was not touched is not sent: somebody else may have changed it since.
  const sending = page.waitForRequest((request) => request.method() === 'PATCH');
  await dialog.getByRole('button', { name: /^Amend to/ }).click();
  assert.deepEqual((await sending).postDataJSON(), { amount: senior.denomination * 2 });
  await page.getByText(/^The order is for/).waitFor();
  const amended = await read(`orders/${placed.order_id}`);
  assert.deepEqual(terms(amended), [senior.denomination * 2, senior.denomination, 5.1251]);
  assert.equal(amended.placed_at, placed.placed_at);
  assert.deepEqual(complaints, []);
});

test('an indication is placed once by its button, and the file of a list has each row once while others are added', {
  skip,
}, async () => {
  await using visited = await opened.enter(buyer, `/market/${offered}?tab=ticket`);
  const { page, complaints } = visited;
  await page.getByRole('radiogroup', { name: 'Kind' }).getByText('Indicate', { exact: true }).click();
  const amount = page.getByLabel('Amount (US$)');
  await amount.fill('250k');
  await page.getByRole('button', { name: 'Indicate', exact: true }).click();
  await page.getByText('The indication is placed.').waitFor();
  assert.equal(await amount.inputValue(), '');
  assert.equal(await page.getByRole('button', { name: 'Indicate', exact: true }).count(), 0);

  // One of a deal is live at a time: each takes the place of the one before.
  let [live] = await read('iois?status=submitted');
  let interest_amount = 250_000;
  const indicate = async (): Promise<void> => {
    interest_amount += 1;
    const { call } = opened.gateway;
    assert.equal((await call('DELETE', `/v1/api/investor/iois/${live.ioi_id}`, { as: investor })).status, 200);
    const body = { interest_amount };
    const answer = await call('POST', `/v1/api/investor/deals/${offered}/ioi`, { as: investor, body });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    live = answer.body.data;
  };
  for (let count = 0; count < 110; count += 1) await indicate();
  await page.goto(new URL('/console/commitments?tab=indications', page.url()).href);
  const save = page.getByRole('button', { name: 'Save Indications as CSV' });
  await save.waitFor();
  const { total } = (await opened.gateway.call('GET', '/v1/api/investor/iois', { as: investor })).body.pagination;
  let reads = 0;
  await page.route('**/v1/api/investor/iois?**', async (route) => {
    reads += 1;
    if (reads > 1) await indicate();
    await route.continue();
  });
  const lines = (await saved(page, () => save.click())).toString().trim().split('\n').slice(1);
  assert.ok(reads > 1);
  assert.deepEqual([lines.length, new Set(lines).size], [total, total]);
  assert.deepEqual(complaints, []);
});

test('the proof of a fill is verified in the browser, and the saved book has the hash that everybody sees', {
  skip,
}, async () => {
  const [{ allocation_id }] = await read('allocations');
  const { book_hash } = await read(`allocations/${allocation_id}/proof`);
  await using visited = await opened.enter(buyer, '/commitments');
  const { page, complaints } = visited;
  await page.getByRole('link', { name: 'Proof' }).first().click();
  const verified = page.getByRole('list', { name: 'How it is verified' });
  await verified.getByText('Agrees').nth(2).waitFor();
  const book = await saved(page, () => page.getByRole('button', { name: 'Save the book as it is hashed' }).click());
  assert.equal(createHash('sha256').update(book).digest('hex'), book_hash);
  await page.getByRole('link', { name: 'The trade' }).click();
  await page.getByText('Cash that moves').waitFor();
  await page.getByRole('link', { name: 'With its proof' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('loans are listed and filtered where the owner discloses them, and their absence is said where not', { skip }, async () => {
  await using visited = await opened.enter(buyer, `/market/${offered}?tab=loans`);
  const { page, complaints } = visited;
  await page.getByText(/discloses its loans in groups alone/).waitFor();
  const pools = await opened.gateway.call('GET', '/v1/api/originator/pools?limit=100', { as: seller });
  const { pool_id } = pools.body.data.find(({ deal_id }: { deal_id: string | null }) => deal_id === offered);
  const disclosed = { level: 'LOAN_LEVEL', fields: ['state', 'current_balance', 'interest_rate'] };
  await opened.gateway.call('PUT', `/v1/api/originator/pools/${pool_id}/disclosure`, { as: seller, body: disclosed });
  await page.reload();
  const grid = page.getByRole('grid', { name: 'Loans' });
  await grid.getByRole('columnheader', { name: 'Interest rate' }).waitFor();
  const total = (await opened.gateway.call('GET', `/v1/api/investor/deals/${offered}/loans?limit=1`, { as: investor })).body
    .pagination.total;
  await page.getByText(`${total.toLocaleString('en-US')} loans`, { exact: true }).waitFor();
  await page.getByLabel('Field').selectOption('state');
  await page.getByLabel('Value').fill('CA');
  await page.getByText(new RegExp(`^\\d+ of ${total} loans$`)).waitFor();
  assert.match(page.url(), /field=state/);
  const file = await saved(page, () => page.getByRole('link', { name: 'CSV', exact: true }).click());
  assert.equal(file.toString('utf8').trim().split('\n').length - 1, total);
  assert.deepEqual(complaints, []);
});

test('a position opens by the name of its tranche, with its cost, its mark and what it was paid', { skip }, async () => {
  const [position] = await read('portfolio/positions');
  const payments = await read(`portfolio/payments?tranche_id=${position.tranche_id}&limit=100`);
  await using visited = await opened.enter(buyer, '/portfolio');
  const { page, complaints } = visited;
  await page.getByRole('table', { name: 'Positions' }).getByRole('link').first().click();
  await page.getByText('Cost of the balance').waitFor();
  assert.match(page.url(), new RegExp(position.tranche_id));
  await page.getByText(dollars(position.market_value), { exact: true }).first().waitFor();
  const paid = page.getByRole('table', { name: 'Payments' });
  await paid.getByText(dollars(payments[0].interest), { exact: true }).first().waitFor();
  assert.equal(await paid.getByRole('row').count(), payments.length + 1);
  await page.getByRole('tab', { name: 'Trades' }).click();
  await page.getByRole('table', { name: 'Trades' }).getByText(dollars(position.face)).waitFor();
  await page.getByRole('link', { name: 'Portfolio' }).first().click();
  await page.getByRole('tab', { name: 'Reports' }).click();
  const report = await saved(page, () => page.getByRole('link', { name: 'This report as CSV' }).click());
  assert.match(report.toString('utf8'), /position_id/);
  assert.deepEqual(complaints, []);
});

test('a part of a page whose file a release has taken away is there after the page has loaded itself again', {
  skip,
}, async () => {
  await using visited = await opened.enter(buyer, `/market/${offered}`);
  const { page } = visited;
  let gone = 0;
  await page.route('**/assets/comparable-*.js', (route) => {
    gone += 1;
    return gone === 1 ? route.fulfill({ status: 404, body: '' }) : route.continue();
  });
  await page.getByRole('tab', { name: 'Comparable deals' }).click();
  await page
    .getByRole('tabpanel')
    .getByText(/No deal of the same assets/)
    .waitFor();
  assert.equal(gone, 2);
  assert.equal(new URL(page.url()).searchParams.get('tab'), 'comparable');
});

test('a trade that was settled before the report of a payment says what was paid at first, and the statement has both', {
  skip,
}, async () => {
  const { gateway } = opened;
  const operator = await gateway.key('operator', 'Desk');
  const operate = (path: string, body: object = {}) => gateway.call('POST', path, { as: operator, body });
  const { tranches } = await read(`deals/${offered}`);
  const body = { subscription_amount: tranches[0].denomination * 100, tranche_id: tranches[0].tranche_id };
  const placed = await gateway.call('POST', `/v1/api/investor/deals/${offered}/subscribe`, { as: investor, body });
  await operate(`/v1/operator/subscriptions/${placed.body.data.subscription_id}/confirm`);
  await operate(`/v1/operator/deals/${offered}/allocations`, { method: 'PRO_RATA' });
  const allocations: { allocation_id: string; status: string; allocated_amount: number }[] = await read(
    `allocations?deal_id=${offered}`,
  );
  const [{ allocation_id } = { allocation_id: '' }] = allocations.filter(
    (each) => each.allocated_amount === body.subscription_amount,
  );
  await gateway.call('POST', `/v1/api/investor/allocations/${allocation_id}/accept`, { as: investor, body: {} });
  const { trade_id } = await read(`allocations/${allocation_id}`);
  const pools = await gateway.call('GET', '/v1/api/originator/pools?limit=100', { as: seller });
  const { pool_id } = pools.body.data.find((each: { deal_id: string | null }) => each.deal_id === offered);
  const { structure } = (await gateway.call('GET', `/v1/api/originator/pools/${pool_id}`, { as: seller })).body.data;
  const seconds = (Date.parse(`${structure.payment.first_payment_date}T15:00:00Z`) - Date.now()) / 1_000;
  await operate('/v1/sandbox/clock', { advance_seconds: Math.ceil(seconds) });
  const settled = await operate(`/v1/operator/trades/${trade_id}/settle`);
  await gateway.call('POST', `/v1/sandbox/pools/${pool_id}/advance`, { as: seller, body: { periods: 1 } });
  const { net_amount, corrected_amount } = await read(`trades/${trade_id}`);
  assert.ok(corrected_amount < 0);

  await using visited = await opened.enter(buyer, `/commitments/trades/${trade_id}`);
  const { page, complaints } = visited;
  const text = (await page.getByText(/It settled against/).textContent()) ?? '';
  assert.ok(
    text.includes(dollars(settled.body.data.net_amount)) && text.includes(`${dollars(-corrected_amount)} was paid back to you`),
    text,
  );
  await page.getByText(dollars(net_amount), { exact: true }).waitFor();
  await page.goto(
    page.url().replace(/\/commitments.*/, `/portfolio?tab=statements&month=${structure.payment.first_payment_date.slice(0, 7)}`),
  );
  const lines = page.getByRole('table', { name: 'Trades of the month' });
  await lines.getByText('Corrected by the report of period 1').waitFor();
  // Where no interest has accrued on the day of settlement, what was paid is the face at par.
  const settledLine = lines.getByRole('row').filter({ hasNotText: 'Corrected' });
  await settledLine.getByText(dollars(settled.body.data.net_amount), { exact: true }).last().waitFor();
  await lines.getByText(`-${dollars(-corrected_amount)}`, { exact: true }).waitFor();
  assert.deepEqual(complaints, []);
});

test('an address that names no part of a page shows the first one', { skip }, async () => {
  await using visited = await opened.enter(buyer, '/portfolio?tab=nonsense');
  const { page } = visited;
  await page.getByRole('tab', { name: 'Positions', selected: true }).waitFor();
  await page.getByRole('tabpanel').waitFor();
  await page.getByRole('tab', { name: 'Payments' }).click();
  await page.waitForURL(/tab=payments/);
});
