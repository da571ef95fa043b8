import Type from 'typebox';
import { orNotFound } from '../../platform/http/errors.ts';
import { ownList } from '../../platform/http/list-route.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { FOR_OPERATOR, forCustomers, type RoutesOfOwn } from '../../platform/http/own-routes.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import { RIGHTS } from '../../platform/http/member-rights.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, nullable, oneOf, pathId, text, timestamp } from '../../platform/http/schemas.ts';
import { addMember, changeMember, removeMember } from './change-members.ts';
import { findMember, listMembers, MEMBER_RECORD } from './queries.ts';
import { MEMBER_STATUSES } from './member.ts';

const tag = 'Keys and organizations';

const MemberSchema = named('Member', {
  member_id: id('mem'),
  email: Type.String({ description: 'In lower case. At the first sign-in the provider’s verified address finds the member.' }),
  name: Type.String(),
  rights: Type.Array(namedOneOf('Right', RIGHTS), { description: 'What the member may do in the organization.' }),
  status: namedOneOf(
    'MemberStatus',
    MEMBER_STATUSES,
    'INVITED: has not signed in yet. ACTIVE: may sign in and act. SUSPENDED: may not.',
  ),
  invited_by: Type.String({ description: 'The member who invited this one, or `command line` for the command on the host.' }),
  created_at: timestamp(),
  last_sign_in_at: nullable(timestamp()),
});

const name = text(200, 'What people call the member.');
const rights = Type.Array(namedOneOf('Right', RIGHTS), {
  minItems: 1,
  uniqueItems: true,
  description:
    'ADMIN: members, keys and webhooks. EDIT: changes records. APPROVE: issues, withdraws, subscribes, orders and accepts. VIEW: reads.',
});

const NewBody = named('NewMember', { email: text(254, 'Address with which the person signs in.'), name, rights });
const ChangeBody = named('ChangeMember', {
  name: Type.Optional(name),
  rights: Type.Optional(rights),
  status: Type.Optional(
    oneOf(
      ['ACTIVE', 'SUSPENDED'],
      'SUSPENDED signs the member out; ACTIVE ends a suspension, to INVITED for one who never signed in.',
    ),
  ),
});

type Changing = Partial<Pick<Route, 'approval' | 'scope'>>;

const params = pathId('memberId', 'mem');
const record = recordOfPath('memberId', MEMBER_RECORD);

/** The members of the caller's own organization. `changing`: what the routes that change them have beside. */
const routesOf = ({ base, operation, ...whose }: RoutesOfOwn, changing: Changing = {}): Route[] => [
  ownList({
    operation: operation('list', 'Members'),
    path: `${base}/members`,
    ...whose,
    summary: 'List the members of your organization',
    filters: { status: Type.Optional(oneOf(MEMBER_STATUSES)), ...CreatedBetween },
    reply: MemberSchema,
    list: listMembers,
  }),
  route({
    operation: operation('get', 'Member'),
    method: 'GET',
    path: `${base}/members/:memberId`,
    record,
    ...whose,
    summary: 'Read a member of your organization',
    params,
    reply: MemberSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ peek, params }) => orNotFound(await peek((reader) => findMember(reader, params.memberId)), 'member'),
  }),
  route({
    operation: operation('create', 'Member'),
    people: ['ADMIN'],
    method: 'POST',
    path: `${base}/members`,
    ...whose,
    ...changing,
    summary: 'Invite a person to your organization',
    description: 'The person becomes ACTIVE when it first signs in with the address.',
    body: NewBody,
    reply: MemberSchema,
    status: 201,
    errors: ['CONFLICT'],
    handler: ({ write, caller, body }) =>
      write((tx) => addMember(tx, caller, { organization_id: caller.organization_id, ...body })),
  }),
  route({
    operation: operation('change', 'Member'),
    people: ['ADMIN'],
    method: 'PATCH',
    path: `${base}/members/:memberId`,
    record,
    ...whose,
    ...changing,
    summary: 'Change a member’s name or rights, suspend or resume it',
    description: 'New rights count from the next request of the member on. The last member with ADMIN keeps it.',
    params,
    body: ChangeBody,
    reply: MemberSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ write, caller, params, body }) => {
      const named = { organization_id: caller.organization_id, member_id: params.memberId };
      return write((tx) => changeMember(tx, caller, { ...named, change: body }));
    },
  }),
  route({
    operation: operation('delete', 'Member'),
    people: ['ADMIN'],
    method: 'DELETE',
    path: `${base}/members/:memberId`,
    record,
    ...whose,
    ...changing,
    summary: 'Remove a member from your organization',
    description: 'The member is signed out; its records and audit entries keep naming it. The last member with ADMIN stays.',
    params,
    reply: Type.Object({}),
    replyKind: 'message',
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ write, caller, params }) =>
      write(async (tx) => {
        await removeMember(tx, caller, { organization_id: caller.organization_id, member_id: params.memberId });
        return 'The member was removed.';
      }),
  }),
];

export const memberRoutes: Route[] = routesOf(forCustomers(tag));

/** Other operators are told of what waits for their approval, so that the changes reach further than the own organization. */
export const operatorMemberRoutes: Route[] = routesOf({ ...FOR_OPERATOR, tag }, { approval: 'MEMBER_SET', scope: 'platform' });
