import Type, { type Static } from 'typebox';
import { ScenarioSchema } from '../../finance/structure/request.ts';
import { mapPage } from '../../platform/pages.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, date, id, money, nullable, oneOf, pageQuery, pathId, timestamp } from '../../platform/http/schemas.ts';
import { LEFT_OUT, type LeftOutCode, PORTFOLIO_RUN_STATUSES, type PortfolioRun } from './portfolio-run.ts';
import { findPortfolioRun, listPortfolioRuns, PORTFOLIO_RUN_RECORD, type PortfolioRunRow } from './portfolio-run-queries.ts';
import { NewPortfolioRunSchema, requestPortfolioRun } from './request-portfolio-run.ts';

const Paid = {
  interest: money('Interest.'),
  principal: money('Principal.'),
  writedown: money('Balance written off, or unpaid at the end.'),
};

const Group = named('PortfolioScenarioGroup', {
  name: Type.String(),
  market_value: money('At the yields of the marks.'),
  ...Paid,
  position_count: Type.Integer(),
});

const Position = named('PortfolioScenarioPosition', {
  deal_id: id('deal'),
  tranche_id: id('trn'),
  tranche: Type.String(),
  class: Type.String(),
  market_value: money('Balance at the price.'),
  price: nullable(Type.Number({ description: 'Clean, per 100 of current balance; null where nothing is left of the tranche.' })),
  yield: nullable(Type.Number({ description: 'Of the mark, at which the cash flows are discounted; percent a year.' })),
  wal: nullable(Type.Number({ description: 'Years.' })),
  ...Paid,
});

const BEFORE = 'Null of a calculation that ended before positions were kept.';
const Result = named('PortfolioScenarioResult', {
  scenario: Type.String(),
  market_value: money(
    'Of the positions that are not left out: their balance at the price of the scenario’s cash flows at the yield of the mark, clean.',
  ),
  interest: nullable(money(`Sum of the months. ${BEFORE}`)),
  principal: nullable(money(`Sum of the months. ${BEFORE}`)),
  writedown: nullable(money(`Sum of the months: balance written off, or unpaid at the end. ${BEFORE}`)),
  wal: nullable(
    Type.Number({ description: 'Years until principal is paid, weighted by it; null where that of a position is not known.' }),
  ),
  positions: nullable(Type.Array(Position, { description: `Positions that are not left out, deal by deal. ${BEFORE}` })),
  months: Type.Array(
    named('PortfolioScenarioMonth', { month: Type.String({ description: 'Month of the payment dates, YYYY-MM.' }), ...Paid }),
    {
      description: 'Months after `as_of` in which something is paid or written off, ascending.',
    },
  ),
  by_class: Type.Array(Group),
  by_asset_type: Type.Array(Group),
  by_originator: Type.Array(Group),
});

const CODES: LeftOutCode[] = [
  ...(Object.keys(LEFT_OUT) as (keyof typeof LEFT_OUT)[]),
  'CANNOT_RUN',
  'CALCULATION_FAILED',
  'CALCULATION_INTERRUPTED',
];

const fields = {
  calculation_id: id('calc'),
  status: namedOneOf('PortfolioRunStatus', PORTFOLIO_RUN_STATUSES),
  as_of: date('The positions are those at its end.'),
  scenarios: Type.Array(ScenarioSchema, { description: 'As requested.' }),
  position_count: Type.Integer({ description: 'Positions with a balance, also those that are left out.' }),
  deal_count: Type.Integer({ description: 'Deals to calculate.' }),
  deals_done: Type.Integer(),
  left_out: Type.Array(
    named('LeftOutDeal', {
      deal_id: id('deal'),
      tranche_ids: Type.Array(id('trn'), { description: 'The tranches whose positions are in none of the results.' }),
      code: oneOf(CODES, 'Stable code of the reason.'),
      reason: Type.String(),
    }),
    { description: 'What nothing values; all of it once the calculation is COMPLETED.' },
  ),
  created_at: timestamp(),
  completed_at: nullable(timestamp()),
};

const RunSchema = named('PortfolioScenariosSummary', fields);
const RunWithResultSchema = named('PortfolioScenarios', {
  ...fields,
  results: nullable(Type.Array(Result, { description: 'One per scenario, in the order of the request; null until COMPLETED.' })),
  warnings: Type.Array(named('DealWarnings', { deal_id: id('deal'), warnings: Type.Array(Type.String()) }), {
    description: 'What the calculation of a deal supposed.',
  }),
});

function wireRow({ organization_id: _organization, deals, positions, ...run }: PortfolioRunRow): Static<typeof RunSchema> {
  return { ...run, deal_count: deals, position_count: positions };
}

const NOT_KEPT = { interest: null, principal: null, writedown: null, wal: null, positions: null };

const wireRun = ({ result, ...run }: PortfolioRunRow & Pick<PortfolioRun, 'result'>): Static<typeof RunWithResultSchema> => ({
  ...wireRow(run),
  results: result?.results.map((each) => ({ ...NOT_KEPT, ...each })) ?? null,
  warnings: result?.warnings ?? [],
});

const tag = 'Portfolio';
const path = '/v1/api/investor/portfolio/scenarios';

export const portfolioRunRoutes: Route[] = [
  route({
    operation: 'requestPortfolioScenarios',
    method: 'POST',
    path,
    access: 'investor',
    tag,
    summary: 'Calculate your book under scenarios',
    description:
      'Every settled position with a balance, deal by deal, from the last payment that was applied by `as_of`. A scenario says what differs from the assumptions of the deal’s latest mark: one that says nothing gives the marks. The cash flows are discounted at the yield of the mark. Deals without a mark, and those that cannot be calculated, are left out with the reason. The same request of the same book has one calculation. Nobody else sees what you ask or get.',
    body: NewPortfolioRunSchema,
    reply: RunSchema,
    status: 202,
    errors: ['UNKNOWN_FIELD', 'ASSUMPTIONS_INVALID', 'UNPROCESSABLE', 'QUEUE_FULL'],
    example: { body: { scenarios: [{ scenario: 'base' }, { scenario: 'stress', cdr: 6, severity: 60 }] } },
    handler: ({ deps, caller, body, write }) =>
      write(async (tx) => {
        const calculationId = await requestPortfolioRun(tx, caller, body, deps);
        return wireRow(orNotFound(await findPortfolioRun(tx, caller.organization_id, calculationId), 'calculation'));
      }),
  }),
  route({
    operation: 'listPortfolioScenarios',
    method: 'GET',
    path,
    access: 'investor',
    tag,
    summary: 'List your calculations of your book, newest first',
    query: pageQuery({ status: Type.Optional(oneOf(PORTFOLIO_RUN_STATUSES)), ...CreatedBetween }),
    reply: RunSchema,
    replyKind: 'page',
    errors: ['RANGE_REVERSED'],
    handler: ({ caller, query, read }) =>
      read(async (tx) => mapPage(await listPortfolioRuns(tx, caller.organization_id, query), wireRow)),
  }),
  route({
    operation: 'getPortfolioScenarios',
    method: 'GET',
    path: `${path}/:calculationId`,
    record: recordOfPath('calculationId', PORTFOLIO_RUN_RECORD),
    access: 'investor',
    tag,
    summary: 'Read your book under scenarios',
    params: pathId('calculationId', 'calc'),
    reply: RunWithResultSchema,
    errors: ['NOT_FOUND'],
    handler: ({ caller, params, read }) =>
      read(async (tx) =>
        wireRun(orNotFound(await findPortfolioRun(tx, caller.organization_id, params.calculationId), 'calculation')),
      ),
  }),
];
