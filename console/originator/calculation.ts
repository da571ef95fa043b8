import { get, withQuery } from '../lib/api.ts';
import { download } from '../lib/files.ts';
import { basisPoints, date, decimal, money, percent, plain, roundMoney, words, years } from '../lib/format.ts';
import { pollDelay, useLoad } from '../lib/load.ts';
import { h, html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { stackedChart } from '../parts/chart.ts';
import { filter } from '../parts/form.ts';
import { card, figures, id, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, table } from '../parts/table.ts';
import type { Calculation, CashFlow, TrancheResult } from '../wire/api.ts';

type Query = Readonly<Record<string, string>>;
type Props = { pool: string; id: string; query: Query };

/** A calculation's figures per tranche, and the balances that its cash flows leave. */
export function CalculationPage({ pool, id: calculationId, query }: Props): VNode {
  const path = `/v1/api/originator/analytics/pools/${pool}/calculations/${calculationId}`;
  const calculation = useLoad(
    () => get<Calculation>(path),
    [path],
    (data, polls) => (['PENDING', 'RUNNING'].includes(data.status) ? pollDelay(polls) : null),
  );
  const { data } = calculation;
  return page(
    {
      title: data ? words(data.type) : 'Calculation',
      back: { href: `#/pools/${pool}`, text: 'The pool' },
      lead:
        data &&
        html`As of ${date(data.as_of)} · from ${data.opening ? `the report of period ${data.opening.period}` : 'the closing date'} · ${words(data.granularity).toLowerCase()} by ${words(data.granularity).toLowerCase()} · engine ${data.engine_version} · ${id(calculationId)}`,
      aside: data && badge(data.status),
    },
    shown(calculation, (given) => {
      if (given.status === 'FAILED') return html`<p class="note bad">${given.error}</p>`;
      if (given.status !== 'COMPLETED')
        return html`<p class="note busy" role="status"><span class="spinner" aria-hidden="true"></span> It is being calculated.</p>`;
      return results(given, path, query);
    }),
  );
}

function results(given: Calculation, path: string, query: Query): (VNode | null | false | undefined)[] {
  const all = given.results ?? [];
  const result = all.find((each) => each.scenario === query.scenario) ?? all[0];
  if (!result) return [html`<p class="note">The calculation has no scenario results; its figures are in the API’s response.</p>`];
  const notes = result.tranches.filter((each) => each.class !== 'RESIDUAL').map((each) => each.tranche);
  return [
    ...(given.warnings ?? []).map((warning) => html`<p class="note warn">${warning}</p>`),
    all.length > 1 &&
      html`<div class="filters">${filter(
        'scenario',
        'Scenario',
        all.map((each) => each.scenario),
        result.scenario,
      )}</div>`,
    figures([
      { name: 'Collateral life', value: years(result.collateral.wal), note: 'weighted average' },
      { name: 'Principal', value: roundMoney(result.collateral.principal) },
      { name: 'Interest', value: roundMoney(result.collateral.interest) },
      { name: 'Loss', value: roundMoney(result.collateral.loss), tone: result.collateral.loss > 0 ? 'warn' : 'good' },
    ]),
    html`<p class="fine">Assumed: ${assumptions(given)}.</p>`,
    card('Tranches', table({ caption: 'Tranches', columns: TRANCHES, rows: result.tranches })),
    h(Balances, { path, tranches: notes, scenario: result.scenario, asOf: given.as_of }),
  ];
}

const assumptions = (given: Calculation): string =>
  Object.entries(given.assumptions ?? {})
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `${words(name)} ${plain(value)}`)
    .join(', ');

const TRANCHES: readonly Column<TrancheResult>[] = [
  { title: 'Tranche', kind: 'wide', cell: (row) => html`<strong>${row.tranche}</strong>` },
  { title: 'WAL', kind: 'number', cell: (row) => years(row.wal) },
  { title: 'Price', kind: 'number', cell: (row) => decimal(row.price, 4) },
  { title: 'Yield', kind: 'number', cell: (row) => percent(row.yield, 3) },
  { title: 'Duration', kind: 'number', cell: (row) => decimal(row.modified_duration) },
  { title: 'Spread', kind: 'number', cell: (row) => basisPoints(row.spread_bp) },
  { title: 'Window', kind: 'number', cell: (row) => (row.first_period ? `${row.first_period}–${row.last_period}` : '–') },
  { title: 'Interest', kind: 'number', cell: (row) => money(row.interest) },
  {
    title: 'Written down',
    kind: 'number',
    cell: (row) => html`<span class=${row.write_down > 0 ? 'fault' : ''}>${money(row.write_down)}</span>`,
  },
];

type BalancesProps = { path: string; tranches: string[]; scenario: string; asOf: string };

function Balances({ path, tranches, scenario, asOf }: BalancesProps): VNode {
  const flows = useLoad(
    () => Promise.all(tranches.map((tranche) => get<CashFlow[]>(`${path}/cashflows`, { tranche, scenario }))),
    [path, scenario],
  );
  const file = (tranche: string) => (): Promise<void> =>
    download(withQuery(`${path}/cashflows`, { tranche, scenario, format: 'csv' }));
  return card(
    'Balances of the tranches',
    shown(flows, (lists) => chartOf(tranches, lists, asOf)),
    html`<span class="fine">Cash flows:</span> ${[...tranches, 'collateral'].map((tranche) => act({ text: tranche, act: file(tranche) }))}`,
  );
}

/** From the original balances at the closing to what each payment date leaves. */
function chartOf(tranches: readonly string[], lists: readonly CashFlow[][], closing: string): VNode {
  const longest = lists.reduce<CashFlow[]>((best, rows) => (rows.length > best.length ? rows : best), []);
  const end = longest.findLastIndex((_, index) => lists.some((rows) => (rows[index]?.opening ?? 0) > 0)) + 1;
  const rows = longest.slice(0, Math.max(end, 1));
  return stackedChart({
    title: `Balances of ${tranches.join(', ')} from ${date(rows[0]?.date)} to ${date(rows.at(-1)?.date)}`,
    dates: [closing, ...rows.map((row) => row.date)],
    series: tranches.map((name, index) => {
      const flows = lists[index] ?? [];
      return { name, values: [flows[0]?.opening ?? 0, ...rows.map((_, at) => flows[at]?.closing ?? 0)] };
    }),
  });
}
