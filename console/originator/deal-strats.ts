import { get, getOnce } from '../lib/api.ts';
import { count, decimal, plain, roundMoney, share, words } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { refine } from '../lib/router.ts';
import { html, type VNode } from '../lib/view.ts';
import { bars } from '../parts/bars.ts';
import { card, figures } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import type { Deal, Field } from '../wire/deal.ts';

type Group = { key: string; share: number; loan_count: number; balance: number };
type Strats = {
  by: string;
  total: { loan_count: number; balance: number; average_balance: number | null; averages: Record<string, number | null> };
  groups: Group[];
};

/** The loans of a deal by one field: how many, how much, what share. */
export function DealStrats({ deal, query }: { deal: Deal; query: Readonly<Record<string, string>> }): VNode {
  const { by = deal.loan_type === 'Business' ? 'state' : 'interest_rate' } = query;
  const fields = useLoad(
    () => getOnce<Field[]>('/v1/api/originator/loans/dictionary', { type: deal.loan_type }),
    [deal.loan_type],
  );
  const strats = useLoad(() => get<Strats>(`/v1/api/originator/analytics/deals/${deal.id}/strats`, { by }), [deal.id, by]);
  return html`
    <div class="filters">
      <label class="filter">
        <span>By</span>
        <select value=${by} onChange=${(event: Event) => refine({ by: (event.target as HTMLSelectElement).value })}>
          ${(fields.data ?? []).map((each) => html`<option value=${each.field} selected=${each.field === by}>${words(each.field)}</option>`)}
        </select>
      </label>
    </div>
    ${shown(strats, ({ total, groups }) => [
      figures([
        { name: 'Average balance', value: roundMoney(total.average_balance) },
        ...Object.entries(total.averages).map(([name, value]) => ({ name: averageName(name), value: decimal(value) })),
      ]),
      card(
        `By ${words(by).toLowerCase()}`,
        bars(
          groups.map((each) => ({
            name: plain(each.key),
            value: share(each.share),
            note: `${roundMoney(each.balance)} · ${count(each.loan_count)}`,
            part: each.share / Math.max(...groups.map((group) => group.share)),
          })),
        ),
      ),
    ])}
  `;
}

const averageName = (name: string): string =>
  /^(wac|wam)$/.test(name)
    ? name.toUpperCase()
    : words(name.replace(/^wa_/, 'average ')).replace(/\b(ltv|pti|dti)\b/i, (word) => word.toUpperCase());
