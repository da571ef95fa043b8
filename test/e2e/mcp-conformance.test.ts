import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer, request as send, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startGateway } from '../support/gateway.ts';
import { addressOf } from '../support/mcp.ts';
import { temporaryFolder } from '../support/processes.ts';

const SUITE = fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));
const EXPECTED = fileURLToPath(new URL('../support/mcp-conformance.yml', import.meta.url));

test('the protocol’s own suite finds nothing at /mcp but what it asks of a test server', async () => {
  using folder = temporaryFolder();
  await using gateway = await startGateway();
  const { token } = await gateway.key('both');
  await using proxy = await withKey(await addressOf(gateway), token);
  const { code, output } = await run(
    ['server', '--url', proxy.url, '--suite', 'all', '--expected-failures', EXPECTED],
    folder.path,
  );
  assert.equal(code, 0, output.slice(-4_000));
  for (const scenario of ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'])
    assert.match(output, new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`));
});

/** The suite knows no keys: what passes here gets one, and stays as it is otherwise, its Host and Origin too. */
async function withKey(address: string, token: string): Promise<{ url: string } & AsyncDisposable> {
  const server: Server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const passed = send(address + (incoming.url ?? ''), { method: incoming.method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function run(args: string[], cwd: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [SUITE, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('exit', (code) => resolve({ code, output }));
  });
}
