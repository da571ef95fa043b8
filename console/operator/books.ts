import { list, send } from '../lib/api.ts';
import { percent, roundMoney, share, words } from '../lib/format.ts';
import { useAction, useLoad } from '../lib/load.ts';
import type { Book } from '../wire/market.ts';
import type { PoolRow } from '../wire/pool.ts';
import { h, html, useState, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { askFirst } from '../parts/dialog.ts';
import { badge } from '../parts/badge.ts';
import { field } from '../parts/form.ts';
import { notify } from '../parts/notice.ts';
import { card, id, page } from '../parts/page.ts';
import { problem, shown } from '../parts/problem.ts';
import { table } from '../parts/table.ts';
import { useOrganizations } from './organizations.ts';

type NameOf = (id: string | undefined) => string;

/** The books of issued deals: tried out, closed, allocated, closed for good. */
export function Books(): VNode {
  const nameOf = useOrganizations();
  const pools = useLoad(() => list<PoolRow>('/v1/operator/pools', { status: 'ISSUED', limit: 50 }), []);
  return page(
    { title: 'Books', lead: 'An allocation can be tried first: nothing is created by a trial.' },
    shown(pools, ({ rows }) =>
      rows.length === 0
        ? html`<div class="empty">No pool has been issued yet.</div>`
        : rows.map((pool) => h(DealBook, { pool, nameOf, key: pool.pool_id })),
    ),
  );
}

function DealBook({ pool, nameOf }: { pool: PoolRow; nameOf: NameOf }): VNode {
  const path = `/v1/operator/deals/${pool.deal_id}`;
  const [method, setMethod] = useState('PRO_RATA');
  const [market, setMarket] = useState<string | null>(null);
  const [book, setBook] = useState<Book | null>(null);
  const allocating = useAction(async (dry: boolean) => {
    const text = 'The books close, and every investor gets its allocation to accept or decline.';
    if (!dry && !(await askFirst({ title: `Allocate ${pool.name}?`, text, yes: 'Allocate' }))) return;
    const made = await send<Book>('POST', `${path}/allocations`, dry ? { method, dry_run: true } : { method });
    setBook(made);
    if (!dry) setMarket('ALLOCATED');
    if (!dry) notify(`${pool.name} is allocated.`);
  });
  const move = (name: string, text: string, title: string): VNode =>
    act({
      text,
      question: { title, yes: text, reason: 'optional' },
      act: async (reason) =>
        setMarket((await send<{ market_status: string }>('POST', `${path}/${name}`, reason ? { reason } : {})).market_status),
      done: `${pool.name}: done.`,
    });
  return card(
    pool.name,
    html`
      <p class="fine">${nameOf(pool.organization_id)} · ${pool.loan_type} · ${id(pool.deal_id)}</p>
      <div class="row">
        ${field({ name: `method-${pool.pool_id}`, label: 'Method', value: method, set: setMethod, options: ['PRO_RATA', 'CLEARING_YIELD'].map((value) => ({ value, text: words(value) })) })}
        <button type="button" disabled=${allocating.busy} onClick=${() => void allocating.run(true)}>Try it</button>
        <button type="button" class="primary" disabled=${allocating.busy} onClick=${() => void allocating.run(false)}>Allocate</button>
      </div>
      ${problem(allocating.problem)} ${book && bookOf(book, nameOf)}
      <div class="buttons">
        ${move('close-books', 'Close the books', `Close the books of ${pool.name}?`)} ${move('reopen-books', 'Reopen the books', `Reopen the books of ${pool.name}?`)}
        ${move('close', 'Close the deal', `Close ${pool.name}?`)}
      </div>
    `,
    badge(market),
  );
}

const bookOf = (book: Book, nameOf: NameOf): VNode => html`
  <p class="note ${book.dry_run ? '' : 'good'}">${book.dry_run ? 'A trial: nothing was created.' : 'Allocated.'} ${book.allocations.length} fills, ${book.unfilled.length} unfilled.</p>
  ${table({
    caption: 'Tranches',
    rows: book.tranches,
    columns: [
      { title: 'Tranche', cell: (row) => html`<strong>${row.tranche}</strong>` },
      { title: 'Size', kind: 'number', cell: (row) => roundMoney(row.size) },
      { title: 'Demand', kind: 'number', cell: (row) => roundMoney(row.demand) },
      { title: 'Allocated', kind: 'number', cell: (row) => roundMoney(row.allocated) },
      { title: 'Yield', kind: 'number', cell: (row) => percent(row.yield, 3) },
      { title: 'Bids', kind: 'number', cell: (row) => row.bids },
    ],
  })}
  ${table({
    caption: 'Fills',
    rows: book.allocations,
    empty: 'Nobody bids.',
    columns: [
      { title: 'Investor', kind: 'wide', cell: (row) => nameOf(row.organization_id) },
      {
        title: 'Tranche',
        cell: (row) => book.tranches.find((each) => each.tranche_id === row.tranche_id)?.tranche ?? row.tranche_id,
      },
      { title: 'Asked', kind: 'number', cell: (row) => roundMoney(row.requested_amount) },
      {
        title: 'Given',
        kind: 'number',
        cell: (row) => html`${roundMoney(row.allocated_amount)}<small>${share(row.fill_ratio, 0)}</small>`,
      },
      { title: 'Why', cell: (row) => words(row.reason) },
    ],
  })}
`;
