import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { consoleOfFile, withoutBrowser as skip } from '../support/console.ts';
import type { Holder } from '../support/gateway.ts';
import { type SignedIn, signedIn } from '../support/people.ts';
import { seededSandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

/* Figures of the console beside those of the API. */

let buyer: SignedIn;
let servicer: SignedIn;
let clerk: SignedIn;
let seller: Holder;

const opened = consoleOfFile({
  prepare: async (gateway) => {
    const sandbox = await seededSandbox(gateway);
    seller = sandbox.originator;
    buyer = await signedIn(gateway, sandbox.investor.organization_id, 'bea@buyer.example', ['EDIT', 'VIEW']);
    servicer = await signedIn(gateway, seller.organization_id, 'sam@seller.example', ['VIEW']);
    clerk = await signedIn(gateway, sandbox.platform.organization_id, 'olga@platform.example', ['VIEW']);
  },
});

/** Lets the gateway answer, with other figures in its answer. */
const answerWith = <Data>(page: Page, path: string, change: (data: Data) => void) =>
  page.route(`**/v1/**${path}`, async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as { data: Data };
    change(json.data);
    await route.fulfill({ response, json });
  });

/** The text of a row under a heading. */
async function cellOf(page: Page, table: string, heading: string, row = 0): Promise<string> {
  const found = page.getByRole('table', { name: table });
  await found.getByRole('row').nth(1).waitFor();
  const headings = await found.getByRole('columnheader').allInnerTexts();
  const place = headings.findIndex((each) => each.trim() === heading);
  assert.notEqual(place, -1, `no ${heading} among ${headings.join(', ')}`);
  const cells = await found
    .getByRole('row')
    .nth(row + 1)
    .getByRole('cell')
    .allInnerTexts();
  return cells[place]?.trim() ?? '';
}

type Sums = { accreted: number; other_change: number; closing_balance: number };

test('a statement is that of the month of the gateway, and shows every figure by which its balances add up', {
  skip,
}, async () => {
  // A sandbox has a clock of its own, and a person may be in another month than the business zone.
  const now = new Date(Date.now() + 400 * 86_400_000).toISOString();
  await opened.gateway.setClock(now);
  await using visited = await opened.enter(buyer, '/portfolio?tab=statements');
  const { page, complaints } = visited;
  await page.getByRole('table', { name: 'Positions of the month' }).waitFor();
  const month = await page.getByLabel('Month', { exact: true }).inputValue();
  assert.equal(month, now.slice(0, 7));
  assert.match((await page.getByRole('link', { name: 'As PDF' }).getAttribute('href')) ?? '', new RegExp(`month=${month}&`));
  assert.equal(await page.getByText('Interest added').count(), 0, 'a month in which nothing was added');

  await answerWith<{ positions: Sums[]; totals: Sums }>(page, '/portfolio/statement*', ({ positions: [first], totals }) => {
    for (const sums of [first as Sums, totals]) Object.assign(sums, { accreted: 1_234.56, other_change: -0.01 });
  });
  await page.reload();
  assert.equal(await cellOf(page, 'Positions of the month', 'Interest added (US$)'), '$1,234.56');
  assert.equal(await cellOf(page, 'Positions of the month', 'Other changes (US$)'), '-$0.01');
  await page.getByText('Interest added', { exact: true }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a mark has all its decimals, and an average that no position has is no 0', { skip }, async () => {
  await using visited = await opened.enter(buyer, '/');
  const { page } = visited;
  await answerWith<{ price: number }[]>(page, '/portfolio/positions*', ([first]) =>
    Object.assign(first ?? {}, { price: 99.984375 }),
  );
  type Averages = { missing: Record<string, number>; position_count: number };
  const without = (figure: string, of: Averages) =>
    Object.assign(of, { [`wa_${figure}`]: 0, missing: { ...of.missing, [figure]: of.position_count } });
  await answerWith<Averages & { by_class: Averages[] }>(page, '/portfolio/summary', (summary) => {
    without('spread', summary);
    for (const group of summary.by_class) without('wal', group);
  });
  await page.goto(new URL('/console/portfolio', page.url()).href);
  assert.equal(await cellOf(page, 'Positions', 'Mark'), '99.984375');
  await page.getByText(/spread of \d/).waitFor();
  assert.equal(await page.getByText('0 bp', { exact: true }).count(), 0);
  await page.getByRole('tab', { name: 'Exposures' }).click();
  assert.equal(await cellOf(page, 'Market value by class', 'Average life'), '–');
});

test('the delinquencies of a month count the worst of a tape too', { skip }, async () => {
  const pools = await opened.gateway.call('GET', '/v1/api/originator/pools?status=ISSUED', { as: seller });
  const { pool_id } = pools.body.data.find(({ loan_type }: { loan_type: string }) => loan_type === 'Auto');
  await using visited = await opened.enter(servicer, '/');
  const { page } = visited;
  await answerWith<object[]>(page, '/performance', ([first]) =>
    Object.assign(first ?? {}, { delinquent_90: 0.25, delinquent_120: 0.5 }),
  );
  await page.goto(new URL(`/console/pools/${pool_id}?tab=performance`, page.url()).href);
  assert.equal(await cellOf(page, 'Months', '90 days and more'), '0.75%');
});

test('a payment of a residual names it, before the name of its deal, which is cut', { skip }, async () => {
  await using visited = await opened.enter(clerk, '/settlement?tab=payments');
  await visited.page
    .getByRole('link', { name: /^R, Harbor Auto / })
    .first()
    .waitFor();
});

test('the rungs of a ladder stand as they were asked for', { skip }, async () => {
  const { gateway } = opened;
  const pools = await gateway.call('GET', '/v1/api/originator/pools?status=ISSUED', { as: seller });
  const { pool_id } = pools.body.data.find(({ loan_type }: { loan_type: string }) => loan_type === 'Auto');
  const path = `/v1/api/originator/analytics/pools/${pool_id}/calculations`;
  const body = { type: 'PRICE_TABLE', tranche: 'A-2', yields: [5, 5.0625, 5.125], assumptions: { cpr: 6 } };
  const { calculation_id } = (await gateway.call('POST', path, { as: seller, body })).body.data;
  const read = async () => (await gateway.call('GET', `${path}/${calculation_id}`, { as: seller })).body.data;
  await until(async () => (await read()).status === 'COMPLETED', 60_000, 'the calculation');
  await using visited = await opened.enter(servicer, `/pools/${pool_id}?tab=analytics&run=${calculation_id}&show=ladder`);
  const rungs = [0, 1, 2].map((row) => cellOf(visited.page, 'Ladder', 'Yield', row));
  assert.deepEqual(await Promise.all(rungs), ['5.00%', '5.0625%', '5.125%']);
});

test('a share that is more than nothing is not shown as nothing', { skip }, async () => {
  const deals = await opened.gateway.call('GET', '/v1/api/originator/loans?loanType=Auto', { as: seller });
  await using visited = await opened.enter(servicer, '/');
  const { page } = visited;
  await answerWith<{ groups: { share: number }[] }>(page, '/strats*', ({ groups: [first] }) =>
    Object.assign(first ?? {}, { share: 0.0004 }),
  );
  await page.goto(new URL(`/console/deals/${deals.body.data[0].deal_id}?tab=analytics`, page.url()).href);
  assert.equal(await cellOf(page, 'Loans by state', 'Share of balance'), '< 0.1%');
});

test('on paper columns have their headings, and a page says which of its tabs it is', { skip }, async () => {
  await using visited = await opened.enter(buyer, '/portfolio?tab=payments');
  const { page } = visited;
  const heading = page.getByRole('columnheader', { name: 'Interest (US$)', exact: true });
  await heading.waitFor();
  await page.emulateMedia({ media: 'print' });
  for (const column of await page.getByRole('columnheader').all()) assert.notEqual((await column.innerText()).trim(), '');
  assert.deepEqual(await page.getByRole('tab').allInnerTexts(), ['Payments']);
  assert.equal(await page.getByRole('button', { name: 'Save Payments as CSV' }).isVisible(), false);
});

test('on paper a name that is cut on the screen is whole', { skip }, async () => {
  await using visited = await opened.enter(buyer, '/portfolio');
  const { page } = visited;
  await page.locator('.table .named').last().waitFor();
  const width = () => page.evaluate<number>('document.documentElement.scrollWidth');
  await page.emulateMedia({ media: 'print' });
  const whiteSpace = await page.evaluate<string>(`getComputedStyle(document.querySelector('.table .named')).whiteSpace`);
  assert.equal(whiteSpace, 'normal');
  // A sheet is 720 pixels wide, and a browser makes a page at most half as large.
  await page.setViewportSize({ width: 720, height: 960 });
  assert.ok((await width()) < 1_440, String(await width()));
});

test('in the colours of the system one sees where one is and what is chosen, and no link back says that it is where one is', {
  skip,
}, async () => {
  await using visited = await opened.enter(buyer, '/portfolio');
  const { page } = visited;
  await page.emulateMedia({ forcedColors: 'active' });
  await page.locator('.table .named a').first().waitFor();
  const backgrounds = (of: string) =>
    page.evaluate<number>(
      `new Set([...document.querySelectorAll('${of}')].map((each) => getComputedStyle(each).backgroundColor)).size`,
    );
  assert.equal(await backgrounds('.mantine-Tabs-tab'), 2);
  assert.equal(await backgrounds('.nav'), 2);
  assert.equal(await backgrounds('body, .mantine-Indicator-indicator'), 2);
  await page.locator('.table .named a').first().click();
  await page.getByRole('link', { name: 'Portfolio', exact: false }).nth(1).waitFor();
  const current = await page.locator('[aria-current="page"]').allInnerTexts();
  assert.deepEqual(current, ['Portfolio']);
});

test('without a network a page says so, does nothing later that was asked for meanwhile, and reads again once there is one', {
  skip,
}, async () => {
  await using visited = await opened.enter(buyer, '/portfolio');
  const { page } = visited;
  await page.getByRole('table', { name: 'Positions' }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('tab', { name: 'Calendar' }).click();
  await page.getByText('The gateway cannot be reached', { exact: false }).first().waitFor();
  await page.context().setOffline(false);
  await page.getByRole('columnheader', { name: 'Record date' }).waitFor();

  await page.goto(new URL('/console/alerts', page.url()).href);
  const mark = page.getByRole('button', { name: 'Mark as read', exact: true }).first();
  await mark.waitFor();
  const sent: string[] = [];
  page.on('request', (request) => void (request.method() === 'GET' || sent.push(request.url())));
  await page.context().setOffline(true);
  await mark.click();
  await page.getByText('The gateway cannot be reached', { exact: false }).first().waitFor();
  const before = sent.length;
  await page.context().setOffline(false);
  await page.reload();
  await mark.waitFor();
  assert.equal(sent.length, before);
});

test('all alerts are marked as read, whatever the clock of the browser says', { skip }, async () => {
  await using visited = await opened.enter(buyer, '/alerts');
  const { page } = visited;
  await page.clock.setSystemTime('2020-01-01T00:00:00Z');
  const mark = page.getByRole('button', { name: 'Mark as read', exact: true });
  await mark.first().waitFor();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await mark.first().waitFor({ state: 'detached' });
});
