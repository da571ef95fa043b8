import { get, getOnce } from '../lib/api.ts';
import { count, decimal, plain, roundMoney, share, words } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { refine } from '../lib/router.ts';
import { h, html, useState, type VNode } from '../lib/view.ts';
import { bars } from '../parts/bars.ts';
import { field, form } from '../parts/form.ts';
import { card, figures } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import type { CanonicalField, Strats as Stratification } from '../wire/api.ts';

type Props = { of: 'deals' | 'pools'; id: string; loanType: string; query: Readonly<Record<string, string>> };

/** Loans by one field, numbers in bands: how many, how much, what share. */
export function Strats({ of, id, loanType, query }: Props): VNode {
  const { by = loanType === 'Business' ? 'state' : 'interest_rate', bands = '' } = query;
  const fields = useLoad(() => getOnce<CanonicalField[]>('/v1/api/originator/loans/dictionary', { type: loanType }), [loanType]);
  const strats = useLoad(
    () => get<Stratification>(`/v1/api/originator/analytics/${of}/${id}/strats`, { by, bands }),
    [id, by, bands],
  );
  return html`
    <div class="filters">
      <label class="filter">
        <span>By</span>
        <select value=${by} onChange=${(event: Event) => refine({ by: (event.target as HTMLSelectElement).value, bands: undefined })}>
          ${(fields.data ?? []).map((each) => html`<option value=${each.field} selected=${each.field === by}>${words(each.field)}</option>`)}
        </select>
      </label>
      ${h(Bands, { bands: bands || (strats.data?.bands ?? []).join(', '), key: `${by}-${bands}-${strats.busy}` })}
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

/** The edges of the bands; an empty field restores the default ones. */
function Bands({ bands }: { bands: string }): VNode {
  const [text, setText] = useState(bands);
  return form(
    () => refine({ bands: text.replaceAll(' ', '') }),
    html`<div class="row">
      ${field({ name: 'bands', label: 'Bands: ascending edges, or month, quarter, year', value: text, set: setText })}
      <button type="submit">Apply</button>
    </div>`,
  );
}

const averageName = (name: string): string =>
  /^(wac|wam)$/.test(name)
    ? name.toUpperCase()
    : words(name.replace(/^wa_/, 'average ')).replace(/\b(ltv|pti|dti)\b/i, (word) => word.toUpperCase());
