import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { consoleOfFile, withoutBrowser as skip } from '../support/console.ts';
import type { Gateway, Holder } from '../support/gateway.ts';
import { type SignedIn, signedIn } from '../support/people.ts';
import { until } from '../support/until.ts';

let seller: SignedIn;
let holder: Holder;
let deal: string;
let pool: string;

const opened = consoleOfFile({
  prepare: async (gateway) => {
    const first = await gateway.key('both', 'Somebody');
    const seeded = await gateway.call('POST', '/v1/sandbox/seed', { as: first, body: { months: 3 } });
    holder = await gateway.key('originator', seeded.body.data.organizations.originator);
    seller = await signedIn(gateway, holder.organization_id, 'ann@seller.example', ['VIEW', 'EDIT']);
    const mortgages = ({ loan_type }: { loan_type: string }) => loan_type === 'Mortgage';
    deal = seeded.body.data.loan_deals.find(mortgages).deal_id;
    const pools = await gateway.call('GET', '/v1/api/originator/pools?status=ISSUED', { as: holder });
    pool = pools.body.data.find(({ loan_type }: { loan_type: string }) => loan_type === 'Auto').pool_id;
  },
});

const PERCENT = new Intl.NumberFormat('en-US', { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** The file that an entry of a chart's menu makes. */
async function saved(page: Page, chart: string, entry: string): Promise<{ name: string; content: Buffer }> {
  await page.getByRole('button', { name: `Save ${chart}`, exact: true }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: entry }).click()]);
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
}

async function calculated(gateway: Gateway, body: object): Promise<{ id: string; results: Results }> {
  const path = `/v1/api/originator/analytics/pools/${pool}/calculations`;
  const { calculation_id: id } = (await gateway.call('POST', path, { as: holder, body })).body.data;
  const read = async () => (await gateway.call('GET', `${path}/${id}`, { as: holder })).body.data;
  await until(async () => (await read()).status === 'COMPLETED', 60_000, 'the calculation');
  return { id, results: (await read()).results };
}
type Results = { tranches: { tranche: string; break_even_cdr: number | null }[]; risk?: { collateral: { mean: number } } }[];

test('states are drawn as squares that say their figures by pointer and arrow keys, in every measure', { skip }, async () => {
  const { gateway } = opened;
  const strats = await gateway.call('GET', `/v1/api/originator/analytics/deals/${deal}/strats?by=state`, { as: holder });
  const texas = strats.body.data.groups.find(({ key }: { key: string }) => key === 'TX');
  await using visited = await opened.enter(seller, `/deals/${deal}?tab=analytics`);
  const { page, complaints } = visited;
  const map = page.getByRole('img', { name: /^Share of balance by state, in .* actual, as of / });
  await map.getByText(PERCENT.format(texas.share), { exact: true }).first().waitFor();
  await map.locator('[data-at]', { hasText: 'TX' }).hover();
  await page.locator('.tip', { hasText: `Loans: ${texas.loan_count}` }).waitFor();

  await map.focus();
  await page.keyboard.press('Home');
  const spoken = page.getByRole('status').filter({ hasText: 'Share of balance:' });
  const [largest] = strats.body.data.groups;
  await spoken.filter({ hasText: `${largest.key}; Share of balance: ${PERCENT.format(largest.share)}` }).waitFor();
  await page.keyboard.press('ArrowUp');
  await spoken.filter({ hasNotText: `${largest.key};` }).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.tip').count(), 0);
  await page.getByText('Figures as a table').click();
  const figures = page.getByRole('table', { name: 'Share of balance by state', exact: true });
  await figures
    .getByRole('cell', { name: String(texas.share), exact: true })
    .first()
    .waitFor();

  await page.getByRole('combobox', { name: 'Measure' }).click();
  await page.getByRole('option', { name: 'Average rate' }).click();
  const rates = page.getByRole('img', { name: /^Average rate by state/ });
  await rates.getByText(texas.averages.wac.toFixed(2), { exact: true }).first().waitFor();
  assert.match(page.url(), /measure=wac/);
  assert.deepEqual(complaints, []);
});

test('a chart is saved as figures, as a drawing with its title and legend, and as a picture', { skip }, async () => {
  await using visited = await opened.enter(seller, `/pools/${pool}?tab=performance`);
  const { page, complaints } = visited;
  await page.getByRole('img', { name: /^Prepayment, in CPR/ }).waitFor();
  const csv = await saved(page, 'Prepayment', 'Figures (CSV)');
  assert.equal(csv.name, 'prepayment.csv');
  const performance = await opened.gateway.call('GET', `/v1/api/originator/pools/${pool}/performance`, { as: holder });
  const rows = performance.body.data.map(
    ({ period, cpr, projected }: { period: number; cpr: number; projected: { cpr: number } }) =>
      `${period},${cpr},${projected.cpr}`,
  );
  assert.deepEqual(csv.content.toString().replace('\uFEFF', '').trim().split('\r\n'), ['Period,Actual,Projected', ...rows]);
  const svg = (await saved(page, 'Prepayment', 'Drawing (SVG)')).content.toString();
  for (const part of ['>Prepayment<', '>Actual<', '>Projected<', 'stroke-dasharray="5px, 4px"'])
    assert.ok(svg.includes(part), part);
  const png = (await saved(page, 'Prepayment', 'Picture (PNG)')).content;
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.ok(png.length > 5_000, `${png.length} bytes`);
  assert.deepEqual(complaints, []);
});

test('what was projected is drawn apart from what was reported, and the limits of triggers across', { skip }, async () => {
  await using visited = await opened.enter(seller, `/pools/${pool}?tab=performance`);
  const { page, complaints } = visited;
  const losses = page.getByRole('img', { name: /^Cumulative net loss, in/ });
  await losses.getByText(/^Trigger cnl/).waitFor();
  const dashes = await losses
    .locator('path[stroke-width="2"]')
    .evaluateAll((paths) => paths.map((path) => path.getAttribute('stroke-dasharray')));
  assert.deepEqual(dashes, [null, '5 4']);
  await losses.focus();
  await page.keyboard.press('End');
  await page
    .getByRole('status')
    .filter({ hasText: /^Period 3; Actual: .*%; Projected: .*%; Trigger cnl: 3.00%$/ })
    .waitFor();
  assert.deepEqual(complaints, []);
});

test('a tranche has one colour in every chart, and its break-even stands beside what is assumed', { skip }, async () => {
  const base = { scenario: 'base', cpr: 6, cdr: 2, severity: 50 };
  const { id, results } = await calculated(opened.gateway, { type: 'BREAKEVEN', purpose: 'ANALYSIS', scenarios: [base] });
  await using visited = await opened.enter(seller, `/pools/${pool}?tab=analytics&run=${id}&show=break-even`);
  const { page, complaints } = visited;
  const chart = page.getByRole('img', { name: /^Break-even CDR in base/ });
  await chart.getByText('Assumed in base: 2.00%').waitFor();
  const table = page.getByRole('table', { name: 'Break-even CDR', exact: true });
  for (const { tranche, break_even_cdr } of results[0]?.tranches ?? []) {
    const shown = break_even_cdr === null ? 'Loses without defaults' : `${break_even_cdr.toFixed(2)}%`;
    await chart.locator('[data-at]', { hasText: new RegExp(`^${tranche}${shown}$`) }).waitFor();
    await table.getByRole('row', { name: new RegExp(`^${tranche} base`) }).waitFor();
  }
  const [a1, a2] = await chart
    .locator('[data-at] rect:not(.hit)')
    .evaluateAll((bars) => bars.map((bar) => bar.getAttribute('fill')));
  await page.getByRole('tab', { name: 'Cash flows' }).click();
  const balances = page.getByRole('img', { name: /^Balances in base/ });
  await balances.waitFor();
  const lines = await balances
    .locator('path[stroke-width="2"]')
    .evaluateAll((paths) => paths.map((path) => path.getAttribute('stroke')));
  assert.deepEqual(lines.slice(0, 2), [a1, a2]);
  assert.notEqual(a1, a2);
  const loans = page.getByRole('img', { name: /^Balance of the loans in base/ });
  assert.equal(await loans.locator('path[stroke-dasharray="5 4"]').count(), 1);
  assert.deepEqual(complaints, []);
});

test('losses of a simulation stand against where classes attach and detach', { skip }, async () => {
  const scenarios = [{ scenario: 'base', cpr: 6, cdr: 4, severity: 50 }];
  const risk = { paths: 50, factors: { cdr: { sigma: 0.4 } } };
  const { id, results } = await calculated(opened.gateway, { type: 'RISK', purpose: 'ANALYSIS', scenarios, risk });
  await using visited = await opened.enter(seller, `/pools/${pool}?tab=analytics&run=${id}&show=losses`);
  const { page, complaints } = visited;
  const chart = page.getByRole('img', { name: /^Losses of the loans against the classes in base/ });
  await chart.getByText(`Expected loss: ${results[0]?.risk?.collateral.mean.toFixed(2)}%`).waitFor();
  await chart.focus();
  await page.keyboard.press('Home');
  await page
    .getByRole('status')
    .filter({ hasText: /^Class A; Attaches at: .*%; Detaches at: 100.00%$/ })
    .waitFor();
  assert.deepEqual(complaints, []);
});
