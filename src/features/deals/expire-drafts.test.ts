import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { seller, type Seller } from '../../../test/support/tapes.ts';
import { expireDrafts } from './expire-drafts.ts';

const DAY = 86_400;

/** Makes a draft look as if nothing had happened to it for that long, and expires what is due. */
async function idleFor(gateway: Gateway, dealId: string, seconds: number): Promise<void> {
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec('update deals set updated_at = sluice_now() - make_interval(secs => $2) where deal_id = $1', [dealId, seconds]),
  );
  await expireDrafts(gateway.deps.db);
}

test('a draft that nobody touches', async (t) => {
  await using gateway = await startGateway();
  const draftOf = async (name: string): Promise<{ ours: Seller; dealId: string }> => {
    const ours = await seller(gateway, name);
    return { ours, dealId: await ours.uploaded() };
  };
  const alertTypes = async (ours: Seller, dealId: string) => (await ours.alerts(dealId)).map(({ type }) => type);

  await t.test('makes one alert after 27 days and expires after 30, by the platform’s clock', async () => {
    const { ours, dealId } = await draftOf('Clock');
    await gateway.advance(27 * DAY + 60);
    await expireDrafts(gateway.deps.db);
    await expireDrafts(gateway.deps.db);
    assert.deepEqual(await alertTypes(ours, dealId), ['loan.draft_expiring']);
    assert.equal((await ours.deal(dealId)).status, 'DRAFT');
    await gateway.advance(3 * DAY);
    await expireDrafts(gateway.deps.db);
    assert.equal((await ours.deal(dealId)).status, 'EXPIRED');
  });

  await t.test('is told of three days before, and not a minute earlier', async () => {
    const { ours, dealId } = await draftOf('Alerted');
    await idleFor(gateway, dealId, 27 * DAY - 60);
    assert.deepEqual(await alertTypes(ours, dealId), []);
    await idleFor(gateway, dealId, 27 * DAY + 60);
    const [alert, ...more] = await ours.alerts(dealId);
    assert.deepEqual([alert?.type, alert?.priority, more], ['loan.draft_expiring', 'MEDIUM', []]);
    assert.match(alert?.message ?? '', /expires in 3 days/);
  });

  await t.test('is a draft to the last minute; then it is EXPIRED, with its event, its reason and no tape', async () => {
    const { ours, dealId } = await draftOf('Expired');
    await idleFor(gateway, dealId, 30 * DAY - 60);
    assert.equal((await ours.deal(dealId)).status, 'DRAFT');
    await idleFor(gateway, dealId, 30 * DAY + 60);
    const deal = await ours.deal(dealId);
    const { from, to, actor, reason } = deal.history.at(-1);
    assert.deepEqual([deal.status, from, to, actor, reason], ['EXPIRED', 'DRAFT', 'EXPIRED', 'platform', 'idle for 30 days']);
    assert.deepEqual(
      (await ours.events(dealId)).map(({ event, data }) => [event, data.previous_status, data.current_status]),
      [['deal.status_changed', 'DRAFT', 'EXPIRED']],
    );
    assert.deepEqual(await alertTypes(ours, dealId), ['deal.status_changed', 'loan.draft_expiring']);
    await expireDrafts(gateway.deps.db);
    assert.equal((await ours.events(dealId)).length, 1, 'it expires once');
  });

  await t.test('makes room for the next one when it expires, and is itself at its end', async () => {
    const { ours, dealId } = await draftOf('Freed');
    await idleFor(gateway, dealId, 31 * DAY);
    assert.equal((await ours.initiate()).status, 201);
    const refused = [
      await ours.complete(dealId),
      await ours.call('PATCH', `/${dealId}`, {}),
      await ours.call('DELETE', `/${dealId}`),
    ];
    for (const { status, body } of refused)
      assert.deepEqual([status, body.code, body.current_status], [409, 'INVALID_TRANSITION', 'EXPIRED']);
  });

  await t.test('begins to count anew with a new address, and is told of once more', async () => {
    const { ours, dealId } = await draftOf('Touched');
    await idleFor(gateway, dealId, 28 * DAY);
    assert.equal((await ours.call('PATCH', `/${dealId}`, {})).status, 200);
    await expireDrafts(gateway.deps.db);
    assert.deepEqual(await alertTypes(ours, dealId), ['loan.draft_expiring']);
    await idleFor(gateway, dealId, 28 * DAY);
    assert.deepEqual(await alertTypes(ours, dealId), ['loan.draft_expiring', 'loan.draft_expiring']);
  });

  await t.test('expires once when two processes look at once', async () => {
    const { ours, dealId } = await draftOf('Twice');
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(`update deals set updated_at = sluice_now() - interval '40 days' where deal_id = $1`, [dealId]),
    );
    await Promise.all([1, 2, 3].map(() => expireDrafts(gateway.deps.db)));
    assert.equal((await ours.events(dealId)).length, 1);
  });

  await t.test('is a DRAFT: a deal that is in review or checked waits as long as it takes', async () => {
    const ours = await seller(gateway, 'Reviewed');
    const [waiting, checked] = [await ours.sent(undefined, 'Student'), await ours.sent()];
    await gateway.runJobs();
    for (const dealId of [waiting, checked]) await idleFor(gateway, dealId, 400 * DAY);
    assert.deepEqual([(await ours.deal(waiting)).status, (await ours.deal(checked)).status], ['QC_COMPLETED', 'QC_COMPLETED']);
    const inReview = await ours.sent();
    await idleFor(gateway, inReview, 400 * DAY);
    assert.equal((await ours.deal(inReview)).status, 'IN_REVIEW');
  });
});
