import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { mountTiny } from '../../../test/support/tiny-disk.ts';
import fc from '../../../test/support/property.ts';
import { createLocalStore } from './local-store.ts';
import { ObjectDamaged, TooLarge } from './store.ts';

test('objects in local files', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'sluice-store-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const store = createLocalStore(root);
  const files = (): string[] =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name);

  await t.test('come back as they went in, with their size and hash', async () => {
    const bytes = randomBytes(300_000);
    const stored = await store.put('a/b/c', Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]), 300_000);
    assert.deepEqual(stored, { size: 300_000, sha256: createHash('sha256').update(bytes).digest('hex') });
    assert.ok((await buffer((await store.get('a/b/c'))?.stream as Readable)).equals(bytes));
    assert.ok(readFileSync((await store.localPath('a/b/c')) as string).equals(bytes));
    assert.deepEqual(await store.stat('a/b/c'), { size: 300_000 });
    await store.delete('a/b/c');
    assert.deepEqual([await store.get('a/b/c'), await store.stat('a/b/c'), await store.localPath('a/b/c')], [null, null, null]);
    assert.deepEqual(files(), []);
  });

  await t.test('are listed by how their keys start, in any folder', async () => {
    for (const key of ['list/one', 'list/two/three', 'list/two/four', 'list/twofold', 'other'])
      await store.put(key, Readable.from([Buffer.from(key)]), 100);
    const listed = async (prefix: string) =>
      (await Array.fromAsync(store.list(prefix), ({ key, size }) => `${key} ${size}`)).sort();
    assert.deepEqual(await listed('list/two'), ['list/two/four 13', 'list/two/three 14', 'list/twofold 12']);
    assert.deepEqual(await listed('list/two/'), ['list/two/four 13', 'list/two/three 14']);
    assert.deepEqual(await listed('nothing/'), []);
    assert.equal((await listed('')).length, 5);
    for (const key of ['list/one', 'list/two/three', 'list/two/four', 'list/twofold', 'other']) await store.delete(key);
  });

  await t.test('over their limit by one byte are refused and leave nothing behind', async () => {
    await store.put('limit', Readable.from([Buffer.alloc(100)]), 100);
    await assert.rejects(store.put('over', Readable.from([Buffer.alloc(100), Buffer.alloc(1)]), 100), TooLarge);
    assert.equal(await store.stat('over'), null);
    assert.deepEqual(files(), ['limit']);
  });

  await t.test('that break off keep what was there before', async () => {
    await store.put('kept', Readable.from([Buffer.from('whole')]), 100);
    const broken = new Readable({ read() {} });
    broken.push('ha');
    setImmediate(() => broken.destroy(new Error('the sender went away')));
    await assert.rejects(store.put('kept', broken, 100), /went away/);
    assert.equal((await buffer((await store.get('kept'))?.stream as Readable)).toString(), 'whole');
    assert.deepEqual(files().sort(), ['kept', 'limit']);
  });

  await t.test('have keys that stay in the store', async () => {
    for (const key of ['../outside', 'a/../../outside', '..', '']) {
      await assert.rejects(store.put(key, Readable.from([Buffer.from('x')]), 100), /leaves the store/, key);
    }
  });

  await t.test('are read for use only when they are the bytes that were stored', async () => {
    const stored = await store.put('checked', Readable.from([Buffer.from('the bytes')]), 100);
    const path = (await store.localPath('checked', stored)) as string;
    writeFileSync(path, 'the bytez');
    await assert.rejects(store.localPath('checked', stored), ObjectDamaged);
    assert.equal(await store.localPath('checked'), path);
    await store.delete('checked');
  });

  await t.test('that writers left unfinished go when they are old, and no whole one does', async () => {
    const stalled = new Readable({ read() {} });
    stalled.push('half');
    const writing = store.put('stalled', stalled, 100);
    while (!files().some((name) => /^[0-9a-f-]{36}$/.test(name))) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await store.removeUnfinished([], new Date(Date.now() - 60_000)), 0);
    assert.equal(await store.removeUnfinished([], new Date(Date.now() + 60_000)), 1);
    stalled.push(null);
    await assert.rejects(writing, { code: 'ENOENT' });
    assert.deepEqual(files().sort(), ['kept', 'limit']);
  });

  await t.test('are listed by the age of their last write, for whoever removes what nothing names', async () => {
    const keysBefore = (before: Date) => Array.fromAsync(store.localKeys('', before));
    assert.deepEqual(await keysBefore(new Date(0)), []);
    assert.deepEqual((await keysBefore(new Date(Date.now() + 60_000))).sort(), ['kept', 'limit']);
    assert.deepEqual(await Array.fromAsync(store.localKeys('no such folder', new Date())), []);
  });

  await t.test('come back whole whatever pieces they are sent in, and are measured right', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 200 }), { maxLength: 20 }), async (pieces) => {
        const whole = Buffer.concat(pieces);
        const stored = await store.put('pieces', Readable.from(pieces.map((each) => Buffer.from(each))), whole.length);
        assert.deepEqual(stored, { size: whole.length, sha256: createHash('sha256').update(whole).digest('hex') });
        assert.ok((await buffer((await store.get('pieces'))?.stream as Readable)).equals(whole));
      }),
      { numRuns: 30 },
    );
  });
});

test('the folder of the objects may be a disk of its own, and one that takes no files is not ready', async (t) => {
  const disk = mountTiny();
  if (!disk) return t.skip('no file system can be mounted here');
  t.after(disk.unmount);
  const root = mkdtempSync(join(tmpdir(), 'sluice-store-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  symlinkSync(disk.path, join(root, 'objects'));
  const store = createLocalStore(root);
  await store.ready();
  const { size } = await store.put('tapes/a', Readable.from([Buffer.from('bytes')]), 5);
  assert.deepEqual(await store.stat('tapes/a'), { size });
  assert.equal(spawnSync('mount', ['-o', 'remount,ro', disk.path]).status, 0);
  await assert.rejects(store.ready(), { code: 'EROFS' });
  // Also where a folder would have to be made first.
  for (const key of ['tapes/b', 'tapes/deal/version/c', 'pools/d'])
    await assert.rejects(store.put(key, Readable.from([Buffer.from('bytes')]), 5), { code: 'EROFS' }, key);
});

test('a folder that cannot be read is a failure and no missing object', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'sluice-store-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  symlinkSync(join(root, 'objects'), join(root, 'objects'));
  const store = createLocalStore(root);
  for (const act of [
    () => store.stat('k'),
    () => store.get('k'),
    () => store.localPath('k'),
    () => Array.fromAsync(store.list('folder/')),
    () => Array.fromAsync(store.localKeys('', new Date())),
  ])
    await assert.rejects(act, { code: 'ELOOP' });
});
