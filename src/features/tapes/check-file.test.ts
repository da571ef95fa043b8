import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Answer, type Gateway, type Holder, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { autoTape, CSV, LOANS, PARQUET, seller, XLSX } from '../../../test/support/tapes.ts';
import { parquetOf } from '../../loans/reading/testing/parquet-for-test.ts';
import { generateTape } from '../../loans/generate/generate-tape.ts';
import { LOAN_TYPES } from '../../loans/types.ts';

type Sent = { type?: string; query?: string; raw: string | Buffer };
const check = (gateway: Gateway, as: Holder, { type = CSV, query = '?loanType=Auto', raw }: Sent): Promise<Answer> =>
  gateway.call('POST', `${LOANS}/check${query}`, { as, headers: { 'content-type': type }, raw });

type Part = { name: string; value: string | Buffer; fileName?: string; type?: string };
/** A form as a browser sends it. */
function form(...parts: Part[]): Sent {
  const chunks = parts.flatMap(({ name, value, fileName, type = CSV }) => [
    `--edge\r\ncontent-disposition: form-data; name="${name}"`,
    fileName === undefined ? '\r\n\r\n' : `; filename="${fileName}"\r\ncontent-type: ${type}\r\n\r\n`,
    value,
    '\r\n',
  ]);
  const raw = Buffer.concat([...chunks, '--edge--\r\n'].map((chunk) => Buffer.from(chunk)));
  return { type: 'multipart/form-data; boundary=edge', query: '', raw };
}
const workbook = async (type: (typeof LOAN_TYPES)[number], rows: number): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(generateTape({ type, rows, seed: 3 }).xlsx()));

test('the check of a file without a deal', async (t) => {
  await using gateway = await startGateway();

  await t.test('finds what the checks of a deal find in the same file', async () => {
    const ours = await seller(gateway, 'Same');
    const bytes = autoTape(20, (row, index) => {
      if (index === 2) row['Original Amount Financed'] = '0';
      if (index === 4) row.FICO = 'abc';
    });
    const { status, body } = await check(gateway, ours.as, { raw: bytes });
    assert.equal(status, 200, JSON.stringify(body));
    const dealId = await ours.checked(bytes);
    const deal = await ours.deal(dealId);
    const { rows, accepted, rejected, total_balance, balance_basis, issue_counts, as_of_date, issues, mapping } = body.data;
    assert.deepEqual(
      [rows, accepted, rejected, balance_basis, as_of_date],
      [deal.qc.rows, deal.qc.accepted, deal.qc.rejected, deal.qc.balance_basis, deal.as_of_date],
    );
    assert.deepEqual([total_balance, issue_counts], [deal.total_balance, deal.issue_counts]);
    assert.deepEqual(issues, (await ours.call('GET', `/${dealId}/issues`)).body.data);
    assert.deepEqual(mapping, (await ours.call('GET', `/${dealId}/mapping`)).body.data);
    assert.deepEqual([body.data.loan_type, body.data.needs_mapping, body.data.qc_failed], ['Auto', false, false]);
  });

  await t.test('stores nothing: no deal, no upload, no object, no file in the working folder', async () => {
    const ours = await seller(gateway, 'Nothing');
    assert.equal((await check(gateway, ours.as, { raw: autoTape(5) })).status, 200);
    assert.equal((await check(gateway, ours.as, { raw: 'no table' })).status, 422);
    assert.equal((await ours.call('GET', '')).body.pagination.total, 0);
    const left = await gateway.deps.db.tx({ organization: ours.as.organization_id }, (tx) =>
      tx.rows(
        'select upload_id from uploads union all select object_key from removed_objects union all select loan_type from mappings',
      ),
    );
    assert.deepEqual(left, []);
    assert.deepEqual(
      readdirSync(gateway.deps.workDir).filter((name) => name.startsWith('check-')),
      [],
    );
    assert.deepEqual(await ours.audited(ours.as.organization_id), []);
  });

  await t.test(
    'takes a CSV, packed or not, a workbook, a Parquet file, or a form with the file and its loan type in any order',
    async () => {
      const { as } = await seller(gateway, 'Forms');
      const book = await workbook('Personal', 8);
      const csv = autoTape(6);
      const lake = await parquetOf(`SELECT 'L' || i AS loan_id, 20000.50::DECIMAL(18,2) AS original_balance FROM range(4) t(i)`);
      const sent: [Sent, string, number][] = [
        [{ raw: csv }, 'Auto', 6],
        [{ type: `${CSV}; charset=utf-8`, raw: csv }, 'Auto', 6],
        [{ type: XLSX, query: '?loanType=Personal', raw: book }, 'Personal', 8],
        [form({ name: 'loanType', value: 'Auto' }, { name: 'file', value: csv, fileName: 'a.csv' }), 'Auto', 6],
        [form({ name: 'file', value: csv, fileName: 'a.csv' }, { name: 'loanType', value: 'Auto' }), 'Auto', 6],
        [form({ name: 'loan_type', value: 'Auto' }, { name: 'file', value: csv, fileName: 'a.csv' }), 'Auto', 6],
        [{ ...form({ name: 'file', value: csv, fileName: 'a.csv' }), query: '?loanType=Auto' }, 'Auto', 6],
        [
          form({ name: 'loanType', value: 'Personal' }, { name: 'file', value: book, fileName: 'b.xlsx', type: XLSX }),
          'Personal',
          8,
        ],
        [{ raw: gzipSync(csv) }, 'Auto', 6],
        [form({ name: 'loanType', value: 'Auto' }, { name: 'file', value: gzipSync(csv), fileName: 'a.csv.gz' }), 'Auto', 6],
        [{ type: PARQUET, raw: lake }, 'Auto', 4],
        [
          form(
            { name: 'loanType', value: 'Auto' },
            { name: 'file', value: lake, fileName: 'a.parquet', type: 'application/octet-stream' },
          ),
          'Auto',
          4,
        ],
        // Without a type of its own the name of the file says what it is.
        [
          form(
            { name: 'loanType', value: 'Personal' },
            { name: 'file', value: book, fileName: 'B.XLSX', type: 'application/octet-stream' },
          ),
          'Personal',
          8,
        ],
      ];
      for (const [index, [request, loanType, rows]] of sent.entries()) {
        const { status, body } = await check(gateway, as, request);
        assert.deepEqual([index, status, body.data?.loan_type, body.data?.rows], [index, 200, loanType, rows]);
      }
    },
  );

  await t.test('prefers the loan type of the form to that of the address', async () => {
    const { as } = await seller(gateway, 'Both');
    const both = form({ name: 'loanType', value: 'Student' }, { name: 'file', value: autoTape(3), fileName: 'a.csv' });
    assert.equal((await check(gateway, as, { ...both, query: '?loanType=Auto' })).body.data.loan_type, 'Student');
  });

  await t.test('is refused without a loan type, a file, or a format that it reads', async () => {
    const { as } = await seller(gateway, 'Refused');
    const csv = autoTape(3);
    const missing = await check(gateway, as, { query: '', raw: csv });
    assert.deepEqual(
      [missing.status, missing.body.errors?.[0].field, missing.body.errors?.[0].code],
      [400, 'loanType', 'REQUIRED'],
    );
    const unknown = await check(
      gateway,
      as,
      form({ name: 'loanType', value: 'auto' }, { name: 'file', value: csv, fileName: 'a' }),
    );
    assert.deepEqual(
      [unknown.status, unknown.body.errors?.[0].field, unknown.body.errors?.[0].code],
      [400, 'loanType', 'INVALID'],
    );
    assert.equal((await check(gateway, as, { query: '?loanType=Boat', raw: csv })).status, 400);
    const type = (name: string) => ({ name, value: 'Auto' });
    const twice = await check(
      gateway,
      as,
      form(type('loanType'), type('loan_type'), { name: 'file', value: csv, fileName: 'a' }),
    );
    assert.deepEqual([...codeOf(twice), twice.body.errors?.[0]?.field], [400, 'VALIDATION_FAILED', 'loan_type']);
    const named = await check(gateway, as, form(type('loanType'), type('loanType'), { name: 'file', value: csv, fileName: 'a' }));
    assert.deepEqual([...codeOf(named), named.body.errors?.[0]?.field], [400, 'VALIDATION_FAILED', 'loanType']);
    const file = (name: string) => ({ name, value: csv, fileName: `${name}.csv` });
    const several = await check(gateway, as, form(type('loanType'), file('june'), file('july')));
    assert.deepEqual([...codeOf(several), several.body.errors?.[0]?.field], [400, 'VALIDATION_FAILED', 'file']);
    const fileless = await check(gateway, as, form({ name: 'loanType', value: 'Auto' }));
    assert.deepEqual([fileless.status, fileless.body.errors?.[0].field], [400, 'file']);
    for (const type of ['application/json', 'text/plain', 'application/pdf'])
      assert.deepEqual(codeOf(await check(gateway, as, { type, raw: csv })), [415, 'UNSUPPORTED_MEDIA_TYPE'], type);
    const broken = { type: 'multipart/form-data; boundary=edge', query: '', raw: 'no boundary here' };
    assert.equal((await check(gateway, as, broken)).status, 400);
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; charset=utf-8'])
      assert.deepEqual(codeOf(await check(gateway, as, { ...broken, type })), [400, 'BAD_REQUEST'], type);
  });

  await t.test('says why a file cannot be read as a tape', async () => {
    const { as } = await seller(gateway, 'Unreadable');
    assert.deepEqual(codeOf(await check(gateway, as, { raw: '' })), [422, 'EMPTY_FILE']);
    assert.deepEqual(codeOf(await check(gateway, as, { raw: 'Loan ID,LoanAmount\n' })), [422, 'NO_LOAN_ROWS']);
    const mistaken = await check(gateway, as, { type: XLSX, raw: autoTape(3) });
    assert.deepEqual([mistaken.status, mistaken.body.data.issues[0].rule_id], [200, 'FORMAT_DIFFERS']);
    for (const [raw, message] of [
      ['{"loan_id":"A1"}\n{"loan_id":"A2"}\n', /JSON lines/],
      ['<table><tr><td>loan_id</td></tr></table>', /an HTML page/],
      ['PAR1 and no more PAR1', /The Parquet file cannot be read/],
    ] as const) {
      const refused = await check(gateway, as, { raw });
      assert.deepEqual(codeOf(refused), [422, 'UNREADABLE_FILE']);
      assert.match(refused.body.message ?? '', message);
    }
  });

  await t.test('is open to originators alone', async () => {
    for (const role of ['investor', 'operator'] as const)
      assert.deepEqual(codeOf(await check(gateway, await gateway.key(role, `A ${role}`), { raw: 'x' })), [403, 'ROLE_FORBIDDEN']);
  });

  await t.test('uses the mapping that the organization taught, and teaches none', async () => {
    const [ours, theirs] = [await seller(gateway, 'Taught'), await seller(gateway, 'Untaught')];
    const raw = autoTape(6).replace('Original Amount Financed', 'Alpha').replace('Current Balance', 'Beta');
    const needs = async (as: Holder) => (await check(gateway, as, { raw })).body.data.needs_mapping;
    assert.equal(await needs(ours.as), true);
    await ours.map(await ours.checked(raw), { source: 'Alpha', target: 'original_balance' });
    await gateway.runJobs();
    assert.deepEqual([await needs(ours.as), await needs(theirs.as)], [false, true]);
  });

  await t.test('shows the first 1,000 issues and counts all', async () => {
    const { as } = await seller(gateway, 'Thousand');
    // Every loan owes more than it began with.
    const raw = autoTape(1_200, (row) => (row['Current Balance'] = '99000.00'));
    const { data } = (await check(gateway, as, { raw })).body;
    assert.deepEqual([data.issues.length, data.issue_counts], [1_000, { error: 0, warning: 1_200 }]);
    assert.deepEqual([data.issues[0].row_number, data.issues[999].row_number], [1, 1_000]);
  });

  await t.test('tells a tape that would be rejected: above a tenth of unusable rows', async () => {
    const { as } = await seller(gateway, 'Failing');
    const failed = async (unusable: number) => {
      const raw = autoTape(30, (row, index) => {
        if (index < unusable) row['Original Amount Financed'] = '-5';
      });
      const { qc_failed, rejected } = (await check(gateway, as, { raw })).body.data;
      return [qc_failed, rejected];
    };
    assert.deepEqual(await failed(3), [false, 3]);
    assert.deepEqual(await failed(4), [true, 4]);
  });
});

test('the dictionary of each loan type names every field once, with an amount and what it is called elsewhere', async () => {
  await using gateway = await startGateway();
  const { call } = await seller(gateway, 'Reader');
  for (const type of LOAN_TYPES) {
    const { status, body } = await call('GET', `/dictionary?type=${encodeURIComponent(type)}`);
    assert.equal(status, 200, type);
    const fields = body.data.map((each: { field: string }) => each.field);
    assert.equal(new Set(fields).size, fields.length, type);
    const amount = type === 'Credit Card' ? 'credit_limit' : 'original_balance';
    const found = body.data.find((each: { field: string }) => each.field === amount);
    assert.deepEqual([found?.type, found?.aliases.length > 0], ['money', true], type);
  }
  for (const query of ['', '?type=Boat', '?type=auto'])
    assert.deepEqual(codeOf(await call('GET', `/dictionary${query}`)), [400, 'VALIDATION_FAILED']);
});
