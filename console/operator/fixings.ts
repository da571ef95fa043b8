import { list, send } from '../lib/api.ts';
import { date, plain, plural, time } from '../lib/format.ts';
import { useAction, useLoad } from '../lib/load.ts';
import { refine } from '../lib/router.ts';
import { h, html, useState, type VNode } from '../lib/view.ts';
import { confirmFirst, type Question } from '../parts/dialog.ts';
import { field, form } from '../parts/form.ts';
import { notify } from '../parts/notice.ts';
import { card, page } from '../parts/page.ts';
import { problem, shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { Fixing } from '../wire/api.ts';

/** The fixings of the indices that floating tranches follow: the list, and a form that records or corrects one. */
export function Fixings({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const { index = '', from = '', to = '', page: at = '1' } = query;
  const found = useLoad(
    () => list<Fixing>('/v1/operator/fixings', { index, from, to, page: at, limit: 25 }),
    [index, from, to, at],
  );
  return page(
    {
      title: 'Fixings',
      lead: 'A floating coupon is the fixing of its accrual period, times its multiplier, plus its margin, within its cap and floor.',
    },
    h(SetFixing, { after: found.reload }),
    html`<div class="filters">
      ${bound('Index', index, 'text')} ${bound('From', from, 'date')} ${bound('To', to, 'date')}
    </div>`,
    shown(found, (data) => [
      table({
        caption: 'Fixings',
        columns: COLUMNS,
        rows: data.rows,
        empty: 'No fixing matches. Floaters have no coupon before the first one.',
      }),
      pager(data),
    ]),
  );
}

/** A bound of the list, by the name of its parameter. */
const bound = (label: string, value: string, type: 'text' | 'date'): VNode => {
  const name = label.toLowerCase();
  return html`
    <label class="filter">
      <span>${label}</span>
      <input name="filter-${name}" type=${type} value=${value} onChange=${(event: Event) => refine({ [name]: (event.target as HTMLInputElement).value })} />
    </label>
  `;
};

const correcting = (before: Fixing): Question => ({
  title: 'Correct this fixing?',
  text: `${before.index} on ${date(before.date)} is ${rateOf(before)}. A correction moves the coupons that follow it; what has settled stays.`,
  yes: 'Correct it',
});

function SetFixing({ after }: { after: () => void }): VNode {
  const [given, setGiven] = useState({ index: '', date: '', rate: '' });
  const saving = useAction(async () => {
    const known = await list<Fixing>('/v1/operator/fixings', { index: given.index, from: given.date, to: given.date, limit: 1 });
    const [before] = known.rows;
    if (before && !(await confirmFirst(correcting(before)))) return;
    const fixing = await send<Fixing>('PUT', '/v1/operator/fixings', { ...given, rate: Number(given.rate) });
    notify(`${fixing.index} is recorded: ${plural(fixing.tranche_count, 'floating tranche')} follow it.`);
    setGiven({ ...given, rate: '' });
    after();
  });
  const input = (name: keyof typeof given, label: string, more: { type?: string; hint?: string; attributes?: object }): VNode =>
    field({
      name,
      label,
      value: given[name],
      set: (value) => {
        setGiven({ ...given, [name]: value });
        saving.clear();
      },
      required: true,
      problem: saving.problem,
      ...more,
      attributes: { ...more.attributes },
    });
  return card(
    'Record a fixing',
    form(
      () => void saving.run(),
      html`<div class="grid">
        ${input('index', 'Index', { hint: 'As structures write it, such as SOFR_1M.' })}
        ${input('date', 'Date', { type: 'date' })}
        ${input('rate', 'Rate', { type: 'number', hint: 'Percent a year, at most 6 decimals.', attributes: { step: 'any', inputmode: 'decimal' } })}
      </div>`,
      problem(saving.problem),
      html`<button type="submit" class="primary" disabled=${saving.busy}>Record it</button>`,
    ),
  );
}

const rateOf = ({ rate }: Fixing): string => `${plain(rate)} %`;

const COLUMNS: readonly Column<Fixing>[] = [
  { title: 'Index', kind: 'wide', cell: (row) => html`<strong>${row.index}</strong>` },
  { title: 'Date', cell: (row) => date(row.date) },
  { title: 'Rate', kind: 'number', cell: (row) => rateOf(row) },
  { title: 'Floating tranches', kind: 'number', cell: (row) => row.tranche_count },
  { title: 'Recorded', cell: (row) => time(row.updated_at) },
];
