import { get, list, withQuery } from '../lib/api.ts';
import { download } from '../lib/files.ts';
import { basisPoints, date, decimal, money, monthName, percent, roundMoney, share, years } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { bars } from '../parts/bars.ts';
import { card, figures, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { MarketDealSummary, PortfolioGroup, PortfolioSummary, Position, Statement } from '../wire/api.ts';

/** The organization's positions, weighted by market value. */
export function Portfolio({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const { page: at = '1' } = query;
  const summary = useLoad(() => get<PortfolioSummary>('/v1/api/investor/portfolio/summary'), []);
  const positions = useLoad(
    () =>
      Promise.all([
        list<Position>('/v1/api/investor/portfolio/positions', { page: at, limit: 50 }),
        list<MarketDealSummary>('/v1/api/investor/deals', { limit: 100 }),
      ]),
    [at],
  );
  const statement = useLoad(() => get<Statement>('/v1/api/investor/portfolio/statement'), []);
  const file = (format: string) => (): Promise<void> =>
    download(
      withQuery('/v1/api/investor/portfolio/reports', { format, section: format === 'csv' ? 'holdings_snapshot' : undefined }),
    );
  return page(
    {
      title: 'Portfolio',
      lead: 'Positions at the latest published marks.',
      aside: html`${act({ text: 'Holdings as CSV', act: file('csv') })} ${act({ text: 'All reports as XLSX', act: file('xlsx') })}`,
    },
    shown(summary, (given) => [
      figures([
        { name: 'Market value', value: money(given.total_market_value), note: `${given.position_count} positions` },
        { name: 'Yield', value: percent(given.wa_yield) },
        { name: 'Spread', value: basisPoints(given.wa_spread) },
        { name: 'Life', value: years(given.wa_wal) },
        { name: 'Duration', value: decimal(given.wa_duration) },
      ]),
      given.position_count > 0 &&
        html`<div class="columns three">
          ${card('By class', slices(given.by_class))} ${card('By assets', slices(given.by_asset_type))} ${card('By originator', slices(given.by_originator))}
        </div>`,
    ]),
    card(
      'Positions',
      shown(positions, ([held, deals]) => [
        table({
          caption: 'Positions',
          columns: columnsOf(new Map(deals.rows.map((each) => [each.id, each.name]))),
          rows: held.rows,
          empty: html`You hold no positions yet. <a href="#/market">To the marketplace</a>`,
        }),
        pager(held),
      ]),
    ),
    card(
      'Statements',
      shown(statement, ({ zone, final, totals, balances }) =>
        table({
          caption: 'Statements',
          columns: statementColumns,
          rows: totals.position_count === 0 ? [] : monthsOf(balances, final),
          empty: `Statements begin with your first purchase. Their months are those of ${zone}.`,
        }),
      ),
    ),
  );
}

const slices = (list: readonly PortfolioGroup[]): VNode =>
  bars(
    list.map((each) => ({
      name: each.name,
      value: share(each.weight),
      note: `${roundMoney(each.market_value)} · ${percent(each.wa_yield)}`,
      part: each.weight,
    })),
  );

type StatementMonth = { month: string; balance: number; final: boolean };

/** The months with a statement, the present one first. */
const monthsOf = (balances: Statement['balances'], final: boolean): StatementMonth[] =>
  balances.map((each, index) => ({ ...each, final: final || index < balances.length - 1 })).toReversed();

const statementFile = (month: string, format: 'pdf' | 'xlsx' | 'csv') => (): Promise<void> =>
  download(withQuery('/v1/api/investor/portfolio/statement', { month, format }));

const statementColumns: readonly Column<StatementMonth>[] = [
  { title: 'Month', kind: 'wide', cell: (row) => html`<strong>${monthName(row.month)}</strong>` },
  { title: 'Balance', kind: 'number', cell: (row) => money(row.balance) },
  { title: 'Status', cell: (row) => (row.final ? 'Final' : 'Not final: the month has not ended') },
  {
    title: 'Download',
    kind: 'act',
    cell: ({ month }) =>
      (['pdf', 'xlsx', 'csv'] as const).map((format) =>
        act({
          text: html`<span aria-label=${`${monthName(month)} as ${format.toUpperCase()}`}>${format.toUpperCase()}</span>`,
          tone: 'link',
          act: statementFile(month, format),
        }),
      ),
  },
];

const columnsOf = (names: ReadonlyMap<string, string>): readonly Column<Position>[] => [
  {
    title: 'Position',
    kind: 'wide',
    cell: (row) =>
      html`<a href="#/market/${row.deal_id}"><strong>${names.get(row.deal_id) ?? row.deal_id}</strong></a><small>class ${row.class} · as of ${date(row.as_of)}</small>`,
  },
  { title: 'Face', kind: 'number', cell: (row) => roundMoney(row.face) },
  { title: 'Factor', kind: 'number', cell: (row) => decimal(row.factor, 6) },
  { title: 'Price', kind: 'number', cell: (row) => decimal(row.price, 3) },
  { title: 'Market value', kind: 'number', cell: (row) => money(row.market_value) },
  {
    title: 'Gain',
    kind: 'number',
    cell: (row) => html`<span class=${row.unrealized_gain < 0 ? 'fault' : ''}>${money(row.unrealized_gain)}</span>`,
  },
  { title: 'Yield', kind: 'number', cell: (row) => percent(row.yield) },
  { title: 'Spread', kind: 'number', cell: (row) => basisPoints(row.spread) },
  { title: 'WAL', kind: 'number', cell: (row) => years(row.wal) },
];
