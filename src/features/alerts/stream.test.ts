import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { raiseAlert } from '../../events/emit.ts';
import { listAlertsAfter } from './queries.ts';
import { until } from '../../../test/support/until.ts';

const raise = (gateway: Gateway, holder: Holder, title: string): Promise<void> =>
  gateway.deps.db.tx({ platform: true }, (tx) =>
    raiseAlert(tx, holder.organization_id, 'loan.mapping_needed', {
      category: 'deal',
      priority: 'HIGH',
      title,
      message: 'A message with\na second line',
      entity_type: 'deal',
      entity_id: 'deal_1',
    }),
  );

type Stream = { response: IncomingMessage; titles: string[]; ids: string[]; ended: Promise<void>; close(): void };

const connectionsOf = (gateway: Gateway): Promise<number> =>
  promisify(gateway.app.server.getConnections.bind(gateway.app.server))();

function follow(
  gateway: Gateway,
  holder: Holder,
  lastId?: string,
  onFirst: (response: IncomingMessage) => void = () => {},
): Promise<Stream> {
  const { port } = gateway.app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        port,
        host: '127.0.0.1',
        path: '/v1/api/alerts/stream',
        agent: false,
        headers: { authorization: `Bearer ${holder.token}`, ...(lastId ? { 'last-event-id': lastId } : {}) },
      },
      (response) => {
        const stream: Stream = {
          response,
          titles: [],
          ids: [],
          ended: new Promise((done) => response.on('close', done)),
          close: () => outgoing.destroy(),
        };
        let text = '';
        response.on('error', () => {});
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          const frames = text.split('\n\n');
          text = frames.pop() ?? '';
          for (const frame of frames) {
            const match = /^id: (.+)\nevent: alert\ndata: (.+)$/.exec(frame);
            if (!match) continue;
            stream.ids.push(match[1] ?? '');
            stream.titles.push(JSON.parse(match[2] ?? '{}').title);
          }
          if (stream.titles.length === 0) onFirst(response);
          resolve(stream);
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

test('the stream of alerts', async (t) => {
  await using gateway = await startGateway();
  await gateway.app.listen({ port: 0, host: '127.0.0.1' });
  const [ours, theirs] = [await gateway.key('originator', 'Ours'), await gateway.key('investor', 'Theirs')];

  await t.test('tells of alerts as they are raised, the organization’s own only', async () => {
    await raise(gateway, ours, 'before');
    const stream = await follow(gateway, ours);
    assert.match(String(stream.response.headers['content-type']), /^text\/event-stream/);
    await raise(gateway, theirs, 'theirs');
    await raise(gateway, ours, 'one');
    await raise(gateway, ours, 'two');
    await until(() => stream.titles.length >= 2);
    assert.deepEqual(stream.titles, ['one', 'two']);
    stream.close();
  });

  await t.test('gives a client that comes back what it missed, from the alert that it names', async () => {
    const first = await follow(gateway, ours);
    await raise(gateway, ours, 'seen');
    await until(() => first.titles.length === 1);
    first.close();
    for (const title of ['missed 1', 'missed 2']) await raise(gateway, ours, title);
    const second = await follow(gateway, ours, first.ids[0]);
    await until(() => second.titles.length === 2);
    assert.deepEqual(second.titles, ['missed 1', 'missed 2']);
    second.close();
  });

  await t.test('goes on behind an alert that is not there any more, and from now on where none is named', async () => {
    const first = await follow(gateway, ours);
    await raise(gateway, ours, 'taken back');
    await until(() => first.titles.length === 1);
    first.close();
    await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec('delete from alerts where alert_id = $1', [first.ids[0]]));
    await raise(gateway, ours, 'raised since');
    const behind = await follow(gateway, ours, first.ids[0]);
    await until(() => behind.titles.length > 0);
    assert.deepEqual(behind.titles, ['raised since']);
    for (const lastId of ['no-alert', `alt_${'z'.repeat(26)}`]) {
      const stream = await follow(gateway, ours, lastId);
      await raise(gateway, ours, lastId);
      await until(() => stream.titles.length > 0);
      assert.deepEqual(stream.titles, [lastId]);
      stream.close();
    }
    behind.close();
  });

  await t.test('passes over no alert that a slower transaction commits after a quicker one', async () => {
    const stream = await follow(gateway, ours);
    let begun = (_at: number): void => {};
    const started = new Promise<number>((resolve) => (begun = resolve));
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const slow = gateway.deps.db.tx({ platform: true }, async (tx) => {
      begun(tx.now.getTime());
      await held;
      const notice = {
        category: 'deal',
        priority: 'LOW',
        title: 'slow',
        message: '-',
        entity_type: 'deal',
        entity_id: 'd',
      } as const;
      await raiseAlert(tx, ours.organization_id, 'loan.mapping_needed', notice);
    });
    // The quicker one begins in a later millisecond: within one, neither would be the earlier alert.
    const slowBegan = await started;
    const clock = (): Promise<number> => gateway.deps.db.tx({ platform: true }, async (tx) => tx.now.getTime());
    while ((await clock()) <= slowBegan);
    await raise(gateway, ours, 'quick');
    release();
    await slow;
    await until(() => stream.titles.length === 2);
    assert.deepEqual(stream.titles, ['slow', 'quick']);
    stream.close();
  });

  await t.test('ends when its key is revoked', async () => {
    const doomed = await gateway.key('originator', 'Doomed');
    const operator = await gateway.key('operator', 'Platform');
    const stream = await follow(gateway, doomed);
    await gateway.call('POST', `/v1/operator/keys/${doomed.key_id}/revoke`, { as: operator });
    await stream.ended;
  });

  await t.test('ends when its key is revoked, also where the client takes nothing of what it has missed', async () => {
    const doomed = await gateway.key('originator', 'Doomed and slow');
    const operator = await gateway.key('operator', 'Platform');
    const first = await follow(gateway, doomed);
    await raise(gateway, doomed, 'seen');
    await until(() => first.ids.length === 1);
    first.close();
    // More than the buffers between the two take.
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(
        `insert into alerts (alert_id, organization_id, type, category, priority, title, message)
         select alert_id || '_' || n, organization_id, type, category, priority, 'missed', repeat('-', 20000)
         from alerts, generate_series(1, 1000) n where alert_id = $1`,
        [first.ids[0]],
      ),
    );
    await until(async () => (await connectionsOf(gateway)) === 0);
    const slow = await follow(gateway, doomed, first.ids[0], (response) => response.pause());
    await gateway.call('POST', `/v1/operator/keys/${doomed.key_id}/revoke`, { as: operator });
    await until(async () => (await connectionsOf(gateway)) === 0, 120_000, 'the end of the stream');
    slow.close();
  });

  await t.test('refuses more streams than an organization may have', async () => {
    const many = await gateway.key('both', 'Many');
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow(gateway, many)));
    assert.equal((await gateway.call('GET', '/v1/api/alerts/stream', { as: many })).status, 429);
    for (const stream of streams) stream.close();
  });

  await t.test('ends when the gateway stops', async () => {
    const stream = await follow(gateway, ours);
    await Promise.all([gateway.app.close(), stream.ended]);
  });
});

test('a stream whose clock is set back goes on with what is raised then', async () => {
  await using gateway = await startGateway();
  const ours = await gateway.key('originator', 'Ours');
  const list = (at: string) =>
    gateway.deps.db.tx({ platform: true }, (tx) => listAlertsAfter(tx, ours.organization_id, { at, id: 'alt_z' }, 100));
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  assert.deepEqual(await list(inAnHour), []);
  await raise(gateway, ours, 'since');
  // Until the transaction that raised it is settled.
  await until(async () => (await list(inAnHour)).length === 1);
  const [since] = await list(inAnHour);
  assert.ok(since);
  assert.equal(since.title, 'since');
  assert.deepEqual(await list(since.at), [], 'and sends it once');
});
