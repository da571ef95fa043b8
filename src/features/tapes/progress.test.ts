import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { autoTape, seller, type Seller } from '../../../test/support/tapes.ts';
import { until } from '../../../test/support/until.ts';
import type { Compute } from '../../platform/compute/compute.ts';
import { ingestTape } from './ingest-tape.ts';
import type { ChecksProgress, Tape } from './queries.ts';
import { recordProgress } from './record-progress.ts';

const going = new AbortController().signal;

async function tapeOf(gateway: Gateway, dealId: string): Promise<Tape> {
  const [tape] = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<Tape>('select * from tapes where deal_id = $1 order by version desc limit 1', [dealId]),
  );
  assert.ok(tape);
  return tape;
}

test('the progress of checks', async (t) => {
  await using gateway = await startGateway();
  const progressOf = async (ours: Seller, dealId: string): Promise<ChecksProgress | null> =>
    (await ours.deal(dealId)).qc.progress;
  const showsDone = (ours: Seller, dealId: string, done: number) => async () => (await progressOf(ours, dealId))?.done === done;

  await t.test('is shown with the deal while the checks run, and not before or after', async () => {
    const ours = await seller(gateway, 'Followed');
    const dealId = await ours.sent(autoTape(20));
    assert.equal(await progressOf(ours, dealId), null);
    let shown: ChecksProgress | null = null;
    const compute: Compute = {
      async run(task, input, options) {
        const output = await gateway.deps.compute.run(task, input, options);
        await until(async () => (shown = await progressOf(ours, dealId))?.stage === 'WRITING');
        return output;
      },
      [Symbol.asyncDispose]: async () => {},
    };
    await ingestTape({ ...gateway.deps, compute }, await tapeOf(gateway, dealId), going);
    assert.deepEqual(shown, { stage: 'WRITING', done: 0, total: 20 });
    const deal = await ours.deal(dealId);
    assert.deepEqual([deal.qc.state, deal.qc.progress], ['DONE', null]);
    await ours.map(dealId, { source: 'FICO', target: null });
    assert.equal(await progressOf(ours, dealId), null, 'new checks begin without the progress of the old ones');
  });

  await t.test('is written at a new stage, within one at most once a second, and never after the end', async () => {
    const ours = await seller(gateway, 'Written');
    const dealId = await ours.sent();
    let now = 5_000;
    const record = recordProgress(gateway.deps, await tapeOf(gateway, dealId), () => now);
    const tell = (stage: ChecksProgress['stage'], done: number) => record.tell({ stage, done, total: 100 });
    tell('READING', 1);
    await until(showsDone(ours, dealId, 1));
    now += 999;
    for (let done = 2; done < 50; done += 1) tell('READING', done);
    tell('MATCHING', 50);
    await until(showsDone(ours, dealId, 50));
    assert.deepEqual(await progressOf(ours, dealId), { stage: 'MATCHING', done: 50, total: 100 });
    now += 1_000;
    tell('MATCHING', 51);
    await until(showsDone(ours, dealId, 51));
    await record.end();
    tell('CHECKING', 52);
    await record.end();
    assert.deepEqual(await progressOf(ours, dealId), { stage: 'MATCHING', done: 51, total: 100 });
  });

  await t.test('is not written again within the second', async () => {
    const ours = await seller(gateway, 'Counted');
    const dealId = await ours.sent();
    const tape = await tapeOf(gateway, dealId);
    const writes = async () =>
      (
        await gateway.deps.db.tx({ platform: true }, (tx) =>
          tx.rows<{ xmin: string }>('select xmin::text as xmin from tapes where deal_id = $1', [dealId]),
        )
      )[0]?.xmin;
    const record = recordProgress(gateway.deps, tape, () => 5_000);
    record.tell({ stage: 'READING', done: 1, total: 9 });
    await until(showsDone(ours, dealId, 1));
    const written = await writes();
    for (let done = 2; done < 9; done += 1) record.tell({ stage: 'READING', done, total: 9 });
    await record.end();
    assert.equal(await writes(), written);
  });

  await t.test('of a run that was superseded is left out', async () => {
    const ours = await seller(gateway, 'Superseded');
    const dealId = await ours.sent();
    const tape = await tapeOf(gateway, dealId);
    const old = recordProgress(gateway.deps, { ...tape, run: tape.run - 1 });
    const current = recordProgress(gateway.deps, tape);
    current.tell({ stage: 'READING', done: 3, total: 9 });
    await until(showsDone(ours, dealId, 3));
    old.tell({ stage: 'CHECKING', done: 7, total: 9 });
    await old.end();
    assert.deepEqual(await progressOf(ours, dealId), { stage: 'READING', done: 3, total: 9 });
    await current.end();
  });
});
