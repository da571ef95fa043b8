import assert from 'node:assert/strict';
import type { Issues } from './books.ts';
import type { Issue } from './loans.ts';
import type { Data, Market, Member } from './members.ts';

/** The allocations of a deal that wait for an investor's answer, oldest first. */
async function waiting(investor: Member, { deal_id }: Issue): Promise<Data[]> {
  return (await investor.get(`investor/allocations?status=ISSUED&deal_id=${deal_id}&limit=100`)).data.toReversed();
}

async function answerAll(investor: Member, issue: Issue, answer: 'accept' | 'decline'): Promise<string[]> {
  const trades: string[] = [];
  for (const { allocation_id } of await waiting(investor, issue)) {
    const answered = await investor.post(
      `investor/allocations/${allocation_id}/${answer}`,
      undefined,
      `allocation.${answer}${answer === 'accept' ? 'ed' : 'd'}`,
    );
    trades.push(...(answered.trade_id === null ? [] : [answered.trade_id]));
  }
  return trades;
}

/**
 * Answers to two rounds: what Elm declines is offered again, Summit takes its first allocations and declines the further one, Twin lets all of
 * its own expire, and what comes back then is offered once more. Ridge's deal is withdrawn with a trade and an allocation in it.
 */
export async function answerAllocations(market: Market, issues: Issues) {
  const { northgate, elm, summit, twin, platform, ridge, gateway } = market;
  await gateway.setClock('2026-12-08T15:00:00Z');
  const accepted = {
    northgate: await answerAll(northgate, issues.harbor, 'accept'),
    summit: await answerAll(summit, issues.harbor, 'accept'),
    floater: {
      northgate: await answerAll(northgate, issues.twin, 'accept'),
      elm: await answerAll(elm, issues.twin, 'accept'),
      summit: await answerAll(summit, issues.twin, 'accept'),
    },
    ridge: await answerAll(northgate, issues.ridge, 'accept'),
  };
  await answerAll(elm, issues.harbor, 'decline');
  const again = await answerAll(northgate, issues.harbor, 'accept');
  assert.equal(again.length, 2, 'the order and the subscription get a part of what came back');
  await answerAll(summit, issues.harbor, 'decline');
  const left = await waiting(twin, issues.harbor);
  assert.equal(left.length, 2);
  await platform.refused(['POST', `deals/${issues.harbor.deal_id}/close`], [409, 'ALLOCATIONS_OPEN']);

  await market.reach('2026-12-09T15:00:00Z');
  await platform.post(
    `deals/${issues.ridge.deal_id}/withdraw`,
    { reason: 'The sponsor has sold the loans.' },
    'deal.market_withdrawn',
  );
  await ridge.post(`originator/loans/${issues.ridge.pool.deal_ids[0]}/withdraw`, { reason: 'Sold.' }, 'deal.withdrawn');
  await market.reach('2026-12-10T15:00:00Z');
  const late = await answerAll(northgate, issues.harbor, 'accept');
  assert.ok(late.length > 0, 'what expired is offered once more');
  return { ...accepted, northgate: [...accepted.northgate, ...again, ...late] };
}

export type Accepted = Awaited<ReturnType<typeof answerAllocations>>;

/** Settles, fails, retries and cancels. One trade of Harbor's is left for after a record date; Twin's deal closes. */
export async function settleTrades(market: Market, issues: Issues, { northgate, summit, floater }: Accepted): Promise<string> {
  const { platform } = market;
  await market.reach('2026-12-16T15:00:00Z');
  const decide = (tradeId: string, act: 'settle' | 'fail' | 'retry' | 'cancel', audited: string | string[], reason?: string) =>
    platform.post(`trades/${tradeId}/${act}`, reason === undefined ? undefined : { reason }, audited);
  const [ex = '', ...rest] = northgate;
  for (const trade of [...rest, ...summit]) await decide(trade, 'settle', 'trade.settled');
  await decide(ex, 'fail', 'trade.failed', `${market.northgate.name} did not pay.`);

  const [first = '', ...others] = floater.northgate;
  await platform.refused(['POST', `trades/${first}/settle`], [422, 'FIXING_MISSING']);
  await platform.put('fixings', { index: 'SOFR_1M', date: '2026-11-27', rate: 4.31 }, 'fixing.set');
  await platform.put('fixings', { index: 'SOFR_1M', date: '2026-11-27', rate: 4.325 }, 'fixing.set');
  for (const trade of [first, ...others]) await decide(trade, 'settle', 'trade.settled');
  const [failed = '', retried = ''] = floater.elm;
  await decide(failed, 'fail', 'trade.failed', `${market.elm.name} was late.`);
  await decide(failed, 'settle', ['trade.pending_settlement', 'trade.settled']);
  await decide(retried, 'fail', 'trade.failed');
  await decide(retried, 'retry', 'trade.pending_settlement');
  await decide(retried, 'settle', 'trade.settled');
  for (const trade of floater.summit) await decide(trade, 'cancel', 'trade.cancelled', 'The buyer has gone.');
  await platform.post(`deals/${issues.twin.deal_id}/close`, undefined, 'deal.market_closed');
  await market.work();
  return ex;
}
