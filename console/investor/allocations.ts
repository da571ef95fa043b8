import { list, send } from '../lib/api.ts';
import { decimal, percent, roundMoney, share, time } from '../lib/format.ts';
import { never, useLoad } from '../lib/load.ts';
import { h, html, useState, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { shown } from '../parts/problem.ts';
import { type Column, table } from '../parts/table.ts';
import { arrivals } from '../shell/alerts-live.ts';
import type { Allocation } from '../wire/api.ts';
import type { NameOf } from './commitments.ts';
import { ProofOf } from './proof.ts';

/** The organization's allocations, to accept or decline before they expire, with the proof of each fill. */
export function Allocations({ name }: { name: NameOf }): VNode {
  const news = arrivals.use();
  const [proved, setProved] = useState<string | null>(null);
  const rows = useLoad(() => list<Allocation>('/v1/api/investor/allocations', { limit: 50 }), [], never, news);
  return shown(rows, (data) => [
    table({
      caption: 'Allocations',
      columns: columnsOf(name, rows.reload, setProved),
      rows: data.rows,
      empty: 'Nothing has been allocated.',
    }),
    proved && h(ProofOf, { id: proved, key: proved }),
  ]);
}

const columnsOf = (name: NameOf, after: () => void, prove: (id: string) => void): readonly Column<Allocation>[] => [
  { title: 'Deal', kind: 'wide', cell: (row) => html`${name(row)}<small>${row.reason}</small>` },
  {
    title: 'Status',
    cell: (row) => html`${badge(row.status)}${row.status === 'ISSUED' && html`<small>until ${time(row.expires_at)}</small>`}`,
  },
  { title: 'Requested', kind: 'number', cell: (row) => roundMoney(row.requested_amount) },
  {
    title: 'Given',
    kind: 'number',
    cell: (row) => html`${roundMoney(row.allocated_amount)}<small>${share(row.fill_ratio, 0)}</small>`,
  },
  {
    title: 'Yield',
    kind: 'number',
    cell: (row) => html`${percent(row.yield, 3)}<small>${row.price === null ? '' : `at ${decimal(row.price, 6)}`}</small>`,
  },
  { title: '', kind: 'act', cell: (row) => decisions(row, after, prove) },
];

function decisions(row: Allocation, after: () => void, prove: (id: string) => void): VNode {
  const path = `/v1/api/investor/allocations/${row.allocation_id}`;
  const amount = roundMoney(row.allocated_amount);
  return html`
    ${
      row.status === 'ISSUED' &&
      html`${act({
        text: 'Accept',
        tone: 'primary',
        question: { title: `Accept ${amount}?`, text: 'This creates a trade, which the operator settles.', yes: 'Accept' },
        act: () => send('POST', `${path}/accept`, {}),
        done: 'Accepted: the trade waits for settlement.',
        after,
      })}
      ${act({
        text: 'Decline',
        question: {
          title: `Decline ${amount}?`,
          text: 'Its face is offered to others, and you cannot get it back.',
          yes: 'Decline',
          tone: 'danger',
        },
        act: () => send('POST', `${path}/decline`, {}),
        done: 'Declined.',
        after,
      })}`
    }
    <button type="button" onClick=${() => prove(row.allocation_id ?? '')}>Proof</button>
  `;
}
