import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doctor } from '../../src/commands/doctor.ts';
import { startGateway, type Gateway, type Holder } from '../support/gateway.ts';
import { cloneDatabase } from '../support/postgres.ts';
import { readOutcomes, startPair } from '../support/standby.ts';
import { until } from '../support/until.ts';

/** Writes that are each read at once; 100,000 of them take some minutes. */
const PAIRS = Number(process.env.PAIRS ?? 1_000);
const LANES = 8;
const CRITERIA = '/v1/api/originator/sc/criteria';

/** Those of a test have the keys of one folder. */
const gatewayOn = (primaryUrl: string, replicaUrl: string, folder?: string): Promise<Gateway> =>
  startGateway({
    DATABASE_URL: primaryUrl,
    DATABASE_REPLICA_URL: replicaUrl,
    ...(folder ? { SLUICE_DATA_DIR: folder } : {}),
  });

/** What the doctor says of the replica. */
async function diagnosis({ deps: { config } }: Gateway): Promise<string | undefined> {
  const lines: string[] = [];
  const env = {
    SLUICE_DATA_DIR: config.dataDir,
    DATABASE_URL: config.databaseUrl ?? '',
    DATABASE_REPLICA_URL: config.databaseReplicaUrl ?? '',
  };
  await doctor(env, (line) => lines.push(line));
  return lines.find((line) => line.includes('replica'));
}

async function written(gateway: Gateway, holder: Holder, name: string): Promise<string> {
  const body = {
    name,
    loan_type: 'Auto',
    loan_rules: [{ id: 'BALANCE', rule: { field: 'current_balance', op: 'gt', value: 1 } }],
  };
  const made = await gateway.call('POST', CRITERIA, { as: holder, body });
  assert.equal(made.status, 201, made.text);
  return made.body.data.criteria_id;
}

test('a gateway with a standby for its reads', async (t) => {
  await using pair = await startPair();
  await using gateway = await gatewayOn(pair.primaryUrl, pair.standbyUrl);
  const { dataDir } = gateway.deps.config;
  await using other = await gatewayOn(pair.primaryUrl, pair.standbyUrl, dataDir);
  const holder = await gateway.key('originator');
  const listed = async (on: Gateway): Promise<number> => {
    const { status, body } = await on.call('GET', '/v1/api/alerts', { as: holder });
    assert.equal(status, 200);
    return body.meta.total;
  };
  const servedBy = async (on: Gateway): Promise<number> => (await readOutcomes(on)).served ?? 0;
  const isServed = async (on: Gateway): Promise<boolean> => {
    const before = await servedBy(on);
    await listed(on);
    return (await servedBy(on)) > before;
  };

  await t.test('is well, as the doctor says', async () => {
    assert.equal(await diagnosis(gateway), 'ok    replica: follows the primary');
  });

  await t.test('never reads what is older than an own write, whichever process took it', async () => {
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let pair = next++; pair < PAIRS; pair = next++) {
        const [writer, reader] = pair % 2 === 0 ? [gateway, other] : [gateway, gateway];
        const name = `pair ${pair}`;
        const id = await written(writer, holder, name);
        const read = await reader.call('GET', `${CRITERIA}/${id}`, { as: holder });
        assert.deepEqual([read.status, read.body.data?.name], [200, name], `after the write ${pair}`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const [here, there] = [await readOutcomes(gateway), await readOutcomes(other)];
    t.diagnostic(JSON.stringify([here, there]));
    assert.ok((here.served ?? 0) > 0 && (there.served ?? 0) > 0, 'the standby took reads');
    assert.deepEqual([here.failed, there.failed], [undefined, undefined]);
  });

  await t.test('reads from the primary while the standby is behind, and from the standby when it has caught up', async () => {
    await until(() => isServed(gateway), 10_000, 'a read by the standby');
    await pair.pause();
    assert.equal(await diagnosis(gateway), 'FAIL  replica: more than 2 seconds behind the primary');
    const id = await written(gateway, holder, 'while paused');
    const read = await gateway.call('GET', `${CRITERIA}/${id}`, { as: holder });
    assert.deepEqual([read.status, read.body.data?.name], [200, 'while paused']);
    assert.ok(((await readOutcomes(gateway)).behind ?? 0) > 0);
    await pair.resume();
    await until(() => isServed(gateway), 10_000, 'a read by the standby');
  });

  await t.test('reads from the primary when the mark is gone, and marks it again', async () => {
    const owner = await gateway.owner();
    await owner.query('truncate primary_mark');
    await owner.end();
    await until(() => isServed(gateway), 10_000, 'a read by the standby');
    assert.ok(((await readOutcomes(gateway)).foreign ?? 0) > 0);
  });

  await t.test('reads from the primary while the standby is away, and from the standby when it is back', async () => {
    await pair.stopStandby();
    for (let count = 0; count < 5; count += 1) await listed(gateway);
    assert.ok(((await readOutcomes(gateway)).away ?? 0) > 0);
    // A process that starts meanwhile serves too.
    await using started = await gatewayOn(pair.primaryUrl, pair.standbyUrl, dataDir);
    await listed(started);
    await pair.startStandby();
    await until(() => isServed(gateway), 30_000, 'a read by the standby', 100);
    await until(() => isServed(started), 30_000, 'a read by the standby', 100);
  });

  await t.test('never reads from a standby that has become a primary of its own', async () => {
    await pair.promote();
    const before = await readOutcomes(gateway);
    for (let count = 0; count < 50; count += 1) {
      const id = await written(gateway, holder, `apart ${count}`);
      assert.equal((await gateway.call('GET', `${CRITERIA}/${id}`, { as: holder })).status, 200);
    }
    const after = await readOutcomes(gateway);
    assert.equal(after.served, before.served);
    assert.ok((after.foreign ?? 0) + (after.away ?? 0) > (before.foreign ?? 0) + (before.away ?? 0));
  });
});

test('another database than a standby of the primary is never read from', async () => {
  const stranger = await cloneDatabase();
  try {
    await using pair = await startPair();
    await using gateway = await gatewayOn(pair.primaryUrl, stranger.url);
    const holder = await gateway.key('originator');
    for (let count = 0; count < 20; count += 1) {
      const id = await written(gateway, holder, `strange ${count}`);
      assert.equal((await gateway.call('GET', `${CRITERIA}/${id}`, { as: holder })).status, 200);
    }
    const { served, foreign } = await readOutcomes(gateway);
    assert.deepEqual([served, (foreign ?? 0) > 0], [undefined, true]);
    assert.equal(await diagnosis(gateway), 'FAIL  replica: no standby of the primary of DATABASE_URL');
  } finally {
    await stranger.drop();
  }
});
