import assert from 'node:assert/strict';
import type { Views } from './lists.ts';
import { type Data, type Market, NAMES } from './members.ts';

/** Acts of the platform by itself, in their order. */
const BY_THE_PLATFORM = [
  ...NAMES.map(() => ['test', 'key.issued']),
  ['payment date', 'remittance.applied'],
  ['payment date', 'remittance.applied'],
];

/** The audit log has every act of the scenario by its key, in order, and nothing else; each organization reads its own entries of it. */
export function checkAudit({ acts }: Market, views: Views): void {
  const log = views.platform.rows('audit').toReversed();
  const keys = new Set(acts.map((act) => act.key_id));
  const expected = acts.flatMap(({ key_id, audited }) => audited.map((action) => [key_id, action]));
  const logged = log.filter((entry) => keys.has(entry.actor));
  assert.deepEqual(
    logged.map(({ actor, action }) => [actor, action]),
    expected,
  );
  const responses = acts.flatMap((act) => act.audited.map(() => `${act.request} ${act.response}`));
  for (const [at, { action, entity_id }] of logged.entries())
    if (action !== 'pledge_conflict.resolved' && action !== 'fixing.set')
      assert.ok(responses[at]?.includes(entity_id), `${action} is about ${entity_id}, the act was ${responses[at]}`);
  assert.deepEqual(
    log.filter((entry) => !keys.has(entry.actor)).map(({ actor, action }) => [actor, action]),
    BY_THE_PLATFORM,
  );
  for (const [at, entry] of log.entries()) {
    assert.equal(entry.sequence, at + 1);
    assert.equal(
      entry.previous_hash,
      at === 0 ? '0'.repeat(64) : log[at - 1].hash,
      `entry ${entry.sequence} follows the one before`,
    );
  }
  const { valid, entries, problems } = views.platform.record('audit/verify');
  assert.deepEqual({ valid, entries, problems }, { valid: true, entries: log.length, problems: [] });
  const operator = views.platform.member.holder.key_id;
  for (const name of NAMES.filter((each) => each !== 'platform')) {
    const { organization_id } = views[name].member.holder;
    const own = views.platform.rows('audit').filter((entry) => entry.organization_id === organization_id);
    // The keys of the platform operator have no name for its customers.
    const asRead = ({ sequence: _s, organization_id: _o, previous_hash: _p, ...entry }: Data): Data => ({
      ...entry,
      actor_name: entry.actor === operator ? null : entry.actor_name,
    });
    assert.deepEqual(views[name].rows('audit'), own.map(asRead), `what ${name} reads of the audit log`);
  }
}
