import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { analyst } from '../../../test/support/calculations.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import { ComputeDied } from '../../platform/compute/failures.ts';
import type { Threads } from '../../platform/compute/threads.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asId, type Id } from '../../platform/ids.ts';
import { WorkerStopping } from '../../platform/jobs/stopping.ts';
import { housekeeping } from '../../worker.ts';
import { completeCalculation, failCalculation, startCalculation } from './calculation.ts';
import { openCalculationThreads } from './in-thread.ts';
import { runCalculation } from './run-calculation.ts';
import { storeWith } from '../../../test/support/stores.ts';
import { mountTiny } from '../../../test/support/tiny-disk.ts';

test('runs of calculations', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const { deps } = gateway;
  let analysts = 0;
  /** A queued calculation of an originator of its own, and what a worker does with it. */
  const queued = async (rows?: number) => {
    const { ours, pool, queue, read } = await analyst(gateway, operator, `Analyst ${(analysts += 1)}`, rows);
    const organization = ours.organization_id;
    const calculationId = asId('calc', await queue({ type: 'CASHFLOW' }));
    const within = <Result>(work: (tx: Tx) => Promise<Result>) => deps.db.tx({ organization }, work);
    return {
      organization,
      calculationId,
      pool,
      job: { organization_id: organization, calculation_id: calculationId },
      queue,
      read: (id: string = calculationId) => read(id),
      within,
      start: (from: Id<'org'> = organization) => within((tx) => startCalculation(tx, from, calculationId)),
    };
  };
  const asPlatform = (sql: string, calculationId: string) =>
    deps.db.tx({ platform: true }, (tx) => tx.exec(`update calculations set ${sql} where calculation_id = $1`, [calculationId]));
  /** The events that tell an organization of ended calculations. */
  const ends = (organization: string) =>
    deps.db.tx({ organization }, (tx) =>
      tx.rows<{ data: { status: string } }>(`select data from events where event = 'calculation.completed' order by event_id`),
    );
  const output = { result: '{}', projection: 'null', details_key: 'nowhere' };

  await t.test('run again, the same inputs give the same bytes', async () => {
    const { calculationId, job } = await queued();
    await gateway.runJobs();
    const stored = () =>
      deps.db.tx({ platform: true }, (tx) =>
        tx.one<Record<string, string>>(
          'select result::text as result, projection::text as projection, details_key from calculations where calculation_id = $1',
          [calculationId],
        ),
      );
    const first = await stored();
    await asPlatform(`status = 'RUNNING', run = 1, result = null, projection = null`, calculationId);
    await deps.db.tx({ platform: true }, (tx) => deps.jobs.enqueue(tx, 'run-calculation', job));
    await gateway.runJobs();
    const second = await stored();
    assert.deepEqual([second?.result, second?.projection], [first?.result, first?.projection]);
    assert.notEqual(second?.details_key, first?.details_key);
    for (const name of ['0.json', '0.trace.json']) {
      const [a, b] = await Promise.all([first, second].map((each) => deps.store.localPath(`${each?.details_key}/${name}`)));
      assert.deepEqual(readFileSync(a ?? ''), readFileSync(b ?? ''));
    }
  });

  await t.test('a later calculation of a pool needs its file of loans no more, unless it reads it in another way', async () => {
    const { pool, queue, read, organization } = await queued();
    await gateway.runJobs();
    const loans = await deps.db.tx({ organization }, (tx) =>
      tx.one<{ loans_key: string }>('select loans_key from pools where pool_id = $1', [pool.pool_id]),
    );
    await deps.store.delete(loans?.loans_key ?? '');
    const later = await queue({ type: 'CASHFLOW', assumptions: { cpr: 9 } });
    await gateway.runJobs();
    assert.equal((await read(later)).status, 'COMPLETED');
    const otherwise = asId('calc', await queue({ type: 'CASHFLOW', assumptions: { cpr: 9 }, use_scheduled_payment: true }));
    const job = { organization_id: organization, calculation_id: otherwise };
    await runCalculation(deps, job, new AbortController().signal, true);
    assert.deepEqual([(await read(otherwise)).status, (await read(otherwise)).error_code], ['FAILED', 'CALCULATION_FAILED']);
    await gateway.runJobs();
  });

  await t.test('calculations of two organizations among each other give the bytes that each gives alone', async () => {
    const [ours, theirs] = [await queued(20), await queued(35)];
    const requests = [
      { type: 'BREAKEVEN' },
      { type: 'CASHFLOW', assumptions: { cpr: 20, cdr: 4, severity: 60, servicer_advances: true } },
    ];
    const jobs = [ours.job, theirs.job];
    for (const body of requests)
      for (const { queue, organization } of [ours, theirs])
        jobs.push({ organization_id: organization, calculation_id: asId('calc', await queue(body)) });
    const ids = jobs.map(({ calculation_id }) => calculation_id);
    const going = new AbortController().signal;
    const stored = () =>
      deps.db.tx({ platform: true }, (tx) =>
        tx.rows<{ result: string; projection: string }>(
          'select result::text as result, projection::text as projection from calculations where calculation_id = any($1) order by 1, 2',
          [ids],
        ),
      );
    await Promise.all(jobs.map((job) => runCalculation(deps, job, going)));
    for (const id of ids) await asPlatform(`status = 'RUNNING', result = null, projection = null`, id);
    // The same threads again, in turns.
    for (const job of jobs) await runCalculation(deps, job, going);
    const among = await stored();
    for (const job of jobs) {
      await asPlatform(`status = 'RUNNING', result = null, projection = null`, job.calculation_id);
      await using calculationThreads = openCalculationThreads();
      await runCalculation({ ...deps, calculationThreads }, job, going);
    }
    assert.equal(new Set(among.map(({ result }) => result)).size, jobs.length);
    assert.deepEqual(among, await stored());
    await gateway.runJobs();
  });

  await t.test('a run that was taken over leaves nothing', async () => {
    const { organization, calculationId, read, start, within } = await queued();
    const [stalled, next] = [await start(), await start()];
    assert.ok(stalled && next);
    assert.deepEqual([stalled.run, next.run, next.attempts], [1, 2, 2]);
    assert.equal(await within((tx) => completeCalculation(tx, stalled, output)), null);
    assert.equal(await within((tx) => failCalculation(tx, stalled, { code: 'X', message: 'too late' })), null);
    assert.equal((await read()).status, 'RUNNING');
    await within((tx) => failCalculation(tx, next, { code: 'X', message: 'in time' }));
    assert.deepEqual([(await read()).error, (await read()).error_code], ['in time', 'X']);
    const { pool_id } = await read();
    assert.deepEqual(await ends(organization), [
      { data: { calculation_id: calculationId, pool_id, type: 'CASHFLOW', status: 'FAILED' } },
    ]);
  });

  await t.test('a result that another engine made is not taken for one of this engine, and stays under its id', async () => {
    const { calculationId, queue, read } = await queued();
    await gateway.runJobs();
    const { engine_version: ours } = await read();
    // As a worker of an earlier build ends a calculation that this one has queued.
    await asPlatform(`result = jsonb_set(result::jsonb, '{engine_version}', '"1.4.0"')`, calculationId);
    const again = await queue({ type: 'CASHFLOW' });
    assert.notEqual(again, calculationId);
    await gateway.runJobs();
    assert.deepEqual([(await read(again)).engine_version, (await read()).engine_version], [ours, '1.4.0']);
    assert.equal(await queue({ type: 'CASHFLOW' }), again, 'one of this engine is');
  });

  await t.test('a result that another engine made is not copied for another organization', async () => {
    const { calculationId, read } = await queued();
    await gateway.runJobs();
    const { engine_version: ours } = await read();
    await asPlatform(`result = jsonb_set(result::jsonb, '{engine_version}', '"1.4.0"')`, calculationId);
    const { organization_id } = await gateway.key('investor', 'Somebody else');
    const copy = asId('calc', `${calculationId}x`);
    await deps.db.tx({ platform: true }, (tx) =>
      tx.exec(
        `insert into calculations (calculation_id, organization_id, pool_id, calculation_key, type, purpose, status, as_of, granularity, inputs)
         select $2, $3, pool_id, calculation_key, type, purpose, 'PENDING', as_of, granularity, inputs from calculations where calculation_id = $1`,
        [calculationId, copy, organization_id],
      ),
    );
    await runCalculation(deps, { organization_id, calculation_id: copy }, new AbortController().signal);
    const made = await deps.db.tx({ platform: true }, (tx) =>
      tx.one<{ version: string }>(`select result->>'engine_version' as version from calculations where calculation_id = $1`, [
        copy,
      ]),
    );
    assert.equal(made?.version, ours);
  });

  await t.test(
    'a job of an earlier build is done, and its result not found by the key of what that build would have made',
    async () => {
      for (const earlier of [`inputs::jsonb - 'engine_version'`, `jsonb_set(inputs::jsonb, '{engine_version}', '"1.4.0"')`]) {
        const { calculationId, queue, read } = await queued();
        await asPlatform(`inputs = ${earlier}`, calculationId);
        await gateway.runJobs();
        assert.equal((await read()).status, 'COMPLETED');
        assert.notEqual(await queue({ type: 'CASHFLOW' }), calculationId);
      }
      await gateway.runJobs();
    },
  );

  await t.test('a calculation that has ended is not started again', async () => {
    const { calculationId, read, start, job } = await queued();
    await gateway.runJobs();
    const completed = await read();
    assert.equal(await start(), null);
    await runCalculation(deps, job, new AbortController().signal);
    assert.deepEqual(await read(), completed);
    await asPlatform(`status = 'FAILED'`, calculationId);
    assert.equal(await start(), null);
  });

  await t.test('a job of another organization’s calculation starts nothing', async () => {
    const { organization_id } = await gateway.key('originator', 'Stranger');
    const mine = await queued();
    const asStranger = (tx: Tx) => startCalculation(tx, mine.organization, mine.calculationId);
    assert.equal(await deps.db.tx({ organization: organization_id }, asStranger), null);
    assert.equal(await mine.start(organization_id), null);
    assert.equal((await mine.read()).status, 'PENDING');
    await gateway.runJobs();
  });

  await t.test('two workers that start a calculation at once get two runs, and the later one ends it', async () => {
    const { organization, read, start, within } = await queued();
    const runs = (await Promise.all([start(), start(), start()])).flatMap((each) => (each ? [each] : []));
    assert.deepEqual(runs.map((each) => each.run).sort(), [1, 2, 3]);
    const ended = await Promise.all(runs.map((each) => within((tx) => completeCalculation(tx, each, output))));
    assert.deepEqual(
      ended.flatMap((each) => (each ? [each.run] : [])),
      [3],
    );
    assert.equal((await read()).status, 'COMPLETED');
    assert.deepEqual(
      (await ends(organization)).map(({ data }) => data.status),
      ['COMPLETED'],
    );
  });

  await t.test(
    'a calculation whose processes were killed three times is given up with a sentence, and may be requested again',
    async () => {
      const { calculationId, queue, read } = await queued();
      for (let times = 0; times < 3; times += 1) {
        await asPlatform(`status = 'RUNNING', run = run + 1, attempts = attempts + 1`, calculationId);
      }
      await gateway.runJobs();
      const failed = await read();
      assert.deepEqual([failed.status, failed.error_code, failed.results], ['FAILED', 'CALCULATION_INTERRUPTED', null]);
      assert.match(failed.error, /interrupted 3 times/);
      const again = await queue({ type: 'CASHFLOW' });
      assert.notEqual(again, calculationId);
      await asPlatform(`status = 'RUNNING', run = 2, attempts = 2`, again);
      await gateway.runJobs();
      assert.equal((await read(again)).status, 'COMPLETED', 'killed twice: run again');
    },
  );

  await t.test('a calculation whose thread dies is tried again in another one, three times', async () => {
    const once = await queued(21);
    const going = new AbortController().signal;
    const run = (): Promise<never> => Promise.reject(new ComputeDied('the thread ended'));
    const take: Threads['take'] = (subject) => ({ ...deps.calculationThreads.take(subject), run });
    const dying = { ...deps, calculationThreads: { take, [Symbol.asyncDispose]: async () => {} } };
    await assert.rejects(runCalculation(dying, once.job, going), ComputeDied);
    assert.equal((await once.read()).status, 'RUNNING');
    await gateway.runJobs();
    assert.equal((await once.read()).status, 'COMPLETED');
    const always = await queued(22);
    for (let times = 0; times < 2; times += 1) await assert.rejects(runCalculation(dying, always.job, going), ComputeDied);
    await runCalculation(dying, always.job, going);
    assert.equal((await always.read()).error_code, 'CALCULATION_FAILED');
    await gateway.runJobs();
  });

  await t.test('a calculation that fails says so in a fixed sentence with a code, and nothing of the cause', async () => {
    const { job, read } = await queued();
    const broken = async (): Promise<string> => {
      throw new Error(`IO Error: Cannot open file "/srv/work/loans.parquet"`);
    };
    const failing = { ...deps, store: storeWith(deps.store, { localPath: broken }) };
    const going = new AbortController().signal;
    await assert.rejects(runCalculation(failing, job, going));
    await assert.rejects(runCalculation(failing, job, going));
    await runCalculation(failing, job, going);
    const failed = await read();
    assert.deepEqual([failed.status, failed.error_code], ['FAILED', 'CALCULATION_FAILED']);
    assert.equal(failed.error, 'Something went wrong on our side. Quote the calculation id to the operator.');
    await gateway.runJobs();
  });

  await t.test('the last attempt of the queue is final, whichever attempt of the calculation it is', async () => {
    const { job, read } = await queued();
    const broken = async (): Promise<string> => {
      throw new Error('broken');
    };
    const failing = { ...deps, store: storeWith(deps.store, { localPath: broken }) };
    await runCalculation(failing, job, new AbortController().signal, true);
    assert.deepEqual([(await read()).status, (await read()).error_code], ['FAILED', 'CALCULATION_FAILED']);
    await gateway.runJobs();
  });

  await t.test('a calculation whose worker stops, or whose job is lost, goes on with all its attempts', async () => {
    const { job, read } = await queued();
    const stopping = new AbortController();
    stopping.abort(new WorkerStopping());
    for (let times = 0; times < 5; times += 1) await assert.rejects(runCalculation(deps, job, stopping.signal));
    assert.equal((await read()).status, 'RUNNING');
    await deps.db.direct('delete from pgboss.job');
    await housekeeping(deps);
    await gateway.runJobs();
    assert.equal((await read()).status, 'COMPLETED');
  });
});

test('a calculation that meets a full disk, however often, loses no attempt and is completed when there is room', async (t) => {
  const disk = mountTiny();
  if (!disk) return t.skip('no file system of its own can be mounted here');
  try {
    await using gateway = await startGateway({ SLUICE_DATA_DIR: disk.path });
    const operator = await gateway.key('operator', 'Platform');
    const { ours, queue, read } = await analyst(gateway, operator, 'Full');
    const calculationId = asId('calc', await queue({ type: 'CASHFLOW' }));
    const job = { organization_id: ours.organization_id, calculation_id: calculationId };
    disk.fill();
    for (let times = 0; times < 4; times += 1)
      await assert.rejects(runCalculation(gateway.deps, job, new AbortController().signal), /no space left/i);
    assert.equal((await read(calculationId)).status, 'RUNNING');
    disk.free();
    await gateway.runJobs();
    assert.equal((await read(calculationId)).status, 'COMPLETED');
  } finally {
    disk.unmount();
  }
});
