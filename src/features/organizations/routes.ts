import { operatorRecord } from '../../platform/http/list-route.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { ENVIRONMENTS } from '../../config.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { ROLES } from '../../platform/http/caller.ts';
import { CreatedBetween, id, nullable, oneOf, pageQuery, pathId, Reason, timestamp } from '../../platform/http/schemas.ts';
import { ProfileSchema } from '../compliance/fields.ts';
import { ORGANIZATION_STATUSES, type Profile, ORGANIZATION_RECORD, findOrganization } from '../keys/queries.ts';
import { resumeOrganization, setProfile, suspendOrganization } from './change-organization.ts';
import { listOrganizations } from './queries.ts';

const tag = 'Keys and organizations';

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
    operation: 'listOrganizations',
    method: 'GET',
    path: '/v1/operator/organizations',
    access: 'operator',
    tag,
    summary: 'List organizations',
    query: pageQuery({
      organization_id: Type.Optional(id('org')),
      status: Type.Optional(oneOf(ORGANIZATION_STATUSES)),
      deal_id: Type.Optional(id('deal', 'Organizations with a part in the deal: its owner and every stakeholder.')),
      ...CreatedBetween,
    }),
    reply: OrganizationSchema,
    replyKind: 'page',
    handler: ({ read, query }) => read((tx) => listOrganizations(tx, query)),
  }),
  operatorRecord({
    operation: 'getOrganization',
    path: '/v1/operator/organizations/:organizationId',
    summary: 'Read an organization',
    params: pathId('organizationId', 'org'),
    reply: OrganizationSchema,
    record: recordOfPath('organizationId', ORGANIZATION_RECORD),
    what: 'organization',
    tag,
    find: (tx, { organizationId }) => findOrganization(tx, organizationId),
  }),
  route({
    operation: 'setOrganizationProfile',
    right: 'APPROVE',
    approval: 'PROFILE_SET',
    method: 'PUT',
    path: '/v1/operator/organizations/:organizationId/profile',
    record: recordOfPath('organizationId', ORGANIZATION_RECORD),
    access: 'operator',
    tag,
    summary: 'Set the compliance profile of an organization',
    description: 'Replaces the whole profile. Documents that the organization has filed until then are REVIEWED.',
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
    operation: `${act}Organization`,
    right: 'ADMIN',
    method: 'POST',
    path: `/v1/operator/organizations/:organizationId/${act}`,
    record: recordOfPath('organizationId', ORGANIZATION_RECORD),
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
