import { list, withQuery } from '../lib/api.ts';
import { download } from '../lib/files.ts';
import { count, plural, words } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { h, html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { filter } from '../parts/form.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager } from '../parts/table.ts';
import type { Finding } from '../wire/api.ts';
import type { Deal } from '../wire/contents.ts';
import { NextTape } from './next-tape.ts';

type Props = { deal: Deal; query: Readonly<Record<string, string>>; reload: () => void };

/** The findings of the checks, rule by rule, each with its place in the file. */
export function DealFindings({ deal, query, reload }: Props): VNode {
  const { severity = '', page: at = '1' } = query;
  const path = `/v1/api/originator/loans/${deal.id}/issues`;
  const found = useLoad(() => list<Finding>(path, { severity, page: at, limit: 100 }), [deal.id, severity, at]);
  const file = (format: string) => (): Promise<void> =>
    download(withQuery(`/v1/api/originator/loans/${deal.id}/issues/file`, { format }));
  return html`
    <div class="filters">
      ${filter('severity', 'Severity', ['ERROR', 'WARNING'], severity)}
      <span class="aside">
        <span class="fine">Correctable file:</span>
        ${act({ text: 'CSV', act: file('csv') })} ${act({ text: 'XLSX', act: file('xlsx') })}
      </span>
    </div>
    ${shown(found, (data) => [
      data.rows.length === 0
        ? html`<div class="empty good">${deal.qc.state === 'DONE' ? 'The checks found nothing to tell.' : 'There are no findings yet.'}</div>`
        : html`<p class="fine">The correctable file has the rows with findings in your own columns, with the reasons beside them. Corrected, it is sent below and merged by loan id.</p>`,
      data.rows.length > 0 && byRule(data.rows),
      pager(data),
    ])}
    ${['QC_COMPLETED', 'IN_REVIEW'].includes(deal.status) && h(NextTape, { deal, sent: reload })}
  `;
}

/** Rules with rejected rows first, then by number of findings. */
function grouped(rows: readonly Finding[]): [string, Finding[]][] {
  const weight = (list: readonly Finding[]): number => (list.some((each) => each.severity === 'ERROR') ? 1e6 : 0) + list.length;
  return [...Map.groupBy(rows, (row) => row.rule_id)].sort(([, a], [, b]) => weight(b) - weight(a));
}

const byRule = (rows: readonly Finding[]): VNode => html`
  <div class="table findings" role="region" aria-label="Findings" tabindex="0">
    <table>
      <caption class="unseen">Findings by rule</caption>
      <thead><tr>${COLUMNS.map((each) => html`<th scope="col" class=${each.kind}>${each.title}</th>`)}</tr></thead>
      ${grouped(rows).map(
        ([rule, list]) => html`
          <tbody>
            <tr class="rule"><th scope="rowgroup" colspan=${COLUMNS.length}>${ruleOf(rule, list)}</th></tr>
            ${list.map(
              (row) =>
                html`<tr>${COLUMNS.map((each) => html`<td class=${each.kind} data-title=${each.title}><span>${each.cell(row)}</span></td>`)}</tr>`,
            )}
          </tbody>
        `,
      )}
    </table>
  </div>
`;

const ruleOf = (rule: string, rows: readonly Finding[]): VNode => html`
  ${badge(rows.some((row) => row.severity === 'ERROR') ? 'ERROR' : 'WARNING')} <strong>${words(rule)}</strong>${' '}
  <span class="fine">${plural(rows.length, 'finding')} · <code>${rule}</code></span>
`;

const COLUMNS: readonly Column<Finding>[] = [
  { title: 'Row', kind: 'number', cell: (row) => count(row.row_number) },
  { title: 'Line', kind: 'number', cell: (row) => count(row.line) },
  { title: 'Column', cell: (row) => row.column ?? (row.field ? html`<code>${row.field}</code>` : 'whole tape') },
  {
    title: 'Found',
    cell: (row) =>
      row.actual === null ? html`<span class="fine">nothing</span>` : html`<code class="fault">${row.actual}</code>`,
  },
  { title: 'Expected', cell: (row) => row.expected ?? '–' },
  { title: 'What is wrong', kind: 'wide', cell: (row) => row.message },
];
