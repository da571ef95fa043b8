import { list } from '../lib/api.ts';
import { plain, words } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import type { VNode } from '../lib/view.ts';
import { html } from '../lib/view.ts';
import { shown } from '../parts/problem.ts';
import { pager, table } from '../parts/table.ts';
import type { Deal } from '../wire/contents.ts';

type Loan = Record<string, unknown>;
const FIRST = ['row_number', 'loan_id', 'current_balance', 'original_balance', 'interest_rate'];

/** The accepted loans in the dictionary's fields. */
export function DealLoans({ deal, query }: { deal: Deal; query: Readonly<Record<string, string>> }): VNode {
  const { page: at = '1' } = query;
  const loans = useLoad(() => list<Loan>(`/v1/api/originator/loans/${deal.id}/loans`, { page: at, limit: 50 }), [deal.id, at]);
  return html`<div class="dense">${shown(loans, (data) => [
    table({ caption: 'Loans', columns: columnsOf(data.rows), rows: data.rows, empty: 'No loan has been accepted.' }),
    pager(data),
  ])}</div>`;
}

function columnsOf(rows: readonly Loan[]): { title: string; kind?: 'number'; cell: (loan: Loan) => string }[] {
  const names = Object.keys(rows[0] ?? {}).filter((name) =>
    rows.some((row) => row[name] !== null && typeof row[name] !== 'object'),
  );
  const ordered = [...FIRST.filter((name) => names.includes(name)), ...names.filter((name) => !FIRST.includes(name))];
  return ordered.map((name) => {
    const numeric = rows.some((row) => typeof row[name] === 'number');
    return { title: words(name), cell: (loan) => plain(loan[name]), ...(numeric ? { kind: 'number' as const } : {}) };
  });
}
