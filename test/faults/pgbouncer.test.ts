import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/platform/db/database.ts';
import { NO_PGBOUNCER, startPgBouncer } from '../support/pgbouncer.ts';
import { cloneDatabase } from '../support/postgres.ts';
import { autoTape } from '../support/tapes.ts';
import { ask, createMachine, issueKey, readDeal, sendTape } from './processes.ts';
import { until } from '../support/until.ts';

test('behind a PgBouncer in session mode', { skip: NO_PGBOUNCER }, async (t) => {
  const database = await cloneDatabase();
  t.after(() => database.drop());
  await using bouncer = await startPgBouncer(database.url, 'session');

  await t.test('every session has the role and the bounds that the gateway gives it', async () => {
    await using db = openDatabase({ url: bouncer.url, role: 'sluice_app', max: 1 });
    const [seen] = await db.direct(`select current_user as role, current_setting('statement_timeout') as bound`);
    assert.deepEqual({ ...(seen as object) }, { role: 'sluice_app', bound: '9s' });
  });

  await t.test('a gateway serves and works, and its processes hear of each other', async () => {
    await using machine = createMachine({ DATABASE_URL: bouncer.url });
    const gateway = await machine.start(['serve', '--no-worker']);
    await machine.start(['work']);
    const token = await issueKey(machine, 'originator', 'Acme');
    const deal = await sendTape(gateway, token, autoTape(30));
    const done = async () => (await readDeal(gateway, token, deal)).status === 'QC_COMPLETED';
    await until(done, 120_000, 'the checks of a tape');
    const stranger = await issueKey(machine, 'originator', 'Bolt');
    assert.deepEqual((await ask(gateway, 'GET', '/v1/api/originator/loans', { token: stranger })).body.data, []);
    assert.equal((await ask(gateway, 'GET', '/readyz')).status, 200);
  });
});

for (const mode of ['transaction', 'statement'] as const) {
  test(`a PgBouncer in ${mode} mode is refused at the start, in a sentence`, { skip: NO_PGBOUNCER }, async (t) => {
    const database = await cloneDatabase();
    t.after(() => database.drop());
    await using bouncer = await startPgBouncer(database.url, mode);
    await using machine = createMachine({ DATABASE_URL: bouncer.url });
    for (const command of [['serve'], ['work'], ['migrate']]) {
      const { code, stderr } = await machine.run(command);
      assert.equal(code, 1, command.join());
      assert.match(stderr, /DATABASE_URL leads to a connection pooler in transaction or statement mode.*pool_mode = session/);
    }
    const { code, stdout } = await machine.run(['doctor']);
    assert.equal(code, 1);
    assert.match(stdout, /FAIL {2}database: .*pool_mode = session/);
  });
}
