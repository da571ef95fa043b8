import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OF_WORK } from './connection.ts';
import { createStatements } from './statements.ts';

test('a text has one name, and no two texts share one', () => {
  const statement = createStatements();
  const texts = Array.from({ length: 50 }, (_, index) => `select ${index}`);
  const names = [...texts, ...texts].map((sql) => statement(sql, []).name);
  assert.equal(new Set(names).size, texts.length);
  assert.deepEqual(names.slice(0, texts.length), names.slice(texts.length));
});

test('texts beyond what the sessions keep are sent without a name; known ones keep theirs', () => {
  const statement = createStatements();
  const first = statement('select 0', []).name;
  for (let count = 1; count < 2_000; count += 1) assert.ok(statement(`select ${count}`, []).name);
  assert.equal(statement('select 2000', []).name, undefined);
  assert.equal(statement('select 0', []).name, first);
});

test('each pool has names of its own', () => {
  const [one, other] = [createStatements(), createStatements()];
  one('select 1', []);
  assert.equal(one('select 2', []).name, 's1');
  assert.equal(other('select 2', []).name, 's0');
});

test('work that may take longer has its bound on the statement', () => {
  assert.equal(createStatements()('select 1', [], OF_WORK).query_timeout, OF_WORK.statementMs + 1_000);
  assert.equal('query_timeout' in createStatements()('select 1', []), false);
});
