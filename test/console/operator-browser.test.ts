import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setNeeded } from '../support/approvals.ts';
import { consoleOfFile, withoutBrowser as skip } from '../support/console.ts';

const opened = consoleOfFile();

test('the operator issues a key that is shown once, keeps a compliance profile, suspends and resumes an organization', {
  skip,
}, async () => {
  await using platform = await opened.visit(await opened.gateway.key('operator', 'Platform'));
  const { page } = platform;
  const sure = (name: string): Promise<void> => page.getByRole('dialog').getByRole('button', { name }).click();

  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByText('Issue a key').click();
  await page.getByLabel('Organization', { exact: true }).fill('Newcomer Capital');
  await page.getByLabel('Role').selectOption('investor');
  await page.getByLabel('Requester').fill('Ada');
  await page.getByLabel('Use case').fill('marketplace');
  await page.getByRole('button', { name: 'Issue the key' }).click();
  const token = await page.locator('code.secret').innerText();
  await page.getByRole('link', { name: 'Newcomer Capital' }).click();
  await page.getByRole('heading', { name: 'Newcomer Capital' }).waitFor();
  assert.equal(await page.getByText(token).count(), 0);

  await page.getByText('There is no profile yet').waitFor();
  await page.getByLabel('KYC', { exact: true }).selectOption('VERIFIED');
  await page.getByLabel('Most in one deal').fill('2500000');
  await page.getByLabel('Qualified institutional buyer (Rule 144A)').check();
  await page.getByRole('button', { name: 'Save the profile' }).click();
  await page.getByText('There is no profile yet').waitFor({ state: 'detached' });
  await page.reload();
  assert.equal(await page.getByLabel('Most in one deal').inputValue(), '2500000');
  assert.ok(await page.getByLabel('Qualified institutional buyer (Rule 144A)').isChecked());
  assert.ok(!(await page.getByLabel('Accredited investor (Rule 506(c))').isChecked()));

  /** Suspension and revocation reach a key within two seconds. */
  const isRefused = async (refused: boolean): Promise<void> => {
    const deadline = Date.now() + 2_000;
    while (((await opened.gateway.call('GET', '/v1/api/me', { as: token })).status === 401) !== refused)
      assert.ok(Date.now() < deadline, `the key is ${refused ? 'not ' : ''}refused`);
  };
  await isRefused(false);
  await page.getByRole('button', { name: 'Suspend' }).click();
  await sure('Suspend');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await isRefused(true);
  await page.getByRole('button', { name: 'Resume' }).click();
  await sure('Resume');
  await page.getByRole('button', { name: 'Suspend' }).waitFor();
  await isRefused(false);

  await page.getByRole('button', { name: 'Rotate' }).click();
  await sure('Rotate');
  const next = await page.locator('code.secret').innerText();
  assert.notEqual(next, token);
  const first = page.getByRole('region', { name: 'Keys' }).getByRole('row').nth(2);
  await first.getByRole('button', { name: 'Revoke' }).click();
  await sure('Revoke');
  await first.getByText('Revoked').waitFor();
  await isRefused(true);
  assert.deepEqual(platform.complaints, []);
});

test('an act that waits for other people is said not to be done', { skip }, async () => {
  const operator = await opened.gateway.key('operator', 'Platform');
  const { organization_id } = await opened.gateway.key('investor', 'Patient Capital');
  await setNeeded(opened.gateway, operator, { KEY_ISSUE: 2 });
  await using platform = await opened.visit(operator);
  const { page } = platform;
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('link', { name: 'Patient Capital' }).click();
  await page.getByRole('heading', { name: 'Patient Capital' }).waitFor();
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  await page.getByText('Not done yet: it needs 2 people and has 0.').waitFor();
  assert.equal(await page.locator('code.secret').count(), 0, organization_id);
  await setNeeded(opened.gateway, operator, {});
});

test('the operator verifies the audit log, and reads what is wrong with it or what is left open', { skip }, async () => {
  const { gateway } = opened;
  await using platform = await opened.visit(await gateway.key('operator', 'Auditors'));
  const { page } = platform;
  await page.getByRole('link', { name: 'Audit' }).click();
  const verify = async (verdict: Record<string, unknown>): Promise<string> => {
    const answer = { valid: true, entries: 120, broken_at: null, problems: [], ...verdict };
    await page.route('**/v1/operator/audit/verify', (asked) => asked.fulfill({ json: { success: true, data: answer } }), {
      times: 1,
    });
    await page.getByRole('button', { name: 'Verify the chain' }).click();
    await page.getByRole('button', { name: 'Verify the chain', disabled: false }).waitFor();
    return page
      .getByRole('status')
      .filter({ hasText: /chain|log/ })
      .innerText();
  };
  assert.match(await verify({}), /chain of 120 entries is intact and agrees/);
  assert.match(await verify({ valid: null }), /intact, but the checkpoints of the object store could not be read/);
  const message = 'Checkpoint 2 was signed when the log had 130 entries; it ends with entry 120.';
  assert.ok((await verify({ valid: false, broken_at: 121, problems: [{ sequence: 121, message }] })).includes(message));
  await page.getByRole('button', { name: 'Verify the chain' }).click();
  await page.getByText(/agrees with its signed checkpoints/).waitFor();
  assert.deepEqual(platform.complaints, []);
});
