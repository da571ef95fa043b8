import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isShown, waits, waitsAmong, waitsUntil } from '../../console/src/screens/people/waits.ts';

const rows = [
  { created_at: '2026-03-03', due: '2026-05-02', asked: true },
  { created_at: '2026-03-02', due: '2026-05-01', asked: false },
  { created_at: '2026-03-01', due: null, asked: true },
];
const list = (total: number | null) => ({ data: rows, pagination: { total } });
const dueOf = ({ due }: (typeof rows)[number]): string | null => due;

test('what waits has its number, its newest and its first deadline', () => {
  assert.deepEqual(waits(list(7)), { total: 7, newest: '2026-03-03', deadline: null });
  assert.deepEqual(waitsUntil(list(3), dueOf), { total: 3, newest: '2026-03-03', deadline: '2026-05-01' });
  assert.deepEqual(
    waitsAmong(list(3), ({ asked }) => asked, dueOf),
    { total: 2, newest: '2026-03-03', deadline: '2026-05-02' },
  );
  assert.deepEqual(waitsUntil({ data: [], pagination: { total: 0 } }, dueOf), { total: 0, newest: null, deadline: null });
});

test('a deadline, or a number, that is of the newest records alone says so', () => {
  assert.match(waitsUntil(list(101), dueOf).note ?? '', /first of the newest 3/);
  assert.match(waitsAmong(list(101), ({ asked }) => asked, dueOf).note ?? '', /among the newest 3/);
  assert.equal(waits(list(101)).note, undefined);
  const none = () => false;
  assert.deepEqual(
    [3, 101].map((total) => isShown(waitsAmong(list(total), none, dueOf))),
    [false, true],
  );
});
