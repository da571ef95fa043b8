import { test } from 'node:test';
import { allocate, fillBooks, prepareInvestors, settleBooks } from './seven-organizations/books.ts';
import { checkAudit } from './seven-organizations/check-audit.ts';
import { checkCash } from './seven-organizations/check-cash.ts';
import { checkAllocations, checkDemand, checkToldDemand } from './seven-organizations/check-demand.ts';
import { checkNotices } from './seven-organizations/check-notices.ts';
import { checkPortfolios } from './seven-organizations/check-portfolios.ts';
import { checkStatuses } from './seven-organizations/check-statuses.ts';
import { checkWalls } from './seven-organizations/check-walls.ts';
import { readEverything } from './seven-organizations/lists.ts';
import { issuePools, runCriteria, sendTapes } from './seven-organizations/loans.ts';
import { openMarket } from './seven-organizations/members.ts';
import { readAlerts, serviceDeal } from './seven-organizations/servicing.ts';
import { answerAllocations, settleTrades } from './seven-organizations/settlement.ts';

test('a market of seven organizations', async (t) => {
  await using market = await openMarket();
  const deals = await sendTapes(market);
  const run = await runCriteria(market, deals.harborDeal);
  const issues = await issuePools(market, deals, run);
  market.outages.add('elm');
  await market.reach('2026-12-02T15:00:00Z');
  market.outages.delete('elm');
  const { prospectus } = await prepareInvestors(market, issues);
  const bids = await fillBooks(market, issues);
  await t.test('shows full books and their capacity as its lists do', async () => {
    checkDemand(await readEverything(market), issues);
  });
  await market.reach('2026-12-03T15:00:00Z');
  await settleBooks(market, issues, bids, prospectus);
  await market.reach('2026-12-07T15:00:00Z');
  const demand = checkDemand(await readEverything(market), issues);
  await allocate(market, issues);
  const accepted = await answerAllocations(market, issues);
  const exTrade = await settleTrades(market, issues, accepted);
  await serviceDeal(market, issues, exTrade);
  await readAlerts(market);
  const views = await readEverything(market);

  await t.test('has positions that are its settled trades at the factors and marks', () => checkPortfolios(views, '2027-02-18'));
  await t.test('moves cash from one organization to another, to the cent', () => checkCash(market, views));
  await t.test('has given back the capacity of what has ended, and told its sellers of the demand', () => {
    checkDemand(views, issues);
    checkToldDemand(views, issues, demand);
  });
  await t.test('has shared out each tranche once', () => checkAllocations(market, views, issues));
  await t.test('has no status that its events do not lead to', () => checkStatuses(views));
  await t.test('has told everybody of everything once', () => checkNotices(views));
  await t.test('has told nobody of the business of others', () => checkWalls(views));
  await t.test('has kept every act in its audit log', () => checkAudit(market, views));
});
