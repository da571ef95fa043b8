import type { View, Views } from './lists.ts';
import { type Data, INVESTORS, type Organization, SELLERS } from './members.ts';

/*
 * What each organization has to be told, from the lists of records alone: one line for each event, as `lineOf` writes the events that
 * it was sent.
 */

/** An event as one line: its name, its record and the move that it tells of. */
export function lineOf({ event, data }: Data): string {
  const {
    subscription_id,
    order_id,
    allocation_id,
    trade_id,
    sc_job_id,
    waiver_id,
    calculation_id,
    document_id,
    conflict_id,
    job_id,
    deal_id,
  } = data;
  const record =
    allocation_id ??
    subscription_id ??
    order_id ??
    trade_id ??
    sc_job_id ??
    waiver_id ??
    calculation_id ??
    document_id ??
    conflict_id ??
    job_id ??
    deal_id;
  const from = data.previous_status ?? data.previous_market_status;
  const to = data.current_status ?? data.current_market_status ?? data.status;
  return line(
    event,
    record,
    from && to ? `${from} > ${to}` : to,
    data.period,
    data.version,
    event === 'payment.made' ? data.payment_date : undefined,
  );
}

const line = (...parts: unknown[]): string => parts.filter((part) => part !== undefined && part !== null).join(' ');

/** Moves from the first status through the others, as lines of an event. */
const moves = (event: string, id: string, statuses: readonly string[]): string[] =>
  statuses.slice(1).map((to, at) => line(event, id, `${statuses[at]} > ${to}`));

const DAY_MS = 86_400_000;

/** Everything that an organization has to be told, but `demand.changed`, which tells of figures. */
export function toldTo(views: Views, name: Organization): string[] {
  if (name === 'platform') return views.platform.rows('pledge-conflicts').map((row) => line('pledge.conflict', row.conflict_id));
  const isSeller = (SELLERS as readonly Organization[]).includes(name);
  const isInvestor = (INVESTORS as readonly Organization[]).includes(name);
  return [
    ...(isSeller ? toldToSeller(views, name) : []),
    ...(isInvestor ? toldToInvestor(views, name) : []),
    ...toldOfMarket(views, name),
    ...toldOfPayments(views, name),
  ];
}

function toldToSeller(views: Views, name: Organization): string[] {
  const view = views[name];
  const loans = view.rows('originator/loans').flatMap(({ id }) => {
    const { history } = view.record(`originator/loans/${id}`);
    const decided = history.filter((move: Data) => ['APPROVED', 'REJECTED'].includes(move.to));
    return [
      ...history
        .filter((move: Data) => move.from !== null)
        .map(({ from, to }: Data) => line('deal.status_changed', id, `${from} > ${to}`)),
      ...decided.map(({ to }: Data) => line(to === 'APPROVED' ? 'loan.approved' : 'loan.rejected', id)),
    ];
  });
  const ended = (rows: Data[], running: string[]): Data[] => rows.filter((row) => !running.includes(row.status));
  const runs = view.rowsUnder('originator/sc/deals/').map((row) => line('sc.completed', row.sc_job_id, row.status));
  const waivers = ended(view.rows('originator/sc/waivers'), ['PENDING']).map((row) =>
    line('waiver.decided', row.waiver_id, row.status),
  );
  const calculations = ended(view.rowsUnder('originator/analytics/pools/'), ['PENDING', 'RUNNING']).map((row) =>
    line('calculation.completed', row.calculation_id, row.status),
  );
  const bulk = view
    .rows('audit')
    .filter((entry) => entry.action === 'bulk.submitted')
    .map((entry) => line('bulk.completed', entry.entity_id, 'COMPLETED'));
  const documents = view.rows('deals/documents').map((row) => line('document.uploaded', row.document_id));
  const conflicts = view.rows('originator/pledge-conflicts').map((row) => line('pledge.conflict', row.conflict_id));
  const sold = view.rows('originator/pools').flatMap(({ deal_id }) => tradesOf(views, (trade) => trade.deal_id === deal_id));
  const reports = view.rows('originator/pools').flatMap(({ pool_id }) => reportsOf(view, pool_id, () => true));
  return [...loans, ...runs, ...waivers, ...calculations, ...bulk, ...documents, ...conflicts, ...sold, ...reports];
}

const EVENT_OF_ACT: Record<string, string> = {
  'trade.settled': 'trade.settled',
  'trade.corrected': 'trade.corrected',
  'trade.failed': 'trade.failed',
  'trade.cancelled': 'trade.cancelled',
  'trade.pending_settlement': 'trade.retried',
};

/** What both sides are told of trades: an event for each decision; trades of a withdrawn deal are cancelled with it. */
function tradesOf(views: Views, which: (trade: Data) => boolean): string[] {
  return views.platform
    .rows('trades')
    .filter(which)
    .flatMap(({ trade_id, status }) => {
      const acts = views.platform.rows('audit').filter((entry) => entry.entity_id === trade_id && entry.action in EVENT_OF_ACT);
      const withDeal = status === 'CANCELLED' && !acts.some((entry) => entry.action === 'trade.cancelled');
      return [
        ...acts.map((entry) => line(EVENT_OF_ACT[entry.action], trade_id)),
        ...(withDeal ? [line('trade.cancelled', trade_id)] : []),
      ];
    });
}

function reportsOf(view: View, poolId: string, isTold: (at: string) => boolean): string[] {
  return view
    .rows(`originator/pools/${poolId}/remittances`)
    .filter((report) => report.status === 'APPLIED' && isTold(report.applied_at))
    .flatMap(({ deal_id, period, version }) => [
      line('remittance.applied', deal_id, period),
      ...Array.from({ length: version - 1 }, (_, at) => line('remittance.restated', deal_id, period, at + 2)),
    ]);
}

function toldToInvestor(views: Views, name: Organization): string[] {
  const view = views[name];
  const { organization_id } = view.member.holder;
  const allocations = view.rows('investor/allocations');
  const subscriptions = view
    .rows('investor/subscriptions')
    .flatMap((row) => moves('subscription.status_changed', row.subscription_id, stepsOf(row)));
  const orders = view
    .rows('investor/orders')
    .flatMap((row) =>
      moves(
        'order.status_changed',
        row.order_id,
        orderSteps(row, allocations.filter((each) => each.order_id === row.order_id).toReversed()),
      ),
    );
  const told = allocations.flatMap(({ allocation_id, status, expires_at, decided_at }) => [
    line('allocation.issued', allocation_id, 'ISSUED'),
    ...(Date.parse(decided_at) > Date.parse(expires_at) - DAY_MS ? [line('allocation.expiring', allocation_id, 'ISSUED')] : []),
    ...(status === 'ISSUED' ? [] : [line('allocation.status_changed', allocation_id, status)]),
  ]);
  const filed = views.platform
    .rows('profile-documents')
    .filter((row) => row.organization_id === organization_id)
    .map((row) => line('document.uploaded', row.document_id));
  const shown = view.rowsUnder('investor/deals/').filter((row) => row.document_id !== undefined && hasStake(view, row.deal_id));
  const documents = shown.map((row) => line('document.uploaded', row.document_id));
  const held = SELLERS.flatMap((seller) =>
    views[seller].rows('originator/pools').flatMap(({ pool_id, deal_id }) => {
      const settled = view.rows('investor/trades').filter((trade) => trade.deal_id === deal_id && trade.status === 'SETTLED');
      return reportsOf(views[seller], pool_id, (at) => settled.some((trade) => trade.settled_at < at));
    }),
  );
  return [
    ...subscriptions,
    ...orders,
    ...told,
    ...filed,
    ...documents,
    ...held,
    ...tradesOf(views, (trade) => trade.organization_id === organization_id),
  ];
}

/** The statuses through which a subscription has gone, by the times of its steps. */
function stepsOf(row: Data): string[] {
  const steps = ['confirmed', 'allocated', 'funded', 'settled'].filter((step) => row[`${step}_at`] !== null);
  const all = ['pending_confirmation', ...steps];
  return all.at(-1) === row.status ? all : [...all, row.status];
}

/** The statuses through which an order has gone, by its allocations, the first one first. */
function orderSteps({ status, amount }: Data, allocations: readonly Data[]): string[] {
  if (status === 'CANCELLED' || allocations.length === 0)
    return ['OPEN', status].filter((each, at) => at === 0 || each !== 'OPEN');
  const steps = ['OPEN'];
  let given = 0;
  for (const { allocated_amount } of allocations) {
    given += allocated_amount;
    const next = given === amount ? 'ALLOCATED' : 'PARTIALLY_ALLOCATED';
    if (next !== steps.at(-1)) steps.push(next);
  }
  return steps;
}

const COMMITMENTS = ['investor/subscriptions', 'investor/orders', 'investor/allocations', 'investor/trades'];
const isCommitted = (view: View, dealId: string): boolean =>
  COMMITMENTS.some((list) => view.rows(list).some((row) => row.deal_id === dealId));
const hasStake = (view: View, dealId: string): boolean =>
  isCommitted(view, dealId) || view.rows('investor/iois').some((row) => row.deal_id === dealId);
const watches = (view: View, dealId: string): boolean => view.rows('investor/watchlist').some((row) => row.id === dealId);

const MARKET_ACTS = /^deal\.(market_|allocated)/;

/** Listings go to the owner and to every investor; later moves to the owner and to who has something in the deal or watches it. */
function toldOfMarket(views: Views, name: Organization): string[] {
  const view = views[name];
  const isInvestor = (INVESTORS as readonly Organization[]).includes(name);
  return SELLERS.flatMap((owner) =>
    views[owner].rows('originator/pools').flatMap(({ deal_id }) => {
      if (owner !== name && !isInvestor) return [];
      const moved = views.platform.rows('audit').filter((entry) => entry.entity_id === deal_id && MARKET_ACTS.test(entry.action));
      const concerned = owner === name || hasStake(view, deal_id) || watches(view, deal_id);
      const withdrawn =
        moved.some((entry) => entry.after.market_status === 'WITHDRAWN') && (owner === name || isCommitted(view, deal_id));
      return [
        line('deal.listed', deal_id, 'MARKETING'),
        ...(concerned
          ? moved.map(({ before, after }) =>
              line('deal.market_status_changed', deal_id, `${before.market_status} > ${after.market_status}`),
            )
          : []),
        ...(withdrawn ? [line('deal.status_changed', deal_id, 'APPROVED > WITHDRAWN')] : []),
      ];
    }),
  );
}

/** One event for all that a deal paid to an organization on one date. */
function toldOfPayments(views: Views, name: Organization): string[] {
  const { organization_id } = views[name].member.holder;
  const own = views.platform
    .rows('payments')
    .filter((row) => row.organization_id === organization_id && (row.interest || row.principal || row.writedown));
  return [...new Set(own.map((row) => line('payment.made', row.deal_id, row.period, row.payment_date)))];
}
