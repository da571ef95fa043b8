import { get, list } from '../lib/api.ts';
import { date, plain, words } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { card, id, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, table } from '../parts/table.ts';
import type { DealSummary, LoanRule, PoolTest } from '../wire/api.ts';
import type { CriteriaSet } from '../wire/contents.ts';

/** A criteria set in words, and the deals that it can be run over. */
export function CriteriaPage({ id: criteriaId }: { id: string }): VNode {
  const loaded = useLoad(async () => {
    const set = await get<CriteriaSet>(`/v1/api/originator/sc/criteria/${criteriaId}`);
    const deals = await list<DealSummary>('/v1/api/originator/loans', { type: set.loan_type, limit: 20 });
    return { set, deals: deals.rows.filter((deal) => ['QC_COMPLETED', 'APPROVED'].includes(deal.status)) };
  }, [criteriaId]);
  return page(
    {
      title: loaded.data?.set.name ?? 'Criteria set',
      back: { href: '#/criteria', text: 'Criteria' },
      lead:
        loaded.data &&
        html`${loaded.data.set.loan_type} · version ${loaded.data.set.version} · ${date(loaded.data.set.created_at)} · ${id(criteriaId)}`,
    },
    shown(loaded, ({ set, deals }) => [
      card(
        'Loan rules',
        table({
          caption: 'Loan rules',
          columns: RULES,
          rows: set.loan_rules,
          empty: 'Every loan passes: there are no loan rules.',
        }),
      ),
      card(
        'Pool tests',
        table({ caption: 'Pool tests', columns: TESTS, rows: set.pool_tests, empty: 'The eligible pool has no limits.' }),
      ),
      card(
        'Run over a deal',
        table({ caption: 'Deals', columns: DEALS, rows: deals, empty: `No ${set.loan_type} deal has passed its checks.` }),
      ),
    ]),
  );
}

const RULES: readonly Column<LoanRule>[] = [
  { title: 'Rule', cell: (rule) => html`<code>${rule.id}</code>` },
  { title: 'Requirement', kind: 'wide', cell: (rule) => rule.description ?? html`<code>${plain(rule.rule)}</code>` },
  { title: 'A loan that does not', cell: (rule) => (rule.severity === 'warn' ? badge('WARNING') : badge('fails', 'quiet')) },
];
const TESTS: readonly Column<PoolTest>[] = [
  { title: 'Test', cell: (test) => html`<code>${test.id}</code>` },
  {
    title: 'Requirement',
    kind: 'wide',
    cell: (test) =>
      test.description ??
      html`${words(test.type)} ${test.field ?? test.group_by?.join(', ') ?? ''} ${test.op} ${plain(test.value)}`,
  },
  { title: 'Kind', cell: (test) => words(test.type) },
];
const DEALS: readonly Column<DealSummary>[] = [
  { title: 'Deal', kind: 'wide', cell: (deal) => html`<a href="#/deals/${deal.id}/criteria">${deal.name}</a>` },
  { title: 'Status', cell: (deal) => badge(deal.status) },
];
