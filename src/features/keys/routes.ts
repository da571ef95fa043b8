import Type from 'typebox';
import { ENVIRONMENTS } from '../../config.ts';
import { audit, verifyAudit } from '../../platform/audit.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { amount, date, id, nullable, oneOf, pageQuery, pathId, text, timestamp } from '../../platform/http/schemas.ts';
import { defaultProfile, issueKey, revokeKey, rotateKey } from './issue-key.ts';
import {
  findOrganization,
  listAudit,
  listKeys,
  listOrganizations,
  lockOrganization,
  updateOrganizationStatus,
  updateProfile,
} from './queries.ts';

const ROLES = ['originator', 'investor', 'both', 'operator'] as const;

export const ProfileSchema = Type.Object({
  kyc_status: oneOf(['VERIFIED', 'PENDING', 'REJECTED'], 'Know-your-customer review of the organization.'),
  kyc_expires_on: nullable(date('Last day on which the review holds; null when it has none.')),
  sanctions_status: oneOf(['CLEAR', 'REVIEW', 'HIT'], 'Outcome of the sanctions screening.'),
  qib: Type.Boolean({ description: 'Qualified institutional buyer (Rule 144A).' }),
  accredited: Type.Boolean({ description: 'Accredited investor (Rule 506(c)).' }),
  us_person: Type.Boolean({ description: 'U.S. person (Regulation S).' }),
  tax_form: nullable(oneOf(['W9_FORM', 'W8_FORM'], 'Tax form on file.')),
  erisa_plan: Type.Boolean({ description: 'Benefit plan investor under ERISA.' }),
  concentration_limit: Type.Optional(nullable(amount('Most that the investor may hold or be committed to in one deal.'))),
});

export const OrganizationSchema = Type.Object({
  organization_id: id('org'),
  name: Type.String(),
  roles: Type.Array(oneOf(ROLES)),
  environments: Type.Array(oneOf(ENVIRONMENTS)),
  status: oneOf(['ACTIVE', 'SUSPENDED']),
  profile: nullable(ProfileSchema),
  created_at: timestamp(),
});

const KeySchema = Type.Object({
  key_id: id('key'),
  organization_id: id('org'),
  organization: Type.String(),
  role: oneOf(ROLES),
  environment: oneOf(ENVIRONMENTS),
  requester: Type.String(),
  use_case: Type.String(),
  status: oneOf(['ACTIVE', 'EXPIRED', 'REVOKED']),
  created_at: timestamp(),
  expires_at: timestamp(),
  revoked_at: nullable(timestamp()),
  rotated_from: nullable(Type.String()),
});

const IssuedSchema = Type.Object({
  key_id: id('key'),
  organization_id: id('org'),
  token: Type.Optional(Type.String({ description: 'The API key. It is in this answer and never again.' })),
  secret_omitted: Type.Optional(Type.Boolean()),
  expires_at: timestamp(),
});

const AuditSchema = Type.Object({
  id: id('aud'),
  sequence: Type.Integer(),
  organization_id: id('org'),
  actor: Type.String(),
  action: Type.String(),
  entity_type: Type.String(),
  entity_id: Type.String(),
  before: Type.Unknown(),
  after: Type.Unknown(),
  reason: nullable(Type.String()),
  at: timestamp(),
  previous_hash: Type.String(),
  hash: Type.String(),
});

const Reason = Type.Object({ reason: Type.Optional(text(1_000, 'Why; kept in the audit log.')) });
const tag = 'Keys and organizations';

export const keyRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/api/me',
    access: 'key',
    tag,
    summary: 'Show what the key is and what is left of its rate limit',
    reply: Type.Object({
      key_id: id('key'),
      organization_id: id('org'),
      organization: Type.String(),
      role: oneOf(ROLES),
      environment: oneOf(ENVIRONMENTS),
      expires_at: timestamp(),
      rate_limit: Type.Object({ limit: Type.Integer(), remaining: Type.Integer(), reset: Type.Integer() }),
    }),
    handler: async ({ caller, rate }) => ({
      key_id: caller.key_id,
      organization_id: caller.organization_id,
      organization: caller.organization,
      role: caller.role,
      environment: caller.environment as (typeof ENVIRONMENTS)[number],
      expires_at: caller.expires_at.toISOString(),
      rate_limit: { limit: rate.limit, remaining: rate.remaining, reset: rate.reset },
    }),
  }),
  route({
    method: 'GET',
    path: '/v1/operator/keys',
    access: 'operator',
    tag,
    summary: 'List keys',
    query: pageQuery({
      organization_id: Type.Optional(id('org')),
      status: Type.Optional(oneOf(['ACTIVE', 'EXPIRED', 'REVOKED'])),
    }),
    reply: KeySchema,
    replyKind: 'page',
    handler: ({ read, query }) => read((tx) => listKeys(tx, query), { platform: true }) as never,
  }),
  route({
    method: 'POST',
    path: '/v1/operator/keys',
    access: 'operator',
    tag,
    summary: 'Issue a key',
    description: 'The organization comes into being with its first key. The request (who, for what) is kept; the token is not.',
    body: Type.Object({
      organization: text(200, 'Name of the organization.'),
      role: oneOf(ROLES),
      environment: oneOf(ENVIRONMENTS),
      requester: text(200, 'Who asked for the key.'),
      use_case: text(1_000, 'What it is for.'),
      expires_in_days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 365, description: 'Life of the key; 90 days by default.' }),
      ),
      expires_in: Type.Optional(
        Type.String({ pattern: '^[0-9]{1,6}[smhd]$', description: 'The same as a duration, such as 90d or 12h.' }),
      ),
      profile: Type.Optional(
        oneOf(['verified', 'none'], 'Compliance profile of a new organization: verified by default outside Production.'),
      ),
    }),
    reply: IssuedSchema,
    status: 201,
    handler: ({ write, deps, body, caller }) =>
      write(
        async (tx) => {
          const { expires_in_days, expires_in, ...request } = body;
          const issued = await issueKey(
            tx,
            deps.tokens,
            { ...defaultProfile(deps.config.environment), ...request, ...lifeOf(expires_in_days, expires_in) } as never,
            caller.key_id,
          );
          return { ...issued, expires_at: issued.expires_at.toISOString() };
        },
        { platform: true },
      ),
  }),
  route({
    method: 'POST',
    path: '/v1/operator/keys/:keyId/revoke',
    access: 'operator',
    tag,
    summary: 'Revoke a key',
    description: 'The key stops working on every node within 2 seconds.',
    params: pathId('keyId', 'key'),
    body: Reason,
    bodyOptional: true,
    reply: KeySchema,
    errors: ['NOT_FOUND'],
    handler: ({ write, params, body, caller }) =>
      write((tx) => revokeKey(tx, params.keyId as string, caller.key_id, (body as { reason?: string } | null)?.reason ?? null), {
        platform: true,
      }) as never,
  }),
  route({
    method: 'POST',
    path: '/v1/operator/keys/:keyId/rotate',
    access: 'operator',
    tag,
    summary: 'Rotate a key',
    description: 'Issues a new key for the same organization, role and environment; the old one works on for the overlap.',
    params: pathId('keyId', 'key'),
    body: Type.Object({
      overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 30 * 86_400, description: '24 hours by default.' })),
    }),
    bodyOptional: true,
    reply: IssuedSchema,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ write, params, body, deps, caller }) =>
      write(
        async (tx) => {
          const overlap = (body as { overlap_seconds?: number } | null)?.overlap_seconds ?? 86_400;
          const issued = await rotateKey(tx, deps.tokens, params.keyId as string, overlap, caller.key_id);
          return { ...issued, expires_at: issued.expires_at.toISOString() };
        },
        { platform: true },
      ),
  }),
  route({
    method: 'GET',
    path: '/v1/operator/organizations',
    access: 'operator',
    tag,
    summary: 'List organizations',
    query: pageQuery({
      organization_id: Type.Optional(id('org')),
      status: Type.Optional(oneOf(['ACTIVE', 'SUSPENDED'])),
      deal_id: Type.Optional(
        Type.String({ maxLength: 128, description: 'Organizations with a part in the deal: its owner and whoever has a stake.' }),
      ),
    }),
    reply: OrganizationSchema,
    replyKind: 'page',
    handler: ({ read, query }) => read((tx) => listOrganizations(tx, query), { platform: true }) as never,
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
    errors: ['NOT_FOUND'],
    handler: ({ write, params, body, caller }) =>
      write(
        async (tx) => {
          const organization = await lockOrganization(tx, params.organizationId as string);
          if (!organization) throw notFound('organization');
          const profile = pick(body as Record<string, unknown>, Object.keys(ProfileSchema.properties));
          await updateProfile(tx, organization.organization_id, profile);
          await audit(tx, {
            organization_id: organization.organization_id,
            actor: caller.key_id,
            action: 'organization.profile_set',
            entity_type: 'organization',
            entity_id: organization.organization_id,
            before: organization.profile,
            after: profile,
          });
          return (await findOrganization(tx, organization.organization_id)) as never;
        },
        { platform: true },
      ),
  }),
  ...(['suspend', 'resume'] as const).map((act) =>
    route({
      method: 'POST',
      path: `/v1/operator/organizations/:organizationId/${act}`,
      access: 'operator',
      tag,
      summary: act === 'suspend' ? 'Suspend an organization' : 'Resume a suspended organization',
      description: act === 'suspend' ? 'Its keys answer 401 on every node within 2 seconds.' : 'Its keys work again.',
      params: pathId('organizationId', 'org'),
      body: Reason,
      bodyOptional: true,
      reply: OrganizationSchema,
      errors: ['NOT_FOUND'],
      handler: ({ write, params, body, caller }) =>
        write(
          async (tx) => {
            const organization = await lockOrganization(tx, params.organizationId as string);
            if (!organization) throw notFound('organization');
            if (organization.organization_id === caller.organization_id)
              throw new ApiError('CONFLICT', 'An operator cannot suspend its own organization.');
            const status = act === 'suspend' ? 'SUSPENDED' : 'ACTIVE';
            await updateOrganizationStatus(tx, organization.organization_id, status);
            await audit(tx, {
              organization_id: organization.organization_id,
              actor: caller.key_id,
              action: `organization.${act}`,
              entity_type: 'organization',
              entity_id: organization.organization_id,
              before: { status: organization.status },
              after: { status },
              reason: (body as { reason?: string } | null)?.reason ?? null,
            });
            return (await findOrganization(tx, organization.organization_id)) as never;
          },
          { platform: true },
        ),
    }),
  ),
  route({
    method: 'GET',
    path: '/v1/operator/audit',
    access: 'operator',
    tag,
    summary: 'Read the audit log, newest first',
    query: pageQuery({
      organization_id: Type.Optional(id('org')),
      deal_id: Type.Optional(
        Type.String({ maxLength: 128, description: 'Acts on the deal, its pool, and what was asked, given and settled in it.' }),
      ),
      status: Type.Optional(text(64, 'Acts that led to this status, such as APPROVED or MARKETING.')),
    }),
    reply: AuditSchema,
    replyKind: 'page',
    handler: async ({ read, query }) => {
      const page = await read((tx) => listAudit(tx, query), { platform: true });
      return {
        total: page.total,
        rows: page.rows.map(({ entry_id, ...row }) => ({ id: entry_id, ...row, at: row.at.toISOString() })),
      };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/operator/audit/verify',
    access: 'operator',
    tag,
    summary: 'Verify the hash chain of the audit log',
    reply: Type.Object({ valid: Type.Boolean(), entries: Type.Integer(), broken_at: nullable(Type.Integer()) }),
    handler: ({ read }) => read((tx) => verifyAudit(tx), { platform: true }),
  }),
];

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function lifeOf(days: number | undefined, duration: string | undefined): { expires_in_seconds?: number } {
  if (duration) return { expires_in_seconds: Number(duration.slice(0, -1)) * (UNIT_SECONDS[duration.slice(-1)] ?? 1) };
  return days ? { expires_in_seconds: days * 86_400 } : {};
}

function pick(value: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]));
}
