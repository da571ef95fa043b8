import { list, send } from '../lib/api.ts';
import { count, roundMoney } from '../lib/format.ts';
import { useAction, useLoad } from '../lib/load.ts';
import { go } from '../lib/router.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { field, form, optionsOf } from '../parts/form.ts';
import { card, page } from '../parts/page.ts';
import { problem, shown } from '../parts/problem.ts';
import type { DealSummary, PoolSummary } from '../wire/api.ts';
import { LOAN_TYPES } from '../wire/choices.ts';

/** A pool from the loans of approved deals of one loan type. */
export function FormPool(): VNode {
  const [given, setGiven] = useState({ name: '', type: 'Auto', cut_off_date: '', closing_date: '', offering: '144A' });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const set = (name: keyof typeof given) => (value: string) => setGiven({ ...given, [name]: value });
  const deals = useLoad(
    () => list<DealSummary>('/v1/api/originator/loans', { status: 'APPROVED', type: given.type, limit: 100 }),
    [given.type],
  );
  const forming = useAction(async () => {
    const { type: _, ...rest } = given;
    const pool = await send<PoolSummary>('POST', '/v1/api/originator/pools', { ...rest, deal_ids: [...chosen] });
    go(`/pools/${pool.pool_id}`);
  });
  const toggle = (id: string): void =>
    setChosen(new Set(chosen.has(id) ? [...chosen].filter((each) => each !== id) : [...chosen, id]));
  const input = (name: 'name' | 'cut_off_date' | 'closing_date', label: string, type = 'text'): VNode =>
    field({ name, label, type, value: given[name], set: set(name), required: true, problem: forming.problem });
  return page(
    { title: 'Form a pool', back: { href: '#/pools', text: 'Pools' }, lead: 'A loan is in one live pool at a time.' },
    card(
      '',
      form(
        () => void forming.run(),
        html`
          <div class="grid">
            ${input('name', 'Name')}
            ${field({ name: 'type', label: 'Loan type', value: given.type, set: (value) => (set('type')(value), setChosen(new Set())), options: optionsOf(LOAN_TYPES) })}
            ${input('cut_off_date', 'Cut-off date', 'date')} ${input('closing_date', 'Closing date', 'date')}
            ${field({ name: 'offering', label: 'Offering', value: given.offering, set: set('offering'), options: ['144A', '506C', 'REG_S'].map((value) => ({ value, text: value })) })}
          </div>
          ${shown(deals, ({ rows }) => (rows.length === 0 ? html`<div class="empty">No ${given.type} deal is approved.</div>` : choices(rows, chosen, toggle)))}
          ${problem(forming.problem)}
          <button type="submit" class="primary" disabled=${forming.busy || chosen.size === 0}>Form the pool</button>
        `,
      ),
    ),
  );
}

const choices = (rows: readonly DealSummary[], chosen: ReadonlySet<string>, toggle: (id: string) => void): VNode => html`
  <fieldset class="choices">
    <legend>Approved deals</legend>
    ${rows.map(
      (deal) => html`<label>
        <input type="checkbox" checked=${chosen.has(deal.id)} onChange=${() => toggle(deal.id)} />
        <span>${deal.name}<small>${count(deal.loan_count)} loans · ${roundMoney(deal.total_balance)}</small></span>
      </label>`,
    )}
  </fieldset>
`;
