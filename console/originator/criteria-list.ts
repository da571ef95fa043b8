import { list } from '../lib/api.ts';
import { date } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { h, html, useState, type VNode } from '../lib/view.ts';
import { filter } from '../parts/form.ts';
import { page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import { LOAN_TYPES } from '../wire/choices.ts';
import type { CriteriaSet } from '../wire/contents.ts';
import { NewCriteria } from './new-criteria.ts';

/** The organization's criteria sets, and a new one from the criteria of real deals. */
export function CriteriaList({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const { type = '', page: at = '1' } = query;
  const [making, setMaking] = useState(false);
  const sets = useLoad(() => list<CriteriaSet>('/v1/api/originator/sc/criteria', { type, page: at, limit: 20 }), [type, at]);
  return page(
    {
      title: 'Criteria',
      lead: 'Loan rules and pool tests that say which loans may enter a deal. A version never changes.',
      aside: html`<button type="button" class="primary" aria-expanded=${making} onClick=${() => setMaking(!making)}>New set</button>`,
    },
    making && h(NewCriteria, {}),
    html`<div class="filters">${filter('type', 'Loan type', LOAN_TYPES, type)}</div>`,
    shown(sets, (data) => [
      table({ caption: 'Criteria sets', columns: COLUMNS, rows: data.rows, empty: 'There is no criteria set yet.' }),
      pager(data),
    ]),
  );
}

const COLUMNS: readonly Column<CriteriaSet>[] = [
  {
    title: 'Set',
    kind: 'wide',
    cell: (set) =>
      html`<a href="#/criteria/${set.criteria_id}"><strong>${set.name}</strong></a><small>version ${set.version}</small>`,
  },
  { title: 'Loan type', cell: (set) => set.loan_type },
  { title: 'Loan rules', kind: 'number', cell: (set) => set.loan_rules.length },
  { title: 'Pool tests', kind: 'number', cell: (set) => set.pool_tests.length },
  { title: 'Made', cell: (set) => date(set.created_at) },
];
