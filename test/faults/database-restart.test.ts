import assert from 'node:assert/strict';
import { test } from 'node:test';
import { autoTape } from '../support/tapes.ts';
import { ask, createMachine, issueKey, readDeal, type Reply, sendTape } from './processes.ts';
import { until } from '../support/until.ts';

/** Keeps asking until it is told to end; every answer in order. */
function load(run: () => Promise<Reply>): { answers: Reply[]; end(): Promise<void> } {
  const answers: Reply[] = [];
  let ending = false;
  const lanes = Array.from({ length: 8 }, async () => {
    while (!ending) answers.push(await run());
  });
  return {
    answers,
    end: async () => {
      ending = true;
      await Promise.all(lanes);
    },
  };
}

test('while the database is away', async (t) => {
  await using machine = createMachine();
  const gateway = await machine.start(['serve']);
  const token = await issueKey(machine, 'both', 'Acme');
  const initiate = { loanType: 'Auto', fileFormat: 'text/csv', fileName: 'auto.csv' };
  let turn = 0;
  const mixed = (): Promise<Reply> => {
    turn += 1;
    if (turn % 3 === 0) return ask(gateway, 'POST', '/v1/api/originator/loans/initiate', { token, body: initiate });
    return ask(gateway, 'GET', turn % 3 === 1 ? '/v1/api/alerts' : '/v1/api/originator/loans', { token });
  };

  for (const [how, signal] of [
    ['restarts in order', 'SIGINT'],
    ['is killed', 'SIGKILL'],
  ] as const) {
    await t.test(`because it ${how}, requests are told to come again, and they are answered once it is back`, async () => {
      const asking = load(mixed);
      await until(() => asking.answers.length > 50, 120_000, 'the first answers');
      const ready: number[] = [];
      process.kill(machine.postmaster() as number, signal);
      await until(
        async () => {
          ready.push((await ask(gateway, 'GET', '/readyz')).status);
          return ready.includes(503) && ready.at(-1) === 200;
        },
        120_000,
        'the return of the database',
      );
      const back = asking.answers.length;
      await until(() => asking.answers.length > back + 50, 120_000, 'answers after the return');
      await asking.end();
      const refused = asking.answers.filter(({ status }) => status === 503);
      assert.ok(refused.length > 0, 'the load never met the database away');
      for (const { headers, body } of refused) {
        assert.equal(body.code, 'UNAVAILABLE');
        assert.ok(Number(headers.get('retry-after')) >= 1);
        assert.deepEqual(Object.keys(body).sort(), ['code', 'doc_url', 'message', 'request_id', 'statusCode', 'success']);
        assert.doesNotMatch(JSON.stringify(body), /postgres|ECONN|terminat|\.ts/i);
      }
      const statuses = new Set(asking.answers.map(({ status }) => status));
      assert.deepEqual(
        [...statuses].filter((status) => ![200, 201, 409, 503].includes(status)),
        [],
        gateway.stderr().slice(-3_000),
      );
      assert.deepEqual(
        new Set(
          asking.answers
            .slice(-20)
            .map(({ status }) => status)
            .filter((status) => status === 503),
        ),
        new Set(),
      );
    });
  }

  await t.test('nothing is lost for good: the process that met the failures serves on and works on its queue', async () => {
    const originator = await issueKey(machine, 'originator', 'Bolt');
    const deal = await sendTape(gateway, originator, autoTape(30));
    await until(
      async () => (await readDeal(gateway, originator, deal)).status === 'QC_COMPLETED',
      120_000,
      'the checks of a tape',
    );
    gateway.signal('SIGTERM');
    assert.equal(await gateway.exited, 0, gateway.stderr());
    assert.equal(machine.postmaster(), null);
  });
});
