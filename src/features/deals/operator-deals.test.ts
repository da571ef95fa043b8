import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { buy, listDeal } from '../../../test/support/market.ts';
import type { Tx } from '../../platform/db/database.ts';
import { addUpTotals } from '../../platform/db/kept-totals.ts';
import { keepPlaces } from '../../platform/db/list-places.ts';
import { copyRows, manyOrganizations, planning } from '../../../test/support/many.ts';
import { DEALS_OF_BOTH_KINDS, listOperatorDeals } from './operator-queries.ts';
import { listDeals } from './queries.ts';
import { approvedDeal, issuedDeal, structuredPool } from '../../../test/support/pools.ts';

type Row = { id: string; kind: string; status: string; market_status: string | null };

test('the operator', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const originator = await gateway.key('originator', 'Harbor');
  const other = await gateway.key('originator', 'Quay');
  const investor = await gateway.key('investor', 'Buyer');
  await gateway.key('investor', 'Bystander');
  const list = async (path: string) => {
    const answer = await gateway.call('GET', `/v1/operator/${path}`, { as: operator });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const pool = await structuredPool(gateway, originator, operator);
  const issued = await issuedDeal(gateway, originator, operator, pool.pool_id);
  const [pooled] = pool.deal_ids as [string];
  const free = await approvedDeal(gateway, other, operator);
  const sold = await listDeal(gateway, other);
  const trade = await buy(gateway, operator, investor, sold, 100_000);
  const ids = async (query: string) => (await list(`deals?${query}`)).data.map((row: Row) => row.id);

  await t.test('sees loan deals and securitization deals in one list, newest first', async () => {
    const { data, pagination } = await list('deals');
    assert.deepEqual(
      data.map((row: Row) => [row.id, row.kind, row.status, row.market_status]),
      [
        [sold.deal_id, 'SECURITIZATION', 'APPROVED', 'ALLOCATED'],
        [free, 'LOAN', 'APPROVED', null],
        [issued, 'SECURITIZATION', 'APPROVED', 'MARKETING'],
        [pooled, 'LOAN', 'APPROVED', 'MARKETING'],
      ],
    );
    assert.equal(pagination.total, 4);
    const [tape, deal] = [data[3], data[2]];
    assert.deepEqual([deal.loan_count, deal.total_balance], [tape.loan_count, tape.total_balance]);
    assert.deepEqual([tape.tape_version, deal.tape_version, deal.issue_counts], [1, null, { error: 0, warning: 0 }]);
  });

  await t.test('filters it by kind, status, market status, owner, deal and loan type, together too', async () => {
    assert.deepEqual(await ids('kind=LOAN'), [free, pooled]);
    assert.deepEqual(await ids('market_status=MARKETING'), [issued, pooled]);
    assert.deepEqual(await ids('market_status=MARKETING&kind=SECURITIZATION&status=APPROVED'), [issued]);
    assert.deepEqual(await ids(`organization_id=${other.organization_id}&kind=LOAN&type=Auto`), [free]);
    assert.deepEqual(await ids(`deal_id=${issued}`), [issued]);
    assert.deepEqual(await ids('type=Mortgage'), []);
    for (const query of ['kind=POOL', 'market_status=APPROVED', 'status=MARKETING']) {
      assert.equal((await gateway.call('GET', `/v1/operator/deals?${query}`, { as: operator })).status, 400, query);
    }
  });

  await t.test('finds the organizations that have a part in a deal', async () => {
    const names = async (dealId: string) =>
      (await list(`organizations?deal_id=${dealId}`)).data.map((row: { name: string }) => row.name).sort();
    assert.deepEqual(await names(sold.deal_id), ['Buyer', 'Quay']);
    assert.deepEqual(await names(pooled), ['Harbor']);
    for (const nobody of ['deal_none', '']) assert.deepEqual(await names(nobody), []);
    assert.equal((await list(`organizations?deal_id=${sold.deal_id}&status=SUSPENDED`)).pagination.total, 0);
  });

  await t.test('finds in the audit log what was done in a deal, and what led to a status', async () => {
    const actions = async (query: string) =>
      (await list(`audit?${query}`)).data.map((row: { action: string; entity_id: string }) => row.action);
    assert.deepEqual(await actions(`deal_id=${sold.deal_id}`), [
      'trade.settled',
      'allocation.accepted',
      'deal.allocated',
      'deal.market_books_closed',
      'subscription.confirmed',
      'subscription.created',
    ]);
    assert.deepEqual(
      (await actions(`deal_id=${pooled}`)).filter((action: string) => /^(deal|pool\.issued)/.test(action)),
      ['pool.issued', 'deal.approved'],
    );
    assert.deepEqual(await actions(`deal_id=${issued}&status=ISSUED`), ['pool.issued']);
    assert.deepEqual(await actions(`status=ALLOCATED`), ['deal.allocated']);
    const [settled] = (await list(`audit?deal_id=${sold.deal_id}&status=SETTLED`)).data;
    assert.equal(settled.entity_id, trade);
    assert.deepEqual(await actions(`deal_id=${sold.deal_id}&status=APPROVED`), []);
  });
});

test('a page by a high number of the deals of both kinds is the same when their places are kept', async () => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const owners = [await gateway.key('originator', 'Harbor'), await gateway.key('originator', 'Quay')] as const;
  for (const { organization_id } of owners)
    await gateway.deps.db.tx({ organization: organization_id }, (tx) =>
      tx.exec(
        `insert into deals (deal_id, organization_id, name, loan_type, status, created_at)
         select 'deal_' || $1 || n, $1, 'Deal', 'Auto', 'APPROVED', now() - interval '1 day' + make_interval(secs => n)
         from generate_series(1, 400) n`,
        [organization_id],
      ),
    );
  await listDeal(gateway, owners[0]);
  await addUpTotals(gateway.deps.db);
  const read = async (): Promise<unknown[]> => {
    const pages = [];
    for (const query of ['', '&kind=LOAN', '&type=Auto', `&organization_id=${owners[1].organization_id}`])
      for (const page of [52, 60, 79, 81, 200]) {
        const { body } = await gateway.call('GET', `/v1/operator/deals?limit=10&page=${page}${query}`, { as: operator });
        pages.push([body.data, body.pagination]);
      }
    return pages;
  };
  const before = await read();
  await keepPlaces(gateway.deps.db, [DEALS_OF_BOTH_KINDS], { every: 100, from: 500 });
  const kept = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows('select organization_id, rank::int from list_places'),
  );
  assert.equal(kept.length, 8);
  assert.deepEqual(await read(), before);
});

test('the market status of deals is found without looking at each deal together with each pool of its owner', async () => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const originator = await gateway.key('originator', 'Harbor');
  const pool = await structuredPool(gateway, originator, operator);
  await issuedDeal(gateway, originator, operator, pool.pool_id);
  type Look = (tx: Tx, total: number) => Promise<unknown>;
  const rowsWith = (more: number, look: Look): Promise<number> =>
    gateway.deps.db.tx({ platform: true }, async (tx) => {
      await tx.exec('savepoint before');
      const tables = ['deals', 'pools', 'securitization_deals'];
      await manyOrganizations(tx, originator, more);
      await copyRows(tx, 'deals', originator, more, { deal_id: 'deal_' });
      await copyRows(tx, 'pools', originator, more, { pool_id: 'pool_', deal_id: 'deal_of_' });
      await copyRows(tx, 'securitization_deals', originator, more, { deal_id: 'deal_of_', pool_id: 'pool_' });
      await tx.exec(
        `update pools set deal_ids = array['deal_many' || substring(pool_id from 10)] where pool_id like 'pool_many%'`,
      );
      for (const table of tables) {
        await tx.exec(`update ${table} set organization_id = $1`, [originator.organization_id]);
        await tx.exec(`analyze ${table}`);
      }
      const { seen, planned } = planning(tx);
      await look(planned, more + 1);
      await tx.exec('rollback to savepoint before');
      return seen.rows;
    });
  const filtered: Look = async (tx, total) =>
    assert.equal((await listOperatorDeals(tx, { page: 1, limit: 10, market_status: 'MARKETING' })).total, 2 * total);
  const few = await rowsWith(30, filtered);
  const many = await rowsWith(300, filtered);
  assert.ok(many < 20 * few, `${few} rows for 30 deals, ${many} for 300`);
  for (const list of [
    (tx: Tx, limit: number) => listOperatorDeals(tx, { page: 1, limit, kind: 'LOAN' }),
    (tx: Tx, limit: number) => listDeals(tx, originator.organization_id, { page: 1, limit }),
  ]) {
    const page =
      (limit: number): Look =>
      async (tx) =>
        assert.deepEqual(
          (await list(tx, limit)).rows.map((row) => row.market_status),
          Array<string>(limit).fill('MARKETING'),
        );
    const [one, twenty] = [await rowsWith(300, page(1)), await rowsWith(300, page(20))];
    assert.ok(twenty < 3 * one, `${one} rows for a page of one deal, ${twenty} for one of 20`);
  }
});
