import { count, decimal, plain, roundMoney, share } from '../lib/format.ts';
import { html, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { bar } from '../parts/bars.ts';
import { type Column, table } from '../parts/table.ts';
import type { CriteriaRun, PoolTest, PoolTestResult } from '../wire/api.ts';
import type { CriteriaSet } from '../wire/contents.ts';

/** The limits on the eligible pool: the measured figure, and the headroom to the limit. */
export const poolTests = (run: CriteriaRun, set: CriteriaSet): VNode =>
  table({
    caption: 'Pool tests',
    columns: columnsOf(new Map(set.pool_tests.map((test) => [test.id, test]))),
    rows: run.pool_tests,
  });

const columnsOf = (tests: ReadonlyMap<string, PoolTest>): readonly Column<PoolTestResult>[] => {
  const of = (result: PoolTestResult): PoolTest | undefined => tests.get(result.rule_id);
  return [
    {
      title: 'Test',
      kind: 'wide',
      cell: (result) =>
        html`<strong>${of(result)?.description ?? result.rule_id}</strong><small><code>${result.rule_id}</code>${result.group && ` · ${result.group}`}</small>`,
    },
    { title: 'Result', cell: (result) => badge(result.passed === null ? 'not applicable' : result.passed ? 'passed' : 'failed') },
    { title: 'Actual', kind: 'number', cell: (result) => figure(result.actual, of(result)) },
    {
      title: 'Limit',
      kind: 'number',
      cell: (result) => html`<span class="fine">${SIGNS[of(result)?.op ?? ''] ?? ''}</span> ${limitOf(result, of(result))}`,
    },
    { title: 'Use of the limit', cell: (result) => gauge(result) },
    {
      title: 'Headroom',
      kind: 'number',
      cell: (result) =>
        html`${figure(result.headroom, of(result))}${(result.excess_balance ?? 0) > 0 && html`<small class="fault">${roundMoney(result.excess_balance)} too much</small>`}`,
    },
  ];
};

const SIGNS: Record<string, string> = { lte: 'at most', lt: 'below', gte: 'at least', gt: 'above', between: 'between' };

/** Shares are fractions on the wire; other tests have the unit of their field. */
function figure(value: number | null, test: PoolTest | undefined): string {
  if (value === null) return '–';
  if (['share', 'concentration'].includes(test?.type ?? '')) return share(value, 2);
  return ['count'].includes(test?.type ?? '') ? count(value) : decimal(value, Math.abs(value) >= 1_000 ? 0 : 2);
}

const limitOf = (result: PoolTestResult, test: PoolTest | undefined): string =>
  Array.isArray(result.limit)
    ? result.limit.map((each) => figure(each, test)).join(' and ')
    : typeof result.limit === 'number'
      ? figure(result.limit, test)
      : plain(result.limit);

function gauge(result: PoolTestResult): VNode | string {
  if (typeof result.limit !== 'number' || result.actual === null || result.limit === 0) return '';
  return bar(result.actual / result.limit, 0, result.passed === false ? 'bad' : '');
}
