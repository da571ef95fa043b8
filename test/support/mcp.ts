import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Gateway, Holder } from './gateway.ts';

/** The text of a result, read as JSON: a test reads any field of it. */
// oxlint-disable-next-line typescript/no-explicit-any
export type ToolAnswer = { isError: boolean; body: any; bytes: number };

export type Assistant = AsyncDisposable & {
  client: Client;
  tools(): Promise<Tool[]>;
  call(name: string, given?: Record<string, unknown>): Promise<ToolAnswer>;
};

/** The address at which the gateway of a test listens, from the first call on. */
export async function addressOf({ app }: Gateway): Promise<string> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

/** The official client with a key, over HTTP. */
export async function assistantOf(gateway: Gateway, holder: Holder, query = ''): Promise<Assistant> {
  const url = new URL(`${await addressOf(gateway)}/mcp${query}`);
  return connect(
    new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { authorization: `Bearer ${holder.token}` } },
    }),
  );
}

export async function connect(transport: Transport): Promise<Assistant> {
  const client = new Client({ name: 'a test', version: '1' });
  await client.connect(transport);
  return {
    client,
    tools: async () => (await client.listTools()).tools,
    call: async (name, given = {}) => {
      const { content, isError } = await client.callTool({ name, arguments: given });
      const [first, ...others] = content as { type: string; text: string }[];
      assert.ok(first?.type === 'text' && others.length === 0, 'a result is one text');
      return { isError: isError === true, body: JSON.parse(first.text) as unknown, bytes: Buffer.byteLength(first.text) };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export const namesOf = (tools: readonly Tool[]): string[] => tools.map(({ name }) => name);
