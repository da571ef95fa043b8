import { get } from '../lib/api.ts';
import { plural, roundMoney } from '../lib/format.ts';
import { useAction } from '../lib/load.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { problem } from '../parts/problem.ts';
import { table } from '../parts/table.ts';
import type { CriteriaRun, Cure, Cures } from '../wire/api.ts';

/** The smallest removal that makes each failed pool test pass, calculated on request. */
export function RunCure({ run }: { run: CriteriaRun }): VNode {
  const [cures, setCures] = useState<Cure[] | null>(null);
  const action = useAction(async () => {
    const found = await get<Cures>(`/v1/api/originator/sc/jobs/${run.sc_job_id}/cure`);
    setCures(found.cures ?? []);
  });
  if (!cures) {
    return html`<div>
      <button type="button" disabled=${action.busy} onClick=${() => void action.run()}>
        ${action.busy ? 'Searching…' : 'What would cure the failed tests?'}
      </button>
      ${problem(action.problem)}
    </div>`;
  }
  return table<Cure>({
    caption: 'Cures',
    rows: cures,
    columns: [
      { title: 'Test', cell: (cure) => html`<code>${cure.rule_id}</code>` },
      {
        title: 'Least removal',
        kind: 'wide',
        cell: (cure) =>
          cure.feasible ? html`${plural(cure.loans, 'loan')}, <strong>${roundMoney(cure.removed_balance)}</strong>` : cure.reason,
      },
      { title: 'Pool left', kind: 'number', cell: (cure) => roundMoney(cure.pool_balance) },
      { title: '', cell: (cure) => cure.feasible && (cure.optimal ? 'proved least' : 'close to the least') },
    ],
  });
}
