import Type from 'typebox';
import { notFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, money, nullable, oneOf, pageQuery, pathId, timestamp } from '../../platform/http/schemas.ts';
import { findDeal } from '../deals/queries.ts';
import { curePool } from './cure-pool.ts';
import { approvedWaivers, cancelRun, countRuns, findRun, listRuns, type Run, RUN_STATUSES } from './queries.ts';
import { compareOutcomes, completed, pageOutcomes } from './read-outcomes.ts';
import { checkMove } from './run.ts';
import { dryRun, findBasis, queueRun } from './run-criteria.ts';

const tag = 'Selection criteria';

const FIRST_OUTCOMES = 100;

const Failure = Type.Object({
  rule_id: Type.String(),
  name: Type.String(),
  field: nullable(Type.String()),
  operator: nullable(Type.String()),
  expected: Type.Unknown(),
  actual: Type.Unknown(),
  reason: oneOf(['BREACH', 'MISSING']),
  severity: oneOf(['fail', 'warn']),
});

const Outcome = Type.Object({
  loan_id: Type.String(),
  row_number: Type.Integer(),
  outcome: oneOf(['PASSED', 'FAILED', 'WAIVED']),
  balance: money('Balance of the loan.'),
  failures: Type.Array(Failure),
});

const Result = {
  sc_job_id: Type.String(),
  status: oneOf(RUN_STATUSES),
  passed: Type.Integer({ description: 'Loans that pass, waived ones included.' }),
  failed: Type.Integer(),
  total: Type.Integer(),
  run_at: nullable(timestamp()),
  deal_id: id('deal'),
  criteria_id: id('crt'),
  criteria_version: Type.Integer(),
  tape_version: Type.Integer(),
  waived: Type.Integer(),
  passed_balance: money('Balance of the loans that pass.'),
  failed_balance: money('Balance of the loans that fail.'),
  rule_results: Type.Array(
    Type.Object({
      rule_id: Type.String(),
      failed: Type.Integer(),
      missing: Type.Integer(),
      failed_balance: money('Balance of the loans that fail the rule.'),
      only_reason: Type.Integer({ description: 'Loans that fail for this rule alone.' }),
    }),
  ),
  waterfall: Type.Array(Type.Unknown({ description: 'Total, what is left after each rule, eligible: loans and balance.' })),
  pool_tests: Type.Array(
    Type.Object({
      rule_id: Type.String(),
      group: Type.Optional(nullable(Type.String())),
      limit: Type.Unknown(),
      actual: nullable(Type.Number({ description: 'Measured over the eligible loans, 8 places.' })),
      passed: nullable(Type.Boolean({ description: 'Null: not applicable.' })),
      excess_balance: nullable(Type.Number()),
      headroom: nullable(Type.Number()),
    }),
  ),
  exception_file_id: nullable(Type.String()),
  error: nullable(Type.String()),
  loans: Type.Array(Outcome, { description: 'The first 100 outcomes.' }),
};

const jobId = pathId('scJobId', 'scj');

export const criteriaRunRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/api/originator/sc/deals/:dealId/run',
    access: 'originator',
    tag,
    summary: 'Run criteria over the deal’s loans',
    description: 'Answers 202 and runs as a job. With `dry_run` it answers 200 with the result and stores nothing.',
    params: pathId('dealId', 'deal'),
    body: Type.Object({
      criteria_id: id('crt'),
      version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
      dry_run: Type.Optional(Type.Boolean()),
    }),
    reply: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      properties: { sc_job_id: id('scj'), status: Type.String() },
    }),
    status: 202,
    dryRunStatus: 200,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'RUN_IN_PROGRESS', 'LOAN_TYPE_MISMATCH'],
    handler: async ({ deps, caller, params, body, read, write }) => {
      const request = {
        dealId: params.dealId as string,
        criteria_id: body.criteria_id,
        ...(body.version ? { version: body.version } : {}),
      };
      if (!body.dry_run) return write((tx) => queueRun(tx, deps, caller, request));
      const { basis, waivers, now } = await read(async (tx) => {
        const found = await findBasis(tx, caller, request);
        return {
          now: tx.now,
          basis: found,
          waivers: await approvedWaivers(tx, caller.organization_id, found.deal.deal_id, found.criteria.criteria_id),
        };
      });
      const { result: found, loans } = await dryRun(deps, basis, waivers, FIRST_OUTCOMES);
      const { outcomesPath: _path, ...result } = found;
      return {
        dry_run: true,
        status: 'COMPLETED',
        deal_id: basis.deal.deal_id,
        criteria_id: basis.criteria.criteria_id,
        criteria_version: basis.criteria.version,
        tape_version: basis.tape.version,
        run_at: now.toISOString(),
        ...result,
        total_balance: Number(result.total_balance),
        passed_balance: Number(result.passed_balance),
        failed_balance: Number(result.failed_balance),
        ...asNumbers(result),
        exception_file_id: null,
        loans: loans.map((loan) => ({ ...loan, balance: Number(loan.balance) })),
      };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/originator/sc/deals/:dealId/results',
    access: 'originator',
    tag,
    summary: 'List the results of all runs over the deal, newest first',
    params: pathId('dealId', 'deal'),
    query: pageQuery({}),
    reply: Type.Object(Result),
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: async ({ deps, read, caller, params, query }) => {
      const dealId = params.dealId as string;
      const { runs, total } = await read(async (tx) => {
        if (!(await findDeal(tx, caller.organization_id, dealId))) throw notFound('deal');
        const [rows, counted] = await Promise.all([
          listRuns(tx, caller.organization_id, dealId, query),
          countRuns(tx, caller.organization_id, dealId),
        ]);
        return { runs: rows, total: counted };
      });
      const rows = [];
      for (const run of runs)
        rows.push({
          ...asResult(run),
          loans: run.outcomes_key ? (await pageOutcomes(deps, caller, run, { page: 1, limit: FIRST_OUTCOMES })).rows : [],
        });
      return { total, rows: rows as never };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/originator/sc/jobs/:scJobId',
    access: 'originator',
    tag,
    summary: 'Read a run',
    params: jobId,
    reply: Type.Object(Result),
    errors: ['NOT_FOUND'],
    handler: async ({ deps, read, caller, params }) => {
      const run = await read((tx) => findRun(tx, caller.organization_id, params.scJobId as string));
      if (!run) throw notFound('run');
      return {
        ...asResult(run),
        loans: run.outcomes_key ? (await pageOutcomes(deps, caller, run, { page: 1, limit: FIRST_OUTCOMES })).rows : [],
      } as never;
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/api/originator/sc/jobs/:scJobId',
    access: 'originator',
    tag,
    summary: 'Cancel a run that has not ended',
    params: jobId,
    reply: Type.Object({}),
    replyKind: 'message',
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: async ({ write, caller, params }) => {
      await write(async (tx) => {
        const run = await findRun(tx, caller.organization_id, params.scJobId as string, true);
        if (!run) throw notFound('run');
        checkMove(run.status, 'CANCELLED');
        await cancelRun(tx, caller.organization_id, run.sc_job_id);
      });
      return 'The run is cancelled.';
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/originator/sc/jobs/:scJobId/loans',
    access: 'originator',
    tag,
    summary: 'List the outcomes of a run loan by loan, with every rule that failed',
    params: jobId,
    query: pageQuery({
      outcome: Type.Optional(oneOf(['PASSED', 'FAILED', 'WAIVED'])),
      rule: Type.Optional(Type.String({ maxLength: 64 })),
    }),
    reply: Outcome,
    replyKind: 'page',
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ deps, read, caller, params, query }) => {
      const run = await read((tx) => findRun(tx, caller.organization_id, params.scJobId as string));
      return (await pageOutcomes(deps, caller, completed(run), query)) as never;
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/originator/sc/jobs/:scJobId/cure',
    access: 'originator',
    tag,
    summary: 'Find the least balance whose removal makes the pool tests pass, or the largest pool under all of them',
    params: jobId,
    query: Type.Object({ objective: Type.Optional(oneOf(['min_removal', 'max_pool'])) }),
    reply: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ deps, read, caller, params, query }) => {
      const run = await read((tx) => findRun(tx, caller.organization_id, params.scJobId as string));
      return curePool(deps, caller, completed(run), query.objective ?? 'min_removal');
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/originator/sc/jobs/:scJobId/compare/:otherJobId',
    access: 'originator',
    tag,
    summary: 'Compare two runs: loans that newly fail and newly pass, by rule and balance',
    params: Type.Object({ scJobId: id('scj'), otherJobId: id('scj') }),
    reply: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ deps, read, caller, params }) => {
      const [a, b] = await read((tx) =>
        Promise.all([
          findRun(tx, caller.organization_id, params.scJobId),
          findRun(tx, caller.organization_id, params.otherJobId),
        ]),
      );
      return compareOutcomes(deps, caller, completed(a), completed(b));
    },
  }),
];

type Kept = {
  rule_results?: { failed_balance: string }[];
  pool_tests?: Record<string, unknown>[];
  waterfall?: Record<string, unknown>[];
};

/** Exact decimals become numbers at the border. */
function asNumbers(kept: object): { rule_results: unknown[]; pool_tests: unknown[]; waterfall: unknown[] } {
  const { rule_results = [], pool_tests = [], waterfall = [] } = kept as Kept;
  const number = (value: unknown): unknown =>
    typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  const row = (each: Record<string, unknown>, names: string[]): Record<string, unknown> => ({
    ...each,
    ...Object.fromEntries(names.filter((name) => name in each).map((name) => [name, number(each[name])])),
  });
  return {
    rule_results: rule_results.map((each) => row(each as Record<string, unknown>, ['failed_balance'])),
    pool_tests: pool_tests.map((each) => row(each, ['actual', 'excess_balance', 'headroom', 'limit'])),
    waterfall: waterfall.map((each) => row(each, ['balance', 'removed_balance'])),
  };
}

function asResult(run: Run) {
  return {
    sc_job_id: run.sc_job_id,
    status: run.status,
    passed: run.passed ?? 0,
    failed: run.failed ?? 0,
    total: run.total ?? 0,
    waived: run.waived ?? 0,
    run_at: run.run_at?.toISOString() ?? null,
    deal_id: run.deal_id,
    criteria_id: run.criteria_id,
    criteria_version: run.criteria_version,
    tape_version: run.tape_version,
    passed_balance: Number(run.passed_balance ?? 0),
    failed_balance: Number(run.failed_balance ?? 0),
    ...asNumbers(run.result ?? {}),
    exception_file_id: run.exception_file_id,
    error: run.error,
  };
}
