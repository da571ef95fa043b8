import Type from 'typebox';
import { named } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, money, oneOf } from '../../platform/http/schemas.ts';
import { listHeldDeals } from './exposure-queries.ts';
import { EXPOSURE_FIELDS, LEFT_OUT_REASONS, readExposures } from './exposures.ts';

export const exposureRoutes: Route[] = [
  route({
    operation: 'listPortfolioExposures',
    method: 'GET',
    path: '/v1/api/investor/portfolio/exposures',
    access: 'investor',
    tag: 'Portfolio',
    summary: 'Read your part of the loans behind your positions by state, servicer or obligor',
    description:
      'Of each deal your share of its outstanding tranches, of the pool balance that was reported last, over the groups of the closing tape. Groups of fewer than five loans of a deal are `(other)`, but where the field and current_balance are disclosed loan by loan. The servicer is the originator, which reports. Deals without groups are in `(not disclosed)`, whose `left_out` says why; the rows add up to the book. At most 1,000 groups have a name, the largest.',
    query: Type.Object({
      by: oneOf(EXPOSURE_FIELDS, 'obligor: of deals that disclose obligor_id loan by loan, by its token.'),
    }),
    reply: Type.Array(
      named('Exposure', {
        name: Type.String(),
        balance: money('Your part of the loans of the group.'),
        share: Type.Number({ description: 'Fraction of the sum of all groups, 6 decimals.' }),
        deals: Type.Integer({ description: 'Deals that you hold with loans of the group.' }),
        left_out: Type.Optional(
          Type.Array(named('UngroupedDeal', { deal_id: id('deal'), reason: oneOf(LEFT_OUT_REASONS) }), {
            description: 'Deals without groups, and why; only with the name (not disclosed).',
          }),
        ),
      }),
    ),
    handler: async ({ deps, caller, query, read }) =>
      readExposures(deps, await read((tx) => listHeldDeals(tx, caller.organization_id)), query.by),
  }),
];
