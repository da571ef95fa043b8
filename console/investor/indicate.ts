import { list, send } from '../lib/api.ts';
import { ago, money } from '../lib/format.ts';
import { useAction, useLoad } from '../lib/load.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { field, form } from '../parts/form.ts';
import { card } from '../parts/page.ts';
import { problem, shown } from '../parts/problem.ts';
import type { Ioi } from '../wire/api.ts';
import type { MarketDeal } from '../wire/api.ts';

/** An indication of interest: without commitment; it can be changed or withdrawn at any time. */
export function Indicate({ deal }: { deal: MarketDeal }): VNode {
  const [amount, setAmount] = useState('');
  const iois = useLoad(() => list<Ioi>('/v1/api/investor/iois', { deal_id: deal.id, status: 'submitted', limit: 1 }), [deal.id]);
  const live = iois.data?.rows[0];
  const saying = useAction(async () => {
    const body = { interest_amount: Number(amount) };
    await (live
      ? send('PATCH', `/v1/api/investor/iois/${live.ioi_id}`, body)
      : send('POST', `/v1/api/investor/deals/${deal.id}/ioi`, body));
    setAmount('');
    iois.reload();
  });
  return card(
    'Indicate interest',
    html`
      <p class="fine">Without commitment: it tells the originator how much you might buy.</p>
      ${shown(iois, () => (live ? html`<p class="note">You indicated <strong>${money(live.interest_amount)}</strong> ${ago(live.created_at)}. ${withdraw(live, iois.reload)}</p>` : null))}
      ${form(
        () => void saying.run(),
        field({
          name: 'interest_amount',
          label: live ? 'Another amount' : 'Amount',
          type: 'number',
          value: amount,
          set: setAmount,
          required: true,
          problem: saying.problem,
          attributes: { min: 0, step: 'any', inputmode: 'decimal' },
        }),
        html`<button type="submit" disabled=${saying.busy || !amount}>${live ? 'Change it' : 'Indicate'}</button>`,
      )}
      ${problem(saying.problem)}
    `,
  );
}

const withdraw = (ioi: Ioi, after: () => void): VNode =>
  act({
    text: 'Withdraw',
    tone: 'link',
    act: () => send('DELETE', `/v1/api/investor/iois/${ioi.ioi_id}`),
    done: 'The indication is withdrawn.',
    after,
  });
