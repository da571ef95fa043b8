import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, type Desk, openDesk } from '../../../test/support/desk.ts';
import { type Holder, startGateway } from '../../../test/support/gateway.ts';
import { localDate } from '../../finance/business-date.ts';

/** An allocation that is issued and accepted at an instant: its deadline, and the dates of its trade. */
async function soldAt(desk: Desk, investor: Holder, instant: string, zone: string) {
  const { gateway } = desk;
  await gateway.setClock('2026-11-02T12:00:00Z');
  const deal = await desk.list({ closing_date: '2026-11-02' });
  await desk.confirmed(deal, investor, 1_000_000);
  await gateway.setClock(instant);
  dataOf(await desk.allocate(deal));
  const [allocation] = await desk.allocations(deal, investor);
  assert.ok(allocation);
  const tradeId = await desk.trade(allocation.allocation_id, investor);
  const { trade_date, settlement_date } = await desk.read(`trades/${tradeId}`, investor);
  const alerts = dataOf(await desk.send('GET', '/v1/api/alerts?type=allocation.issued', investor));
  const told = alerts.find((each: { entity_id: string }) => each.entity_id === allocation.allocation_id);
  assert.match(told.message, new RegExp(`by the end of ${localDate(new Date(allocation.expires_at), zone)} \\(${zone}\\)\\.$`));
  return { trade_date, settlement_date, expires_at: allocation.expires_at };
}

test('a trade has the business date of the zone, and an answer is due at the end of its second business day', async (t) => {
  // [clock, trade date, settlement date, deadline]: Thanksgiving is 2026-11-26, summer time begins on 2027-03-14.
  const byZone: Record<string, [string, string, string, string][]> = {
    'America/New_York': [
      ['2026-11-20T04:59:00Z', '2026-11-19', '2026-11-20', '2026-11-24T04:59:59.000Z'],
      ['2026-11-20T05:00:00Z', '2026-11-20', '2026-11-23', '2026-11-25T04:59:59.000Z'],
      ['2026-11-21T15:00:00Z', '2026-11-23', '2026-11-24', '2026-11-26T04:59:59.000Z'],
      ['2026-11-26T15:00:00Z', '2026-11-27', '2026-11-30', '2026-12-02T04:59:59.000Z'],
      ['2027-03-12T15:00:00Z', '2027-03-12', '2027-03-15', '2027-03-17T03:59:59.000Z'],
    ],
    'Asia/Tokyo': [
      ['2026-11-19T14:59:00Z', '2026-11-19', '2026-11-20', '2026-11-23T14:59:59.000Z'],
      ['2026-11-19T15:00:00Z', '2026-11-20', '2026-11-23', '2026-11-24T14:59:59.000Z'],
    ],
  };
  for (const [zone, cases] of Object.entries(byZone)) {
    await t.test(zone, async () => {
      await using gateway = await startGateway({ SLUICE_BUSINESS_ZONE: zone });
      const desk = await openDesk(gateway);
      const investor = await desk.investor();
      for (const [instant, trade_date, settlement_date, expires_at] of cases)
        assert.deepEqual(await soldAt(desk, investor, instant, zone), { trade_date, settlement_date, expires_at }, instant);
    });
  }
});

test('interest on a position accrues up to the date of the zone', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const investor = await desk.investor();
  await gateway.setClock('2026-12-02T12:00:00Z');
  const deal = await desk.list({ closing_date: '2026-12-02', tranches: [{ coupon: 3.6, day_count: 'ACT/360' }] });
  await desk.confirmed(deal, investor, 1_000_000);
  dataOf(await desk.allocate(deal));
  const [allocation] = await desk.allocations(deal, investor);
  dataOf(await desk.decide(await desk.trade(allocation?.allocation_id ?? '', investor), 'settle'));
  const accrued = async (): Promise<number> => (await desk.read('portfolio/positions', investor))[0].accrued_interest;
  // 100 a day from 2026-12-01 on; five hours before midnight in New York it is midnight in UTC.
  await gateway.setClock('2026-12-11T04:59:00Z');
  assert.equal(await accrued(), 900);
  await gateway.setClock('2026-12-11T05:00:00Z');
  assert.equal(await accrued(), 1_000);
});
