import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openWorkDir } from './work-dir.ts';

test('a folder for work', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'sluice-work-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const leave = (name: string): string => {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'canonical.csv'), 'left');
    return join(root, name);
  };

  await t.test('is one process’s own, also of two parts of one process, and goes with it', () => {
    const [one, two] = [openWorkDir(root), openWorkDir(root)];
    assert.notEqual(one.path, two.path);
    assert.ok(existsSync(one.path) && existsSync(two.path));
    one.remove();
    assert.deepEqual(
      readdirSync(root).map((name) => join(root, name)),
      [two.path],
    );
    two.remove();
  });

  await t.test('is cleared of what dead processes of this machine left, and of nothing that may be in use', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const machine = hostname().replace(/[^\w-]/g, '_');
    const dead = leave(`${machine}.${pid}.abc`);
    const living = leave(`${machine}.${process.ppid}.abc`);
    const elsewhere = leave(`another.${pid}.abc`);
    const longGone = leave(`another.${pid}.old`);
    const before = leave(`${machine}.${process.pid}.old`);
    const twoDaysAgo = Date.now() / 1_000 - 2 * 86_400;
    for (const path of [longGone, before]) utimesSync(path, twoDaysAgo, twoDaysAgo);
    openWorkDir(root).remove();
    assert.deepEqual([dead, living, elsewhere, longGone, before].map(existsSync), [false, true, true, false, false]);
  });

  await t.test('is in use for other machines as long as its process lives, and is there again when it was removed', (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const ours = openWorkDir(root);
    const theirs = join(root, `another.${process.pid}.xyz`);
    const threeDaysAgo = Date.now() / 1_000 - 3 * 86_400;
    utimesSync(ours.path, threeDaysAgo, threeDaysAgo);
    t.mock.timers.tick(3_600_000);
    // As a process of another machine sees it.
    renameSync(ours.path, theirs);
    openWorkDir(root).remove();
    assert.ok(existsSync(theirs));
    t.mock.timers.tick(3_600_000);
    mkdtempSync(join(ours.path, 'ingest-'));
    ours.remove();
    t.mock.timers.tick(3_600_000);
    assert.ok(!existsSync(ours.path));
  });
});
