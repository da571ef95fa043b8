import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { isTaskProcess, processesBelow } from '../../../test/support/process-tree.ts';
import { autoTape, sendTape } from '../../../test/support/tapes.ts';
import { takeLease } from '../../platform/compute/lease.ts';
import { isRunning } from '../../platform/running.ts';
import { insertVersion } from './queries.ts';
import { asId } from '../../platform/ids.ts';
import { until } from '../../../test/support/until.ts';

const SC = '/v1/api/originator/sc';
const LIST = Array.from({ length: 5_000 }, (_, index) => `V${index}`);

const largeSet = (comparisons: number) => ({
  name: 'Large',
  loan_type: 'Auto',
  value_sets: { list: LIST },
  loan_rules: [
    { id: 'A', rule: { any: Array.from({ length: comparisons }, () => ({ field: 'state', op: 'in', value_set: 'list' })) } },
  ],
});

/** Pool tests that fail on every Auto tape, each of them a search of its own. */
const HARD_TESTS = Array.from({ length: 100 }, (_, index) => ({
  id: `P${index}`,
  type: 'weighted_average',
  field: 'credit_score',
  op: 'gte',
  value: 730 + index / 10,
}));

test('criteria that cost much', async (t) => {
  await using gateway = await startGateway();
  const originator = await gateway.key('originator', 'Originator');
  const other = await gateway.key('originator', 'Other');
  const call = (method: string, path: string, body?: unknown, as = originator) =>
    gateway.call(method, path, { as, ...(body === undefined ? {} : { body }) });
  const { deal_id } = await sendTape(gateway, originator, { loanType: 'Auto', bytes: autoTape(1_000) });
  await gateway.runJobs();
  const save = async (set: unknown) => (await call('POST', `${SC}/criteria`, set)).body.data.criteria_id as string;
  const dryRun = (criteria_id: string, version = 1) =>
    call('POST', `${SC}/deals/${deal_id}/run`, { criteria_id, version, dry_run: true });

  await t.test('by ten comparisons with a value set of 5,000 run in seconds', async () => {
    const began = performance.now();
    const { status, body } = await dryRun(await save(largeSet(10)));
    assert.deepEqual([status, body.data.failed], [200, 1_000]);
    assert.ok(performance.now() - began < 10_000, `it took ${Math.round(performance.now() - began)} ms`);
  });

  await t.test('beyond 50,000 values are refused when they are saved, and when an older set is run', async () => {
    const refused = await call('POST', `${SC}/criteria`, largeSet(11));
    assert.deepEqual([refused.status, refused.body.code], [422, 'RULE_TOO_LARGE']);
    assert.match(refused.body.message ?? '', /55,000 values together; at most 50,000/);
    const criteria_id = await save(largeSet(1));
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      insertVersion(tx, {
        criteria_id: asId('crt', criteria_id),
        organization_id: originator.organization_id,
        version: 2,
        definition: largeSet(11),
      }),
    );
    const run = await dryRun(criteria_id, 2);
    assert.deepEqual([run.status, run.body.code], [422, 'RULE_TOO_LARGE']);
    const job = await call('POST', `${SC}/deals/${deal_id}/run`, { criteria_id, version: 2 });
    assert.deepEqual([job.status, job.body.code], [422, 'RULE_TOO_LARGE']);
  });

  const easy = await save({ name: 'Easy', loan_type: 'Auto', loan_rules: [] });

  await t.test('run one at a time per organization, in all processes together', async () => {
    const lease = await takeLease(gateway.deps.limits, originator.organization_id);
    const second = await dryRun(easy);
    assert.deepEqual([second.status, second.body.code, second.headers['retry-after']], [429, 'COMPUTE_BUSY', '5']);
    assert.ok(await takeLease(gateway.deps.limits, other.organization_id), 'another organization is not concerned');
    await lease?.[Symbol.asyncDispose]();
    assert.equal((await dryRun(easy)).status, 200);
  });

  await t.test('are free again when the process that ran them has died', async () => {
    await takeLease(gateway.deps.limits, originator.organization_id);
    assert.equal((await dryRun(easy)).status, 429);
    await gateway.deps.limits.direct(`update compute_leases set expires_at = expires_at - interval '65 seconds'`);
    assert.equal((await dryRun(easy)).status, 200);
  });

  await t.test('end with the connection of whoever asked', async () => {
    const criteria_id = await save({ name: 'Hard', loan_type: 'Auto', loan_rules: [], pool_tests: HARD_TESTS });
    const { sc_job_id } = (await call('POST', `${SC}/deals/${deal_id}/run`, { criteria_id })).body.data;
    await gateway.runJobs();
    await gateway.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = gateway.app.server.address() as AddressInfo;
    const leases = () =>
      gateway.deps.limits.direct('select 1 from compute_leases where expires_at > clock_timestamp() and subject = $1', [
        originator.organization_id,
      ]);
    const client = new AbortController();
    const search = fetch(`http://127.0.0.1:${port}${SC}/jobs/${sc_job_id}/cure`, {
      headers: { authorization: `Bearer ${originator.token}` },
      signal: client.signal,
    });
    search.catch(() => {});
    await until(async () => (await leases()).length === 1, 120_000, 'the beginning of the search');
    const searching = processesBelow(process.pid).filter(isTaskProcess);
    client.abort();
    await until(async () => (await leases()).length === 0, 120_000, 'the end of the search');
    // The process of a search that is ended ends with it; that of one which goes on to its end waits for the next.
    if (process.platform === 'linux') assert.ok(searching.length > 0 && !searching.every(isRunning), 'it went on to its end');
    assert.equal((await dryRun(easy)).status, 200);
  });
});
