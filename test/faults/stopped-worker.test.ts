import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { structureOver } from '../support/pools.ts';
import { autoTape } from '../support/tapes.ts';
import { ask, createMachine, issueKey, type Machine, readDeal, sendTape } from './processes.ts';
import { until } from '../support/until.ts';

const ROWS = 200_000;
const DONE_MS = 120_000;
/** More stops than the three attempts that a record has. */
const STOPS = 4;

test('workers that receive SIGTERM in the middle of their work', async (t) => {
  await using machine = createMachine({ LOG_LEVEL: 'info' });
  const gateway = await machine.start(['serve', '--no-worker']);
  const token = await issueKey(machine, 'originator', 'Acme');
  const operator = await issueKey(machine, 'operator', 'Platform');
  const read = async (path: string) => (await ask(gateway, 'GET', path, { token })).body.data;
  const post = async (path: string, body: unknown, as = token) => {
    const { status, body: reply } = await ask(gateway, 'POST', path, { token: as, body });
    assert.ok(status < 300, `${path}: ${JSON.stringify(reply)}`);
    return reply.data;
  };
  let deal = '';

  await t.test('hand a tape back, and another worker checks it whole', async () => {
    deal = await sendTape(gateway, token, autoTape(ROWS));
    for (let stops = 0; stops < STOPS; stops += 1) {
      await stopDuring(machine, 'ingest-');
      const seen = await readDeal(gateway, token, deal);
      assert.deepEqual([seen.status, seen.qc.state, seen.qc.reason], ['IN_REVIEW', 'RUNNING', null]);
    }
    await finish(machine, async () => (await readDeal(gateway, token, deal)).qc.state !== 'RUNNING');
    const seen = await readDeal(gateway, token, deal);
    assert.deepEqual([seen.status, seen.qc.state, seen.qc.accepted], ['QC_COMPLETED', 'DONE', ROWS]);
  });

  await t.test('hand a criteria run back, and another worker completes it', async () => {
    await post(`/v1/operator/deals/${deal}/approve`, {}, operator);
    const loan_rules = Array.from({ length: 200 }, (_, index) => ({
      id: `R${index}`,
      rule: {
        any: [
          { field: 'credit_score', op: 'gte', value: 500 + index },
          { field: 'state', op: 'eq', value: 'TX' },
        ],
      },
    }));
    const set = { name: 'Many', loan_type: 'Auto', loan_rules, pool_tests: [] };
    const { criteria_id } = await post('/v1/api/originator/sc/criteria', set);
    const { sc_job_id } = await post(`/v1/api/originator/sc/deals/${deal}/run`, { criteria_id });
    const run = () => read(`/v1/api/originator/sc/jobs/${sc_job_id}`);
    for (let stops = 0; stops < STOPS; stops += 1) {
      await stopDuring(machine, 'criteria-');
      const seen = await run();
      assert.deepEqual([seen.status, seen.error], ['RUNNING', null]);
    }
    await finish(machine, async () => !['PENDING', 'RUNNING'].includes((await run()).status));
    const seen = await run();
    assert.deepEqual([seen.status, seen.total, seen.error], ['COMPLETED', ROWS, null]);
  });

  await t.test('hand a calculation back, and another worker completes it', async () => {
    const dates = { cut_off_date: '2026-11-30', closing_date: '2026-12-15' };
    const pool = await post('/v1/api/originator/pools', { name: 'Trust', deal_ids: [deal], ...dates });
    const path = `/v1/api/originator/pools/${pool.pool_id}/structure`;
    const put = await ask(gateway, 'PUT', path, { token, body: structureOver(pool.balance) });
    assert.equal(put.status, 200, JSON.stringify(put.body));
    const base = `/v1/api/originator/analytics/pools/${pool.pool_id}/calculations`;
    const scenarios = Array.from({ length: 12 }, (_, index) => ({ scenario: `s${index}`, cdr: index }));
    const { calculation_id } = await post(base, { type: 'CASHFLOW', assumptions: { cpr: 6, severity: 45 }, scenarios });
    const calculation = () => read(`${base}/${calculation_id}`);
    for (let stops = 0; stops < STOPS; stops += 1) {
      await stopDuring(machine, 'calculation-');
      const seen = await calculation();
      assert.deepEqual([seen.status, seen.error], ['RUNNING', null]);
    }
    await finish(machine, async () => !['PENDING', 'RUNNING'].includes((await calculation()).status));
    const seen = await calculation();
    assert.deepEqual([seen.status, seen.error, seen.results.length], ['COMPLETED', null, 12]);
  });

  await t.test('leave no files of their work behind', () => {
    assert.deepEqual(
      working(machine).filter((name) => /(ingest|criteria|calculation)-/.test(name)),
      [],
    );
  });
});

const working = (machine: Machine): string[] => readdirSync(join(machine.dataDir, 'work'), { recursive: true, encoding: 'utf8' });

/**
 * A worker that is stopped, as a deploy stops it, as soon as it works on something of the kind; it ends in order, and its work within its
 * time: what had not ended by then would be handed back without the line.
 */
async function stopDuring(machine: Machine, kind: string): Promise<void> {
  const worker = await machine.start(['work']);
  await until(() => working(machine).some((name) => name.includes(kind)), 120_000, `work in ${kind}`, 2);
  worker.signal('SIGTERM');
  assert.equal(await worker.exited, 0, worker.stderr());
  assert.match(worker.stderr(), /job handed back/);
  assert.doesNotMatch(worker.stderr(), /job failed|given up/);
}

async function finish(machine: Machine, ended: () => Promise<boolean>): Promise<void> {
  const worker = await machine.start(['work']);
  await until(ended, DONE_MS, 'the end of the work', 250);
  worker.signal('SIGTERM');
  await worker.exited;
}
