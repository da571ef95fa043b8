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
        : html`<p class="fine">The correctable file has the rows with findings in your own columns, with the reasons beside them. Corrected, it is sent below and merged into those very rows.</p>`,
      data.rows.length > 0 && byRule(data.rows, countsOf(deal, severity)),
      pager(data),
    ])}
    ${['QC_COMPLETED', 'IN_REVIEW'].includes(deal.status) && h(NextTape, { deal, sent: reload })}
  `;
}

/** Rule → number of its findings on all pages, in the order of the gateway: rules with rejected rows first, then the most frequent. */
type RuleCounts = ReadonlyMap<string, number>;

function countsOf({ qc }: Deal, severity: string): RuleCounts {
  const counts = new Map<string, number>();
  for (const each of qc.by_rule ?? [])
    if (severity === '' || each.severity === severity) counts.set(each.rule_id, (counts.get(each.rule_id) ?? 0) + each.count);
  return counts;
}

/** The findings of a page by rule, in the order of the counts; a rule without a count comes last. */
function grouped(rows: readonly Finding[], counts: RuleCounts): [string, Finding[]][] {
  const order = [...counts.keys()];
  const place = (rule: string): number => (counts.has(rule) ? order.indexOf(rule) : order.length);
  return [...Map.groupBy(rows, (row) => row.rule_id)].sort(([a], [b]) => place(a) - place(b));
}

const byRule = (rows: readonly Finding[], counts: RuleCounts): VNode => html`
  <div class="table findings" role="region" aria-label="Findings" tabindex="0">
    <table>
      <caption class="unseen">Findings by rule</caption>
      <thead><tr>${COLUMNS.map((each) => html`<th scope="col" class=${each.kind}>${each.title}</th>`)}</tr></thead>
      ${grouped(rows, counts).map(
        ([rule, list]) => html`
          <tbody>
            <tr class="rule"><th scope="rowgroup" colspan=${COLUMNS.length}>${ruleOf(rule, list, counts.get(rule))}</th></tr>
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

const ruleOf = (rule: string, rows: readonly Finding[], total = rows.length): VNode => html`
  ${badge(rows.some((row) => row.severity === 'ERROR') ? 'ERROR' : 'WARNING')} <strong>${words(rule)}</strong>${' '}
  <span class="fine">${plural(total, 'finding')}${rows.length < total && `, ${count(rows.length)} on this page`} · <code>${rule}</code></span>
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
