import { actorFields, actorFieldsOf } from '../../platform/http/actor-fields.ts';
import { CURRENT_VERSION } from '../../platform/http/api-version.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { operatorRecord } from '../../platform/http/list-route.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type, { type Static } from 'typebox';
import { ENVIRONMENTS } from '../../config.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { ROLES } from '../../platform/http/caller.ts';
import { CreatedBetween, id, nullable, oneOf, pageQuery, pathId, Reason, text, timestamp } from '../../platform/http/schemas.ts';
import {
  actsOfIssuing,
  defaultProfile,
  type IssuedKey,
  issueKey,
  type KeyRequest,
  requestRotation,
  revokeKey,
  rotateKey,
} from './issue-key.ts';
import { SCOPES } from './scopes.ts';
import { listKeys, KEY_RECORD, findKeyRow } from './queries.ts';

const tag = 'Keys and organizations';

const KEY = {
  key_id: id('key'),
  organization_id: id('org'),
  organization: Type.String(),
  role: namedOneOf('Role', ROLES),
  environment: namedOneOf('Environment', ENVIRONMENTS),
  requester: Type.String(),
  use_case: Type.String(),
  status: namedOneOf('KeyStatus', ['ACTIVE', 'EXPIRED', 'REVOKED']),
  created_at: timestamp(),
  expires_at: timestamp(),
  revoked_at: nullable(timestamp()),
  rotated_from: nullable(Type.String()),
  label: nullable(Type.String({ description: 'What the key is called.' })),
  last_used_at: nullable(timestamp('Its last request, to within a minute.')),
  scopes: nullable(Type.Array(Type.String(), { description: 'What it may do of what its role may; null: all of it.' })),
  networks: nullable(Type.Array(Type.String(), { description: 'Networks that it may be used from; null: any.' })),
  rotation_requested_at: nullable(timestamp('When its organization asked for another key in its place.')),
  rotation_reason: nullable(Type.String()),
  api_version: nullable(
    Type.String({
      description: 'Version of the API that its requests get unless they name another: that of its first call; null before it.',
    }),
  ),
};

const KeySchema = named('ApiKey', KEY);

const Scopes = Type.Array(namedOneOf('Scope', SCOPES), {
  minItems: 1,
  uniqueItems: true,
  description: 'What the key may do of what its role may: an area of the API and `read`, `write` or `*`. Absent: all of it.',
});
const Networks = Type.Array(text(50), {
  minItems: 1,
  maxItems: 50,
  description: 'Networks that the key may be used from, such as 10.1.0.0/16 or 2001:db8::/32. Absent: any.',
});

const IssuedSchema = named('IssuedKey', {
  ...KEY,
  token: Type.Optional(Type.String({ description: 'The API key. Only this response shows it.' })),
  secret_omitted: Type.Optional(Type.Boolean()),
});

const NewKey = named('NewKey', {
  organization: text(200, 'Name of the organization; one that differs only in case or appearance from another is refused.'),
  role: oneOf(ROLES),
  environment: oneOf(ENVIRONMENTS),
  requester: text(200, 'Person who requested the key.'),
  use_case: text(1_000, 'Purpose of the key.'),
  expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, description: 'Life of the key; 90 days by default.' })),
  expires_in: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,6}[smhd]$',
      description: 'A number and s, m, h or d, such as 90d or 12h: the same as a duration.',
    }),
  ),
  label: Type.Optional(text(100, 'What the key is called, such as the program that holds it.')),
  scopes: Type.Optional(Scopes),
  networks: Type.Optional(Networks),
  profile: Type.Optional(
    oneOf(['verified', 'none'], 'Compliance profile of a new organization: verified by default outside Production.'),
  ),
});

/** How long a rotated key stays valid if the request does not say. */
const DEFAULT_OVERLAP_SECONDS = 86_400;

export const keyRoutes: Route[] = [
  route({
    operation: 'getMe',
    method: 'GET',
    path: '/v1/api/me',
    access: 'key',
    tag,
    summary: 'Read the key of the request and the rest of its rate limit',
    reply: named('CurrentKey', {
      ...actorFields,
      organization_id: id('org'),
      organization: Type.String(),
      role: oneOf(ROLES),
      environment: oneOf(ENVIRONMENTS),
      expires_at: timestamp(),
      api_version: Type.String({
        description:
          'Version of the API that your requests get unless they name another with Sluice-Version: that of the first call of this key.',
      }),
      label: nullable(Type.String()),
      scopes: nullable(Type.Array(Type.String(), { description: 'What the key may do of what its role may; null: all of it.' })),
      networks: nullable(Type.Array(Type.String(), { description: 'Networks that the key may be used from; null: any.' })),
      rate_limit: named('RateLimit', { limit: Type.Integer(), remaining: Type.Integer(), reset: Type.Integer() }),
    }),
    handler: async ({ caller, rate }) => ({
      ...actorFieldsOf(caller.actor_id),
      organization_id: caller.organization_id,
      organization: caller.organization,
      role: caller.role,
      environment: caller.environment,
      expires_at: caller.expires_at.toISOString(),
      api_version: caller.api_version ?? CURRENT_VERSION,
      label: caller.label,
      scopes: caller.scopes,
      networks: caller.networks,
      rate_limit: { limit: rate.limit, remaining: rate.remaining, reset: rate.reset },
    }),
  }),
  route({
    operation: 'listOperatorKeys',
    method: 'GET',
    path: '/v1/operator/keys',
    access: 'operator',
    tag,
    summary: 'List keys',
    query: pageQuery({
      organization_id: Type.Optional(id('org')),
      status: Type.Optional(oneOf(['ACTIVE', 'EXPIRED', 'REVOKED'])),
      rotation_requested: Type.Optional(
        Type.Boolean({ description: 'Keys in whose place another one is asked for, or the others.' }),
      ),
      ...CreatedBetween,
    }),
    reply: KeySchema,
    replyKind: 'page',
    handler: ({ read, query }) => read((tx) => listKeys(tx, query)),
  }),
  route({
    operation: 'listKeys',
    method: 'GET',
    path: '/v1/api/keys',
    access: 'customer',
    tag,
    summary: 'List the keys of your organization',
    query: pageQuery({ status: Type.Optional(oneOf(['ACTIVE', 'EXPIRED', 'REVOKED'])), ...CreatedBetween }),
    reply: KeySchema,
    replyKind: 'page',
    handler: ({ read, query, caller }) => read((tx) => listKeys(tx, { ...query, organization_id: caller.organization_id })),
  }),
  route({
    operation: 'requestKeyRotation',
    right: 'ADMIN',
    method: 'POST',
    path: '/v1/api/keys/:keyId/rotation-requests',
    access: 'customer',
    tag,
    summary: 'Ask the operator for another key in the place of one of yours',
    description:
      'The operator finds the request in its list of keys and rotates the key: the new one has the same role, scopes and networks.',
    params: pathId('keyId', 'key'),
    body: Reason,
    bodyOptional: true,
    reply: KeySchema,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
    audit: { action: 'key.rotation_requested', entity_type: 'key', id: 'key_id', after: ['rotation_reason'] },
    handler: ({ write, params, body, caller }) =>
      write((tx) => requestRotation(tx, caller, { ...params, reason: body?.reason ?? null })),
  }),
  operatorRecord({
    operation: 'getOperatorKey',
    path: '/v1/operator/keys/:keyId',
    summary: 'Read a key',
    params: pathId('keyId', 'key'),
    reply: KeySchema,
    record: recordOfPath('keyId', KEY_RECORD),
    what: 'key',
    tag,
    find: (tx, { keyId }) => findKeyRow(tx, keyId),
  }),
  route({
    operation: 'issueKey',
    right: 'ADMIN',
    approval: 'KEY_ISSUE',
    approvalAlso: (tx, { deps, body }) => actsOfIssuing(tx, requestOf(deps, body)),
    method: 'POST',
    path: '/v1/operator/keys',
    access: 'operator',
    tag,
    summary: 'Issue a key',
    description:
      'The organization is created with its first key; where it gets a verified profile the act needs as many people as PROFILE_SET where these are more. Requester and use case are stored; the token is not.',
    body: NewKey,
    reply: IssuedSchema,
    secretFields: ['token'],
    status: 201,
    errors: ['ROLE_CONFLICT', 'NAME_TAKEN'],
    handler: ({ write, deps, body, caller }) =>
      write(async (tx) => withToken(tx, await issueKey(tx, caller, requestOf(deps, body), deps))),
  }),
  route({
    operation: 'revokeKey',
    right: 'ADMIN',
    method: 'POST',
    path: '/v1/operator/keys/:keyId/revoke',
    record: recordOfPath('keyId', KEY_RECORD),
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
      write((tx) => revokeKey(tx, caller, { ...params, reason: body?.reason ?? null })),
  }),
  route({
    operation: 'rotateKey',
    right: 'ADMIN',
    approval: 'KEY_ISSUE',
    method: 'POST',
    path: '/v1/operator/keys/:keyId/rotate',
    access: 'operator',
    tag,
    summary: 'Rotate a key',
    description:
      'Issues a new key for the same organization, role and environment, with the same label, scopes and networks; the old one stays valid for the overlap.',
    params: pathId('keyId', 'key'),
    body: named('RotateKey', {
      overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 30 * 86_400, description: '24 hours by default.' })),
    }),
    bodyOptional: true,
    reply: IssuedSchema,
    secretFields: ['token'],
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ write, params, body, deps, caller }) =>
      write(async (tx) => {
        const overlapSeconds = body?.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS;
        return withToken(tx, await rotateKey(tx, caller, { ...params, overlapSeconds }, deps));
      }),
  }),
];

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function requestOf({ config }: Deps, { expires_in_days, expires_in, ...requested }: Static<typeof NewKey>): KeyRequest {
  return { ...defaultProfile(config.environment), ...requested, ...lifeOf(expires_in_days, expires_in) };
}

function lifeOf(days: number | undefined, duration: string | undefined): { expires_in_seconds?: number } {
  if (duration) return { expires_in_seconds: Number(duration.slice(0, -1)) * (UNIT_SECONDS[duration.slice(-1)] ?? 1) };
  return days ? { expires_in_seconds: days * 86_400 } : {};
}

/** The record of a key with its token, which only this response shows. */
async function withToken(tx: Tx, { key_id, token }: IssuedKey) {
  return { ...orNotFound(await findKeyRow(tx, key_id), 'key'), token };
}
