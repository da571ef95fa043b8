import Type from 'typebox';
import { riskProfile } from '../../loans/analytics/risk.ts';
import { strats } from '../../loans/analytics/strats.ts';
import { rollRates, vintages } from '../../loans/analytics/vintage.ts';
import { invalidField } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, oneOf } from '../../platform/http/schemas.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { type Kind, lineageOf, findLoans, versionsOf } from './subject.ts';
import { refuseStrats } from './refuse-strats.ts';
import { RiskSchema, StratsSchema, VintagesSchema } from './wire.ts';

const tag = 'Analytics';
const SUBJECT = { deals: 'LoanDeal', pools: 'Pool' } as const;
export const loanAnalyticsRoutes: Route[] = (['deals', 'pools'] as const).flatMap((kind) => [
  route({
    operation: `get${SUBJECT[kind]}Strats`,
    method: 'GET',
    path: `${pathOf(kind)}/strats`,
    access: 'originator',
    tag,
    summary: `Stratify the loans of a ${nameOf(kind)} by one field or two`,
    description:
      'Numbers fall into the bands that `bands` gives (`0,580,620`; lower edges belong to a band), else into usual ones; dates by `month`, `quarter` or `year`.',
    params: paramsOf(kind),
    query: Type.Object({
      by: Type.String({ minLength: 1, maxLength: 64, description: 'A field of the dictionary, or deal_id.' }),
      bands: Type.Optional(
        Type.String({ minLength: 1, maxLength: 1_000, description: 'Ascending edges, or month, quarter, year.' }),
      ),
      then_by: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'A second field, inside each group.' })),
      then_bands: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description: 'Bands of the second field.' })),
    }),
    reply: StratsSchema,
    errors: ['NOT_FOUND', 'CONFLICT', 'UNKNOWN_FIELD', 'UNPROCESSABLE'],
    handler: async ({ deps, caller, params, query, read }) => {
      const { subject, loansPath } = await findLoans(deps, read, caller.organization_id, kind, idOf(params));
      if (query.by === 'deal_id' || query.then_by === 'deal_id') mustBePool(kind);
      const found = await strats({
        engine: deps.columns,
        loansPath,
        loanType: subject.loanType,
        asOf: subject.asOf,
        by: query.by,
        bands: query.bands,
        thenBy: query.then_by,
        thenBands: query.then_bands,
      });
      if (!found.ok) refuseStrats(found.fault);
      return { by: query.by, then_by: query.then_by ?? null, ...found.strats, ...lineageOf(subject) };
    },
  }),
  route({
    operation: `get${SUBJECT[kind]}Vintage`,
    method: 'GET',
    path: `${pathOf(kind)}/vintage`,
    access: 'originator',
    tag,
    summary: `Follow the loans of a ${nameOf(kind)} by the time of their origination`,
    params: paramsOf(kind),
    query: Type.Object({ by: Type.Optional(oneOf(['month', 'quarter'], 'Default quarter.')) }),
    reply: VintagesSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ deps, caller, params, query, read }) => {
      const { subject, loansPath } = await findLoans(deps, read, caller.organization_id, kind, idOf(params));
      const unit = query.by ?? 'quarter';
      const versions = await read((tx) => versionsOf(tx, caller.organization_id, subject.deals));
      const roll_rates = await Promise.all(
        versions.map(async ({ older, newer, ...between }) => {
          const [olderPath, newerPath] = await Promise.all([localFile(deps, older), localFile(deps, newer)]);
          const matchContent = between.compared_by === 'CONTENT';
          const tapes = { loanType: subject.loanType, olderPath, newerPath, matchContent };
          return { ...between, rolls: await rollRates(deps.columns, tapes) };
        }),
      );
      const found = await vintages(deps.columns, loansPath, subject.loanType, subject.asOf, unit);
      return { unit, vintages: found, roll_rates, ...lineageOf(subject) };
    },
  }),
  route({
    operation: `get${SUBJECT[kind]}Risk`,
    method: 'GET',
    path: `${pathOf(kind)}/risk`,
    access: 'originator',
    tag,
    summary: `Read averages, concentrations and delinquency of a ${nameOf(kind)}`,
    params: paramsOf(kind),
    reply: RiskSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ deps, caller, params, read }) => {
      const { subject, loansPath } = await findLoans(deps, read, caller.organization_id, kind, idOf(params));
      return { ...(await riskProfile(deps.columns, loansPath, subject.loanType, subject.asOf)), ...lineageOf(subject) };
    },
  }),
]);

function pathOf(kind: Kind): string {
  return kind === 'deals' ? '/v1/api/originator/analytics/deals/:dealId' : '/v1/api/originator/analytics/pools/:poolId';
}

function nameOf(kind: Kind): string {
  return kind === 'deals' ? 'loan deal' : 'pool';
}

function paramsOf(kind: Kind) {
  return Type.Object(kind === 'deals' ? { dealId: id('deal') } : { poolId: id('pool') });
}

/** The one id of the path. */
const idOf = (params: object): string => Object.values(params as Record<string, string>)[0] ?? '';

function mustBePool(kind: Kind): void {
  if (kind === 'deals') throw invalidField('by', 'INVALID', 'the loans of one deal have one deal_id');
}
