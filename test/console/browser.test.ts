import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { criteriaFor } from '../../src/features/sandbox/criteria.ts';
import { jobHandlers } from '../../src/worker.ts';
import { type Gateway, type Holder, startGateway } from '../support/gateway.ts';
import { autoTape } from '../support/tapes.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** What a page did that it should not: errors, refusals of its policy, requests to other places. */
type Visit = { page: Page; complaints: string[] } & AsyncDisposable;

let gateway: Gateway;
let browser: Browser;
let address: string;

const skip = CHROMIUM ? false : 'skipped: there is no Chromium on this machine';

before(async () => {
  if (!CHROMIUM) return;
  gateway = await startGateway();
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  address = `http://127.0.0.1:${(gateway.app.server.address() as AddressInfo).port}`;
  gateway.deps.setPublicUrl(address);
  await gateway.deps.jobs.work(jobHandlers(gateway.deps));
  browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
});
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

async function visit(holder: Holder | null): Promise<Visit> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${address}/`) && !/^(data|blob):/.test(request.url())) complaints.push(request.url());
    if (holder && request.url().includes(holder.token)) complaints.push('the key is in an address');
  });
  await page.goto(`${address}/console`);
  if (holder) {
    await page.getByLabel('API key').fill(`  ${holder.token}\n`);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Areas' }).waitFor();
  }
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** Inputs that no label names: nobody who hears the page could fill them. */
const unnamed = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('input, select, textarea')]
    .filter((input) => !input.labels?.length && !input.getAttribute('aria-label'))
    .map((input) => input.outerHTML)`);

test('an originator brings a tape in, reads what is wrong with it, and sees which loans are eligible', { skip }, async () => {
  const originator = await gateway.key('originator', 'Browser Lending');
  const criteria = await gateway.call('POST', '/v1/api/originator/sc/criteria', { as: originator, body: criteriaFor('Auto') });
  assert.equal(criteria.status, 201);
  const tape = autoTape(40, (row, index) => {
    if (index === 4) row['Original Amount Financed'] = 'see note 4';
    if (index < 3) row['Days Past Due'] = '95';
  });
  await using seen = await visit(originator);
  const { page } = seen;

  await page.getByRole('link', { name: 'Upload a tape' }).click();
  assert.deepEqual(await unnamed(page), []);
  await page.getByLabel('Loan type').selectOption('Auto');
  await page.getByLabel('Name (optional)').fill('From the browser');
  await page.setInputFiles('input[type=file]', { name: 'auto.csv', mimeType: 'text/csv', buffer: Buffer.from(tape) });
  await page.getByRole('button', { name: 'Send the tape' }).click();

  await page.getByRole('heading', { name: 'From the browser' }).waitFor();
  const finding = page.locator('tbody', { hasText: 'AMOUNT_UNREADABLE' });
  await finding.waitFor();
  const row = finding.getByRole('row').nth(1);
  assert.deepEqual((await row.getByRole('cell').allInnerTexts()).slice(0, 4), [
    '5',
    '6',
    'Original Amount Financed',
    'see note 4',
  ]);

  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const file = readFileSync(await (await downloading).path(), 'utf8');
  assert.match(file, /_reason/);
  assert.match(file, /see note 4/);

  await page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link', { name: 'Criteria' }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const waterfall = page.locator('.waterfall');
  await waterfall.waitFor();
  assert.match(await waterfall.innerText(), /All loans\s+39[\s\S]*DPD[\s\S]*−3[\s\S]*Eligible\s+36/);
  await page.getByRole('region', { name: 'Pool tests' }).getByText('Passed').waitFor();

  assert.equal(await page.evaluate(`Object.keys(localStorage).filter((name) => name !== 'sluice.theme').length`), 0);
  assert.deepEqual(await page.context().cookies(), []);
  await page.reload();
  await waterfall.waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
  assert.equal(await page.evaluate('sessionStorage.length'), 0);
  assert.deepEqual(seen.complaints, []);
});

test('a key that is refused says so in the API’s words and is not kept', { skip }, async () => {
  await using seen = await visit(null);
  await seen.page.getByLabel('API key').fill('not-a-key');
  await seen.page.getByRole('button', { name: 'Sign in' }).click();
  const alert = seen.page.getByRole('alert');
  await alert.waitFor();
  assert.match(await alert.innerText(), /A valid API key is required[\s\S]*401[\s\S]*request/);
  assert.equal(await seen.page.evaluate('sessionStorage.length'), 0);
});

test('every role sees its own areas, without an error, wide and narrow, light and dark', { skip }, async () => {
  const areas = {
    originator: ['Loan deals', 'Criteria', 'Pools', 'Alerts', 'Webhooks'],
    investor: ['Marketplace', 'Commitments', 'Portfolio', 'Alerts', 'Webhooks'],
    operator: ['Work queue', 'Loan deals', 'Waivers', 'Pools', 'Subscriptions', 'Books', 'Trades', 'Audit'],
  } as const;
  for (const [role, expected] of Object.entries(areas)) {
    await using seen = await visit(await gateway.key(role as keyof typeof areas, `${role} of areas`));
    const { page } = seen;
    const links = page.getByRole('navigation', { name: 'Areas' }).getByRole('link');
    assert.deepEqual(await links.allInnerTexts(), expected, role);
    for (const [index, name] of expected.entries()) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await links.nth(index).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page.locator('.waiting').first().waitFor({ state: 'detached' });
      assert.deepEqual(await unnamed(page), [], name);
      await page.setViewportSize({ width: 375, height: 800 });
      await page.emulateMedia({ colorScheme: index % 2 ? 'dark' : 'light' });
      const over = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
      assert.ok(over <= 0, `${role}: ${name} is wider than a phone by ${over} pixels`);
    }
    assert.deepEqual(seen.complaints, [], role);
  }
});
