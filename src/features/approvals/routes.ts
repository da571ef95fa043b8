import Type from 'typebox';
import { audit } from '../../platform/audit.ts';
import { mapPage, type Page } from '../../platform/pages.ts';
import { actorFields, actorFieldsOf } from '../../platform/http/actor-fields.ts';
import { APPROVAL_ACTS } from '../../platform/http/approval-acts.ts';
import { ApiError, notFound, orNotFound } from '../../platform/http/errors.ts';
import { operatorRecord } from '../../platform/http/list-route.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { recordOfCaller, recordOfPath } from '../../platform/http/stored-record.ts';
import { type Context, type Route, route } from '../../platform/http/route.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { CreatedBetween, id, nullable, oneOf, pageQuery, pathId, Reason, timestamp } from '../../platform/http/schemas.ts';
import type { Id } from '../../platform/ids.ts';
import { findKeyRow } from '../keys/queries.ts';
import { tokenOfKey } from '../keys/token-of-key.ts';
import { APPROVAL_STATUSES, type ApprovalRow } from './approval.ts';
import { approve, deny, type Perform } from './decide-approval.ts';
import { readPolicy, setPolicy } from './policy.ts';
import { APPROVAL_RECORD, findApproval, listApprovals, lockApproval, markTokenFetched, POLICY_RECORD } from './queries.ts';

const tag = 'Approvals';

const Needed = Type.Integer({ minimum: 1, maximum: 3, description: 'People whom the act needs.' });
const acts = Object.fromEntries(APPROVAL_ACTS.map((act) => [act, Needed]));
const PolicySchema = named('ApprovalPolicy', {
  acts: named('NeededPeople', acts),
  advice: Type.Array(Type.String(), {
    description:
      'What should be otherwise: acts that one alone can do in Production, and acts for which there are too few people.',
  }),
});
const PolicyBody = named('NewApprovalPolicy', {
  acts: Type.Object(Object.fromEntries(APPROVAL_ACTS.map((act) => [act, Type.Optional(Needed)])), {
    additionalProperties: false,
    description: 'People for each act; an act that is left out needs one.',
  }),
});

const ApprovalSchema = named('Approval', {
  approval_id: id('apr'),
  act: namedOneOf('ApprovalAct', APPROVAL_ACTS),
  summary: Type.String({ description: 'The act in words.' }),
  entity_id: nullable(Type.String({ description: 'The record that the act is about.' })),
  status: namedOneOf(
    'ApprovalStatus',
    APPROVAL_STATUSES,
    'PENDING: waits for people. DONE: the act was done with the last approval. DENIED: a person refused it. EXPIRED: it was not approved in three business days. FAILED: the state did not allow the act any more.',
  ),
  needed: Type.Integer(),
  given: Type.Integer({
    description: 'People who asked for it or approved it, and are still members with the right; a key is none.',
  }),
  requested_by: Type.Object({ ...actorFields, organization_id: id('org'), name: nullable(Type.String()) }),
  request: Type.Object(
    { operation: Type.String(), params: Type.Record(Type.String(), Type.String()), body: Type.Unknown() },
    { description: 'What was asked for, as it will be done.' },
  ),
  decisions: Type.Array(
    named('ApprovalDecision', {
      member_id: id('mem'),
      name: Type.String(),
      decision: oneOf(['APPROVED', 'DENIED']),
      reason: nullable(Type.String()),
      at: timestamp(),
    }),
  ),
  created_at: timestamp(),
  expires_at: timestamp(),
  ended_at: nullable(timestamp()),
  result: Type.Unknown({ description: 'The response of the act, without secrets; null unless DONE.' }),
  failure: nullable(named('ApprovalFailure', { code: Type.String(), message: Type.String() })),
});

const params = pathId('approvalId', 'apr');
const record = recordOfPath('approvalId', APPROVAL_RECORD);
/** There is one policy, whoever asks. */
const policyRecord = recordOfCaller(POLICY_RECORD);
const PEOPLE_ALONE = 'For people with the right of the act, each once and never for who asked for it.';
/** The rights of acts; which of them one needs is known when its approval is read. */
const DECIDING = ['APPROVE', 'ADMIN'] as const;

/** The approvals of the acts among `routes`, which are read when they are needed. */
export function approvalRoutesOver(routes: () => readonly Route[]): Route[] {
  const routeOf = ({ operation }: Pick<ApprovalRow, 'operation'>): Route => {
    const found = routes().find((each) => each.operation === operation && each.approval);
    if (!found) throw new ApiError('CONFLICT', `This version of the platform does ${operation} no more: ask for the act again.`);
    return found;
  };
  const wire = ({ requested_by, organization_id, requested_by_name, operation, params, body, ...row }: ApprovalRow) => ({
    ...row,
    summary: routes().find((each) => each.operation === operation)?.summary ?? operation,
    requested_by: { ...actorFieldsOf(requested_by), organization_id, name: requested_by_name },
    request: { operation, params, body },
  });
  const performIn =
    (context: Context<unknown, unknown, unknown>): Perform =>
    async (tx, approval, organizationId = approval.organization_id) => {
      const of = routeOf(approval);
      const inside = <Result>(work: (part: typeof tx) => Promise<Result>): Promise<Result> => work(tx);
      const result: unknown = await of.handler({
        ...context,
        caller: askerOf(approval, organizationId, context.caller),
        params: approval.params,
        query: {},
        body: approval.body ?? undefined,
        idempotent: false,
        peek: inside,
        read: inside,
        write: inside,
      });
      return withoutSecrets(result, of);
    };

  return [
    route({
      operation: 'getApprovalPolicy',
      method: 'GET',
      path: '/v1/operator/approval-policy',
      record: policyRecord,
      access: 'operator',
      tag,
      summary: 'Read how many people each act needs',
      reply: PolicySchema,
      handler: ({ read, deps }) => read((tx) => readPolicy(tx, deps.config.environment)),
    }),
    route({
      operation: 'setApprovalPolicy',
      right: 'ADMIN',
      approval: 'POLICY_SET',
      method: 'PUT',
      path: '/v1/operator/approval-policy',
      record: policyRecord,
      access: 'operator',
      tag,
      summary: 'Set how many people each act needs',
      description:
        'Replaces the policy. With 1, a key or a person with the right acts alone. With more, the act gives 202 and waits: who asks counts as one if it is a person, a key as none. The command line on the host is outside the policy.',
      body: PolicyBody,
      reply: PolicySchema,
      handler: ({ write, caller, body, deps }) =>
        write(async (tx) => {
          await setPolicy(tx, caller, body.acts);
          return readPolicy(tx, deps.config.environment);
        }),
    }),
    route({
      operation: 'listApprovals',
      method: 'GET',
      path: '/v1/operator/approvals',
      access: 'operator',
      tag,
      summary: 'List acts that wait or waited for people, newest first',
      query: pageQuery({
        mine: Type.Optional(
          Type.Boolean({
            description: 'True: those that wait for you: of your rights, asked for by others and not decided by you yet.',
          }),
        ),
        status: Type.Optional(oneOf(APPROVAL_STATUSES)),
        act: Type.Optional(oneOf(APPROVAL_ACTS)),
        entity_id: Type.Optional(Type.String({ maxLength: 128 })),
        ...CreatedBetween,
      }),
      reply: ApprovalSchema,
      replyKind: 'page',
      handler: async ({ read, query: { mine, ...filter }, caller }) => {
        const page: Page<ApprovalRow> = await read((tx) =>
          listApprovals(tx, { ...filter, ...(mine ? { mine: caller.person } : {}) }),
        );
        return mapPage(page, wire);
      },
    }),
    operatorRecord({
      operation: 'getApproval',
      path: '/v1/operator/approvals/:approvalId',
      summary: 'Read an act that waits or waited for people',
      params,
      reply: ApprovalSchema,
      record,
      what: 'approval',
      tag,
      find: async (tx, { approvalId }) => {
        const found = await findApproval(tx, approvalId);
        return found && wire(found);
      },
    }),
    route({
      operation: 'approveApproval',
      people: DECIDING,
      method: 'POST',
      path: '/v1/operator/approvals/:approvalId/approve',
      record,
      access: 'operator',
      tag,
      summary: 'Approve an act; the last approval does it',
      description: `${PEOPLE_ALONE} The act is done in the transaction of the last approval, on the state of that moment; FAILED says why it could not be.`,
      params,
      body: Reason,
      bodyOptional: true,
      reply: ApprovalSchema,
      errors: ['NOT_FOUND', 'SAME_PERSON', 'OWN_ORGANIZATION', 'INVALID_TRANSITION'],
      handler: (context) => {
        const { write, caller, params: named, body } = context;
        const decision = { approval_id: named.approvalId, reason: body?.reason ?? null };
        return write(async (tx) => wire(await approve(tx, caller, decision, performIn(context))));
      },
    }),
    route({
      operation: 'denyApproval',
      people: DECIDING,
      method: 'POST',
      path: '/v1/operator/approvals/:approvalId/deny',
      record,
      access: 'operator',
      tag,
      summary: 'Deny an act, which is then not done',
      description: PEOPLE_ALONE,
      params,
      body: Reason,
      bodyOptional: true,
      reply: ApprovalSchema,
      errors: ['NOT_FOUND', 'SAME_PERSON', 'OWN_ORGANIZATION', 'INVALID_TRANSITION'],
      handler: (context) => {
        const { write, caller, params: named, body } = context;
        const decision = { approval_id: named.approvalId, reason: body?.reason ?? null };
        return write(async (tx) => wire(await deny(tx, caller, decision, performIn(context))));
      },
    }),
    route({
      operation: 'issueApprovedToken',
      right: 'ADMIN',
      method: 'POST',
      path: '/v1/operator/approvals/:approvalId/token',
      record,
      access: 'operator',
      tag,
      summary: 'Fetch the key that an approval made, once',
      description: 'For who asked for the key. The token is signed for this response and kept nowhere.',
      params,
      reply: named('ApprovedToken', {
        key_id: id('key'),
        token: Type.Optional(Type.String({ description: 'The API key. Only this response shows it.' })),
        secret_omitted: Type.Optional(Type.Boolean()),
      }),
      secretFields: ['token'],
      errors: ['NOT_FOUND', 'CONFLICT'],
      handler: ({ write, caller, params: named, deps }) =>
        write(async (tx) => {
          const approval = await lockApproval(tx, named.approvalId);
          if (!approval || approval.requested_by !== caller.actor_id) throw notFound('approval of your own');
          const keyId = keyOf(approval);
          if (keyId === null)
            throw new ApiError('CONFLICT', `There is no key to fetch: the act is ${approval.act}, and ${approval.status}.`);
          if (!(await markTokenFetched(tx, approval.approval_id)))
            throw new ApiError(
              'CONFLICT',
              `The key was fetched on ${approval.token_fetched_at?.toISOString()}: rotate it for another one.`,
            );
          const key = orNotFound(await findKeyRow(tx, keyId), 'key');
          audit(tx, {
            organization_id: approval.organization_id,
            actor: caller.actor_id,
            action: 'approval.token_fetched',
            entity_type: 'approval',
            entity_id: approval.approval_id,
            after: { key_id: keyId },
          });
          return { key_id: keyId, token: tokenOfKey(deps.tokens, key) };
        }),
    }),
  ];
}

/** Who asked, as the caller of the act. Whether it still may act is asked before. */
const askerOf = (approval: ApprovalRow, organization_id: Id<'org'>, { environment, expires_at }: Caller): Caller => ({
  actor_id: approval.requested_by,
  organization_id,
  organization: approval.organization,
  role: 'operator',
  environment,
  api_version: null,
  expires_at,
  scopes: null,
  networks: null,
  label: null,
  person: null,
});

/** The key that a done act has made. */
function keyOf({ act, status, result }: ApprovalRow): Id<'key'> | null {
  if (act !== 'KEY_ISSUE' || status !== 'DONE') return null;
  return (result as { key_id: Id<'key'> }).key_id;
}

function withoutSecrets(result: unknown, { secretFields = [] }: Route): unknown {
  if (typeof result !== 'object' || result === null) return result;
  return Object.fromEntries(Object.entries(result).filter(([name]) => !secretFields.includes(name)));
}
