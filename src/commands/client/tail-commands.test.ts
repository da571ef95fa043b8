import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Command } from 'commander';
import { startGateway } from '../../../test/support/gateway.ts';
import { CLI, environmentIn } from '../../../test/support/command-line.ts';
import { temporaryFolder } from '../../../test/support/processes.ts';
import { until } from '../../../test/support/until.ts';
import { addListen } from './listen-command.ts';
import { addTail } from './tail-commands.ts';

test('what follows the events begins at the end of the log with one request, however long the log is', async (t) => {
  await using gateway = await startGateway();
  await gateway.app.listen({ port: 0, host: '127.0.0.1' });
  const holder = await gateway.key('both', 'House');
  for (const event of ['loan.approved', 'sc.completed', 'loan.approved'])
    await gateway.call('POST', '/v1/sandbox/events', { as: holder, body: { event } });
  const { data } = (await gateway.call('GET', '/v1/api/events?order=newest', { as: holder })).body;
  const url = `http://127.0.0.1:${(gateway.app.server.address() as AddressInfo).port}`;
  let asked: URL[] = [];
  gateway.app.server.on('request', (request: IncomingMessage) => {
    if (request.url?.startsWith('/v1/api/events')) asked.push(new URL(request.url, url));
  });
  const followers = {
    tail: async (signal: AbortSignal) => {
      const events = new Command('events').exitOverride();
      addTail(events, async (work) => void (await work(signal)));
      await events.parseAsync(['tail', '--url', url], { from: 'user' });
    },
    listen: async (signal: AbortSignal) => {
      const program = new Command().exitOverride();
      addListen(program, async (work) => void (await work(signal)));
      await program.parseAsync(['listen', '--url', url, '--forward-to', url], { from: 'user' });
    },
  };
  const { SLUICE_KEY } = process.env;
  process.env.SLUICE_KEY = holder.token;
  t.after(() => {
    delete process.env.SLUICE_KEY;
    if (SLUICE_KEY !== undefined) process.env.SLUICE_KEY = SLUICE_KEY;
  });
  for (const [name, follow] of Object.entries(followers)) {
    asked = [];
    const stop = new AbortController();
    const following = follow(stop.signal);
    await until(() => asked.length > 1);
    stop.abort();
    await following;
    const [end, next] = asked.map(({ searchParams }) => Object.fromEntries(searchParams));
    assert.deepEqual(end, { limit: '1', order: 'newest' }, name);
    assert.deepEqual(next, { limit: '100', after: data[0].id }, name);
  }
});

test('what follows the requests prints every one, however many come between two looks and whatever ids they have', async () => {
  const entry = (at: number, request_id: string) => ({
    request_id,
    at: `t${String(at).padStart(4, '0')}`,
    method: 'GET',
    path: '/v1/api/me',
  });
  const log = [entry(0, 'r0')];
  let looks = 0;
  const server = createServer((asked, response) => {
    const cursor = Number(new URL(asked.url ?? '', 'http://x').searchParams.get('cursor') ?? 0);
    if (cursor === 0 && (looks += 1) === 2) {
      // More than a page between two looks, some of them under one id; and the gateway is away for a moment.
      for (let at = 1; at <= 250; at += 1) log.unshift(entry(at, at % 10 === 0 ? 'same' : `r${at}`));
      response.writeHead(500, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ success: false, code: 'INTERNAL', message: 'm', request_id: 'r' }));
    }
    const data = log.slice(cursor, cursor + 100);
    const next_cursor = cursor + 100 < log.length ? String(cursor + 100) : null;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: true, data, pagination: { next_cursor } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  using folder = temporaryFolder();
  const child = spawn(process.execPath, [CLI, 'requests', 'tail', '--json'], {
    env: environmentIn(folder.path, {
      SLUICE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      SLUICE_KEY: 'k',
    }),
  });
  let [printed, told] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
  const lines = () => printed.split('\n').slice(0, -1);
  await until(() => lines().length >= 250 && looks >= 4);
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  server.close();
  assert.equal(code, 0);
  assert.match(told, /waiting for the gateway: m/);
  assert.deepEqual(
    lines().map((line) => JSON.parse(line).at),
    log
      .slice(0, 250)
      .map(({ at }) => at)
      .reverse(),
  );
});
