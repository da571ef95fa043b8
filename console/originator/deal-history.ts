import { time, words } from '../lib/format.ts';
import { html, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { card } from '../parts/page.ts';
import type { Deal } from '../wire/contents.ts';

/** How the deal came to its status, and how its columns were read. */
export const dealHistory = (deal: Deal): VNode => html`
  ${card(
    'Status',
    html`<ol class="timeline">
      ${deal.history.toReversed().map(
        (move) => html`
            <li>
              <p>${badge(move.to)} ${move.from && html`<span class="fine">from ${words(move.from)}</span>`}</p>
              <p class="fine">${time(move.at)} · ${move.actor === 'platform' ? 'by the platform' : html`by <code>${move.actor}</code>`}</p>
              ${move.reason && html`<p>${move.reason}</p>`}
            </li>
          `,
      )}
    </ol>`,
  )}
  ${
    deal.qc.findings?.decisions?.length
      ? card(
          'How the columns were read',
          html`<ul class="plain">${deal.qc.findings.decisions.map((each) => html`<li>${each}</li>`)}</ul>`,
        )
      : null
  }
`;
