import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comeBack, consoleOfFile, withoutBrowser as skip } from '../support/console.ts';
import { openDesk } from '../support/desk.ts';
import { signedIn } from '../support/people.ts';

const opened = consoleOfFile();

test('a subscription whose answer was lost is made once, however often it is tried again; the next one that is decided is another', {
  skip,
}, async () => {
  const desk = await openDesk(opened.gateway);
  const deal = await desk.list();
  const investor = await desk.investor();
  const buyer = await signedIn(opened.gateway, investor.organization_id, 'bea@lost.example', ['EDIT', 'APPROVE', 'VIEW']);
  await using visited = await opened.enter(buyer, `/market/${deal.deal_id}?tab=ticket`);
  const { page } = visited;
  const placed = async (): Promise<number> => (await desk.read('subscriptions', investor)).length;
  const keys: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/subscribe')) keys.push(request.headers()['idempotency-key']);
  });
  let lost = 0;
  await page.route(
    '**/subscribe',
    async (route) => {
      lost += 1;
      // The gateway is not asked at all the second time: what was lost the first time counts still.
      if (lost === 1) await route.fetch();
      await route.abort();
    },
    { times: 2 },
  );
  await page.getByLabel('Amount (US$)').fill('100k');
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Subscribe', exact: true }).click();
  await dialog.getByText('The gateway cannot be reached', { exact: false }).waitFor();
  assert.equal(await placed(), 1);
  await Promise.all([page.waitForEvent('requestfailed'), dialog.getByRole('button', { name: 'Try again' }).click()]);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Subscribed. The operator confirms it.').waitFor();
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual([await placed(), lost, keys.length, new Set(keys).size], [1, 2, 3, 1]);

  await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
  await dialog.getByRole('button', { name: 'Subscribe', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual([await placed(), new Set(keys).size], [2, 2]);
});

test('a change whose answer was lost keeps its key whatever other forms do meanwhile', { skip }, async () => {
  const { organization_id } = await opened.gateway.key('originator', 'Two Forms');
  const person = await signedIn(opened.gateway, organization_id, 'ann@forms.example', ['EDIT', 'VIEW']);
  await using visited = await opened.enter(person, '/sandbox');
  const { page } = visited;
  const [fired, moved]: (string | undefined)[][] = [[], []];
  page.on('request', (request) => {
    const key = request.headers()['idempotency-key'];
    if (request.url().endsWith('/sandbox/events')) fired?.push(key);
    if (request.url().endsWith('/sandbox/clock') && !request.postData()?.includes(':0}')) moved?.push(key);
  });
  const lose = (address: string, body: RegExp) =>
    page.route(`**${address}`, async (route) => {
      if (!body.test(route.request().postData() ?? '')) return route.fallback();
      await route.fetch();
      await route.abort();
    });
  await lose('/sandbox/events', /event/);
  const fire = page.getByRole('button', { name: 'Fire the event' });
  await fire.click();
  await page.getByText('The gateway cannot be reached', { exact: false }).waitFor();
  await page.unroute('**/sandbox/events');
  await page.getByRole('button', { name: 'A day on' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Go back' }).click();
  await dialog.waitFor({ state: 'detached' });
  await fire.click();
  await page.getByText('is fired.', { exact: false }).waitFor();
  assert.deepEqual([fired?.length, new Set(fired).size], [2, 1]);

  await lose('/sandbox/clock', /86400/);
  await page.getByRole('button', { name: 'A day on' }).click();
  await dialog.getByRole('button', { name: 'A day on' }).click();
  await dialog.getByText('The gateway cannot be reached', { exact: false }).waitFor();
  await page.unroute('**/sandbox/clock');
  // The page asks for the time at the same address.
  const asked = page.waitForResponse((response) => response.url().endsWith('/sandbox/clock'));
  await comeBack(page, 3_600);
  await asked;
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('The clock is 1 day further.').waitFor();
  assert.deepEqual([moved?.length, new Set(moved).size], [2, 1]);
});
