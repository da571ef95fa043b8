import Type from 'typebox';
import { ENGINE_VERSION } from '../../finance/structure/key.ts';
import { riskProfile } from '../../loans/analytics/risk.ts';
import { LEAST_SHOWN } from '../../loans/analytics/small-groups.ts';
import { strats } from '../../loans/analytics/strats.ts';
import { withoutNames } from '../../loans/analytics/unnamed-groups.ts';
import { vintages } from '../../loans/analytics/vintage.ts';
import { OBLIGOR_FIELD } from '../../loans/dictionary/disclosure.ts';
import { tokenOf } from '../../loans/export/disclosed-loans.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { oneOf, pathId } from '../../platform/http/schemas.ts';
import { disclosureKey } from '../pools/disclosure-key.ts';
import { refuseStrats } from './refuse-strats.ts';
import { findListedLoans, type Subject } from './subject.ts';
import { InvestorRiskSchema, InvestorStratsSchema, InvestorVintagesSchema } from './wire.ts';

const tag = 'Investor deals';
const base = '/v1/api/investor/deals/:dealId/analytics';
const dealId = pathId('dealId', 'deal');
const small = `Groups of fewer than ${LEAST_SHOWN} loans are joined with others, so that no single loan shows.`;

export const investorAnalyticsRoutes: Route[] = [
  route({
    operation: 'getMarketDealStrats',
    method: 'GET',
    path: `${base}/strats`,
    access: 'investor',
    tag,
    summary: 'Stratify the loans of a deal by a field',
    description: `In the usual bands. Bands and a second field of your own are taken where the owner discloses these fields, and current_balance, loan by loan; the averages are then those of disclosed fields. They would single out loans elsewhere (422). ${small} Groups of a field that names loans or who owes them have their rank for a name; obligors the token that is disclosed of them, if it is.`,
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
    errors: ['NOT_FOUND', 'UNKNOWN_FIELD', 'FIELD_NOT_DISCLOSED', 'UNPROCESSABLE'],
    handler: async ({ deps, caller, params, query, read }) => {
      const { subject, loansPath, disclosed, ownerId } = await findListedLoans(deps, read, caller.organization_id, params.dealId);
      const fields = fieldsOfOwnGroups(query, disclosed);
      const { by, bands: edges, then_by: thenBy } = query;
      // The loan deals of a pool are its owner's matter.
      if (by === 'deal_id')
        refuseStrats({ code: 'UNKNOWN_FIELD', parameter: 'by', message: '"deal_id" is not a field of loans' });
      const { loanType, asOf } = subject;
      const found = await strats({
        engine: deps.columns,
        loansPath,
        loanType,
        asOf,
        by,
        bands: edges,
        thenBy,
        fields,
        least: LEAST_SHOWN,
      });
      if (!found.ok) refuseStrats(found.fault);
      const groups = withoutNames(found.strats.groups, {
        loanType,
        fields: thenBy === undefined ? [by] : [by, thenBy],
        tokenOf: disclosed?.includes(OBLIGOR_FIELD) ? (value) => tokenOf(value, disclosureKey(deps, ownerId)) : null,
      });
      return { by, then_by: thenBy ?? null, ...found.strats, groups, ...lineageOf(subject) };
    },
  }),
  route({
    operation: 'getMarketDealVintage',
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
    operation: 'getMarketDealRisk',
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

/**
 * The fields whose averages are shown in groups of the reader's own; undefined, all of them, in the usual groups. The difference of two groups of one's own
 * may be a single loan: all that is shown of them has to be disclosed loan by loan.
 */
function fieldsOfOwnGroups(
  query: { by: string; bands?: string; then_by?: string },
  disclosed: readonly string[] | null,
): readonly string[] | undefined {
  const asked = (['bands', 'then_by'] as const).filter((name) => query[name] !== undefined);
  if (asked.length === 0) return undefined;
  if (disclosed) {
    const { by, then_by } = query;
    const second = then_by === undefined ? [] : [['then_by', then_by] as const];
    const named = [['by', by] as const, ...second, [asked[0] ?? 'bands', 'current_balance'] as const];
    refuseUndisclosed(named, disclosed);
    return disclosed;
  }
  const message = 'the loans of this deal are disclosed as aggregates, in the usual groups of one field';
  throw new ApiError('UNPROCESSABLE', `The query cannot be answered: ${asked[0]}: ${message}.`, {
    errors: asked.map((field) => ({ field, code: 'AGGREGATES_ONLY', message })),
  });
}

/** 422 for each field, with the parameter that asks for it, that is not disclosed loan by loan. */
function refuseUndisclosed(named: readonly (readonly [parameter: string, field: string])[], disclosed: readonly string[]): void {
  const errors = named
    .filter(([, field]) => !disclosed.includes(field))
    .map(([parameter, field]) => ({
      field: parameter,
      code: 'FIELD_NOT_DISCLOSED',
      message: `groups of your own need "${field}", which is not disclosed; the disclosed fields are ${disclosed.join(', ')}`,
      name: field,
    }));
  const [first] = errors;
  if (first)
    throw new ApiError('FIELD_NOT_DISCLOSED', `The query cannot be answered: ${first.field}: ${first.message}.`, { errors });
}
