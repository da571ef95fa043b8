import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consoleOfFile, type Visit, withoutBrowser as skip } from '../support/console.ts';
import { SC } from '../support/criteria.ts';
import { signedIn } from '../support/people.ts';
import { autoTape, seller } from '../support/tapes.ts';

const opened = consoleOfFile();
const EVERY = ['ADMIN', 'EDIT', 'APPROVE', 'VIEW'] as const;

/** Thirty Auto loans with scores of 620 + row, of which ten are 60 days late: rows 15 to 19 and 25 to 29, from 0. */
const LATE = autoTape(30, (row, index) => {
  if ((index >= 15 && index < 20) || index >= 25) row['Days Past Due'] = '60';
});

/** A person of an organization with a checked deal, and the organization's calls. */
async function originatorOf(name: string, rights: (typeof EVERY)[number][] = [...EVERY]) {
  const { gateway } = opened;
  const ours = await seller(gateway, name);
  const dealId = await ours.checked(LATE);
  const email = `ann@${name.toLowerCase().replaceAll(/\W/g, '')}.example`;
  return {
    person: await signedIn(gateway, ours.as.organization_id, email, rights),
    dealId,
    get: async (path: string) => (await gateway.call('GET', `${SC}${path}`, { as: ours.as })).body.data,
    post: async (path: string, body: object) => (await gateway.call('POST', `${SC}${path}`, { as: ours.as, body })).body.data,
  };
}

/** Goes to another page of the console. */
const open = async ({ page }: Visit, path: string): Promise<void> => {
  await page.goto(`${new URL(page.url()).origin}/console${path}`);
};

test('an originator begins with a template, adds a rule by keyboard, sees what it does, saves and runs it, and asks for a waiver', {
  skip,
}, async () => {
  const { person, dealId, get } = await originatorOf('Criteria Lending');
  await using visited = await opened.enter(person, '/criteria');
  const { page, complaints } = visited;
  const refused: string[] = [];
  page.on('response', (response) => void (response.status() === 422 && refused.push(new URL(response.url()).pathname)));
  await page.getByText('No criteria yet').waitFor();
  await page.getByRole('tab', { name: 'Templates' }).click();
  await page.getByRole('checkbox', { name: 'Choose C005' }).check();
  await page.getByRole('link', { name: 'Begin with 1 template' }).click();

  // The template is a row; over a deal it is run at once.
  const rules = page.getByRole('list', { name: 'Loan rules' });
  await rules.getByRole('listitem', { name: 'Rule C005' }).waitFor();
  await page.getByRole('combobox', { name: 'Deal' }).click();
  await page.getByRole('option').first().click();
  await page.getByText('20 of 30 loans', { exact: true }).waitFor();
  assert.match(page.url(), new RegExp(`deal=${dealId}`));

  // A rule by the keys alone.
  await page.getByRole('button', { name: 'Add a loan rule' }).press('Enter');
  await page.keyboard.type('score at orig');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText('It waits for what is not finished.').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('640');
  await page.getByText('5 of 30 loans', { exact: true }).waitFor();
  await page
    .getByText('−50.0 points since the last change')
    .or(page.getByText('-50.0 points since the last change'))
    .first()
    .waitFor();
  await rules.getByRole('listitem', { name: 'Rule R2' }).getByText('20 loans fail it (66.7%)').waitFor();
  assert.deepEqual(await get('/criteria'), [], 'a dry run stores nothing');

  // Both tabs are one set.
  await page.getByRole('tab', { name: 'JSON' }).click();
  const json = page.getByRole('textbox', { name: 'The set as JSON' });
  const written = JSON.parse(await json.inputValue());
  assert.deepEqual(
    written.loan_rules.map(({ rule }: { rule: unknown }) => rule),
    [
      { field: 'days_past_due', op: 'lte', value: 30 },
      { field: 'credit_score', op: 'gte', value: 640 },
    ],
  );
  const nested = { not: { all: [{ any: [{ not: { field: 'state', op: 'eq', value: 'TX' } }] }] } };
  await json.fill(
    JSON.stringify({
      ...written,
      name: 'Prime',
      loan_rules: [...written.loan_rules, { id: 'DEEP', severity: 'warn', rule: nested }],
    }),
  );
  await page.getByRole('tab', { name: 'Form' }).click();
  await rules.getByRole('textbox', { name: /as text/ }).waitFor();
  await page.getByRole('button', { name: 'Save the set' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'Prime', exact: true }).waitFor();
  const [saved] = await get('/criteria');
  assert.deepEqual(
    [saved.version, saved.name, saved.loan_rules[1].rule.value, saved.loan_rules[2].rule],
    [1, 'Prime', 640, nested],
  );

  // The next version says what is different before it is made.
  await rules.getByRole('textbox', { name: 'Rule R2, value' }).fill('642');
  await page.getByRole('button', { name: 'Save version 2' }).click();
  const changes = page.getByRole('table', { name: 'Changes against version 1' });
  await changes.getByRole('row', { name: /Rule R2 Changed Credit score at least 640 Credit score at least 642/ }).waitFor();
  assert.equal(await changes.getByRole('row').count(), 2);
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('tab', { name: 'Versions (2)' }).waitFor();
  assert.equal((await get(`/criteria/${saved.criteria_id}`)).loan_rules[1].rule.value, 642);
  assert.equal((await get(`/criteria/${saved.criteria_id}?version=1`)).loan_rules[1].rule.value, 640);

  // On the deal: the job is in the address, and its result is read again after a reload.
  await open(visited, `/deals/${dealId}?tab=criteria`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('img', { name: /Balance left after each rule/ }).waitFor();
  await page.reload();
  await page.getByRole('img', { name: /Balance left after each rule/ }).waitFor();
  const [run] = await get(`/deals/${dealId}/results`);
  assert.match(page.url(), new RegExp(`run=${run.sc_job_id}`));
  await page.getByText(`${run.passed} of 30 loans (10.0%)`).waitFor();
  await page.getByText('Figures as a table').click();
  await page
    .getByRole('table', { name: 'Balance left after each rule' })
    .getByRole('row', { name: new RegExp(`R2 ${run.waterfall[2].removed} `) })
    .waitFor();

  await page.getByRole('table', { name: 'Rules of the run' }).getByRole('button', { name: 'R2' }).click();
  const loans = page.getByRole('table', { name: 'Loans of the run' });
  await loans.getByText('Credit score is 620, must be at least 642').waitFor();
  assert.equal(await loans.getByRole('row').count(), 1 + run.rule_results[1].failed);
  await loans.getByRole('checkbox', { name: 'Choose loan A000001' }).check();
  await page.getByRole('button', { name: 'Request a waiver of 1 chosen' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('A co-signer stands in.');
  await dialog.getByRole('button', { name: 'Request', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'Waivers' }).click();
  await page.getByRole('row', { name: /Pending R2 A000001 A co-signer stands in/ }).waitFor();
  const [waiver] = await get('/waivers');
  assert.deepEqual(
    [waiver.status, waiver.rule_id, waiver.loan_ids, waiver.reason],
    ['PENDING', 'R2', ['A000001'], 'A co-signer stands in.'],
  );

  await page.getByRole('tab', { name: 'Loans' }).click();
  await loans.getByRole('link', { name: 'A000001' }).click();
  await page
    .getByRole('table', { name: 'Outcomes of the loan' })
    .getByText('Credit score is 620, must be at least 642')
    .waitFor();
  // A number that is half typed may be asked about before it is whole: the gateway says what is wrong with it. A dry run that is given up for
  // the next one may still hold its place; the next one then tries again.
  assert.deepEqual(
    refused.filter((path) => !/\/sc\/deals\/[^/]+\/run$/.test(path)),
    [],
  );
  assert.deepEqual(
    complaints.filter((each) => !/status of 42[29] .*\/run$/.test(each)),
    [],
  );
});

test('what the API refuses of a set stands at its rule, and the pool is cured where a test is over its limit', {
  skip,
}, async () => {
  const { person, dealId, post } = await originatorOf('Faulty Lending');
  const { criteria_id } = await post('/criteria', {
    name: 'Few states',
    loan_type: 'Auto',
    loan_rules: [{ id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 500 } }],
    pool_tests: [{ id: 'STATE', type: 'concentration', group_by: ['state'], op: 'lte', value: 0.26 }],
  });
  const { sc_job_id } = await post(`/deals/${dealId}/run`, { criteria_id });
  await using visited = await opened.enter(person, `/criteria/${criteria_id}?deal=${dealId}`);
  const { page, complaints } = visited;
  const faults = page.getByRole('alert', { name: 'Faults of Rule SCORE' });
  await page.getByText('30 of 30 loans', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Form of Rule SCORE' }).click();
  await page.getByRole('menuitem', { name: 'Edit as text' }).click();
  await page.getByRole('textbox', { name: 'Rule SCORE as text' }).fill('{"field":"credit_scores","op":"gte","value":500}');
  await page.getByRole('button', { name: 'Take over' }).click();
  await faults.getByText(/did you mean credit_score/).waitFor();
  await page.getByText('Out of date').waitFor();
  await page.getByRole('textbox', { name: 'Rule SCORE as text' }).fill('{"field":"credit_score","op":"gte","value":630}');
  await page.getByRole('button', { name: 'Take over' }).click();
  await page.getByText('20 of 30 loans', { exact: true }).waitFor();
  assert.equal(await faults.count(), 0);
  assert.deepEqual(
    complaints.filter((each) => !each.includes('status of 422')),
    [],
  );

  await page.getByRole('link', { name: 'Deals' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByRole('heading', { name: 'Deals' }).waitFor();
  await open(visited, `/deals/${dealId}?tab=criteria&run=${sc_job_id}&view=cure`);
  const cures = page.getByRole('table', { name: 'Cures' });
  const row = cures.getByRole('row', { name: /^STATE/ });
  await row.waitFor();
  const told = await opened.gateway.call('GET', `${SC}/jobs/${sc_job_id}/cure`, { headers: person.headers });
  const [cure] = told.body.data.cures;
  const [, , loans, balance] = await row.getByRole('cell').allInnerTexts();
  assert.deepEqual([loans, balance], [String(cure.loans), `$${cure.removed_balance.toLocaleString('en-US')}`]);
  await page.getByText('Largest pool').click();
  await page.getByText(`of 30`).first().waitFor();
  await page.getByRole('table', { name: 'Pool tests of the largest pool' }).getByText('Within').waitFor();
});

test('figures are typed key by key: a point, a sign and an emptied field stay until they are a number', { skip }, async () => {
  const { person } = await originatorOf('Typing Lending');
  await using visited = await opened.enter(person, '/criteria/new?type=Auto');
  const { page, complaints } = visited;
  const json = page.getByRole('textbox', { name: 'The set as JSON' });
  await page.getByRole('tab', { name: 'JSON' }).click();
  await json.fill(
    JSON.stringify({
      name: 'Typed',
      loan_type: 'Auto',
      as_of: '2026-06-30',
      loan_rules: [
        { id: 'LTV', rule: { field: 'ltv', op: 'lte', value: 80 } },
        { id: 'DAY', rule: { field: 'origination_date', op: 'after', value: 'as_of' } },
      ],
      pool_tests: [
        { id: 'RATE', type: 'weighted_average', field: 'interest_rate', op: 'gte', value: 1 },
        { id: 'STATE', type: 'concentration', group_by: ['state'], op: 'lte', value: 0.25 },
      ],
    }),
  );
  await page.getByRole('tab', { name: 'Form' }).click();
  const typed: [name: string, keys: string, shown: string][] = [
    ['Rule LTV, value', '79.05', '79.05'],
    ['Rule DAY, value', '-30', '-30'],
    ['Test RATE, limit', '-0.50', '-0.50'],
    ['Test STATE, limit', '12.25', '12.25'],
  ];
  for (const [name, keys, shown] of typed) {
    const field = page.getByRole('textbox', { name, exact: true });
    await field.press('ControlOrMeta+a');
    await field.press('Delete');
    assert.equal(await field.inputValue(), '', `${name}, emptied`);
    await field.pressSequentially(keys);
    assert.equal(await field.inputValue(), shown, name);
  }
  // What is no number when the field is left does not stay there as if it were one.
  const ltv = page.getByRole('textbox', { name: 'Rule LTV, value' });
  const leave = async (keys: string): Promise<string> => {
    await ltv.press('ControlOrMeta+a');
    await ltv.pressSequentially(keys);
    await ltv.press('Tab');
    return await ltv.inputValue();
  };
  assert.equal(await leave('-'), '');
  await leave('12345678901234567');
  const wrong = page.getByText('This is no number of at most 15 digits.');
  await wrong.waitFor();
  assert.equal(await leave('79.05'), '79.05');
  assert.equal(await wrong.count(), 0);
  await page.getByRole('tab', { name: 'JSON' }).click();
  const { loan_rules, pool_tests } = JSON.parse(await json.inputValue());
  assert.deepEqual(
    [
      ...loan_rules.map(({ rule }: { rule: { value: unknown } }) => rule.value),
      ...pool_tests.map(({ value }: { value: unknown }) => value),
    ],
    [79.05, 'as_of-30d', -0.5, 0.1225],
  );
  assert.deepEqual(complaints, []);
});

test('who may not change criteria reads them, and is told why the rest is closed', { skip }, async () => {
  const { person, dealId, post } = await originatorOf('Reading Lending', ['VIEW']);
  const { criteria_id } = await post('/criteria', {
    name: 'Read only',
    loan_type: 'Auto',
    loan_rules: [{ id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 640 } }],
  });
  await using visited = await opened.enter(person, `/criteria/${criteria_id}?deal=${dealId}`);
  const { page, complaints } = visited;
  await page.getByText('To change it you need the right EDIT.').waitFor();
  await page.getByText('A dry run needs the right EDIT; yours: VIEW.').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Rule SCORE, id' }).isDisabled(), true);
  await open(visited, `/deals/${dealId}?tab=criteria`);
  assert.equal(await page.getByRole('button', { name: 'Run', exact: true }).getAttribute('aria-disabled'), 'true');
  assert.deepEqual(complaints, []);
});
