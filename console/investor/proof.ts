import { get } from '../lib/api.ts';
import { decimal, percent, roundMoney, words } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { card, figures } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, table } from '../parts/table.ts';
import type { AllocationProof, BookEntry } from '../wire/api.ts';

/** How a fill came about: the rule, the whole book without names, and the fill recomputed from them. */
export function ProofOf({ id }: { id: string }): VNode {
  const proof = useLoad(() => get<AllocationProof>(`/v1/api/investor/allocations/${id}/proof`), [id]);
  return card(
    'Proof of the fill',
    shown(proof, (given) => [
      figures([
        { name: 'Offered', value: roundMoney(given.size), note: `in steps of ${roundMoney(given.increment)}` },
        { name: 'Demand', value: roundMoney(given.demand) },
        { name: 'Yield', value: percent(given.yield, 3), note: words(given.method) },
        { name: 'Price', value: decimal(given.price, 6), note: 'per 100, without accrued interest' },
        {
          name: 'Recomputed',
          value: roundMoney(given.recomputed_amount),
          note: given.agrees ? 'agrees with the allocation' : 'does not agree',
          tone: given.agrees ? 'good' : 'bad',
        },
      ]),
      html`<p>${given.rule}</p>`,
      table({
        caption: 'The book without names',
        columns: columnsOf(given),
        rows: given.book,
        tone: (bid) => (bid.entry === given.own_entry ? 'unread' : ''),
      }),
      html`<p class="fine">The book’s hash: <code>${given.book_hash}</code></p>`,
    ]),
  );
}

const columnsOf = (proof: AllocationProof): readonly Column<BookEntry>[] => [
  {
    title: 'Entry',
    kind: 'wide',
    cell: (bid) => (bid.entry === proof.own_entry ? html`<strong>${bid.entry} · yours</strong>` : bid.entry),
  },
  { title: 'Requested', kind: 'number', cell: (bid) => roundMoney(bid.amount) },
  { title: 'Minimum', kind: 'number', cell: (bid) => (bid.minimum_amount > 0 ? roundMoney(bid.minimum_amount) : '–') },
  { title: 'Limit', kind: 'number', cell: (bid) => (bid.limit_yield === null ? 'at market' : percent(bid.limit_yield, 3)) },
];
