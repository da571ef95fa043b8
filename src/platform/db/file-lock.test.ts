import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { mountTiny } from '../../../test/support/tiny-disk.ts';
import { createWhole, lockFile } from './file-lock.ts';

test('a lock between processes', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-lock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'lock');

  await t.test('is one holder’s at a time, and the next one’s when it is given back', async () => {
    const held: number[] = [];
    let inside = 0;
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const release = await lockFile(path, 5_000);
        inside += 1;
        assert.equal(inside, 1);
        await new Promise(setImmediate);
        held.push(index);
        inside -= 1;
        release();
      }),
    );
    assert.equal(held.length, 10);
    assert.equal(existsSync(path), false);
  });

  await t.test('is refused, with the holder named, while a running process keeps it', async () => {
    writeFileSync(path, String(process.ppid));
    const young = Date.now() / 1_000 + 60;
    utimesSync(path, young, young);
    await assert.rejects(lockFile(path, 100), new RegExp(`process \\(${process.ppid}\\) holds`));
    rmSync(path);
  });

  await t.test('that a dead process left is taken over at once', async () => {
    writeFileSync(path, String(spawnSync(process.execPath, ['-e', '']).pid));
    (await lockFile(path, 100))();
    writeFileSync(path, '');
    (await lockFile(path, 100))();
  });

  await t.test('older than anybody may hold it is taken over even when its process id is another’s by now', async () => {
    writeFileSync(path, String(process.ppid));
    const before = Date.now() / 1_000 - 10;
    utimesSync(path, before, before);
    (await lockFile(path, 5_000))();
  });

  await t.test('leaves nothing behind', () => assert.deepEqual(readdirSync(folder), []));
});

test('a file that is made whole is made once and keeps what its first maker wrote', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-lock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'key');
  assert.deepEqual([createWhole(path, 'first'), createWhole(path, 'second')], [true, false]);
  assert.equal(readFileSync(path, 'utf8'), 'first');
  assert.deepEqual(readdirSync(folder), ['key']);
});

test('a lock that cannot be written, for want of room, leaves nothing behind', async (t) => {
  const disk = mountTiny();
  if (!disk) return t.skip('no file system can be mounted');
  t.after(() => disk.unmount());
  disk.fill();
  const before = readdirSync(disk.path);
  await assert.rejects(lockFile(join(disk.path, 'lock'), 1_000), { code: 'ENOSPC' });
  assert.deepEqual(readdirSync(disk.path), before);
});
