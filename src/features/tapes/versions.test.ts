import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { autoTape, CSV, seller } from '../../../test/support/tapes.ts';

const NEXT = { fileName: 'next.csv', fileFormat: CSV };

test('a further version of a tape', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const decide = (dealId: string, act: string) =>
    gateway.call('POST', `/v1/operator/deals/${dealId}/${act}`, { as: operator, body: { reason: 'Seen.' } });

  await t.test('replaces the one before, or merges into it by loan id', async () => {
    const ours = await seller(gateway, 'Versions');
    const dealId = await ours.checked(autoTape(30));
    const two = autoTape(2, (row, index) => {
      if (index === 0) row['Current Balance'] = '17000.00';
      if (index === 1) row['Loan ID'] = 'NEW1';
    });
    const merged = await ours.version(dealId, two, 'MERGE');
    assert.deepEqual([merged.status, merged.tape_version, merged.loan_count], ['QC_COMPLETED', 2, 31]);
    const replaced = await ours.version(dealId, autoTape(20), 'REPLACE');
    assert.deepEqual([replaced.tape_version, replaced.loan_count, replaced.total_balance], [3, 20, 20 * 18_000 + 1_900]);
    const alone = await ours.version(dealId, autoTape(12));
    assert.deepEqual([alone.tape_version, alone.loan_count], [4, 12], 'without a mode it replaces');
    const listed = (await ours.call('GET', `/${dealId}/tapes`)).body.data;
    assert.deepEqual(
      listed.map((each: Record<string, unknown>) => [each.version, each.mode, each.rows, each.accepted, each.state]),
      [
        [4, 'REPLACE', 12, 12, 'DONE'],
        [3, 'REPLACE', 20, 20, 'DONE'],
        [2, 'MERGE', 31, 31, 'DONE'],
        [1, 'REPLACE', 30, 30, 'DONE'],
      ],
    );
    for (const each of listed) assert.match(each.sha256, /^[0-9a-f]{64}$/);
    assert.equal((await ours.events(dealId)).length, 2, 'a deal that stays QC_COMPLETED raises no event');
  });

  await t.test('is opened while the deal is in review or checked, and not while checks run', async () => {
    const ours = await seller(gateway, 'Timely');
    const open = (dealId: string) => ours.call('POST', `/${dealId}/tapes`, NEXT);
    const draft = await ours.uploaded(autoTape(3), { loanType: 'Student' });
    const waiting = await ours.checked(
      autoTape(5).replace('Original Amount Financed', 'A').replace('Current Balance', 'B'),
      'Personal',
    );
    const [approved, rejected] = [await ours.checked(), await ours.checked()];
    await decide(approved, 'approve');
    await decide(rejected, 'reject');
    for (const [dealId, status] of [
      [draft, 'DRAFT'],
      [approved, 'APPROVED'],
      [rejected, 'REJECTED'],
    ] as const) {
      const refused = await open(dealId);
      assert.deepEqual(
        [...codeOf(refused), refused.body.current_status, refused.body.allowed],
        [409, 'INVALID_TRANSITION', status, ['IN_REVIEW', 'QC_COMPLETED']],
      );
    }
    assert.equal((await ours.deal(waiting)).qc.state, 'NEEDS_MAPPING');
    const whole = await ours.version(waiting, autoTape(6));
    assert.deepEqual([whole.status, whole.loan_count], ['QC_COMPLETED', 6], 'instead of a mapping');
    const running = await ours.sent();
    assert.deepEqual(codeOf(await open(running)), [409, 'INVALID_TRANSITION']);
    await gateway.runJobs();
    assert.equal((await open(running)).status, 201);
  });

  await t.test('is opened and compared by its owner alone, with a name, format and mode that exist', async () => {
    const [ours, theirs] = [await seller(gateway, 'Holder'), await seller(gateway, 'Stranger')];
    const dealId = await ours.checked();
    await ours.version(dealId, autoTape(5));
    for (const [method, path, body] of [
      ['POST', '/tapes', NEXT],
      ['GET', '/tapes', undefined],
      ['GET', '/tapes/2/diff', undefined],
    ] as const) {
      assert.deepEqual(codeOf(await theirs.call(method, `/${dealId}${path}`, body)), [404, 'NOT_FOUND'], path);
      assert.deepEqual(codeOf(await ours.call(method, `/deal_none${path}`, body)), [404, 'NOT_FOUND'], path);
    }
    for (const body of [{ ...NEXT, mode: 'APPEND' }, { ...NEXT, fileName: 'a/b.csv' }, { fileName: 'b.csv' }]) {
      assert.deepEqual(
        codeOf(await ours.call('POST', `/${dealId}/tapes`, body)),
        [400, 'VALIDATION_FAILED'],
        JSON.stringify(body),
      );
    }
    const large = await ours.call('POST', `/${dealId}/tapes`, { ...NEXT, fileSize: 512 * 1024 * 1024 + 1 });
    assert.deepEqual(codeOf(large), [413, 'PAYLOAD_TOO_LARGE']);
  });

  await t.test('that was opened and not completed, or completed and not checked, leaves the one before in force', async () => {
    const ours = await seller(gateway, 'In force');
    const dealId = await ours.checked(autoTape(8));
    assert.equal((await ours.call('POST', `/${dealId}/tapes`, NEXT)).status, 201);
    assert.deepEqual([(await ours.deal(dealId)).tape_version, (await ours.deal(dealId)).qc.state], [1, 'DONE']);
    assert.equal((await ours.sendVersion(dealId, autoTape(9))).body.data.status, 'QC_COMPLETED');
    const running = await ours.deal(dealId);
    assert.deepEqual(
      [running.status, running.tape_version, running.loan_count, running.qc.state],
      ['QC_COMPLETED', 1, 8, 'RUNNING'],
    );
    assert.equal((await ours.call('GET', `/${dealId}/loans`)).body.pagination.total, 8);
    await gateway.runJobs();
    assert.equal((await ours.call('GET', `/${dealId}/loans`)).body.pagination.total, 9);
  });

  await t.test('that waits for its mapping leaves the one before in force', async () => {
    const ours = await seller(gateway, 'Waiting');
    const dealId = await ours.checked(autoTape(8));
    const unnamed = autoTape(9).replace('Original Amount Financed', 'A').replace('Current Balance', 'B');
    const deal = await ours.version(dealId, unnamed);
    assert.deepEqual([deal.status, deal.qc.state, deal.tape_version, deal.loan_count], ['QC_COMPLETED', 'NEEDS_MAPPING', 1, 8]);
    assert.equal((await ours.call('GET', `/${dealId}/loans`)).body.pagination.total, 8);
  });

  await t.test('is not approved unseen: the operator waits for its checks', async () => {
    const ours = await seller(gateway, 'Unseen');
    const dealId = await ours.checked(autoTape(30));
    assert.equal((await ours.sendVersion(dealId, autoTape(30))).status, 202);
    const early = await decide(dealId, 'approve');
    assert.deepEqual([...codeOf(early), early.body.current_status], [409, 'INVALID_TRANSITION', 'QC_COMPLETED']);
    await gateway.runJobs();
    assert.equal((await decide(dealId, 'approve')).status, 200);
  });

  await t.test('that was sent before the deal was decided leaves it with the tape of the decision', async () => {
    const ours = await seller(gateway, 'Overtaken');
    const dealId = await ours.checked(autoTape(8));
    await ours.sendVersion(dealId, autoTape(9));
    assert.equal((await decide(dealId, 'reject')).status, 200);
    await gateway.runJobs();
    const deal = await ours.deal(dealId);
    assert.deepEqual([deal.status, deal.tape_version, deal.loan_count, deal.qc.state], ['REJECTED', 1, 8, 'DONE']);
  });

  await t.test('whose upload was opened before the decision cannot be completed after it', async () => {
    const ours = await seller(gateway, 'Too late');
    const dealId = await ours.checked();
    await ours.call('POST', `/${dealId}/tapes`, NEXT);
    await decide(dealId, 'approve');
    const late = await ours.complete(dealId, 'next.csv');
    assert.deepEqual([...codeOf(late), late.body.current_status], [409, 'INVALID_TRANSITION', 'APPROVED']);
    assert.equal((await ours.call('GET', `/${dealId}/tapes`)).body.data.length, 1);
  });

  await t.test('that fails the checks rejects a deal that had passed them', async () => {
    const ours = await seller(gateway, 'Failing');
    const dealId = await ours.checked(autoTape(30));
    const bytes = autoTape(10, (row) => (row['Original Amount Financed'] = '-1'));
    const deal = await ours.version(dealId, bytes, 'REPLACE');
    assert.deepEqual([deal.status, deal.history.at(-1).from, deal.history.at(-1).to], ['REJECTED', 'QC_COMPLETED', 'REJECTED']);
  });

  await t.test('corrected in the file of issues is merged by row: what was corrected is no issue any more', async () => {
    const ours = await seller(gateway, 'Corrector');
    const dealId = await ours.checked(
      autoTape(30, (row, index) => {
        if (index === 4) row.FICO = 'abc';
      }),
    );
    assert.equal((await ours.deal(dealId)).issue_counts.warning, 1);
    const file = await ours.call('GET', `/${dealId}/issues/file`);
    const deal = await ours.version(dealId, file.text.replace('abc', '700'), 'MERGE');
    assert.deepEqual([deal.tape_version, deal.loan_count, deal.issue_counts], [2, 30, { error: 0, warning: 0 }]);
    const loans = (await ours.call('GET', `/${dealId}/loans?limit=100`)).body.data;
    assert.equal(loans.find((each: { loan_id: string }) => each.loan_id === 'A000005').credit_score, 700);
  });
});

test('the comparison of two versions', async (t) => {
  await using gateway = await startGateway();
  const diffOf = async (ours: Awaited<ReturnType<typeof seller>>, dealId: string, path: string) => {
    // On a busy machine the first comparison may take longer than a request may, which its status says.
    let answer = await ours.call('GET', `/${dealId}/tapes/${path}`);
    for (let more = 4; more > 0 && [422, 429, 503].includes(answer.status); more -= 1)
      answer = await ours.call('GET', `/${dealId}/tapes/${path}`);
    assert.equal(answer.status, 200, String(answer.body.message));
    return answer.body.data;
  };

  await t.test('counts loans that came, went and changed, and rolls the balance forward to the cent', async () => {
    const ours = await seller(gateway, 'Rolling');
    const dealId = await ours.checked(autoTape(5));
    // The first loan is gone, the second paid 100.01, the third rose by 5.05, and a sixth came.
    const next = autoTape(6, (row, index) => {
      if (index === 1) row['Current Balance'] = '17909.99';
      if (index === 2) row['Current Balance'] = '18025.05';
    }).split('\n');
    await ours.version(dealId, [next[0], ...next.slice(2)].join('\n'));
    const diff = await diffOf(ours, dealId, '2/diff');
    assert.deepEqual([diff.added, diff.removed, diff.changed], [1, 1, 2]);
    assert.deepEqual(diff.roll_forward, {
      opening: 90_100,
      added: 18_050,
      removed: 18_000,
      principal: 100.01,
      charged_off: 0,
      adjustment: 5.05,
      closing: 90_055.04,
    });
    assert.equal((await ours.deal(dealId)).total_balance, diff.roll_forward.closing);
    assert.deepEqual(
      diff.breaks.map((each: Record<string, unknown>) => [each.rule_id, each.loan_id, Number(each.previous), Number(each.next)]),
      [['BALANCE_ROSE', 'A000003', 18_020, 18_025.05]],
    );
    assert.equal(diff.break_count, 1);
  });

  await t.test('is with the version before, or with the one that is named', async () => {
    const ours = await seller(gateway, 'Choosing');
    const dealId = await ours.checked(autoTape(3));
    await ours.version(dealId, autoTape(5));
    await ours.version(dealId, autoTape(6));
    assert.equal((await diffOf(ours, dealId, '3/diff')).added, 1);
    assert.equal((await diffOf(ours, dealId, '3/diff?against=1')).added, 3);
    assert.equal((await diffOf(ours, dealId, '1/diff?against=3')).removed, 3);
    const itself = await diffOf(ours, dealId, '2/diff?against=2');
    assert.deepEqual([itself.added, itself.removed, itself.changed, itself.breaks], [0, 0, 0, []]);
    for (const path of ['1/diff', '4/diff', '3/diff?against=9'])
      assert.deepEqual(codeOf(await ours.call('GET', `/${dealId}/tapes/${path}`)), [404, 'NOT_FOUND'], path);
    for (const path of ['0/diff', '-1/diff', 'x/diff', '2/diff?against=0', '2/diff?against=x', '2/diff?against=1.5'])
      assert.deepEqual(codeOf(await ours.call('GET', `/${dealId}/tapes/${path}`)), [400, 'VALIDATION_FAILED'], path);
  });

  await t.test('waits for the loans of both', async () => {
    const ours = await seller(gateway, 'Waiting');
    const dealId = await ours.checked(autoTape(3));
    await ours.sendVersion(dealId, autoTape(4));
    assert.deepEqual(codeOf(await ours.call('GET', `/${dealId}/tapes/2/diff`)), [409, 'CONFLICT']);
    assert.deepEqual(codeOf(await ours.call('GET', `/${dealId}/tapes/1/diff?against=2`)), [409, 'CONFLICT']);
    await gateway.runJobs();
    assert.equal((await ours.call('GET', `/${dealId}/tapes/2/diff`)).status, 200);
  });

  await t.test('stands on the original balances where the tapes have no others', async () => {
    const ours = await seller(gateway, 'Originals');
    const tape = (rows: number) => autoTape(rows).replace('Current Balance', 'Column nobody knows');
    const dealId = await ours.checked(tape(3));
    const deal = await ours.version(dealId, tape(4));
    assert.equal(deal.qc.balance_basis, 'ORIGINAL');
    const { status, body } = await ours.call('GET', `/${dealId}/tapes/2/diff`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      [body.data.added, body.data.roll_forward.added, body.data.roll_forward.closing],
      [1, 20_030, deal.total_balance],
    );
  });
});
