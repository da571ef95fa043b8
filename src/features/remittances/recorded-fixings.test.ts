import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool, issuedDeal, structureOver } from '../../../test/support/pools.ts';
import { reportOf } from '../../../test/support/servicing.ts';

type Line = { path: string; expected: number | null; difference: number | null };

test('the interest of a floater is verified by the fixing that the operator recorded', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const { seller, operator } = desk;
  await gateway.setClock('2026-12-10T15:00:00Z');
  const dealId = await approvedDeal(gateway, seller, operator, { rows: 60 });
  const { pool_id, balance } = dataOf(await formPool(gateway, seller, [dealId]));
  const [a, b, ...others] = structureOver(balance).tranches as [{ balance: number }, { balance: number }];
  const coupon = { type: 'FLOATING', index: 'SOFR_1M', margin_bp: 100 };
  const body = structureOver(balance, { tranches: [{ ...a, coupon }, b, ...others] });
  const path = `/v1/api/originator/pools/${pool_id}`;
  dataOf(await desk.send('PUT', `${path}/structure`, seller, body));
  await issuedDeal(gateway, seller, operator, pool_id);

  // 4.35 % and the margin for a month of 30 days.
  const interestOnA = Math.round((a.balance * 5.35) / 12) / 100;
  const report = reportOf({ pool: balance, a: a.balance, b: b.balance }, [{ principal: 20_000, interestOnA }]);
  const fees = Math.round((balance * 100) / 1_200) / 100;
  const sent = { ...report, collateral: { ...report.collateral, fees }, available: { interest: 6_600, principal: 20_000 } };
  const verify = async (more: object = {}) => {
    const { verification } = dataOf(await desk.send('POST', `${path}/remittances/verify`, seller, { ...sent, ...more }));
    const line = verification.lines.find((each: Line) => each.path === 'tranches[0].interest_paid');
    return [verification.status, line.expected, line.difference, verification.recorded_fixings];
  };
  const record = (index: string, date: string, rate: number) => desk.operate('PUT', 'fixings', { index, date, rate });

  await record('SOFR_3M', '2026-12-11', 4.35);
  await record('SOFR_1M', '2026-12-16', 4.35);
  assert.deepEqual(await verify(), ['PARTIAL', null, null, undefined]);
  // Interest accrues from the closing date.
  await record('SOFR_1M', '2026-12-11', 4.35);
  const taken = [{ index: 'SOFR_1M', date: '2026-12-11', rate: 4.35 }];
  assert.deepEqual(await verify(), ['AGREES', interestOnA, 0, taken]);

  const other = Math.round((a.balance * 5) / 12) / 100;
  const [status, expected, difference, fixings] = await verify({ fixings: { SOFR_1M: 4 } });
  assert.deepEqual([status, expected, fixings], ['DIFFERS', other, undefined]);
  assert.ok(Math.abs(difference - (interestOnA - other)) < 0.005);

  // A trigger that the structure does not have is told, whichever opening the report is verified from.
  for (const opening of ['APPLIED', 'REPORTED']) {
    const body = { ...sent, opening, trigger_state: [{ trigger: 'cln', on: true }] };
    const { verification } = dataOf(await desk.send('POST', `${path}/remittances/verify`, seller, body));
    const told = verification.lines.find((each: Line) => each.path === 'trigger_state[0].on');
    assert.deepEqual([verification.status, told?.expected], ['PARTIAL', null], opening);
  }

  const stored = dataOf(await desk.send('POST', `${path}/remittances`, seller, sent));
  assert.deepEqual([stored.status, stored.verification.status], ['SCHEDULED', 'AGREES']);
  assert.deepEqual(stored.verification.recorded_fixings, taken);
});
