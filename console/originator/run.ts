import { get, list, send, withQuery } from '../lib/api.ts';
import { count, money, plain, roundMoney, share, words } from '../lib/format.ts';
import { download } from '../lib/files.ts';
import { soon, useLoad } from '../lib/load.ts';
import type { CriteriaSet, Outcome, Run } from '../wire/criteria.ts';
import { h, html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { filter } from '../parts/form.ts';
import { card, figures, id, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import { poolTests } from './run-pool-tests.ts';
import { runWaterfall } from './run-waterfall.ts';

type Query = Readonly<Record<string, string>>;
const live = (run: Run): boolean => ['PENDING', 'RUNNING'].includes(run.status);

/** A run of criteria over a tape: from all loans to those that may enter a deal, and why the others may not. */
export function RunPage({ id: runId, query }: { id: string; query: Query }): VNode {
  const run = useLoad(
    async () => {
      const given = await get<Run>(`/v1/api/originator/sc/jobs/${runId}`);
      const set = await get<CriteriaSet>(`/v1/api/originator/sc/criteria/${given.criteria_id}`, {
        version: given.criteria_version,
      });
      return { given, set };
    },
    [runId],
    ({ given }, looks) => (live(given) ? soon(looks) : null),
  );
  const { data } = run;
  return page(
    {
      title: data?.set.name ?? 'Criteria run',
      back: data ? { href: `#/deals/${data.given.deal_id}/criteria`, text: 'The deal' } : { href: '#/deals', text: 'Loan deals' },
      lead: data && html`Version ${data.set.version} over tape ${data.given.tape_version} · ${id(runId)}`,
      aside: data && badge(data.given.status),
    },
    shown(run, ({ given, set }) => (given.status === 'COMPLETED' ? results(given, set, query) : unfinished(given, run.reload))),
  );
}

const unfinished = (run: Run, reload: () => void): VNode =>
  live(run)
    ? html`<p class="note busy" role="status"><span class="spinner" aria-hidden="true"></span> The criteria run. This page follows them.</p>
        ${act({ text: 'Cancel the run', act: () => send('DELETE', `/v1/api/originator/sc/jobs/${run.sc_job_id}`), after: reload })}`
    : html`<p class="note bad">The run is ${words(run.status).toLowerCase()}${run.error && `: ${run.error}`}.</p>`;

const results = (run: Run, set: CriteriaSet, query: Query): VNode[] => [
  figures([
    { name: 'Eligible loans', value: count(run.passed), note: `of ${count(run.total)}`, tone: 'good' },
    {
      name: 'Eligible balance',
      value: money(run.passed_balance),
      note: share(run.passed_balance / Math.max(1, run.passed_balance + run.failed_balance)),
    },
    {
      name: 'Failed loans',
      value: count(run.failed),
      note: roundMoney(run.failed_balance),
      tone: run.failed > 0 ? 'bad' : 'good',
    },
    run.waived > 0 && { name: 'Passed by waiver', value: count(run.waived) },
  ]),
  card('From all loans to the eligible ones', runWaterfall(run, set)),
  ...(run.pool_tests.length > 0 ? [card('Pool tests', poolTests(run, set))] : []),
  ...(run.failed > 0 ? [h(FailedLoans, { run, set, query })] : []),
];

function FailedLoans({ run, set, query }: { run: Run; set: CriteriaSet; query: Query }): VNode {
  const { rule = '', page: at = '1' } = query;
  const path = `/v1/api/originator/sc/jobs/${run.sc_job_id}/loans`;
  const loans = useLoad(() => list<Outcome>(path, { outcome: 'FAILED', rule, page: at, limit: 25 }), [run.sc_job_id, rule, at]);
  const file = (format: string) => (): Promise<void> =>
    download(withQuery(`/v1/api/originator/sc/exceptions/${run.exception_file_id}/download`, { format }));
  return card(
    'Loans that fail',
    html`
      <div class="filters">${filter(
        'rule',
        'Rule',
        set.loan_rules.map((each) => each.id),
        rule,
      )}</div>
      ${shown(loans, (data) => [table({ caption: 'Loans that fail', columns: COLUMNS, rows: data.rows, empty: 'No loan fails this rule.' }), pager(data)])}
    `,
    run.exception_file_id &&
      html`<span class="fine">Exception file:</span> ${['csv', 'xlsx', 'json'].map((format) => act({ text: format.toUpperCase(), act: file(format) }))}`,
  );
}

const COLUMNS: readonly Column<Outcome>[] = [
  { title: 'Loan', cell: (loan) => html`<code>${loan.loan_id}</code><small>row ${count(loan.row_number)}</small>` },
  { title: 'Balance', kind: 'number', cell: (loan) => money(loan.balance) },
  {
    title: 'Why',
    kind: 'wide',
    cell: (loan) =>
      html`<ul class="plain">
        ${loan.failures.map(
          (each) => html`<li>
            ${each.name || each.rule_id}:
            ${each.reason === 'MISSING' ? html`<span class="fault">the value is missing</span>` : html`<span class="fault">${plain(each.actual)}</span> <span class="fine">against ${plain(each.expected)}</span>`}
          </li>`,
        )}
      </ul>`,
  },
];
