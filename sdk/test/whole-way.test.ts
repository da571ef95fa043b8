import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServer, temporaryFolder } from '../../test/support/processes.ts';
import { autoTape } from '../../test/support/tapes.ts';
import { type Schemas, Sluice } from '../src/index.ts';

const CUT_OFF = '2026-10-31';
const CLOSING = '2026-11-16';
const FIRST_PAYMENT = '2026-12-15';

/** Two notes of 95 % of the pool and a residual. */
const structureOver = (balance: number): Schemas['Structure'] => ({
  payment: { first_payment_date: FIRST_PAYMENT, business_day: 'NONE', rounding: 'CENT' },
  tranches: [
    { tranche: 'A', class: 'A', balance: thousands(balance * 0.8), coupon: { type: 'FIXED', rate: 5 }, seniority: 1 },
    { tranche: 'B', class: 'B', balance: thousands(balance * 0.15), coupon: { type: 'FIXED', rate: 7 }, seniority: 2 },
    { tranche: 'R', class: 'RESIDUAL', balance: 0, seniority: 99 },
  ],
  waterfall: [
    { pay: 'INTEREST', to: ['A', 'B'] },
    { pay: 'PRINCIPAL', to: ['A', 'B'] },
    { pay: 'RESIDUAL', to: ['R'] },
  ],
});

const thousands = (amount: number): number => Math.floor(amount / 1_000) * 1_000;
const cents = (amount: number): number => Math.round(amount * 100) / 100;
const by = <Key extends string>(key: Key, id: string): { params: { path: Record<Key, string> } } => ({
  params: { path: { [key]: id } as Record<Key, string> },
});

test('the whole way by the client alone: from a tape over an order and an allocation to a payment', async () => {
  using folder = temporaryFolder();
  await using server = await startServer(join(folder.path, 'data'));
  const as = async (organization: string, role: string): Promise<Sluice> =>
    new Sluice({ url: server.address, key: await server.issueKey(organization, role) });
  const originator = await as('Harbor', 'originator');
  const investor = await as('Northgate', 'investor');
  const operator = await as('Platform', 'operator');

  const { deal, check } = await originator.uploadTape(Buffer.from(autoTape(300)), { loanType: 'Auto', name: 'Harbor loans' });
  assert.deepEqual([deal.status, check.state], ['QC_COMPLETED', 'DONE']);
  const criteria = await originator.post('/v1/api/originator/sc/criteria', {
    body: { loan_type: 'Auto', loan_rules: [{ id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 300 } }] },
  });
  const queued = await originator.post('/v1/api/originator/sc/deals/{dealId}/run', {
    ...by('dealId', deal.id),
    body: { criteria_id: criteria.criteria_id },
  });
  assert.ok('sc_job_id' in queued && queued.sc_job_id !== null);
  const run = await originator.waitFor('/v1/api/originator/sc/jobs/{scJobId}', by('scJobId', queued.sc_job_id));
  assert.equal(run.status, 'COMPLETED');
  await operator.post('/v1/operator/deals/{dealId}/approve', by('dealId', deal.id));

  const pool = await originator.post('/v1/api/originator/pools', {
    body: {
      name: 'Harbor 2026-1',
      deal_ids: [deal.id],
      sc_job_ids: [run.sc_job_id],
      cut_off_date: CUT_OFF,
      closing_date: CLOSING,
    },
  });
  const ofPool = by('poolId', pool.pool_id);
  const structure = structureOver(pool.balance);
  await originator.put('/v1/api/originator/pools/{poolId}/structure', { ...ofPool, body: structure });
  const asked = await originator.post('/v1/api/originator/analytics/pools/{poolId}/calculations', {
    ...ofPool,
    body: { type: 'PRICING', purpose: 'MARK', assumptions: { cpr: 6, cdr: 1.5, severity: 45, recovery_lag_months: 6 } },
  });
  const calculation = await originator.waitFor('/v1/api/originator/analytics/pools/{poolId}/calculations/{calculationId}', {
    params: { path: { poolId: pool.pool_id, calculationId: asked.calculation_id } },
  });
  assert.equal(calculation.status, 'COMPLETED');
  await originator.post('/v1/api/originator/pools/{poolId}/lock', ofPool);
  await originator.post('/v1/api/originator/pools/{poolId}/issue', ofPool);
  const issued = await operator.post('/v1/operator/pools/{poolId}/issue', ofPool);
  await operator.post('/v1/operator/calculations/{calculationId}/publish', by('calculationId', asked.calculation_id));
  assert.ok('deal_id' in issued && issued.deal_id, 'nobody else has to approve it');
  const ofDeal = by('dealId', issued.deal_id);

  const market = await investor.get('/v1/api/investor/deals/{dealId}', ofDeal);
  const senior = market.tranches.find(({ tranche }) => tranche === 'A');
  assert.ok(senior);
  const face = senior.denomination * 100;
  const subscription = await investor.post('/v1/api/investor/deals/{dealId}/subscribe', {
    ...ofDeal,
    body: { subscription_amount: face },
  });
  const ofSubscription = by('subscriptionId', subscription.subscription_id);
  await operator.post('/v1/operator/subscriptions/{subscriptionId}/confirm', ofSubscription);
  await investor.post('/v1/api/investor/deals/{dealId}/orders', {
    ...ofDeal,
    body: { tranche_id: senior.tranche_id, amount: face },
  });
  await operator.post('/v1/operator/deals/{dealId}/allocations', { ...ofDeal, body: { method: 'PRO_RATA' } });
  const trades: string[] = [];
  for await (const { allocation_id, allocated_amount } of investor.pages('/v1/api/investor/allocations')) {
    assert.equal(allocated_amount, face);
    const ofAllocation = by('allocationId', allocation_id);
    const accepted = await investor.post('/v1/api/investor/allocations/{allocationId}/accept', ofAllocation);
    assert.ok(accepted.trade_id);
    trades.push(accepted.trade_id);
  }
  for (const id of trades) await operator.post('/v1/operator/trades/{tradeId}/settle', by('tradeId', id));
  assert.equal(trades.length, 2);
  const settled = await investor.get('/v1/api/investor/subscriptions/{subscriptionId}', ofSubscription);
  assert.equal(settled.status, 'settled');

  const report = await reportOf(originator, pool, structure);
  const sent = await originator.post('/v1/api/originator/pools/{poolId}/remittances', { ...ofPool, body: report });
  assert.equal(sent.status, 'SCHEDULED');
  const { now } = await operator.post('/v1/sandbox/clock', { body: { advance_seconds: 0 } });
  const ahead = Math.ceil((Date.parse(`${FIRST_PAYMENT}T15:00:00Z`) - Date.parse(now)) / 1_000);
  await operator.post('/v1/sandbox/clock', { body: { advance_seconds: ahead } });
  const remittance = '/v1/api/originator/pools/{poolId}/remittances/{remittanceId}';
  await originator.waitFor(remittance, {
    params: { path: { poolId: pool.pool_id, remittanceId: sent.remittance_id } },
    until: ({ status }) => status === 'APPLIED',
    timeout: 120_000,
  });
  const paid = await Array.fromAsync(investor.pages('/v1/api/investor/portfolio/payments'));
  const a = report.tranches.find(({ tranche }) => tranche === 'A');
  assert.ok(a);
  assert.equal(paid.length, 1);
  assert.equal(paid[0]?.face, face * 2);
  const share = (face * 2) / (structure.tranches[0]?.balance ?? 0);
  assert.ok(Math.abs((paid[0]?.interest ?? 0) - a.interest_paid * share) <= 0.01);
  const [position] = (await investor.get('/v1/api/investor/portfolio/positions')).data;
  assert.ok(position && position.factor < 1);
  const names = new Set((await Array.fromAsync(investor.events())).map(({ event }) => event));
  for (const name of ['allocation.issued', 'trade.settled', 'remittance.applied', 'payment.made'] as const)
    assert.ok(names.has(name), name);
});

/** The report of the first period, with the figures that the waterfall makes of its cash. */
async function reportOf(originator: Sluice, pool: Schemas['PoolSummary'], structure: Schemas['Structure']) {
  const opening = pool.balance;
  const scheduled_principal = cents(opening * 0.02);
  const interest = cents((opening * 0.08) / 12);
  const draft = {
    period: 1,
    payment_date: FIRST_PAYMENT,
    collateral: {
      beginning_pool_balance: opening,
      scheduled_principal,
      ending_pool_balance: cents(opening - scheduled_principal),
      interest,
    },
    available: { interest, principal: scheduled_principal },
    tranches: structure.tranches.flatMap(({ tranche, balance }) =>
      balance === 0 || balance === undefined
        ? []
        : [{ tranche, beginning_balance: balance, interest_paid: 0, principal_paid: 0, ending_balance: balance }],
    ),
  };
  const { verification } = await originator.post('/v1/api/originator/pools/{poolId}/remittances/verify', {
    ...by('poolId', pool.pool_id),
    body: draft,
  });
  const expected = (what: string, tranche: string, otherwise: number): number =>
    Number(verification.lines.find((line) => line.what === what && line.tranche === tranche)?.expected ?? otherwise);
  const tranches = draft.tranches.map(({ tranche, beginning_balance }) => ({
    tranche,
    beginning_balance,
    interest_paid: expected('INTEREST', tranche, 0),
    principal_paid: expected('PRINCIPAL', tranche, 0),
    ending_balance: expected('ENDING_BALANCE', tranche, beginning_balance),
  }));
  return { ...draft, tranches };
}
