import { get, send } from '../lib/api.ts';
import { count, money, roundMoney, share, words } from '../lib/format.ts';
import { pollDelay, useLoad } from '../lib/load.ts';
import { h, html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { card, figures, id, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import type { CriteriaRun } from '../wire/api.ts';
import type { CriteriaSet } from '../wire/contents.ts';
import { FailedLoans } from './failed-loans.ts';
import { RunCure } from './run-cure.ts';
import { poolTests } from './run-pool-tests.ts';
import { runWaterfall } from './run-waterfall.ts';

type Query = Readonly<Record<string, string>>;
const live = (run: CriteriaRun): boolean => ['PENDING', 'RUNNING'].includes(run.status);

/** A run of criteria over a tape: from all loans to those that may enter a deal, and why the others may not. */
export function RunPage({ id: runId, query }: { id: string; query: Query }): VNode {
  const run = useLoad(
    async () => {
      const given = await get<CriteriaRun>(`/v1/api/originator/sc/jobs/${runId}`);
      const set = await get<CriteriaSet>(`/v1/api/originator/sc/criteria/${given.criteria_id}`, {
        version: given.criteria_version,
      });
      return { given, set };
    },
    [runId],
    ({ given }, polls) => (live(given) ? pollDelay(polls) : null),
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

const unfinished = (run: CriteriaRun, reload: () => void): VNode =>
  live(run)
    ? html`<p class="note busy" role="status"><span class="spinner" aria-hidden="true"></span> The criteria run. This page follows them.</p>
        ${act({ text: 'Cancel the run', act: () => send('DELETE', `/v1/api/originator/sc/jobs/${run.sc_job_id}`), after: reload })}`
    : html`<p class="note bad">The run is ${words(run.status).toLowerCase()}${run.error && `: ${run.error}`}.</p>`;

const results = (run: CriteriaRun, set: CriteriaSet, query: Query): VNode[] => [
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
  ...(run.pool_tests.length > 0
    ? [card('Pool tests', [poolTests(run, set), run.pool_tests.some((test) => test.passed === false) && h(RunCure, { run })])]
    : []),
  ...(run.failed > 0 ? [h(FailedLoans, { run, set, query })] : []),
];
