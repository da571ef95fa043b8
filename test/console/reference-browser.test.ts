import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { CHROMIUM, QUIET, withoutBrowser as skip } from '../support/console.ts';

const FIRST_CONTENT_MS = 1_000;
const WIRE_BYTES = 1_258_291;
const BLOCK_MS = 500;
const MOST_VISITS = 8;

let opened: { gateway: Gateway; browser: Browser; base: string } | undefined;

before(async () => {
  if (skip) return;
  const gateway = await startGateway();
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const browser = await chromium.launch({ executablePath: CHROMIUM as string, args: QUIET });
  opened = { gateway, browser, base: `http://127.0.0.1:${(gateway.app.server.address() as AddressInfo).port}` };
});
after(async () => {
  await opened?.browser.close();
  await opened?.gateway[Symbol.asyncDispose]();
});

/** A page with what it complains about, and the bytes that it has received. */
async function visit(path: string, width = 1_280): Promise<{ page: Page; complaints: string[]; bytes: () => number }> {
  if (!opened) throw new Error('there is no browser');
  const page = await opened.browser.newPage({ viewport: { width, height: 900 } });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await page.addInitScript({
    content: `globalThis.blocked = [];
new PerformanceObserver((list) => blocked.push(...list.getEntries().map((task) => task.duration))).observe({ type: 'longtask', buffered: true });`,
  });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(`${opened.base}${path}`, { waitUntil: 'networkidle' });
  return { page, complaints, bytes: () => bytes };
}

test('a page of the reference is there at once: first content, bytes over the wire, and how long it blocks', {
  skip,
}, async () => {
  for (const path of ['/docs', '/docs/reference/operator', '/docs/reference/pools', '/docs/reference/webhook-messages']) {
    // Pages are made and compressed at their first visit; the figures are those of a browser that has none of them.
    await (await visit(path)).page.close();
    // A busy machine is slow now and then; a page that is slow is so at every visit.
    let slow: string | null = '';
    for (let visits = 0; visits < MOST_VISITS && slow !== null; visits += 1) {
      const { page, complaints, bytes } = await visit(path);
      const first = await page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint')[0].startTime`);
      const longest = await page.evaluate<number>(
        `new Promise((resolve) => setTimeout(() => resolve(Math.max(0, ...globalThis.blocked))))`,
      );
      assert.ok(bytes() > 1_000 && bytes() <= WIRE_BYTES, `${path}: ${bytes()} bytes`);
      assert.deepEqual(complaints, []);
      slow =
        first <= FIRST_CONTENT_MS && longest <= BLOCK_MS
          ? null
          : `${path}: first content after ${first} ms, blocked for ${longest} ms`;
      await page.close();
    }
    assert.equal(slow, null);
  }
});

test('a page that blocks is noticed by what measures it', { skip }, async () => {
  const { page } = await visit('/docs');
  const noticed = await page.evaluate<number>(`new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(Math.max(...list.getEntries().map((task) => task.duration)))).observe({ type: 'longtask' });
    setTimeout(() => {
      const until = performance.now() + ${BLOCK_MS + 100};
      while (performance.now() < until);
    });
  })`);
  assert.ok(noticed > BLOCK_MS, `${noticed} ms`);
  await page.close();
});

test('the filter leaves the operations that have all of its words', { skip }, async () => {
  const { page, complaints } = await visit('/docs');
  await page.getByLabel('Find an operation').fill('tape upload');
  const links = page.locator('.operations li:visible');
  await page
    .getByRole('status')
    .filter({ hasText: /^\d+ operations$/ })
    .waitFor();
  const texts = await links.allInnerTexts();
  assert.ok(texts.length > 2 && texts.length < 40);
  for (const text of texts) assert.match(text.toLowerCase(), /tape[^]*upload|upload[^]*tape/);
  await page.getByLabel('Find an operation').fill('no such operation');
  await page.getByText('0 operations').waitFor();
  assert.equal(await links.count(), 0);
  assert.deepEqual(complaints, []);
  await page.close();
});

test('an address that names a record opens it, and no page is wider than a phone', { skip }, async () => {
  for (const path of ['/docs', '/docs/reference/pools', '/docs/guide/structures']) {
    const { page } = await visit(path, 390);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, path);
    await page.close();
  }
  const { page } = await visit('/docs/reference/pools');
  const record = page.locator('[id^=record-]').first();
  const name = (await record.getAttribute('id')) ?? '';
  assert.equal(await record.getAttribute('open'), null);
  await page.goto(`${page.url()}#${name}`);
  await page.locator(`#${name}[open]`).waitFor();
  await page.close();
});
