import assert from 'node:assert/strict';
import { cents, costOf, interest, meanBy, money, productOver, ratio, sum } from './figures.ts';
import type { View, Views } from './lists.ts';
import { type Data, INVESTORS } from './members.ts';
import { accruesFrom, factorAfter, readTerms, type Terms } from './terms.ts';

/** Positions and summary of each investor, from its settled trades, the servicer's reports and the published marks. */
export function checkPortfolios(views: Views, today: string): void {
  const terms = readTerms(views);
  for (const name of INVESTORS) {
    const view = views[name];
    const settled = Map.groupBy(settledTrades(view), (trade: Data): string => trade.tranche_id);
    const expected = [...settled].map(([id, trades]) => positionOf(views, terms.get(id) as Terms, trades, today));
    const actual = view.rows('investor/portfolio/positions');
    assert.deepEqual(
      actual.map(({ position_id: _position, id: _id, ...row }) => row).toSorted(byTranche),
      expected.toSorted(byTranche),
      `positions of ${name}`,
    );
    checkSummary(view, actual);
    const { holdings_snapshot, trade_history } = view.record('investor/portfolio/reports');
    assert.deepEqual(
      new Set(holdings_snapshot.map((row: Data) => row.position_id)),
      new Set(actual.map((row) => row.position_id)),
    );
    assert.deepEqual(
      trade_history.map((row: Data) => [row.trade_id, row.status, row.net_amount]),
      view.rows('investor/trades').map((row) => [row.trade_id, row.status, row.net_amount]),
    );
  }
}

const settledTrades = (view: View): Data[] => view.rows('investor/trades').filter((trade) => trade.status === 'SETTLED');
const byTranche = (a: Data, b: Data): number => (a.tranche_id < b.tranche_id ? -1 : 1);

function positionOf(views: Views, terms: Terms, trades: Data[], today: string): Data {
  const mark = latestMark(views, terms);
  const factor = factorAfter(terms, terms.reports.at(-1)?.report);
  const face = sum(trades.map((trade) => cents(trade.face)));
  const current = productOver([money(face), factor], 1n, 2);
  const value = productOver([money(current), mark.price], 100n, 2);
  // What was paid for the balance at the factor of each trade, for the part of it that is outstanding.
  const costBasis = costOf(trades.map((trade) => ({ amount: trade.principal_amount, factor, at: trade.factor })));
  const pool = views.platform.rows('pools').find((each) => each.deal_id === terms.deal_id);
  return {
    deal_id: terms.deal_id,
    tranche_id: terms.tranche_id,
    class: terms.class,
    asset_type: pool.loan_type,
    originator: views[terms.owner].member.name,
    face: money(face),
    factor,
    current_balance: money(current),
    price: mark.price,
    market_value: money(value),
    cost_basis: money(costBasis),
    accrued_interest: money(interest(current, terms.rate, terms.dayCount, accruesFrom(terms, terms.reports.at(-1)), today)),
    yield: mark.yield,
    spread: mark.spread_bp,
    wal: mark.wal,
    duration: mark.duration,
    unrealized_gain: money(value - costBasis),
    as_of: mark.as_of,
  };
}

/** The mark that the operator published last, from the entries of the audit log. */
function latestMark(views: Views, { deal_id, tranche }: Terms): Data {
  const published = views.platform.rows('audit').filter((entry) => entry.action === 'calculation.published');
  const { after } = published.find((entry) => entry.after.deal_id === deal_id);
  return { as_of: after.as_of, ...after.marks.find((mark: Data) => mark.tranche === tranche) };
}

function checkSummary(view: View, positions: Data[]): void {
  const summary = view.record('investor/portfolio/summary');
  const { total_market_value, by_class, by_asset_type, by_originator, position_count, missing, ...means } = summary;
  assert.equal(total_market_value, money(valueOf(positions)));
  assert.deepEqual(means, meansOf(positions), `${view.member.name}: the means of the book`);
  assert.equal(position_count, positions.length);
  assert.deepEqual(missing, missingOf(positions), `${view.member.name}: figures that are missing`);
  for (const [name, groups] of Object.entries({ class: by_class, asset_type: by_asset_type, originator: by_originator }))
    assert.deepEqual(groups, breakdown(positions, name), `${view.member.name}: the book by ${name}`);
}

const valueOf = (positions: readonly Data[]): bigint => sum(positions.map((row) => cents(row.market_value)));

function meansOf(positions: readonly Data[]): Data {
  const mean = (name: string): number => meanBy(positions.map((row) => ({ weight: cents(row.market_value), value: row[name] })));
  return { wa_yield: mean('yield'), wa_spread: mean('spread'), wa_wal: mean('wal'), wa_duration: mean('duration') };
}

function missingOf(positions: readonly Data[]): Data {
  const without = (name: string): number => positions.filter((row) => row[name] === null).length;
  return { yield: without('yield'), spread: without('spread'), wal: without('wal'), duration: without('duration') };
}

/** Groups by market value, the largest first, which takes the rounding difference of the weights. */
function breakdown(positions: readonly Data[], by: string): Data[] {
  const total = valueOf(positions);
  const groups = [...Map.groupBy(positions, (row: Data): string => row[by])].toSorted(
    ([a, of], [b, others]) => Number(valueOf(others) - valueOf(of)) || (a < b ? -1 : 1),
  );
  const weights = groups.map(([, rows]) => ratio(valueOf(rows), total, 6));
  const others = weights.slice(1).reduce((all, weight) => all + Math.round(weight * 1e6), 0);
  return groups.map(([name, rows], at) => ({
    name,
    market_value: money(valueOf(rows)),
    weight: at === 0 ? (1e6 - others) / 1e6 : weights[at],
    ...meansOf(rows),
    position_count: rows.length,
    missing: missingOf(rows),
  }));
}
