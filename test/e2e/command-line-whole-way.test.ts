import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { offeringDates, structureFor } from '../../src/features/sandbox/structure.ts';
import { commandLine } from '../support/command-line.ts';
import { startServer, temporaryFolder } from '../support/processes.ts';
import { autoTape } from '../support/tapes.ts';

/* oxlint-disable-next-line typescript/no-explicit-any -- a user reads any field of any record. */
type Data = any;

test('the whole way, from a tape to a payment that the investor sees, by the command line alone', async () => {
  using folder = temporaryFolder();
  await using server = await startServer(join(folder.path, 'data'));
  const file = (name: string, content: string): string => {
    const path = join(folder.path, name);
    writeFileSync(path, content);
    return path;
  };
  const sluice = commandLine(folder.path, {});
  const keys: string[] = [];
  const seen: string[] = [];
  for (const [profile, role] of [
    ['harbor', 'originator'],
    ['northgate', 'investor'],
    ['platform', 'operator'],
  ] as const) {
    const key = await server.issueKey(profile, role);
    keys.push(key);
    const { code, stdout, stderr } = await sluice(['login', '--url', server.address, '--profile', profile, '--key-stdin'], key);
    assert.equal(code, 0, stderr);
    seen.push(stdout, stderr);
  }
  const profiles = join(folder.path, 'config/sluice/profiles.json');
  assert.equal(statSync(profiles).mode & 0o777, 0o600);
  const as =
    (profile: string) =>
    async (...args: string[]): Promise<Data> => {
      const { code, stdout, stderr } = await sluice([...args, '--profile', profile, '--json']);
      seen.push(stdout, stderr);
      assert.equal(code, 0, `sluice ${args.join(' ')}: ${stderr}`);
      return JSON.parse(stdout);
    };
  const [originator, investor, operator] = [as('harbor'), as('northgate'), as('platform')];

  const me = await originator('whoami');
  assert.deepEqual([me.organization, me.role, me.environment, me.url], ['harbor', 'originator', 'development', server.address]);
  assert.match(me.key_from, /^profile harbor in /);

  const deal = await originator('tapes', 'upload', file('auto.csv', autoTape(2_000)), '--type', 'Auto', '--wait');
  assert.equal(deal.status, 'QC_COMPLETED');
  const rules = file('rules.json', JSON.stringify([{ id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 500 } }]));
  const criteria = await originator('criteria', 'create', '--loan-type', 'Auto', '--loan-rules', `@${rules}`);
  const run = await originator('criteria', 'run', deal.deal_id, '--criteria-id', criteria.criteria_id, '--wait');
  assert.equal(run.status, 'COMPLETED');
  await operator('deals', 'approve', deal.deal_id);

  const dates = offeringDates('2026-11-20');
  const made = ['--cut-off-date', dates.cutOff, '--closing-date', dates.closing, '--sc-job-ids', run.sc_job_id];
  const pool = await originator('pools', 'create', '--name', 'Harbor 2026-1', '--deal-ids', deal.deal_id, ...made);
  const structure = file('structure.json', JSON.stringify(structureFor(pool.balance, dates)));
  await originator('pools', 'set-structure', pool.pool_id, '--body', structure);
  const asked = ['--type', 'PRICING', '--purpose', 'MARK', '--as-of', dates.closing, '--settlement-date', dates.closing];
  const assumptions = JSON.stringify({ abs: 1.3, cdr: 2, severity: 50 });
  const calculation = await originator('calculations', 'request', pool.pool_id, ...asked, '--assumptions', assumptions, '--wait');
  assert.equal(calculation.status, 'COMPLETED');
  await originator('pools', 'lock', pool.pool_id);
  await originator('pools', 'issue', pool.pool_id);
  const issued = await operator('pools', 'issue', pool.pool_id);
  await operator('calculations', 'publish', calculation.calculation_id);

  const { tranches } = await investor('deals', 'get', issued.deal_id);
  const [senior] = tranches;
  const amount = String(senior.denomination * 500);
  const order = await investor('orders', 'place', issued.deal_id, '--tranche-id', senior.tranche_id, '--amount', amount);
  assert.equal(order.amount, Number(amount));
  await operator('deals', 'allocate', issued.deal_id, '--method', 'PRO_RATA');
  const [allocation] = await investor('allocations', 'list');
  assert.equal(allocation.allocated_amount, Number(amount));
  await investor('allocations', 'accept', allocation.allocation_id);
  const [trade] = await operator('trades', 'list', '--deal-id', issued.deal_id);
  await operator('trades', 'settle', trade.trade_id);
  const [position] = await investor('portfolio', 'positions');
  assert.equal(position.face, Number(amount));

  await originator('sandbox', 'advance-pool', pool.pool_id, '--periods', '1');
  const [report] = await originator('pools', 'remittances', pool.pool_id);
  assert.equal(report.status, 'APPLIED');
  const [payment] = await investor('portfolio', 'payments');
  assert.equal(payment.deal_id, issued.deal_id);

  for (const key of keys)
    assert.ok(
      seen.every((text) => !text.includes(key)),
      'a key was printed',
    );
  assert.equal(Object.keys(JSON.parse(readFileSync(profiles, 'utf8')).profiles).length, 3);
});
