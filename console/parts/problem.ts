import type { ApiFailure } from '../lib/api.ts';
import { words } from '../lib/format.ts';
import type { Loaded } from '../lib/load.ts';
import { type Content, html, type VNode } from '../lib/view.ts';

/** An error response of the API: its message, its fields, and the request id to quote. */
export function problem(failure: ApiFailure | null | undefined, again?: () => void): VNode | null {
  if (!failure) return null;
  return html`
    <div class="problem" role="alert">
      <p><strong>${failure.message}</strong></p>
      ${
        failure.errors.length > 0 &&
        html`<ul>
        ${failure.errors.slice(0, 30).map((each) => html`<li>${each.field && html`<code>${each.field}</code> `}${each.message}</li>`)}
      </ul>`
      }
      <p class="fine">
        ${words(failure.code)}${failure.status > 0 && ` · ${failure.status}`}
        ${failure.requestId && html` · request <code>${failure.requestId}</code>`}
        ${again && html` · <button type="button" class="link" onClick=${again}>Try again</button>`}
      </p>
    </div>
  `;
}

/** The loaded data, a spinner, or the failure. Old data stays on the page while new data is loading. */
export function shown<Data>(loaded: Loaded<Data>, view: (data: Data) => Content): VNode {
  if (loaded.data === null && loaded.problem) return problem(loaded.problem, loaded.reload) as VNode;
  if (loaded.data === null)
    return html`<div class="waiting" role="status"><span class="spinner" aria-hidden="true"></span> Loading…</div>`;
  return html`<div class="loaded" aria-busy=${loaded.busy}>${problem(loaded.problem, loaded.reload)}${view(loaded.data)}</div>`;
}
