import assert from 'node:assert/strict';
import { test } from 'node:test';
import { membersOf } from '../../console/src/app/found-group.ts';

const MEMBERS = Array.from({ length: 7 }, (_, index) => ({
  member_id: `mem_${index}`,
  name: `Ada ${index}`,
  email: `ada${index}@harbor.example`,
}));

test('members are found by name, address or id; that there are more, or that not all were looked at, is said', () => {
  const found = (text: string, left = false) => {
    const { label, entries } = membersOf({ read: MEMBERS, left }, text);
    return [label, entries.map(({ id }) => id)];
  };
  for (const text of ['ada 3', 'ADA3@', 'mem_3']) assert.deepEqual(found(text), ['Members', ['mem_3']]);
  assert.deepEqual(found('harbor'), ['Members: the first ones', ['mem_0', 'mem_1', 'mem_2', 'mem_3', 'mem_4']]);
  assert.deepEqual(found('nobody'), ['Members', []]);
  assert.deepEqual(found('nobody', true), ['Members', ['members']]);
  assert.deepEqual(membersOf({ read: MEMBERS, left: true }, 'nobody').entries[0]?.note, 'Only the newest 7 were searched');
});
