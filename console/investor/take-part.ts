import { h, html, useState, type VNode } from '../lib/view.ts';
import { card } from '../parts/page.ts';
import type { MarketDeal } from '../wire/api.ts';
import { type NameOf, Rows } from './commitments.ts';
import { Indicate } from './indicate.ts';
import { PlaceOrder } from './order-form.ts';
import { Orders } from './orders.ts';
import { Subscribe } from './subscribe.ts';

/** The ways into a deal while its books are open, and the organization's commitments in it. */
export function TakePart({ deal, after }: { deal: MarketDeal; after: () => void }): VNode {
  const [turn, setTurn] = useState(0);
  const name: NameOf = (row) => deal.tranches.find((each) => each.tranche_id === row.tranche_id)?.tranche ?? row.tranche_id;
  const ordered = (): void => setTurn(turn + 1);
  return html`
    ${
      deal.market_status === 'MARKETING'
        ? html`<div class="columns three">
            ${h(Subscribe, { deal, after })}${h(PlaceOrder, { deal, after: ordered })}${h(Indicate, { deal })}
          </div>`
        : html`<p class="note">The books of this deal are not open: you can view it, but not subscribe.</p>`
    }
    ${card('Your subscriptions', h(Rows, { tab: 'subscriptions', name, deal: deal.id }))}
    ${card('Your orders', h(Orders, { name, deal: deal.id, key: `orders-${turn}` }))}
  `;
}
