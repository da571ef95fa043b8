import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../../test/support/desk.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import { CENT, floating, paidDeal } from '../../../test/support/paid-deal.ts';

const CURVE = { SOFR: [{ period: 1, rate: 4 }] };
test('a report with cash whose waterfall could not be run is told as one without', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await paidDeal(desk, floating());
  const whole = await deal.flows((await deal.run({ index_curves: CURVE })).calculation_id);
  const sent = await deal.pay(deal.reportOf(whole, 1));
  assert.deepEqual(sent.verification.missing, ['fixings.SOFR']);
  const latest = await deal.run({ index_curves: CURVE, from: 'LATEST' });
  assert.ok(
    latest.warnings.some((each: string) => each.includes('unpaid fees')),
    latest.warnings.join('\n'),
  );
});

test('a report without cash before one that has it is told', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await paidDeal(desk, {
    accounts: [],
    waterfall: [
      { pay: 'FEE', to: ['servicing'] },
      { pay: 'INTEREST', to: ['A-1', 'B'] },
      { pay: 'PRINCIPAL', to: ['A-1', 'B'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  });
  const whole = await deal.flows((await deal.run()).calculation_id);
  const first = deal.reportOf(whole, 1, { available: undefined });
  await deal.pay(first);
  await deal.pay(deal.reportOf(whole, 2));
  const latest = await deal.run({ from: 'LATEST' });
  assert.ok(
    latest.warnings.some((each: string) => each.includes('unpaid fees')),
    latest.warnings.join('\n'),
  );
});

test('a deal that was called has nothing left to project', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await paidDeal(desk);
  const whole = await deal.flows((await deal.run()).calculation_id);
  const report = deal.reportOf(whole, 1);
  const call = { exercised: true, proceeds: report.collateral.closing };
  const tranches = report.tranches.map((row) => ({ ...row, principal: row.opening, closing: 0 }));
  await deal.pay({ ...report, tranches, available: undefined, call });
  const refused = await deal.request({ from: 'LATEST' });
  assert.deepEqual([refused.status, refused.body.errors?.map(({ field }) => field)], [422, ['from']]);
  assert.match(refused.body.message ?? '', /after the call of the pool in period 1/);
  assert.equal((await deal.run({ from: 'CUT_OFF' })).from, 'CUT_OFF');
});

test('an account whose balance a report does not say is told', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await paidDeal(desk);
  const whole = await deal.flows((await deal.run()).calculation_id);
  await deal.pay(deal.reportOf(whole, 1, { available: undefined }));
  const latest = await deal.run({ from: 'LATEST' });
  assert.ok(
    latest.warnings.some((each: string) => each.includes('account')),
    latest.warnings.join('\n'),
  );
});

test('the first report of a floater whose collections come a month later is taken', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await paidDeal(desk, { ...floating(), payment: { ...CENT.payment, delay_months: 1 } });
  const whole = await deal.flows((await deal.run({ index_curves: CURVE })).calculation_id);
  const sent = await desk.send(
    'POST',
    `${deal.pools}/remittances`,
    desk.seller,
    deal.reportOf(whole, 1, { fixings: { SOFR: 4 } }),
  );
  assert.equal(sent.status, 201, JSON.stringify(sent.body));
});

test('a report of a deal with an adjusted pool is taken', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await paidDeal(desk, {
    pool: { adjustment: { kind: 'PRESENT_VALUE', rate: 12, applies: 'ALL' } },
    accounts: [],
    waterfall: [
      { pay: 'FEE', to: ['servicing'] },
      { pay: 'INTEREST', to: ['A-1', 'B'] },
      {
        pay: 'PRINCIPAL',
        to: ['A-1', 'B'],
        amount: { target: 'OC', percent: 15, of: 'POOL_ADJUSTED', floor: { percent: 1, of: 'POOL_ADJUSTED_ORIGINAL' } },
      },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  });
  const whole = await deal.flows((await deal.run()).calculation_id);
  const report = deal.reportOf(whole, 1);
  const sent = await desk.send('POST', `${deal.pools}/remittances`, desk.seller, {
    ...report,
    collateral: { ...report.collateral, adjustment: 50_000 },
  });
  assert.equal(sent.status, 201, JSON.stringify(sent.body));
});
