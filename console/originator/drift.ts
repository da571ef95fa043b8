import { get } from '../lib/api.ts';
import { date, decimal, percent } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { card } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, table } from '../parts/table.ts';
import type { PerformancePeriod } from '../wire/api.ts';

/** What the servicer reported beside what was projected from the cut-off date, period by period, the latest first. */
export function Drift({ pool }: { pool: string }): VNode {
  const periods = useLoad(() => get<PerformancePeriod[]>(`/v1/api/originator/pools/${pool}/performance`), [pool]);
  return html`
    ${shown(periods, (rows) => {
      if (rows.length === 0) return null;
      const source = rows.find((row) => row.projected)?.projected?.calculation_id;
      return card(
        'Reported beside projected',
        html`
          ${!source && html`<p>There is no calculation from the cut-off date to set the reports beside.</p>`}
          <div class="dense">${table({ caption: 'Reported beside projected', columns: COLUMNS, rows: rows.toReversed() })}</div>
        `,
        source && html`<a href="#/pools/${pool}/calculations/${source}">The calculation that projects</a>`,
      );
    })}
  `;
}

const COLUMNS: readonly Column<PerformancePeriod>[] = [
  { title: 'Period', kind: 'wide', cell: (row) => html`<strong>${row.period}</strong><small>${date(row.payment_date)}</small>` },
  { title: 'Factor', kind: 'number', cell: (row) => decimal(row.factor, 6) },
  { title: 'Projected factor', kind: 'number', cell: (row) => decimal(row.projected?.factor, 6) },
  { title: 'CPR', kind: 'number', cell: (row) => percent(row.cpr) },
  { title: 'Projected CPR', kind: 'number', cell: (row) => percent(row.projected?.cpr) },
  { title: 'Cumulative net loss', kind: 'number', cell: (row) => percent(row.cnl) },
  { title: 'Projected net loss', kind: 'number', cell: (row) => percent(row.projected?.cnl) },
];
