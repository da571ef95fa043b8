import Type, { type Static } from 'typebox';
import { localDate } from '../../finance/business-date.ts';
import { idStartsWith, type LoanSelection } from '../../loans/export/list-loans.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { oneOf } from '../../platform/http/schemas.ts';
import type { Id } from '../../platform/ids.ts';
import { findDeal } from '../deals/queries.ts';
import { LoanViewQuery, readLoanView } from './loan-view.ts';
import { findCurrentTape, findNewestOutcomes } from './queries.ts';

/** What selects loans of a deal. */
export const SelectionQuery = {
  ...LoanViewQuery,
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Beginning of the id of a loan, in whatever case.' }),
  ),
  outcome: Type.Optional(oneOf(['PASSED', 'FAILED', 'WAIVED'], 'Outcome in the deal’s newest completed selection criteria run.')),
};

const Query = Type.Object(SelectionQuery);

type Reading = { deps: Deps; read: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result> };

/** The loans that a query selects, with the names of the files that they are in; null before its tape has been read. */
export async function readSelection(
  { deps, read }: Reading,
  { organization_id }: Actor,
  { dealId, query }: { dealId: Id<'deal'>; query: Static<typeof Query> },
): Promise<(Required<LoanSelection> & { files: string }) | null> {
  const { deal, tape, outcomes, today } = await read(async (tx) => ({
    deal: orNotFound(await findDeal(tx, organization_id, dealId), 'deal'),
    tape: await findCurrentTape(tx, organization_id, dealId),
    outcomes: await findNewestOutcomes(tx, organization_id, dealId),
    today: localDate(tx.now, tx.zone),
  }));
  const { loan_type: loanType } = deal;
  const { sort, fields, condition } = readLoanView(query, { loanType, asOf: tape?.as_of_date ?? today });
  if (!tape?.loans_key) return null;
  return {
    files: `${tape.loans_key} ${query.outcome ? outcomes : ''}`,
    loansPath: await localFile(deps, tape.loans_key),
    loanType,
    outcome: query.outcome && outcomes ? { value: query.outcome, outcomesPath: await localFile(deps, outcomes) } : null,
    sort,
    fields,
    conditions: [
      ...(condition === null ? [] : [condition]),
      ...(query.q === undefined ? [] : [idStartsWith(query.q)]),
      // Before its first run no loan of a deal has an outcome.
      ...(query.outcome && !outcomes ? ['FALSE'] : []),
    ],
  };
}
