import assert from 'node:assert/strict';
import type { View, Views } from './lists.ts';
import { type Data, INVESTORS, SELLERS } from './members.ts';

/** The moves that the contract allows, kind by kind. */
const MOVES: Record<string, Record<string, readonly string[]>> = {
  loan: {
    DRAFT: ['IN_REVIEW', 'EXPIRED'],
    IN_REVIEW: ['QC_COMPLETED', 'REJECTED'],
    QC_COMPLETED: ['APPROVED', 'REJECTED'],
    APPROVED: ['WITHDRAWN'],
  },
  market: {
    MARKETING: ['BOOKS_CLOSED', 'ALLOCATED', 'WITHDRAWN'],
    BOOKS_CLOSED: ['MARKETING', 'ALLOCATED', 'WITHDRAWN'],
    ALLOCATED: ['CLOSED', 'WITHDRAWN'],
  },
  subscription: {
    pending_confirmation: ['confirmed', 'rejected', 'cancelled', 'expired'],
    confirmed: ['allocated', 'rejected', 'cancelled', 'expired'],
    allocated: ['funded', 'cancelled', 'expired'],
    funded: ['settled'],
  },
  order: {
    OPEN: ['ALLOCATED', 'PARTIALLY_ALLOCATED', 'UNFILLED', 'CANCELLED'],
    PARTIALLY_ALLOCATED: ['ALLOCATED'],
    UNFILLED: ['ALLOCATED', 'PARTIALLY_ALLOCATED'],
  },
  allocation: { ISSUED: ['ACCEPTED', 'DECLINED', 'EXPIRED'] },
  trade: { PENDING_SETTLEMENT: ['SETTLED', 'FAILED', 'CANCELLED'], FAILED: ['PENDING_SETTLEMENT', 'CANCELLED'] },
};

/** A record: its first status, the moves that its events tell of, and the status that the list shows. */
type Told = { id: string; first: string; moves: readonly { from: string; to: string }[]; status: string };

function checkMoves(kind: string, { id, first, moves, status }: Told): void {
  let at = first;
  for (const { from, to } of moves) {
    assert.equal(from, at, `${kind} ${id} moved from ${from}, but was ${at}`);
    assert.ok(MOVES[kind]?.[from]?.includes(to), `${kind} ${id} may not move from ${from} to ${to}`);
    at = to;
  }
  assert.equal(at, status, `${kind} ${id}: its last event, and its status`);
}

const eventsOf = (view: View, name: string, field: string, id: string): Data[] =>
  view
    .rows('events')
    .filter((each) => each.event === name && each.data[field] === id)
    .map(({ data }) => data);

const moved = (events: readonly Data[]) =>
  events.map((data) => ({
    from: data.previous_status ?? data.previous_market_status,
    to: data.current_status ?? data.current_market_status,
  }));

/** The status of every record is what the last event about it said, and was reached by moves that are allowed. */
export function checkStatuses(views: Views): void {
  for (const name of SELLERS) {
    const view = views[name];
    for (const { id, status } of view.rows('originator/loans')) {
      const { history } = view.record(`originator/loans/${id}`);
      const [first, ...rest] = history;
      checkMoves('loan', { id, first: first.to, moves: rest, status });
      const told = moved(eventsOf(view, 'deal.status_changed', 'deal_id', id));
      checkMoves('loan', { id, first: told[0]?.from ?? first.to, moves: told, status });
    }
    for (const { deal_id, status } of view.rows('originator/pools')) {
      const { market_status } = views.platform.rows('deals').find((deal) => deal.id === deal_id);
      const moves = moved(eventsOf(view, 'deal.market_status_changed', 'deal_id', deal_id));
      checkMoves('market', { id: deal_id, first: 'MARKETING', moves, status: market_status });
      const expected = { CLOSED: 'CLOSED', WITHDRAWN: 'CANCELLED' }[market_status as string] ?? 'ISSUED';
      assert.equal(status, expected, `the pool of ${deal_id}`);
    }
  }
  for (const name of INVESTORS) checkCommitments(views[name]);
  checkTradesOfSellers(views);
  const seen = new Set(
    ['investor/subscriptions', 'investor/orders', 'investor/allocations', 'investor/trades', 'investor/iois'].flatMap((list) =>
      INVESTORS.flatMap((name) => views[name].rows(list).map((row) => row.status)),
    ),
  );
  for (const status of [
    'settled',
    'rejected',
    'cancelled',
    'expired',
    'ALLOCATED',
    'PARTIALLY_ALLOCATED',
    'UNFILLED',
    'CANCELLED',
    'ACCEPTED',
    'DECLINED',
    'EXPIRED',
    'SETTLED',
    'withdrawn',
    'converted',
  ])
    assert.ok(seen.has(status), `the scenario has no record that is ${status}`);
}

function checkCommitments(view: View): void {
  for (const { subscription_id: id, status } of view.rows('investor/subscriptions')) {
    const moves = moved(eventsOf(view, 'subscription.status_changed', 'subscription_id', id));
    checkMoves('subscription', { id, first: 'pending_confirmation', moves, status });
  }
  for (const { order_id: id, status } of view.rows('investor/orders'))
    checkMoves('order', { id, first: 'OPEN', moves: moved(eventsOf(view, 'order.status_changed', 'order_id', id)), status });
  for (const { allocation_id: id, status } of view.rows('investor/allocations')) {
    const moves = eventsOf(view, 'allocation.status_changed', 'allocation_id', id).map((data) => ({
      from: 'ISSUED',
      to: data.status,
    }));
    checkMoves('allocation', { id, first: 'ISSUED', moves, status });
  }
  for (const { trade_id: id, status } of view.rows('investor/trades'))
    checkMoves('trade', { id, first: 'PENDING_SETTLEMENT', moves: tradeMoves(view, id), status });
}

const OUTCOMES: Record<string, string> = {
  'trade.settled': 'SETTLED',
  'trade.failed': 'FAILED',
  'trade.cancelled': 'CANCELLED',
  'trade.retried': 'PENDING_SETTLEMENT',
};

/** The events of a trade name its outcome alone: each move begins where the one before ended. */
function tradeMoves(view: View, id: string): { from: string; to: string }[] {
  const outcomes = view.rows('events').flatMap(({ event, data }) => (data.trade_id === id ? [OUTCOMES[event] as string] : []));
  return outcomes.map((to, at) => ({ from: at === 0 ? 'PENDING_SETTLEMENT' : (outcomes[at - 1] as string), to }));
}

function checkTradesOfSellers(views: Views): void {
  for (const seller of SELLERS)
    for (const { deal_id } of views[seller].rows('originator/pools'))
      for (const { trade_id: id, status } of views.platform.rows('trades').filter((trade) => trade.deal_id === deal_id))
        checkMoves('trade', { id, first: 'PENDING_SETTLEMENT', moves: tradeMoves(views[seller], id), status });
}
