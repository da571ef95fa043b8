import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../platform/deps.ts';
import { rateLimited, setLimitHeaders } from '../../platform/http/authorize.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import type { ErrorBody, RouteConfig } from '../../platform/http/options.ts';
import { refusedFrom } from '../../platform/http/rate-limit.ts';
import { registerOtherMethods } from '../../platform/http/server.ts';
import { createRecipientAuthenticator, type RecipientAuthenticator } from './authenticate-recipient.ts';
import { listSchemas, listShares, listTables, shareOf } from './list-tables.ts';
import { describeTable, queryTable, refuseChanges, tellVersion } from './read-table.ts';
import { type Recipient, SHARING_PATH } from './recipient.ts';
import { sendPart } from './send-part.ts';
import type { SharingRequest } from './sharing-request.ts';

const TABLE = '/shares/:share/schemas/:schema/tables/:table';

type Handler = (request: SharingRequest) => Promise<unknown>;

/** The calls of the protocol. HEAD is served where GET is. */
const CALLS: readonly [method: 'GET' | 'POST', path: string, handler: Handler][] = [
  ['GET', '/shares', listShares],
  ['GET', '/shares/:share', async ({ recipient, params }) => ({ share: { name: shareOf(recipient, params) } })],
  ['GET', '/shares/:share/schemas', listSchemas],
  ['GET', '/shares/:share/schemas/:schema/tables', listTables],
  ['GET', '/shares/:share/all-tables', listTables],
  ['GET', TABLE, tellVersion],
  ['GET', `${TABLE}/version`, tellVersion],
  ['GET', `${TABLE}/metadata`, describeTable],
  ['POST', `${TABLE}/query`, queryTable],
  ['GET', `${TABLE}/changes`, refuseChanges],
];

/** Errors are those of the protocol. */
const errorBody: ErrorBody = ({ code, message }) => ({ errorCode: code, message });
/** The tokens of recipients are no API keys: every call checks its own. */
const CONFIG: RouteConfig = { access: 'public', errorBody };

/** Delta Sharing, the read side: other programs read the loan tables of an organization as they are. */
export function addDeltaSharing(app: FastifyInstance, deps: Deps): void {
  const authenticate = createRecipientAuthenticator(deps.db);
  const admitted = new WeakMap<FastifyRequest, Recipient>();
  const paths = CALLS.map(([method, path]) => ({ method, path: `${SHARING_PATH}${path}`, access: 'public' as const }));
  for (const [method, path, handler] of CALLS) {
    app.route({
      method,
      url: `${SHARING_PATH}${path}`,
      config: CONFIG,
      // Before anything else of the request is read.
      onRequest: async (request, reply) => {
        admitted.set(request, await admit(deps, authenticate, request, reply));
      },
      handler: async (request, reply) => {
        const recipient = admitted.get(request);
        if (!recipient) throw new ApiError('KEY_MISSING');
        const params = request.params as Record<string, string>;
        const query = request.query as Record<string, unknown>;
        return reply.send(await handler({ deps, recipient, request, reply, params, query }));
      },
    });
  }
  app.route({
    method: ['GET', 'HEAD'],
    url: `${SHARING_PATH}/files/:token`,
    exposeHeadRoute: false,
    config: CONFIG,
    handler: (request, reply) => sendPart(deps, authenticate, request, reply),
  });
  registerOtherMethods(app, [...paths, { method: 'GET', path: `${SHARING_PATH}/files/:token`, access: 'public' }], { errorBody });
  app.all(`${SHARING_PATH}/*`, { config: CONFIG }, async () => {
    throw notFound('call of Delta Sharing');
  });
}

/** The recipient of a request, within its rate limit; a token that is refused counts for its address. */
async function admit(
  { rateLimiter, config, metrics }: Deps,
  authenticate: RecipientAuthenticator,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Recipient> {
  const consume = async (name: string): Promise<void> => {
    const consumed = await rateLimiter.consume(name, config.rateLimit);
    setLimitHeaders(consumed, reply);
    if (consumed.allowed) return;
    metrics.rateLimited.inc();
    throw rateLimited(consumed, reply);
  };
  const recipient = await authenticate.byToken(request.headers.authorization).catch(async (error: unknown) => {
    if (error instanceof ApiError) await consume(refusedFrom(request.ip));
    throw error;
  });
  await consume(recipient.recipient_id);
  return recipient;
}
