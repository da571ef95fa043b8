import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../../test/support/cents.ts';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { codeOf, startGateway } from '../../../test/support/gateway.ts';
import { copyRows, countingDatabase, manyOrganizations } from '../../../test/support/many.ts';
import { sendTape } from '../../../test/support/tapes.ts';
import { tapedDeal } from '../../../test/support/serviced-tapes.ts';
import { tellLateTapes } from './tell-late.ts';

test('a pool is followed month by month by the tapes of its servicer', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  const served = [await deal.month(1), await deal.month(2), await deal.month(3)];
  const tapes = dataOf(await desk.send('GET', deal.tapes, desk.seller));
  assert.deepEqual(
    tapes.map(({ period, state, version_in_force, compared_with, errors, strangers }: Record<string, unknown>) => ({
      period,
      state,
      version_in_force,
      compared_with,
      errors,
      strangers,
    })),
    [3, 2, 1].map((period) => ({
      period,
      state: 'DONE',
      version_in_force: 1,
      compared_with: period - 1,
      errors: 0,
      strangers: 0,
    })),
  );
  const periods = await deal.performance();
  assert.deepEqual(
    periods.map(({ period, basis }: Record<string, unknown>) => [period, basis]),
    [1, 2, 3].map((period) => [period, 'TAPE']),
  );
  assert.equal(periods[0].opening, deal.balance);
  for (const [index, month] of served.entries()) {
    const row = periods[index];
    assert.equal(cents(row.closing), month.closing);
    assert.equal(cents(row.defaulted), month.chargedOff);
    assert.equal(cents(row.principal_collected), month.scheduled + month.prepaid);
    assert.equal(row.count, month.count);
    assert.equal(periods[index + 1]?.opening ?? row.closing, row.closing);
    // What a month's prepayments are of what could prepay, over twelve months.
    const share = row.prepaid / (row.opening - row.scheduled);
    assert.ok(Math.abs(row.cpr - 100 * (1 - (1 - share) ** 12)) < 0.0001);
    const current = row.roll.filter(({ from }: { from: string }) => from === 'CURRENT');
    assert.ok(Math.abs(current.reduce((sum: number, { percent }: { percent: number }) => sum + percent, 0) - 100) < 0.001);
  }
  const events = dataOf(await desk.send('GET', '/v1/api/events?type=tape.checked', desk.seller));
  assert.equal(events.length, 3);
  const diff = dataOf(await desk.send('GET', `${deal.tapes}/3/diff?against=0`, desk.seller));
  assert.equal(diff.roll_forward.opening, deal.balance);
  assert.equal(cents(diff.roll_forward.closing), served[2]?.closing);
  const curves = dataOf(await desk.send('GET', `${deal.pools}/performance/curves`, desk.seller));
  const last = curves.vintages.map(({ periods: rows }: { periods: { closing: number }[] }) => rows.at(-1)?.closing ?? 0);
  assert.equal(cents(last.reduce((sum: number, closing: number) => sum + closing, 0)), served[2]?.closing);
});

test('a tape that is sent again takes the place of the one before, and the months after it are compared again', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  await deal.month(1);
  const broken = deal.loans.table();
  const balance = broken[0]?.indexOf('Current Principal Balance') ?? 0;
  const good = deal.loans.csv();
  await deal.month(2);
  const before = await deal.performance();
  // A file that cannot be read leaves what is in force.
  assert.equal((await deal.send(1, good.replace(/Amount Financed|Current Principal Balance/g, 'Colour'))).status, 202);
  await gateway.runJobs();
  const waiting = await deal.read(1);
  assert.deepEqual([waiting.state, waiting.version, waiting.version_in_force], ['NEEDS_MAPPING', 2, 1]);
  assert.deepEqual(await deal.performance(), before);
  // Ten units more on each of the first five loans: the second month collects them.
  const lines = good.split('\r\n');
  for (const place of [1, 2, 3, 4, 5]) {
    const amount = Number(broken[place]?.[balance]?.replace(/[$,]/g, ''));
    lines[place] =
      lines[place]?.replace(
        broken[place]?.[balance]?.includes(',') ? `"${broken[place]?.[balance]}"` : (broken[place]?.[balance] ?? ''),
        `${amount - 10}`,
      ) ?? '';
  }
  assert.equal((await deal.send(1, lines.join('\r\n'))).status, 202);
  await gateway.runJobs();
  const after = await deal.performance();
  assert.deepEqual([(await deal.read(1)).version_in_force, (await deal.read(2)).state], [3, 'DONE']);
  assert.equal(cents(after[0].closing), cents(before[0].closing) - 5_000);
  assert.equal(after[1].opening, after[0].closing, 'the second month opens with what the first closes with');
  assert.equal(after[1].closing, before[1].closing);
  // Without the first tape, the second is compared with closing.
  dataOf(await desk.send('DELETE', `${deal.tapes}/1`, desk.seller));
  await gateway.runJobs();
  const [only] = await deal.performance();
  assert.deepEqual([only.period, only.opening, only.closing], [2, deal.balance, before[1].closing]);
  assert.match(only.notes.join(), /covers the periods 1 to 2/);
});

test('what is found in a monthly tape is listed, and an unread amount waits for a mapping', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  deal.loans.advance();
  await gateway.setClock('2026-08-03T15:00:00Z');
  const lines = deal.loans.csv().split('\r\n');
  const gone = lines.splice(5, 1)[0] ?? '';
  assert.equal((await deal.send(1, lines.join('\r\n'))).status, 202);
  await gateway.runJobs();
  const read = await deal.read(1);
  assert.deepEqual(read.by_rule, [{ rule_id: 'LOAN_VANISHED', severity: 'ERROR', count: 1 }]);
  const listed = await desk.send('GET', `${deal.tapes}/1/issues?rule=LOAN_VANISHED`, desk.seller);
  const [issue] = dataOf(listed);
  assert.equal(issue.row_number, null);
  assert.ok(issue.message.startsWith(`loan ${gone.split(',')[0]} `));
  assert.ok(read.mapping.mappings.length > 10);
  const unnamed = deal.loans.csv().replace('Amount Financed', 'Col A').replace('Current Principal Balance', 'Col B');
  assert.equal((await deal.send(1, unnamed)).status, 202);
  await gateway.runJobs();
  assert.equal((await deal.read(1)).state, 'NEEDS_MAPPING');
  const mapped = await desk.send('PUT', `${deal.tapes}/1/mapping`, desk.seller, {
    mappings: [
      { source: 'Col A', target: 'original_balance' },
      { source: 'Col B', target: 'current_balance' },
    ],
  });
  assert.equal(mapped.status, 202, JSON.stringify(mapped.body));
  await gateway.runJobs();
  const done = await deal.read(1);
  assert.deepEqual([done.state, done.version_in_force, done.errors], ['DONE', 2, 0]);
  // The next tape of the pool starts with that mapping; a deal's tape does not.
  deal.loans.advance();
  await gateway.setClock('2026-09-03T15:00:00Z');
  const next = deal.loans.csv().replace('Amount Financed', 'Col A').replace('Current Principal Balance', 'Col B');
  assert.equal((await deal.send(2, next)).status, 202);
  await gateway.runJobs();
  assert.equal((await deal.read(2)).state, 'DONE');
  const { deal_id } = await sendTape(gateway, desk.seller, { loanType: 'Auto', bytes: next });
  await gateway.runJobs();
  assert.equal(dataOf(await desk.send('GET', `/v1/api/originator/loans/${deal_id}`, desk.seller)).qc.state, 'NEEDS_MAPPING');
});

test('monthly tapes begin with the issue, and belong to the owner of the pool alone', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  await deal.month(1);
  const other = await gateway.key('originator', 'Other');
  const opening = { period: 1, fileName: 'a.csv', fileFormat: 'text/csv' };
  const acts: [string, string, object?][] = [
    ['POST', deal.tapes, opening],
    ['POST', `${deal.tapes}/1/complete`, { fileName: 'servicer.csv' }],
    ['GET', deal.tapes],
    ['GET', `${deal.tapes}/1`],
    ['GET', `${deal.tapes}/1/issues`],
    ['GET', `${deal.tapes}/1/diff`],
    ['PUT', `${deal.tapes}/1/mapping`, { mappings: [{ source: 'APR', target: null }] }],
    ['DELETE', `${deal.tapes}/1`],
    ['GET', `${deal.pools}/reporting`],
    ['PUT', `${deal.pools}/reporting`, { tape_due_business_day: 3 }],
    ['GET', `${deal.pools}/performance/curves`],
  ];
  for (const [method, path, body] of acts) {
    assert.deepEqual(codeOf(await desk.send(method, path, other, body)), [404, 'NOT_FOUND'], `${method} ${path}`);
    const investor = await desk.investor();
    assert.equal((await desk.send(method, path, investor, body)).status, 403, `${method} ${path}`);
  }
  const again = await desk.send('POST', `${deal.tapes}/1/complete`, desk.seller, { fileName: 'servicer.csv' });
  assert.deepEqual(codeOf(again), [409, 'INVALID_TRANSITION']);
  const named = await desk.send('POST', deal.tapes, desk.seller, opening);
  assert.equal(named.status, 201);
  assert.deepEqual(codeOf(await desk.send('POST', `${deal.tapes}/1/complete`, desk.seller, { fileName: 'b.csv' })), [
    400,
    'FILE_NAME_MISMATCH',
  ]);
  assert.deepEqual(codeOf(await desk.send('POST', `${deal.tapes}/1/complete`, desk.seller, { fileName: 'a.csv' })), [
    422,
    'FILE_NOT_UPLOADED',
  ]);
  for (const period of [0, 1.5, 9_999]) {
    const answer = await desk.send('POST', deal.tapes, desk.seller, { ...opening, period });
    assert.equal(answer.status, 400, `${period}`);
  }
});

test('a tape that is due and was not read is told once for its period', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  const late = async () => dataOf(await desk.send('GET', '/v1/api/events?type=tape.late', desk.seller));
  for (const _time of [1, 2])
    dataOf(await desk.send('PUT', `${deal.pools}/reporting`, desk.seller, { tape_due_business_day: 5 }));
  const set = (await desk.audited(deal.pool_id)).filter(({ action }) => action === 'pool.reporting_changed');
  assert.equal(set.length, 1, 'the same day again is no change');
  assert.deepEqual(dataOf(await desk.send('GET', `${deal.pools}/reporting`, desk.seller)), { tape_due_business_day: 5 });
  const statements = async () => {
    const { seen, counted } = countingDatabase(gateway.deps.db);
    assert.equal(await tellLateTapes(counted), 0);
    return seen.statements;
  };
  const one = await statements();
  await gateway.deps.db.tx({ platform: true }, async (tx) => {
    await manyOrganizations(tx, desk.seller, 30);
    await copyRows(tx, 'pools', desk.seller, 30, { pool_id: 'pool_', deal_id: 'deal_' });
  });
  assert.equal(await statements(), one, 'none for each pool that has a due day');
  await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(`delete from pools where organization_id like 'org_many%'`));
  assert.deepEqual(await late(), []);
  // The first payment is in August: its fifth business day is the 7th.
  await gateway.setClock('2026-08-07T20:00:00Z');
  await tellLateTapes(gateway.deps.db);
  assert.deepEqual(await late(), []);
  await gateway.setClock('2026-08-10T15:00:00Z');
  await tellLateTapes(gateway.deps.db);
  await tellLateTapes(gateway.deps.db);
  const told = await late();
  assert.deepEqual(
    told.map(({ data }: { data: object }) => data),
    [{ pool_id: deal.pool_id, deal_id: deal.deal_id, period: 1, due_date: '2026-08-07' }],
  );
  await deal.month(1);
  deal.loans.advance();
  await deal.send(2);
  await gateway.runJobs();
  await gateway.setClock('2026-09-30T15:00:00Z');
  await tellLateTapes(gateway.deps.db);
  assert.equal((await late()).length, 1, 'a period whose tape was read is not late');
});

test('disclosed loans are read as of any period whose tape is in force, and only what is disclosed of them', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  const investor = await desk.investor();
  const served = await deal.month(1);
  const file = (period: string) =>
    desk.send('GET', `/v1/api/investor/deals/${deal.deal_id}/loans/file?format=csv&period=${period}`, investor);
  assert.equal((await file('1')).status, 404, 'nothing is disclosed yet');
  const fields = ['current_balance', 'days_past_due'];
  dataOf(await desk.send('PUT', `${deal.pools}/disclosure`, desk.seller, { level: 'LOAN_LEVEL', fields }));
  const sumOf = async (period: string): Promise<number> => {
    const [header = '', ...rows] = (await file(period)).text.trim().split(/\r?\n/);
    assert.deepEqual(header.split(','), ['loan', ...fields]);
    return rows.reduce((sum, row) => sum + cents(Number(row.split(',')[1])), 0);
  };
  assert.equal(await sumOf('1'), served.closing);
  assert.equal(await sumOf('closing'), cents(deal.balance));
  assert.deepEqual(codeOf(await file('2')), [422, 'UNPROCESSABLE']);
  const seen = dataOf(await desk.send('GET', `/v1/api/investor/deals/${deal.deal_id}/performance`, investor));
  assert.equal(cents(seen[0].closing), served.closing, 'the month of the whole pool is the market’s');
  assert.equal((await desk.send('GET', `${deal.tapes}`, investor)).status, 403);
});

test('a tape that lacks most of the loans that owed waits for its owner, and changes nothing until then', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  await deal.month(1);
  const confirm = () => desk.send('POST', `${deal.tapes}/1/confirm`, desk.seller);
  assert.deepEqual(codeOf(await confirm()), [409, 'INVALID_TRANSITION'], 'it does not wait');
  const before = await deal.performance();
  const cut = deal.loans.csv().split('\r\n').slice(0, 20).join('\r\n');
  assert.equal((await deal.send(1, cut)).status, 202);
  await gateway.runJobs();
  const waiting = await deal.read(1);
  assert.deepEqual([waiting.state, waiting.version_in_force], ['NEEDS_CONFIRMATION', 1]);
  assert.ok(waiting.by_rule.some(({ rule_id }: { rule_id: string }) => rule_id === 'LOAN_VANISHED'));
  assert.deepEqual(await deal.performance(), before);
  const told = dataOf(await desk.send('GET', '/v1/api/alerts?limit=5', desk.seller));
  assert.ok(told.some(({ message }: { message: string }) => /waits for your confirmation: \d+ of the \d+ loans/.test(message)));
  assert.equal((await confirm()).status, 202);
  await gateway.runJobs();
  const confirmed = await deal.read(1);
  assert.deepEqual([confirmed.state, confirmed.version_in_force], ['DONE', 2]);
  const again = await confirm();
  assert.deepEqual([again.status, again.body.current_status, again.body.allowed], [409, 'DONE', ['RUNNING']]);
  const [after] = await deal.performance();
  assert.equal(after.count, 19);
  // What its owner said of that file says nothing of the next.
  assert.equal((await deal.send(1, cut)).status, 202);
  await gateway.runJobs();
  assert.equal((await deal.read(1)).state, 'NEEDS_CONFIRMATION');
});

test('a tape on which most of the loans owe nothing any more, and no reason is given, waits too', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await tapedDeal(desk);
  await deal.month(1);
  const before = await deal.performance();
  const [header = [], ...rows] = deal.loans.table();
  const balance = header.indexOf('Current Principal Balance');
  for (const change of [(text: string) => `-${text.replace(/[$,]/g, '')}`, () => '0']) {
    const lines = rows.map((row) => row.map((text, at) => `"${at === balance ? change(text) : text}"`).join(','));
    assert.equal((await deal.send(1, [header.join(','), ...lines].join('\r\n'))).status, 202);
    await gateway.runJobs();
    assert.deepEqual([(await deal.read(1)).state, await deal.performance()], ['NEEDS_CONFIRMATION', before]);
  }
  const told = dataOf(await desk.send('GET', '/v1/api/alerts?limit=5', desk.seller));
  assert.ok(
    told.some(({ message }: { message: string }) => /\d+ of the \d+ loans that owed are not on it, or owe nothing/.test(message)),
  );
});
