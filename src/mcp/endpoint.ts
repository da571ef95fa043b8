import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import inject from 'light-my-request';
import type { Deps } from '../platform/deps.ts';
import { ApiError } from '../platform/http/errors.ts';
import type { RouteConfig } from '../platform/http/options.ts';
import type { Route } from '../platform/http/route.ts';
import { registerOtherMethods } from '../platform/http/server.ts';
import type { CallApi } from './api.ts';
import type { DescribeApi } from './api-description.ts';
import { readConnection } from './connection.ts';
import { checkOrigin } from './origin.ts';
import { rpcError } from './rpc-error.ts';

const MCP_PATH = '/mcp';
const CONFIG: RouteConfig = { access: 'key', errorBody: rpcError };

/** The routes that this process serves, and their description. */
type Api = { routes: readonly Route[]; describeApi: DescribeApi };

/**
 * The Model Context Protocol over streamable HTTP: a message a POST, its response as JSON. There is no session and no stream, so any process
 * responds to any message. The tools call the API of this process with the key of the message.
 */
export function addMcp(app: FastifyInstance, deps: Deps, api: Api): void {
  void app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => checkOrigin(deps, request));
    scope.post(MCP_PATH, { config: CONFIG }, (request, reply) => respond(app, deps, api, request, reply));
  });
  registerOtherMethods(app, [{ path: MCP_PATH, method: 'POST', access: 'key' }], { errorBody: rpcError });
}

async function respond(
  app: FastifyInstance,
  deps: Deps,
  { routes, describeApi }: Api,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { caller } = request;
  if (!caller) throw new ApiError('KEY_MISSING');
  if (Array.isArray(request.body))
    throw new ApiError('BAD_REQUEST', 'A list of messages is not taken: send one message a request.');
  const connection = readConnection(request.query as Record<string, unknown>, routes);
  // The protocol's package takes longer to load than the rest of a start.
  const { answerMessage } = await import('./answer-message.ts');
  const response = await answerMessage(request.headers, request.body, {
    ...connection,
    routes,
    describeApi,
    user: caller,
    callApi: inProcess(app, request),
    onDefect: (error) => deps.log.error({ request_id: request.id, err: error }, 'a tool call failed'),
  });
  const type = response.headers.get('content-type');
  if (type !== null) reply.header('content-type', type);
  return reply.status(response.status).send(await response.text());
}

/** Requests of the API with the key, the version and the address of a message, through everything that a request from outside passes. */
function inProcess(app: FastifyInstance, { headers, ip }: FastifyRequest): CallApi {
  const version = headers['sluice-version'];
  return async ({ method, path, headers: own, body }) => {
    const {
      statusCode,
      headers: sent,
      payload,
    } = await inject((raw, response) => app.routing(raw, response), {
      method,
      url: path,
      remoteAddress: ip,
      headers: {
        ...own,
        authorization: headers.authorization,
        ...(version === undefined ? {} : { 'sluice-version': version }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    const pairs = Object.entries(sent).map(([name, value]): [string, string] => [name, String(value)]);
    return { status: statusCode, headers: new Headers(pairs), text: payload };
  };
}
