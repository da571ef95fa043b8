import Type from 'typebox';
import { listDisclosed } from '../../loans/export/disclosed-loans.ts';
import { CSV, PARQUET } from '../../platform/files/content-types.ts';
import { pageOfFile } from '../../platform/http/cursor.ts';
import { named } from '../../platform/http/named.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, LongPaging, oneOf, pathId } from '../../platform/http/schemas.ts';
import { DISCLOSURE_LEVELS } from '../pools/queries.ts';
import { LOAN_VIEW_ERRORS, LoanViewQuery, readLoanView } from '../tapes/loan-view.ts';
import { disclosedLoans, downloadLoans, findDisclosedPool, findInvestorPool, recordLoanAccess } from './disclosed-loans.ts';
import { SECURITIZATION_RECORD } from './queries.ts';

const tag = 'Investor deals';
const base = '/v1/api/investor/deals/:dealId';
const dealId = pathId('dealId', 'deal');

const DisclosedLoan = Type.Unsafe<Record<string, unknown>>({
  title: 'DisclosedLoan',
  type: 'object',
  required: ['loan'],
  properties: { loan: { type: 'string', description: 'Id of the loan in this deal, the same in every list and file.' } },
  additionalProperties: true,
  description: 'The disclosed fields of a loan.',
});

/** The loans behind a deal, as far as its owner discloses them. */
export const disclosedLoanRoutes: Route[] = [
  route({
    operation: 'getMarketDealDisclosure',
    method: 'GET',
    path: `${base}/disclosure`,
    record: recordOfPath('dealId', SECURITIZATION_RECORD),
    access: 'investor',
    tag,
    summary: 'Read what the owner of a deal discloses of its loans',
    params: dealId,
    reply: named('DealDisclosure', {
      deal_id: id('deal'),
      level: oneOf(DISCLOSURE_LEVELS, 'AGGREGATE: groups of loans; LOAN_LEVEL: each loan too, in these fields.'),
      fields: Type.Array(Type.String()),
    }),
    errors: ['NOT_FOUND'],
    handler: ({ caller, params, read }) =>
      read(async (tx) => {
        const { disclosure_level, disclosed_fields } = await findInvestorPool(tx, caller.organization_id, params.dealId);
        const fields = disclosure_level === 'LOAN_LEVEL' ? disclosed_fields : [];
        return { deal_id: params.dealId, level: disclosure_level, fields };
      }),
  }),
  route({
    operation: 'listMarketDealLoans',
    method: 'GET',
    path: `${base}/loans`,
    access: 'investor',
    tag,
    summary: 'List the loans of a deal in the fields that its owner discloses',
    description:
      'Where the owner discloses loan by loan; 404 otherwise. Sorted by `loan`, or by a disclosed field; a sort, a filter or a list of fields that names another is refused. The owner sees that you have read them.',
    params: dealId,
    query: Type.Object({ ...LoanViewQuery, ...LongPaging }),
    reply: DisclosedLoan,
    replyKind: 'page',
    errors: [...LOAN_VIEW_ERRORS, 'FIELD_NOT_DISCLOSED'],
    handler: async ({ deps, caller, params, query, write }) => {
      const { pool, view } = await write(async (tx) => {
        const found = await findDisclosedPool(tx, caller.organization_id, params.dealId);
        const { loan_type: loanType, cut_off_date: asOf, disclosed_fields: disclosed } = found;
        const asked = readLoanView(query, { loanType, asOf, disclosed });
        await recordLoanAccess(tx, caller, found, 'READ', { fields: asked.fields ?? disclosed });
        return { pool: found, view: asked };
      });
      const loans = await disclosedLoans(deps, pool);
      const { sort, condition, fields: shown } = view;
      return pageOfFile(`${pool.loans_key} ${pool.disclosure_version}`, query, (page) =>
        listDisclosed(deps.columns, { ...page, ...loans, sort, condition, shown }),
      );
    },
  }),
  route({
    operation: 'downloadMarketDealLoans',
    method: 'GET',
    path: `${base}/loans/file`,
    access: 'investor',
    tag,
    summary: 'Download the loans of a deal in the fields that its owner discloses',
    description:
      'Sorted by `loan`. Text of a CSV file that a spreadsheet would run as a formula has an apostrophe before it. The owner sees that you have downloaded them.',
    params: dealId,
    query: Type.Object({
      format: Type.Unsafe<'csv' | 'parquet'>({ type: 'string', enum: ['csv', 'parquet'], default: 'csv' }),
      period: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 20,
          description: 'Payment period of the monthly tape; `closing`, the default, for the closing tape.',
        }),
      ),
    }),
    reply: Type.String(),
    replyKind: 'file',
    fileTypes: [CSV, PARQUET],
    errors: ['NOT_FOUND', 'CONFLICT', 'UNPROCESSABLE', 'TOO_EXPENSIVE', 'COMPUTE_BUSY'],
    handler: ({ deps, caller, params, query, request, reply, read, write }) =>
      downloadLoans(
        { read, write },
        { deps, caller, reply },
        { dealId: params.dealId, format: query.format, period: query.period, wanted: request.method !== 'HEAD' },
      ),
  }),
];
