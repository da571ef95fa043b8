import assert from 'node:assert/strict';
import type { Issues } from './books.ts';
import { cents, money, ratio, sum } from './figures.ts';
import type { Views } from './lists.ts';
import { type Data, INVESTORS, type Market, SELLERS } from './members.ts';

const ENDED = ['rejected', 'cancelled', 'expired'];

const total = (rows: readonly Data[], amount: string): Data => ({
  count: rows.length,
  amount: money(sum(rows.map((row) => cents(row[amount])))),
});

/** The demand for each offered tranche of a deal, from the operator's lists of indications, subscriptions and orders. */
function demandOf(views: Views, deal: Data, tranches: readonly Data[]): Data[] {
  const of = (list: string): Data[] => views.platform.rows(list).filter((row) => row.deal_id === deal.deal_id);
  return tranches.map(({ tranche_id, balance }, at) => {
    const inTranche = (list: string): Data[] => of(list).filter((row) => row.tranche_id === tranche_id);
    const live = inTranche('subscriptions').filter((row) => !ENDED.includes(row.status));
    const open = inTranche('orders').filter((row) => row.status === 'OPEN');
    const committed = sum([...live.map((row) => cents(row.subscription_amount)), ...open.map((row) => cents(row.amount))]);
    return {
      tranche_id,
      indications: total(at === 0 ? of('iois').filter((row) => row.status === 'submitted') : [], 'interest_amount'),
      subscriptions: total(live, 'subscription_amount'),
      orders: total(open, 'amount'),
      coverage: ratio(committed, cents(balance), 6),
    };
  });
}

export type Demand = Map<string, Data[]>;

/** Books and remaining capacity of every deal as everybody sees them now, against the lists; the demand by deal. */
export function checkDemand(views: Views, issues: Issues): Demand {
  const found: Demand = new Map();
  for (const seller of SELLERS) {
    const { deal_id, pool_id, tranches } = issues[seller];
    const demand = demandOf(views, { deal_id }, tranches);
    found.set(deal_id, demand);
    const told = ({ tranche_id, indications, subscriptions, orders, coverage }: Data) => ({
      tranche_id,
      indications,
      subscriptions,
      orders,
      coverage,
    });
    const book = views.platform.record(`deals/${deal_id}/book`);
    const own = views[seller].record(`originator/pools/${pool_id}/book`);
    assert.deepEqual(book.tranches.map(told), demand, `the operator’s book of ${seller}`);
    assert.deepEqual(own.tranches.map(told), demand, `the book of ${seller}`);
    for (const [at, { investors, orders_by_limit }] of book.tranches.entries()) {
      for (const kind of ['indications', 'subscriptions', 'orders'])
        assert.equal(
          sum(investors.map((row: Data) => cents(row[kind].amount))),
          cents(demand[at][kind].amount),
          `${kind} of ${seller} by investor`,
        );
      assert.equal(sum(orders_by_limit.map((row: Data) => cents(row.amount))), cents(demand[at].orders.amount));
      assert.deepEqual(own.tranches[at].orders_by_limit, orders_by_limit);
    }
    for (const name of INVESTORS) {
      const seen = views[name].rows('investor/deals').find((deal) => deal.id === deal_id);
      if (!seen) continue;
      for (const [at, tranche] of views[name].record(`investor/deals/${deal_id}`).tranches.entries())
        assert.equal(
          tranche.remaining_capacity,
          money(cents(tranche.balance) - cents(demand[at].subscriptions.amount)),
          `capacity of ${tranche.tranche} of ${seller} for ${name}`,
        );
    }
  }
  return found;
}

/** The demand at an allocation: Twin's books were closed before theirs, which ends the indications. */
function lastDemand(issues: Issues, demand: Demand, dealId: string): Data[] | undefined {
  const found = demand.get(dealId);
  return dealId === issues.twin.deal_id ? found?.map((each) => ({ ...each, indications: total([], 'interest_amount') })) : found;
}

/** What each owner was told last of the demand for its deal is what the books had before they were allocated. */
export function checkToldDemand(views: Views, issues: Issues, demand: Demand): void {
  for (const seller of SELLERS) {
    const { deal_id } = issues[seller];
    const told = views[seller].rows('events').filter((each) => each.event === 'demand.changed' && each.data.deal_id === deal_id);
    assert.ok(told.length > 0, `${seller} was told of no demand`);
    assert.deepEqual(told.at(-1).data.tranches, lastDemand(issues, demand, deal_id), `the demand that ${seller} was told last`);
    for (const [at, each] of told.entries())
      if (at > 0) {
        assert.ok(Date.parse(each.timestamp) - Date.parse(told[at - 1].timestamp) >= 60_000, 'at most once a minute');
        assert.notDeepEqual(each.data, told[at - 1].data);
      }
  }
}

const RETURNED = ['DECLINED', 'EXPIRED'];

/** Rounds of allocation: nobody gets more than asked for, no tranche more than it has, and what comes back is offered once more. */
export async function checkAllocations(market: Market, views: Views, issues: Issues): Promise<void> {
  const { platform } = views;
  for (const seller of SELLERS)
    for (const { tranche_id, balance } of issues[seller].tranches) {
      const rows = platform
        .rows('allocations')
        .filter((row) => row.tranche_id === tranche_id)
        .toReversed();
      const face = (of: readonly Data[]): bigint => sum(of.map((row) => cents(row.allocated_amount)));
      const offering = rows.filter((row) => row.created_at === rows[0].created_at);
      const again = rows.filter((row) => !offering.includes(row));
      const demand = [
        ...platform
          .rows('orders')
          .filter((row) => row.tranche_id === tranche_id && !['CANCELLED', 'UNFILLED'].includes(row.status)),
        ...platform.rows('subscriptions').filter((row) => row.tranche_id === tranche_id && row.allocated_at !== null),
      ];
      const asked = sum(demand.map((row) => cents(row.amount ?? row.subscription_amount)));
      const size = cents(balance);
      assert.equal(face(offering), asked < size ? asked : size, `the offering of ${seller} ${tranche_id}`);
      assert.ok(face(again) <= face(offering.filter((row) => RETURNED.includes(row.status))));
      assert.ok(face(rows.filter((row) => !RETURNED.includes(row.status))) <= size);
      for (const bid of demand) {
        const given = rows.filter((row) => (row.order_id ?? row.subscription_id) === (bid.order_id ?? bid.subscription_id));
        assert.ok(face(given.filter((row) => !RETURNED.includes(row.status))) <= cents(bid.amount ?? bid.subscription_amount));
      }
      for (const { trade_id, status, allocated_amount } of rows) {
        const trade = platform.rows('trades').find((row) => row.trade_id === trade_id);
        assert.equal(trade !== undefined, status === 'ACCEPTED');
        assert.equal(trade?.face ?? allocated_amount, allocated_amount);
      }
    }
  const harbor = platform.rows('allocations').filter((row) => row.deal_id === issues.harbor.deal_id);
  assert.ok(new Set(harbor.map((row) => row.created_at)).size >= 3, 'Harbor’s face is offered again twice');
  for (const name of INVESTORS)
    for (const { allocation_id } of views[name].rows('investor/allocations')) {
      const { data } = await market.members[name].get(`investor/allocations/${allocation_id}/proof`);
      assert.equal(data.agrees, true, `the proof of ${allocation_id}`);
    }
}
