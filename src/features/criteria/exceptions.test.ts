import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRIME, SC, selector } from '../../../test/support/criteria.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { autoTape, XLSX } from '../../../test/support/tapes.ts';

test('an exception file', async (t) => {
  await using gateway = await startGateway();

  await t.test('has the failed loans in the tape’s own columns, one row each, with every rule and reason', async () => {
    const bytes = autoTape(30, (row, index) => {
      if (index < 2) row['Days Past Due'] = '60';
      if (index === 3) row.FICO = '';
    });
    const { run, call } = await selector(gateway, 'Rows', { bytes });
    const { exception_file_id, failed } = await run();
    const csv = await call('GET', `/exceptions/${exception_file_id}/download`);
    assert.deepEqual([csv.status, csv.headers['content-type']], [200, 'text/csv; charset=utf-8']);
    assert.match(String(csv.headers['content-disposition']), new RegExp(`${exception_file_id}\\.csv`));
    const [header, ...lines] = csv.text.replace('\ufeff', '').trim().split(/\r?\n/);
    assert.equal(header, `${autoTape(1).split('\n')[0]},_row,_rule,_reason,_actual,_expected`);
    assert.deepEqual([lines.length, failed], [20, 20]);
    assert.match(lines[0] ?? '', /^A000001,.*SCORE; DPD/);
    assert.match(lines[2] ?? '', /^A000003,.*SCORE/);
    assert.doesNotMatch(lines[2] ?? '', /DPD/);
    assert.match(lines[3] ?? '', /MISSING/);
  });

  await t.test('is downloaded as CSV, workbook or JSON', async () => {
    const { run, call } = await selector(gateway, 'Formats');
    const path = `/exceptions/${(await run()).exception_file_id}/download`;
    const json = await call('GET', `${path}?format=json`);
    assert.match(String(json.headers['content-type']), /^application\/json/);
    assert.equal(JSON.parse(json.text).length, 20);
    assert.equal((await call('GET', `${path}?format=xlsx`)).headers['content-type'], XLSX);
    assert.deepEqual(codeOf(await call('GET', `${path}?format=pdf`)), [400, 'VALIDATION_FAILED']);
  });

  await t.test('carries no formula into a spreadsheet', async () => {
    const bytes = autoTape(25, (row, index) => {
      if (index === 0) row['Loan ID'] = '=1+1';
      if (index === 1) row['Loan ID'] = '@SUM(A1)';
    });
    const { run, call } = await selector(gateway, 'Formulas', { bytes });
    const text = (await call('GET', `/exceptions/${(await run()).exception_file_id}/download`)).text;
    const [, first, second] = text.split(/\r?\n/);
    assert.match(first ?? '', /^"?'=1\+1/);
    assert.match(second ?? '', /^"?'@SUM/);
  });

  await t.test('sent again as a version of the tape is merged by its rows', async () => {
    const { run, call, ours, dealId } = await selector(gateway, 'Corrected');
    const { exception_file_id } = await run();
    const text = (await call('GET', `/exceptions/${exception_file_id}/download`)).text;
    // Every failed score of 6xx becomes 7xx.
    const corrected = text.replace(/,6([0-9]{2}),(TX|CA|FL|NY),/g, ',7$1,$2,');
    assert.notEqual(corrected, text);
    const deal = await ours.version(dealId, corrected, 'MERGE');
    assert.deepEqual([deal.tape_version, deal.loan_count], [2, 30]);
    assert.equal((await run()).failed, 0);
  });

  await t.test('is listed over all runs, newest first, and by deal; a run without failures has none', async () => {
    const { run, call, ours, dealId, criteriaId, save } = await selector(gateway, 'Lister');
    const first = (await run()).exception_file_id;
    await run({ criteria_id: await save({ ...PRIME, loan_rules: [] }) });
    const other = await ours.checked(autoTape(30));
    const { sc_job_id } = (await call('POST', `/deals/${other}/run`, { criteria_id: criteriaId })).body.data;
    await gateway.runJobs();
    const list = async (query = '') =>
      (await call('GET', `/exceptions${query}`)).body.data.map((file: Record<string, unknown>) => [
        file.deal_id,
        file.exception_count,
      ]);
    assert.deepEqual(await list(), [
      [other, 20],
      [dealId, 20],
    ]);
    assert.deepEqual([await list(`?dealId=${dealId}`), await list(`?deal_id=${other}`)], [[[dealId, 20]], [[other, 20]]]);
    assert.deepEqual([await list('?limit=1&page=2'), await list('?dealId=deal_none')], [[[dealId, 20]], []]);
    const { data } = (await call('GET', `/exceptions/${first}`)).body;
    assert.deepEqual([data.exception_file_id, data.deal_id, data.exception_count], [first, dealId, 20]);
    assert.notEqual(data.sc_job_id, sc_job_id);
    for (const path of ['/exceptions/exf_none', '/exceptions/exf_none/download'])
      assert.deepEqual(codeOf(await call('GET', path)), [404, 'NOT_FOUND']);
    const investor = await gateway.key('investor', 'Looker');
    assert.deepEqual(codeOf(await gateway.call('GET', `${SC}/exceptions`, { as: investor })), [403, 'ROLE_FORBIDDEN']);
  });
});
