import Type, { type Static } from 'typebox';
import { disclosableFields } from '../../loans/dictionary/disclosure.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, pathId } from '../../platform/http/schemas.ts';
import { DISCLOSURE_LEVELS, findPool, type Pool, POOL_RECORD } from './queries.ts';
import { setDisclosure } from './set-disclosure.ts';

const tag = 'Pools';
const path = '/v1/api/originator/pools/:poolId/disclosure';
const poolId = pathId('poolId', 'pool');
const LevelSchema = namedOneOf(
  'DisclosureLevel',
  DISCLOSURE_LEVELS,
  'AGGREGATE: groups of loans; LOAN_LEVEL: each loan too, in the disclosed fields.',
);

const DisclosureSchema = named('Disclosure', {
  pool_id: id('pool'),
  level: LevelSchema,
  fields: Type.Array(Type.String(), { description: 'Fields of each loan that investors see at LOAN_LEVEL.' }),
  version: Type.Integer({ description: 'Incremented with every change; 0 before the first.' }),
  may_disclose: Type.Array(Type.String(), {
    description: 'The fields of the loan type that can be named. What names a loan, its collateral or a person is none of them.',
  }),
});

export const disclosureRoutes: Route[] = [
  route({
    operation: 'getPoolDisclosure',
    method: 'GET',
    path,
    record: recordOfPath('poolId', POOL_RECORD),
    access: 'originator',
    tag,
    summary: 'Read what investors see of the loans of a pool',
    params: poolId,
    reply: DisclosureSchema,
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params }) =>
      read(async (tx) => wireDisclosure(orNotFound(await findPool(tx, caller.organization_id, params.poolId), 'pool'))),
  }),
  route({
    operation: 'setPoolDisclosure',
    right: 'APPROVE',
    method: 'PUT',
    path,
    record: recordOfPath('poolId', POOL_RECORD),
    access: 'originator',
    audit: { action: 'pool.disclosure_set', entity_type: 'pool', id: 'pool_id', after: ['level', 'fields', 'version'] },
    tag,
    summary: 'Set what investors see of the loans of a pool',
    description:
      'It counts at once for whoever may see the deal; what was downloaded before stays with who downloaded it. Fields may be kept at AGGREGATE, where they count for nothing. ' +
      '`obligor_id` is disclosed as a token that stands for one obligor in all your deals.',
    params: poolId,
    body: named('SetDisclosure', {
      level: LevelSchema,
      fields: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
          maxItems: 200,
          uniqueItems: true,
          description: 'Fields of the dictionary of the loan type; none by default.',
        }),
      ),
    }),
    reply: DisclosureSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'UNKNOWN_FIELD', 'SEALED_FIELD', 'UNPROCESSABLE'],
    example: { body: { level: 'LOAN_LEVEL', fields: ['state', 'credit_score', 'current_balance', 'interest_rate'] } },
    handler: ({ caller, params, body, write }) =>
      write(async (tx) =>
        wireDisclosure(await setDisclosure(tx, caller, { poolId: params.poolId, level: body.level, fields: body.fields ?? [] })),
      ),
  }),
];

function wireDisclosure(pool: Pool): Static<typeof DisclosureSchema> {
  return {
    pool_id: pool.pool_id,
    level: pool.disclosure_level,
    fields: pool.disclosed_fields,
    version: pool.disclosure_version,
    may_disclose: disclosableFields(pool.loan_type),
  };
}
