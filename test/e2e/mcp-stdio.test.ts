import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { text } from 'node:stream/consumers';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CLI, commandLine, environmentIn } from '../support/command-line.ts';
import { connect, namesOf } from '../support/mcp.ts';
import { startServer, temporaryFolder } from '../support/processes.ts';

const PATH = process.env.PATH ?? '';

const stdio = (env: Record<string, string>, args: string[] = []) =>
  connect(
    new StdioClientTransport({ command: process.execPath, args: [CLI, 'mcp', ...args], env: { PATH, ...env }, stderr: 'ignore' }),
  );

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a test', version: '1' } },
};
const call = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } });

/** Runs the command on lines of input, texts as they are, to its end. */
async function run(env: Record<string, string>, messages: readonly unknown[], args: string[] = []) {
  const child = spawn(process.execPath, [CLI, 'mcp', ...args], { env: { PATH, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {});
  child.stdin.end(messages.map((each) => `${typeof each === 'string' ? each : JSON.stringify(each)}\n`).join(''));
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { output, errors, code: code as number };
}

test('an assistant on the same machine reads and, where it may, changes what its key can', async () => {
  using folder = temporaryFolder();
  await using server = await startServer(folder.path);
  const env = { SLUICE_URL: server.address, SLUICE_KEY: await server.issueKey('Desk', 'investor') };

  await using reader = await stdio(env);
  const tools = await reader.tools();
  assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true));
  assert.ok(namesOf(tools).includes('listMarketDeals') && !namesOf(tools).includes('listPools'));
  assert.equal((await reader.call('getMe')).body.data.role, 'investor');
  assert.equal((await reader.call('markAlerts', { body: {}, confirm: 'markAlerts' })).body.code, 'READ_ONLY');

  await using writer = await stdio(env, ['--allow-writes', '--tools', 'alerts']);
  assert.ok(namesOf(await writer.tools()).includes('markAlerts'));
  const body = { status: 'READ', before: '2026-01-01T00:00:00Z' };
  assert.equal((await writer.call('markAlerts', { body })).body.code, 'CONFIRMATION_REQUIRED');
  const sent = await writer.call('markAlerts', { body, confirm: 'markAlerts' });
  assert.deepEqual([sent.isError, sent.body.data], [false, { updated: 0 }], JSON.stringify(sent.body));

  // Whoever has signed in needs no key in the configuration of the assistant.
  const login = await commandLine(folder.path)(['login', '--url', server.address, '--key-stdin'], env.SLUICE_KEY);
  assert.equal(login.code, 0, login.stderr);
  await using signedIn = await stdio(environmentIn(folder.path));
  assert.equal((await signedIn.call('getMe')).body.data.organization, 'Desk');

  // A key from a file, and the prefix of a gateway that stands behind another server.
  const file = join(folder.path, 'key');
  writeFileSync(file, `${env.SLUICE_KEY}\n`);
  const { output, errors, code } = await run({ SLUICE_URL: `${server.address}/`, SLUICE_KEY_FILE: file }, [
    HELLO,
    call(2, 'getMe'),
    { ...call(3, 'getMe'), params: { name: 'getMe', arguments: 'x' } },
  ]);
  assert.equal(code, 0, errors);
  const lines = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { jsonrpc: string; id: number; error?: { code: number } })
    .sort((one, other) => one.id - other.id);
  assert.deepEqual(
    lines.map(({ jsonrpc, id, error }) => [jsonrpc, id, error?.code]),
    [
      ['2.0', 1, undefined],
      ['2.0', 2, undefined],
      ['2.0', 3, -32_602],
    ],
  );
  assert.match(errors, /as investor, read-only/);
});

test('a start that cannot work says why on standard error and ends', async () => {
  using folder = temporaryFolder();
  const nobody = 'http://127.0.0.1:9';
  for (const [env, args, code, words] of [
    [{ HOME: folder.path }, [], 3, /you are not signed in: sluice login, or set SLUICE_KEY/],
    [{ SLUICE_KEY: 'x', SLUICE_URL: 'ftp://x' }, [], 2, /the address ftp:\/\/x is not a URL of http or https/],
    [{ SLUICE_KEY: 'x', SLUICE_URL: nobody }, ['--tools', 'wonders'], 2, /--tools: "wonders" is no set of tools/],
    [{ SLUICE_KEY: 'x', SLUICE_URL: nobody }, [], 7, /no response from http:\/\/127\.0\.0\.1:9/],
  ] as const) {
    const ended = await run(env, [HELLO], [...args]);
    assert.deepEqual([ended.output, ended.code], ['', code], ended.errors);
    assert.match(ended.errors, words);
  }
});

test('a line that is no message is answered as an error of JSON-RPC, and those behind it are read', async () => {
  const gateway = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: true, data: { role: 'investor', environment: 'development' } }));
  });
  await once(gateway.listen(0, '127.0.0.1'), 'listening');
  const env = { SLUICE_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`, SLUICE_KEY: 'x' };
  const lines = ['no JSON', HELLO, '[]', { jsonrpc: '1.0', id: 2, method: 'ping' }, { jsonrpc: '2.0', id: 3, method: 'ping' }];
  const { output, errors, code } = await run(env, lines);
  assert.equal(code, 0, errors);
  const answers = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(answers.map(({ id, error }) => [id, error?.code]).sort(), [
    [null, -32_600],
    [null, -32_600],
    [null, -32_700],
    [1, undefined],
    [3, undefined],
  ]);
  assert.doesNotMatch(errors, /invalid_union/, 'no dump of a schema');
  const tooLong = await run(env, ['x'.repeat(11_000_000)]);
  assert.equal(tooLong.code, 1);
  assert.match(tooLong.errors, /exceeded maximum size/);
  gateway.close();
});

test('a gateway that goes away leaves no doubt about what was not answered, and its key goes nowhere else', async () => {
  const seen: string[] = [];
  let mode: 'answer' | 'cut' | 'redirect' = 'answer';
  const gateway = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    if (mode === 'cut') return void request.socket.destroy();
    if (mode === 'redirect') return void response.writeHead(307, { location: `http://127.0.0.1:${port(elsewhere)}/` }).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: true, data: { role: 'investor', environment: 'development' } }));
  });
  const elsewhere = createServer((_request, response) => {
    seen.push('elsewhere');
    response.end();
  });
  const port = (server: typeof gateway): number => (server.address() as AddressInfo).port;
  for (const server of [gateway, elsewhere]) await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await using writer = await stdio({ SLUICE_URL: `http://127.0.0.1:${port(gateway)}`, SLUICE_KEY: 'x' }, ['--allow-writes']);
    mode = 'cut';
    const read = await writer.call('getMe');
    assert.deepEqual([read.isError, read.body.code], [true, 'NO_RESPONSE']);
    const body = { tranche_id: 'x', amount: 1 };
    const order = await writer.call('placeOrder', { dealId: 'deal_1', body, confirm: 'placeOrder' });
    assert.match(
      order.body.message,
      /Whether the change has happened is not known: repeat the same call with idempotency_key: "[\w-]{36}"/,
    );
    mode = 'redirect';
    assert.equal((await writer.call('getMe')).body.code, 'NO_RESPONSE');
    assert.ok(!seen.includes('elsewhere'));
    assert.ok(seen.includes('POST /v1/api/investor/deals/deal_1/orders'));
    // What would be resolved to another path is not sent.
    const count = seen.length;
    const climbing = { dealId: '..', body, confirm: 'placeOrder' };
    assert.equal((await writer.call('placeOrder', climbing)).body.code, 'INVALID_ARGUMENT');
    assert.equal(seen.length, count);
  } finally {
    for (const server of [gateway, elsewhere]) {
      server.closeAllConnections();
      server.close();
    }
  }
});
