import type { Route } from '../../platform/http/route.ts';
import { tradeAct } from '../trades/routes.ts';
import { cancelTrade } from './cancel-trade.ts';

/** A cancelled trade ends what was offered to add to it. */
export const cancelTradeRoutes: Route[] = [
  tradeAct(
    'cancel',
    'Cancel an unsettled trade',
    ({ write, caller }, { trade_id, reason }) =>
      write((tx) => cancelTrade(tx, caller, { trade_id, reason: reason ?? 'cancelled by the operator' })),
    'Its face stays unsold. An open allocation of the same order or subscription that is below the denomination expires with the last trade to which it would have added, and the investor is told.',
  ),
];
