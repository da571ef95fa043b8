import { findLoansById } from '../../loans/export/find-loans.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { localFile } from '../../platform/files/local-file.ts';
import type { Id } from '../../platform/ids.ts';
import { findDeals, findOrganizations, findPools, listSearchedTapes, type Searcher, type SearchedTape } from './queries.ts';

/** Records of a kind in one answer, and tapes whose loans are searched for it. */
export const SHOWN = 10;
export const TAPES_SEARCHED = 20;

type Read = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
export type SearchRequest = { text: string; dealId: Id<'deal'> | null; searcher: Searcher };
export type FoundLoanRow = { deal_id: Id<'deal'>; organization_id: Id<'org'>; row_number: number; loan_id: string };

/** The first records of each kind whose id begins with a text or whose name has it; of loans by id, in the tapes in force of the newest deals. */
export async function search(deps: Deps, read: Read, { text, dealId, searcher }: SearchRequest) {
  const most = SHOWN + 1;
  const found = await read(async (tx) => ({
    deals: await findDeals(tx, text, searcher, most),
    pools: searcher === null || searcher.sells ? await findPools(tx, text, searcher, most) : [],
    organizations: await findOrganizations(tx, text, searcher, most),
    searched:
      searcher === null || searcher.sells
        ? await listSearchedTapes(tx, { searcher, dealId, most: TAPES_SEARCHED })
        : { tapes: [], total: 0 },
  }));
  const { deals, pools, organizations, searched } = found;
  const { loans, tapes } = await findLoans(deps, searched.tapes, text);
  return {
    q: text,
    deals: firstOf(deals),
    pools: firstOf(pools),
    organizations: firstOf(organizations),
    loans: { ...firstOf(loans), tapes_searched: tapes, tapes_not_searched: searched.total - tapes },
  };
}

/** Loans of the tapes, one tape after the other, until there are more than are shown. */
async function findLoans(
  deps: Deps,
  tapes: readonly SearchedTape[],
  text: string,
): Promise<{ loans: FoundLoanRow[]; tapes: number }> {
  const loans: FoundLoanRow[] = [];
  for (const [index, { deal_id, organization_id, loans_key }] of tapes.entries()) {
    const found = await findLoansById(deps.columns, await localFile(deps, loans_key), text, SHOWN + 1 - loans.length);
    loans.push(...found.map((loan) => ({ deal_id, organization_id, ...loan })));
    if (loans.length > SHOWN) return { loans, tapes: index + 1 };
  }
  return { loans, tapes: tapes.length };
}

const firstOf = <Row>(rows: readonly Row[]) => ({ rows: rows.slice(0, SHOWN), more: rows.length > SHOWN });
