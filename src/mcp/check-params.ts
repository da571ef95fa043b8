import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  type JSONRPCMessage,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

/** The requests that the server answers. */
const REQUESTS = [
  InitializeRequestSchema,
  ListToolsRequestSchema,
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  CompleteRequestSchema,
];

/** Connects a server to which wrong parameters do not come: the protocol's package answers them with an internal error and a dump. */
export async function connectChecked(server: Server, transport: Transport): Promise<void> {
  await server.connect(transport);
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const problem = problemOf(message);
    if (problem === null || !('id' in message) || message.id === undefined) return deliver?.(message, extra);
    const error = { code: ErrorCode.InvalidParams, message: problem };
    transport.send({ jsonrpc: '2.0', id: message.id, error }).catch((reason: unknown) => transport.onerror?.(reason as Error));
  };
}

/** The first problem of the parameters of a request, in words; null where they are as they should be. */
function problemOf(message: JSONRPCMessage): string | null {
  if (!('method' in message)) return null;
  const schema = REQUESTS.find((each) => each.shape.method.value === message.method);
  const [first] = schema?.safeParse(message).error?.issues ?? [];
  if (!first) return null;
  const words = first.message.replace(/^Invalid input: /, '').replaceAll('record', 'object');
  return `${first.path.join('.')}: ${words}`;
}
