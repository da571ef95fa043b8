import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Command } from 'commander';
import { startGateway } from '../../../test/support/gateway.ts';
import { until } from '../../../test/support/until.ts';
import { listen } from '../listen.ts';
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
    listen: (signal: AbortSignal) => listen({ gateway: url, key: holder.token, forwardTo: url, signal, log: () => {} }),
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
