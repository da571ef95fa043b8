import Type from 'typebox';
import { notFound } from '../../platform/http/errors.ts';
import { operatorList, ownList } from '../../platform/http/list-route.ts';
import { type Context, type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, date, id, money, nullable, oneOf, pathId, text, timestamp } from '../../platform/http/schemas.ts';
import { findTrade, listTrades, TRADE_STATUSES, type TradeRow } from './queries.ts';
import { cancelTrade, failTrade, retryTrade, settleTrade } from './settle-trade.ts';
import type { Id } from '../../platform/ids.ts';

const Trade = {
  trade_id: id('trd'),
  deal_id: id('deal'),
  tranche_id: id('trn'),
  allocation_id: id('all'),
  side: oneOf(['BUY']),
  face: money('Original face.'),
  factor: Type.Number({ description: 'Current balance over original balance of the tranche.' }),
  price: Type.Number({ description: 'Clean, per 100 of current face.' }),
  yield: nullable(Type.Number({ description: 'Percent a year.' })),
  principal_amount: money('Current face at the price.'),
  accrued_interest: money('Interest from the dated date to settlement.'),
  net_amount: money('Principal amount and accrued interest: the cash that moves.'),
  trade_date: date(),
  settlement_date: date('The later of the closing date and the business day after the trade.'),
  status: oneOf(TRADE_STATUSES),
  reason: nullable(Type.String()),
  settled_at: nullable(timestamp()),
  created_at: timestamp(),
  updated_at: timestamp(),
};
const TradeSchema = Type.Object(Trade);
const OperatorTrade = Type.Object({ ...Trade, organization_id: id('org') });

const tag = 'Trades';
const ListQuery = { deal_id: Type.Optional(id('deal')), status: Type.Optional(oneOf(TRADE_STATUSES)), ...CreatedBetween };

export const tradeRoutes: Route[] = [
  ownList({
    path: '/v1/api/investor/trades',
    access: 'investor',
    tag,
    summary: 'List your trades, newest first',
    filters: ListQuery,
    reply: TradeSchema,
    list: listTrades,
  }),
  route({
    method: 'GET',
    path: '/v1/api/investor/trades/:tradeId',
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
    path: '/v1/operator/trades',
    summary: 'List trades of all investors',
    filters: { ...ListQuery, organization_id: Type.Optional(id('org')) },
    reply: OperatorTrade,
    list: (tx, asked) => listTrades(tx, null, asked),
  }),
  act('settle', 'Settle a trade: face against cash, both or neither', (context, tradeId, reason) =>
    context.write((tx) => settleTrade(tx, context.caller, tradeId, reason)),
  ),
  act('fail', 'Record that a trade did not settle', (context, tradeId, reason) =>
    context.write((tx) => failTrade(tx, context.caller, tradeId, reason ?? 'settlement failed')),
  ),
  act('retry', 'Take a failed trade up again', (context, tradeId, reason) =>
    context.write((tx) => retryTrade(tx, context.caller, tradeId, reason)),
  ),
  act('cancel', 'Give an unsettled trade up', (context, tradeId, reason) =>
    context.write((tx) => cancelTrade(tx, context.caller, tradeId, reason ?? 'cancelled by the operator')),
  ),
];

type ActContext = Pick<Context<unknown, unknown, unknown>, 'write' | 'caller'>;

function act(
  name: 'settle' | 'fail' | 'retry' | 'cancel',
  summary: string,
  run: (context: ActContext, tradeId: Id<'trd'>, reason: string | null) => Promise<TradeRow>,
): Route {
  return route({
    method: 'POST',
    path: `/v1/operator/trades/:tradeId/${name}`,
    access: 'operator',
    tag: 'Operator',
    summary,
    params: pathId('tradeId', 'trd'),
    body: Type.Object({ reason: Type.Optional(text(1_000, 'Why; kept with the trade and in the audit log.')) }),
    bodyOptional: true,
    reply: OperatorTrade,
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'INVALID_TRANSITION'],
    handler: (context) => run(context, context.params.tradeId, context.body?.reason ?? null),
  });
}
