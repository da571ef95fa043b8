import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloneDatabase } from '../../../test/support/postgres.ts';
import fc from '../../../test/support/property.ts';
import { openDatabase } from '../db/database.ts';
import { START_TURN, takeTurn } from './turns.ts';

type Waiting = { organization: string; priority: number; place: number };

test('the turns of organizations', async (t) => {
  const { url, drop } = await cloneDatabase();
  const db = openDatabase({ url, max: 2 });
  t.after(async () => {
    await db[Symbol.asyncDispose]();
    await drop();
  });
  let queues = 0;

  /** A queue that starts its jobs as pg-boss does: the highest priority first, then the longest wait. */
  const openQueue = () => {
    queues += 1;
    const queue = `queue-${queues}`;
    const waiting: Waiting[] = [];
    let place = 0;
    return {
      waiting,
      enqueue: async (organization: string) => {
        const priority = await db.tx({ platform: true }, (tx) => takeTurn(tx, queue, organization));
        place += 1;
        waiting.push({ organization, priority, place });
      },
      start: async (): Promise<string | undefined> => {
        waiting.sort((a, b) => b.priority - a.priority || a.place - b.place);
        const job = waiting.shift();
        if (job) await db.tx({ platform: true }, (tx) => tx.exec(START_TURN, [queue, -job.priority]));
        return job?.organization;
      },
    };
  };

  await t.test('start an idle organization’s job next, however many jobs of others wait', async () => {
    const queue = openQueue();
    for (let count = 0; count < 20; count += 1) await queue.enqueue('busy');
    for (let count = 0; count < 5; count += 1) await queue.start();
    await queue.enqueue('idle');
    assert.ok([await queue.start(), await queue.start()].includes('idle'));
  });

  await t.test('give an organization that was idle for long no more than its share', async () => {
    const queue = openQueue();
    await queue.enqueue('a');
    await queue.start();
    for (let count = 0; count < 10; count += 1) await queue.enqueue('b');
    for (let count = 0; count < 10; count += 1) await queue.start();
    for (let count = 0; count < 6; count += 1) await queue.enqueue('a');
    for (let count = 0; count < 6; count += 1) await queue.enqueue('b');
    const started = [await queue.start(), await queue.start(), await queue.start(), await queue.start(), await queue.start()];
    assert.ok(started.filter((each) => each === 'a').length <= 3, started.join());
  });

  await t.test('pass no waiting organization over more than twice for another, whatever comes when', async () => {
    const step = fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.constant(null));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const queue = openQueue();
        // Of each other organization: its starts since the organization began to wait, or was started last.
        const passed = new Map<string, Map<string, number>>();
        const start = async (): Promise<void> => {
          const started = await queue.start();
          if (started === undefined) return;
          passed.delete(started);
          for (const organization of new Set(queue.waiting.map((each) => each.organization))) {
            if (organization === started) continue;
            const counts: Map<string, number> = passed.get(organization) ?? new Map();
            passed.set(organization, counts.set(started, (counts.get(started) ?? 0) + 1));
            assert.ok((counts.get(started) ?? 0) <= 2, `${started} was started three times while ${organization} waited`);
          }
        };
        for (const organization of steps) await (organization ? queue.enqueue(organization) : start());
        while (queue.waiting.length > 0) await start();
      }),
      { numRuns: 20 },
    );
  });

  await t.test('are kept by each queue apart', async () => {
    const [first, second] = [openQueue(), openQueue()];
    for (let count = 0; count < 3; count += 1) await first.enqueue('a');
    await second.enqueue('a');
    assert.equal(second.waiting[0]?.priority, -0);
    assert.deepEqual(
      first.waiting.map(({ priority }) => priority),
      [-0, -1, -2],
    );
  });
});
