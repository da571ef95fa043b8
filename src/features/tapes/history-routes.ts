import Type from 'typebox';
import { findLoan, findLoanById } from '../../loans/export/list-loans.ts';
import { loanInMonth } from '../../loans/servicing/loan-in-month.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { notFound, orNotFound } from '../../platform/http/errors.ts';
import { named } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { date, id, nullable, timestamp } from '../../platform/http/schemas.ts';
import { findDeal } from '../deals/queries.ts';
import { changesOf } from './changes-of.ts';
import { comparedBy } from './loan-ids.ts';
import { findCurrentTape, listLoanMonths, listTapes, type Tape, type TapeState } from './queries.ts';
import { TAG } from './wire.ts';

const ROW_NUMBER = /^[1-9]\d{0,8}$/;
/** Versions and months that are looked through, the newest ones. */
const MOST = 60;
const NEVER_IN_FORCE: ReadonlySet<TapeState> = new Set(['NEEDS_CONFIRMATION', 'DROPPED']);

const Value = nullable(Type.Unknown({ description: 'In the form of the list of loans.' }));

/** What became of a loan from version to version of its tape, and from month to month. */
export const loanHistoryRoutes: Route[] = [
  route({
    operation: 'getLoanHistory',
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/loans/:rowNumber/history',
    access: 'originator',
    tag: TAG,
    summary: 'Read how a loan changed from version to version of its tape and in the monthly tapes of its pool',
    description: `By the id of the loan, in the newest ${MOST} versions and months. A version without ids is left out unless the one in force was merged into it by row: its rows may be other loans. Versions that have no loans, that wait for a confirmation or were dropped, and months whose tape is not in force, are left out.`,
    params: Type.Object({
      dealId: id('deal'),
      rowNumber: Type.String({ maxLength: 20, description: 'Number of the row; 1 is the first data row.' }),
    }),
    reply: named('LoanHistory', {
      loan_id: nullable(Type.String()),
      versions: Type.Array(
        named('LoanVersion', {
          version: Type.Integer(),
          created_at: timestamp(),
          as_of_date: nullable(date()),
          row_number: nullable(Type.Integer({ description: 'Null where the version does not have the loan.' })),
          changes: Type.Array(named('FieldChange', { field: Type.String(), before: Value, after: Value }), {
            description: 'Fields that differ from the version before; none of the first that has the loan.',
          }),
        }),
        { description: 'Oldest first.' },
      ),
      months: Type.Array(
        named('LoanMonth', {
          pool_id: id('pool'),
          period: Type.Integer(),
          reported_on: nullable(date()),
          state: nullable(Type.String({ description: 'State of the loan after the month.' })),
          current_balance: nullable(Type.Number()),
          days_past_due: nullable(Type.Integer()),
          interest_rate: nullable(Type.Number()),
          remaining_term_months: nullable(Type.Integer()),
        }),
        { description: 'Monthly tapes of the pools that have the deal, oldest first.' },
      ),
    }),
    errors: ['NOT_FOUND'],
    handler: async ({ deps, caller, params, read }) => {
      if (!ROW_NUMBER.test(params.rowNumber)) throw notFound('loan');
      const rowNumber = Number(params.rowNumber);
      const { deal, current, tapes, months } = await read(async (tx) => {
        const found = orNotFound(await findDeal(tx, caller.organization_id, params.dealId), 'deal');
        return {
          deal: found,
          current: await findCurrentTape(tx, caller.organization_id, found.deal_id),
          tapes: await listTapes(tx, caller.organization_id, found.deal_id),
          months: await listLoanMonths(tx, caller.organization_id, found.deal_id, MOST),
        };
      });
      const { loan_type: loanType } = deal;
      const inForce = current?.loans_key ? await localFile(deps, current.loans_key) : null;
      const loan = orNotFound(
        inForce === null ? null : await findLoan(deps.columns, { loansPath: inForce, loanType, rowNumber }),
        'loan',
      );
      const loanId = typeof loan.loan_id === 'string' ? loan.loan_id : null;
      const versions = [];
      let before: Record<string, unknown> | null = null;
      for (const tape of tapes
        .filter(({ loans_key, state }) => loans_key !== null && !NEVER_IN_FORCE.has(state))
        .filter((tape) => isSameLine(tape, current, tapes))
        .slice(0, MOST)
        .reverse()) {
        const loansPath = await localFile(deps, tape.loans_key ?? '');
        const isCurrent = tape.version === current?.version;
        const found = isCurrent ? loan : await findLoanById(deps.columns, { loansPath, loanType, loanId, rowNumber });
        versions.push({
          version: tape.version,
          created_at: tape.created_at.toISOString(),
          as_of_date: tape.as_of_date,
          row_number: found ? Number(found.row_number) : null,
          changes: changesOf(before, found),
        });
        before = found ?? before;
      }
      const reported = [];
      for (const { loans_key, deal_number: dealNumber, ...month } of months.reverse()) {
        const loansPath = await localFile(deps, loans_key);
        const found = await loanInMonth(deps.columns, { loansPath, loanType, dealNumber, rowNumber });
        if (found) reported.push({ ...month, ...found });
      }
      return { loan_id: loanId, versions, months: reported };
    },
  }),
];

/** Whether loans of a version are found in the one in force: by their ids, or by their rows, which a version that is merged into another one keeps. */
function isSameLine(tape: Tape, current: Tape | null, tapes: readonly Tape[]): boolean {
  if (!current || comparedBy([tape, current]) === 'LOAN_ID') return true;
  let line: Tape | undefined = current;
  while (line && line.version !== tape.version) {
    const before: number | null = line.merged_into;
    line = tapes.find(({ version }) => version === before);
  }
  return line !== undefined;
}
