import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { autoTape, put, seller, type Seller, XLSX } from '../../../test/support/tapes.ts';

const ROWS = 30;
/** A tape whose fifth row has a score that cannot be read; `balance` is that of its first row. */
const flawed = (balance = '18000.00', score = 'abc') =>
  autoTape(ROWS, (row, index) => {
    if (index === 0) row['Current Balance'] = balance;
    if (index === 4) row.FICO = score;
  });
const WHOLE = ROWS * 18_000 + 4_350;

test('a file of issues that was corrected and sent again', async (t) => {
  await using gateway = await startGateway();
  const file = async (ours: Seller, dealId: string) => (await ours.call('GET', `/${dealId}/issues/file`)).text;
  const versions = async (ours: Seller, dealId: string): Promise<Record<string, unknown>[]> =>
    (await ours.call('GET', `/${dealId}/tapes`)).body.data;
  const scoreOf = async (ours: Seller, dealId: string) =>
    (await ours.call('GET', `/${dealId}/loans?limit=100`)).body.data[4].credit_score;

  for (const mode of [undefined, 'REPLACE', 'MERGE'] as const)
    await t.test(`with mode ${mode ?? 'left out'} is merged by row into the version in force`, async () => {
      const ours = await seller(gateway, `Mode ${mode}`);
      const dealId = await ours.checked(flawed());
      const deal = await ours.version(dealId, (await file(ours, dealId)).replace('abc', '700'), mode);
      assert.deepEqual([deal.qc.state, deal.tape_version, deal.loan_count, deal.total_balance], ['DONE', 2, ROWS, WHOLE]);
      assert.deepEqual([deal.issue_counts, await scoreOf(ours, dealId)], [{ error: 0, warning: 0 }, 700]);
      const [newest] = await versions(ours, dealId);
      assert.deepEqual([newest?.mode, newest?.merged_into], ['MERGE', 1]);
    });

  await t.test('as a workbook, its explanations deleted, is merged too', async () => {
    const ours = await seller(gateway, 'Workbook');
    const dealId = await ours.checked(flawed());
    const sent = await gateway.app.inject({
      method: 'GET',
      url: `/v1/api/originator/loans/${dealId}/issues/file?format=xlsx`,
      headers: { authorization: `Bearer ${ours.as.token}` },
    });
    const opened = await ours.call('POST', `/${dealId}/tapes`, { fileName: 'next.xlsx', fileFormat: XLSX });
    await put(gateway, opened, sent.rawPayload);
    assert.equal((await ours.complete(dealId, 'next.xlsx')).status, 202);
    await gateway.runJobs();
    const deal = await ours.deal(dealId);
    assert.deepEqual([deal.tape_version, deal.loan_count, deal.total_balance], [2, ROWS, WHOLE]);
    const [header, ...rows] = autoTape(5, (row) => (row.FICO = '701'))
      .trim()
      .split('\n');
    await ours.version(dealId, `${header},_row,_rule,_reason\n${rows[4]},5,,\n`);
    assert.equal(await scoreOf(ours, dealId), 701);
  });

  await t.test('of loans that were sent inline keeps their units, also when their mapping changes afterwards', async () => {
    const ours = await seller(gateway, 'Inline');
    const loan = (loan_id: string, more: object = {}) => ({
      loan_id,
      original_balance: 20_000,
      current_balance: 15_000,
      interest_rate: 0.5,
      original_term_months: 60,
      credit_score: 700,
      score_of_old: 650,
      ...more,
    });
    const loans = [loan('a'), loan('b', { credit_score: 'abc' }), loan('c')];
    assert.equal((await ours.call('POST', '/bulk', { deals: [{ loanType: 'Auto', name: 'Inline', loans }] })).status, 202);
    await gateway.runJobs();
    const [{ deal_id }] = (await ours.call('GET', '')).body.data;
    const rates = async () =>
      (await ours.call('GET', `/${deal_id}/loans`)).body.data.map((each: { interest_rate: number }) => each.interest_rate);
    const corrected = (await file(ours, deal_id)).replace('abc', '700');
    const deal = await ours.version(deal_id, corrected);
    assert.deepEqual([deal.tape_version, deal.loan_count, await rates()], [2, 3, [0.5, 0.5, 0.5]]);
    const merge = await ours.sendVersion(deal_id, 'loan_id,interest_rate\na,0.05\n', 'MERGE');
    assert.deepEqual([merge.status, merge.body.code], [409, 'CONFLICT']);
    assert.equal((await ours.map(deal_id, { source: 'score_of_old', target: null })).status, 202);
    await gateway.runJobs();
    assert.deepEqual([(await ours.deal(deal_id)).qc.state, await rates()], ['DONE', [0.5, 0.5, 0.5]]);
  });

  await t.test('keeps what was corrected since it was downloaded', async () => {
    const ours = await seller(gateway, 'Twice');
    const dealId = await ours.checked(
      autoTape(ROWS, (row, index) => {
        if (index === 4 || index === 6) row.FICO = index === 4 ? 'abc' : 'xyz';
      }),
    );
    const text = await file(ours, dealId);
    const first = await ours.version(dealId, text.replace('abc', '700'));
    assert.equal(first.issue_counts.warning, 1);
    const added = autoTape(ROWS + 1)
      .split('\n')
      .filter((_, index) => index === 0 || index === ROWS + 1);
    await ours.version(dealId, added.join('\n'), 'MERGE');
    // The same download, with both rows corrected: its findings are those of version 1, whose rows version 3 still has.
    const second = await ours.version(dealId, text.replace('abc', '700').replace('xyz', '710'));
    assert.deepEqual([second.tape_version, second.loan_count, second.issue_counts.warning], [4, ROWS + 1, 0]);
    assert.deepEqual(
      (await versions(ours, dealId)).map(({ merged_into }) => merged_into),
      [3, 2, 1, null],
    );
  });

  await t.test('of a version that was replaced since goes back to that version, and says so', async () => {
    const ours = await seller(gateway, 'Replaced');
    const dealId = await ours.checked(flawed());
    const text = await file(ours, dealId);
    await ours.version(dealId, flawed('17000.00', '650'));
    const deal = await ours.version(dealId, text.replace('abc', '700'));
    assert.deepEqual([deal.tape_version, deal.total_balance, await scoreOf(ours, dealId)], [3, WHOLE, 700]);
    assert.deepEqual((await versions(ours, dealId))[0]?.merged_into, 1);
    assert.deepEqual(deal.qc.by_rule, [{ rule_id: 'CORRECTION_OF_OTHER_VERSION', severity: 'WARNING', count: 1 }]);
  });

  await t.test('that restores what the version before had belongs to the version in force all the same', async () => {
    const ours = await seller(gateway, 'Restored');
    const dealId = await ours.checked(flawed('18000.00', '650'));
    await ours.version(dealId, flawed('17000.00'));
    const deal = await ours.version(dealId, (await file(ours, dealId)).replace('abc', '650'));
    assert.deepEqual([deal.tape_version, deal.total_balance], [3, WHOLE - 1_000]);
    assert.equal((await versions(ours, dealId))[0]?.merged_into, 2);
  });

  await t.test('with a row that the version does not have tells it by line, and applies the others', async () => {
    const ours = await seller(gateway, 'Unknown row');
    const dealId = await ours.checked(flawed());
    const [header = '', row = ''] = (await file(ours, dealId)).split('\r\n');
    const stray = row.replace('A000005', 'A999999').replace(/,5,UNREADABLE_VALUE/, ',999,UNREADABLE_VALUE');
    const deal = await ours.version(dealId, [header, row.replace('abc', '700'), stray, ''].join('\r\n'));
    assert.deepEqual([deal.loan_count, deal.total_balance, await scoreOf(ours, dealId)], [ROWS, WHOLE, 700]);
    const { data } = (await ours.call('GET', `/${dealId}/issues`)).body;
    assert.deepEqual(
      data.map((each: Record<string, unknown>) => [
        each.rule_id,
        each.severity,
        each.line,
        each.row_number,
        each.column,
        each.actual,
      ]),
      [['CORRECTION_ROW_UNKNOWN', 'ERROR', 3, null, '_row', '999']],
    );
  });

  await t.test('as the first tape of a deal is a tape of its own rows, and says so', async () => {
    const ours = await seller(gateway, 'First');
    const text = await file(ours, await ours.checked(flawed()));
    const deal = await ours.deal(await ours.checked(text.replace('abc', '700')));
    assert.deepEqual([deal.status, deal.loan_count], ['QC_COMPLETED', 1]);
    assert.deepEqual(deal.qc.by_rule, [{ rule_id: 'CORRECTION_WITHOUT_VERSION', severity: 'WARNING', count: 1 }]);
  });

  await t.test('that finds no version with rows to correct changes nothing', async () => {
    const ours = await seller(gateway, 'None');
    const text = await file(ours, await ours.checked(flawed()));
    const dealId = await ours.sent(flawed());
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(`update tapes set state = 'FAILED' where deal_id = $1`, [dealId]).then(() => undefined),
    );
    const deal = await ours.version(dealId, text);
    assert.deepEqual([deal.status, deal.qc.state, deal.loan_count], ['IN_REVIEW', 'FAILED', 0]);
    assert.match(deal.qc.reason, /no earlier version/);
  });
});
