import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { CALCULATION_TYPES } from '../../finance/structure/request.ts';
import type { Tx } from '../../platform/db/database.ts';
import { mapPage } from '../../platform/pages.ts';
import { CSV } from '../../platform/files/content-types.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, oneOf, pageQuery, pathId } from '../../platform/http/schemas.ts';
import { findPool } from '../pools/queries.ts';
import { answerCashFlows, answerTrace, readFlows } from './details.ts';
import {
  CALCULATION_STATUSES,
  type CalculationWithResult,
  findCalculation,
  findLatestCalculation,
  listCalculations,
  CALCULATION_RECORD,
} from './queries.ts';
import {
  AssetLiabilitySchema,
  CashFlowQuery,
  CashFlowSchema,
  PublishedMarksSchema,
  scenarioQuery,
  TraceQuery,
  TraceSchema,
} from './rows.ts';
import { CalculationRowSchema, CalculationSchema, wireCalculation, wireRow } from './wire.ts';
import { publishMarks } from './publish-marks.ts';
import { NewCalculationSchema, requestCalculation } from './request-calculation.ts';
import type { Id } from '../../platform/ids.ts';

/** Headers that name the source of rows. */
const LINEAGE = ['X-Calculation-Id', 'X-Engine-Version', 'X-As-Of', 'X-Tape-Versions'] as const;

const tag = 'Analytics';
const base = '/v1/api/originator/analytics/pools/:poolId';
const poolId = pathId('poolId', 'pool');
const both = Type.Object({ poolId: id('pool'), calculationId: id('calc') });

const example = {
  type: 'PRICING',
  as_of: '2026-11-30',
  assumptions: { cpr: 6, cdr: 1.5, severity: 45, recovery_lag_months: 6 },
  scenarios: [{ scenario: 'base' }, { scenario: 'stress', cdr: 6, call: false }],
};

export const calculationRoutes: Route[] = [
  route({
    operation: 'requestCalculation',
    method: 'POST',
    path: `${base}/calculations`,
    access: 'originator',
    tag,
    summary: 'Request cash flows, prices, break-even CDRs, scenarios or a loss distribution of a pool',
    description:
      'Runs from STRUCTURED on. Equal inputs under one engine version have one result, to the bit: where they were calculated before, the response names the stored calculation.',
    params: poolId,
    body: NewCalculationSchema,
    reply: CalculationRowSchema,
    status: 202,
    errors: ['NOT_FOUND', 'CONFLICT', 'UNKNOWN_FIELD', 'ASSUMPTIONS_INVALID', 'CURVE_MISSING', 'QUEUE_FULL'],
    example: { body: example },
    handler: ({ deps, caller, params, body, write }) =>
      write(async (tx) => {
        const { calculation_id } = await requestCalculation(tx, caller, { poolId: params.poolId, ...body }, deps);
        return wireRow(await readCalculation(tx, caller.organization_id, { ...params, calculationId: calculation_id }));
      }),
  }),
  route({
    operation: 'listCalculations',
    method: 'GET',
    path: `${base}/calculations`,
    access: 'originator',
    tag,
    summary: 'List the calculations of a pool, newest first',
    params: poolId,
    query: pageQuery({
      status: Type.Optional(oneOf(CALCULATION_STATUSES)),
      type: Type.Optional(oneOf(CALCULATION_TYPES)),
      purpose: Type.Optional(oneOf(['ANALYSIS', 'MARK'])),
      ...CreatedBetween,
    }),
    reply: CalculationRowSchema,
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: ({ caller, params, query, read }) =>
      read(async (tx) => {
        orNotFound(await findPool(tx, caller.organization_id, params.poolId), 'pool');
        return mapPage(await listCalculations(tx, caller.organization_id, params.poolId, query), wireRow);
      }),
  }),
  route({
    operation: 'getCalculation',
    method: 'GET',
    path: `${base}/calculations/:calculationId`,
    record: recordOfPath('calculationId', CALCULATION_RECORD),
    access: 'originator',
    tag,
    summary: 'Read a calculation with its results',
    params: both,
    reply: CalculationSchema,
    errors: ['NOT_FOUND'],
    handler: ({ caller, params, read }) =>
      read(async (tx) => wireCalculation(await readCalculation(tx, caller.organization_id, params))),
  }),
  route({
    operation: 'getCalculationCashFlows',
    method: 'GET',
    path: `${base}/calculations/:calculationId/cashflows`,
    access: 'originator',
    tag,
    summary: 'Read cash flows of a calculation: every row ties to the cent',
    description:
      'Rows of `tranche`, or of every tranche one after the other; `tranche=collateral` is the pool. Headers name tape versions, engine and as-of date.',
    params: both,
    query: CashFlowQuery,
    reply: Type.Array(CashFlowSchema),
    fileTypes: [CSV],
    replyHeaders: LINEAGE,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ deps, caller, params, query, read, reply }) => {
      const calculation = await read((tx) => readCalculation(tx, caller.organization_id, params));
      const answer = await answerCashFlows(deps, calculation, query);
      reply.headers(lineageHeaders(calculation));
      return answer;
    },
  }),
  route({
    operation: 'getCalculationTrace',
    method: 'GET',
    path: `${base}/calculations/:calculationId/trace`,
    access: 'originator',
    tag,
    summary: 'Read the money available, due and paid at every step of the waterfall, and the state of the triggers',
    params: both,
    query: TraceQuery,
    reply: Type.Array(TraceSchema),
    replyHeaders: LINEAGE,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ deps, caller, params, query, read, reply }) => {
      const calculation = await read((tx) => readCalculation(tx, caller.organization_id, params));
      const periods = await answerTrace(deps, calculation, query);
      reply.headers(lineageHeaders(calculation));
      return periods;
    },
  }),
  route({
    operation: 'getPoolAssetLiability',
    method: 'GET',
    path: `${base}/asset-liability`,
    access: 'originator',
    tag,
    summary: 'Read collateral against notes per payment date',
    params: poolId,
    query: Type.Object({
      calculation_id: Type.Optional(id('calc', 'A calculation; the latest COMPLETED one by default.')),
      scenario: scenarioQuery,
    }),
    reply: AssetLiabilitySchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ deps, caller, params, query, read }) => {
      const calculation = await read(async (tx) => {
        const { organization_id } = caller;
        orNotFound(await findPool(tx, organization_id, params.poolId), 'pool');
        const found = query.calculation_id
          ? await findCalculation(tx, organization_id, params.poolId, query.calculation_id)
          : await findLatestCalculation(tx, organization_id, params.poolId);
        return orNotFound(found, query.calculation_id ? 'calculation' : 'completed calculation');
      });
      const flows = await readFlows(deps, calculation, query.scenario);
      const result = calculation.result?.results.find((each) => each.scenario === flows.scenario);
      return {
        calculation_id: calculation.calculation_id,
        scenario: flows.scenario,
        as_of: calculation.as_of,
        engine_version: calculation.result?.engine_version ?? '',
        tape_versions: calculation.tape_versions,
        assumptions: result?.assumptions,
        ...flows.asset_liability,
      };
    },
  }),
  route({
    operation: 'publishCalculation',
    right: 'APPROVE',
    approval: 'MARK_PUBLISH',
    method: 'POST',
    path: '/v1/operator/calculations/:calculationId/publish',
    access: 'operator',
    tag: 'Operator',
    summary: 'Publish the first scenario of a PRICING calculation as the mark of its deal',
    params: pathId('calculationId', 'calc'),
    reply: PublishedMarksSchema,
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'CONFLICT', 'UNPROCESSABLE'],
    handler: ({ caller, params, write }) => write((tx) => publishMarks(tx, caller, params.calculationId)),
  }),
];

type CalculationParams = { poolId: Id<'pool'>; calculationId: Id<'calc'> };

async function readCalculation(tx: Tx, organizationId: Id<'org'>, params: CalculationParams): Promise<CalculationWithResult> {
  return orNotFound(await findCalculation(tx, organizationId, params.poolId, params.calculationId), 'calculation');
}

/** The source of the rows, for a response that is a list or a file. */
function lineageHeaders(calculation: CalculationWithResult): Record<string, string> {
  return {
    'x-calculation-id': calculation.calculation_id,
    'x-engine-version': calculation.result?.engine_version ?? '',
    'x-as-of': calculation.as_of,
    'x-tape-versions': Object.entries(calculation.tape_versions)
      .map(([deal, version]) => `${deal}=${version}`)
      .join(','),
  };
}
