import { list } from '../lib/api.ts';
import { date, decimal, money, percent, words } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { h, html, type VNode } from '../lib/view.ts';
import { differing } from '../parts/differences.ts';
import { card, figures } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { Remittance } from '../wire/api.ts';
import type { Pool } from '../wire/contents.ts';
import { Drift } from './drift.ts';
import { ReportRemittance } from './report-remittance.ts';

type Props = { pool: Pool; query: Readonly<Record<string, string>>; after: () => void };

/** The servicer's reports, period by period, and the form for the next one. */
export function Remittances({ pool, query, after }: Props): VNode {
  const { page = '1' } = query;
  const reports = useLoad(
    () => list<Remittance>(`/v1/api/originator/pools/${pool.pool_id}/remittances`, { page, limit: 20 }),
    [pool.pool_id, page],
  );
  return html`
    ${pool.last_remittance && latest(pool.last_remittance)}
    ${pool.last_remittance && h(Drift, { pool: pool.pool_id })}
    ${h(ReportRemittance, { pool, after })}
    ${shown(reports, (data) => [
      table({ caption: 'Remittances', columns: REPORTS, rows: data.rows, empty: 'Nothing has been reported yet.' }),
      ...data.rows.filter(isOpen).map(differences),
      pager(data),
    ])}
  `;
}

const REPORTS: readonly Column<Remittance>[] = [
  { title: 'Period', kind: 'wide', cell: (row) => html`<strong>${row.period}</strong><small>${date(row.payment_date)}</small>` },
  { title: 'Status', cell: (row) => words(row.status) },
  { title: 'Recomputed', cell: (row) => VERIFIED[row.verification.status] },
  { title: 'Pool balance', kind: 'number', cell: (row) => money(row.pool.pool_balance) },
  { title: 'CPR', kind: 'number', cell: (row) => percent(row.pool.cpr) },
  { title: 'CDR', kind: 'number', cell: (row) => percent(row.pool.cdr) },
  { title: 'Cumulative net loss', kind: 'number', cell: (row) => percent(row.pool.cumulative_net_loss) },
  {
    title: 'Triggers on',
    cell: (row) =>
      row.triggers
        .filter((each) => each.on)
        .map((each) => each.trigger)
        .join(', ') || '–',
  },
];

const VERIFIED: Readonly<Record<Remittance['verification']['status'], string>> = {
  AGREES: 'agrees',
  DIFFERS: 'differs',
  PARTIAL: '–',
};

/** It differs, and waits to be accepted or sent again. */
const isOpen = ({ status, verification, accepted_at }: Remittance): boolean =>
  status !== 'APPLIED' && verification.status === 'DIFFERS' && accepted_at === null;

const differences = (given: Remittance): VNode =>
  card(
    `Period ${given.period} differs from the structure`,
    html`
      <p>Send the right figures, or have the operator accept these: until then the report is held on its payment date.</p>
      ${differing(given)}
    `,
  );

const latest = (given: Remittance): VNode =>
  card(
    `Last applied report: period ${given.period}, ${date(given.payment_date)}`,
    html`
      ${figures([
        { name: 'Pool balance', value: money(given.pool.pool_balance) },
        { name: 'CPR', value: percent(given.pool.cpr) },
        { name: 'CDR', value: percent(given.pool.cdr) },
        { name: 'Cumulative net loss', value: percent(given.pool.cumulative_net_loss) },
        ...given.triggers.map((trigger) => ({
          name: `Trigger ${trigger.trigger}`,
          value: trigger.on ? 'On' : 'Off',
          note: trigger.tests
            .map((test) => `${words(test.metric)} ${decimal(test.actual)} against ${decimal(test.threshold)}`)
            .join('; '),
          tone: trigger.on ? 'bad' : 'good',
        })),
      ])}
      ${table({
        caption: 'Tranches after the payment',
        rows: given.tranches,
        columns: [
          { title: 'Tranche', cell: (row) => html`<strong>${row.tranche}</strong>` },
          { title: 'Balance', kind: 'number', cell: (row) => money(row.balance) },
          { title: 'Factor', kind: 'number', cell: (row) => decimal(row.factor, 8) },
          { title: 'Credit enhancement', kind: 'number', cell: (row) => percent(row.credit_enhancement) },
          { title: 'OC', kind: 'number', cell: (row) => percent(row.oc) },
        ],
      })}
    `,
  );
