import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { notFound } from '../../platform/http/errors.ts';
import { operatorList, ownList, operatorRecord } from '../../platform/http/list-route.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Context, type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, date, id, money, nullable, oneOf, pathId, text, timestamp } from '../../platform/http/schemas.ts';
import { findTrade, listTrades, TRADE_STATUSES, type TradeRow, TRADE_RECORD } from './queries.ts';
import { failTrade, retryTrade, settleTrade, type TradeDecision } from './settle-trade.ts';

const Trade = {
  trade_id: id('trd'),
  deal_id: id('deal'),
  tranche_id: id('trn'),
  allocation_id: id('all'),
  side: oneOf(['BUY']),
  face: money('Original face.'),
  factor: Type.Number({
    description:
      'Current balance over original balance of the tranche: when the trade settled; until then when it was accepted, as are the amounts that follow from it.',
  }),
  price: Type.Number({ description: 'Clean, per 100 of current face.' }),
  yield: nullable(Type.Number({ description: 'Percent a year.' })),
  principal_amount: money('Face × factor, rounded to the cent, at the price: half a cent is rounded to the even cent.'),
  accrued_interest: money(
    'Interest from the dated date to settlement; 0 while the coupon is not known, such as of a floater before a fixing, and by the coupon of its accrual when it settles. A fixing that is recorded or corrected after that changes it with the next report of the accrual that is applied or restated.',
  ),
  net_amount: money('Principal amount and accrued interest: the cash that moves.'),
  corrected_amount: money(
    'What the net amount has changed by since the trade settled, and was booked between buyer and seller: a report of a payment that it is ex of, or that says its coupon, came later, or was restated. Below 0 the seller paid it to the buyer.',
  ),
  trade_date: date(),
  settlement_date: date('The later of the closing date and the business day after the trade.'),
  status: namedOneOf('TradeStatus', TRADE_STATUSES),
  reason: nullable(Type.String()),
  settled_at: nullable(timestamp()),
  created_at: timestamp(),
  updated_at: timestamp(),
};

const TradeSchema = named('Trade', Trade);
const OperatorTrade = named('OperatorTrade', { ...Trade, organization_id: id('org') });

const tag = 'Trades';
const ListQuery = {
  deal_id: Type.Optional(id('deal')),
  tranche_id: Type.Optional(id('trn')),
  status: Type.Optional(oneOf(TRADE_STATUSES)),
  ...CreatedBetween,
};

export const tradeRoutes: Route[] = [
  ownList({
    operation: 'listTrades',
    path: '/v1/api/investor/trades',
    access: 'investor',
    tag,
    summary: 'List your trades, newest first',
    filters: ListQuery,
    reply: TradeSchema,
    list: listTrades,
  }),
  route({
    operation: 'getTrade',
    method: 'GET',
    path: '/v1/api/investor/trades/:tradeId',
    record: recordOfPath('tradeId', TRADE_RECORD),
    access: 'investor',
    tag,
    summary: 'Read one of your trades',
    params: pathId('tradeId', 'trd'),
    reply: TradeSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ read, caller, params }) => {
      const trade = await read((tx) => findTrade(tx, caller.organization_id, params.tradeId));
      if (!trade) throw notFound('trade');
      return trade;
    },
  }),
  operatorList({
    operation: 'listOperatorTrades',
    path: '/v1/operator/trades',
    summary: 'List trades of all investors',
    filters: { ...ListQuery, organization_id: Type.Optional(id('org')) },
    reply: OperatorTrade,
    list: (tx, filter) => listTrades(tx, null, filter),
  }),
  operatorRecord({
    operation: 'getOperatorTrade',
    path: '/v1/operator/trades/:tradeId',
    summary: 'Read a trade of any investor',
    params: pathId('tradeId', 'trd'),
    reply: OperatorTrade,
    record: recordOfPath('tradeId', TRADE_RECORD),
    what: 'trade',
    find: (tx, { tradeId }) => findTrade(tx, null, tradeId),
  }),
  tradeAct('settle', 'Settle a trade: face against cash, both or neither', ({ write, caller }, decision) =>
    write((tx) => settleTrade(tx, caller, decision)),
  ),
  tradeAct('fail', 'Record that a trade did not settle', ({ write, caller }, { trade_id, reason }) =>
    write((tx) => failTrade(tx, caller, { trade_id, reason: reason ?? 'settlement failed' })),
  ),
  tradeAct('retry', 'Retry the settlement of a failed trade', ({ write, caller }, decision) =>
    write((tx) => retryTrade(tx, caller, decision)),
  ),
];

type ActContext = Pick<Context<unknown, unknown, unknown>, 'write' | 'caller'>;

/** The route by which the operator decides on a trade. */
export function tradeAct(
  name: 'settle' | 'fail' | 'retry' | 'cancel',
  summary: string,
  run: (context: ActContext, decision: TradeDecision) => Promise<TradeRow>,
  description?: string,
): Route {
  return route({
    operation: `${name}Trade`,
    right: 'APPROVE',
    ...(name === 'settle' ? { approval: 'SETTLE' } : {}),
    method: 'POST',
    path: `/v1/operator/trades/:tradeId/${name}`,
    record: recordOfPath('tradeId', TRADE_RECORD),
    access: 'operator',
    tag: 'Operator',
    summary,
    ...(description === undefined ? {} : { description }),
    params: pathId('tradeId', 'trd'),
    body: named('TradeReason', {
      reason: Type.Optional(
        text(
          1_000,
          'Reason, kept with the trade and in the audit log, and told to both sides; the buyer’s name is left out for the seller.',
        ),
      ),
    }),
    bodyOptional: true,
    reply: OperatorTrade,
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'INVALID_TRANSITION', ...(name === 'settle' ? (['FIXING_MISSING'] as const) : [])],
    handler: (context) => run(context, { trade_id: context.params.tradeId, reason: context.body?.reason ?? null }),
  });
}
