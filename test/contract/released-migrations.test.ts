import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMigrations } from '../../src/platform/db/migrate.ts';
import { compareReleased, problemsOf, readReleased } from '../released-migrations.ts';

test('every migration is in the list of released ones, and none has changed since', () => {
  assert.deepEqual(problemsOf(compareReleased(readReleased(), readMigrations())), []);
});

test('a released migration that was edited or removed, and a new one that is not listed, are named with what to do', () => {
  const released = new Map([
    ['0001_a.sql', 'a'],
    ['0002_b.sql', 'b'],
    ['0003_c.sql', 'c'],
  ]);
  const present = [
    { name: '0001_a.sql', sha256: 'a' },
    { name: '0002_b.sql', sha256: 'edited' },
    { name: '0004_d.sql', sha256: 'd' },
  ];
  const differences = compareReleased(released, present);
  assert.deepEqual(differences, { changed: ['0002_b.sql'], missing: ['0003_c.sql'], unlisted: ['0004_d.sql'] });
  const [edited, gone, unlisted] = problemsOf(differences);
  assert.match(edited ?? '', /0002_b\.sql was edited after its release.*new file/);
  assert.match(gone ?? '', /0003_c\.sql was released and is gone/);
  assert.match(unlisted ?? '', /0004_d\.sql is not in db\/migrations\.sha256: run npm run generate/);
});
