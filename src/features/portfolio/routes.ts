import Type, { type Static } from 'typebox';
import { localDate } from '../../finance/business-date.ts';
import { CSV, XLSX } from '../../platform/files/content-types.ts';
import { named } from '../../platform/http/named.ts';
import { FileResponse, type FileReply, type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, date, id, money, nullable, oneOf, pageQuery } from '../../platform/http/schemas.ts';
import { type BreakdownEntry, means, missing, toBreakdown } from './portfolio.ts';
import { listPositions, listPositionsAt, type SummaryRow, summarizePositions } from './queries.ts';
import { refuseFuture } from './read-history.ts';
import { buildReports, exportCsv, exportWorkbook, type PortfolioReports, type ReportSection, SECTIONS } from './reports.ts';
import { LoanTypeSchema } from '../deals/fields.ts';

const PositionSchema = named('Position', {
  position_id: id('pos'),
  deal_id: id('deal'),
  tranche_id: id('trn'),
  class: Type.String(),
  asset_type: LoanTypeSchema,
  originator: Type.String(),
  face: money('Original face held.'),
  factor: Type.Number({ description: 'Current balance over original balance of the tranche.' }),
  current_balance: money(
    'Face × factor. The factor changes when a payment is applied, on its date: from the end of the record date to then the balance still has the principal of that payment, also of a face that was bought ex and is not paid it.',
  ),
  price: Type.Number({ description: 'Clean, per 100 of current balance; 100 without a mark.' }),
  market_value: money('Current balance at the price, without accrued interest.'),
  cost_basis: money(
    'Amount paid, without interest, × factor: what is repaid, and what is written down, takes its part of the cost with it.',
  ),
  accrued_interest: nullable(
    money('Interest since the last payment date, up to today or `as_of`; null while the coupon of the accrual is not known.'),
  ),
  yield: nullable(Type.Number({ description: 'Percent a year; the coupon without a mark.' })),
  spread: nullable(Type.Number({ description: 'Basis points.' })),
  wal: nullable(Type.Number({ description: 'Years.' })),
  duration: nullable(Type.Number({ description: 'Modified, years.' })),
  unrealized_gain: money(
    'Market value less cost basis: principal that was written down is in `writedown` of payments, and not here.',
  ),
  as_of: date('Date of the mark; without one the trade date.'),
});

const Means = {
  wa_yield: Type.Number({ description: 'Percent a year; 0 where no position has a yield.' }),
  wa_spread: Type.Number({ description: 'Basis points; 0 where no position has a spread.' }),
  wa_wal: Type.Number({ description: 'Years; 0 where no position has an average life.' }),
  wa_duration: Type.Number({ description: 'Modified, years; 0 where no position has a duration.' }),
};

const MissingSchema = Type.Object(
  { yield: Type.Integer(), spread: Type.Integer(), wal: Type.Integer(), duration: Type.Integer() },
  { title: 'MissingFigures', description: 'Positions without the figure: they are left out of its mean.' },
);

const Breakdown = Type.Array(
  named('PortfolioGroup', {
    name: Type.String(),
    market_value: money('Market value of the group, a position without a mark at 100.'),
    weight: Type.Number({ description: 'Share of the book, 6 decimals; the weights add up to 1.' }),
    ...Means,
    position_count: Type.Integer(),
    missing: MissingSchema,
  }),
);

const SummarySchema = named('PortfolioSummary', {
  total_market_value: money('Market value of the book, without accrued interest; a position without a mark is at 100.'),
  ...Means,
  by_class: Breakdown,
  by_asset_type: Breakdown,
  by_originator: Breakdown,
  position_count: Type.Integer(),
  missing: MissingSchema,
});

const Rows = (description: string) => Type.Array(Type.Record(Type.String(), Type.Unknown()), { description });
const tag = 'Portfolio';

export const portfolioRoutes: Route[] = [
  route({
    operation: 'listPositions',
    method: 'GET',
    path: '/v1/api/investor/portfolio/positions',
    access: 'investor',
    tag,
    summary: 'List your positions, newest first',
    description:
      'With `as_of` the positions at the end of that date: the face, the factor and the mark of then. A date that has not begun is 422.',
    query: pageQuery({
      ...CreatedBetween,
      deal_id: Type.Optional(id('deal')),
      tranche_id: Type.Optional(id('trn')),
      as_of: Type.Optional(date('Date of the business zone, at whose end the positions are valued. Default: now.')),
    }),
    reply: PositionSchema,
    replyKind: 'page',
    errors: ['UNPROCESSABLE'],
    handler: ({ read, caller, query: { as_of, ...filter } }) =>
      read((tx) => {
        if (as_of === undefined) return listPositions(tx, caller.organization_id, filter);
        refuseFuture('as_of', as_of, localDate(tx.now, tx.zone), tx.zone);
        return listPositionsAt(tx, caller.organization_id, as_of, filter);
      }),
  }),
  route({
    operation: 'getPortfolioSummary',
    method: 'GET',
    path: '/v1/api/investor/portfolio/summary',
    access: 'investor',
    tag,
    summary: 'Summarize the book, weighted by market value',
    reply: SummarySchema,
    handler: async ({ peek, caller }) => toSummary(await peek((reader) => summarizePositions(reader, caller.organization_id))),
  }),
  route({
    operation: 'getPortfolioReport',
    method: 'GET',
    path: '/v1/api/investor/portfolio/reports',
    access: 'investor',
    tag,
    summary: 'Report your holdings, your trades and the performance of the tranches that you hold',
    description:
      'The performance sections are present once a calculation of a deal that you hold was completed: `tranche_performance` of the tranches that you hold, `pool_metrics` of their pools. `format=csv` returns one section as a file, `format=xlsx` a workbook with a sheet for each section.',
    query: Type.Object({
      format: Type.Optional(oneOf(['json', 'csv', 'xlsx'])),
      section: Type.Optional(
        oneOf(SECTIONS, 'Section of the file. Default: holdings_snapshot as CSV, every present section as XLSX.'),
      ),
    }),
    reply: named('PortfolioReports', {
      holdings_snapshot: Rows('Positions.'),
      trade_history: Rows('Trades.'),
      tranche_performance: Type.Optional(Rows('Tranches that you hold, by period; `basis`: reported or projected.')),
      pool_metrics: Type.Optional(Rows('Pools by period; percent, balances in currency units.')),
    }),
    fileTypes: [CSV, XLSX],
    handler: async ({ read, caller, query }) => {
      const reports = await read((tx) => buildReports(tx, caller.organization_id));
      if (query.format === 'csv') return new FileResponse(exportCsv(reports, query.section ?? 'holdings_snapshot'));
      if (query.format === 'xlsx') return new FileResponse(toWorkbook(reports, query.section));
      return reports;
    },
  }),
];

function toWorkbook(reports: PortfolioReports, section: ReportSection | undefined): FileReply {
  if (section) return exportWorkbook(reports, [section], section);
  const present = SECTIONS.filter((each) => reports[each] !== undefined);
  return exportWorkbook(reports, present, 'portfolio_reports');
}

function toSummary(rows: readonly SummaryRow[]): Static<typeof SummarySchema> {
  const by = (name: SummaryRow['grouped_by']): BreakdownEntry[] => toBreakdown(rows.filter((row) => row.grouped_by === name));
  const all = rows.find((row) => row.grouped_by === 'all');
  if (!all) throw new Error('the grouping sets have no row for the whole book');
  return {
    total_market_value: all.market_value,
    ...means(all),
    by_class: by('class'),
    by_asset_type: by('asset_type'),
    by_originator: by('originator'),
    position_count: all.position_count,
    missing: missing(all),
  };
}
