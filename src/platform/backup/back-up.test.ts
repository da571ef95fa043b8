import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { STORED_OBJECTS } from '../../stored-objects.ts';
import { backUp } from './back-up.ts';
import type { Manifest } from './manifest.ts';
import { storeWith } from '../../../test/support/stores.ts';

const ABOUT = { version: '0', keys: { signing: null, encryption: null } };

/** A backup into a folder of its own, from a store in which something happens when a key is read. */
async function backUpWhile(
  gateway: Gateway,
  happens: (key: string) => Promise<void>,
): Promise<{ manifest: Manifest; files: string[]; log: string[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-backup-'));
  const log: string[] = [];
  const store = storeWith(gateway.deps.store, {
    get: async (key) => {
      await happens(key);
      return await gateway.deps.store.get(key);
    },
  });
  try {
    const url = gateway.deps.databaseUrl;
    const manifest = await backUp({
      directory,
      url,
      store,
      references: STORED_OBJECTS,
      about: ABOUT,
      log: (line) => void log.push(line),
    });
    const listed = readFileSync(join(directory, 'objects.jsonl'), 'utf8').trim().split('\n');
    const files = readdirSync(join(directory, 'objects'), { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    );
    assert.equal(files.length, listed.length);
    return { manifest, files: listed.map((line) => (JSON.parse(line) as { key: string }).key), log };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Bytes that were uploaded, as the receiver of a PUT leaves them; what they replace is deleted after the commit, as it does. */
async function upload(gateway: Gateway, id: string, key: string, replaced: string | null = null): Promise<void> {
  const stored = await gateway.deps.store.put(key, Readable.from([Buffer.from(key)]), 1_000);
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec(
      `insert into uploads (upload_id, organization_id, purpose, file_key, file_name, max_bytes, expires_at, status, object_key, size, sha256)
       values ($1, 'org_one', 'tape', $1, 'tape.csv', 1000, now(), 'UPLOADED', $2, $3, $4)
       on conflict (upload_id) do update set object_key = excluded.object_key, size = excluded.size, sha256 = excluded.sha256`,
      [id, key, stored.size, stored.sha256],
    ),
  );
  if (replaced) await gateway.deps.store.delete(replaced);
}

test('a backup takes another moment when an object of its first one went away before it was copied', async () => {
  await using gateway = await startGateway();
  await upload(gateway, 'first', 'uploads/first');
  const happened = new Set<string>();
  const { manifest, files, log } = await backUpWhile(gateway, async (key) => {
    if (happened.has(key)) return;
    happened.add(key);
    // While the first is copied, before the snapshot, a second one arrives; it is replaced as soon as the snapshot wants it.
    if (key === 'uploads/first') await upload(gateway, 'second', 'uploads/second-1');
    if (key === 'uploads/second-1') await upload(gateway, 'second', 'uploads/second-2', key);
  });
  assert.deepEqual(files, ['uploads/first', 'uploads/second-2']);
  assert.deepEqual(manifest.problems, []);
  assert.equal(log.filter((line) => /taking another snapshot/.test(line)).length, 1);
});

test('a backup holds no object that its moment no longer names', async () => {
  await using gateway = await startGateway();
  await upload(gateway, 'first', 'uploads/first-1');
  await upload(gateway, 'second', 'uploads/second');
  const { files, manifest } = await backUpWhile(gateway, async (key) => {
    if (key === 'uploads/first-1') await upload(gateway, 'first', 'uploads/first-2');
  });
  assert.deepEqual(files, ['uploads/first-2', 'uploads/second']);
  assert.deepEqual(manifest.problems, []);
});

test('a backup tells of bytes that are not those that the database recorded', async () => {
  await using gateway = await startGateway();
  await upload(gateway, 'first', 'uploads/first');
  await gateway.deps.store.put('uploads/first', Readable.from([Buffer.from('other')]), 1_000);
  const { manifest } = await backUpWhile(gateway, async () => {});
  assert.deepEqual(manifest.problems, [{ key: 'uploads/first', problem: 'differs' }]);
});
