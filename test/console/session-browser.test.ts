import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comeBack, consoleOfFile, withoutBrowser as skip } from '../support/console.ts';
import { raiseAlert } from '../../src/events/emit.ts';
import { signedIn } from '../support/people.ts';
import { until } from '../support/until.ts';

const opened = consoleOfFile();

test('who cannot be signed out is told so, and a session that ended elsewhere counts as signed out', { skip }, async () => {
  const { organization_id } = await opened.gateway.key('originator', 'Leaving Lending');
  const person = await signedIn(opened.gateway, organization_id, 'ann@leaving.example', ['VIEW']);
  await using visited = await opened.enter(person, '/deals');
  const { page } = visited;
  const leave = async (): Promise<void> => {
    await page.getByRole('button', { name: /Leaving Lending/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  };
  await page.route('**/auth/logout', (route) => route.abort(), { times: 1 });
  await leave();
  await page.getByText('You are still signed in: The gateway cannot be reached', { exact: false }).waitFor();
  await page.getByRole('heading', { name: 'Deals' }).waitFor();

  const elsewhere = await opened.gateway.call('POST', '/auth/logout', { headers: person.headers, body: { everywhere: true } });
  assert.equal(elsewhere.status, 200);
  await leave();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
});

test('a page says that its figures could not be refreshed, and shows none of them after the session has ended elsewhere', {
  skip,
}, async () => {
  const { organization_id } = await opened.gateway.key('originator', 'Ended Lending');
  const person = await signedIn(opened.gateway, organization_id, 'ann@ended.example', ['VIEW', 'ADMIN']);
  await using visited = await opened.enter(person, '/notifications');
  const { page } = visited;
  const figures = page.getByRole('region', { name: 'Addresses' });
  await figures.waitFor();
  await page.route('**/v1/api/notification-preferences', (route) =>
    route.fulfill({ status: 500, json: { message: 'Not now.' } }),
  );
  await comeBack(page, 10);
  await page.getByText('This could not be refreshed, and may be out of date: Not now.').waitFor();
  await figures.waitFor();
  await page.unroute('**/v1/api/notification-preferences');
  const elsewhere = await opened.gateway.call('POST', '/auth/logout', { headers: person.headers, body: { everywhere: true } });
  assert.equal(elsewhere.status, 200);
  // Who is signed in is asked once in a minute; what the page shows is asked before.
  await comeBack(page, 10);
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  assert.equal(await figures.count(), 0);
});

test('what was read for one organization is not shown when the session goes on for another', { skip }, async () => {
  const { organization_id } = await opened.gateway.key('originator', 'First Lending');
  const person = await signedIn(opened.gateway, organization_id, 'ann@first.example', ['VIEW', 'ADMIN']);
  await using visited = await opened.enter(person, '/notifications');
  const { page } = visited;
  const figures = page.getByRole('region', { name: 'Addresses' });
  await figures.waitFor();
  await page.route('**/auth/me', async (route) => {
    const { data } = await (await route.fetch()).json();
    await route.fulfill({
      json: { success: true, data: { ...data, organization_id: 'org_other', organization: 'Second Lending' } },
    });
  });
  // Nothing of the other organization arrives.
  await page.route('**/v1/api/notification-preferences', () => undefined);
  await comeBack(page, 120);
  await page.getByRole('button', { name: /Second Lending/ }).waitFor();
  assert.equal(await figures.count(), 0);
});

test('what a person was typing when the session ended is there again after they have signed in again in another tab', {
  skip,
}, async () => {
  const { organization_id } = await opened.gateway.key('originator', 'Typing Lending');
  const person = await signedIn(opened.gateway, organization_id, 'ann@typing.example', ['VIEW', 'ADMIN']);
  await using visited = await opened.enter(person, '/members');
  const { page } = visited;
  await page.getByRole('button', { name: 'Invite a person' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Nora New');
  await dialog.getByLabel('E-mail').fill('new@typing.example');
  const cookies = await page.context().cookies();
  // At the act itself: what the page reads by the way would find the end of the session first where the machine is slow.
  await page.route('**/v1/api/members', async (route) => {
    if (route.request().method() === 'POST') await page.context().clearCookies();
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  const signIn = page.getByRole('link', { name: 'Sign in again' });
  await signIn.waitFor();
  assert.equal(await signIn.getAttribute('target'), '_blank');
  assert.equal(await dialog.count(), 0);
  await page.context().addCookies(cookies);
  await comeBack(page, 1);
  await dialog.getByText('The session had ended, so nothing was saved or done.').waitFor();
  assert.equal(await dialog.getByLabel('E-mail').inputValue(), 'new@typing.example');
});

test('an act that fails after its dialog was closed is told on the page', { skip }, async () => {
  const { organization_id } = await opened.gateway.key('originator', 'Closing Lending');
  const person = await signedIn(opened.gateway, organization_id, 'ann@closing.example', ['VIEW', 'ADMIN']);
  await using visited = await opened.enter(person, '/members');
  const { page } = visited;
  await page.getByRole('button', { name: 'Invite a person' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Nora New');
  await dialog.getByLabel('E-mail').fill('new@closing.example');
  const closed = Promise.withResolvers<void>();
  await page.route('**/v1/api/members', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await closed.promise;
    return route.fulfill({ status: 500, json: { message: 'Not now.' } });
  });
  // Beside it.
  await page.mouse.click(5, 700);
  const asked = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/v1/api/members'));
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  await asked;
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  closed.resolve();
  await page.getByText('That did not work: Not now.').waitFor();
});

test('alerts arrive again after the stream of alerts was refused', { skip }, async () => {
  const { gateway } = opened;
  const { organization_id } = await gateway.key('originator', 'Listening Lending');
  const person = await signedIn(gateway, organization_id, 'ann@listening.example', ['VIEW']);
  await using visited = await opened.enter(person, '/alerts');
  const { page } = visited;
  await page.getByRole('heading', { name: 'Alerts', exact: true }).waitFor();
  await page.clock.install();
  // As a proxy responds while the gateway behind it is replaced.
  await page.route('**/v1/api/alerts/stream', (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }));
  const refused = page.waitForResponse((response) => response.status() === 502);
  await page.reload();
  await refused;
  await page.unroute('**/v1/api/alerts/stream');
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    raiseAlert(tx, organization_id, 'loan.mapping_needed', {
      category: 'deal',
      priority: 'HIGH',
      title: 'A tape needs you',
      message: 'It came while nobody listened.',
      entity_type: 'deal',
      entity_id: 'deal_1',
    }),
  );
  const again = page.waitForRequest('**/v1/api/alerts/stream');
  await until(
    async () => {
      await page.clock.fastForward(1_000);
      return (await page.getByRole('link', { name: '1 unread alert', exact: true }).count()) === 1;
    },
    90_000,
    'the alert in the number of unread ones',
  );
  await again;
});
