import Type from 'typebox';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import { CALCULATION_TYPES } from '../../finance/structure/request.ts';
import type { Tx } from '../../platform/db/database.ts';
import { mapPage } from '../../platform/pages.ts';
import { CSV } from '../../platform/files/content-types.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, oneOf, pageQuery, pathId } from '../../platform/http/schemas.ts';
import { named } from '../../platform/http/named.ts';
import { explainStructure } from '../../finance/structure/explain.ts';
import { EXPLANATION } from '../pools/explanation.ts';
import type { Id } from '../../platform/ids.ts';
import { answerCashFlows, answerTrace } from './details.ts';
import {
  CALCULATION_RECORD,
  CALCULATION_STATUSES,
  type CalculationWithResult,
  findCalculation,
  listCalculations,
} from './queries.ts';
import { calculableDeal, NewCalculationSchema, requestDealCalculation } from './request-calculation.ts';
import { CashFlowQuery, CashFlowSchema, TraceQuery, TraceSchema } from './rows.ts';
import { InvestorCalculationRowSchema, InvestorCalculationSchema, wireInvestorCalculation, wireInvestorRow } from './wire.ts';
import { SECURITIZATION_RECORD } from '../securitizations/queries.ts';

const tag = 'Investor deals';
const base = '/v1/api/investor/deals/:dealId/calculations';
const both = Type.Object({ dealId: id('deal'), calculationId: id('calc') });

export const investorCalculationRoutes: Route[] = [
  route({
    operation: 'getMarketDealStructure',
    method: 'GET',
    path: '/v1/api/investor/deals/:dealId/structure',
    record: recordOfPath('dealId', SECURITIZATION_RECORD),
    access: 'investor',
    tag,
    summary: 'Read the structure of a deal, as data and in sentences',
    params: pathId('dealId', 'deal'),
    reply: named('DealStructure', {
      deal_id: id('deal'),
      structure_version: Type.Integer({ description: 'Version of the structure.' }),
      structure: Type.Unknown({ description: 'Tranches, accounts, fees, waterfall and triggers, in the deal language.' }),
      explanation: named('DealExplanation', EXPLANATION),
    }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ caller, params, read }) =>
      read(async (tx) => {
        const { structure, structure_version } = await calculableDeal(tx, caller.organization_id, params.dealId);
        return { deal_id: params.dealId, structure_version, structure, explanation: explainStructure(structure) };
      }),
  }),
  route({
    operation: 'requestMarketDealCalculation',
    method: 'POST',
    path: base,
    access: 'investor',
    tag,
    summary: 'Calculate a deal with assumptions of your own',
    description:
      'As the owner of the deal can, but for marks and for segments of loans that are not disclosed. Nobody else sees what you ask or get. With the assumptions and `from` of the mark the figures are those of the mark, to the bit.',
    params: pathId('dealId', 'deal'),
    body: NewCalculationSchema,
    reply: InvestorCalculationRowSchema,
    status: 202,
    errors: ['NOT_FOUND', 'CONFLICT', 'UNKNOWN_FIELD', 'ASSUMPTIONS_INVALID', 'CURVE_MISSING', 'QUEUE_FULL'],
    example: {
      body: {
        type: 'PRICING',
        assumptions: { cpr: 8, cdr: 2, severity: 50 },
        scenarios: [{ scenario: 'base' }, { scenario: 'stress', cdr: 6 }],
      },
    },
    handler: ({ deps, caller, params, body, write }) =>
      write(async (tx) => {
        const { dealId } = params;
        const { pool_id, calculation_id } = await requestDealCalculation(tx, caller, { dealId, ...body }, deps);
        const calculation = await findCalculation(tx, caller.organization_id, pool_id, calculation_id);
        return wireInvestorRow(dealId, orNotFound(calculation, 'calculation'));
      }),
  }),
  route({
    operation: 'listMarketDealCalculations',
    method: 'GET',
    path: base,
    access: 'investor',
    tag,
    summary: 'List your calculations of a deal, newest first',
    params: pathId('dealId', 'deal'),
    query: pageQuery({
      status: Type.Optional(oneOf(CALCULATION_STATUSES)),
      type: Type.Optional(oneOf(CALCULATION_TYPES)),
      ...CreatedBetween,
    }),
    reply: InvestorCalculationRowSchema,
    replyKind: 'page',
    errors: ['NOT_FOUND', 'CONFLICT', 'RANGE_REVERSED'],
    handler: ({ caller, params, query, read }) =>
      read(async (tx) => {
        const { pool_id } = await calculableDeal(tx, caller.organization_id, params.dealId);
        const page = await listCalculations(tx, caller.organization_id, pool_id, query);
        return mapPage(page, (row) => wireInvestorRow(params.dealId, row));
      }),
  }),
  route({
    operation: 'getMarketDealCalculation',
    method: 'GET',
    path: `${base}/:calculationId`,
    record: recordOfPath('calculationId', CALCULATION_RECORD),
    access: 'investor',
    tag,
    summary: 'Read a calculation of yours with its results',
    params: both,
    reply: InvestorCalculationSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ caller, params, read }) =>
      read(async (tx) => wireInvestorCalculation(params.dealId, await readOwn(tx, caller.organization_id, params))),
  }),
  route({
    operation: 'getMarketDealCalculationCashFlows',
    method: 'GET',
    path: `${base}/:calculationId/cashflows`,
    access: 'investor',
    tag,
    summary: 'Read cash flows of a calculation of yours: every row ties to the cent',
    description: 'Rows of `tranche`, or of every tranche one after the other; `tranche=collateral` is the pool.',
    params: both,
    query: CashFlowQuery,
    reply: Type.Array(CashFlowSchema),
    fileTypes: [CSV],
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ deps, caller, params, query, read }) =>
      answerCashFlows(deps, await read((tx) => readOwn(tx, caller.organization_id, params)), query),
  }),
  route({
    operation: 'getMarketDealCalculationTrace',
    method: 'GET',
    path: `${base}/:calculationId/trace`,
    access: 'investor',
    tag,
    summary: 'Read the money available, due and paid at every step of the waterfall, and the state of the triggers',
    params: both,
    query: TraceQuery,
    reply: Type.Array(TraceSchema),
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ deps, caller, params, query, read }) =>
      answerTrace(deps, await read((tx) => readOwn(tx, caller.organization_id, params)), query),
  }),
];

/** A calculation of the investor's own, while it sees the deal. */
async function readOwn(
  tx: Tx,
  investorId: Id<'org'>,
  { dealId, calculationId }: { dealId: Id<'deal'>; calculationId: Id<'calc'> },
): Promise<CalculationWithResult> {
  const { pool_id } = await calculableDeal(tx, investorId, dealId);
  return orNotFound(await findCalculation(tx, investorId, pool_id, calculationId), 'calculation');
}
