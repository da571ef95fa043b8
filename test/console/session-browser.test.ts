import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consoleOfFile, withoutBrowser as skip } from '../support/console.ts';
import { signedIn } from '../support/people.ts';

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
