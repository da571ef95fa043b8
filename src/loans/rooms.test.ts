import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

/** The rooms of the loan table from the lowest up; a file may import its own room and those below. */
const ROOMS = [
  'types.ts',
  'engine',
  'dictionary',
  'reading',
  'values',
  'identity',
  'mapping',
  'checks',
  'ingest',
  'export',
  'criteria',
  'analytics',
  'servicing',
  'generate',
  'tasks',
];

test('a room of the loan table imports only rooms below it', () => {
  const files = globSync('**/*.ts', { cwd: import.meta.dirname }).filter((file) => !/\.test\.ts$|(^|\/)testing\//.test(file));
  const rank = (file: string) => ROOMS.indexOf(file.split('/')[0]);
  assert.deepEqual(
    files.filter((file) => rank(file) === -1),
    [],
  );
  const upward = files.flatMap((from) =>
    [...readFileSync(join(import.meta.dirname, from), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)]
      .map((match) => normalize(join(dirname(from), match[1])))
      .filter((to) => !to.startsWith('..') && rank(to) > rank(from))
      .map((to) => `${from} -> ${to}`),
  );
  assert.deepEqual(upward, []);
});
