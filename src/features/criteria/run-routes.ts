import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import type { Deps } from '../../platform/deps.ts';
import { type CriteriaSet, CriteriaSetSchema } from '../../loans/criteria/language.ts';
import { invalidField, orNotFound } from '../../platform/http/errors.ts';
import type { Id } from '../../platform/ids.ts';
import { named } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { CreatedBetween, id, oneOf, pageQuery, pathId } from '../../platform/http/schemas.ts';
import { findDeal } from '../deals/queries.ts';
import { cancelRun } from './run.ts';
import { curePool } from './cure-pool.ts';
import { dryRun } from './evaluate-basis.ts';
import { approvedWaivers } from './exception-queries.ts';
import { findBasis, findDraftBasis, queueRun, type RunRequest } from './queue-run.ts';
import { compareOutcomes, completed, pageOutcomes } from './read-outcomes.ts';
import { findRun, listRuns, type Run, RUN_RECORD } from './run-queries.ts';
import { asDryRun, asResult, Outcome, Result } from './run-wire.ts';
import { ComparisonSchema, CuresSchema } from './search-wire.ts';

const tag = 'Selection criteria';
const FIRST_OUTCOMES = 100;
const jobId = pathId('scJobId', 'scj');

export const criteriaRunRoutes: Route[] = [
  route({
    operation: 'runCriteria',
    method: 'POST',
    path: '/v1/api/originator/sc/deals/:dealId/run',
    access: 'originator',
    tag,
    summary: 'Run criteria over the deal’s loans',
    description:
      'Returns 202 and runs as a job. With `dry_run` it returns 200 with the result and stores nothing; then `criteria` may be a set that is not stored, as it stands while it is written. Waivers of the set that `criteria_id` names count.',
    params: pathId('dealId', 'deal'),
    body: named('RunCriteria', {
      criteria_id: Type.Optional(id('crt')),
      version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
      dry_run: Type.Optional(Type.Boolean()),
      criteria: Type.Optional(CriteriaSetSchema),
    }),
    reply: Type.Unsafe<Record<string, unknown>>({
      title: 'QueuedRun',
      type: 'object',
      additionalProperties: true,
      properties: { sc_job_id: id('scj'), status: Type.String() },
    }),
    status: 202,
    dryRunStatus: 200,
    errors: [
      'NOT_FOUND',
      'INVALID_TRANSITION',
      'RUN_IN_PROGRESS',
      'LOAN_TYPE_MISMATCH',
      'UNKNOWN_FIELD',
      'INVALID_RULE',
      'PROHIBITED_FIELD',
      'SEALED_FIELD',
      'RULE_TOO_LARGE',
      'TOO_EXPENSIVE',
      'COMPUTE_BUSY',
      'QUEUE_FULL',
    ],
    handler: async ({ deps, caller, params, body, reply, read, write }) => {
      const { criteria_id = null, criteria: draft } = body;
      const { dealId } = params;
      if (!body.dry_run)
        return write(async (tx) => {
          if (draft) throw invalidField('criteria', 'DRY_RUN_ONLY', 'only a dry run takes criteria that are not stored');
          const { sc_job_id } = await queueRun(tx, caller, storedOf(dealId, body), deps);
          return { ...asResult(orNotFound(await findRun(tx, caller.organization_id, sc_job_id), 'run')), loans: [] };
        });
      const { now, basis, waivers } = await read(async (tx) => {
        const organization = caller.organization_id;
        const found = draft
          ? await findDraftBasis(tx, organization, { dealId, criteria_id, set: draft as CriteriaSet })
          : await findBasis(tx, organization, storedOf(dealId, body));
        const waived = criteria_id ? await approvedWaivers(tx, found, criteria_id) : [];
        return { now: tx.now, basis: found, waivers: waived };
      });
      const { result, loans } = await dryRun({ deps, caller, reply }, basis, waivers, FIRST_OUTCOMES);
      return asDryRun(basis, now, result, loans);
    },
  }),
  route({
    operation: 'listCriteriaResults',
    method: 'GET',
    path: '/v1/api/originator/sc/deals/:dealId/results',
    access: 'originator',
    tag,
    summary: 'List the results of all runs over the deal, newest first',
    params: pathId('dealId', 'deal'),
    query: pageQuery(CreatedBetween),
    reply: Result,
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: async ({ deps, read, caller, params, query }) => {
      const dealId = params.dealId;
      const page = await read(async (tx) => {
        orNotFound(await findDeal(tx, caller.organization_id, dealId), 'deal');
        return listRuns(tx, caller.organization_id, dealId, query);
      });
      const rows = [];
      for (const run of page.rows) rows.push(await withFirstOutcomes(deps, caller, run));
      return { ...page, rows };
    },
  }),
  route({
    operation: 'getCriteriaRun',
    method: 'GET',
    path: '/v1/api/originator/sc/jobs/:scJobId',
    record: recordOfPath('scJobId', RUN_RECORD),
    access: 'originator',
    tag,
    summary: 'Read a run',
    params: jobId,
    reply: Result,
    errors: ['NOT_FOUND'],
    handler: async ({ deps, read, caller, params }) => {
      const run = await read((tx) => findRun(tx, caller.organization_id, params.scJobId));
      return await withFirstOutcomes(deps, caller, orNotFound(run, 'run'));
    },
  }),
  route({
    operation: 'cancelCriteriaRun',
    method: 'DELETE',
    path: '/v1/api/originator/sc/jobs/:scJobId',
    access: 'originator',
    tag,
    summary: 'Cancel a run that has not ended',
    params: jobId,
    reply: Result,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    // A run that had not ended has no outcomes.
    handler: ({ write, caller, params }) =>
      write(async (tx) => ({ ...asResult(await cancelRun(tx, caller, params.scJobId)), loans: [] })),
  }),
  route({
    operation: 'listCriteriaRunLoans',
    method: 'GET',
    path: '/v1/api/originator/sc/jobs/:scJobId/loans',
    access: 'originator',
    tag,
    summary: 'List the outcomes of a run loan by loan, with every rule that failed',
    params: jobId,
    query: pageQuery({
      outcome: Type.Optional(oneOf(['PASSED', 'FAILED', 'WAIVED'])),
      rule: Type.Optional(Type.String({ maxLength: 64 })),
      row: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Number of one row of the tape.' })),
    }),
    reply: Outcome,
    replyKind: 'page',
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ deps, read, caller, params, query }) => {
      const run = await read((tx) => findRun(tx, caller.organization_id, params.scJobId));
      return await pageOutcomes(deps, caller, completed(run), query);
    },
  }),
  route({
    operation: 'getCriteriaCure',
    method: 'GET',
    path: '/v1/api/originator/sc/jobs/:scJobId/cure',
    access: 'originator',
    tag,
    summary: 'Find the smallest balance whose removal makes the pool tests pass, or the largest pool that passes all of them',
    params: jobId,
    query: Type.Object({ objective: Type.Optional(oneOf(['min_removal', 'max_pool'])) }),
    reply: CuresSchema,
    errors: ['NOT_FOUND', 'CONFLICT', 'TOO_EXPENSIVE', 'COMPUTE_BUSY'],
    handler: async ({ deps, read, caller, params, query, reply }) => {
      const run = await read((tx) => findRun(tx, caller.organization_id, params.scJobId));
      return curePool({ deps, caller, reply }, completed(run), query.objective ?? 'min_removal');
    },
  }),
  route({
    operation: 'compareCriteriaRuns',
    method: 'GET',
    path: '/v1/api/originator/sc/jobs/:scJobId/compare/:otherJobId',
    access: 'originator',
    tag,
    summary: 'Compare two runs: loans that newly fail and newly pass, by rule and balance',
    params: Type.Object({ scJobId: id('scj'), otherJobId: id('scj') }),
    reply: ComparisonSchema,
    errors: ['NOT_FOUND', 'CONFLICT', 'TOO_EXPENSIVE', 'COMPUTE_BUSY'],
    handler: async ({ deps, read, caller, params, reply }) => {
      const [a, b] = await read((tx) =>
        Promise.all([
          findRun(tx, caller.organization_id, params.scJobId),
          findRun(tx, caller.organization_id, params.otherJobId),
        ]),
      );
      return compareOutcomes({ deps, caller, reply }, completed(a), completed(b));
    },
  }),
];

/** The stored version that a request names. */
function storedOf(dealId: Id<'deal'>, { criteria_id, version }: { criteria_id?: Id<'crt'>; version?: number }): RunRequest {
  if (!criteria_id) throw invalidField('criteria_id', 'REQUIRED', 'name the criteria set to run');
  return { dealId, criteria_id, ...(version ? { version } : {}) };
}

async function withFirstOutcomes(deps: Deps, caller: Caller, run: Run) {
  const first = run.outcomes_key ? await pageOutcomes(deps, caller, run, { page: 1, limit: FIRST_OUTCOMES }) : { rows: [] };
  return { ...asResult(run), loans: first.rows };
}
