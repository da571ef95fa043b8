import { send } from '../lib/api.ts';
import { money } from '../lib/format.ts';
import { useAction } from '../lib/load.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { field, form } from '../parts/form.ts';
import { notify } from '../parts/notice.ts';
import { card } from '../parts/page.ts';
import type { Subscription } from '../wire/api.ts';
import { refusal } from './subscribe.ts';

type Props = { subscription: Subscription; after: () => void; close: () => void };

/** Another amount for a subscription that waits for confirmation. */
export function AmendSubscription({ subscription, after, close }: Props): VNode {
  const [amount, setAmount] = useState(String(subscription.subscription_amount));
  const amending = useAction(async () => {
    const path = `/v1/api/investor/subscriptions/${subscription.subscription_id}`;
    const { subscription_amount: now } = await send<Subscription>('PATCH', path, { subscription_amount: Number(amount) });
    notify(`The subscription is for ${money(now)} now.`);
    close();
    after();
  });
  return card(
    'Change the subscription',
    html`
      <p class="fine">The checks run again. A smaller amount keeps its place in time; a larger one takes the place of this moment.</p>
      ${form(
        () => void amending.run(),
        field({
          name: 'subscription_amount',
          of: 'amend-',
          label: 'Amount',
          type: 'number',
          value: amount,
          set: (value) => {
            setAmount(value);
            amending.clear();
          },
          required: true,
          problem: amending.problem,
          hint: `It is ${money(subscription.subscription_amount)}.`,
          attributes: { min: 0, step: 'any', inputmode: 'decimal' },
        }),
        html`<div class="buttons">
          <button type="submit" class="primary" disabled=${amending.busy || !amount}>Change the subscription</button>
          <button type="button" onClick=${close}>Leave it</button>
        </div>`,
      )}
      ${amending.problem && refusal(amending.problem)}
    `,
  );
}
