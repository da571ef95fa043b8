import { send } from '../lib/api.ts';
import { roundMoney } from '../lib/format.ts';
import { type Action, useAction } from '../lib/load.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { field, form } from '../parts/form.ts';
import { notify } from '../parts/notice.ts';
import { card } from '../parts/page.ts';
import type { Order } from '../wire/api.ts';
import type { MarketDeal } from '../wire/api.ts';
import { refusal, trancheField } from './subscribe.ts';

type Terms = { amount: string; minimum_amount: string; limit_yield: string };
const NO_TERMS: Terms = { amount: '', minimum_amount: '', limit_yield: '' };

/** An order in a tranche's book: its amount, its minimum fill, and its limit yield. */
export function PlaceOrder({ deal, after }: { deal: MarketDeal; after: () => void }): VNode {
  const [trancheId, setTrancheId] = useState(deal.tranches[0]?.tranche_id ?? '');
  const [terms, setTerms] = useState(NO_TERMS);
  const tranche = deal.tranches.find((each) => each.tranche_id === trancheId);
  const placing = useAction(async () => {
    await send<Order>('POST', `/v1/api/investor/deals/${deal.id}/orders`, { tranche_id: trancheId, ...bodyOf(terms) });
    setTerms(NO_TERMS);
    notify('The order is in the book.');
    after();
  });
  return card(
    'Place an order',
    html`
      <p class="fine">It bids when the books are allocated, and takes no capacity until then.</p>
      ${form(
        () => void placing.run(),
        trancheField(deal, trancheId, setTrancheId, 'order-'),
        termFields('order-', terms, setTerms, placing, tranche && `In steps of ${roundMoney(tranche.increment)}.`),
        html`<button type="submit" class="primary" disabled=${placing.busy || !terms.amount}>Place the order</button>`,
      )}
      ${placing.problem && refusal(placing.problem)}
    `,
  );
}

type ChangeProps = { order: Order; after: () => void; close: () => void };

/** Changes the terms of an open order. */
export function ChangeOrder({ order, after, close }: ChangeProps): VNode {
  const [terms, setTerms] = useState<Terms>({
    amount: String(order.amount),
    minimum_amount: String(order.minimum_amount ?? ''),
    limit_yield: String(order.limit_yield ?? ''),
  });
  const changing = useAction(async () => {
    await send<Order>('PATCH', `/v1/api/investor/orders/${order.order_id}`, bodyOf(terms));
    notify('The order is changed.');
    after();
    close();
  });
  return card(
    'Change the order',
    html`
      <p class="fine">A smaller amount keeps its place in time; a larger one or another limit loses it.</p>
      ${form(
        () => void changing.run(),
        termFields('change-', terms, setTerms, changing),
        html`<div class="buttons">
          <button type="submit" class="primary" disabled=${changing.busy || !terms.amount}>Change the order</button>
          <button type="button" onClick=${close}>Leave it</button>
        </div>`,
      )}
      ${changing.problem && refusal(changing.problem)}
    `,
  );
}

const orNull = (text: string): number | null => (text === '' ? null : Number(text));
const bodyOf = (terms: Terms): object => ({
  amount: Number(terms.amount),
  minimum_amount: orNull(terms.minimum_amount),
  limit_yield: orNull(terms.limit_yield),
});

function termFields(of: string, terms: Terms, set: (terms: Terms) => void, doing: Action<[]>, steps = ''): VNode {
  const input = (name: keyof Terms, label: string, hint: string): VNode =>
    field({
      name,
      of,
      label,
      hint,
      type: 'number',
      value: terms[name],
      set: (value) => {
        set({ ...terms, [name]: value });
        doing.clear();
      },
      required: name === 'amount',
      problem: doing.problem,
      attributes: { min: 0, step: 'any', inputmode: 'decimal' },
    });
  return html`<div class="grid">
    ${input('amount', 'Order amount', steps)}
    ${input('minimum_amount', 'Least fill (optional)', 'A smaller fill is not accepted.')}
    ${input('limit_yield', 'Limit yield (optional)', 'Percent a year; empty: at market.')}
  </div>`;
}
