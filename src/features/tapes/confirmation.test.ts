import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, startGateway } from '../../../test/support/gateway.ts';
import { autoTape, CSV, seller, type Seller, waitingJobs } from '../../../test/support/tapes.ts';
import { tapeLoss } from '../deals/tape-loss.ts';

const BEFORE = 20;
const FEW = 9;
const balanceOf = (rows: number) => rows * 18_000 + 5 * rows * (rows - 1);

test('more than half is lost when less than half is left, to the cent', () => {
  const most = (loans: number, balance: string) =>
    tapeLoss({ loan_count: 10, total_balance: '100.01' }, { loan_count: loans, total_balance: balance }).most;
  assert.deepEqual(
    [most(5, '50.01'), most(4, '100.01'), most(5, '50.00'), most(10, '50.01'), most(20, '0.00')],
    [false, true, true, false, true],
  );
  assert.deepEqual(tapeLoss({ loan_count: 1, total_balance: '0.10' }, { loan_count: 3, total_balance: '0.40' }), {
    loans: -2,
    balance: '-0.30',
    most: false,
  });
});

test('a version that would lose more than half of the loans or of the balance', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const decide = (dealId: string, act: string) =>
    gateway.call('POST', `/v1/operator/deals/${dealId}/${act}`, { as: operator, body: { reason: 'Seen.' } });
  const confirm = (ours: Seller, dealId: string, version: number | string) =>
    ours.call('POST', `/${dealId}/tapes/${version}/confirm`);
  const drop = (ours: Seller, dealId: string, version: number | string) => ours.call('DELETE', `/${dealId}/tapes/${version}`);
  const states = async (ours: Seller, dealId: string): Promise<unknown[]> =>
    (await ours.call('GET', `/${dealId}/tapes`)).body.data.map((each: { state: string }) => each.state);
  /** A deal with a checked tape and a second version that waits. */
  const waiting = async (name: string, role: 'originator' | 'both' = 'originator') => {
    const ours = await seller(gateway, name, role);
    const dealId = await ours.checked(autoTape(BEFORE, (row, index) => index === 3 && (row.FICO = 'abc')));
    await ours.version(dealId, autoTape(FEW));
    assert.deepEqual(await states(ours, dealId), ['NEEDS_CONFIRMATION', 'DONE']);
    return { ours, dealId };
  };

  await t.test('waits, while the one before stays in force with all that is read from it', async () => {
    const { ours, dealId } = await waiting('Waiting');
    const deal = await ours.deal(dealId);
    assert.deepEqual(
      [deal.status, deal.tape_version, deal.loan_count, deal.total_balance, deal.issue_counts],
      ['QC_COMPLETED', 1, BEFORE, balanceOf(BEFORE), { error: 0, warning: 1 }],
    );
    const { waiting: waits, ...qc } = deal.qc;
    assert.deepEqual([qc.state, qc.rows, qc.accepted, qc.by_rule.length], ['NEEDS_CONFIRMATION', BEFORE, BEFORE, 1]);
    const { created_at, ...figures } = waits;
    assert.match(created_at, /^\d{4}-/);
    assert.deepEqual(figures, {
      version: 2,
      file_name: 'next.csv',
      rows: FEW,
      loan_count: FEW,
      total_balance: balanceOf(FEW),
      issue_counts: { error: 0, warning: 0 },
      by_rule: [],
      in_force: { version: 1, loan_count: BEFORE, total_balance: balanceOf(BEFORE) },
      lost_loans: BEFORE - FEW,
      lost_balance: balanceOf(BEFORE) - balanceOf(FEW),
    });
    const total = async (path: string) => (await ours.call('GET', `/${dealId}/${path}`)).body.pagination.total;
    assert.deepEqual([await total('loans'), await total('issues')], [BEFORE, 1]);
    assert.match((await ours.call('GET', `/${dealId}/issues/file`)).text, /abc/);
    assert.equal((await ours.call('GET', `/${dealId}/tapes/2/diff`)).body.data.removed, BEFORE - FEW);
    const alerts = (await ours.alerts(dealId)).filter(({ type }) => type === 'loan.confirmation_needed');
    assert.deepEqual(
      alerts.map(({ priority }) => priority),
      ['HIGH'],
    );
    assert.match(alerts[0]?.message ?? '', /11 loans and a balance of 199540\.00 would be lost/);
    assert.equal((await ours.events(dealId)).length, 2, 'nothing happened to the deal');
  });

  await t.test('waits for its balance alone, and not at exactly half', async () => {
    const ours = await seller(gateway, 'Balance');
    const tape = (balance: string) => autoTape(4, (row) => (row['Current Balance'] = balance));
    const dealId = await ours.checked(tape('1000.00'));
    assert.equal((await ours.version(dealId, tape('500.00'))).tape_version, 2);
    assert.equal(
      (
        await ours.version(
          dealId,
          autoTape(2, (row) => (row['Current Balance'] = '500.00')),
        )
      ).tape_version,
      3,
    );
    const deal = await ours.version(
      dealId,
      autoTape(2, (row) => (row['Current Balance'] = '249.99')),
      'MERGE',
    );
    assert.deepEqual([deal.qc.state, deal.tape_version, deal.qc.waiting.lost_balance], ['NEEDS_CONFIRMATION', 3, 500.02]);
  });

  await t.test('is put in force by its owner, once, however often it is asked for', async () => {
    const { ours, dealId } = await waiting('Confirming');
    const answers = await Promise.all([confirm(ours, dealId, 2), confirm(ours, dealId, 2), confirm(ours, dealId, 2)]);
    for (const { status, body } of answers) {
      assert.equal(status, 202, JSON.stringify(body));
      assert.deepEqual([body.data.deal_id, body.data.status, body.data.tape_version], [dealId, 'QC_COMPLETED', 2]);
    }
    const deal = await ours.deal(dealId);
    assert.deepEqual([deal.tape_version, deal.loan_count, deal.qc.state, deal.qc.waiting], [2, FEW, 'DONE', null]);
    assert.deepEqual(await states(ours, dealId), ['DONE', 'DONE']);
    const entries = (await ours.audited(dealId)).filter(({ action }) => action === 'tape.confirmed');
    assert.deepEqual(
      entries.map(({ after }) => after),
      [{ tape_version: 2, status: 'QC_COMPLETED' }],
      'one entry for the one change',
    );
    assert.deepEqual([...codeOf(await drop(ours, dealId, 2))], [409, 'INVALID_TRANSITION'], 'it is in force');
    assert.deepEqual([...codeOf(await confirm(ours, dealId, 1))], [409, 'INVALID_TRANSITION'], 'it was in force before');
  });

  await t.test('is dropped by its owner, and counts no more', async () => {
    const { ours, dealId } = await waiting('Dropping');
    const dropped = await drop(ours, dealId, 2);
    assert.deepEqual([dropped.status, dropped.body.success], [200, true]);
    const deal = await ours.deal(dealId);
    assert.deepEqual([deal.tape_version, deal.loan_count, deal.qc.state, deal.qc.waiting], [1, BEFORE, 'DONE', null]);
    assert.deepEqual((await ours.audited(dealId))[0]?.after, { dropped_version: 2 });
    for (const again of [await drop(ours, dealId, 2), await confirm(ours, dealId, 2)])
      assert.deepEqual(
        [...codeOf(again), again.body.current_status, again.body.allowed],
        [409, 'INVALID_TRANSITION', 'DROPPED', []],
      );
    assert.deepEqual([...codeOf(await drop(ours, dealId, 1))], [409, 'INVALID_TRANSITION']);
    const next = await ours.version(dealId, autoTape(BEFORE + 1));
    assert.deepEqual([next.tape_version, next.loan_count], [3, BEFORE + 1], 'its number is not given again');
    assert.equal((await ours.call('GET', `/${dealId}/tapes/3/diff`)).body.data.added, 1, 'compared with version 1');
  });

  await t.test('confirmed and dropped at once ends one way', async () => {
    const { ours, dealId } = await waiting('Racing');
    const [confirmed, dropped] = await Promise.all([confirm(ours, dealId, 2), drop(ours, dealId, 2)]);
    const deal = await ours.deal(dealId);
    const isConfirmed = confirmed.status === 202;
    assert.deepEqual(
      [confirmed.status, dropped.status, deal.tape_version, deal.loan_count],
      isConfirmed ? [202, 409, 2, FEW] : [409, 200, 1, BEFORE],
    );
  });

  await t.test('belongs to its owner: others, other roles and numbers that are none', async () => {
    const { ours, dealId } = await waiting('Owner');
    const other = await seller(gateway, 'Other');
    const investor = await gateway.key('investor', 'Investor');
    for (const act of [confirm, drop]) {
      for (const [who, id, version] of [
        [other, dealId, 2],
        [ours, dealId, 3],
        [ours, 'deal_none', 2],
      ] as const)
        assert.deepEqual([...codeOf(await act(who, id, version))], [404, 'NOT_FOUND']);
      for (const version of ['0', '-1', 'x', '2.0', '9999999999'])
        assert.deepEqual([...codeOf(await act(ours, dealId, version))], [400, 'VALIDATION_FAILED'], version);
    }
    for (const as of [investor, operator])
      for (const [method, path] of [
        ['POST', '/2/confirm'],
        ['DELETE', '/2'],
      ] as const)
        assert.equal((await gateway.call(method, `/v1/api/originator/loans/${dealId}/tapes${path}`, { as })).status, 403);
    assert.deepEqual(await states(ours, dealId), ['NEEDS_CONFIRMATION', 'DONE']);
    const draft = await ours.uploaded();
    assert.deepEqual([...codeOf(await confirm(ours, draft, 1))], [404, 'NOT_FOUND']);
  });

  await t.test('gives way to a further version, which is compared with the one in force', async () => {
    const { ours, dealId } = await waiting('Further');
    const deal = await ours.version(dealId, autoTape(FEW + 2));
    assert.deepEqual([deal.tape_version, deal.loan_count, deal.qc.state], [3, FEW + 2, 'DONE']);
    assert.deepEqual(await states(ours, dealId), ['DONE', 'DROPPED', 'DONE']);
    assert.deepEqual([...codeOf(await confirm(ours, dealId, 2))], [409, 'INVALID_TRANSITION']);
  });

  await t.test('is not what a corrected file or a merge extends', async () => {
    const { ours, dealId } = await waiting('Extended');
    const file = (await ours.call('GET', `/${dealId}/issues/file`)).text;
    const deal = await ours.version(dealId, file.replace('abc', '700'));
    assert.deepEqual([deal.tape_version, deal.loan_count, deal.issue_counts.warning], [3, BEFORE, 0]);
  });

  await t.test('may be mapped anew, and is then compared again', async () => {
    const ours = await seller(gateway, 'Mapping');
    const dealId = await ours.checked(autoTape(BEFORE));
    const cents = autoTape(BEFORE, (row) => (row['Current Balance'] = String(Number(row['Current Balance']) / 1_000)));
    const deal = await ours.version(dealId, cents);
    assert.deepEqual([deal.qc.state, deal.tape_version], ['NEEDS_CONFIRMATION', 1]);
    const mapped = await ours.map(dealId, { source: 'Current Balance', target: 'current_balance', transform: { scale: 1000 } });
    assert.equal(mapped.status, 202, JSON.stringify(mapped.body));
    const early = await confirm(ours, dealId, 2);
    assert.deepEqual(
      [...codeOf(early), early.body.current_status, early.body.allowed],
      [409, 'INVALID_TRANSITION', 'RUNNING', ['NEEDS_MAPPING', 'NEEDS_CONFIRMATION', 'DONE', 'FAILED']],
      'its checks run',
    );
    await gateway.runJobs();
    const again = await ours.deal(dealId);
    assert.deepEqual([again.qc.state, again.tape_version, again.total_balance], ['DONE', 2, balanceOf(BEFORE)]);
  });

  await t.test('is not remembered for its mapping until it is in force', async () => {
    const { ours, dealId } = await waiting('Remembering');
    await ours.map(dealId, { source: 'FICO', target: null });
    await gateway.runJobs();
    assert.equal((await ours.deal(dealId)).qc.state, 'NEEDS_CONFIRMATION');
    const unmapped = async () =>
      (await ours.call('GET', `/${await ours.checked(autoTape(3), 'Auto')}/mapping`)).body.data.unmapped;
    assert.deepEqual(await unmapped(), []);
    assert.equal((await confirm(ours, dealId, 2)).status, 202);
    assert.deepEqual(await unmapped(), ['FICO']);
  });

  await t.test('has nothing to recheck', async () => {
    const { ours, dealId } = await waiting('Recheck');
    assert.deepEqual([...codeOf(await ours.call('POST', `/${dealId}/recheck`))], [409, 'INVALID_TRANSITION']);
  });

  for (const [act, status] of [
    ['approve', 'APPROVED'],
    ['reject', 'REJECTED'],
  ] as const)
    await t.test(`is left behind when the operator decides to ${act} the deal with the version in force`, async () => {
      const { ours, dealId } = await waiting(`Decided ${act}`);
      assert.equal((await decide(dealId, act)).status, 200);
      const deal = await ours.deal(dealId);
      assert.deepEqual(
        [deal.status, deal.tape_version, deal.loan_count, deal.qc.state, deal.qc.waiting],
        [status, 1, BEFORE, 'DONE', null],
      );
      const late = await confirm(ours, dealId, 2);
      assert.deepEqual([...codeOf(late), late.body.current_status], [409, 'INVALID_TRANSITION', status]);
      assert.equal((await drop(ours, dealId, 2)).status, 200);
    });

  await t.test('that fails the checks rejects the deal: it does not wait', async () => {
    const ours = await seller(gateway, 'Failing');
    const dealId = await ours.checked(autoTape(BEFORE));
    const deal = await ours.version(
      dealId,
      autoTape(FEW, (row) => (row['Original Amount Financed'] = '-1')),
    );
    assert.deepEqual([deal.status, deal.qc.state], ['REJECTED', 'DONE']);
  });

  await t.test('is no obstacle to checks of an older version that end late: the newer stays in force', async () => {
    const ours = await seller(gateway, 'Late');
    const dealId = await ours.checked(autoTape(BEFORE));
    // The upload of the next version is opened, the mapping of the first one changed, and the upload completed before its checks run.
    const opened = await ours.call('POST', `/${dealId}/tapes`, { fileName: 'next.csv', fileFormat: CSV });
    const { upload_url, upload_headers } = opened.body.data;
    await gateway.call('PUT', new URL(upload_url).pathname, { headers: upload_headers, raw: autoTape(BEFORE + 1) });
    assert.equal((await ours.complete(dealId, 'next.csv')).status, 202);
    await gateway.runJobs();
    await gateway.deps.db.tx({ platform: true }, async (tx) => {
      const [tape] = await tx.rows<{ organization_id: string; run: number }>(
        `update tapes set state = 'RUNNING', run = run + 1 where deal_id = $1 and version = 1 returning organization_id, run`,
        [dealId],
      );
      await gateway.deps.jobs.enqueue(tx, 'ingest-tape', { ...tape, deal_id: dealId, version: 1 });
    });
    assert.deepEqual(await states(ours, dealId), ['DONE', 'RUNNING']);
    assert.equal(await waitingJobs(gateway), 1);
    await gateway.runJobs();
    assert.deepEqual([(await ours.deal(dealId)).tape_version, await states(ours, dealId)], [2, ['DONE', 'DONE']]);
  });
});
