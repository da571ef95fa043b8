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

/**
 * A replica that is found away is left alone for five seconds, and a connection to it has half a second: on a busy machine either may come at
 * any time. What the replica does is waited for, so long.
 */
const WAIT_MS = 120_000;

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

/** Asks the doctor until it says that; while it does, it may call the replica slow or busy, but never `not`. */
async function diagnosed(gateway: Gateway, said: string, not?: string): Promise<void> {
  await until(
    async () => {
      const line = await diagnosis(gateway);
      assert.ok(not === undefined || line !== not, `the doctor says ${line}`);
      return line === said;
    },
    WAIT_MS,
    `"${said}"`,
  );
}

const WELL = 'ok    replica: follows the primary';

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
  /** Makes reads until one that the gateway asked the replica for ends in one of these ways. */
  const endsIn = async (on: Gateway, outcomes: readonly string[], attempt: () => Promise<unknown>): Promise<void> => {
    const ended = async (): Promise<number> => {
      const counts = await readOutcomes(on);
      return outcomes.reduce((sum, outcome) => sum + (counts[outcome] ?? 0), 0);
    };
    const before = await ended();
    await until(async () => (await attempt(), (await ended()) > before), WAIT_MS, `a read that is ${outcomes.join(' or ')}`);
  };
  const servedBy = async (on: Gateway): Promise<number> => (await readOutcomes(on)).served ?? 0;
  const isServed = async (on: Gateway): Promise<boolean> => {
    const before = await servedBy(on);
    await listed(on);
    return (await servedBy(on)) > before;
  };

  await t.test('is well, as the doctor says', async () => {
    await diagnosed(gateway, WELL);
  });

  await t.test('never reads what is older than an own write, whichever process took it', async () => {
    let next = 0;
    const readAfterWrite = async (): Promise<void> => {
      const number = next++;
      const [writer, reader] = number % 2 === 0 ? [gateway, other] : [gateway, gateway];
      const name = `pair ${number}`;
      const id = await written(writer, holder, name);
      const read = await reader.call('GET', `${CRITERIA}/${id}`, { as: holder });
      assert.deepEqual([read.status, read.body.data?.name], [200, name], `after the write ${number}`);
    };
    const lane = async (): Promise<void> => {
      while (next < PAIRS) await readAfterWrite();
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const bothServed = async (): Promise<boolean> => (await servedBy(gateway)) > 0 && (await servedBy(other)) > 0;
    await until(async () => (await bothServed()) || (await readAfterWrite(), false), WAIT_MS, 'reads by the standby');
    const [here, there] = [await readOutcomes(gateway), await readOutcomes(other)];
    t.diagnostic(JSON.stringify([here, there]));
    // A statement of which the standby had no answer within its second failed for that reason alone.
    assert.ok((here.failed ?? 0) + (there.failed ?? 0) <= pair.timedOut(), 'a read failed on the standby');
  });

  await t.test('reads from the primary while the standby is behind, and from the standby when it has caught up', async () => {
    await until(() => isServed(gateway), WAIT_MS, 'a read by the standby');
    await pair.pause();
    await endsIn(gateway, ['behind'], async () => {
      const id = await written(gateway, holder, 'while paused');
      const read = await gateway.call('GET', `${CRITERIA}/${id}`, { as: holder });
      assert.deepEqual([read.status, read.body.data?.name], [200, 'while paused']);
    });
    await diagnosed(gateway, 'FAIL  replica: more than 2 seconds behind the primary', WELL);
    await pair.resume();
    await until(() => isServed(gateway), WAIT_MS, 'a read by the standby');
  });

  await t.test('reads from the primary when the mark is gone, and marks it again', async () => {
    const owner = await gateway.owner();
    await owner.query('truncate primary_mark');
    await owner.end();
    // The mark is made anew in the background: the first read that asks the standby finds none.
    await endsIn(gateway, ['foreign'], () => listed(gateway));
    await until(() => isServed(gateway), WAIT_MS, 'a read by the standby');
  });

  await t.test('reads from the primary while the standby is away, and from the standby when it is back', async () => {
    await pair.stopStandby();
    await endsIn(gateway, ['away'], () => listed(gateway));
    // A process that starts meanwhile serves too.
    await using started = await gatewayOn(pair.primaryUrl, pair.standbyUrl, dataDir);
    await listed(started);
    await pair.startStandby();
    await until(() => isServed(gateway), WAIT_MS, 'a read by the standby', 100);
    await until(() => isServed(started), WAIT_MS, 'a read by the standby', 100);
  });

  await t.test('never reads from a standby that has become a primary of its own', async () => {
    await pair.promote();
    const before = await servedBy(gateway);
    const readOwn = async (): Promise<void> => {
      const id = await written(gateway, holder, 'apart');
      assert.equal((await gateway.call('GET', `${CRITERIA}/${id}`, { as: holder })).status, 200);
    };
    await endsIn(gateway, ['foreign', 'away'], readOwn);
    for (let count = 0; count < 50; count += 1) await readOwn();
    assert.equal(await servedBy(gateway), before);
  });
});

test('another database than a standby of the primary is never read from', async () => {
  const stranger = await cloneDatabase();
  try {
    await using pair = await startPair();
    await using gateway = await gatewayOn(pair.primaryUrl, stranger.url);
    const holder = await gateway.key('originator');
    let reads = 0;
    const isForeign = async (): Promise<boolean> => {
      const id = await written(gateway, holder, `strange ${(reads += 1)}`);
      assert.equal((await gateway.call('GET', `${CRITERIA}/${id}`, { as: holder })).status, 200);
      return reads >= 20 && ((await readOutcomes(gateway)).foreign ?? 0) > 0;
    };
    await until(isForeign, WAIT_MS, 'a read that is foreign');
    assert.equal((await readOutcomes(gateway)).served, undefined);
    await diagnosed(gateway, 'FAIL  replica: no standby of the primary of DATABASE_URL', WELL);
  } finally {
    await stranger.drop();
  }
});
