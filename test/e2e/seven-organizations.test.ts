import { test } from 'node:test';
import { openMarket } from './seven-organizations/members.ts';
import { issuePools, runCriteria, sendTapes } from './seven-organizations/loans.ts';
import { allocate, fillBooks, prepareInvestors, settleBooks } from './seven-organizations/books.ts';
import { answerAllocations, settleTrades } from './seven-organizations/settlement.ts';
import { readAlerts, serviceDeal } from './seven-organizations/servicing.ts';

test('a market of seven organizations', async (t) => {
  await using market = await openMarket();
  const deals = await sendTapes(market);
  const run = await runCriteria(market, deals.harborDeal);
  const issues = await issuePools(market, deals, run);
  await market.reach('2026-12-02T15:00:00Z');
  const { prospectus } = await prepareInvestors(market, issues);
  const bids = await fillBooks(market, issues);
  await market.reach('2026-12-03T15:00:00Z');
  await settleBooks(market, issues, bids, prospectus);
  await market.reach('2026-12-07T15:00:00Z');
  await allocate(market, issues);
  const accepted = await answerAllocations(market, issues);
  const ex = await settleTrades(market, issues, accepted);
  await serviceDeal(market, issues, ex);
  await readAlerts(market);
});
