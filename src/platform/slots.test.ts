import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { createSlots } from './slots.ts';

test('an organization holds at most so many, and gives each back once', () => {
  const slots = createSlots();
  const [first, second] = [slots.take('org_a', 2), slots.take('org_a', 2)];
  assert.ok(first && second);
  assert.equal(slots.take('org_a', 2), null);
  first();
  first();
  assert.ok(slots.take('org_a', 2));
  assert.equal(slots.take('org_a', 2), null, 'giving back twice makes no second slot');
});

test('whatever is taken and given back, each organization holds what it has taken, up to its limit', () => {
  const Step = fc.tuple(fc.constantFrom('org_a', 'org_b'), fc.boolean());
  fc.assert(
    fc.property(fc.array(Step), (steps) => {
      const slots = createSlots();
      const held: Record<string, (() => void)[]> = { org_a: [], org_b: [] };
      for (const [organization, takes] of steps) {
        const own = held[organization] ?? [];
        if (!takes) {
          own.pop()?.();
          continue;
        }
        const release = slots.take(organization, 3);
        assert.equal(release === null, own.length === 3);
        if (release) own.push(release);
      }
    }),
  );
});
