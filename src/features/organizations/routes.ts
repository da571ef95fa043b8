import Type from 'typebox';
import { ENVIRONMENTS } from '../../config.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { ROLES, type Route, route } from '../../platform/http/route.ts';
import { amount, date, id, nullable, oneOf, pageQuery, pathId, Reason, timestamp } from '../../platform/http/schemas.ts';
import { ORGANIZATION_STATUSES, type Profile } from '../keys/queries.ts';
import { resumeOrganization, setProfile, suspendOrganization } from './change-organization.ts';
import { listOrganizations } from './queries.ts';

const tag = 'Keys and organizations';

const ProfileSchema = named('ComplianceProfile', {
  kyc_status: oneOf(['VERIFIED', 'PENDING', 'REJECTED'], 'Know-your-customer review of the organization.'),
  kyc_expires_on: nullable(date('Last day on which the review is valid; null when it does not expire.')),
  sanctions_status: oneOf(['CLEAR', 'REVIEW', 'HIT'], 'Outcome of the sanctions screening.'),
  qib: Type.Boolean({ description: 'Qualified institutional buyer (Rule 144A).' }),
  accredited: Type.Boolean({ description: 'Accredited investor (Rule 506(c)).' }),
  us_person: Type.Boolean({ description: 'U.S. person (Regulation S).' }),
  tax_form: nullable(oneOf(['W9_FORM', 'W8_FORM'], 'Tax form on file.')),
  erisa_plan: Type.Boolean({ description: 'Benefit plan investor under ERISA.' }),
  concentration_limit: Type.Optional(nullable(amount('Largest amount that the investor may hold or commit to in one deal.'))),
});

const OrganizationSchema = named('Organization', {
  organization_id: id('org'),
  name: Type.String(),
  roles: Type.Array(oneOf(ROLES)),
  environments: Type.Array(oneOf(ENVIRONMENTS)),
  status: namedOneOf('OrganizationStatus', ORGANIZATION_STATUSES),
  profile: nullable(ProfileSchema),
  created_at: timestamp(),
});

export const organizationRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/operator/organizations',
    access: 'operator',
    tag,
    summary: 'List organizations',
    query: pageQuery({
      organization_id: Type.Optional(id('org')),
      status: Type.Optional(oneOf(ORGANIZATION_STATUSES)),
      deal_id: Type.Optional(id('deal', 'Organizations with a part in the deal: its owner and every stakeholder.')),
    }),
    reply: OrganizationSchema,
    replyKind: 'page',
    handler: ({ read, query }) => read((tx) => listOrganizations(tx, query)),
  }),
  route({
    method: 'PUT',
    path: '/v1/operator/organizations/:organizationId/profile',
    access: 'operator',
    tag,
    summary: 'Set the compliance profile of an organization',
    params: pathId('organizationId', 'org'),
    body: ProfileSchema,
    reply: OrganizationSchema,
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION'],
    handler: ({ write, params, body, caller }) => write((tx) => setProfile(tx, caller, { ...params, profile: profileOf(body) })),
  }),
  statusRoute('suspend', 'Suspend an organization', 'Its keys get 401 on every node within 2 seconds.', suspendOrganization),
  statusRoute('resume', 'Resume a suspended organization', 'Its keys work again.', resumeOrganization),
];

function statusRoute(act: 'suspend' | 'resume', summary: string, description: string, change: typeof suspendOrganization): Route {
  return route({
    method: 'POST',
    path: `/v1/operator/organizations/:organizationId/${act}`,
    access: 'operator',
    tag,
    summary,
    description,
    params: pathId('organizationId', 'org'),
    body: Reason,
    bodyOptional: true,
    reply: OrganizationSchema,
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION'],
    handler: ({ write, params, body, caller }) => write((tx) => change(tx, caller, { ...params, reason: body?.reason ?? null })),
  });
}

/** The profile without fields that the schema does not know. */
function profileOf(body: Profile): Profile {
  const { kyc_status, kyc_expires_on, sanctions_status, qib, accredited, us_person, tax_form, erisa_plan } = body;
  const limit = 'concentration_limit' in body ? { concentration_limit: body.concentration_limit } : {};
  return { kyc_status, kyc_expires_on, sanctions_status, qib, accredited, us_person, tax_form, erisa_plan, ...limit };
}
