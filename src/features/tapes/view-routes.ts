import Type from 'typebox';
import { writeIssuesFile } from '../../loans/export/issues-file.ts';
import { listIssues } from '../../loans/export/list-issues.ts';
import { findLoan, listLoans } from '../../loans/export/list-loans.ts';
import { writeLoansFile } from '../../loans/export/loans-file.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { NO_ROWS } from '../../platform/pages.ts';
import { pageOfFile } from '../../platform/http/cursor.ts';
import { ApiError, notFound, orNotFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, LongPaging, oneOf, pageQuery, pathId } from '../../platform/http/schemas.ts';
import { CSV, downloadType, XLSX } from '../../platform/files/content-types.ts';
import { DEAL_RECORD, findDeal } from '../deals/queries.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import { LOAN_VIEW_ERRORS } from './loan-view.ts';
import { readSelection, SelectionQuery } from './loan-selection.ts';
import { findCurrentTape } from './queries.ts';
import { tapeOfIssues } from './tape.ts';
import { Issue } from './mapping-schema.ts';
import { TAG } from './wire.ts';

const dealId = pathId('dealId', 'deal');

const ROW_NUMBER = /^[1-9]\d{0,8}$/;

const Loan = Type.Unsafe<Record<string, unknown>>({
  title: 'Loan',
  type: 'object',
  additionalProperties: true,
  description: 'Canonical fields of the loan type, with `row_number` (1 = first data row).',
});

/** The rows of a deal's tape and their issues. */
export const tapeViewRoutes: Route[] = [
  route({
    operation: 'listLoans',
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/loans',
    access: 'originator',
    tag: TAG,
    summary: 'List the accepted loans of the deal’s tape',
    description:
      'In the order of the tape, or of `sort`. Rules in `filter` are those of selection criteria over fields of the dictionary.',
    params: dealId,
    query: Type.Object({ ...SelectionQuery, ...LongPaging }),
    reply: Loan,
    replyKind: 'page',
    errors: LOAN_VIEW_ERRORS,
    handler: async ({ deps, caller, params, query, read }) => {
      const selection = await readSelection({ deps, read }, caller, { ...params, query });
      if (!selection) return NO_ROWS;
      const { files, ...selected } = selection;
      return pageOfFile(files, query, (page) => listLoans(deps.columns, { ...page, ...selected }));
    },
  }),
  route({
    operation: 'downloadLoans',
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/loans/file',
    access: 'originator',
    tag: TAG,
    summary: 'Download the accepted loans of the deal’s tape, filtered and sorted as in the list',
    description:
      'All loans that the list has page by page. Text that a spreadsheet would run as a formula has an apostrophe before it.',
    params: dealId,
    query: Type.Object({
      format: Type.Unsafe<'csv'>({ type: 'string', enum: ['csv'], default: 'csv' }),
      ...SelectionQuery,
    }),
    reply: Type.String(),
    replyKind: 'file',
    fileTypes: [CSV],
    errors: LOAN_VIEW_ERRORS,
    handler: async ({ deps, caller, params, query, read }) => {
      const selection = await readSelection({ deps, read }, caller, { ...params, query });
      if (!selection) throw new ApiError('NOT_FOUND', 'The deal has no loans yet: they are there once its tape has been read.');
      const stream = writeLoansFile(deps.columns, selection);
      return { stream, contentType: downloadType(query.format), fileName: `${params.dealId}-loans.${query.format}` };
    },
  }),
  route({
    operation: 'getLoan',
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/loans/:rowNumber',
    record: recordOfPath('dealId', DEAL_RECORD),
    access: 'originator',
    tag: TAG,
    summary: 'Read an accepted loan by the number of its row in the tape',
    params: Type.Object({
      dealId: id('deal'),
      rowNumber: Type.String({ maxLength: 20, description: 'Number of the row; 1 is the first data row.' }),
    }),
    reply: Loan,
    errors: ['NOT_FOUND'],
    handler: async ({ deps, caller, params, read }) => {
      const { deal, tape } = await read(async (tx) => ({
        deal: orNotFound(await findDeal(tx, caller.organization_id, params.dealId), 'deal'),
        tape: await findCurrentTape(tx, caller.organization_id, params.dealId),
      }));
      if (!tape?.loans_key || !ROW_NUMBER.test(params.rowNumber)) throw notFound('loan');
      const loansPath = await localFile(deps, tape.loans_key);
      const rowNumber = Number(params.rowNumber);
      return orNotFound(await findLoan(deps.columns, { loansPath, loanType: deal.loan_type, rowNumber }), 'loan');
    },
  }),
  route({
    operation: 'listTapeIssues',
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
      row: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Number of the row; 1 is the first data row.' }),
      ),
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
    operation: 'downloadTapeIssues',
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
    fileTypes: [CSV, XLSX],
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
