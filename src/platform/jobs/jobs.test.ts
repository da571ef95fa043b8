import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { startSilentProxy } from '../../../test/support/silent-proxy.ts';
import { until } from '../../../test/support/until.ts';
import { JOB_NAMES } from '../../job-names.ts';
import { StoreUnavailable } from '../files/store.ts';
import { type JobData, type JobHandler, type JobName, type Jobs, openJobs } from './jobs.ts';
import { migrateJobs } from './queue-schema.ts';
import { isStopping } from './stopping.ts';

const nothing: JobHandler = async () => {};
const handlersFor = (name: JobName, handler: JobHandler): Record<JobName, JobHandler> => ({
  'ingest-tape': nothing,
  'run-criteria': nothing,
  'run-calculation': nothing,
  'bulk-ingest': nothing,
  'read-pool-tape': nothing,
  notices: nothing,
  housekeeping: nothing,
  [name]: handler,
});

async function queue(gateway: Gateway, organization: string, count: number, data: JobData = {}): Promise<void> {
  await gateway.deps.db.tx({ organization }, async (tx) => {
    for (let number = 1; number <= count; number += 1)
      await gateway.deps.jobs.enqueue(tx, 'ingest-tape', { organization_id: organization, number, ...data });
  });
}

/** What is queued, in the order in which it starts, by the organization’s letter and the job’s number. */
async function orderOf(gateway: Gateway): Promise<string[]> {
  const order: string[] = [];
  await gateway.deps.jobs.drain(
    handlersFor('ingest-tape', async ({ organization_id, number }) => void order.push(`${organization_id}${number}`)),
  );
  return order;
}

test('jobs of several organizations', async (t) => {
  await using gateway = await startGateway();

  await t.test('take turns: the one of an organization that comes behind 300 of another starts next', async () => {
    await queue(gateway, 'a', 300);
    const order: string[] = [];
    await gateway.deps.jobs.drain(
      handlersFor('ingest-tape', async ({ organization_id, number }) => {
        order.push(`${organization_id}${number}`);
        if (number === 100 && organization_id === 'a') await queue(gateway, 'b', 1);
      }),
    );
    assert.equal(order.length, 301);
    assert.deepEqual(order.slice(98, 103), ['a99', 'a100', 'b1', 'a101', 'a102']);
  });

  await t.test('alternate, in each organization’s own order, however many each of them has', async () => {
    await queue(gateway, 'c', 5);
    await queue(gateway, 'd', 3);
    assert.deepEqual(await orderOf(gateway), ['c1', 'd1', 'c2', 'd2', 'c3', 'd3', 'c4', 'c5']);
  });

  await t.test(
    'do not starve one: organizations that come back at once after each job wait behind those that are queued',
    async () => {
      await queue(gateway, 'e', 4);
      const order: string[] = [];
      let more = 12;
      await gateway.deps.jobs.drain(
        handlersFor('ingest-tape', async ({ organization_id, number }) => {
          order.push(`${organization_id}${number}`);
          // Two busy organizations always have the next job queued before a worker is free.
          for (const busy of ['f', 'g']) if (more-- > 0) await queue(gateway, busy, 1);
        }),
      );
      const places = ['e1', 'e2', 'e3', 'e4'].map((job) => order.indexOf(job));
      assert.ok(Math.max(...places) <= 12, order.join(' '));
    },
  );
});

test('an organization that is alone', async (t) => {
  await using gateway = await startGateway();
  await using jobs = await workingJobs(gateway);

  await t.test('has every worker of a process', async () => {
    const both = Promise.withResolvers<void>();
    let running = 0;
    await queue(gateway, 'a', 4);
    await jobs.work(
      handlersFor('ingest-tape', async () => {
        running += 1;
        if (running === 2) both.resolve();
        await both.promise;
      }),
      { concurrency: 2 },
    );
    await both.promise;
  });
});

test('the queue of an organization', async (t) => {
  await using gateway = await startGateway();
  const queueOne = () => queue(gateway, 'a', 1);

  await t.test('takes 500 jobs and no more, also when requests arrive together', async () => {
    await queue(gateway, 'a', 490);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, queueOne));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    assert.equal(refused.length, 10);
    for (const { code, statusCode, headers } of refused)
      assert.deepEqual([code, statusCode, headers['retry-after']], ['QUEUE_FULL', 429, '30']);
  });

  await t.test('leaves the queues of others free, and itself when jobs have started', async () => {
    await queue(gateway, 'b', 1);
    await assert.rejects(queueOne(), { code: 'QUEUE_FULL' });
    await gateway.deps.db.direct(
      `update pgboss.job set state = 'active' where id = (select id from pgboss.job where group_id = 'a' limit 1)`,
    );
    await queueOne();
    await assert.rejects(queueOne(), { code: 'QUEUE_FULL' });
    await gateway.deps.db.direct('delete from pgboss.job');
  });

  await t.test('counts the jobs that a bulk submission will make, and takes them once they were accepted', async () => {
    await queue(gateway, 'a', 1, { jobs: 499 });
    await queueOne();
    await assert.rejects(queueOne(), { code: 'QUEUE_FULL' });
    const accepted = gateway.deps.db.tx({ organization: 'a' }, (tx) =>
      gateway.deps.jobs.enqueue(tx, 'run-criteria', { organization_id: 'a' }, { accepted: true }),
    );
    await assert.doesNotReject(accepted);
  });
});

test('a worker that stops', async (t) => {
  await using gateway = await startGateway();
  const row = async () =>
    (
      await gateway.deps.db.direct<{ state: string; tries_left: number }>(
        `select state, retry_limit - retry_count as tries_left from pgboss.job where name = 'ingest-tape'`,
      )
    )[0];

  await t.test('aborts its jobs and hands them back with every attempt that they had, for the next worker to start', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    await using first = await workingJobs(gateway);
    await queue(gateway, 'a', 1);
    const before = await row();
    await first.work(
      handlersFor('ingest-tape', async (_data, signal) => {
        started.resolve(signal);
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('interrupted'))));
      }),
    );
    const signal = await started.promise;
    assert.equal((await row())?.state, 'active');
    await first.stop();
    assert.ok(isStopping(signal));
    assert.deepEqual(await row(), { ...before, state: 'created' });
    assert.deepEqual(await orderOf(gateway), ['a1']);
  });

  await t.test('cannot settle a job that another worker has taken, when its own work on it ends late', async () => {
    const [late, taken, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const started = Promise.withResolvers<void>();
    await using first = await workingJobs(gateway, { stopTimeoutMs: 500 });
    await using second = await workingJobs(gateway);
    await queue(gateway, 'a', 1, { late: true });
    const handler = (begun: () => void, ended: Promise<void>) =>
      handlersFor('ingest-tape', async () => {
        begun();
        await ended;
      });
    await first.work(handler(started.resolve, late.promise));
    await started.promise;
    await first.stop();
    await second.work(handler(taken.resolve, done.promise));
    await taken.promise;
    late.resolve();
    await first.stop();
    const state = async () =>
      (await gateway.deps.db.direct<{ state: string }>(`select state from pgboss.job where data->>'late' = 'true'`))[0]?.state;
    assert.equal(await state(), 'active');
    done.resolve();
    await second.stop();
    assert.equal(await state(), 'completed');
  });

  await t.test('ends also when its database is gone, and says which job it could not hand back', async () => {
    const [started, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const reported: string[] = [];
    await using proxy = await startSilentProxy(gateway.deps.databaseUrl);
    const jobs = await openJobs({
      url: proxy.url(gateway.deps.databaseUrl),
      names: JOB_NAMES,
      onError: ({ message }) => void reported.push(message),
      supervise: false,
      stopTimeoutMs: 500,
    });
    await queue(gateway, 'a', 1);
    await jobs.work(
      handlersFor('ingest-tape', async () => {
        started.resolve();
        await late.promise;
      }),
    );
    await started.promise;
    await proxy[Symbol.asyncDispose]();
    await jobs.stop();
    assert.match(
      reported.join('\n'),
      /^ingest-tape \S+ could not be handed back, another worker will take it over when its heartbeat is late: .*ECONNREFUSED/m,
    );
    late.resolve();
    await jobs[Symbol.asyncDispose]();
    await gateway.deps.db.direct('delete from pgboss.job');
  });

  await t.test('lets a job that ends in spite of the signal be done, and still takes new ones into the queue', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    await using jobs = await workingJobs(gateway);
    await queue(gateway, 'b', 1);
    await jobs.work(
      handlersFor('ingest-tape', async (_data, signal) => {
        started.resolve(signal);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      }),
    );
    await started.promise;
    await jobs.stop();
    await gateway.deps.db.tx({ organization: 'c' }, (tx) => jobs.enqueue(tx, 'ingest-tape', { organization_id: 'c', number: 1 }));
    assert.deepEqual(await orderOf(gateway), ['c1']);
  });
});

const workingJobs = (gateway: Gateway, options: { supervise?: boolean; stopTimeoutMs?: number } = {}): Promise<Jobs> =>
  openJobs({
    url: gateway.deps.databaseUrl,
    names: JOB_NAMES,
    onError: (error) => assert.fail(error),
    supervise: false,
    ...options,
  });

test('a job that meets an outage of the object store or the machine', async (t) => {
  await using gateway = await startGateway();
  // A retry that follows an attempt is counted when it starts.
  const row = async () =>
    (
      await gateway.deps.db.direct<{ state: string; tries_left: number; is_put_off: boolean }>(
        `select state, retry_limit - retry_count - (state = 'retry' and started_on is not null)::int as tries_left, start_after > now() as is_put_off
         from pgboss.job where name = 'ingest-tape'`,
      )
    )[0];
  await queue(gateway, 'a', 1);
  // Nobody takes it before the first attempt is asked for.
  await gateway.deps.db.direct(`update pgboss.job set start_after = now() + interval '1 day' where name = 'ingest-tape'`);
  let thrown: Error | null = null;
  let attempts = 0;
  await using jobs = await workingJobs(gateway);
  await jobs.work(
    handlersFor('ingest-tape', async () => {
      attempts += 1;
      if (thrown) throw thrown;
    }),
  );
  /** Starts the one job that there is as one that was queued so long ago. */
  const attempt = async (age: string, error: Error | null) => {
    [thrown, attempts] = [error, 0];
    await gateway.deps.db.direct(
      `update pgboss.job set state = 'created', created_on = now() - interval '${age}', start_after = now() where name = 'ingest-tape'`,
    );
    await until(async () => attempts === 1 && (await row())?.state !== 'active', 120_000, 'the end of the attempt');
    return row();
  };
  const { tries_left: before = 0 } = (await row()) ?? {};
  const outages = [new StoreUnavailable('away'), Object.assign(new Error('full'), { code: 'ENOSPC' })];

  await t.test('waits without spending a retry', async () => {
    for (const outage of outages)
      assert.deepEqual(await attempt('23 hours', outage), { state: 'retry', tries_left: before, is_put_off: true });
  });

  await t.test(
    'spends its retries once it has waited for a day, as it does for what the database or itself is to blame',
    async () => {
      const others: [string, Error][] = [
        ['25 hours', outages[0] as Error],
        ['1 minute', Object.assign(new Error('too long'), { code: '57014' })],
        ['1 minute', new TypeError('a defect')],
      ];
      for (const [index, [age, error]] of others.entries())
        assert.equal((await attempt(age, error))?.tries_left, before - index - 1, error.message);
    },
  );

  await t.test('is done when it ends', async () => assert.equal((await attempt('1 minute', null))?.state, 'completed'));
});

test('queues are prepared once, and again where an earlier version or somebody has changed them', async () => {
  await using gateway = await startGateway();
  const { databaseUrl } = gateway.deps;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const limitOf = async (name: string): Promise<number | undefined> =>
      (await client.query<{ retry_limit: number }>('select retry_limit from pgboss.queue where name = $1', [name])).rows[0]
        ?.retry_limit;
    await migrateJobs(databaseUrl, JOB_NAMES);
    const usual = await limitOf('housekeeping');
    await client.query(`update pgboss.queue set retry_limit = 1 where name = 'housekeeping'`);
    await migrateJobs(databaseUrl, JOB_NAMES);
    assert.equal(await limitOf('housekeeping'), 1, 'what is prepared is left alone');
    await client.query(`comment on schema pgboss is 'an earlier version'`);
    await migrateJobs(databaseUrl, JOB_NAMES);
    assert.equal(await limitOf('housekeeping'), usual);
    await client.query(`select pgboss.delete_queue('notices')`);
    assert.equal(await limitOf('notices'), undefined);
    await migrateJobs(databaseUrl, JOB_NAMES);
    assert.equal(await limitOf('notices'), usual);
  } finally {
    await client.end();
  }
});

test('a clock of the database that was set back by an hour holds up neither schedules nor the jobs of killed workers', async () => {
  await using gateway = await startGateway();
  const ran = new Set<JobName>();
  const handlers = handlersFor('ingest-tape', async () => void ran.add('ingest-tape'));
  handlers['run-criteria'] = async () => void ran.add('run-criteria');
  handlers.notices = async () => void ran.add('notices');
  await using jobs = await workingJobs(gateway, { supervise: true });
  await queue(gateway, 'a', 1);
  await gateway.deps.db.tx({ organization: 'a' }, (tx) =>
    gateway.deps.jobs.enqueue(tx, 'run-criteria', { organization_id: 'a' }),
  );
  // What the hour before the step has left: jobs that were queued, a worker that was killed, and passes over schedules and workers.
  for (const sql of [
    `update pgboss.job set start_after = now() + interval '1 hour'`,
    `update pgboss.job set state = 'active', started_on = now(), heartbeat_on = now() + interval '1 hour' where name = 'run-criteria'`,
    `update pgboss.version set cron_on = now() + interval '1 hour'`,
    `update pgboss.queue set monitor_on = now() + interval '1 hour', monitor_claim_on = now() + interval '1 hour'`,
    `insert into pgboss.job (name, state, singleton_key, singleton_on, policy)
       select '__pgboss__send-it', 'completed', 'notices__', date_trunc('minute', now() at time zone 'UTC') + n * interval '1 minute', 'standard'
       from generate_series(2, 60) n`,
  ])
    await gateway.deps.db.direct(sql);
  await jobs.work(handlers, { schedules: { notices: '* * * * *' } });
  await until(() => ran.size === 3, 240_000, 'all three kinds of work');
  const taken = await gateway.deps.db.direct(
    `select 1 from pgboss.job where singleton_on > now() at time zone 'UTC' + interval '1 minute'`,
  );
  assert.deepEqual(taken, [], 'no minute that comes again is taken');
});
