import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../../test/support/cents.ts';
import { dataOf, openDesk, type Desk, waitingForLock } from '../../../test/support/desk.ts';
import { type Answer, codeOf, startGateway } from '../../../test/support/gateway.ts';
import { lockPool } from '../pools/queries.ts';
import { tapedDeal } from '../../../test/support/serviced-tapes.ts';
import { ServicedLoans } from '../../loans/generate/serviced-loans.ts';
import type { Deps } from '../../platform/deps.ts';
import { reportOf } from '../../../test/support/servicing.ts';
import { applyDueRemittances } from '../remittances/apply-remittances.ts';
import { STORED_OBJECTS } from '../../stored-objects.ts';
import { sweepUploads } from '../uploads/sweep-uploads.ts';
import { listUnusedMonths, type PoolTapeRun } from './queries.ts';
import { copyRows, manyOrganizations, planning } from '../../../test/support/many.ts';
import type { Id } from '../../platform/ids.ts';
import { readPoolTape } from './read-pool-tape.ts';

/** Objects below the folder of a pool's tapes that no row names and none has removed. */
async function leftBehind({ gateway, seller }: Desk, poolId: string): Promise<string[]> {
  const { db, store } = gateway.deps;
  const named = await db.tx({ platform: true }, (tx) =>
    tx.rows<{ key: string }>(`select key from (${STORED_OBJECTS}) o union select object_key from removed_objects`),
  );
  const known = new Set(named.map(({ key }) => key));
  const left: string[] = [];
  for await (const { key } of store.list(`tapes/${seller.organization_id}/${poolId}/`)) if (!known.has(key)) left.push(key);
  return left;
}

/** Lets the hour pass after which replaced files are deleted. */
async function sweepRemoved({ gateway: { deps } }: Desk): Promise<void> {
  await deps.db.tx({ platform: true }, (tx) => tx.exec('update removed_objects set removed_at = now()'));
  await sweepUploads(deps);
}

/** Runs the reading of a period's tape, with something else done between its computations and its commit. */
async function readWith(desk: Desk, run: PoolTapeRun, meanwhile: () => Promise<unknown>): Promise<void> {
  const { deps } = desk.gateway;
  let done = false;
  const compute = new Proxy(deps.compute, {
    get: (target, name) =>
      name === 'run'
        ? async (...args: Parameters<Deps['compute']['run']>) => {
            const reply = await target.run(...args);
            if (!done) {
              done = true;
              await meanwhile();
            }
            return reply;
          }
        : Reflect.get(target, name),
  });
  await readPoolTape({ ...deps, compute }, run, new AbortController().signal);
}

const runOf = ({ seller }: Desk, { pool_id }: { pool_id: string }, period: number, run = 1) =>
  ({ organization_id: seller.organization_id, pool_id, period, run }) as PoolTapeRun;

test('a tape that is sent after the one before was taken away keeps its files', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  const served = await deal.month(1);
  dataOf(await desk.send('DELETE', `${deal.tapes}/1`, desk.seller));
  assert.equal((await deal.send(1)).status, 202);
  await gateway.runJobs();
  await sweepRemoved(desk);
  assert.equal((await deal.read(1)).state, 'DONE');
  const diff = dataOf(await desk.send('GET', `${deal.tapes}/1/diff?against=0`, desk.seller));
  assert.equal(cents(diff.roll_forward.closing), served.closing);
  const next = await deal.month(2);
  assert.deepEqual(
    (await deal.performance()).map(({ closing }: { closing: number }) => cents(closing)),
    [served.closing, next.closing],
  );
});

test('what a run read of a tape that was taken away is not put in force for the one that was sent since', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  deal.loans.advance();
  await gateway.setClock('2026-08-03T15:00:00Z');
  assert.equal((await deal.send(1)).status, 202);
  const served = deal.loans.advance();
  await readWith(desk, runOf(desk, deal, 1), async () => {
    dataOf(await desk.send('DELETE', `${deal.tapes}/1`, desk.seller));
    await gateway.setClock('2026-09-03T15:00:00Z');
    assert.equal((await deal.send(1)).status, 202);
  });
  assert.deepEqual(await deal.performance(), []);
  await gateway.runJobs();
  await sweepRemoved(desk);
  const [only] = await deal.performance();
  assert.equal(cents(only.closing), served.closing);
  assert.deepEqual(await leftBehind(desk, deal.pool_id), []);
});

test('runs that are superseded, and comparisons that take the place of others, leave no file behind', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  await deal.month(1);
  const first = deal.loans.csv();
  const second = await deal.month(2);
  assert.equal((await deal.send(1, first)).status, 202);
  await readWith(desk, runOf(desk, deal, 1, 2), async () => {
    assert.equal((await deal.send(1, first)).status, 202);
  });
  await gateway.runJobs();
  assert.deepEqual(await leftBehind(desk, deal.pool_id), []);
  await sweepRemoved(desk);
  assert.equal(cents((await deal.performance())[1].closing), second.closing);
  const issues = await desk.send('GET', `${deal.tapes}/2/issues`, desk.seller);
  assert.equal(issues.status, 200);
});

test('an attempt that goes on after another has ended the tape leaves its files alone, and its own are deleted', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  const { closing } = deal.loans.advance();
  await gateway.setClock('2026-08-03T15:00:00Z');
  assert.equal((await deal.send(1)).status, 202);
  const { store } = gateway.deps;
  const folder = `tapes/${desk.seller.organization_id}/${deal.pool_id}/`;
  const stored = () => Array.fromAsync(store.list(folder), ({ key }) => key);
  let ofOther: string[] = [];
  await readWith(desk, runOf(desk, deal, 1), async () => {
    await gateway.runJobs();
    ofOther = await stored();
  });
  assert.deepEqual([ofOther.length, (await stored()).length], [5, 10]);
  assert.deepEqual(await leftBehind(desk, deal.pool_id), []);
  await sweepRemoved(desk);
  assert.deepEqual((await stored()).sort(), ofOther.sort());
  assert.equal(cents((await deal.performance())[0].closing), closing);
});

test('a tape whose pool is cancelled before it was read ends with the reason', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  deal.loans.advance();
  await gateway.setClock('2026-08-03T15:00:00Z');
  assert.equal((await deal.send(1)).status, 202);
  dataOf(await desk.operate('POST', `deals/${deal.deal_id}/withdraw`, { reason: 'market conditions' }));
  await gateway.runJobs();
  const tape = await deal.read(1);
  assert.equal(tape.state, 'FAILED');
  assert.match(tape.failure, /CANCELLED/);
  assert.deepEqual(await leftBehind(desk, deal.pool_id), []);
});

test('a tape whose pool is cancelled while it is read ends with the reason, and gives no month', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  deal.loans.advance();
  await gateway.setClock('2026-08-03T15:00:00Z');
  assert.equal((await deal.send(1)).status, 202);
  await readWith(desk, runOf(desk, deal, 1), async () => {
    dataOf(await desk.operate('POST', `deals/${deal.deal_id}/withdraw`, { reason: 'market conditions' }));
  });
  const tape = await deal.read(1);
  assert.deepEqual([tape.state, tape.version_in_force], ['FAILED', null]);
  assert.match(tape.failure, /CANCELLED/);
  assert.deepEqual(await leftBehind(desk, deal.pool_id), []);
});

test('two completes of one upload at once make one tape', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  await deal.month(1);
  const csv = deal.loans.csv();
  deal.loans.advance();
  assert.equal((await deal.send(2)).status, 202);
  const { status } = await desk.send('POST', deal.tapes, desk.seller, {
    period: 2,
    fileName: 'late.csv',
    fileFormat: 'text/csv',
  });
  assert.equal(status, 201);
  const again = await deal.send(1, csv);
  assert.equal(again.status, 202);
  const complete = () => desk.send('POST', `${deal.tapes}/1/complete`, desk.seller, { fileName: 'servicer.csv' });
  assert.deepEqual(
    [...new Set((await Promise.all([complete(), complete()])).map(codeOf).map(String))],
    ['409,INVALID_TRANSITION'],
  );
  await gateway.runJobs();
  assert.deepEqual(
    dataOf(await desk.send('GET', deal.tapes, desk.seller)).map(({ period, state, version }: Record<string, unknown>) => [
      period,
      state,
      version,
    ]),
    [
      [2, 'DONE', 1],
      [1, 'DONE', 2],
    ],
  );
});

test('a tape that has no loan of the pool is refused, and what is in force stays', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  await deal.month(1);
  const before = await deal.performance();
  const other = new ServicedLoans({ type: 'Student', rows: 60, seed: 5 });
  assert.equal((await deal.send(1, other.csv())).status, 202);
  await gateway.runJobs();
  const tape = await deal.read(1);
  assert.deepEqual([tape.state, tape.version, tape.version_in_force], ['FAILED', 2, 1]);
  assert.match(tape.failure, /^None of the 60 loans of the pool that owe is among the 60 loans of this tape/);
  assert.deepEqual(await deal.performance(), before);
  assert.deepEqual(await leftBehind(desk, deal.pool_id), []);
});

test('the file of a monthly tape is deleted once it was read, or another was sent in its place', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  const { db, store } = gateway.deps;
  const sent = async (): Promise<string[]> => {
    const rows = await db.tx({ platform: true }, (tx) =>
      tx.rows<{ upload_id: string }>('select upload_id from uploads where pool_id = $1', [deal.pool_id]),
    );
    const keys: string[] = [];
    for (const { upload_id } of rows)
      for await (const { key } of store.list(`uploads/${desk.seller.organization_id}/${upload_id}/`)) keys.push(key);
    return keys;
  };
  await deal.month(1);
  const first = deal.loans.csv();
  await sweepUploads(gateway.deps);
  assert.deepEqual(await sent(), []);
  assert.equal((await deal.send(1, first)).status, 202);
  assert.equal((await deal.send(1, first)).status, 202);
  await sweepUploads(gateway.deps);
  assert.equal((await sent()).length, 1, 'what has still to be read');
  await gateway.runJobs();
  await sweepUploads(gateway.deps);
  assert.deepEqual(await sent(), []);
  assert.equal((await deal.read(1)).state, 'DONE');
});

test('the loans of a month that an investor calculates from stay, though its tape is sent again', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  const served = await deal.month(1);
  const report = reportOf({ pool: deal.balance, a: deal.a, b: deal.b }, [
    { principal: (served.scheduled + served.prepaid) / 100 },
  ]);
  const payment_date = '2026-08-17';
  dataOf(await desk.send('POST', `${deal.pools}/remittances`, desk.seller, { ...report, payment_date }));
  await gateway.setClock(`${payment_date}T20:00:00Z`);
  await applyDueRemittances(gateway.deps.db);
  const calculation = { type: 'CASHFLOW', assumptions: { cpr: 0, cdr: 0, severity: 0 }, from: 'LATEST' };
  const calculations = `/v1/api/investor/deals/${deal.deal_id}/calculations`;
  const investor = await desk.investor();
  dataOf(await desk.send('POST', calculations, investor, calculation));
  const rows = <Row>(sql: string) => gateway.deps.db.tx({ platform: true }, (tx) => tx.rows<Row>(sql));
  const [month] = await rows<{ loans_key: string }>('select loans_key from pool_months');
  assert.ok(month);
  assert.equal((await deal.send(1)).status, 202);
  await gateway.runJobs();
  assert.notDeepEqual(await rows('select loans_key from pool_months'), [month]);
  assert.deepEqual(
    await rows(`select inputs -> 'pool' ->> 'loans_key' as loans_key from calculations
      where inputs -> 'pool' ->> 'loans_key' not in (select object_key from removed_objects)`),
    [month],
  );
  // One that is requested while the loans are changed names those that the month has afterwards.
  const pool_id = deal.pool_id as Id<'pool'>;
  const { organization_id } = desk.seller;
  let meanwhile: Promise<Answer> | undefined;
  await gateway.deps.db.tx({ organization: organization_id }, async (tx) => {
    await lockPool(tx, organization_id, pool_id);
    await tx.exec(`update pool_months set loans_key = 'changed'`);
    meanwhile = desk.send('POST', calculations, investor, { ...calculation, assumptions: { cpr: 5 } });
    await Promise.race([waitingForLock(gateway), meanwhile]);
  });
  assert.ok(meanwhile);
  const { calculation_id } = dataOf(await meanwhile);
  assert.deepEqual(
    await rows(`select inputs -> 'pool' ->> 'loans_key' as key from calculations where calculation_id = '${calculation_id}'`),
    [{ key: 'changed' }],
  );
  // Of all the calculations there are, those of the pool are looked at.
  const blocks = await gateway.deps.db.tx({ platform: true }, async (tx) => {
    await manyOrganizations(tx, desk.seller, 300);
    await copyRows(tx, 'pools', desk.seller, 300, { pool_id: 'pool_' });
    await tx.exec(
      `insert into calculations (calculation_id, organization_id, pool_id, calculation_key, type, purpose, status, as_of, granularity, inputs)
       select 'calc_' || i || '_' || n, 'org_many' || i, 'pool_many' || i, n, 'PRICING', 'ANALYSIS', 'COMPLETED', now(), 'SUMMARY', '{}'
       from generate_series(1, 300) i, generate_series(1, 50) n`,
    );
    await tx.exec('analyze calculations');
    const { seen, planned } = planning(tx, /from calculations/);
    assert.deepEqual(await listUnusedMonths(planned, pool_id, [month.loans_key, 'another']), ['another']);
    return seen.blocks;
  });
  assert.ok(blocks < 100, `${blocks} blocks`);
});
