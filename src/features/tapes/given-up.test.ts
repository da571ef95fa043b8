import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { startSilentProxy } from '../../../test/support/silent-proxy.ts';
import { storeWith } from '../../../test/support/stores.ts';
import { autoTape, seller, type Seller } from '../../../test/support/tapes.ts';
import { mountTiny } from '../../../test/support/tiny-disk.ts';
import type { Deps } from '../../platform/deps.ts';
import { openDatabase } from '../../platform/db/database.ts';
import { StoreUnavailable } from '../../platform/files/store.ts';
import { WorkerStopping } from '../../platform/jobs/stopping.ts';
import { ingestTape } from './ingest-tape.ts';
import type { Tape } from './queries.ts';

const going = new AbortController().signal;

async function tapeOf(gateway: Gateway, dealId: string): Promise<Tape> {
  const [tape] = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<Tape>('select * from tapes where deal_id = $1 order by version desc limit 1', [dealId]),
  );
  return tape as Tape;
}

/** Takes the object of a deal's newest tape away until it is given back. */
async function withoutObject(gateway: Gateway, dealId: string): Promise<() => Promise<void>> {
  const { object_key } = await tapeOf(gateway, dealId);
  const gone = `uploads/gone/${dealId}`;
  const rename = (from: string, to: string) =>
    gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec('update tapes set object_key = $2 where object_key = $1', [from, to]).then(() => undefined),
    );
  await rename(object_key, gone);
  return () => rename(gone, object_key);
}

/** Attempts of the checks as the queue makes them; what became of each. */
async function attempts(gateway: Gateway, dealId: string, count: number, deps: Deps = gateway.deps): Promise<string[]> {
  const outcomes: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const run = ingestTape(deps, await tapeOf(gateway, dealId), going);
    outcomes.push(
      await run.then(
        () => 'ended',
        () => 'again',
      ),
    );
  }
  return outcomes;
}

test('a tape whose checks the platform gives up', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const alerts = async (ours: Seller, dealId: string) =>
    (await ours.alerts(dealId)).filter(({ type }) => type === 'loan.checks_failed');
  const approve = (dealId: string) => gateway.call('POST', `/v1/operator/deals/${dealId}/approve`, { as: operator });
  const recheck = (ours: Seller, dealId: string) => ours.call('POST', `/${dealId}/recheck`);
  /** A deal in review whose checks were given up because its file could not be read; `giveBack` brings the file back. */
  const givenUp = async (name: string) => {
    const ours = await seller(gateway, name);
    const dealId = await ours.sent(autoTape(20));
    const giveBack = await withoutObject(gateway, dealId);
    const outcomes = await attempts(gateway, dealId, 3);
    return { ours, dealId, giveBack, outcomes };
  };

  await t.test('after its third attempt stays in review, FAILED with a reason, an alert HIGH and no event', async () => {
    const { ours, dealId, outcomes } = await givenUp('Third');
    assert.deepEqual(outcomes, ['again', 'again', 'ended']);
    const deal = await ours.deal(dealId);
    assert.deepEqual([deal.status, deal.qc.state, deal.loan_count, deal.tape_version], ['IN_REVIEW', 'FAILED', 0, null]);
    assert.match(deal.qc.reason, /could not finish the checks/);
    const [alert, ...more] = await alerts(ours, dealId);
    assert.deepEqual([alert?.priority, alert?.message, more], ['HIGH', deal.qc.reason, []]);
    assert.equal((await ours.events(dealId)).length, 1, 'nothing but its move to IN_REVIEW');
    assert.doesNotMatch(JSON.stringify([deal, alert]), /uploads\/|\/tmp|not in the store/);
  });

  await t.test('cannot be approved', async () => {
    const { dealId } = await givenUp('Unapproved');
    const refused = await approve(dealId);
    assert.deepEqual([...codeOf(refused), refused.body.current_status], [409, 'INVALID_TRANSITION', 'IN_REVIEW']);
  });

  await t.test('is checked again on request, by its owner only and only while it is FAILED', async () => {
    const { ours, dealId, giveBack } = await givenUp('Rechecked');
    await giveBack();
    assert.equal((await recheck(await seller(gateway, 'Stranger'), dealId)).status, 404);
    assert.equal((await recheck(ours, 'deal_nope')).status, 404);
    const queued = await recheck(ours, dealId);
    assert.deepEqual([queued.status, queued.body.data.status], [202, 'IN_REVIEW'], JSON.stringify(queued.body));
    const running = await ours.deal(dealId);
    assert.deepEqual([running.qc.state, running.qc.reason], ['RUNNING', null]);
    assert.deepEqual(codeOf(await recheck(ours, dealId)), [409, 'INVALID_TRANSITION']);
    await gateway.runJobs();
    const deal = await ours.deal(dealId);
    assert.deepEqual([deal.status, deal.qc.state, deal.loan_count], ['QC_COMPLETED', 'DONE', 20]);
    assert.equal((await recheck(ours, dealId)).status, 409);
  });

  await t.test('is checked again once, however often that is requested at once', async () => {
    const { ours, dealId, giveBack } = await givenUp('At once');
    await giveBack();
    const answers = await Promise.all([1, 2, 3].map(() => recheck(ours, dealId)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409, 409]);
    await gateway.runJobs();
    assert.deepEqual((await ours.events(dealId)).length, 2);
  });

  await t.test('is not checked again once the deal is decided, nor where there are no checks that FAILED', async () => {
    const { ours, dealId, giveBack } = await givenUp('Rejected');
    await giveBack();
    const body = { reason: 'Seen.' };
    assert.equal((await gateway.call('POST', `/v1/operator/deals/${dealId}/reject`, { as: operator, body })).status, 200);
    const late = await recheck(ours, dealId);
    assert.deepEqual([...codeOf(late), late.body.current_status], [409, 'INVALID_TRANSITION', 'REJECTED']);
    const draft = await ours.uploaded(autoTape(3), { loanType: 'Student' });
    const early = await recheck(ours, draft);
    assert.deepEqual([...codeOf(early), early.body.current_status], [409, 'INVALID_TRANSITION', 'DRAFT']);
    assert.match(early.body.message ?? '', /it has no tape/);
  });

  await t.test('that only a changed mapping brought under the checks keeps its loans, and is not approved on them', async () => {
    const ours = await seller(gateway, 'Remapped');
    const dealId = await ours.checked(autoTape(20));
    const mapped = await ours.map(dealId, { source: 'New/Used', target: null });
    assert.equal(mapped.status, 202, JSON.stringify(mapped.body));
    const giveBack = await withoutObject(gateway, dealId);
    assert.deepEqual(await attempts(gateway, dealId, 3), ['again', 'again', 'ended']);
    const deal = await ours.deal(dealId);
    assert.deepEqual([deal.status, deal.qc.state, deal.loan_count], ['QC_COMPLETED', 'FAILED', 20]);
    const refused = await approve(dealId);
    assert.deepEqual([...codeOf(refused), refused.body.allowed], [409, 'INVALID_TRANSITION', ['REJECTED']]);
    await giveBack();
    assert.equal((await recheck(ours, dealId)).status, 202);
    await gateway.runJobs();
    assert.equal((await ours.deal(dealId)).qc.state, 'DONE');
    const { data } = (await ours.call('GET', `/${dealId}/mapping`)).body;
    assert.deepEqual(data.unmapped, ['New/Used'], 'with the mapping that was requested');
    assert.equal((await approve(dealId)).status, 200);
  });

  await t.test('may be followed by a new version, which a merge without loans before it does not become', async () => {
    const { ours, dealId } = await givenUp('Followed');
    const merged = await ours.version(dealId, autoTape(30), 'MERGE');
    assert.deepEqual([merged.status, merged.qc.state, merged.loan_count], ['IN_REVIEW', 'FAILED', 0]);
    assert.match(merged.qc.reason, /no earlier version to merge into/);
    assert.equal((await alerts(ours, dealId)).length, 2);
    const whole = await ours.version(dealId, autoTape(30), 'REPLACE');
    assert.deepEqual([whole.status, whole.qc.state, whole.loan_count], ['QC_COMPLETED', 'DONE', 30]);
  });

  await t.test('raises no alert when the deal was decided before it was given up', async () => {
    const ours = await seller(gateway, 'Decided');
    const dealId = await ours.sent();
    await withoutObject(gateway, dealId);
    const body = { reason: 'Seen.' };
    await gateway.call('POST', `/v1/operator/deals/${dealId}/reject`, { as: operator, body });
    assert.deepEqual(await attempts(gateway, dealId, 3), ['again', 'again', 'ended']);
    assert.deepEqual([(await ours.deal(dealId)).qc.state, await alerts(ours, dealId)], ['FAILED', []]);
  });
});

test('an attempt of a tape', async (t) => {
  await using gateway = await startGateway();
  const sent = async (name: string) => {
    const ours = await seller(gateway, name);
    const dealId = await ours.sent();
    const state = async () => {
      const tape = await tapeOf(gateway, dealId);
      return [tape.state, tape.attempts];
    };
    return { ours, dealId, state };
  };
  const unavailable = (): Deps => {
    const localPath = async () => {
      throw new StoreUnavailable('silent');
    };
    return { ...gateway.deps, store: storeWith(gateway.deps.store, { localPath }) };
  };

  await t.test('is not spent when its worker stops', async () => {
    const { dealId, state } = await sent('Stopping');
    const stopping = new AbortController();
    stopping.abort(new WorkerStopping());
    for (let times = 0; times < 5; times += 1)
      await assert.rejects(ingestTape(gateway.deps, await tapeOf(gateway, dealId), stopping.signal));
    assert.deepEqual(await state(), ['RUNNING', 0]);
  });

  await t.test('is not spent while the object store does not answer', async () => {
    const { dealId, state } = await sent('Silent');
    assert.deepEqual(await attempts(gateway, dealId, 5, unavailable()), Array(5).fill('again'));
    assert.deepEqual(await state(), ['RUNNING', 0]);
  });

  await t.test('is not spent when the database goes away in the middle of it and comes back', async () => {
    const { dealId, state } = await sent('Restarted');
    await using proxy = await startSilentProxy(gateway.deps.databaseUrl);
    await using db = openDatabase({ url: proxy.url(gateway.deps.databaseUrl) });
    const localPath = async () => {
      proxy.refuse(3);
      return await db.direct('select 1').then(() => null);
    };
    const cutOff: Deps = { ...gateway.deps, db, store: storeWith(gateway.deps.store, { localPath }) };
    for (let times = 0; times < 4; times += 1) assert.deepEqual(await attempts(gateway, dealId, 1, cutOff), ['again']);
    assert.deepEqual(await state(), ['RUNNING', 0]);
  });

  await t.test('is not spent when its job was taken from a worker that lives', async () => {
    const { dealId, state } = await sent('Late');
    const late = AbortSignal.abort(new Error("the job is no longer active under this worker's claim"));
    for (let times = 0; times < 4; times += 1)
      await assert.rejects(ingestTape(gateway.deps, await tapeOf(gateway, dealId), late), /claim/);
    assert.deepEqual(await state(), ['RUNNING', 0]);
  });

  await t.test('is the last one where the queue makes no other, whatever it failed of', async () => {
    const { ours, dealId, state } = await sent('Last');
    await ingestTape(unavailable(), await tapeOf(gateway, dealId), going, true);
    assert.equal((await state())[0], 'FAILED');
    assert.equal((await ours.call('POST', `/${dealId}/recheck`)).status, 202);
    assert.deepEqual(await state(), ['RUNNING', 0], 'started again it has all its attempts');
  });

  await t.test(
    'is counted before it starts: a tape that ended three processes is given up, and a new version is free',
    async () => {
      const { ours, dealId, state } = await sent('Ended');
      const spend = (count: number) =>
        gateway.deps.db.tx({ platform: true }, (tx) =>
          tx.exec('update tapes set attempts = $2 where deal_id = $1', [dealId, count]),
        );
      await spend(3);
      await gateway.runJobs();
      assert.equal((await state())[0], 'FAILED');
      assert.equal((await ours.version(dealId, autoTape(4))).status, 'QC_COMPLETED');
    },
  );

  await t.test('may be the third', async () => {
    const { ours, dealId } = await sent('Third');
    await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec('update tapes set attempts = 2 where deal_id = $1', [dealId]));
    await gateway.runJobs();
    assert.equal((await ours.deal(dealId)).status, 'QC_COMPLETED');
  });
});

test('a tape that meets a full disk, however often, loses no attempt and is checked when there is room', async (t) => {
  const disk = mountTiny();
  if (!disk) return t.skip('no file system of its own can be mounted here');
  try {
    await using gateway = await startGateway({ SLUICE_DATA_DIR: disk.path });
    const ours = await seller(gateway, 'Full');
    const dealId = await ours.sent();
    disk.fill();
    assert.deepEqual(await attempts(gateway, dealId, 4), Array(4).fill('again'));
    const { state, attempts: spent } = await tapeOf(gateway, dealId);
    assert.deepEqual([state, spent], ['RUNNING', 0]);
    disk.free();
    await gateway.runJobs();
    assert.equal((await ours.deal(dealId)).status, 'QC_COMPLETED');
  } finally {
    disk.unmount();
  }
});
