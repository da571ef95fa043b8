import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Gateway, Holder } from '../../../../test/support/gateway.ts';
import { emitAsGiven } from '../../../events/emit.ts';
import type { EventName } from '../../../events/events.ts';
import { sampleOf } from '../../../events/samples.ts';
import type { Tx } from '../../../platform/db/database.ts';

/** An address where nothing listens, for tests that send nothing. */
export const NOWHERE = 'http://127.0.0.1:1025/hook';

/** A key of an organization that no other test has. */
export const newHolder = (gateway: Gateway): Promise<Holder> => gateway.key('both', `House ${randomUUID()}`);

export async function subscribe(
  gateway: Gateway,
  as: Holder,
  url = NOWHERE,
  body: Record<string, unknown> = {},
): Promise<{ id: string; secret: string }> {
  const created = await gateway.call('POST', '/v1/api/webhooks/subscriptions', { as, body: { url, ...body } });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  return created.body.data;
}

/** Emits events as a business change does; without data, samples. */
export async function fire(
  gateway: Gateway,
  holder: Holder,
  event: EventName = 'loan.approved',
  { data = sampleOf(event), count = 1 }: { data?: object; count?: number } = {},
): Promise<void> {
  const one = { organization_id: holder.organization_id, event, data, alert: null };
  const emissions = Array.from({ length: count }, () => one);
  for (let start = 0; start < count; start += 1_000)
    await inPlatform(gateway, (tx) => emitAsGiven(tx, emissions.slice(start, start + 1_000)));
}

export const inPlatform = <Result>(gateway: Gateway, work: (tx: Tx) => Promise<Result>): Promise<Result> =>
  gateway.deps.db.tx({ platform: true }, work);
