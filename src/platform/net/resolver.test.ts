import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startNameServer } from '../../../test/support/name-server.ts';
import type { Resolver } from './lookup.ts';
import { createResolver } from './resolver.ts';

const LOOPBACK_6 = [...Array<number>(15).fill(0), 1];

test('the look-up of a receiver’s name', async (t) => {
  await using server = await startNameServer({
    'both.example': { A: '192.0.2.1', AAAA: LOOPBACK_6 },
    'old.example': { A: '192.0.2.2' },
    'half.example': { A: '192.0.2.4', AAAA: 'silent' },
    'listed.example': { A: '192.0.2.3' },
    'silent.example': 'silent',
  });
  const folder = mkdtempSync(join(tmpdir(), 'sluice-hosts-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const hostsFile = join(folder, 'hosts');
  writeFileSync(hostsFile, '127.0.0.1 localhost\n10.0.0.9\tother.example Listed.example # not.example\n');
  const asked: string[] = [];
  const bySystem: Resolver = async (name) => {
    asked.push(name);
    return [{ address: '10.0.0.9', family: 4 }];
  };
  const withSystem = (system: Resolver) => createResolver({ servers: [server.address], hostsFile, system });
  const resolve = withSystem(bySystem);
  const addressesOf = async (name: string) => (await resolve(name)).map(({ address, family }) => [address, family]);

  await t.test('gives all addresses that the name servers know, of either kind', async () => {
    assert.deepEqual(await addressesOf('both.example'), [
      ['192.0.2.1', 4],
      ['::1', 6],
    ]);
    assert.deepEqual(await addressesOf('old.example'), [['192.0.2.2', 4]]);
    assert.deepEqual(asked, [], 'the system looked up nothing');
  });

  await t.test('waits hardly longer where no name server answers for addresses of the other kind', async () => {
    const began = performance.now();
    assert.deepEqual(await addressesOf('half.example'), [['192.0.2.4', 4]]);
    assert.ok(performance.now() - began < 2_000, 'less than its tries of a name server take');
  });

  await t.test('leaves to the system what its file of hosts has, and what no name server knows', async () => {
    for (const name of ['listed.example', 'localhost', 'not.example', 'receiver.namespace'])
      assert.deepEqual(await addressesOf(name), [['10.0.0.9', 4]]);
    assert.deepEqual(asked, ['listed.example', 'localhost', 'not.example', 'receiver.namespace']);
    assert.ok(!server.asked.includes('listed.example'), 'the file of hosts comes first');
  });

  await t.test('of which the name server is silent ends, and occupies none of the system’s look-ups', async () => {
    asked.length = 0;
    const names = Array.from({ length: 20 }, () => resolve('silent.example'));
    const settled = await Promise.allSettled(names);
    assert.ok(settled.every((each) => each.status === 'rejected' && each.reason.code === 'EAI_AGAIN'));
    assert.deepEqual(asked, []);
    assert.ok(server.asked.includes('silent.example'));
  });

  await t.test('occupies at most one of the system’s look-ups, in the order in which names are asked for', async () => {
    const gate = Promise.withResolvers<void>();
    const order: string[] = [];
    let most = 0;
    let running = 0;
    const first = Promise.withResolvers<void>();
    const slow = withSystem(async (name) => {
      running += 1;
      most = Math.max(most, running);
      order.push(name);
      first.resolve();
      await gate.promise;
      running -= 1;
      if (name === 'b.unknown') throw new Error('failed');
      return [];
    });
    const a = slow('a.unknown');
    await first.promise;
    const others = [slow('b.unknown'), slow('c.unknown')];
    gate.resolve();
    const settled = await Promise.allSettled([a, ...others]);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual([most, order.length, order[0]], [1, 3, 'a.unknown']);
  });
});
