import { PAYMENT_DATES, type Period, reportOf } from '../../support/servicing.ts';
import type { Issues } from './books.ts';
import { publishMark } from './loans.ts';
import type { Data, Market } from './members.ts';

/**
 * Reports of Harbor's servicer: the first is applied on its payment date and restated, a trade settles ex of it, the second is replaced
 * before it is applied, and the third waits for its date. Two marks are published.
 */
export async function serviceDeal(market: Market, { harbor: issue }: Issues, exTrade: string): Promise<void> {
  const { harbor, platform, gateway } = market;
  const path = `originator/pools/${issue.pool_id}/remittances`;
  const [a, b] = issue.tranches.map((each) => each.balance) as [number, number];
  const report = (...periods: Period[]) => reportOf({ pool: issue.pool.balance, a, b }, periods);
  const send = (...periods: Period[]): Promise<Data> => harbor.post(path, report(...periods), 'remittance.reported');
  const [first, second, third]: Period[] = [{ principal: 20_000 }, { principal: 15_000.55, loss: 900 }, { principal: 11_000 }];
  const restated: Period = { principal: 12_345.67, loss: 1_000 };

  await market.reach('2027-01-05T15:00:00Z');
  await publishMark(market, harbor, issue, 6, { 'A-1': 101.125, B: 98.5 });
  await market.reach('2027-01-11T15:00:00Z');
  const { remittance_id } = await send(first as Period);
  await market.reach(`${PAYMENT_DATES[0]}T15:00:00Z`);
  await market.reach('2027-01-20T15:00:00Z');
  await harbor.post(`${path}/${remittance_id}/restate`, report(restated), 'remittance.restated');
  await market.reach('2027-01-21T15:00:00Z');
  await platform.post(`trades/${exTrade}/settle`, undefined, ['trade.pending_settlement', 'trade.settled']);
  await market.reach('2027-02-10T15:00:00Z');
  await send(restated, { principal: 9_000 });
  await send(restated, second as Period);
  await market.reach(`${PAYMENT_DATES[1]}T15:00:00Z`);
  await market.reach('2027-02-17T15:00:00Z');
  await send(restated, second as Period, third as Period);
  await publishMark(market, harbor, issue, 12, { 'A-1': 100.8125, B: 97.87 });
  await gateway.setClock('2027-02-18T15:00:00Z');
  await market.work();
}

/** Alerts that people read, put away and read again. */
export async function readAlerts({ northgate, elm, platform }: Market): Promise<void> {
  const [newest, next, third] = (await northgate.get('alerts?limit=3')).data;
  await northgate.patch(`alerts/${newest.id}`, { status: 'READ' });
  await northgate.patch(`alerts/${next.id}`, { status: 'ARCHIVED' });
  await northgate.patch(`alerts/${third.id}`, { status: 'READ' });
  await northgate.patch(`alerts/${third.id}`, { status: 'UNREAD' });
  await elm.post('alerts/mark', { before: '2026-12-31', status: 'READ' });
  const [alert] = (await platform.get('alerts?limit=1')).data;
  await platform.post('alerts/mark', { ids: [alert.id], status: 'READ' });
}
