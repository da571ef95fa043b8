import Type, { type TObject } from 'typebox';
import { recordAccess } from './features/accesses/queries.ts';
import { calculationRoutes } from './features/calculations/routes.ts';
import { criteriaRunRoutes } from './features/criteria/run-routes.ts';
import { findOperatorDeal } from './features/deals/operator-queries.ts';
import { dealRoutes } from './features/deals/routes.ts';
import { documentRoutes } from './features/documents/routes.ts';
import { poolRoutes } from './features/pools/routes.ts';
import { findPoolOfDeal, findPoolOwner } from './features/pools/queries.ts';
import { remittanceRoutes } from './features/remittances/routes.ts';
import { loanAnalyticsRoutes } from './features/strats/routes.ts';
import { tapeMappingRoutes } from './features/tapes/mapping-routes.ts';
import { tapeVersionRoutes } from './features/tapes/version-routes.ts';
import { tapeViewRoutes } from './features/tapes/view-routes.ts';
import type { Tx } from './platform/db/database.ts';
import { orNotFound } from './platform/http/errors.ts';
import type { Operation } from './platform/http/operation.ts';
import type { Route } from './platform/http/route.ts';
import { asId, type Id } from './platform/ids.ts';

const OWNERS = '/v1/api/originator';
const ANALYTICS = `${OWNERS}/analytics`;

/** The GET of an owner's path. */
function readOf(routes: readonly Route[], path: string): Route {
  const found = routes.find((each) => each.method === 'GET' && each.path === path);
  if (!found) throw new Error(`there is no GET ${path}`);
  return found;
}

type Subject = { organization_id: Id<'org'>; pool_id?: Id<'pool'> };
type Twin = {
  /** The route of the owner. */
  own: Route;
  kind: 'deal' | 'pool';
  /** The part of the record; it ends the path. */
  part: string;
  operation: Operation;
  summary: string;
  /** The owner's route for a securitization deal, whose pool it is asked for. */
  ofPool?: Route;
  /** What the owner's route takes from the query and the operator's from its path. */
  fromPath?: string;
};

const subjectOf = {
  deal: async (tx: Tx, dealId: string): Promise<Subject | null> => {
    const deal = await findOperatorDeal(tx, asId('deal', dealId));
    if (!deal) return null;
    const behind = deal.kind === 'SECURITIZATION' ? await findPoolOfDeal(tx, deal.deal_id) : null;
    return { organization_id: deal.organization_id, ...(behind ? { pool_id: behind.pool_id } : {}) };
  },
  pool: async (tx: Tx, poolId: string): Promise<Subject | null> => {
    const organization_id = await findPoolOwner(tx, asId('pool', poolId));
    return organization_id && { organization_id };
  },
};

/**
 * A read of the owner for the operator, in the same shape: the owner's own handler, in the platform's scope and for the owner's organization. The owner's
 * access log has each reading before it is answered.
 */
function operatorTwin({ own, kind, part, operation, summary, ofPool, fromPath }: Twin): Route {
  const param = `${kind}Id`;
  const { audit: _ownAudit, scope: _ownScope, ...shape } = own;
  const { [fromPath ?? '']: _given, ...filters } = own.query?.properties ?? {};
  return {
    ...shape,
    operation,
    path: `/v1/operator/${kind}s/:${param}/${part}`,
    access: 'operator',
    tag: 'Operator',
    summary,
    description: 'In the shape of its owner, whose access log has each reading.',
    params: paramsOf(own, param, kind),
    ...(own.query ? { query: Type.Object(filters) } : {}),
    errors: [...new Set([...(own.errors ?? []), 'NOT_FOUND' as const])],
    handler: async (context) => {
      const params = context.params as Record<string, string>;
      const given = (context.query ?? {}) as Record<string, unknown>;
      const entity_id = params[param] ?? '';
      const { organization_id, pool_id } = await context.write(async (tx) => {
        const found = orNotFound(await subjectOf[kind](tx, entity_id), kind);
        const what = part.replace(/\/.*/, '');
        // A file that is asked for by HEAD is not sent.
        if (own.replyKind === 'file' && context.request.method === 'HEAD') return found;
        await recordAccess(tx, context.caller, {
          organization_id: found.organization_id,
          act: own.replyKind === 'file' ? 'DOWNLOADED' : 'READ',
          entity_type: kind,
          entity_id,
          what,
          details: own.query ? { query: asked(given) } : {},
        });
        return found;
      });
      const caller = { ...context.caller, organization_id };
      const query = fromPath ? { ...given, [fromPath]: entity_id } : given;
      if (ofPool && pool_id) return ofPool.handler({ ...context, caller, query, params: { poolId: pool_id } });
      return own.handler({ ...context, caller, query });
    },
  };
}

/** What a reader asked for, without what chooses a page. */
function asked(query: Record<string, unknown>): Record<string, unknown> {
  const { page: _page, limit: _limit, cursor: _cursor, offset: _offset, ...filters } = query;
  return filters;
}

function paramsOf(own: Route, param: string, kind: string): TObject {
  if (own.params?.properties[param]) return own.params;
  const named = { [param]: Type.String({ maxLength: 128, description: `Identifier, \`${kind}_…\`.` }) };
  return Type.Object({ ...named, ...own.params?.properties });
}

const deal = (operation: Operation, part: string, own: Route, summary: string, more: Partial<Twin> = {}): Route =>
  operatorTwin({ operation, own, kind: 'deal', part, summary, ...more });
const pool = (operation: Operation, part: string, own: Route, summary: string): Route =>
  operatorTwin({ operation, own, kind: 'pool', part, summary });

/** The read of a record that its owner finds by its id alone: 404 where it is none of the deal of the path. */
const ofDeal = (own: Route, what: string): Route => ({
  ...own,
  handler: async (context) => {
    const found = await own.handler(context);
    const { dealId } = context.params as { dealId: string };
    return orNotFound((found as { deal_id: string | null }).deal_id === dealId ? found : null, what);
  },
});

const loans = `${OWNERS}/loans/:dealId`;
const analytics = (kind: 'deals/:dealId' | 'pools/:poolId', name: string) =>
  readOf(loanAnalyticsRoutes, `${ANALYTICS}/${kind}/${name}`);

/** What the operator reads of the records of others, in the shapes of their owners. */
export const operatorReadRoutes: Route[] = [
  deal('listOperatorDealLoans', 'loans', readOf(tapeViewRoutes, `${loans}/loans`), 'List the accepted loans of a deal’s tape'),
  deal(
    'downloadOperatorDealLoans',
    'loans/file',
    readOf(tapeViewRoutes, `${loans}/loans/file`),
    'Download the accepted loans of a deal’s tape, filtered and sorted as in the list',
  ),
  deal(
    'getOperatorDealLoan',
    'loans/:rowNumber',
    readOf(tapeViewRoutes, `${loans}/loans/:rowNumber`),
    'Read an accepted loan of a deal’s tape',
  ),
  deal(
    'getOperatorDealChecks',
    'checks',
    readOf(dealRoutes, loans),
    'Read what the checks of a deal found by rule, and its history',
  ),
  deal(
    'listOperatorDealIssues',
    'issues',
    readOf(tapeViewRoutes, `${loans}/issues`),
    'List the issues in the rows of a deal’s tape',
  ),
  deal(
    'getOperatorDealMapping',
    'mapping',
    readOf(tapeMappingRoutes, `${loans}/mapping`),
    'Read how the columns of a deal’s tape were matched',
  ),
  deal('listOperatorDealTapes', 'tapes', readOf(tapeVersionRoutes, `${loans}/tapes`), 'List the versions of a deal’s tape'),
  deal(
    'listOperatorDealResults',
    'results',
    readOf(criteriaRunRoutes, `${OWNERS}/sc/deals/:dealId/results`),
    'List the results of all criteria runs over a deal',
  ),
  deal(
    'listOperatorDealDocuments',
    'documents',
    readOf(documentRoutes, '/v1/api/deals/documents'),
    'List the documents of a deal in their newest versions',
    {
      fromPath: 'dealId',
    },
  ),
  deal(
    'getOperatorDealDocument',
    'documents/:documentId',
    ofDeal(readOf(documentRoutes, '/v1/api/deals/documents/:documentId'), 'document'),
    'Read a document of a deal with its versions',
  ),
  ...(['Strats', 'Vintage', 'Risk'] as const).map((noun) => {
    const name = noun.toLowerCase();
    return deal(`getOperatorDeal${noun}`, name, analytics('deals/:dealId', name), `Read the ${name} of the loans of a deal`, {
      ofPool: analytics('pools/:poolId', name),
    });
  }),
  pool(
    'getOperatorPoolStructure',
    'structure',
    readOf(poolRoutes, `${OWNERS}/pools/:poolId/structure`),
    'Read the structure of a pool, as data and in sentences',
  ),
  pool(
    'listOperatorPoolCalculations',
    'calculations',
    readOf(calculationRoutes, `${ANALYTICS}/pools/:poolId/calculations`),
    'List the calculations of a pool',
  ),
  pool(
    'getOperatorPoolCalculation',
    'calculations/:calculationId',
    readOf(calculationRoutes, `${ANALYTICS}/pools/:poolId/calculations/:calculationId`),
    'Read a calculation of a pool with its results, as before it is published as a mark',
  ),
  pool(
    'getOperatorPoolCashFlows',
    'calculations/:calculationId/cashflows',
    readOf(calculationRoutes, `${ANALYTICS}/pools/:poolId/calculations/:calculationId/cashflows`),
    'Read cash flows of a calculation of a pool',
  ),
  pool(
    'listOperatorPoolRemittances',
    'remittances',
    readOf(remittanceRoutes, `${OWNERS}/pools/:poolId/remittances`),
    'List the reports of a pool',
  ),
];
