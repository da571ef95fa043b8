import Type, { type TSchema } from 'typebox';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id } from '../../platform/http/schemas.ts';
import { recordAccess } from '../accesses/queries.ts';
import { DEAL_KINDS } from '../deals/operator-queries.ts';
import { search, SHOWN, TAPES_SEARCHED } from './search.ts';

const query = Type.Object({
  q: Type.String({ minLength: 2, maxLength: 200, format: 'plain-text', description: 'Beginning of an id, or a part of a name.' }),
  deal_id: Type.Optional(id('deal', 'Loans of this deal alone are searched.')),
});

const kindOf = <Row extends TSchema, More extends Record<string, TSchema>>(name: string, row: Row, more: More) =>
  named(name, {
    rows: Type.Array(row, { description: `The first ${SHOWN}.` }),
    more: Type.Boolean({ description: 'Whether others are found too.' }),
    ...more,
  });

const FoundOrganization = named('FoundOrganization', {
  organization_id: id('org'),
  name: Type.String(),
  status: Type.String(),
});

const FoundOrganizations = kindOf('FoundOrganizations', FoundOrganization, {});

/** The answer, in whose rows `owner` says whose they are. */
const answer = <Owner extends Record<string, TSchema>>(prefix: string, owner: Owner) => ({
  q: Type.String(),
  deals: kindOf(
    `${prefix}Deals`,
    named(`${prefix}Deal`, {
      deal_id: id('deal'),
      ...owner,
      kind: namedOneOf('DealKind', DEAL_KINDS),
      name: Type.String(),
      status: Type.String({ description: 'Of a securitization deal that on the market.' }),
    }),
    {},
  ),
  pools: kindOf(
    `${prefix}Pools`,
    named(`${prefix}Pool`, { pool_id: id('pool'), ...owner, name: Type.String(), status: Type.String() }),
    {},
  ),
  organizations: FoundOrganizations,
  loans: kindOf(
    `${prefix}Loans`,
    named(`${prefix}Loan`, { deal_id: id('deal'), ...owner, row_number: Type.Integer(), loan_id: Type.String() }),
    {
      tapes_searched: Type.Integer({ description: `Tapes in force, of the newest deals first, at most ${TAPES_SEARCHED}.` }),
      tapes_not_searched: Type.Integer({
        description: 'Tapes whose loans may have such ids too: name their deal to search them.',
      }),
    },
  ),
});

const description = `At most ${SHOWN} records of a kind. Loans are found by the beginning of their ids, in the tapes in force of the ${TAPES_SEARCHED} newest deals, or of the deal that is named.`;

export const searchRoutes: Route[] = [
  route({
    operation: 'searchRecords',
    method: 'GET',
    path: '/v1/api/search',
    access: 'customer',
    // An investor finds what the market shows it; the SQL of each kind names whose records it finds.
    scope: 'market',
    tag: 'Keys and organizations',
    summary: 'Search your deals, pools and loans, and the deals that you see as an investor',
    description: `${description} Loans that others disclose are not searched.`,
    query,
    reply: named('SearchAnswer', answer('Found', {})),
    handler: ({ deps, caller, query: { q, deal_id }, read }) => {
      const { organization_id, role } = caller;
      const searcher = {
        organization_id,
        sells: role === 'originator' || role === 'both',
        invests: role === 'investor' || role === 'both',
      };
      return search(deps, read, { text: q, dealId: deal_id ?? null, searcher });
    },
  }),
  route({
    operation: 'searchOperatorRecords',
    method: 'GET',
    path: '/v1/operator/search',
    access: 'operator',
    tag: 'Operator',
    summary: 'Search deals, pools, organizations and loans of all organizations',
    description: `${description} The access log of each organization has its loans that were found.`,
    query,
    reply: named('OperatorSearchAnswer', answer('OperatorFound', { organization_id: id('org') })),
    handler: async ({ deps, caller, query: { q, deal_id }, read, write }) => {
      const found = await search(deps, read, { text: q, dealId: deal_id ?? null, searcher: null });
      const byDeal = Map.groupBy(found.loans.rows, (loan) => loan.deal_id);
      if (byDeal.size > 0)
        await write(async (tx) => {
          for (const [entity_id, [first, ...others]] of byDeal)
            if (first)
              await recordAccess(tx, caller, {
                organization_id: first.organization_id,
                act: 'READ',
                entity_type: 'deal',
                entity_id,
                what: 'loans',
                details: { search: q, loans: 1 + others.length },
              });
        });
      return found;
    },
  }),
];
