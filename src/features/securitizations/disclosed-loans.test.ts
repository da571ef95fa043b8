import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertRefused, dataOf, openDesk } from '../../../test/support/desk.ts';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool, issuedDeal, structureOver } from '../../../test/support/pools.ts';
import { autoTape } from '../../../test/support/tapes.ts';

type Loan = Record<string, string | number | null> & { loan: string };

const FIELDS = ['state', 'credit_score', 'current_balance', 'vehicle_model'];

/** A deal on the market over 60 loans, with what its seller and an investor do about its disclosure. */
async function listed() {
  const gateway = await startGateway();
  return furnish(gateway).catch(async (error: unknown) => {
    await gateway[Symbol.asyncDispose]();
    throw error;
  });
}

async function furnish(gateway: Gateway) {
  const desk = await openDesk(gateway);
  const bytes = autoTape(60, (row, index) => {
    row['Obligor State'] = index < 40 ? 'TX' : 'CA';
    row.FICO = index === 7 ? '' : String(600 + index);
    row['Vehicle Model'] = index === 0 ? '"=HYPERLINK(""http://x"")"' : '"CIVIC, LX"';
    row['Obligor ID'] = `P-${index % 20}`;
  });
  const loanDeal = await approvedDeal(gateway, desk.seller, desk.operator, { bytes });
  const pool = dataOf(await formPool(gateway, desk.seller, [loanDeal]));
  const path = `/v1/api/originator/pools/${pool.pool_id}`;
  dataOf(await desk.send('PUT', `${path}/structure`, desk.seller, structureOver(pool.balance)));
  const dealId = await issuedDeal(gateway, desk.seller, desk.operator, pool.pool_id);
  const investor = await desk.investor();
  const base = `/v1/api/investor/deals/${dealId}`;
  return {
    ...desk,
    pool,
    loanDeal,
    dealId,
    holder: investor,
    put: (level: string, fields?: unknown, as = desk.seller) =>
      desk.send('PUT', `${path}/disclosure`, as, { level, ...(fields === undefined ? {} : { fields }) }),
    disclosure: (as = desk.seller) => desk.send('GET', `${path}/disclosure`, as),
    loans: (query = '', as = investor) => desk.send('GET', `${base}/loans${query}`, as),
    file: (query = '', as = investor) => desk.send('GET', `${base}/loans/file${query}`, as),
    under: (part: string, as = investor) => desk.send('GET', `${base}/${part}`, as),
    log: async (as = desk.seller, query = '') => dataOf(await desk.send('GET', `/v1/api/access-log${query}`, as)),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

const rule = (condition: object): string => `filter=${encodeURIComponent(JSON.stringify(condition))}`;

test('what a pool discloses of its loans', async (t) => {
  await using at = await listed();

  await t.test('is aggregates, until its owner says otherwise', async () => {
    const { level, fields, version, may_disclose } = dataOf(await at.disclosure());
    assert.deepEqual([level, fields, version], ['AGGREGATE', [], 0]);
    assert.ok(may_disclose.includes('state') && !may_disclose.includes('vin') && !may_disclose.includes('loan_id'));
    assert.deepEqual(dataOf(await at.under('disclosure')), { deal_id: at.dealId, level: 'AGGREGATE', fields: [] });
    for (const answer of [await at.loans(), await at.file()]) assert.equal(answer.status, 404);
  });

  await t.test('names no field that is sealed, names a loan or does not exist, and every such field is told', async () => {
    const answer = await assertRefused(
      at.gateway,
      () => at.put('LOAN_LEVEL', ['state', 'vin', 'loan_id', 'contract_number', 'borrower_name', 'stat']),
      [422, 'UNPROCESSABLE'],
    );
    const told = answer.body.errors?.map(({ field, code }) => `${field} ${code}`);
    assert.deepEqual(told, [
      'fields.1 IDENTIFIES_LOAN',
      'fields.2 IDENTIFIES_LOAN',
      'fields.3 IDENTIFIES_LOAN',
      'fields.4 SEALED_FIELD',
      'fields.5 UNKNOWN_FIELD',
    ]);
    await assertRefused(at.gateway, () => at.put('LOAN_LEVEL', ['ssn']), [422, 'SEALED_FIELD']);
    await assertRefused(at.gateway, () => at.put('LOAN_LEVEL', ['row_number']), [422, 'UNKNOWN_FIELD']);
    await assertRefused(at.gateway, () => at.put('LOAN_LEVEL'), [422, 'UNPROCESSABLE']);
    await assertRefused(at.gateway, () => at.put('LOAN_LEVEL', ['state', 'state']), [400, 'VALIDATION_FAILED']);
    await assertRefused(at.gateway, () => at.put('PARTLY', ['state']), [400, 'VALIDATION_FAILED']);
  });

  await t.test('is set by its owner alone, and is an entry of the audit log', async () => {
    const stranger = await at.gateway.key('originator', 'Stranger');
    await assertRefused(at.gateway, () => at.put('LOAN_LEVEL', FIELDS, stranger), [404, 'NOT_FOUND']);
    await assertRefused(at.gateway, () => at.put('LOAN_LEVEL', FIELDS, at.holder), [403, 'ROLE_FORBIDDEN']);
    assert.equal((await at.disclosure(stranger)).status, 404);
    const { level, fields, version } = dataOf(await at.put('LOAN_LEVEL', FIELDS));
    assert.deepEqual([level, fields, version], ['LOAN_LEVEL', FIELDS, 1]);
    const entry = (await at.audited(at.pool.pool_id)).at(-1);
    assert.deepEqual([entry?.action, entry?.after], ['pool.disclosure_set', { level, fields, version }]);
    assert.deepEqual(dataOf(await at.under('disclosure')).fields, FIELDS);
  });

  await t.test('changes in the version that was read alone', async () => {
    const { headers } = await at.disclosure();
    const put = (tag: string) =>
      at.gateway.call('PUT', `/v1/api/originator/pools/${at.pool.pool_id}/disclosure`, {
        as: at.seller,
        headers: { 'if-match': tag },
        body: { level: 'LOAN_LEVEL', fields: FIELDS.toReversed() },
      });
    assert.equal((await put(String(headers.etag))).status, 200);
    assert.equal((await put(String(headers.etag))).status, 412);
  });
});

test('the loans of a deal that discloses them', async (t) => {
  await using at = await listed();
  dataOf(await at.put('LOAN_LEVEL', FIELDS));
  const first = await at.loans('?limit=500');
  const all: Loan[] = dataOf(first);

  await t.test('have the disclosed fields and an id that tells nothing, in whose order they are', () => {
    assert.equal(all.length, 60);
    assert.equal((first.body.pagination as { total: number }).total, 60);
    for (const loan of all) assert.deepEqual(Object.keys(loan), ['loan', ...FIELDS]);
    const ids = all.map(({ loan }) => loan);
    assert.ok(ids.every((id) => /^loan_[0-9a-f]{24}$/.test(id)) && new Set(ids).size === 60);
    assert.deepEqual(ids, ids.toSorted());
    const inTapeOrder = all.map(({ credit_score }) => Number(credit_score));
    assert.notDeepEqual(inTapeOrder, inTapeOrder.toSorted());
    const balance = all.reduce((sum, loan) => sum + Math.round(Number(loan.current_balance) * 100), 0);
    assert.equal(balance, Math.round(at.pool.balance * 100));
  });

  await t.test('are sorted, filtered and cut over disclosed fields, whatever way they are paged', async () => {
    const sorted: Loan[] = dataOf(await at.loans('?sort=-credit_score&limit=500&fields=credit_score'));
    const scores = sorted.map(({ credit_score }) => credit_score);
    assert.deepEqual([scores[0], scores.at(-1)], [659, null]);
    assert.deepEqual(Object.keys(sorted[0] ?? {}), ['loan', 'credit_score']);
    const one = rule({ field: 'state', op: 'eq', value: 'CA' });
    const filtered = await at.loans(`?limit=7&${one}`);
    assert.deepEqual([filtered.body.data.length, (filtered.body.pagination as { total: number }).total], [7, 20]);
    const walked: Loan[] = [...dataOf(filtered)];
    let next = (filtered.body.pagination as { next_cursor: string | null }).next_cursor;
    while (next !== null) {
      const page = await at.loans(`?limit=7&${one}&cursor=${encodeURIComponent(next)}`);
      walked.push(...dataOf(page));
      next = (page.body.pagination as { next_cursor: string | null }).next_cursor;
    }
    assert.deepEqual(
      walked.map(({ loan }) => loan),
      dataOf(await at.loans(`?limit=500&${one}`)).map((row: Loan) => row.loan),
    );
    const offset = await at.loans('?offset=58&limit=500');
    assert.deepEqual(dataOf(offset), all.slice(58));
    assert.deepEqual(
      [(offset.body.pagination as Loan).page, (offset.body.pagination as Record<string, unknown>).hasNextPage],
      [null, false],
    );
    const id = all[3]?.loan;
    assert.equal((await at.loans(`?${rule({ field: 'loan', op: 'eq', value: String(id) })}`)).status, 422);
  });

  await t.test('tell nothing of other fields, whatever they are asked by', async () => {
    const hidden = { field: 'interest_rate', op: 'gt', value: 5 };
    const open = { field: 'state', op: 'eq', value: 'TX' };
    const queries = [
      'sort=interest_rate',
      'sort=-loan_id',
      'fields=state,vin',
      rule(hidden),
      rule({ rule: hidden }),
      rule({ all: [open, { not: hidden }] }),
      rule({ when: open, then: hidden }),
      rule({ expr: { num: 'current_balance', den: 'original_balance' }, op: 'gt', value: 1 }),
      rule({ field: 'current_balance', op: 'lt', value_field: 'original_balance' }),
      rule({ field: 'current_balance', op: 'lt', value_field: 'original_balance', factor: 0.5 }),
      rule({ field: 'obligor_id', op: 'is_null' }),
      rule({ any: [open, { field: 'interest_rate', op: 'in', value: [5, 6] }] }),
    ];
    for (const query of queries) {
      const answer = await at.loans(`?${query}`);
      assert.deepEqual([query, answer.status, answer.body.code], [query, 422, 'FIELD_NOT_DISCLOSED']);
      assert.match(String(answer.body.message), /interest_rate|loan_id|vin|original_balance|obligor_id/);
    }
    for (const [query, status] of [
      ['sort=row_number', 422],
      ['sort=deal_number', 422],
      ['fields=state,,vin', 400],
      ['filter=1', 400],
      ['filter={', 400],
      ['filter=null', 400],
      ['filter=[]', 400],
      [rule({ rule: 1 }), 400],
      [rule({ all: 5 }), 422],
      [rule({ field: 'state', op: 'eq', value: 'TX', nonsense: 1 }), 422],
      [`filter=${encodeURIComponent('{"field":"state","field":"vin","op":"not_null"}')}`, 400],
      ['sort=state%22%20desc%20--', 422],
      ['q=A', 400],
      ['offset=1&page=2', 400],
      ['limit=501', 400],
    ] as const)
      assert.deepEqual([query, (await at.loans(`?${query}`)).status], [query, status]);
  });

  await t.test('are a CSV file that runs in no spreadsheet, and a Parquet file, with the same loans', async () => {
    const csv = await at.file('?format=csv');
    assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8');
    const lines = csv.text.replace('\ufeff', '').trimEnd().split('\r\n');
    assert.equal(lines[0], `loan,${FIELDS.join(',')}`);
    assert.equal(lines.length, 61);
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',')[0]),
      all.map(({ loan }) => loan),
    );
    assert.ok(csv.text.includes(`"'=HYPERLINK(""http://x"")"`), 'a formula is text');
    assert.ok(csv.text.includes(`,"CIVIC, LX"`));
    const parquet = await at.gateway.app.inject({
      url: `/v1/api/investor/deals/${at.dealId}/loans/file?format=parquet&period=closing`,
      headers: { authorization: `Bearer ${at.holder.token}` },
    });
    const path = join(at.gateway.deps.workDir, 'read-back.parquet');
    writeFileSync(path, parquet.rawPayload);
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const rows = (await connection.runAndReadAll(`select * from read_parquet('${path}')`)).getRowObjectsJson() as Loan[];
    connection.closeSync();
    instance.closeSync();
    const shown = rows.map((row) => ({
      ...row,
      credit_score: row.credit_score === null ? null : Number(row.credit_score),
      current_balance: Number(row.current_balance),
    }));
    assert.deepEqual(shown, all);
    assert.equal((await at.file('?period=3')).body.errors?.[0].code, 'NO_SUCH_TAPE');
    assert.equal((await at.file('?format=xlsx')).status, 400);
  });

  await t.test('leave in the log of their owner who has read and downloaded them, and in no other', async () => {
    assert.equal((await at.send('HEAD', `/v1/api/investor/deals/${at.dealId}/loans/file`, at.holder)).status, 200);
    const entries: { reader: string; act: string; entity_id: string; details: Record<string, unknown> }[] = await at.log();
    const downloads = entries.filter(({ act }) => act === 'DOWNLOADED');
    assert.deepEqual(
      downloads.map(({ reader, entity_id, details }) => [reader, entity_id, details]),
      ['parquet', 'csv'].map((format) => ['Investor 1', at.dealId, { format, period: 'closing', loans: 60, fields: FIELDS }]),
    );
    assert.ok(entries.some(({ act }) => act === 'READ'));
    assert.deepEqual(await at.log(at.holder), []);
    assert.deepEqual(await at.log(await at.gateway.key('originator', 'Another')), []);
    const seen = dataOf(
      await at.send('GET', `/v1/operator/access-log?act=DOWNLOADED&organization_id=${at.seller.organization_id}`, at.operator),
    );
    assert.equal(seen.length, 2);
  });

  await t.test('are not there for others, nor when the level goes back', async () => {
    const stranger = await at.gateway.key('originator', 'Reader');
    assert.equal((await at.loans('', stranger)).status, 403);
    assert.equal((await at.loans('', at.seller)).status, 403);
    const cursor = encodeURIComponent(String(((await at.loans('?limit=5')).body.pagination as Loan).next_cursor));
    dataOf(await at.put('LOAN_LEVEL', ['state']));
    assert.deepEqual(Object.keys(dataOf(await at.loans())[0]), ['loan', 'state']);
    assert.equal((await at.loans(`?limit=5&cursor=${cursor}`)).status, 400, 'a cursor of other fields');
    dataOf(await at.put('AGGREGATE', FIELDS));
    for (const answer of [await at.loans(), await at.file()]) assert.equal(answer.status, 404);
    assert.deepEqual(dataOf(await at.under('disclosure')).fields, []);
  });
});

test('an obligor is disclosed as a token that is not that of the tape', async () => {
  await using at = await listed();
  dataOf(await at.put('LOAN_LEVEL', ['obligor_id', 'state']));
  const own: Loan[] = dataOf(await at.send('GET', `/v1/api/originator/loans/${at.loanDeal}/loans?limit=500`, at.seller));
  const tokens = dataOf(await at.loans('?limit=500')).map((row: Loan) => row.obligor_id);
  const ofTape = new Set(own.map((row) => row.obligor_id));
  assert.ok(ofTape.size > 1 && !ofTape.has(null), 'the tape has obligors');
  assert.ok(tokens.every((token: string) => /^obl_[0-9a-f]{24}$/.test(token) && !ofTape.has(token)));
  assert.equal(new Set(tokens).size, ofTape.size);
});
