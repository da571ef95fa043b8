import { get, list, send } from '../lib/api.ts';
import { date } from '../lib/format.ts';
import { useAction, useLoad } from '../lib/load.ts';
import { go } from '../lib/router.ts';
import type { CriteriaSet, Template } from '../wire/criteria.ts';
import { LOAN_TYPES } from '../wire/deal.ts';
import { h, html, useState, type VNode } from '../lib/view.ts';
import { field, filter, form, optionsOf } from '../parts/form.ts';
import { card, page } from '../parts/page.ts';
import { problem, shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';

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
    making && h(Maker, {}),
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

function Maker(): VNode {
  const [type, setType] = useState<string>('Auto');
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const templates = useLoad(() => get<Template[]>('/v1/api/originator/sc/templates', { type }), [type]);
  const making = useAction(async () => {
    const picked = (templates.data ?? []).filter((each) => chosen.has(each.id));
    const set = await send<CriteriaSet>('POST', '/v1/api/originator/sc/criteria', {
      name: name.trim(),
      loan_type: type,
      loan_rules: picked.flatMap((each) => each.loan_rules),
      pool_tests: picked.flatMap((each) => each.pool_tests),
    });
    go(`/criteria/${set.criteria_id}`);
  });
  const toggle = (id: string): void =>
    setChosen(new Set(chosen.has(id) ? [...chosen].filter((each) => each !== id) : [...chosen, id]));
  return card(
    'New set from the criteria of real deals',
    form(
      () => void making.run(),
      html`
        <div class="grid">
          ${field({ name: 'name', label: 'Name', value: name, set: setName, required: true, problem: making.problem })}
          ${field({ name: 'loan_type', label: 'Loan type', value: type, set: (value) => (setType(value), setChosen(new Set())), options: optionsOf(LOAN_TYPES) })}
        </div>
        ${shown(
          templates,
          (rows) => html`
          <fieldset class="choices">
            <legend>Criteria</legend>
            ${rows.map(
              (each) => html`<label>
                <input type="checkbox" checked=${chosen.has(each.id)} onChange=${() => toggle(each.id)} />
                <span>${each.text}<small>${each.source}</small></span>
              </label>`,
            )}
          </fieldset>
        `,
        )}
        ${problem(making.problem)}
        <button type="submit" class="primary" disabled=${making.busy || chosen.size === 0}>Make the set with ${chosen.size}</button>
      `,
    ),
  );
}
