import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { type Answer, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { type ListedDeal, listDeal, setProfile, insertMarkWithCash } from '../../../test/support/market.ts';
import { housekeeping } from '../../worker.ts';

type Row = Record<string, never> & { allocation_id: string; allocated_amount: number; order_id: string | null; status: string };

test('orders and allocations', async (t) => {
  await using gateway = await startGateway();
  const seller = await gateway.key('originator', 'Seller');
  const operator = await gateway.key('operator', 'Platform');
  const [anna, bert, cleo] = [
    await gateway.key('investor', 'Anna'),
    await gateway.key('investor', 'Bert'),
    await gateway.key('investor', 'Cleo'),
  ];
  const { post, order, allocate, mine, read } = actors(gateway, operator);

  await t.test('an order can be changed and cancelled while the books are open; a larger ask takes a new place', async () => {
    const deal = await listDeal(gateway, seller);
    const placed = (await order(deal, anna, { amount: 500_000, limit_yield: 5.25 })).body.data;
    const amend = (body: object) => gateway.call('PATCH', `/v1/api/investor/orders/${placed.order_id}`, { as: anna, body });
    const smaller = (await amend({ amount: 400_000 })).body.data;
    assert.deepEqual([smaller.amount, smaller.placed_at], [400_000, placed.placed_at]);
    await gateway.advance(1);
    const larger = (await amend({ amount: 600_000, minimum_amount: 100_000 })).body.data;
    assert.ok(larger.placed_at > placed.placed_at);
    assert.equal((await amend({ minimum_amount: 700_000 })).status, 422);
    assert.equal((await amend({ amount: 600_500 })).body.code, 'COMPLIANCE_FAILED');
    assert.equal((await amend({ limit_yield: 5.1234567 })).status, 400);
    assert.equal((await gateway.call('DELETE', `/v1/api/investor/orders/${placed.order_id}`, { as: bert })).status, 404);
    const cancelled = await gateway.call('DELETE', `/v1/api/investor/orders/${placed.order_id}`, { as: anna });
    assert.equal(cancelled.body.data.status, 'CANCELLED');
    assert.equal((await amend({ amount: 1_000 })).status, 409);
    const standing = (await order(deal, anna, { amount: 500_000 })).body.data;
    await post(`/v1/operator/deals/${deal.deal_id}/close-books`, operator);
    const late = await gateway.call('DELETE', `/v1/api/investor/orders/${standing.order_id}`, { as: anna });
    assert.deepEqual([late.status, late.body.code], [409, 'BOOKS_CLOSED']);
  });

  await t.test(
    'a dry run changes nothing; the allocation closes the books, fills every tranche and cannot be made twice',
    async () => {
      const deal = await listDeal(gateway, seller, {
        tranches: [{ balance: 10_000_000 }, { balance: 4_000_000, offered_yield: 6.5 }],
      });
      await post(`/v1/api/investor/deals/${deal.deal_id}/ioi`, bert, { interest_amount: 1_000 });
      const subscribed = await post(`/v1/api/investor/deals/${deal.deal_id}/subscribe`, anna, { subscription_amount: 6_000_000 });
      await post(`/v1/operator/subscriptions/${subscribed.body.data.subscription_id}/confirm`, operator);
      const unconfirmed = await post(`/v1/api/investor/deals/${deal.deal_id}/subscribe`, cleo, {
        subscription_amount: 1_000_000,
      });
      const limited = (await order(deal, bert, { amount: 9_000_000, limit_yield: 5.5 })).body.data;
      const dear = (await order(deal, cleo, { amount: 2_000_000, limit_yield: 5.75 })).body.data;
      await order(deal, bert, { amount: 1_000_000, tranche_id: deal.tranches[1] });
      for (const tranche of [0, 1]) await insertMarkWithCash(gateway, seller, deal, { tranche });
      const dry = await allocate(deal, 'CLEARING_YIELD', true);
      assert.equal(dry.status, 200);
      assert.equal(await read(anna, `deals/${deal.deal_id}`).then((data) => data.market_status), 'MARKETING');
      const made = await allocate(deal, 'CLEARING_YIELD');
      assert.equal(made.status, 201);
      const fills = (answer: Answer) => answer.body.data.allocations.map((row: Row) => [row.order_id, row.allocated_amount]);
      assert.deepEqual(fills(made), fills(dry));
      assert.deepEqual(
        made.body.data.tranches.map((row: { allocated: number; yield: number }) => [row.allocated, row.yield]),
        [
          [10_000_000, 5.5],
          [1_000_000, 6.5],
        ],
      );
      const [market, marginal] = [(await mine(anna))[0], (await mine(bert)).find((row) => row.order_id === limited.order_id)];
      assert.deepEqual(
        [market?.allocated_amount, marginal?.allocated_amount, marginal?.fill_ratio],
        [6_000_000, 4_000_000, 0.44444444],
      );
      assert.equal(await read(anna, `deals/${deal.deal_id}`).then((data) => data.market_status), 'ALLOCATED');
      assert.equal((await read(cleo, `orders/${dear.order_id}`)).status, 'UNFILLED');
      assert.match((await read(cleo, `orders/${dear.order_id}`)).reason, /5\.75 % is above the clearing yield of 5\.5 %/);
      assert.equal((await read(cleo, `subscriptions/${unconfirmed.body.data.subscription_id}`)).status, 'expired');
      assert.equal((await read(bert, 'iois'))[0].status, 'expired');
      const again = await allocate(deal, 'PRO_RATA');
      assert.deepEqual([again.status, again.body.code, again.body.current_status], [409, 'INVALID_TRANSITION', 'ALLOCATED']);
    },
  );

  await t.test('the proof names nobody, hashes the book and recomputes the fill', async () => {
    const deal = await listDeal(gateway, seller, { tranches: [{ balance: 1_000_000 }] });
    for (const holder of [anna, bert, cleo]) await order(deal, holder, { amount: 700_000 });
    await allocate(deal, 'PRO_RATA');
    const hashes = new Set<string>();
    for (const holder of [anna, bert, cleo]) {
      const [allocation] = (await mine(holder)).filter(
        (row) => row.status === 'ISSUED' && (row as { deal_id?: string }).deal_id === deal.deal_id,
      );
      const proof = await read(holder, `allocations/${allocation?.allocation_id}/proof`);
      assert.deepEqual([proof.agrees, proof.recomputed_amount], [true, allocation?.allocated_amount]);
      const { method, size, increment, market_yield, book } = proof;
      const hash = createHash('sha256').update(JSON.stringify({ method, size, increment, market_yield, book })).digest('hex');
      assert.equal(hash, proof.book_hash);
      hashes.add(hash);
      assert.doesNotMatch(JSON.stringify(proof), /org_|Anna|Bert|Cleo|ord_/);
      const other = holder === anna ? bert : anna;
      assert.equal(
        (await gateway.call('GET', `/v1/api/investor/allocations/${allocation?.allocation_id}/proof`, { as: other })).status,
        404,
      );
    }
    assert.equal(hashes.size, 1);
  });

  await t.test('declined face is offered once more, to those who asked for more and gave nothing back', async () => {
    const deal = await listDeal(gateway, seller, { tranches: [{ balance: 900_000 }] });
    const placed = (await order(deal, anna, { amount: 900_000 })).body.data;
    for (const holder of [bert, cleo]) await order(deal, holder, { amount: 900_000 });
    await allocate(deal, 'PRO_RATA');
    const of = async (holder: Holder) =>
      (await mine(holder)).filter((row) => (row as { deal_id?: string }).deal_id === deal.deal_id);
    const [first] = await of(cleo);
    const declined = await post(`/v1/api/investor/allocations/${first?.allocation_id}/decline`, cleo);
    assert.equal(declined.body.data.status, 'DECLINED');
    assert.deepEqual(
      (await of(anna)).map((row) => row.allocated_amount),
      [150_000, 300_000],
    );
    assert.deepEqual((await of(cleo)).length, 1);
    const [again] = await of(anna);
    assert.equal((await read(anna, `allocations/${again?.allocation_id}/proof`)).kind, 'REOFFER');
    assert.equal((await read(anna, `allocations/${again?.allocation_id}/proof`)).agrees, true);
    assert.equal((await read(anna, `orders/${placed.order_id}`)).status, 'PARTIALLY_ALLOCATED');
    await post(`/v1/api/investor/allocations/${again?.allocation_id}/decline`, anna);
    assert.equal((await of(bert)).length, 2);
    assert.equal((await post(`/v1/api/investor/allocations/${first?.allocation_id}/accept`, cleo)).status, 409);
  });

  await t.test('an allocation that is not answered for two business days expires, and its subscription with it', async () => {
    const deal = await listDeal(gateway, seller);
    const subscribed = (await post(`/v1/api/investor/deals/${deal.deal_id}/subscribe`, anna, { subscription_amount: 1_000_000 }))
      .body.data;
    await post(`/v1/operator/subscriptions/${subscribed.subscription_id}/confirm`, operator);
    await allocate(deal, 'PRO_RATA');
    const [allocation] = await mine(anna);
    const days = (Date.parse(String(allocation?.expires_at)) - Date.parse(String(allocation?.created_at))) / 86_400_000;
    assert.ok(days >= 2 && days <= 6, `${days} days`);
    await gateway.advance(days * 86_400 + 1);
    const late = await post(`/v1/api/investor/allocations/${allocation?.allocation_id}/accept`, anna);
    assert.deepEqual([late.status, late.body.current_status], [409, 'EXPIRED']);
    await housekeeping(gateway.deps);
    assert.equal((await read(anna, `allocations/${allocation?.allocation_id}`)).status, 'EXPIRED');
    assert.equal((await read(anna, `subscriptions/${subscribed.subscription_id}`)).status, 'expired');
  });

  await t.test('who may no longer buy is left out when face is given', async () => {
    const deal = await listDeal(gateway, seller);
    const fallen = await gateway.key('investor', 'Fallen');
    const placed = (await order(deal, fallen, { amount: 5_000_000 })).body.data;
    await order(deal, anna, { amount: 8_000_000 });
    await setProfile(gateway, fallen, { sanctions_status: 'REVIEW' });
    const made = await allocate(deal, 'PRO_RATA');
    assert.deepEqual(
      made.body.data.allocations.map((row: Row) => row.allocated_amount),
      [8_000_000],
    );
    const unfilled = await read(fallen, `orders/${placed.order_id}`);
    assert.equal(unfilled.status, 'UNFILLED');
    assert.match(unfilled.reason, /Compliance at allocation: .*under review/);
  });

  await t.test('a fill below the denomination is no fill', async () => {
    const deal = await listDeal(gateway, seller, { tranches: [{ balance: 250_000, denomination: 100_000 }] });
    for (const holder of [anna, bert, cleo]) await order(deal, holder, { amount: 100_000 });
    const made = await allocate(deal, 'PRO_RATA');
    assert.deepEqual(
      made.body.data.allocations.map((row: Row) => row.allocated_amount),
      [100_000, 100_000],
    );
    assert.equal(made.body.data.unfilled.length, 1);
  });

  await t.test('repeated under one key an acceptance makes one trade', async () => {
    const deal = await listDeal(gateway, seller);
    await order(deal, anna, { amount: 1_000_000 });
    const [issued] = (await allocate(deal, 'PRO_RATA')).body.data.allocations;
    const accept = () =>
      gateway.call('POST', `/v1/api/investor/allocations/${issued.allocation_id}/accept`, {
        as: anna,
        headers: { 'idempotency-key': 'accept' },
      });
    const answers = [...(await Promise.all(Array.from({ length: 10 }, accept))), await accept()];
    assert.ok(answers.every((answer) => answer.status === 200 || answer.body.code === 'IDEMPOTENCY_IN_PROGRESS'));
    const trades = await gateway.call('GET', `/v1/operator/trades?deal_id=${deal.deal_id}`, { as: operator });
    assert.equal(trades.body.pagination.total, 1);
  });
});

function actors(gateway: Gateway, operator: Holder) {
  const post = (path: string, as: Holder, body?: object): Promise<Answer> =>
    gateway.call('POST', path, { as, ...(body === undefined ? {} : { body }) });
  const read = async (as: Holder, path: string) => (await gateway.call('GET', `/v1/api/investor/${path}`, { as })).body.data;
  return {
    post,
    read,
    order: (deal: ListedDeal, as: Holder, body: object) =>
      post(`/v1/api/investor/deals/${deal.deal_id}/orders`, as, { tranche_id: deal.tranches[0], ...body }),
    allocate: (deal: ListedDeal, method: string, dry_run?: boolean) =>
      post(`/v1/operator/deals/${deal.deal_id}/allocations`, operator, { method, ...(dry_run ? { dry_run } : {}) }),
    mine: async (as: Holder): Promise<(Row & { fill_ratio: number; expires_at: string; created_at: string })[]> =>
      read(as, 'allocations?limit=100'),
  };
}
