import { send } from '../lib/api.ts';
import { useAction } from '../lib/load.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { field, form } from '../parts/form.ts';
import { problem } from '../parts/problem.ts';
import type { WebhookSubscriptionWithSecret } from '../wire/api.ts';
import { EVENTS } from '../wire/choices.ts';

/** A form for a new receiver; the page shows its secret once. */
export function NewReceiver({ made }: { made: (hook: WebhookSubscriptionWithSecret) => void }): VNode {
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(EVENTS));
  const making = useAction(async () => {
    made(
      await send<WebhookSubscriptionWithSecret>('POST', '/v1/api/webhooks/subscriptions', {
        url: url.trim(),
        events: [...chosen],
      }),
    );
    setUrl('');
  });
  const toggle = (event: string): void =>
    setChosen(new Set(chosen.has(event) ? [...chosen].filter((each) => each !== event) : [...chosen, event]));
  return html`
    <details class="more">
      <summary>New receiver</summary>
      ${form(
        () => void making.run(),
        field({
          name: 'url',
          label: 'Address',
          type: 'url',
          value: url,
          set: setUrl,
          required: true,
          placeholder: 'https://example.com/hooks/sluice',
          problem: making.problem,
        }),
        html`<fieldset class="choices across">
          <legend>Events</legend>
          ${EVENTS.map((each) => html`<label><input type="checkbox" checked=${chosen.has(each)} onChange=${() => toggle(each)} /> <span>${each}</span></label>`)}
        </fieldset>`,
        problem(making.problem),
        html`<button type="submit" class="primary" disabled=${making.busy || chosen.size === 0}>Subscribe</button>`,
      )}
    </details>
  `;
}
