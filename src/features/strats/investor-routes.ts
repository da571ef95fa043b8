import Type from 'typebox';
import { ENGINE_VERSION } from '../../finance/structure/key.ts';
import { riskProfile } from '../../loans/analytics/risk.ts';
import { LEAST_SHOWN } from '../../loans/analytics/small-groups.ts';
import { strats } from '../../loans/analytics/strats.ts';
import { vintages } from '../../loans/analytics/vintage.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { oneOf, pathId } from '../../platform/http/schemas.ts';
import { refuseStrats } from './refuse-strats.ts';
import { findListedLoans, type Subject } from './subject.ts';
import { InvestorRiskSchema, InvestorStratsSchema, InvestorVintagesSchema } from './wire.ts';

const tag = 'Investor deals';
const base = '/v1/api/investor/deals/:dealId/analytics';
const dealId = pathId('dealId', 'deal');
const small = `Groups of fewer than ${LEAST_SHOWN} loans are joined with others, so that no single loan shows.`;

export const investorAnalyticsRoutes: Route[] = [
  route({
    method: 'GET',
    path: `${base}/strats`,
    access: 'investor',
    tag,
    summary: 'Stratify the loans of a deal by a field',
    description: `In the usual bands: bands and a second field of your own would single out loans (422). ${small}`,
    params: dealId,
    query: Type.Object({
      by: Type.String({ minLength: 1, maxLength: 64, description: 'A field of the dictionary.' }),
      bands: Type.Optional(
        Type.String({ minLength: 1, maxLength: 1_000, description: 'Not where loans are disclosed as aggregates.' }),
      ),
      then_by: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Not where loans are disclosed as aggregates.' }),
      ),
    }),
    reply: InvestorStratsSchema,
    errors: ['NOT_FOUND', 'UNKNOWN_FIELD', 'UNPROCESSABLE'],
    handler: async ({ deps, caller, params, query, read }) => {
      const { subject, loansPath } = await findListedLoans(deps, read, caller.organization_id, params.dealId);
      refuseOwnGroups(query);
      const { by } = query;
      // The loan deals of a pool are its owner's matter.
      if (by === 'deal_id')
        refuseStrats({ code: 'UNKNOWN_FIELD', parameter: 'by', message: '"deal_id" is not a field of loans' });
      const { loanType, asOf } = subject;
      const found = await strats({ engine: deps.columns, loansPath, loanType, asOf, by, least: LEAST_SHOWN });
      if (!found.ok) refuseStrats(found.fault);
      const { bands, total, groups } = found.strats;
      return { by, bands, total, groups, ...lineageOf(subject) };
    },
  }),
  route({
    method: 'GET',
    path: `${base}/vintage`,
    access: 'investor',
    tag,
    summary: 'Follow the loans of a deal by the time of their origination',
    description: small,
    params: dealId,
    query: Type.Object({ by: Type.Optional(oneOf(['month', 'quarter'], 'Default quarter.')) }),
    reply: InvestorVintagesSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ deps, caller, params, query, read }) => {
      const { subject, loansPath } = await findListedLoans(deps, read, caller.organization_id, params.dealId);
      const unit = query.by ?? 'quarter';
      const found = await vintages(deps.columns, loansPath, subject.loanType, subject.asOf, unit, LEAST_SHOWN);
      return { unit, vintages: found, ...lineageOf(subject) };
    },
  }),
  route({
    method: 'GET',
    path: `${base}/risk`,
    access: 'investor',
    tag,
    summary: 'Read averages, concentrations and delinquency of a deal',
    description: `Concentrations by obligor have no names. ${small}`,
    params: dealId,
    reply: InvestorRiskSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ deps, caller, params, read }) => {
      const { subject, loansPath } = await findListedLoans(deps, read, caller.organization_id, params.dealId);
      const profile = await riskProfile(deps.columns, loansPath, subject.loanType, subject.asOf, LEAST_SHOWN);
      return { ...profile, ...lineageOf(subject) };
    },
  }),
];

const lineageOf = ({ asOf }: Subject) => ({ as_of: asOf, engine_version: ENGINE_VERSION });

function refuseOwnGroups(query: { bands?: string; then_by?: string }): void {
  const asked = (['bands', 'then_by'] as const).filter((name) => query[name] !== undefined);
  if (asked.length === 0) return;
  const message = 'the loans of this deal are disclosed as aggregates, in the usual groups of one field';
  throw new ApiError('UNPROCESSABLE', `The query cannot be answered: ${asked[0]}: ${message}.`, {
    errors: asked.map((field) => ({ field, code: 'AGGREGATES_ONLY', message })),
  });
}
