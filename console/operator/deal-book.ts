import { send } from '../lib/api.ts';
import { decimal, percent, roundMoney, share, words } from '../lib/format.ts';
import { useAction } from '../lib/load.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { confirmFirst } from '../parts/dialog.ts';
import { field } from '../parts/form.ts';
import { notify } from '../parts/notice.ts';
import { card, id } from '../parts/page.ts';
import { problem } from '../parts/problem.ts';
import { table } from '../parts/table.ts';
import type { DealAllocation, OperatorPoolSummary } from '../wire/api.ts';

type NameOf = (id: string | undefined) => string;
type Props = { pool: OperatorPoolSummary; market: string | null; nameOf: NameOf; after: () => void };

const METHODS = ['PRO_RATA', 'CLEARING_YIELD'].map((value) => ({ value, text: words(value) }));
/** Moves from each market status; where the status is unknown all are offered, and the API refuses those that are not allowed. */
const MOVES: Record<string, readonly string[]> = {
  MARKETING: ['close-books'],
  BOOKS_CLOSED: ['reopen-books'],
  ALLOCATED: ['close'],
};
const NAMES = { 'close-books': 'Close the books', 'reopen-books': 'Reopen the books', close: 'Close the deal' };

/** One deal's book: a dry run, the allocation, and the moves that its status allows. */
export function DealBook({ pool, market, nameOf, after }: Props): VNode {
  const [method, setMethod] = useState('PRO_RATA');
  const [book, setBook] = useState<DealAllocation | null>(null);
  const allocating = useAction(async (dry: boolean) => {
    const text = 'The books close, and every investor gets its allocation to accept or decline.';
    if (!dry && !(await confirmFirst({ title: `Allocate ${pool.name}?`, text, yes: 'Allocate' }))) return;
    setBook(
      await send<DealAllocation>(
        'POST',
        `/v1/operator/deals/${pool.deal_id}/allocations`,
        dry ? { method, dry_run: true } : { method },
      ),
    );
    if (dry) return;
    notify(`${pool.name} is allocated.`);
    after();
  });
  const open = market === null || ['MARKETING', 'BOOKS_CLOSED'].includes(market);
  return card(
    pool.name,
    html`
      <p class="fine">${nameOf(pool.organization_id)} · ${pool.loan_type} · ${id(pool.deal_id)} · <a href="#/books/${pool.deal_id}">The demand with names</a></p>
      ${
        open &&
        html`<div class="row">
          ${field({ name: `method-${pool.pool_id}`, label: 'Method', value: method, set: setMethod, options: METHODS })}
          <button type="button" disabled=${allocating.busy} onClick=${() => void allocating.run(true)}>Try it</button>
          <button type="button" class="primary" disabled=${allocating.busy} onClick=${() => void allocating.run(false)}>Allocate</button>
        </div>`
      }
      ${problem(allocating.problem)} ${book && bookOf(book, nameOf)}
      <div class="buttons">${Object.entries(NAMES)
        .filter(([name]) => market === null || MOVES[market]?.includes(name))
        .map(([name, text]) => move(pool, name, text, after))}</div>
    `,
    badge(market),
  );
}

const move = (pool: OperatorPoolSummary, name: string, text: string, after: () => void): VNode =>
  act({
    text,
    question: { title: `${text}: ${pool.name}?`, yes: text, reason: 'optional' },
    act: (reason) => send('POST', `/v1/operator/deals/${pool.deal_id}/${name}`, reason ? { reason } : {}),
    done: `${pool.name}: done.`,
    after,
  });

const bookOf = (book: DealAllocation, nameOf: NameOf): VNode => html`
  <p class="note ${book.dry_run ? '' : 'good'}" role="status">
    ${book.dry_run ? 'A trial: nothing was created.' : 'Allocated.'} ${book.allocations.length} filled, ${book.unfilled.length} unfilled.
  </p>
  ${table({
    caption: 'Tranches',
    rows: book.tranches,
    columns: [
      { title: 'Tranche', cell: (row) => html`<strong>${row.tranche}</strong>` },
      { title: 'Size', kind: 'number', cell: (row) => roundMoney(row.size) },
      { title: 'Demand', kind: 'number', cell: (row) => roundMoney(row.demand) },
      { title: 'Allocated', kind: 'number', cell: (row) => roundMoney(row.allocated) },
      { title: 'Yield', kind: 'number', cell: (row) => percent(row.yield, 3) },
      { title: 'Price', kind: 'number', cell: (row) => decimal(row.price, 6) },
      { title: 'Bids', kind: 'number', cell: (row) => row.bids },
    ],
  })}
  ${table({
    caption: 'Fills',
    rows: book.allocations,
    empty: 'There are no bids.',
    columns: [
      { title: 'Investor', kind: 'wide', cell: (row) => nameOf(row.organization_id) },
      {
        title: 'Tranche',
        cell: (row) => book.tranches.find((each) => each.tranche_id === row.tranche_id)?.tranche ?? row.tranche_id,
      },
      { title: 'Requested', kind: 'number', cell: (row) => roundMoney(row.requested_amount) },
      {
        title: 'Given',
        kind: 'number',
        cell: (row) => html`${roundMoney(row.allocated_amount)}<small>${share(row.fill_ratio, 0)}</small>`,
      },
      { title: 'Why', cell: (row) => words(row.reason) },
    ],
  })}
`;
