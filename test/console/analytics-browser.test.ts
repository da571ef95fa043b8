import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consoleOfFile, withoutBrowser as skip } from '../support/console.ts';
import { signedIn } from '../support/people.ts';
import { seededSandbox } from '../support/sandbox.ts';

const opened = consoleOfFile();

const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

test('an investor types scenarios, is told what cannot be read, runs them, comes back to them, and reads cash and waterfall', {
  skip,
}, async () => {
  const { gateway } = opened;
  const { investor } = await seededSandbox(gateway);
  const market = await gateway.call('GET', '/v1/api/investor/deals?sort=oldest', { as: investor });
  const { deal_id } = market.body.data[0];
  const buyer = await signedIn(gateway, investor.organization_id, 'quinn@quants.example', ['VIEW', 'EDIT']);
  await using visited = await opened.enter(buyer, `/market/${deal_id}?tab=analytics`);
  const { page, complaints } = visited;

  await page.getByLabel('Prepayment of base', { exact: true }).fill('6 for 12, faster');
  await page.getByText('“faster” cannot be read.', { exact: false }).waitFor();
  assert.ok(await page.getByRole('button', { name: 'Calculate' }).isDisabled());
  await page.getByLabel('Prepayment of base', { exact: true }).fill('6 for 12, 8');
  await page.getByRole('button', { name: 'Add a scenario' }).click();
  await page.getByLabel('Name of scenario 2').fill('slow');
  await page.getByLabel('Prepayment of slow', { exact: true }).fill('1 to 4 over 4');
  await page.getByRole('button', { name: 'Calculate' }).click();
  await page.getByText('Completed').first().waitFor();
  const id = new URL(page.url()).searchParams.get('run') ?? '';
  const read = (path: string) =>
    gateway.call('GET', `/v1/api/investor/deals/${deal_id}/calculations/${id}${path}`, { as: investor });
  const calculation = (await read('')).body.data;
  assert.deepEqual(
    calculation.results.map(({ scenario, assumptions }: { scenario: string; assumptions: object }) => [
      scenario,
      (assumptions as { cpr: unknown }).cpr,
    ]),
    [
      ['base', [...Array(12).fill(6), 8]],
      ['slow', [1, 2, 3, 4]],
    ],
  );

  // The address leads back to it.
  await page.reload();
  const assumed = page.getByRole('table', { name: 'Scenarios that were calculated' });
  await assumed.getByRole('row', { name: /^CPR 6 for 12, 8 1, 2, 3, 4$/ }).waitFor();
  const [base, slow] = calculation.results;
  const [tranche] = base.tranches;
  const results = page.getByRole('table', { name: `Results of ${tranche.tranche}` });
  const shown = (of: { tranches: { wal: number }[] }): string => `${of.tranches[0]?.wal.toFixed(2)} years`;
  const row = await results.getByRole('row', { name: /^Average life/ }).innerText();
  assert.ok(row.includes(shown(base)) && row.includes(shown(slow)), row);

  await page.getByRole('tab', { name: 'Cash flows' }).click();
  const flows = (await read(`/cashflows?scenario=base&tranche=${tranche.tranche}`)).body.data;
  const cash = page.getByRole('table', { name: `Cash flows of ${tranche.tranche}` });
  await cash.getByRole('row').nth(1).getByText(DOLLARS.format(flows[0].interest_paid), { exact: true }).first().waitFor();
  // With the header and the totals.
  assert.equal(await cash.getByRole('row').count(), flows.length + 2);
  const paid = flows.reduce((sum: number, row: { interest_paid: number }) => sum + row.interest_paid, 0);
  await cash.getByRole('row', { name: /^All/ }).getByText(DOLLARS.format(paid), { exact: true }).waitFor();

  await page.getByRole('tab', { name: 'Waterfall' }).click();
  await page.getByRole('button', { name: 'Next' }).press('Enter');
  const [trace] = (await read('/trace?scenario=base&period=2')).body.data;
  const steps = page.getByRole('table', { name: 'Steps of period 2' });
  await steps.waitFor();
  assert.equal(await steps.getByRole('row').count(), trace.steps.length + 1);
  await page.getByText(DOLLARS.format(trace.interest_collected), { exact: true }).first().waitFor();
  assert.match(page.url(), /at=2/);
  assert.deepEqual(complaints, []);
});
