import type { IncomingHttpHeaders } from 'node:http';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { createMcpServer, type McpOptions } from './server.ts';

const ANY_ADDRESS = 'http://localhost/mcp';
/** What the protocol reads of a request. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id', 'last-event-id'];

/** The response to one message, by a server and a transport of its own. */
export async function answerMessage(headers: IncomingHttpHeaders, message: unknown, options: McpOptions): Promise<Response> {
  const server = createMcpServer(options);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
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
