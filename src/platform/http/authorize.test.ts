import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayReach } from './may-reach.ts';
import type { Access, Role } from './route.ts';

/** Who reaches what: one line per access, as the documentation states it. */
const REACH: Record<Access, Role[]> = {
  originator: ['originator', 'both'],
  investor: ['investor', 'both'],
  customer: ['originator', 'investor', 'both'],
  operator: ['operator'],
  key: ['originator', 'investor', 'both', 'operator'],
  public: ['originator', 'investor', 'both', 'operator'],
};

for (const [access, roles] of Object.entries(REACH) as [Access, Role[]][]) {
  test(`${access} routes are reached by ${roles.join(', ')} and no other role`, () => {
    const reaching = (['originator', 'investor', 'both', 'operator'] as const).filter((role) => mayReach(role, access));
    assert.deepEqual(reaching, roles);
  });
}
