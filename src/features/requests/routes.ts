import { actorFields } from '../../platform/http/actor-fields.ts';
import Type from 'typebox';
import { EVENT_NAMES } from '../../events/events.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { OMISSIONS } from '../../platform/http/kept-fields.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { FOR_OPERATOR, forCustomers, type RoutesOfOwn } from '../../platform/http/own-routes.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, nullable, oneOf, pageQuery, timestamp } from '../../platform/http/schemas.ts';
import { DELIVERY_STATUSES } from '../webhooks/delivery-queries.ts';
import { findCaused, findRequests, listRequests, REQUEST_RECORD } from './queries.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const MOST_EARLIER = 50;

const about = {
  at: timestamp('When it arrived, by the real clock, also where a sandbox has advanced its own.'),
  ms: Type.Integer({ description: 'Milliseconds until its response was sent.' }),
  method: Type.String(),
  path: Type.String({ description: 'Without the query. A part that is no identifier is shown by its name in the reference.' }),
  status: Type.Integer({ description: 'Of the response.' }),
  code: nullable(Type.String({ description: 'Of an error.' })),
};

const summary = {
  request_id: Type.String(),
  ...about,
  ...actorFields,
  idempotency_key: nullable(Type.String({ description: 'Null also where it is more than letters, digits and . _ : -.' })),
  replayed: Type.Boolean({ description: 'The response was the stored one of an earlier request with this Idempotency-Key.' }),
  deal_id: nullable(id('deal', 'The deal that the request or its response names.')),
  dropped_before: Type.Integer({
    description:
      'So many requests of yours before this one are missing from the log: it could not keep up, or could not be written.',
  }),
};

const OmittedSchema = named('OmittedFields', {
  path: Type.String({ description: 'Path in the schema.' }),
  reason: namedOneOf(
    'OmissionReason',
    OMISSIONS,
    'SECRET: a secret or token; ADDRESS: an address or headers; LOAN: about a single loan; ROWS: the rows of a list that was read; TEXT: free text; OPEN: a record without named fields; INVALID: not as the schema says; FILE: bytes.',
  ),
  count: Type.Integer({ description: 'Values that were left out.' }),
});

const side = {
  bytes: nullable(Type.Integer({ description: 'Size of the whole body as it was sent, where it was known.' })),
  body: Type.Unknown({ description: 'The fields that are kept; null where there are none.' }),
  truncated: Type.Boolean({ description: 'More than 16 KiB: the end is missing, also from the counts.' }),
  omitted: Type.Array(OmittedSchema),
  omitted_more: Type.Optional(Type.Integer({ description: 'Further paths that were left out.' })),
};

const RequestSchema = named('LoggedRequest', summary);

const RequestDetailSchema = named('LoggedRequestDetail', {
  ...summary,
  request: named('KeptRequest', {
    query: Type.Unknown({ description: 'The parameters that are kept; null where there are none.' }),
    ...side,
    unknown_fields: Type.Integer({ description: 'Fields and parameters that the route does not have.' }),
  }),
  response: named('KeptResponse', side),
  events: Type.Array(named('CausedEvent', { id: id('evt'), event: oneOf(EVENT_NAMES), timestamp: timestamp() }), {
    description: 'Events of your organization that the request caused.',
  }),
  deliveries: Type.Array(
    named('CausedDelivery', {
      id: id('dlv'),
      event_id: id('evt'),
      subscription_id: id('whs'),
      event: oneOf(EVENT_NAMES),
      status: oneOf(DELIVERY_STATUSES),
    }),
    { description: 'Deliveries to your webhook subscriptions that the request queued, and what has become of them.' },
  ),
  job_ids: Type.Array(Type.String(), { description: 'Identifiers under which you follow the work that the request queued.' }),
  caused_more: Type.Integer({ description: 'Further events, deliveries and jobs: the first 100 of each are listed.' }),
  earlier: Type.Array(named('EarlierRequest', about), {
    description: 'Earlier requests with the same id, newest first, at most 50.',
  }),
  earlier_count: Type.Integer({ description: 'How many there are.' }),
});

const KEPT =
  'Kept for 30 days, and written a moment after the response. Of query, body and response the log has numbers, dates, identifiers and words that the schema lists; free text, secrets, addresses, files and everything about single loans are left out, and it says so.';

function requireLog({ requestLog }: Pick<Deps, 'requestLog'>): void {
  if (!requestLog) throw new ApiError('REQUEST_LOG_OFF');
}

const routesOf = ({ base, operation, ...whose }: RoutesOfOwn): Route[] => [
  route({
    operation: operation('list', 'Requests'),
    method: 'GET',
    path: `${base}/requests`,
    ...whose,
    summary: 'List the requests of your keys, newest first',
    description: `${KEPT} A request with an unknown or refused key belongs to nobody and is not in it.`,
    query: pageQuery({
      status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, description: 'Of the response.' })),
      code: Type.Optional(
        Type.String({ pattern: '^[A-Z][A-Z0-9_]{1,63}$', description: 'Code of an error, such as NOT_FOUND.' }),
      ),
      method: Type.Optional(namedOneOf('HttpMethod', METHODS)),
      path: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 256,
          description: 'The beginning of a path, or one of the reference with its `{parameters}`.',
        }),
      ),
      key_id: Type.Optional(id('key')),
      member_id: Type.Optional(id('mem')),
      deal_id: Type.Optional(id('deal')),
      ...CreatedBetween,
    }),
    reply: RequestSchema,
    replyKind: 'page',
    errors: ['RANGE_REVERSED', 'REQUEST_LOG_OFF'],
    handler: ({ deps, peek, caller, query }) => {
      requireLog(deps);
      return peek((tx) => listRequests(tx, caller.organization_id, query));
    },
  }),
  route({
    operation: operation('get', 'Request'),
    method: 'GET',
    path: `${base}/requests/:requestId`,
    record: recordOfPath('requestId', REQUEST_RECORD),
    ...whose,
    summary: 'Read one request of your keys, and what it caused',
    description: `The newest with this \`X-Request-Id\`. ${KEPT}`,
    params: Type.Object({
      requestId: Type.String({ minLength: 1, maxLength: 128, description: 'The `X-Request-Id` of the response.' }),
    }),
    reply: RequestDetailSchema,
    errors: ['NOT_FOUND', 'REQUEST_LOG_OFF'],
    handler: async ({ deps, read, caller, params }) => {
      requireLog(deps);
      return read(async (tx) => {
        const found = await findRequests(tx, caller.organization_id, params.requestId, MOST_EARLIER);
        if (!found)
          throw new ApiError(
            'NOT_FOUND',
            'The log of the last 30 days has no such request of yours. It is written a moment after the response.',
          );
        const { event_ids, delivery_ids, job_ids, request, response, ...row } = found.newest;
        return {
          ...row,
          request: JSON.parse(request),
          response: JSON.parse(response),
          ...(await findCaused(tx, caller.organization_id, { event_ids, delivery_ids })),
          job_ids: job_ids ?? [],
          earlier: found.earlier,
          earlier_count: found.earlier_count,
        };
      });
    },
  }),
];

export const requestRoutes = routesOf(forCustomers('Requests'));
export const operatorRequestRoutes = routesOf(FOR_OPERATOR);
