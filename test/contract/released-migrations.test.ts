import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readMigrations } from '../../src/platform/db/migrate.ts';
import { compareReleased, numberingProblems, problemsOf, readReleased } from '../released-migrations.ts';

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

test('migrations after 0078 are numbered in sequence; a gap, a number taken twice and one before the last are named with the number to take', () => {
  const present = readMigrations().map(({ name }) => name);
  assert.deepEqual(numberingProblems(readReleased(), present), []);
  const released = new Map(['0001_a.sql', '0005_b.sql', '0078_c.sql', '0079_d.sql'].map((name) => [name, name]));
  const add = (...names: string[]): string[] => numberingProblems(released, [...released.keys(), ...names]);
  assert.deepEqual(add('0080_e.sql', '0081_f.sql'), []);
  assert.deepEqual(add('0081_e.sql'), ['db/migrations/0081_e.sql is not the next in the sequence: name it 0080_e.sql.']);
  assert.deepEqual(add('0079_e.sql'), ['db/migrations/0079_e.sql is not the next in the sequence: name it 0080_e.sql.']);
  assert.match(add('0006_e.sql')[0] ?? '', /0006_e\.sql is not the next in the sequence/);
  assert.match(add('0080-e.sql')[0] ?? '', /0080-e\.sql is not the next in the sequence/);
});

test('a migration that makes indexes of a table of before, or counts its rows, is among those that the upgrade says hold tables', () => {
  const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  // Tables of a row for each organization, or for each book: they are small wherever the gateway runs.
  const small = ['organizations', 'deal_demands'];
  const untold = readMigrations()
    .filter(({ name }) => name >= '0111')
    .filter(({ sql }) => {
      const own = new Set([...sql.matchAll(/create table (?:if not exists )?(\w+)/g)].map(([, table]) => table));
      const worked = [...sql.matchAll(/^(?:create (?:unique )?index \w+ on |call sluice_keep_totals\(')(\w+)/gm)];
      return worked.some(([, table = '']) => !own.has(table) && !small.includes(table));
    })
    .map(({ name }) => name.replace('.sql', ''))
    .filter((name) => !page.includes(`| \`${name}\` |`));
  assert.deepEqual(untold, []);
});
