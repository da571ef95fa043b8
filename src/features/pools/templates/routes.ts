import Type, { type Static } from 'typebox';
import { MAX_AMOUNT } from '../../../finance/structure/amount.ts';
import { notFound } from '../../../platform/http/errors.ts';
import { named } from '../../../platform/http/named.ts';
import { type Route, route } from '../../../platform/http/route.ts';
import { date } from '../../../platform/http/schemas.ts';
import { LoanTypeSchema } from '../../deals/fields.ts';
import type { StructureTemplate } from './template.ts';
import { DEFAULT_BALANCE, findTemplate, LEAST_BALANCE, scaleTemplate, TEMPLATES } from './templates.ts';

const tag = 'Pools';
const path = '/v1/api/originator/structure-templates';

const fields = {
  template: Type.String({ description: 'Identifier.' }),
  name: Type.String(),
  loan_type: LoanTypeSchema,
  description: Type.String({ description: 'What is special in it.' }),
  follows: Type.Array(
    named('FollowedDeal', {
      deal: Type.String({ description: 'A public deal.' }),
      source: Type.String({ description: 'Where its terms can be read.' }),
      scope: Type.String({ description: 'Which of its terms the template has.' }),
    }),
    {
      description: 'Empty where the template follows no deal by name. The `clause` of a step is one of the first of these deals.',
    },
  ),
  must_set: Type.Array(
    named('TemplateGap', {
      path: Type.String({ description: 'Path in the structure.' }),
      message: Type.String({ description: 'What the deal at hand decides there.' }),
    }),
    { description: 'Values that are examples in the template.' },
  ),
};
const TemplateSchema = named('StructureTemplate', fields);

/** A template as the list tells it, without its structure. */
function wireTemplate({
  template,
  name,
  loan_type,
  description,
  follows,
  must_set,
}: StructureTemplate): Static<typeof TemplateSchema> {
  return { template, name, loan_type, description, follows: [...follows], must_set: [...must_set] };
}

export const templateRoutes: Route[] = [
  route({
    operation: 'listStructureTemplates',
    method: 'GET',
    path,
    access: 'originator',
    tag,
    summary: 'List templates of structures',
    reply: named('StructureTemplates', { templates: Type.Array(TemplateSchema) }),
    handler: async () => ({ templates: TEMPLATES.map(wireTemplate) }),
  }),
  route({
    operation: 'getStructureTemplate',
    method: 'GET',
    path: `${path}/:templateId`,
    access: 'originator',
    tag,
    summary: 'Read a template with its structure over a pool of a size',
    description:
      'The structure is valid over a pool of that balance. Change what `must_set` names, then send it with PUT …/pools/{poolId}/structure.',
    params: Type.Object({ templateId: Type.String({ minLength: 1, maxLength: 64, description: 'Identifier of the template.' }) }),
    query: Type.Object({
      balance: Type.Optional(
        Type.Number({
          minimum: LEAST_BALANCE,
          maximum: MAX_AMOUNT,
          format: 'money',
          description: `Balance of the pool; classes are whole thousands of it. Default ${DEFAULT_BALANCE}.`,
        }),
      ),
      first_payment_date: Type.Optional(
        date('First payment date; later ones are on its day of the month. Default: that of the pool.'),
      ),
    }),
    reply: named('StructureTemplateDetail', {
      ...fields,
      structure: Type.Unknown({ description: 'A structure, as a pool takes it.' }),
    }),
    errors: ['NOT_FOUND'],
    handler: async ({ params, query }) => {
      const template = findTemplate(params.templateId);
      if (!template) throw notFound('template');
      const { balance = DEFAULT_BALANCE, first_payment_date } = query;
      return { ...wireTemplate(template), structure: scaleTemplate(template, balance, first_payment_date) };
    },
  }),
];
