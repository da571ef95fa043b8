import Type from 'typebox';
import { writeIssuesFile } from '../../loans/export/issues-file.ts';
import { listIssues } from '../../loans/export/list-issues.ts';
import { listLoans } from '../../loans/export/list-loans.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { NO_ROWS } from '../../platform/db/page.ts';
import { pageOfFile } from '../../platform/http/cursor.ts';
import { notFound, orNotFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { oneOf, pageQuery, pathId } from '../../platform/http/schemas.ts';
import { downloadType } from '../../platform/files/content-types.ts';
import { findDeal } from '../deals/queries.ts';
import { findCurrentTape, findNewestOutcomes } from './queries.ts';
import { tapeOfIssues } from './tape.ts';
import { Issue } from './mapping-schema.ts';
import { TAG } from './wire.ts';

const dealId = pathId('dealId', 'deal');

const Loan = Type.Unsafe<Record<string, unknown>>({
  title: 'Loan',
  type: 'object',
  additionalProperties: true,
  description: 'Canonical fields of the loan type, with `row_number` (1 = first data row).',
});

/** The rows of a deal's tape and their issues. */
export const tapeViewRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/loans',
    access: 'originator',
    tag: TAG,
    summary: 'List the accepted loans of the deal’s tape',
    params: dealId,
    query: pageQuery({
      outcome: Type.Optional(
        oneOf(['PASSED', 'FAILED', 'WAIVED'], 'Outcome in the deal’s newest completed selection criteria run.'),
      ),
    }),
    reply: Loan,
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: async ({ deps, caller, params, query, read }) => {
      const found = await read(async (tx) => {
        const deal = orNotFound(await findDeal(tx, caller.organization_id, params.dealId), 'deal');
        return {
          deal,
          tape: await findCurrentTape(tx, caller.organization_id, deal.deal_id),
          outcomes: await findNewestOutcomes(tx, caller.organization_id, deal.deal_id),
        };
      });
      const { deal, tape, outcomes } = found;
      if (!tape?.loans_key || (query.outcome && !outcomes)) return NO_ROWS;
      const outcome = query.outcome && outcomes ? { value: query.outcome, outcomesPath: await localFile(deps, outcomes) } : null;
      const loansPath = await localFile(deps, tape.loans_key);
      const files = `${tape.loans_key} ${query.outcome ? outcomes : ''}`;
      return pageOfFile(files, query, (page) =>
        listLoans(deps.columns, { ...page, loansPath, loanType: deal.loan_type, outcome }),
      );
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/issues',
    access: 'originator',
    tag: TAG,
    summary: 'List the issues that the checks found in the rows of the newest tape',
    description: 'While the newest version waits for a confirmation, the issues are those of the version in force.',
    params: dealId,
    query: pageQuery({
      severity: Type.Optional(oneOf(['ERROR', 'WARNING'])),
      rule: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    reply: Issue,
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: async ({ deps, caller, params, query, read }) => {
      const tape = await read((tx) => tapeOfIssues(tx, caller.organization_id, params.dealId));
      if (!tape?.issues_key) return NO_ROWS;
      const issuesPath = await localFile(deps, tape.issues_key);
      return pageOfFile(tape.issues_key, query, (page) => listIssues(deps.columns, issuesPath, page));
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/issues/file',
    access: 'originator',
    tag: TAG,
    summary: 'Download the rows with issues in a form that can be corrected and uploaded again',
    description:
      'Sealed columns read `[sealed]`, of the obligor the token; left so, a correction keeps their values. The original columns in their order, then `_row,_rule,_reason,_actual,_expected`. Corrected and sent as a new version it is merged by `_row` into the version that it came from.',
    params: dealId,
    query: Type.Object({ format: Type.Unsafe<'csv' | 'xlsx'>({ type: 'string', enum: ['csv', 'xlsx'], default: 'csv' }) }),
    reply: Type.String(),
    replyKind: 'file',
    errors: ['NOT_FOUND'],
    handler: async ({ deps, caller, params, query, read }) => {
      const tape = await read((tx) => tapeOfIssues(tx, caller.organization_id, params.dealId));
      if (!tape?.raw_key || !tape.issues_key) throw notFound('issues file');
      const [rawPath, issuesPath] = await Promise.all([localFile(deps, tape.raw_key), localFile(deps, tape.issues_key)]);
      const isDestroyed = tape.keys_destroyed_at !== null;
      const stream = writeIssuesFile({ engine: deps.columns, rawPath, issuesPath, isDestroyed, format: query.format });
      return { stream, contentType: downloadType(query.format), fileName: `${params.dealId}-issues.${query.format}` };
    },
  }),
];
