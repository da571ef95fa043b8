import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consoleOfFile, withoutBrowser as skip } from '../support/console.ts';
import { type SignedIn, signedIn } from '../support/people.ts';
import { lookAtScreen } from '../support/screens.ts';
import { autoTape, seller } from '../support/tapes.ts';
import { until } from '../support/until.ts';

const opened = consoleOfFile();

/** A seller's person, and a deal of theirs whose tape has been checked. */
async function dealOf(name: string, tape: string): Promise<{ person: SignedIn; deal: string }> {
  const { gateway } = opened;
  const ours = await seller(gateway, name);
  const deal = await ours.sent(tape);
  await until(async () => (await ours.deal(deal)).qc?.state === 'DONE', 90_000, 'the checks');
  const email = `ann@${name.toLowerCase().replaceAll(/\W/g, '')}.example`;
  return { deal, person: await signedIn(gateway, ours.as.organization_id, email, ['EDIT', 'VIEW']) };
}

const flawed = autoTape(40, (row, index) => {
  if (index === 4) Object.assign(row, { FICO: 'abc', 'Contract Rate': 'high' });
  if (index === 6) row.FICO = 'xyz';
});

test('cells are corrected where their findings are, sent together, and told by what they changed', { skip }, async () => {
  const { person, deal } = await dealOf('Mending Harbor', flawed);
  await using visited = await opened.enter(person, `/deals/${deal}?tab=findings`);
  const { page, complaints } = visited;
  const cell = (name: string) => page.getByRole('button', { name: `Correct ${name}:` });
  const correct = async (name: string, value: string): Promise<void> => {
    await cell(name).first().click();
    await page.getByRole('textbox', { name }).fill(value);
    await page.keyboard.press('Enter');
  };
  await correct('FICO of row 5', '700');
  await correct('Contract Rate of row 5', '7.5');
  await correct('FICO of row 7', '710');
  await correct('FICO of row 7', 'xyz');
  await page.getByText('2 cells in 1 row corrected, not sent').waitFor();
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('table', { name: 'Versions' }).waitFor();
  await page.getByRole('tab', { name: /Findings/ }).click();
  await correct('FICO of row 7', '711');
  await page.getByText('3 cells in 2 rows corrected, not sent').waitFor();
  assert.deepEqual(await lookAtScreen(page), []);
  await page.getByRole('button', { name: 'Drop the correction of FICO of row 7' }).click();
  await page.getByRole('button', { name: 'Send the correction' }).click();
  await page.getByText('2 findings are gone, 0 are new. 1 loans changed, 0 were added, 0 were removed.').waitFor();
  assert.match(page.url(), /corrected=2/);
  await cell('FICO of row 7').waitFor();
  assert.equal(await cell('FICO of row 5').count(), 0);
  await page.reload();
  await page.getByText('2 findings are gone').waitFor();
  assert.deepEqual(await lookAtScreen(page), []);
  assert.deepEqual(complaints, []);
});

test('loans are chosen and copied, counted beside all of them, and their columns and density are in the address', {
  skip,
}, async () => {
  const { person, deal } = await dealOf('Grid Harbor', autoTape(450));
  await using visited = await opened.enter(person, `/deals/${deal}/loans`);
  const { page, complaints } = visited;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByText('450 loans').waitFor();
  const grid = page.getByRole('grid', { name: 'Loans' });
  const cell = (row: number, column: number) => grid.locator(`#cell-${row}-${column}`);
  await cell(0, 0).getByText('A000001').waitFor();
  assert.match(await cell(0, 1).innerText(), /^\$18,000$/);
  assert.equal(await cell(0, 3).innerText(), '7.25%');
  await cell(1, 1).click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Control+c');
  await page.getByText('2 rows × 2 columns copied.').waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), '18010\t20010\n18020\t20020');
  await page.keyboard.press('End');
  await cell(449, 2).and(page.locator('.active')).waitFor();
  await cell(449, 0).getByText('A000450').waitFor();

  await page.getByLabel('Loan id begins with').fill('a0000');
  await page.getByText('99 of 450 loans').waitFor();
  await page.getByText('Comfortable').click();
  await page.getByRole('button', { name: 'Columns of the loans' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Original balance' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await page.waitForURL(/density=comfortable.*columns=|columns=.*density=comfortable/);
  assert.equal(await grid.getByRole('columnheader', { name: 'Original balance' }).count(), 0);
  const href = await page.getByRole('link', { name: 'Save the loans as CSV' }).getAttribute('href');
  const file = await page.request.get(new URL(href ?? '', page.url()).href);
  const lines = (await file.text()).trim().split('\r\n');
  assert.deepEqual([lines.length, lines[1]?.split(',').slice(0, 3)], [100, ['1', 'A000001', '18000']]);
  assert.deepEqual(await lookAtScreen(page), []);

  await grid.getByRole('link', { name: 'A000002' }).click();
  await page.getByRole('heading', { name: 'Loan A000002' }).waitFor();
  await page.getByRole('table', { name: 'Versions of the loan' }).getByText('First version').waitFor();
  await page.getByText('Nothing: every value of this row passed the checks.').waitFor();
  await page.getByText('$18,010', { exact: true }).waitFor();
  assert.deepEqual(await lookAtScreen(page), []);
  await page.getByRole('link', { name: 'Next loan' }).click();
  await page.getByRole('heading', { name: 'Loan A000003' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a change of the mapping shows values before and after, and changes nothing until it is set', { skip }, async () => {
  const { person, deal } = await dealOf('Mapping Harbor', autoTape(20));
  await using visited = await opened.enter(person, `/deals/${deal}?tab=mapping`);
  const { page, complaints } = visited;
  const field = page.getByRole('combobox', { name: 'Field of FICO' });
  await field.click();
  await field.fill('');
  await page.getByRole('row', { name: /^FICO/ }).locator('button').click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  const values = page.getByRole('table', { name: 'Values before and after' });
  await values
    .getByText(/^\d{3} → –$/)
    .first()
    .waitFor();
  assert.deepEqual(await lookAtScreen(page), []);
  await page.reload();
  await field.waitFor();
  assert.notEqual(await field.inputValue(), '');
  assert.deepEqual(complaints, []);
});

test('a field that is chosen for another column leaves the one that had it, which the page says before it is set', {
  skip,
}, async () => {
  const { person, deal } = await dealOf('Taking Harbor', autoTape(20));
  await using visited = await opened.enter(person, `/deals/${deal}?tab=mapping`);
  const { page, complaints } = visited;
  const field = (column: string) => page.getByRole('combobox', { name: `Field of ${column}` });
  const choose = async (column: string, name: string): Promise<void> => {
    await field(column).click();
    await field(column).fill(name);
    // A mouse would first be scrolled to the entry, by which the field may leave the window, and its list with it.
    const option = page.getByRole('option', { name });
    await option.waitFor();
    await option.dispatchEvent('click');
  };
  const told = page.getByRole('status').getByText('Credit score goes from FICO to New/Used.');
  await choose('New/Used', 'Credit score');
  await told.waitFor();
  assert.equal(await field('FICO').inputValue(), '');
  await page.getByText('Loses Credit score to New/Used.').waitFor();
  assert.deepEqual(await lookAtScreen(page), []);
  await page.getByRole('button', { name: 'Undo' }).click();
  await told.waitFor({ state: 'detached' });
  assert.equal(await field('FICO').inputValue(), 'Credit score');
  await choose('New/Used', 'Credit score');
  await page.getByRole('button', { name: 'Try it out' }).click();
  await page.getByText('FICO → New/Used').waitFor();
  await page.getByRole('button', { name: 'Set the mapping' }).click();
  await page.getByText('The mapping is set; the tape is checked again.').waitFor();
  await page.getByText('Choose other fields to try them out.').waitFor();
  await page.reload();
  await field('FICO').waitFor();
  assert.deepEqual([await field('FICO').inputValue(), await field('New/Used').inputValue()], ['', 'Credit score']);
  assert.deepEqual(complaints, []);
});

test('a mapping that a colleague sets under a changed draft is said, and replaced only when the person says so', {
  skip,
}, async () => {
  const { gateway } = opened;
  const ours = await seller(gateway, 'Two Minds');
  const deal = await ours.sent(autoTape(20));
  const checked = () => until(async () => (await ours.deal(deal)).qc?.state === 'DONE', 90_000, 'the checks');
  await checked();
  const person = await signedIn(gateway, ours.as.organization_id, 'ann@twominds.example', ['EDIT', 'VIEW']);
  await using visited = await opened.enter(person, `/deals/${deal}?tab=mapping`);
  const { page } = visited;
  const path = `/v1/api/originator/loans/${deal}/mapping`;
  const sources = async (): Promise<string[]> =>
    (await gateway.call('GET', path, { as: ours.as })).body.data.mappings.map(({ source }: { source: string }) => source);
  await page.getByRole('row', { name: /^FICO/ }).locator('button').click();
  const body = { mappings: [{ source: 'Collateral Value', target: null }] };
  const set = await gateway.call('PUT', path, { as: ours.as, body });
  assert.equal(set.status, 202, JSON.stringify(set.body));
  await checked();
  assert.ok(!(await sources()).includes('Collateral Value'));
  const save = page.getByRole('button', { name: 'Set the mapping' });
  await save.click();
  await page.getByText('Another version was saved meanwhile').waitFor();
  assert.ok((await sources()).includes('FICO'));
  assert.equal(await page.getByRole('combobox', { name: 'Field of FICO' }).inputValue(), '');
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await save.click();
  await page.getByText('The mapping is set; the tape is checked again.').waitFor();
  await checked();
  assert.deepEqual(
    (await sources()).filter((source) => source === 'FICO'),
    [],
  );
  await page.getByText('Choose other fields to try them out.').waitFor();
  assert.equal(await page.getByText('was saved meanwhile').count(), 0);
});
