import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pino from 'pino';
import { until } from '../../../test/support/until.ts';
import { keepCopiesInUse } from './copies.ts';
import { createS3Store } from './s3-store.ts';

test('copies that were not used for a day go at the start and every hour; others stay', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'sluice-copies-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'tapes'));
  const copy = (name: string, hours: number): string => {
    const path = join(root, 'tapes', name);
    writeFileSync(path, 'x');
    const at = new Date(Date.now() - hours * 3_600_000);
    utimesSync(path, at, at);
    return path;
  };
  const [old, inUse] = [copy('old', 25), copy('in-use', 23)];
  t.mock.timers.enable({ apis: ['setInterval'] });
  const store = createS3Store({ bucket: 'b', endpoint: null, region: 'us-east-1', prefix: '' }, root);
  await using _copies = keepCopiesInUse(store, pino({ level: 'silent' }));
  await until(() => !existsSync(old));
  const later = copy('later', 25);
  t.mock.timers.tick(3_600_000);
  await until(() => !existsSync(later));
  assert.ok(existsSync(inUse));
});
