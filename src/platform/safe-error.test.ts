import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { startGateway } from '../../test/support/gateway.ts';
import { safeError, withoutValues } from './safe-error.ts';

const SECRET = 'Quackenbush';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

const saysNothing = (thrown: unknown): void => {
  for (const said of [JSON.stringify(safeError(thrown)), inspect(withoutValues(thrown), { showHidden: true })])
    assert.ok(!said.includes(SECRET), said);
};

test('what a parser read is left out, and where it was thrown is kept', () => {
  const error = thrownBy(() => JSON.parse(`{"name": ${SECRET}}`));
  saysNothing(error);
  saysNothing(new Error('the manifest cannot be read', { cause: error }));
  saysNothing(new AggregateError([error, error], SECRET));
  saysNothing(thrownBy(() => BigInt(SECRET)));
  const { name, stack = [] } = safeError(error);
  assert.equal(name, 'SyntaxError');
  assert.match(stack.join('\n'), /safe-error\.test/);
});

test('of an error that hides another one, which closing something has thrown, the other one is kept', () => {
  const { name, message } = safeError(new SuppressedError(new Error('closing failed'), new RangeError('the reason')));
  assert.deepEqual([name, message], ['RangeError', 'the reason']);
});

test('a stack whose message has several lines gives its frames alone', () => {
  const error = new RangeError(`too long\n    ${SECRET}`);
  assert.ok(safeError(error).stack?.every((line) => /^\s+at /.test(line)));
});

test('a value that the database refuses is left out, with its row, and the constraint is named', async () => {
  await using gateway = await startGateway();
  const owner = await gateway.owner();
  try {
    await owner.query('create table rows (name text not null, day date, constraint rows_named check (name <> day::text))');
    const refused = async (sql: string, values: unknown[]) =>
      owner.query(sql, values).then(
        () => assert.fail(sql),
        (error: unknown) => error,
      );
    const missing = await refused('insert into rows values (null, $1::text::date)', ['2026-01-01']);
    const unreadable = await refused('insert into rows values ($1::text, $1::text::date)', [SECRET]);
    const number = await refused('select $1::text::int', [SECRET]);
    for (const error of [missing, unreadable, number]) {
      saysNothing(error);
      assert.match(String(safeError(error).code), /^[0-9A-Z]{5}$/);
    }
    assert.equal(safeError(missing).column, 'name');
  } finally {
    await owner.end();
  }
});

test('an error of ours keeps its words, and a thrown value that is none its kind', () => {
  assert.equal(withoutValues(new TypeError('no such field')).message, 'no such field');
  assert.equal(safeError(SECRET).name, 'string');
  saysNothing(SECRET);
});
