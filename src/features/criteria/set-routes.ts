import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import type { CriteriaSet } from '../../loans/criteria/language.ts';
import { CriteriaSetSchema } from '../../loans/criteria/language.ts';
import type { Template } from '../../loans/criteria/templates/template.ts';
import { TEMPLATES } from '../../loans/criteria/templates.ts';
import { mapPage } from '../../platform/pages.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { LOAN_TYPES } from '../../loans/types.ts';
import { CreatedBetween, id, oneOf, pageQuery, pathId, timestamp } from '../../platform/http/schemas.ts';
import { type CriteriaVersion, findCriteria, listCriteria, CRITERIA_RECORD } from './queries.ts';
import { addVersion, createCriteria } from './save-criteria.ts';
import { LoanTypeSchema } from '../deals/fields.ts';

const tag = 'Selection criteria';

const Criteria = named('CriteriaSet', {
  criteria_id: id('crt'),
  version: Type.Integer(),
  name: Type.String(),
  loan_type: LoanTypeSchema,
  missing_policy: namedOneOf('MissingPolicy', ['fail', 'pass']),
  weight_field: Type.String(),
  as_of: Type.Optional(Type.String()),
  value_sets: Type.Unknown(),
  custom_fields: Type.Unknown(),
  loan_rules: Type.Array(Type.Unknown()),
  pool_tests: Type.Array(Type.Unknown()),
  created_at: timestamp(),
});

/** The rules of a template are of the rule language, as in the body of a criteria set. */
const TemplateSchema = Type.Unsafe<Template>({
  ...named('CriteriaTemplate', {
    id: Type.String(),
    loan_type: Type.String({ description: 'A loan type, or `Any`.' }),
    text: Type.String({ description: 'The criterion in words.' }),
    source: Type.String({ description: 'Where it is published.' }),
  }),
  additionalProperties: true,
});

export const criteriaSetRoutes: Route[] = [
  route({
    operation: 'listCriteriaTemplates',
    method: 'GET',
    path: '/v1/api/originator/sc/templates',
    access: 'originator',
    tag,
    summary: 'List the criteria of real deals as templates, with their sources',
    query: Type.Object({ type: Type.Optional(LoanTypeSchema) }),
    reply: Type.Array(TemplateSchema),
    handler: async ({ query }) =>
      TEMPLATES.filter((template) => !query.type || template.loan_type === query.type || template.loan_type === 'Any'),
  }),
  route({
    operation: 'createCriteriaSet',
    method: 'POST',
    path: '/v1/api/originator/sc/criteria',
    access: 'originator',
    tag,
    summary: 'Create a criteria set',
    body: CriteriaSetSchema,
    reply: Criteria,
    status: 201,
    errors: ['UNKNOWN_FIELD', 'INVALID_RULE', 'PROHIBITED_FIELD', 'RULE_TOO_LARGE'],
    example: {
      body: {
        name: 'Prime auto',
        loan_type: 'Auto',
        loan_rules: [{ id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 620 } }],
        pool_tests: [{ id: 'STATE', type: 'concentration', group_by: ['state'], op: 'lte', value: 0.35 }],
      },
    },
    handler: ({ write, caller, body }) => write(async (tx) => asCriteria(await createCriteria(tx, caller, body as CriteriaSet))),
  }),
  route({
    operation: 'listCriteriaSets',
    method: 'GET',
    path: '/v1/api/originator/sc/criteria',
    access: 'originator',
    tag,
    summary: 'List criteria sets in their latest versions',
    query: pageQuery({ type: Type.Optional(oneOf(LOAN_TYPES)), ...CreatedBetween }),
    reply: Criteria,
    replyKind: 'page',
    handler: async ({ read, caller, query }) => {
      return mapPage(await read((tx) => listCriteria(tx, caller.organization_id, query)), asCriteria);
    },
  }),
  route({
    operation: 'getCriteriaSet',
    method: 'GET',
    path: '/v1/api/originator/sc/criteria/:criteriaId',
    record: recordOfPath('criteriaId', CRITERIA_RECORD),
    access: 'originator',
    tag,
    summary: 'Read a criteria set in its latest version or in the one that `version` names',
    params: pathId('criteriaId', 'crt'),
    query: Type.Object({ version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })) }),
    reply: Criteria,
    errors: ['NOT_FOUND'],
    handler: async ({ read, caller, params, query }) => {
      const found = await read((tx) => findCriteria(tx, caller.organization_id, params.criteriaId, query.version ?? null));
      return asCriteria(orNotFound(found, 'criteria set'));
    },
  }),
  route({
    operation: 'createCriteriaSetVersion',
    method: 'POST',
    path: '/v1/api/originator/sc/criteria/:criteriaId/versions',
    access: 'originator',
    tag,
    summary: 'Add a version of a criteria set; earlier versions never change',
    params: pathId('criteriaId', 'crt'),
    body: CriteriaSetSchema,
    reply: Criteria,
    status: 201,
    errors: ['NOT_FOUND', 'LOAN_TYPE_MISMATCH', 'UNKNOWN_FIELD', 'INVALID_RULE', 'PROHIBITED_FIELD', 'RULE_TOO_LARGE'],
    handler: ({ write, caller, params, body }) =>
      write(async (tx) => asCriteria(await addVersion(tx, caller, { ...params, set: body as CriteriaSet }))),
  }),
];

function asCriteria(row: CriteriaVersion) {
  const set = row.definition;
  return {
    criteria_id: row.criteria_id,
    version: row.version,
    name: set.name ?? row.name,
    loan_type: set.loan_type,
    missing_policy: set.missing_policy ?? ('fail' as const),
    weight_field: set.weight_field ?? 'current_balance',
    ...(set.as_of ? { as_of: set.as_of } : {}),
    value_sets: set.value_sets ?? {},
    custom_fields: set.custom_fields ?? {},
    loan_rules: set.loan_rules,
    pool_tests: set.pool_tests ?? [],
    created_at: row.created_at.toISOString(),
  };
}
