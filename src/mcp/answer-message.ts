import type { IncomingHttpHeaders } from 'node:http';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { ApiError } from '../platform/http/errors.ts';
import { connectChecked } from './check-params.ts';
import { createMcpServer, type McpOptions } from './server.ts';

const ANY_ADDRESS = 'http://localhost/mcp';
/** What the protocol reads of a request. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id', 'last-event-id'];

/** The response to one message, by a server and a transport of its own. 400 for what is none. */
export async function answerMessage(headers: IncomingHttpHeaders, message: unknown, options: McpOptions): Promise<Response> {
  if (message === undefined) throw new ApiError('MALFORMED_JSON');
  if (!JSONRPCMessageSchema.safeParse(message).success)
    throw new ApiError(
      'BAD_REQUEST',
      'The body is no message of JSON-RPC: send an object with jsonrpc "2.0", an id, a method and params as an object.',
    );
  const server = createMcpServer(options);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  try {
    await connectChecked(server, transport);
    const given = HEADERS.flatMap((name): [string, string][] => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    });
    const request = new Request(ANY_ADDRESS, { method: 'POST', headers: given });
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}
