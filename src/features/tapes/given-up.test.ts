import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { autoTape, CSV, put, sendTape } from '../../../test/support/tapes.ts';
import type { Deps } from '../../platform/deps.ts';
import { StoreUnavailable } from '../../platform/files/store.ts';
import { WorkerStopping } from '../../platform/jobs/stopping.ts';
import { housekeeping } from '../../worker.ts';
import { ingestTape } from './ingest-tape.ts';
import type { Tape } from './queries.ts';
import { storeWith } from '../../../test/support/stores.ts';

const LOANS = '/v1/api/originator/loans';
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
  const rename = (from: string, to: string) =>
    gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec('update tapes set object_key = $2 where object_key = $1', [from, to]).then(() => undefined),
    );
  await rename(object_key, 'uploads/gone');
  return () => rename('uploads/gone', object_key);
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
  const originator = await gateway.key('originator', 'Originator');
  const other = await gateway.key('originator', 'Other');
  const operator = await gateway.key('operator', 'Platform');
  const read = async (dealId: string) => (await gateway.call('GET', `${LOANS}/${dealId}`, { as: originator })).body.data;
  const alerts = async (dealId: string) =>
    (await gateway.call('GET', '/v1/api/alerts?limit=100', { as: originator })).body.data.filter(
      (alert: { entity_id: string; type: string }) => alert.entity_id === dealId && alert.type === 'loan.checks_failed',
    );
  const approve = (dealId: string) => gateway.call('POST', `/v1/operator/deals/${dealId}/approve`, { as: operator });
  const recheck = (dealId: string, as: Holder = originator) => gateway.call('POST', `${LOANS}/${dealId}/recheck`, { as });
  const { deal_id } = await sendTape(gateway, originator, { loanType: 'Auto', bytes: autoTape(20) });
  const giveBack = await withoutObject(gateway, deal_id);

  await t.test('after its third attempt stays in review, FAILED with a reason, an alert HIGH and no event', async () => {
    assert.deepEqual(await attempts(gateway, deal_id, 3), ['again', 'again', 'ended']);
    const deal = await read(deal_id);
    assert.deepEqual([deal.status, deal.qc.state, deal.loan_count, deal.tape_version], ['IN_REVIEW', 'FAILED', 0, null]);
    assert.match(deal.qc.reason, /could not finish the checks/);
    const [alert, ...more] = await alerts(deal_id);
    assert.deepEqual([alert.priority, alert.message, more], ['HIGH', deal.qc.reason, []]);
    const events = (await gateway.call('GET', '/v1/api/events', { as: originator })).body.data;
    assert.equal(events.length, 1, 'nothing but its move to IN_REVIEW');
    assert.doesNotMatch(JSON.stringify([deal, alert]), /uploads\/|\/tmp|not in the store/);
  });

  await t.test('cannot be approved', async () => {
    const refused = await approve(deal_id);
    assert.deepEqual([refused.status, refused.body.code, refused.body.current_status], [409, 'INVALID_TRANSITION', 'IN_REVIEW']);
  });

  await t.test('is checked again on request, by its owner only and only while it is FAILED', async () => {
    await giveBack();
    assert.equal((await recheck(deal_id, other)).status, 404);
    assert.equal((await gateway.call('POST', `${LOANS}/deal_nope/recheck`, { as: originator })).status, 404);
    const queued = await recheck(deal_id);
    assert.deepEqual([queued.status, queued.body.data.status], [202, 'IN_REVIEW'], JSON.stringify(queued.body));
    assert.deepEqual([(await read(deal_id)).qc.state, (await read(deal_id)).qc.reason], ['RUNNING', null]);
    assert.deepEqual([(await recheck(deal_id)).status, (await recheck(deal_id)).body.code], [409, 'INVALID_TRANSITION']);
    await gateway.runJobs();
    const deal = await read(deal_id);
    assert.deepEqual([deal.status, deal.qc.state, deal.loan_count], ['QC_COMPLETED', 'DONE', 20]);
    assert.equal((await recheck(deal_id)).status, 409);
  });

  await t.test('that only a changed mapping brought under the checks keeps its loans, and is not approved on them', async () => {
    const mapped = await gateway.call('PUT', `${LOANS}/${deal_id}/mapping`, {
      as: originator,
      body: { mappings: [{ source: 'New/Used', target: null }] },
    });
    assert.equal(mapped.status, 202, JSON.stringify(mapped.body));
    const back = await withoutObject(gateway, deal_id);
    assert.deepEqual(await attempts(gateway, deal_id, 3), ['again', 'again', 'ended']);
    const deal = await read(deal_id);
    assert.deepEqual([deal.status, deal.qc.state, deal.loan_count], ['QC_COMPLETED', 'FAILED', 20]);
    assert.equal((await approve(deal_id)).status, 409);
    await back();
    assert.equal((await recheck(deal_id)).status, 202);
    await gateway.runJobs();
    assert.deepEqual((await read(deal_id)).qc.state, 'DONE');
    assert.equal((await approve(deal_id)).status, 200);
  });

  await t.test('may be followed by a new version, which a merge without loans before it does not become', async () => {
    const sent = await sendTape(gateway, originator, { loanType: 'Auto', bytes: autoTape(20) });
    await withoutObject(gateway, sent.deal_id);
    await attempts(gateway, sent.deal_id, 3);
    const version = async (mode: string) => {
      const body = { fileName: 'next.csv', fileFormat: CSV, mode };
      const opened = await gateway.call('POST', `${LOANS}/${sent.deal_id}/tapes`, { as: originator, body });
      assert.equal(opened.status, 201, JSON.stringify(opened.body));
      await put(gateway, opened, autoTape(30));
      const completion = { dealId: sent.deal_id, fileName: 'next.csv' };
      await gateway.call('POST', `${LOANS}/complete`, { as: originator, body: completion });
      await gateway.runJobs();
      return await read(sent.deal_id);
    };
    const merged = await version('MERGE');
    assert.deepEqual([merged.status, merged.qc.state, merged.loan_count], ['IN_REVIEW', 'FAILED', 0]);
    assert.match(merged.qc.reason, /no earlier version to merge into/);
    assert.equal((await alerts(sent.deal_id)).length, 2);
    const whole = await version('REPLACE');
    assert.deepEqual([whole.status, whole.qc.state, whole.loan_count], ['QC_COMPLETED', 'DONE', 30]);
  });
});

test('an attempt of a tape', async (t) => {
  await using gateway = await startGateway();
  const originator = await gateway.key('originator', 'Originator');
  const { deal_id } = await sendTape(gateway, originator, { loanType: 'Auto', bytes: autoTape(5) });
  const state = async () => {
    const tape = await tapeOf(gateway, deal_id);
    return [tape.state, tape.attempts];
  };

  await t.test('is not spent when its worker stops', async () => {
    const stopping = new AbortController();
    stopping.abort(new WorkerStopping());
    for (let times = 0; times < 5; times += 1)
      await assert.rejects(ingestTape(gateway.deps, await tapeOf(gateway, deal_id), stopping.signal));
    assert.deepEqual(await state(), ['RUNNING', 0]);
  });

  await t.test('is not spent while the object store does not answer, until the queue gives the job up', async () => {
    const silent = async () => {
      throw new StoreUnavailable('silent');
    };
    const deps: Deps = { ...gateway.deps, store: storeWith(gateway.deps.store, { localPath: silent }) };
    assert.deepEqual(await attempts(gateway, deal_id, 5, deps), Array(5).fill('again'));
    assert.deepEqual(await state(), ['RUNNING', 0]);
    await ingestTape(deps, await tapeOf(gateway, deal_id), going, true);
    assert.equal((await state())[0], 'FAILED');
    await gateway.call('POST', `${LOANS}/${deal_id}/recheck`, { as: originator });
  });

  await t.test(
    'is counted before it starts: the tape that ended three processes is given up, and a new version is free',
    async () => {
      await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec('update tapes set attempts = 3'));
      await gateway.runJobs();
      assert.equal((await state())[0], 'FAILED');
      const body = { fileName: 'next.csv', fileFormat: CSV };
      const opened = await gateway.call('POST', `${LOANS}/${deal_id}/tapes`, { as: originator, body });
      assert.equal(opened.status, 201, JSON.stringify(opened.body));
    },
  );
});

test('housekeeping', async (t) => {
  await using gateway = await startGateway();
  const originator = await gateway.key('originator', 'Originator');
  const { deal_id } = await sendTape(gateway, originator, { loanType: 'Auto', bytes: autoTape(5) });
  const jobs = async () =>
    (await gateway.deps.db.direct<{ count: number }>(`select count(*)::int as count from pgboss.job where state < 'active'`))[0]
      ?.count;

  await t.test('leaves a tape alone whose job waits', async () => {
    await housekeeping(gateway.deps);
    assert.equal(await jobs(), 1);
  });

  await t.test('queues a tape again that waits for checks of which no job is left', async () => {
    await gateway.deps.db.direct('update pgboss.job set state = $1::pgboss.job_state', ['failed']);
    await housekeeping(gateway.deps);
    await housekeeping(gateway.deps);
    assert.equal(await jobs(), 1, 'once');
    await gateway.runJobs();
    const deal = (await gateway.call('GET', `${LOANS}/${deal_id}`, { as: originator })).body.data;
    assert.deepEqual([deal.status, deal.loan_count], ['QC_COMPLETED', 5]);
  });

  await t.test('queues a bulk submission again that was never opened, and its deals name who submitted them', async () => {
    const deals = [{ loanType: 'Auto', name: 'one', loans: [{ loan_id: 'a', original_balance: 100, current_balance: 90 }] }];
    const sent = await gateway.call('POST', `${LOANS}/bulk`, { as: originator, body: { deals } });
    assert.equal(sent.status, 202, JSON.stringify(sent.body));
    await gateway.deps.db.direct('delete from pgboss.job');
    await housekeeping(gateway.deps);
    await gateway.runJobs();
    const job = (await gateway.call('GET', `${LOANS}/bulk/${sent.body.data.job_id}`, { as: originator })).body.data;
    assert.deepEqual([job.status, job.deals.length], ['COMPLETED', 1]);
    const deal = (await gateway.call('GET', `${LOANS}/${job.deals[0].id}`, { as: originator })).body.data;
    assert.equal(deal.history[0].actor, originator.key_id);
  });

  await t.test('ends a bulk submission that ended three processes with an error for each deal that was not opened', async () => {
    const deals = [{ loanType: 'Auto', name: 'two', loans: [{ loan_id: 'a', original_balance: 100, current_balance: 90 }] }];
    const sent = await gateway.call('POST', `${LOANS}/bulk`, { as: originator, body: { deals } });
    await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec('update bulk_jobs set attempts = 3 where completed_at is null'));
    await gateway.deps.db.direct('delete from pgboss.job');
    await housekeeping(gateway.deps);
    await gateway.runJobs();
    const job = (await gateway.call('GET', `${LOANS}/bulk/${sent.body.data.job_id}`, { as: originator })).body.data;
    assert.deepEqual([job.status, job.errors.length, job.errors[0]?.code], ['FAILED', 1, 'NOT_OPENED']);
  });
});
