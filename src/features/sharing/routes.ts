import Type from 'typebox';
import { actorFields } from '../../platform/http/actor-fields.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, nullable, oneOf, pageQuery, pathId, Reason, text, timestamp } from '../../platform/http/schemas.ts';
import { createRecipient, revokeRecipient } from './manage-recipients.ts';
import { findRecipient, listRecipients, RECIPIENT_RECORD } from './queries.ts';
import { DEFAULT_LIFE_DAYS, LONGEST_LIFE_DAYS, RECIPIENT_STATUSES } from './recipient.ts';

const tag = 'Data sharing';
const access = 'customer';
const base = '/v1/api/share-recipients';
const params = pathId('recipientId', 'rcp');

const RECIPIENT = {
  recipient_id: id('rcp'),
  organization_id: id('org'),
  name: Type.String(),
  deal_ids: nullable(
    Type.Array(id('deal'), { description: 'Deals whose tables it reads; null: those of all that its maker may read.' }),
  ),
  status: namedOneOf('KeyStatus', RECIPIENT_STATUSES),
  created_at: timestamp(),
  expires_at: timestamp(),
  revoked_at: nullable(timestamp()),
  last_used_at: nullable(timestamp('Its last request, to within a minute.')),
  ...actorFields,
};

const RecipientSchema = named('ShareRecipient', RECIPIENT);
const WithProfile = named('ShareRecipientWithProfile', {
  ...RECIPIENT,
  profile: Type.Optional(
    named('SharingProfile', {
      shareCredentialsVersion: Type.Integer({ description: 'Version of the format of profile files.' }),
      endpoint: Type.String({ description: 'Where the gateway speaks Delta Sharing.' }),
      bearerToken: Type.String({ description: 'The token of the recipient. Only this response shows it.' }),
      expirationTime: timestamp('When the token ends.'),
    }),
  ),
  secret_omitted: Type.Optional(Type.Boolean()),
});

const EXAMPLE = {
  recipient_id: 'rcp_01jd0example',
  organization_id: 'org_01jd0example',
  name: 'warehouse',
  deal_ids: null,
  status: 'ACTIVE',
  created_at: '2026-01-15T09:30:00.000Z',
  expires_at: '2026-04-15T09:30:00.000Z',
  revoked_at: null,
  last_used_at: null,
  key_id: 'key_01jd0example',
  member_id: null,
};

/** Programs of other makes that read loan tables over Delta Sharing. */
export const shareRecipientRoutes: Route[] = [
  route({
    operation: 'createShareRecipient',
    right: 'ADMIN',
    method: 'POST',
    path: base,
    access,
    scope: 'market',
    tag,
    summary: 'Make a recipient that reads loan tables over Delta Sharing',
    description:
      'It reads the tables that your key may read: those of your tapes and pools with a key of an originator, the loans of deals that are disclosed to you with one of an investor, all of them with one of both, or those of `deal_ids` alone. Write `profile` into a file for the client. A repeated request with the same Idempotency-Key gets the record without it.',
    body: named('NewShareRecipient', {
      name: text(100, 'What the recipient is called; one of a name is in force at a time.'),
      deal_ids: Type.Optional(
        Type.Array(id('deal'), { minItems: 1, maxItems: 100, uniqueItems: true, description: 'Deals whose tables it reads.' }),
      ),
      expires_in_days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: LONGEST_LIFE_DAYS,
          description: `Life of its token; ${DEFAULT_LIFE_DAYS} days by default.`,
        }),
      ),
    }),
    reply: WithProfile,
    secretFields: ['profile'],
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT', 'UNPROCESSABLE'],
    audit: {
      action: 'share_recipient.created',
      entity_type: 'share_recipient',
      id: 'recipient_id',
      after: ['name', 'deal_ids', 'expires_at'],
    },
    example: {
      body: { name: 'warehouse' },
      data: {
        ...EXAMPLE,
        profile: {
          shareCredentialsVersion: 1,
          endpoint: 'https://sluice.example/delta-sharing',
          bearerToken: 'sluice_share_Tq0W3v8nQy',
          expirationTime: EXAMPLE.expires_at,
        },
      },
    },
    handler: ({ deps, write, caller, body }) => write((tx) => createRecipient(tx, caller, body, deps.publicUrl())),
  }),
  route({
    operation: 'listShareRecipients',
    method: 'GET',
    path: base,
    access,
    tag,
    summary: 'List recipients, newest first; tokens are never shown',
    query: pageQuery({ status: Type.Optional(oneOf(RECIPIENT_STATUSES)), ...CreatedBetween }),
    reply: RecipientSchema,
    replyKind: 'page',
    example: { data: [EXAMPLE] },
    handler: ({ read, caller, query }) => read((tx) => listRecipients(tx, caller.organization_id, query)),
  }),
  route({
    operation: 'getShareRecipient',
    method: 'GET',
    path: `${base}/:recipientId`,
    record: recordOfPath('recipientId', RECIPIENT_RECORD),
    access,
    tag,
    summary: 'Read a recipient',
    params,
    reply: RecipientSchema,
    errors: ['NOT_FOUND'],
    example: { data: EXAMPLE },
    handler: ({ read, caller, params: { recipientId } }) =>
      read(async (tx) => orNotFound(await findRecipient(tx, caller.organization_id, recipientId), 'recipient')),
  }),
  route({
    operation: 'revokeShareRecipient',
    right: 'ADMIN',
    method: 'POST',
    path: `${base}/:recipientId/revoke`,
    record: recordOfPath('recipientId', RECIPIENT_RECORD),
    access,
    tag,
    summary: 'Revoke a recipient',
    description: 'Its token and the signed addresses that it was given stop working on every node within 2 seconds.',
    params,
    body: Reason,
    bodyOptional: true,
    reply: RecipientSchema,
    errors: ['NOT_FOUND'],
    example: { data: { ...EXAMPLE, status: 'REVOKED', revoked_at: '2026-02-01T09:30:00.000Z' } },
    handler: ({ write, caller, params: { recipientId }, body }) =>
      write((tx) => revokeRecipient(tx, caller, { recipientId, reason: body?.reason ?? null })),
  }),
];
