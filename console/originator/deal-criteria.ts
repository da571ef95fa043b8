import { list, send } from '../lib/api.ts';
import { count, share, time } from '../lib/format.ts';
import { useAction, useLoad } from '../lib/load.ts';
import { go } from '../lib/router.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { field, form } from '../parts/form.ts';
import { card } from '../parts/page.ts';
import { problem, shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { CriteriaRun, QueuedRun } from '../wire/api.ts';
import type { CriteriaSet, Deal } from '../wire/contents.ts';

type Props = { deal: Deal; query: Readonly<Record<string, string>> };

/** Runs of selection criteria over the deal's loans, and the next one. */
export function DealCriteria({ deal, query }: Props): VNode {
  const { page: at = '1' } = query;
  const runs = useLoad(
    () => list<CriteriaRun>(`/v1/api/originator/sc/deals/${deal.id}/results`, { page: at, limit: 10 }),
    [deal.id, at],
  );
  const sets = useLoad(
    () => list<CriteriaSet>('/v1/api/originator/sc/criteria', { type: deal.loan_type, limit: 100 }),
    [deal.loan_type],
  );
  const names = new Map(sets.data?.rows.map((each) => [each.criteria_id, each.name]));
  return html`
    ${card(
      'Run criteria',
      shown(sets, ({ rows }) => chooser(deal, rows)),
    )}
    ${shown(runs, (data) => [table({ caption: 'Runs', columns: columnsOf(names), rows: data.rows, empty: 'No criteria have been run over these loans.' }), pager(data)])}
  `;
}

const chooser = (deal: Deal, sets: readonly CriteriaSet[]): VNode =>
  sets.length === 0
    ? html`<p>There are no criteria for ${deal.loan_type} loans yet. <a href="#/criteria">Make a set</a>.</p>`
    : html`<${Chooser} deal=${deal} sets=${sets} />`;

function Chooser({ deal, sets }: { deal: Deal; sets: readonly CriteriaSet[] }): VNode {
  const [chosen, setChosen] = useState(sets[0]?.criteria_id ?? '');
  const running = useAction(async () => {
    const run = await send<QueuedRun>('POST', `/v1/api/originator/sc/deals/${deal.id}/run`, { criteria_id: chosen });
    go(`/runs/${run.sc_job_id}`);
  });
  return html`
    ${form(
      () => void running.run(),
      html`<div class="row">
        ${field({ name: 'criteria_id', label: 'Criteria set', value: chosen, set: setChosen, options: sets.map(optionOf) })}
        <button type="submit" class="primary" disabled=${running.busy}>Run</button>
      </div>`,
    )}
    ${problem(running.problem)}
  `;
}

const optionOf = (set: CriteriaSet): { value: string; text: string } => ({
  value: set.criteria_id,
  text: `${set.name} (version ${set.version}: ${set.loan_rules.length} rules, ${set.pool_tests.length} pool tests)`,
});

const columnsOf = (names: ReadonlyMap<string, string>): readonly Column<CriteriaRun>[] => [
  {
    title: 'Run',
    kind: 'wide',
    cell: (run) =>
      html`<a href="#/runs/${run.sc_job_id}"><strong>${names.get(run.criteria_id) ?? 'Criteria run'}</strong></a><small>version ${run.criteria_version} · tape ${run.tape_version}</small>`,
  },
  { title: 'Status', cell: (run) => badge(run.status) },
  { title: 'Eligible', kind: 'number', cell: (run) => `${count(run.passed)} of ${count(run.total)}` },
  { title: 'Share', kind: 'number', cell: (run) => share(run.total > 0 ? run.passed / run.total : null) },
  { title: 'Pool tests', cell: (run) => testsOf(run) },
  { title: 'When', cell: (run) => time(run.run_at) },
];

function testsOf(run: CriteriaRun): VNode | string {
  const failed = run.pool_tests.filter((test) => test.passed === false).length;
  if (run.pool_tests.length === 0) return '–';
  return failed === 0 ? badge('passed') : html`<span class="fault">${failed} of ${run.pool_tests.length} failed</span>`;
}
