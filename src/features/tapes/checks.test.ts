import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { storeWith } from '../../../test/support/stores.ts';
import { autoTape, seller } from '../../../test/support/tapes.ts';
import type { ObjectStore } from '../../platform/files/store.ts';
import { asId } from '../../platform/ids.ts';
import { ingestTape } from './ingest-tape.ts';

const going = new AbortController().signal;
/** Balance of rows `from` to `rows` of the small tape: 18,000 + 10 × row each. */
const balanceOf = (rows: number, from = 0): number =>
  Array.from({ length: rows - from }, (_, index) => 18_000 + (from + index) * 10).reduce((sum, each) => sum + each, 0);
/** A tape of which the first rows cannot serve as loans. */
const spoiled = (rows: number, unusable: number): string =>
  autoTape(rows, (row, index) => {
    if (index < unusable) row['Original Amount Financed'] = '0';
  });

test('the checks of a tape', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');

  await t.test('lead a deal from DRAFT to APPROVED with its events, alerts, figures and history', async () => {
    const ours = await seller(gateway, 'Originator');
    const dealId = await ours.checked(autoTape(40));
    const deal = await ours.deal(dealId);
    assert.equal(deal.status, 'QC_COMPLETED', JSON.stringify(deal.qc));
    assert.deepEqual([deal.qc.state, deal.qc.rows, deal.qc.accepted, deal.qc.rejected], ['DONE', 40, 40, 0]);
    assert.deepEqual([deal.loan_count, deal.total_balance, deal.tape_version], [40, balanceOf(40), 1]);
    assert.deepEqual([deal.qc.balance_basis, deal.qc.reason, deal.issue_counts], ['CURRENT', null, { error: 0, warning: 0 }]);
    const approve = (as = operator) => gateway.call('POST', `/v1/operator/deals/${dealId}/approve`, { as });
    assert.equal((await approve(ours.as)).status, 403);
    const { deal_id, status } = (await approve()).body.data;
    assert.deepEqual([deal_id, status], [dealId, 'APPROVED']);
    const again = await approve();
    assert.deepEqual(
      [...codeOf(again), again.body.current_status, again.body.allowed],
      [409, 'INVALID_TRANSITION', 'APPROVED', ['WITHDRAWN']],
    );
    assert.deepEqual(
      (await ours.events(dealId)).map(({ event, data }) => data.current_status ?? event),
      ['IN_REVIEW', 'QC_COMPLETED', 'APPROVED', 'loan.approved'],
    );
    const { history } = await ours.deal(dealId);
    assert.deepEqual(
      history.map((each: { to: string; actor: string }) => [each.to, each.actor]),
      [
        ['DRAFT', ours.as.key_id],
        ['IN_REVIEW', ours.as.key_id],
        ['QC_COMPLETED', 'platform'],
        ['APPROVED', operator.key_id],
      ],
    );
    assert.deepEqual(
      (await ours.alerts(dealId)).map(({ type, priority }) => [type, priority]),
      [
        ['loan.approved', 'MEDIUM'],
        ['deal.status_changed', 'MEDIUM'],
        ['deal.status_changed', 'LOW'],
      ],
    );
    const approved = (await ours.events(dealId)).at(-1)?.data;
    assert.deepEqual([approved?.loan_count, approved?.total_balance, approved?.loan_type], [40, balanceOf(40), 'Auto']);
    assert.equal((await (await seller(gateway, 'Other')).call('GET', `/${dealId}`)).status, 404);
  });

  await t.test('pass a tape of which exactly a tenth is unusable; its figures are those of the accepted rows', async () => {
    const ours = await seller(gateway, 'A tenth');
    const deal = await ours.deal(await ours.checked(spoiled(20, 2)));
    assert.deepEqual([deal.status, deal.qc.rows, deal.qc.accepted, deal.qc.rejected], ['QC_COMPLETED', 20, 18, 2]);
    assert.deepEqual([deal.loan_count, deal.total_balance, deal.issue_counts.error], [18, balanceOf(20, 2), 2]);
  });

  await t.test('reject a tape of which more than a tenth is unusable, with the reason in event, history and alert', async () => {
    const ours = await seller(gateway, 'More than a tenth');
    const dealId = await ours.checked(spoiled(20, 3));
    const deal = await ours.deal(dealId);
    assert.deepEqual([deal.status, deal.qc.state, deal.qc.rejected], ['REJECTED', 'DONE', 3]);
    const events = await ours.events(dealId);
    assert.deepEqual(
      events.map(({ event, data }) => data.current_status ?? event),
      ['IN_REVIEW', 'REJECTED', 'loan.rejected'],
    );
    const rejected = events.at(-1)?.data ?? {};
    assert.deepEqual([rejected.reason_code, rejected.loan_type], ['QC_FAILED', 'Auto']);
    assert.match(String(rejected.reason), /^3 of 20 rows \(15\.0 %\) cannot serve as loans; at most 10 % may be rejected\.$/);
    const last = deal.history.at(-1);
    assert.deepEqual([last.from, last.to, last.actor, last.reason], ['IN_REVIEW', 'REJECTED', 'platform', rejected.reason]);
    const [alert] = await ours.alerts(dealId);
    assert.deepEqual([alert?.type, alert?.priority], ['loan.rejected', 'HIGH']);
    const approve = await gateway.call('POST', `/v1/operator/deals/${dealId}/approve`, { as: operator });
    assert.deepEqual([...codeOf(approve), approve.body.allowed], [409, 'INVALID_TRANSITION', []]);
  });

  await t.test('that end without a mapping after the operator rejected the deal alert nobody', async () => {
    const ours = await seller(gateway, 'Decided before');
    const dealId = await ours.uploaded(
      autoTape(6).replace('Original Amount Financed', 'Alpha').replace('Current Balance', 'Beta'),
    );
    await ours.complete(dealId);
    await gateway.call('POST', `/v1/operator/deals/${dealId}/reject`, { as: operator, body: { reason: 'Late.' } });
    await gateway.runJobs();
    assert.deepEqual((await ours.alerts(dealId)).map(({ type }) => type).toSorted(), ['deal.status_changed', 'loan.rejected']);
  });

  await t.test('reject a tape without one usable row, and a rejected deal takes neither mapping nor version', async () => {
    const ours = await seller(gateway, 'Nothing usable');
    const dealId = await ours.checked(spoiled(4, 4));
    const deal = await ours.deal(dealId);
    assert.deepEqual([deal.status, deal.loan_count, deal.total_balance], ['REJECTED', 0, 0]);
    const mapped = await ours.map(dealId, { source: 'FICO', target: null });
    assert.deepEqual([...codeOf(mapped), mapped.body.current_status], [409, 'INVALID_TRANSITION', 'REJECTED']);
    const opened = await ours.call('POST', `/${dealId}/tapes`, { fileName: 'b.csv', fileFormat: 'text/csv' });
    assert.deepEqual([...codeOf(opened), opened.body.current_status], [409, 'INVALID_TRANSITION', 'REJECTED']);
    assert.equal((await ours.initiate()).status, 201, 'the loan type is free for another deal');
  });

  await t.test('leave a deal that was decided meanwhile as the decision left it', async () => {
    const ours = await seller(gateway, 'Decided');
    const dealId = await ours.sent();
    const body = { reason: 'Sent by mistake.' };
    assert.equal((await gateway.call('POST', `/v1/operator/deals/${dealId}/reject`, { as: operator, body })).status, 200);
    const before = [await ours.events(dealId), await ours.alerts(dealId)];
    await gateway.runJobs();
    const deal = await ours.deal(dealId);
    assert.deepEqual([deal.status, deal.tape_version, deal.history.length], ['REJECTED', null, 3]);
    assert.equal(deal.qc.state, 'DONE', 'the tape has been read');
    assert.deepEqual([await ours.events(dealId), await ours.alerts(dealId)], before);
  });

  await t.test('that end a second time, or were taken over by another run, change nothing', async () => {
    const ours = await seller(gateway, 'Repeated');
    const dealId = await ours.checked();
    const before = [await ours.deal(dealId), await ours.events(dealId), await ours.alerts(dealId)];
    const job = { organization_id: ours.as.organization_id, deal_id: asId('deal', dealId), version: 1 };
    for (const run of [0, 1, 2]) await ingestTape(gateway.deps, { ...job, run }, going);
    assert.equal((await ours.map(dealId, { source: 'FICO', target: null })).status, 202);
    const running = await ours.deal(dealId);
    await ingestTape(gateway.deps, { ...job, run: 1 }, going);
    assert.deepEqual(await ours.deal(dealId), running, 'the first run ends no checks that run again');
    assert.deepEqual([running.qc.state, await ours.events(dealId), await ours.alerts(dealId)], ['RUNNING', ...before.slice(1)]);
  });

  await t.test(
    'of an attempt that goes on after another has ended them leave the files in force alone, and its own are deleted',
    async () => {
      const ours = await seller(gateway, 'Late');
      const dealId = await ours.sent();
      const job = { organization_id: ours.as.organization_id, deal_id: asId('deal', dealId), version: 1, run: 1 };
      const [read, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const written: string[] = [];
      const put: ObjectStore['put'] = async (key, bytes, most) => {
        if (key.endsWith('.parquet')) {
          written.push(key);
          read.resolve();
          await ended.promise;
        }
        return await gateway.deps.store.put(key, bytes, most);
      };
      const late = ingestTape({ ...gateway.deps, store: storeWith(gateway.deps.store, { put }) }, job, going);
      await Promise.race([read.promise, late]);
      await ingestTape(gateway.deps, job, going);
      ended.resolve();
      await late;
      const removed = await gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.rows<{ object_key: string }>('select object_key from removed_objects where object_key = any($1)', [written]),
      );
      assert.equal(written.length, 3);
      assert.equal(removed.length, 3, 'all that the late one has written is deleted');
      const [row] = await gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.rows<Record<string, string>>('select raw_key, loans_key, issues_key from tapes where deal_id = $1', [dealId]),
      );
      for (const key of Object.values(row ?? {})) {
        assert.ok(!written.includes(key), `${key} is that of the first that ended`);
        assert.ok(await gateway.deps.store.stat(key), key);
      }
      assert.equal((await ours.deal(dealId)).qc.state, 'DONE');
    },
  );

  await t.test('that two workers run at once end once', async () => {
    const ours = await seller(gateway, 'Twice');
    const dealId = await ours.sent();
    const job = { organization_id: ours.as.organization_id, deal_id: asId('deal', dealId), version: 1, run: 1 };
    await Promise.all([ingestTape(gateway.deps, job, going), ingestTape(gateway.deps, job, going)]);
    assert.deepEqual(
      (await ours.events(dealId)).map(({ data }) => data.current_status),
      ['IN_REVIEW', 'QC_COMPLETED'],
    );
    assert.equal((await ours.alerts(dealId)).length, 2);
  });

  await t.test('without an amount column wait for a mapping, with an alert and no event, and the deal has no loans', async () => {
    const ours = await seller(gateway, 'Unmapped');
    const bytes = autoTape(6).replace('Original Amount Financed', 'Alpha').replace('Current Balance', 'Beta');
    const dealId = await ours.checked(bytes);
    const deal = await ours.deal(dealId);
    assert.deepEqual(
      [deal.status, deal.qc.state, deal.qc.accepted, deal.loan_count, deal.tape_version],
      ['IN_REVIEW', 'NEEDS_MAPPING', 0, 0, null],
    );
    assert.ok(deal.issue_counts.error + deal.issue_counts.warning > 0);
    assert.equal((await ours.events(dealId)).length, 1);
    const [alert] = await ours.alerts(dealId);
    assert.deepEqual([alert?.type, alert?.priority], ['loan.mapping_needed', 'HIGH']);
    assert.equal((await ours.call('GET', `/${dealId}/loans`)).body.pagination.total, 0);
    const approve = await gateway.call('POST', `/v1/operator/deals/${dealId}/approve`, { as: operator });
    assert.deepEqual([...codeOf(approve), approve.body.current_status], [409, 'INVALID_TRANSITION', 'IN_REVIEW']);
    const rejected = await gateway.call('POST', `/v1/operator/deals/${dealId}/reject`, {
      as: operator,
      body: { reason: 'Late.' },
    });
    assert.equal(rejected.body.data.status, 'REJECTED', 'the operator need not wait for the mapping');
  });

  await t.test('of a deal whose amounts are unmapped again keep it from being approved with no loans', async () => {
    const ours = await seller(gateway, 'Unmapped later');
    const dealId = await ours.checked(autoTape(6));
    const map = async (targets: Record<string, string | null>) => {
      const mappings = Object.entries(targets).map(([source, target]) => ({ source, target }));
      const asked = await ours.call('PUT', `/${dealId}/mapping`, { mappings });
      assert.equal(asked.status, 202);
      await gateway.runJobs();
      return ours.deal(dealId);
    };
    const approve = () => gateway.call('POST', `/v1/operator/deals/${dealId}/approve`, { as: operator });
    const waiting = await map({ 'Original Amount Financed': null, 'Current Balance': null });
    assert.deepEqual([waiting.status, waiting.qc.state, waiting.loan_count], ['QC_COMPLETED', 'NEEDS_MAPPING', 0]);
    const refused = await approve();
    assert.deepEqual([...codeOf(refused), refused.body.allowed], [409, 'INVALID_TRANSITION', ['REJECTED']]);
    assert.match(refused.body.message ?? '', /no column that can be read as the amount/);
    const mapped = await map({ 'Original Amount Financed': 'original_balance', 'Current Balance': 'current_balance' });
    assert.deepEqual([mapped.qc.state, mapped.loan_count, (await approve()).status], ['DONE', 6, 200]);
  });

  await t.test('date a tape that says no date itself by the platform’s clock', async () => {
    const ours = await seller(gateway, 'Dated');
    const first = (await ours.deal(await ours.checked())).as_of_date;
    await gateway.advance(40 * 86_400);
    const later = (await ours.deal(await ours.checked())).as_of_date;
    const days = (Date.parse(later) - Date.parse(first)) / 86_400_000;
    assert.ok(days === 40 || days === 41, `${first} and ${later}`);
  });

  await t.test('count the rows that they read, and leave no file in the working folder', async () => {
    const count = async (outcome: string): Promise<number> => {
      const text = await gateway.deps.metrics.registry.getSingleMetricAsString('sluice_tape_rows_total');
      return Number(new RegExp(`outcome="${outcome}"[^}]*} (\\d+)`).exec(text)?.[1] ?? 0);
    };
    const ours = await seller(gateway, 'Counted');
    await ours.checked(spoiled(3, 3));
    const [accepted, rejected] = [await count('accepted'), await count('rejected')];
    await ours.checked(spoiled(30, 2));
    assert.deepEqual([(await count('accepted')) - accepted, (await count('rejected')) - rejected], [28, 2]);
    assert.deepEqual(
      readdirSync(gateway.deps.workDir).filter((name) => name.startsWith('ingest-')),
      [],
    );
  });
});
