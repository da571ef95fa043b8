import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { setNeeded } from '../../../test/support/approvals.ts';
import { type Holder, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { storeWith } from '../../../test/support/stores.ts';
import { jobHandlers } from '../../worker.ts';
import { INVESTOR, OPERATOR, ORIGINATOR, SECOND_ORIGINATOR, seedSandbox } from './seed-sandbox.ts';

test('the sandbox is seeded once: six loan types, clean and with defects, deals issued, positions held', async () => {
  await using gateway = await startGateway();
  const key = await gateway.key('both', 'Newcomer');
  const seed = () => gateway.call('POST', '/v1/sandbox/seed', { as: key, body: {} });
  const read = async (path: string, as: Holder) => (await gateway.call('GET', path, { as })).body.data;
  await gateway.deps.jobs.work(jobHandlers(gateway.deps));
  const first = await seed();
  assert.equal(first.status, 200, JSON.stringify(first.body));
  const { loan_deals, securitization_deal_ids, pool_ids, positions, created, organizations } = first.body.data;
  assert.deepEqual([loan_deals.length, securitization_deal_ids.length, positions, created], [12, 2, 2, true]);
  assert.equal(new Set(loan_deals.map((deal: { loan_type: string }) => deal.loan_type)).size, 6);
  assert.ok(loan_deals.some((deal: { planted_defects: number }) => deal.planted_defects > 0));
  const again = await seed();
  assert.deepEqual([again.body.data.created, again.body.data.loan_deals.length], [false, 12]);
  assert.deepEqual([again.body.data.pool_ids, again.body.data.positions], [pool_ids, positions], 'it stays as it is');
  const people = await gateway.call('GET', '/v1/operator/members', { as: await gateway.key('operator', OPERATOR) });
  assert.deepEqual(
    people.body.data.map(({ name }: { name: string }) => name).toSorted(),
    ['Olga Brandt', 'Omar Diaz'],
    'once each, two of the operator',
  );
  const open = await read('/v1/api/investor/deals?status=APPROVED', key);
  assert.ok(open.some((deal: { market_status: string }) => deal.market_status === 'MARKETING'));
  assert.deepEqual(organizations, { originator: ORIGINATOR, investor: INVESTOR });
  // Whoever asks has none of it: the sandbox's members do.
  assert.deepEqual(await read('/v1/api/originator/loans', key), []);
  assert.deepEqual(await read('/v1/api/investor/portfolio/positions', key), []);
  const [clean, defective] = [await gateway.key('originator', ORIGINATOR), await gateway.key('originator', SECOND_ORIGINATOR)];
  const issues = (deals: { issue_counts: { error: number; warning: number } }[]) =>
    deals.reduce((sum, { issue_counts: { error, warning } }) => sum + error + warning, 0);
  const [sound, spoiled] = [await read('/v1/api/originator/loans', clean), await read('/v1/api/originator/loans', defective)];
  assert.deepEqual([sound.length, spoiled.length], [6, 6]);
  assert.ok(issues(spoiled) > issues(sound), `${issues(spoiled)} and ${issues(sound)} issues`);
  // The deal that was sold has eighteen months behind it.
  const pools = await read('/v1/api/originator/pools', clean);
  const sold = pools.find(({ deal_id }: { deal_id: string }) => deal_id === securitization_deal_ids.at(-1));
  const path = `/v1/api/originator/pools/${sold.pool_id}`;
  type Report = {
    remittance_id: string;
    period: number;
    status: string;
    version: number;
    payment_date: string;
    verification: { status: string };
  };
  const reports: Report[] = await read(`${path}/remittances?limit=100`, clean);
  assert.deepEqual(
    reports.map(({ period, status }) => [period, status]),
    Array.from({ length: 18 }, (_, index) => [18 - index, 'APPLIED']),
  );
  const { now } = (await gateway.call('POST', '/v1/sandbox/clock', { as: key, body: { advance_seconds: 0 } })).body.data;
  assert.ok(
    reports.every(({ payment_date }) => payment_date < now.slice(0, 10)),
    'its reported periods lie in the past',
  );
  assert.equal(reports.filter(({ version }) => version === 2).length, 2, 'two were restated');
  assert.equal(reports.filter(({ verification }) => verification.status === 'DIFFERS').length, 1, 'one has a difference');
  const tapes: { period: number; state: string; by_rule: unknown[] }[] = await read(`${path}/tapes?limit=100`, clean);
  assert.deepEqual([tapes.length, new Set(tapes.map(({ state }) => state))], [18, new Set(['DONE'])]);
  type Period = { basis: string; ties: { figure: string; difference: number }[] };
  const periods: Period[] = await read(`${path}/performance`, clean);
  assert.deepEqual(
    periods.flatMap(({ basis, ties }) => [basis, ...ties.filter(({ difference }) => difference !== 0)]),
    periods.map(() => 'TAPE'),
  );
  const investor = await gateway.key('investor', INVESTOR);
  const restated = new Set(reports.filter(({ version }) => version === 2).map(({ period }) => period));
  type Payment = { period: number; restates: string | null };
  const payments: Payment[] = await read('/v1/api/investor/portfolio/payments?limit=100', investor);
  assert.deepEqual(new Set(payments.map(({ period }) => period)).size, 18);
  assert.deepEqual(new Set(payments.filter(({ restates }) => restates).map(({ period }) => period)), restated);
  type Statement = {
    final: boolean;
    positions: { tranche: string; opening_balance: number; closing_balance: number; payments: unknown[] }[];
  };
  const statementOf = (period: number): Promise<Statement> => {
    const month = reports.find((each) => each.period === period)?.payment_date.slice(0, 7);
    return read(`/v1/api/investor/portfolio/statement?month=${month}`, investor);
  };
  const [fifth, sixth] = [await statementOf(5), await statementOf(6)];
  assert.deepEqual([fifth.final, sixth.final], [true, true]);
  assert.ok(
    fifth.positions.some((each) => each.payments.length === 2),
    'the payment, and what the restatement corrected',
  );
  assert.deepEqual(
    sixth.positions.map(({ tranche, opening_balance }) => [tranche, opening_balance]),
    fifth.positions.map(({ tranche, closing_balance }) => [tranche, closing_balance]),
  );
  const trades = await read('/v1/api/investor/trades', investor);
  assert.deepEqual(new Set(trades.map((trade: { status: string }) => trade.status)), new Set(['SETTLED']));
});

test('a sandbox that is being filled is filled once, and told whole to all who asked', async () => {
  await using gateway = await startGateway();
  const key = await gateway.key('both', 'Newcomer');
  await gateway.deps.jobs.work(jobHandlers(gateway.deps));
  const seed = () => gateway.call('POST', '/v1/sandbox/seed', { as: key, body: { months: 0 } });
  const answers = await Promise.all([seed(), seed()]);
  const told = answers.map(({ status, body }) => [
    status,
    body.data.loan_deals.length,
    body.data.pool_ids.length,
    body.data.positions,
  ]);
  assert.deepEqual(told, [
    [200, 12, 2, 2],
    [200, 12, 2, 2],
  ]);
  assert.deepEqual(answers.map(({ body }) => body.data.created).sort(), [false, true]);
});

test('a sandbox whose filling was interrupted is not told for a whole one, and is filled once it was emptied', async () => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const seed = () => gateway.call('POST', '/v1/sandbox/seed', { as: operator, body: { months: 0 } });
  const store = storeWith(gateway.deps.store, { put: () => Promise.reject(new Error('the process ended')) });
  const ending = { ...gateway.deps, store };
  const app = await gateway.app.over(ending);
  await assert.rejects(seedSandbox(app, ending, { months: 0 }));
  await app.close();
  await gateway.deps.jobs.work(jobHandlers(gateway.deps));
  const refused = await seed();
  assert.deepEqual(codeOf(refused), [409, 'CONFLICT']);
  assert.match(refused.body.message ?? '', /interrupted.*POST \/v1\/sandbox\/reset/);
  assert.equal((await gateway.call('POST', '/v1/sandbox/reset', { as: operator, body: {} })).status, 200);
  const { status, body } = await seed();
  assert.deepEqual([status, body.data.created, body.data.loan_deals.length, body.data.pool_ids.length], [200, true, 12, 2]);
  assert.equal((await seed()).body.data.created, false);
});

test('a sandbox is not filled by halves where acts need several people', async () => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  await setNeeded(gateway, operator, { SETTLE: 2 });
  const refused = await gateway.call('POST', '/v1/sandbox/seed', { as: operator });
  assert.deepEqual(codeOf(refused), [409, 'CONFLICT']);
  assert.match(refused.body.message ?? '', /^SETTLE need several people/);
});

test('nothing of the sandbox exists in production', async () => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await using gateway = await startGateway({
    SLUICE_ENVIRONMENT: 'production',
    SLUICE_SIGNING_KEY: pem,
    SLUICE_ENCRYPTION_KEY: 'k'.repeat(43),
  });
  const keys = [await gateway.key('both', 'Real'), await gateway.key('operator', 'Platform')];
  for (const path of ['seed', 'reset', 'clock', 'events', 'deals/deal_none/advance', 'trades/trd_none/settle']) {
    for (const as of keys)
      assert.deepEqual(codeOf(await gateway.call('POST', `/v1/sandbox/${path}`, { as, body: {} })), [404, 'NOT_FOUND'], path);
  }
});
