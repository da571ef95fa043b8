import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { type Holder, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool } from '../../../test/support/pools.ts';
import { autoTape } from '../../../test/support/tapes.ts';

test('search', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const sell = async (seller: Holder, series: string, rows: number) => {
    const bytes = autoTape(rows, (row, index) => (row['Loan ID'] = `${series}-${index}`));
    return approvedDeal(gateway, seller, desk.operator, { bytes, name: `Tape ${series}` });
  };
  const rival = await gateway.key('originator', 'Rival');
  const [ours, theirs] = [await sell(desk.seller, 'OURS', 30), await sell(rival, 'THEIRS', 10)];
  const pool = dataOf(await formPool(gateway, desk.seller, [ours], { name: 'Harbor 100%_sure' }));
  const listed = await desk.list({ name: 'Harbor listed' });
  const investor = await desk.investor();
  const find = async (q: string, as: Holder = desk.seller, more = '') =>
    dataOf(await desk.send('GET', `/v1/api/search?q=${encodeURIComponent(q)}${more}`, as));
  const overall = async (q: string) =>
    dataOf(await desk.send('GET', `/v1/operator/search?q=${encodeURIComponent(q)}`, desk.operator));
  const ids = (found: { rows: Record<string, string>[] }, name: string) => found.rows.map((row) => row[name]);

  await t.test('finds the own records by the beginning of an id or a part of a name', async () => {
    assert.deepEqual(ids((await find(ours)).deals, 'deal_id'), [ours]);
    assert.deepEqual(
      ids((await find('harbor')).pools, 'pool_id'),
      [listed.pool_id, pool.pool_id].filter((each) => each),
    );
    assert.deepEqual(ids((await find('100%_s')).pools, 'pool_id'), [pool.pool_id]);
    assert.deepEqual((await find('100__s')).pools.rows, [], 'signs of a pattern are signs');
    assert.deepEqual(ids((await find('Seller')).organizations, 'name'), ['Seller']);
    const { loans } = await find('ours-2');
    assert.deepEqual([loans.rows.length, loans.more, loans.tapes_searched, loans.tapes_not_searched], [10, true, 1, 0]);
    assert.deepEqual(loans.rows[0], { deal_id: ours, row_number: 3, loan_id: 'OURS-2' });
    assert.deepEqual((await find('OURS-29')).loans.rows.length, 1);
  });

  await t.test('finds nothing of others', async () => {
    for (const text of [theirs, 'THEIRS', 'Rival', rival.organization_id]) {
      const { q: _q, ...found } = await find(text);
      for (const kind of Object.values(found) as { rows: unknown[]; more: boolean }[])
        assert.deepEqual([text, kind.rows, kind.more], [text, [], false]);
    }
    assert.deepEqual((await find('THEIRS', desk.seller, `&deal_id=${theirs}`)).loans, {
      rows: [],
      more: false,
      tapes_searched: 0,
      tapes_not_searched: 0,
    });
    const { deals, pools, loans, organizations } = await find('OURS', investor);
    assert.deepEqual([deals.rows, pools.rows, loans.rows, loans.tapes_searched, organizations.rows], [[], [], [], 0, []]);
  });

  await t.test('finds for an investor the deals of the market that it sees', async () => {
    assert.deepEqual(ids((await find('harbor', investor)).deals, 'deal_id'), [listed.deal_id]);
    assert.deepEqual((await find('harbor', investor)).pools.rows, []);
    assert.deepEqual((await find('harbor', rival)).deals.rows, [], 'an originator sees no market');
    dataOf(await desk.move(listed, 'withdraw', { reason: 'A reason.' }));
    assert.deepEqual((await find('harbor', investor)).deals.rows, []);
  });

  await t.test('finds everything for the operator, and the owners of loans see that', async () => {
    const found = await overall('THEIRS');
    assert.deepEqual(
      [ids(found.deals, 'organization_id'), found.loans.rows.length, found.loans.more],
      [[rival.organization_id], 10, false],
    );
    assert.equal(found.loans.tapes_searched, 2);
    const [entry] = dataOf(await desk.send('GET', '/v1/api/access-log', rival));
    assert.deepEqual([entry.reader, entry.entity_id, entry.details], ['Platform', theirs, { search: 'THEIRS', loans: 10 }]);
    assert.deepEqual(dataOf(await desk.send('GET', '/v1/api/access-log', desk.seller)), []);
    assert.ok(ids((await overall('org_')).organizations, 'organization_id').length > 2);
    assert.equal((await desk.send('GET', '/v1/operator/search?q=xx', desk.seller)).status, 403);
    assert.equal((await desk.send('GET', '/v1/api/search?q=x', desk.seller)).status, 400);
  });

  await t.test('says of more tapes than it reads that it has not searched them', async () => {
    await gateway.deps.db.tx({ platform: true }, async (tx) => {
      await tx.exec(
        `insert into deals select (jsonb_populate_record(d, jsonb_build_object('deal_id', 'deal_copy' || n, 'deal_number', 1000000 + n, 'created_at', now() + interval '1 day'))).*
         from deals d, generate_series(1, 25) n where d.deal_id = $1`,
        [ours],
      );
      await tx.exec(
        `insert into tapes (deal_id, version, organization_id, file_name, format, object_key, size, sha256, state, loans_key)
         select 'deal_copy' || n, version, organization_id, file_name, format, object_key, size, sha256, state, loans_key from tapes t, generate_series(1, 25) n where t.deal_id = $1`,
        [ours],
      );
    });
    const { loans } = await find('NONE-1');
    assert.deepEqual([loans.tapes_searched, loans.tapes_not_searched], [20, 6]);
    assert.equal((await find('OURS-29', desk.seller, `&deal_id=${ours}`)).loans.rows.length, 1);
  });
});
