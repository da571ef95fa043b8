import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { autoTape, CSV, seller, type Seller, XLSX } from '../../../test/support/tapes.ts';

/** Three kinds of trouble: an unusable row, an unreadable score, a rate out of its range. */
const troubled = (rows: number) =>
  autoTape(rows, (row, index) => {
    if (index === 2) Object.assign(row, { 'Original Amount Financed': '0', 'Current Balance': '0' });
    if (index === 4) row.FICO = 'abc';
    if (index === 5) row['Contract Rate'] = '99';
  });
const file = (ours: Seller, dealId: string, query = '') => ours.call('GET', `/${dealId}/issues/file${query}`);

test('the loans of a deal', async (t) => {
  await using gateway = await startGateway();

  await t.test('are listed in the order of the tape, with numbers as numbers and ids and dates as text', async () => {
    const ours = await seller(gateway, 'Lister');
    const dealId = await ours.checked(autoTape(5, (row, index) => (row['Loan ID'] = `00${index}`)));
    const { body } = await ours.call('GET', `/${dealId}/loans?limit=2`);
    const { next_cursor, ...counted } = body.pagination;
    assert.deepEqual(counted, { page: 1, limit: 2, total: 5, totalPages: 3, hasNextPage: true, hasPrevPage: false });
    assert.equal(typeof next_cursor, 'string');
    const [first, second, ...more] = body.data;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [first.loan_id, first.row_number, first.current_balance, first.interest_rate, first.origination_date, first.state],
      ['000', 1, 18_000, 7.25, '2025-01-15', 'TX'],
    );
    assert.deepEqual([second.loan_id, second.row_number, second.current_balance], ['001', 2, 18_010]);
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push((await ours.call('GET', `/${dealId}/loans?limit=2&page=${page}`)).body.data);
    assert.deepEqual(
      pages.map((page) => page.map((loan: { row_number: number }) => loan.row_number)),
      [[1, 2], [3, 4], [5], []],
    );
  });

  await t.test('are the accepted ones: a row that cannot serve keeps its number and is not among them', async () => {
    const ours = await seller(gateway, 'Accepted');
    const dealId = await ours.checked(troubled(20));
    const { data, pagination } = (await ours.call('GET', `/${dealId}/loans`)).body;
    assert.equal(pagination.total, 19);
    assert.deepEqual(
      data.slice(0, 4).map((loan: { row_number: number }) => loan.row_number),
      [1, 2, 4, 5],
    );
    const spoiled = data.find((loan: { row_number: number }) => loan.row_number === 5);
    assert.equal(spoiled.credit_score, null, 'a value that cannot be read is missing');
  });

  await t.test('are none before the first tape was checked, and another’s are not there', async () => {
    const [ours, theirs] = [await seller(gateway, 'Early'), await seller(gateway, 'Stranger')];
    const draft = await ours.uploaded(autoTape(3), { loanType: 'Student' });
    const running = await ours.sent();
    for (const dealId of [draft, running]) {
      for (const path of ['loans', 'issues']) {
        const { status, body } = await ours.call('GET', `/${dealId}/${path}`);
        assert.deepEqual([status, body.data, body.pagination.total], [200, [], 0], path);
        assert.deepEqual(codeOf(await theirs.call('GET', `/${dealId}/${path}`)), [404, 'NOT_FOUND'], path);
      }
      assert.deepEqual(codeOf(await file(ours, dealId)), [404, 'NOT_FOUND']);
      assert.deepEqual(codeOf(await file(theirs, dealId)), [404, 'NOT_FOUND']);
    }
    const investor = await gateway.key('investor', 'Looker');
    for (const path of ['loans', 'issues', 'issues/file', 'mapping', 'tapes']) {
      const answer = await gateway.call('GET', `/v1/api/originator/loans/${running}/${path}`, { as: investor });
      assert.deepEqual(codeOf(answer), [403, 'ROLE_FORBIDDEN'], path);
    }
  });

  await t.test('can be asked for by their outcome in the newest run; without a run there are none', async () => {
    const ours = await seller(gateway, 'Outcomes');
    const dealId = await ours.checked(autoTape(10));
    const rows = async (query: string) =>
      (await ours.call('GET', `/${dealId}/loans?${query}`)).body.data.map((loan: { row_number: number }) => loan.row_number);
    const run = async (limit: number): Promise<void> => {
      const post = (path: string, body: unknown) => gateway.call('POST', `/v1/api/originator/sc${path}`, { as: ours.as, body });
      const rule = { id: 'S', rule: { field: 'credit_score', op: 'gte', value: limit } };
      const { criteria_id } = (await post('/criteria', { name: 'S', loan_type: 'Auto', loan_rules: [rule] })).body.data;
      assert.equal((await post(`/deals/${dealId}/run`, { criteria_id })).status, 202);
      await gateway.runJobs();
    };
    assert.deepEqual(await rows('outcome=FAILED'), []);
    // Scores of the small tape are 620 + row.
    await run(627);
    assert.deepEqual(await rows('outcome=PASSED'), [8, 9, 10]);
    await run(622);
    assert.deepEqual(await rows('outcome=FAILED'), [1, 2], 'the newest run counts');
    assert.deepEqual([await rows('outcome=WAIVED'), (await rows('')).length], [[], 10]);
    assert.deepEqual(codeOf(await ours.call('GET', `/${dealId}/loans?outcome=SOLD`)), [400, 'VALIDATION_FAILED']);
  });

  await t.test('are sorted by a field, filtered by a rule, found by the beginning of their ids, and cut to fields', async () => {
    const ours = await seller(gateway, 'Sorter');
    const dealId = await ours.checked(
      autoTape(20, (row, index) => {
        row.FICO = index === 3 ? '' : String(700 - index);
        row['Loan ID'] = `${index < 5 ? 'abc' : 'xyz'}-${index}`;
      }),
    );
    const list = (query: string) => ours.call('GET', `/${dealId}/loans?${query}`);
    const rows = async (query: string): Promise<number[]> =>
      (await list(query)).body.data.map((loan: { row_number: number }) => loan.row_number);
    const rule = (condition: object) => `filter=${encodeURIComponent(JSON.stringify(condition))}`;
    const best = { field: 'credit_score', op: 'gte', value: 698 };
    assert.deepEqual(await rows('sort=credit_score&limit=3'), [20, 19, 18]);
    assert.deepEqual((await rows('sort=-credit_score&limit=500')).slice(-2), [20, 4], 'without a value last');
    assert.deepEqual(await rows(rule(best)), [1, 2, 3]);
    assert.deepEqual(await rows(`${rule({ id: 'R', rule: best, severity: 'warn' })}&sort=credit_score`), [3, 2, 1]);
    assert.deepEqual(await rows('q=ABC'), [1, 2, 3, 4, 5]);
    assert.deepEqual(await rows(`q=xyz&${rule({ field: 'state', op: 'eq', value: 'TX' })}`), [9, 13, 17]);
    assert.deepEqual(await rows(`q=${encodeURIComponent("' or true --")}`), []);
    const cut = await list('fields=state,loan_id&offset=18&limit=500');
    assert.deepEqual(cut.body.data, [
      { row_number: 19, state: 'FL', loan_id: 'xyz-18' },
      { row_number: 20, state: 'NY', loan_id: 'xyz-19' },
    ]);
    const { page, total, hasPrevPage, hasNextPage } = cut.body.pagination;
    assert.deepEqual([page, total, hasPrevPage, hasNextPage], [null, 20, true, false]);
    const walked: number[] = [];
    let next: string | null = null;
    do {
      const answer = await list(`sort=-state&limit=3${next ? `&cursor=${encodeURIComponent(next)}` : ''}`);
      walked.push(...answer.body.data.map((loan: { row_number: number }) => loan.row_number));
      next = answer.body.pagination.next_cursor;
    } while (next !== null);
    assert.deepEqual(walked, await rows('sort=-state&limit=500'));
    for (const [query, refusal] of [
      ['sort=no_such_field', [422, 'UNKNOWN_FIELD']],
      ['fields=state,no_such_field', [422, 'UNKNOWN_FIELD']],
      [rule({ field: 'no_such_field', op: 'not_null' }), [422, 'UNKNOWN_FIELD']],
      [rule({ field: 'credit_score', op: 'like', value: 7 }), [422, 'INVALID_RULE']],
      ['filter=x', [400, 'VALIDATION_FAILED']],
      ['offset=1&cursor=x', [400, 'VALIDATION_FAILED']],
    ] as const)
      assert.deepEqual(codeOf(await list(query)), refusal, query);
    const rounded = await list('filter={"all":[{"field":"current_balance","op":"gt","value":123456789012345678.91}]}');
    assert.deepEqual([codeOf(rounded), rounded.body.errors?.[0]?.field], [[400, 'VALIDATION_FAILED'], 'filter.all.0.value']);
  });

  await t.test('are read one by one by the number of their row', async () => {
    const [ours, theirs] = [await seller(gateway, 'Reader'), await seller(gateway, 'Another reader')];
    const dealId = await ours.checked(troubled(20));
    const loan = await ours.call('GET', `/${dealId}/loans/5`);
    assert.deepEqual(loan.body.data, (await ours.call('GET', `/${dealId}/loans`)).body.data[3]);
    for (const row of ['3', '21', '0', '-1', '5.0', 'x', '05', '9999999999'])
      assert.deepEqual(codeOf(await ours.call('GET', `/${dealId}/loans/${row}`)), [404, 'NOT_FOUND'], `row ${row} is no loan`);
    assert.deepEqual(codeOf(await theirs.call('GET', `/${dealId}/loans/5`)), [404, 'NOT_FOUND']);
  });

  await t.test('are paged within limits', async () => {
    const ours = await seller(gateway, 'Pager');
    const dealId = await ours.checked();
    for (const query of ['limit=0', 'limit=501', 'page=0', 'page=x', 'limit=1.5'])
      for (const path of ['loans', 'issues'])
        assert.deepEqual(codeOf(await ours.call('GET', `/${dealId}/${path}?${query}`)), [400, 'VALIDATION_FAILED'], query);
    assert.equal((await ours.call('GET', `/${dealId}/loans?limit=100`)).status, 200);
    assert.deepEqual(codeOf(await ours.call('GET', `/${dealId}/loans?state=TX`)), [400, 'UNKNOWN_PARAMETER']);
  });
});

test('the issues of a tape', async (t) => {
  await using gateway = await startGateway();

  await t.test(
    'name the row, the line, the column and what was expected, and can be asked for by severity and rule',
    async () => {
      const ours = await seller(gateway, 'Issues');
      const dealId = await ours.checked(troubled(20));
      const list = async (query = '') => (await ours.call('GET', `/${dealId}/issues${query}`)).body;
      const { data } = await list();
      assert.deepEqual(
        data.map((issue: Record<string, unknown>) => [issue.row_number, issue.line, issue.column, issue.field, issue.severity]),
        [
          [3, 4, 'Original Amount Financed', 'original_balance', 'ERROR'],
          [5, 6, 'FICO', 'credit_score', 'WARNING'],
          [6, 7, 'Contract Rate', 'interest_rate', 'WARNING'],
        ],
      );
      assert.deepEqual([data[1].actual, data[2].actual], ['abc', '99']);
      const { issue_counts } = await ours.deal(dealId);
      assert.deepEqual(issue_counts, { error: 1, warning: 2 });
      assert.equal((await list('?severity=ERROR')).pagination.total, 1);
      assert.equal((await list('?severity=WARNING')).pagination.total, 2);
      const { rule_id } = data[2];
      assert.deepEqual((await list(`?rule=${rule_id}`)).data, [data[2]]);
      assert.deepEqual((await list(`?rule=${rule_id}&severity=ERROR`)).data, []);
      assert.deepEqual(
        (await list(`?rule=${encodeURIComponent("' or 1=1 --")}`)).data,
        [],
        'a rule is a text, whatever it holds',
      );
      assert.deepEqual((await list('?limit=1&page=2')).data, [data[1]]);
      assert.deepEqual(codeOf(await ours.call('GET', `/${dealId}/issues?severity=FATAL`)), [400, 'VALIDATION_FAILED']);
    },
  );

  await t.test('are counted by rule with the deal: as many of each as are listed, those of the whole tape too', async () => {
    const ours = await seller(gateway, 'Counted');
    const dealId = await ours.checked(`Tape of the month\n${troubled(20)}`);
    const { qc, issue_counts } = await ours.deal(dealId);
    assert.deepEqual(qc.by_rule, [
      { rule_id: 'AMOUNT_NOT_POSITIVE', severity: 'ERROR', count: 1 },
      { rule_id: 'BANNER_LINES', severity: 'WARNING', count: 1 },
      { rule_id: 'OUT_OF_RANGE', severity: 'WARNING', count: 1 },
      { rule_id: 'UNREADABLE_VALUE', severity: 'WARNING', count: 1 },
    ]);
    assert.deepEqual(issue_counts, { error: 1, warning: 3 });
    for (const { rule_id, count } of qc.by_rule)
      assert.equal((await ours.call('GET', `/${dealId}/issues?rule=${rule_id}`)).body.pagination.total, count, rule_id);
    const clean = await ours.version(dealId, autoTape(20));
    assert.deepEqual(clean.qc.by_rule, []);
  });

  await t.test('are those of the newest tape', async () => {
    const ours = await seller(gateway, 'Newest');
    const dealId = await ours.checked(troubled(20));
    await ours.version(dealId, autoTape(20));
    assert.equal((await ours.call('GET', `/${dealId}/issues`)).body.pagination.total, 0);
  });

  await t.test('come as a file of the rows that have some, in the tape’s own columns with the reasons behind', async () => {
    const ours = await seller(gateway, 'File');
    const dealId = await ours.checked(troubled(20));
    const csv = await file(ours, dealId);
    assert.deepEqual([csv.status, csv.headers['content-type']], [200, `${CSV}; charset=utf-8`]);
    assert.match(String(csv.headers['content-disposition']), new RegExp(`${dealId}-issues\\.csv`));
    const [header, ...lines] = csv.text.trim().split(/\r?\n/);
    const columns = autoTape(1).split('\n')[0];
    assert.equal(header?.replace('\ufeff', ''), `${columns},_row,_rule,_reason,_actual,_expected`);
    assert.deepEqual(
      lines.map((line) => line.split(',')[0]),
      ['A000003', 'A000005', 'A000006'],
    );
    const workbook = await file(ours, dealId, '?format=xlsx');
    assert.equal(workbook.headers['content-type'], XLSX);
    assert.match(String(workbook.headers['content-disposition']), new RegExp(`${dealId}-issues\\.xlsx`));
    assert.deepEqual(codeOf(await file(ours, dealId, '?format=json')), [400, 'VALIDATION_FAILED']);
  });

  await t.test('come as a file that sent again as it is raises no issue of its own', async () => {
    const ours = await seller(gateway, 'Corrections');
    const dealId = await ours.checked(
      autoTape(30, (row, index) => {
        if (index === 4) row.FICO = 'abc';
        if (index === 5) row['Contract Rate'] = '99';
      }),
    );
    for (const [format, type] of [
      ['csv', CSV],
      ['xlsx', XLSX],
    ] as const) {
      const authorization = `Bearer ${ours.as.token}`;
      const url = `/v1/api/originator/loans/${dealId}/issues/file?format=${format}`;
      const sent = await gateway.app.inject({ method: 'GET', url, headers: { authorization } });
      assert.equal(sent.statusCode, 200);
      const checked = await gateway.call('POST', '/v1/api/originator/loans/check?loanType=Auto', {
        as: ours.as,
        headers: { 'content-type': type },
        raw: sent.rawPayload,
      });
      assert.equal(checked.status, 200, JSON.stringify(checked.body).slice(0, 500));
      assert.deepEqual([format, checked.body.data.rows, checked.body.data.accepted], [format, 2, 2]);
      const sources = checked.body.data.mapping.mappings.map((entry: { source: string }) => entry.source);
      assert.deepEqual(
        sources.filter((source: string) => source.startsWith('_')),
        [],
      );
    }
  });
});
