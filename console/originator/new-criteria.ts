import { get, send } from '../lib/api.ts';
import { useAction, useLoad } from '../lib/load.ts';
import { go } from '../lib/router.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { field, form, optionsOf } from '../parts/form.ts';
import { card } from '../parts/page.ts';
import { problem, shown } from '../parts/problem.ts';
import { LOAN_TYPES } from '../wire/choices.ts';
import type { CriteriaSet, CriteriaTemplate } from '../wire/contents.ts';

/** A criteria set picked from the criteria of real deals, each with its source. */
export function NewCriteria(): VNode {
  const [type, setType] = useState<string>('Auto');
  const [name, setName] = useState('');
  const [asOf, setAsOf] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const templates = useLoad(() => get<CriteriaTemplate[]>('/v1/api/originator/sc/templates', { type }), [type]);
  const picked = (templates.data ?? []).filter((each) => chosen.has(each.id));
  const dated = picked.some((each) => each.needs_as_of);
  const making = useAction(async () => {
    const body = { name: name.trim(), loan_type: type, ...(dated ? { as_of: asOf } : {}), ...together(picked) };
    const set = await send<CriteriaSet>('POST', '/v1/api/originator/sc/criteria', body);
    go(`/criteria/${set.criteria_id}`);
  });
  const toggle = (id: string): void =>
    setChosen(new Set(chosen.has(id) ? [...chosen].filter((each) => each !== id) : [...chosen, id]));
  const changeType = (value: string): void => {
    setType(value);
    setChosen(new Set());
  };
  return card(
    'New set from the criteria of real deals',
    form(
      () => void making.run(),
      html`
        <div class="grid">
          ${field({ name: 'name', label: 'Name', value: name, set: setName, required: true, problem: making.problem })}
          ${field({ name: 'loan_type', label: 'Loan type', value: type, set: changeType, options: optionsOf(LOAN_TYPES) })}
          ${dated && field({ name: 'as_of', label: 'As of', type: 'date', value: asOf, set: setAsOf, required: true, problem: making.problem })}
        </div>
        ${shown(templates, (rows) => choices(rows, chosen, toggle))} ${problem(making.problem)}
        <button type="submit" class="primary" disabled=${making.busy || picked.length === 0}>Make the set with ${picked.length}</button>
      `,
    ),
  );
}

/** One set of the picked criteria, with the columns and value sets that they need. */
const together = (picked: readonly CriteriaTemplate[]): object => ({
  loan_rules: picked.flatMap((each) => each.loan_rules),
  pool_tests: picked.flatMap((each) => each.pool_tests),
  custom_fields: Object.assign({}, ...picked.map((each) => each.custom_fields ?? {})),
  value_sets: Object.assign({}, ...picked.map((each) => each.value_sets ?? {})),
});

const choices = (rows: readonly CriteriaTemplate[], chosen: ReadonlySet<string>, toggle: (id: string) => void): VNode => html`
  <fieldset class="choices">
    <legend>Criteria</legend>
    ${rows.map(
      (each) => html`<label>
        <input type="checkbox" checked=${chosen.has(each.id)} onChange=${() => toggle(each.id)} />
        <span>${each.text}<small>${each.source}</small></span>
      </label>`,
    )}
  </fieldset>
`;
