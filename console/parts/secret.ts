import { type Content, html, type VNode } from '../lib/view.ts';

/** A secret that the API shows in one response only. */
export const shownOnce = (title: Content, secret: string, hint: Content): VNode => html`
  <div class="note good" role="status">
    <p><strong>${title}</strong></p>
    <p><code class="id secret">${secret}</code></p>
    <p class="fine">${hint}</p>
  </div>
`;
