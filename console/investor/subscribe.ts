import { type ApiFailure, send } from '../lib/api.ts';
import { roundMoney, words } from '../lib/format.ts';
import { useAction } from '../lib/load.ts';
import { go } from '../lib/router.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { confirmFirst } from '../parts/dialog.ts';
import { field, form } from '../parts/form.ts';
import { notify } from '../parts/notice.ts';
import { card } from '../parts/page.ts';
import { problem } from '../parts/problem.ts';
import type { ComplianceCheck, Subscription, SubscriptionCheck } from '../wire/api.ts';
import type { MarketDeal } from '../wire/api.ts';

/** A commitment: first the compliance checks, which change nothing, then the subscription itself. */
export function Subscribe({ deal, after }: { deal: MarketDeal; after: () => void }): VNode {
  const [trancheId, setTrancheId] = useState(deal.tranches[0]?.tranche_id ?? '');
  const [amount, setAmount] = useState('');
  const [checks, setChecks] = useState<SubscriptionCheck | null>(null);
  const tranche = deal.tranches.find((each) => each.tranche_id === trancheId);
  const body = { subscription_amount: Number(amount), tranche_id: trancheId };
  const checking = useAction(async () => {
    setChecks(null);
    setChecks(await send<SubscriptionCheck>('POST', `/v1/api/investor/deals/${deal.id}/subscribe/check`, body));
  });
  const committing = useAction(async () => {
    const text = `${roundMoney(body.subscription_amount)} of ${tranche?.tranche} in ${deal.name}. It waits for the operator’s confirmation, and can be cancelled until the books close.`;
    if (!(await confirmFirst({ title: 'Subscribe?', text, yes: 'Subscribe' }))) return;
    await send<Subscription>('POST', `/v1/api/investor/deals/${deal.id}/subscribe`, body);
    notify('Subscribed. The operator confirms it.');
    after();
    go('/commitments');
  });
  const change =
    (set: (value: string) => void) =>
    (value: string): void => {
      set(value);
      setChecks(null);
      checking.clear();
      committing.clear();
    };
  const failure = committing.problem ?? checking.problem;
  return card(
    'Subscribe',
    html`
      ${form(
        () => void (checks ? committing.run() : checking.run()),
        trancheField(deal, trancheId, change(setTrancheId)),
        field({
          name: 'subscription_amount',
          label: 'Amount',
          type: 'number',
          value: amount,
          set: change(setAmount),
          required: true,
          problem: failure,
          hint: tranche && `At least ${roundMoney(tranche.denomination)}, in steps of ${roundMoney(tranche.increment)}.`,
          attributes: { min: 0, step: 'any', inputmode: 'decimal' },
        }),
        html`<div class="buttons">
          <button type="button" disabled=${checking.busy || !amount} onClick=${() => void checking.run()}>Check</button>
          <button type="button" class="primary" disabled=${!checks || committing.busy} onClick=${() => void committing.run()}>Subscribe</button>
        </div>`,
      )}
      ${checks ? checkList(checks.compliance_checks) : failure && refusal(failure)}
    `,
  );
}

export const trancheField = (deal: MarketDeal, value: string, set: (value: string) => void, of = ''): VNode =>
  field({
    name: 'tranche_id',
    of,
    label: 'Tranche',
    value,
    set,
    options: deal.tranches.map((each) => ({
      value: each.tranche_id,
      text: `${each.tranche} · ${each.rating ?? 'unrated'} · ${roundMoney(each.remaining_capacity)} left`,
    })),
  });

/** Failed checks are in `errors` of the refusal, each with its result. */
export const refusal = (failure: ApiFailure): VNode | null =>
  failure.code === 'COMPLIANCE_FAILED'
    ? checkList(
        failure.errors.map((each) => ({
          check: each.check ?? each.code,
          result: (each.result ?? 'failed') as ComplianceCheck['result'],
          reason: each.message,
        })),
      )
    : problem(failure);

export const checkList = (checks: readonly ComplianceCheck[]): VNode => html`
  <div role="status">
    <ul class="checks" aria-label="Compliance checks">
      ${checks.map((each) => html`<li>${badge(each.result)} <span><strong>${words(each.check)}</strong><small>${each.reason}</small></span></li>`)}
    </ul>
  </div>
`;
