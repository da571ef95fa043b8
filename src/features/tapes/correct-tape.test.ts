import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { signedIn } from '../../../test/support/people.ts';
import { autoTape, LOANS, seller } from '../../../test/support/tapes.ts';

/** A tape with two scores that cannot be read, and a name that a spreadsheet would run. */
const flawed = () =>
  autoTape(20, (row, index) => {
    if (index === 4 || index === 6) row.FICO = index === 4 ? 'abc' : 'xyz';
    row['Originator Name'] = index === 4 ? '=SUM(A1)' : 'Harbor, "North"';
  }).replaceAll(/Harbor, "North"/g, '"Harbor, ""North"""');

const mend = (row_number: number, value: string, column = 'FICO') => ({ row_number, column, value });

test('cells of a tape that are corrected in place', async (t) => {
  await using gateway = await startGateway();
  const correct = (ours: Awaited<ReturnType<typeof seller>>, dealId: string, tape_version: number, ...cells: unknown[]) =>
    ours.call('POST', `/${dealId}/corrections`, { tape_version, cells });

  await t.test('are none where the loans were sent inline: read as a tape, their rates would get other units', async () => {
    const ours = await seller(gateway, 'Inline Mender');
    const loan = (id: string) => ({
      loan_id: id,
      original_balance: 20_000,
      current_balance: 15_000,
      interest_rate: 0.5,
      original_term_months: 60,
      remaining_term_months: 40,
      origination_date: '2025-01-15',
      status: 'CURRENT',
    });
    const deals = [{ loanType: 'Auto', name: 'Inline', loans: [loan('a'), loan('b')] }];
    assert.equal((await ours.call('POST', '/bulk', { deals })).status, 202);
    await gateway.runJobs();
    const [{ deal_id }] = (await ours.call('GET', '')).body.data;
    const { status, body } = await correct(ours, deal_id, 1, mend(1, '14000', 'current_balance'));
    assert.deepEqual([status, body.code], [409, 'CONFLICT']);
    assert.match(String(body.message), /sent inline/);
  });

  await t.test('become the next version; every other cell stays, whatever its text', async () => {
    const ours = await seller(gateway, 'Mender');
    const dealId = await ours.checked(flawed());
    const loansOf = async (): Promise<Record<string, unknown>[]> =>
      (await ours.call('GET', `/${dealId}/loans?limit=100`)).body.data.map(
        ({ line: _line, ...loan }: Record<string, unknown>) => loan,
      );
    const before = await loansOf();
    const { status, body } = await correct(ours, dealId, 1, mend(5, '700'), mend(7, '710'), mend(7, '+1', 'Originator Name'));
    assert.equal(status, 202);
    assert.deepEqual([body.data.version, body.data.corrected_cells, body.data.corrected_rows], [2, 3, 2]);
    await gateway.runJobs();
    const deal = await ours.deal(dealId);
    assert.deepEqual([deal.qc.state, deal.tape_version, deal.issue_counts], ['DONE', 2, { error: 0, warning: 0 }]);
    const after = await loansOf();
    const changed = { 5: { credit_score: 700 }, 7: { credit_score: 710, originator_name: '+1' } };
    assert.deepEqual(
      after,
      before.map((loan) => ({ ...loan, ...changed[loan.row_number as keyof typeof changed] })),
    );
    const [version] = (await ours.call('GET', `/${dealId}/tapes`)).body.data;
    assert.deepEqual([version.mode, version.merged_into, version.file_name], ['MERGE', 1, 'correction-of-version-1.csv']);
    const diff = (await ours.call('GET', `/${dealId}/tapes/2/diff`)).body.data;
    assert.deepEqual(diff.findings, [{ rule_id: 'UNREADABLE_VALUE', severity: 'WARNING', before: 2, after: 0 }]);
    const history = (await ours.call('GET', `/${dealId}/loans/7/history`)).body.data;
    assert.deepEqual(
      history.versions.map(({ version, row_number, changes }: Record<string, unknown>) => [version, row_number, changes]),
      [
        [1, 7, []],
        [
          2,
          7,
          [
            { field: 'originator_name', before: 'Harbor, "North"', after: '+1' },
            { field: 'credit_score', before: null, after: 710 },
          ],
        ],
      ],
    );
    assert.deepEqual([history.loan_id, history.months], ['A000007', []]);
    const [entry] = await ours.audited(dealId);
    assert.deepEqual(
      [entry?.action, entry?.after.version, entry?.after.corrected_cells, JSON.stringify(entry).includes('710')],
      ['tape.corrected', 2, 3, false],
    );
  });

  await t.test('are refused one by one: a row, a column, a cell that is named twice, a text that is there already', async () => {
    const ours = await seller(gateway, 'Refused');
    const dealId = await ours.checked(flawed());
    const first = await correct(ours, dealId, 1, mend(21, '700'), mend(5, '700', 'Score'), mend(5, '1'), mend(5, '2'));
    assert.deepEqual(
      first.body.errors?.map(({ field, code }: { field: string; code: string }) => [field, code]),
      [
        ['cells.0.row_number', 'UNKNOWN_ROW'],
        ['cells.1.column', 'UNKNOWN_COLUMN'],
        ['cells.3.column', 'REPEATED'],
      ],
    );
    const second = await correct(ours, dealId, 1, mend(7, '700'), mend(5, 'abc'));
    assert.deepEqual(
      [second.status, second.body.errors?.[0]?.field, second.body.errors?.[0]?.code],
      [400, 'cells.1.value', 'UNCHANGED'],
    );
    assert.equal((await ours.deal(dealId)).tape_version, 1);
  });

  await t.test('of another version than the one in force, of a running tape and of a decided deal are refused', async () => {
    const ours = await seller(gateway, 'Late');
    const dealId = await ours.checked(flawed());
    assert.equal((await correct(ours, dealId, 1, mend(5, '700'))).status, 202);
    assert.equal((await correct(ours, dealId, 1, mend(7, '700'))).body.code, 'INVALID_TRANSITION');
    await gateway.runJobs();
    const stale = await correct(ours, dealId, 1, mend(7, '700'));
    assert.deepEqual([stale.status, stale.body.code, stale.body.tape_version], [409, 'CONFLICT', 2]);
    const operator = await gateway.key('operator', 'Platform');
    assert.equal((await gateway.call('POST', `/v1/operator/deals/${dealId}/approve`, { as: operator, body: {} })).status, 200);
    assert.equal((await correct(ours, dealId, 2, mend(7, '700'))).body.code, 'INVALID_TRANSITION');
    const theirs = await seller(gateway, 'Stranger');
    assert.equal((await correct(theirs, dealId, 2, mend(7, '700'))).status, 404);
  });

  await t.test('that are sent twice under one idempotency key make one version', async () => {
    const ours = await seller(gateway, 'Repeater');
    const dealId = await ours.checked(flawed());
    const body = { tape_version: 1, cells: [mend(5, '700')] };
    const send = () => ours.call('POST', `/${dealId}/corrections`, body, { 'idempotency-key': 'once' });
    assert.deepEqual((await send()).body.data, (await send()).body.data);
    await gateway.runJobs();
    assert.equal((await ours.call('GET', `/${dealId}/tapes`)).body.data.length, 2);
  });

  await t.test('keep sealed values as they are, and a value for a sealed column is sealed', async () => {
    const ours = await seller(gateway, 'Sealer');
    const tape = autoTape(20, (row, index) => {
      row['Borrower Name'] = `Person ${index}`;
      if (index === 4) row.FICO = 'abc';
    });
    const dealId = await ours.checked(tape);
    assert.equal((await correct(ours, dealId, 1, mend(5, '700'), mend(5, 'Somebody Else', 'Borrower Name'))).status, 202);
    await gateway.runJobs();
    assert.equal((await ours.deal(dealId)).tape_version, 2);
    const text = (await ours.call('GET', `/${dealId}/loans?limit=100`)).text;
    assert.doesNotMatch(text, /Somebody Else|Person/);
    const stored = await gateway.deps.db.tx({ organization: ours.as.organization_id }, (tx) =>
      tx.rows<{ object_key: string }>('select object_key from tapes where deal_id = $1 order by version', [dealId]),
    );
    assert.deepEqual(
      stored.map(({ object_key }) => object_key.endsWith('.sealed')),
      [true, true],
    );
    assert.match((await ours.call('GET', `/${dealId}/tapes/2/file`)).text, /Somebody Else/);
  });

  await t.test('name a column as findings do, where its header is repeated or empty', async () => {
    const ours = await seller(gateway, 'Namesake');
    const [header, ...rows] = autoTape(20).trim().split('\n');
    const tape = [`${header},Note,Note,`, ...rows.map((row, index) => `${row},a${index},b${index},c${index}`)].join('\n');
    const dealId = await ours.checked(tape);
    const cells = [mend(5, 'first', 'Note'), mend(5, 'second', 'note_2'), mend(5, 'third', 'column_16')];
    assert.equal((await correct(ours, dealId, 1, ...cells)).status, 202);
    await gateway.runJobs();
    const { text } = await ours.call('GET', `/${dealId}/tapes/2/file`);
    assert.match(text, /,first,second,third,5,/);
  });

  await t.test('are refused where their text is a mark, which leaves a cell as it is', async () => {
    const ours = await seller(gateway, 'Marker');
    const dealId = await ours.checked(flawed());
    const { status, body } = await correct(ours, dealId, 1, mend(5, ' [sealed] '), mend(7, '[destroyed]'), mend(8, 'sealed'));
    assert.deepEqual(
      [status, ...(body.errors ?? []).map(({ field, code }: { field: string; code: string }) => [field, code])],
      [400, ['cells.0.value', 'MARK'], ['cells.1.value', 'MARK']],
    );
  });

  await t.test('leave a version out of the history of a loan that was never in force', async () => {
    const ours = await seller(gateway, 'Dropper');
    const dealId = await ours.checked(flawed());
    await ours.version(
      dealId,
      autoTape(6, (row) => (row.FICO = '800')),
    );
    const versions = async () =>
      (await ours.call('GET', `/${dealId}/loans/5/history`)).body.data.versions.map(
        ({ version, changes }: { version: number; changes: unknown[] }) => [version, changes.length],
      );
    assert.deepEqual(await versions(), [[1, 0]]);
    assert.equal((await correct(ours, dealId, 1, mend(5, '700'))).status, 202);
    await gateway.runJobs();
    assert.deepEqual(await versions(), [
      [1, 0],
      [3, 1],
    ]);
  });

  await t.test('are no business of people without the right EDIT', async () => {
    const ours = await seller(gateway, 'Reader');
    const dealId = await ours.checked(flawed());
    const reader = await signedIn(gateway, ours.as.organization_id, 'rea@reader.example', ['VIEW']);
    const body = { tape_version: 1, cells: [mend(5, '700')] };
    const refused = await gateway.call('POST', `${LOANS}/${dealId}/corrections`, { headers: reader.headers, body });
    assert.deepEqual([refused.status, refused.body.code], [403, 'RIGHT_REQUIRED']);
  });
});

test('the loans of a filter are one file, in its order, and safe for spreadsheets', async () => {
  await using gateway = await startGateway();
  const ours = await seller(gateway, 'Filed');
  const dealId = await ours.checked(flawed());
  const filter = encodeURIComponent(JSON.stringify({ field: 'state', op: 'eq', value: 'TX' }));
  const query = `filter=${filter}&sort=-current_balance&fields=loan_id,originator_name,current_balance`;
  const { status, text } = await ours.call('GET', `/${dealId}/loans/file?${query}`);
  assert.equal(status, 200);
  assert.deepEqual(text.trim().split('\r\n'), [
    'row_number,loan_id,originator_name,current_balance',
    '17,A000017,"Harbor, ""North""",18160',
    '13,A000013,"Harbor, ""North""",18120',
    '9,A000009,"Harbor, ""North""",18080',
    "5,A000005,'=SUM(A1),18040",
    '1,A000001,"Harbor, ""North""",18000',
  ]);
  const all = (await ours.call('GET', `/${dealId}/loans/file`)).text.trim().split('\r\n');
  assert.equal(all.length, 21);
  assert.equal((await ours.call('GET', `/${dealId}/loans/file?sort=nothing`)).body.code, 'UNKNOWN_FIELD');
  const draft = await ours.uploaded(autoTape(3), { loanType: 'Student' });
  const none = await ours.call('GET', `/${draft}/loans/file`);
  assert.deepEqual(
    [none.status, none.body.message],
    [404, 'The deal has no loans yet: they are there once its tape has been read.'],
  );
  const unrun = await ours.call('GET', `/${dealId}/loans/file?outcome=PASSED&fields=loan_id`);
  assert.deepEqual(
    [unrun.status, unrun.text.trim()],
    [200, 'row_number,loan_id'],
    'no run yet: no loan has passed, as in the list',
  );
});
