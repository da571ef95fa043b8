import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import type { Page, PageRequest } from '../pages.ts';
import { pageOfFile } from './cursor.ts';
import { createCursorSigner } from './cursor-signer.ts';

const positions = fc.array(fc.option(fc.string({ unit: 'binary' }).map((text) => text.toWellFormed())), { maxLength: 4 });

test('a cursor is the position that it was made from, for its list and its key alone', () => {
  const [ours, theirs] = [createCursorSigner('one key'), createCursorSigner('another key')];
  fc.assert(
    fc.property(positions, fc.string(), (position, list) => {
      const cursor = ours.sign(list, position);
      assert.match(cursor, /^[\w.-]+$/, 'it needs no encoding in an address');
      assert.deepEqual(ours.open(list, cursor), position);
      assert.equal(ours.open(`${list} `, cursor), null);
      assert.equal(theirs.open(list, cursor), null);
    }),
  );
});

test('no change of its text makes another cursor', () => {
  const signer = createCursorSigner('a key');
  const cursor = signer.sign('a list', ['2026-01-01 00:00:00.123456+00', 'alt_1']);
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.= ';
  for (let at = 0; at <= cursor.length; at += 1) {
    if (at < cursor.length) assert.equal(signer.open('a list', cursor.slice(0, at) + cursor.slice(at + 1)), null);
    for (const other of characters) {
      if (other === cursor[at]) continue;
      const changed = cursor.slice(0, at) + other + cursor.slice(at + 1);
      assert.equal(signer.open('a list', changed), null, changed);
      assert.equal(signer.open('a list', cursor.slice(0, at) + other + cursor.slice(at)), null);
    }
  }
});

test('a cursor of rows in a file is refused when another file has taken its place', async () => {
  const rows = ['a', 'b', 'c'];
  const list = async ({ cursor }: PageRequest): Promise<Page<string>> => {
    const from = cursor ? Number(cursor[0]) : 0;
    return { rows: rows.slice(from, from + 1), total: null, next: from + 1 < rows.length ? [String(from + 1)] : null };
  };
  const walked: string[] = [];
  let cursor: PageRequest['cursor'];
  do {
    const page = await pageOfFile('version 1', { page: 1, limit: 1, cursor }, list);
    walked.push(...page.rows);
    cursor = page.next ?? undefined;
  } while (cursor);
  assert.deepEqual(walked, rows);
  const { next } = await pageOfFile('version 1', { page: 1, limit: 1 }, list);
  await assert.rejects(pageOfFile('version 2', { page: 1, limit: 1, cursor: next ?? [] }, list), { code: 'VALIDATION_FAILED' });
});
