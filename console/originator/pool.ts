import { get, send } from '../lib/api.ts';
import { basisPoints, count, date, decimal, money, percent, roundMoney, share, words } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { h, html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { card, figures, id, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, table } from '../parts/table.ts';
import type { Pool, Remittance, StructureTranche } from '../wire/pool.ts';
import { PoolCalculations } from './pool-calculations.ts';
import { PoolStructure } from './pool-structure.ts';

/** A pool: its loans, its liabilities, what was calculated and what was last reported. */
export function PoolPage({ id: poolId }: { id: string }): VNode {
  const pool = useLoad(() => get<Pool>(`/v1/api/originator/pools/${poolId}`), [poolId]);
  const { data } = pool;
  return page(
    {
      title: data?.name ?? 'Pool',
      back: { href: '#/pools', text: 'Pools' },
      lead: data && html`${data.loan_type} · ${data.offering} · ${id(poolId)}`,
      aside: data && html`${badge(data.status)} ${moves(data, pool.reload)}`,
    },
    shown(pool, (given) => [
      ...given.warnings.map((warning) => html`<p class="note warn">${warning}</p>`),
      given.status === 'LOCKED' &&
        given.issue_requested_at &&
        html`<p class="note busy">The operator has been asked to issue this pool.</p>`,
      figures([
        { name: 'Balance', value: money(given.balance), note: `${count(given.loan_count)} loans` },
        { name: 'WAC', value: percent(given.wac), note: 'weighted average coupon' },
        { name: 'WAM', value: decimal(given.wam, 1), note: 'months' },
        { name: 'Cut-off', value: date(given.cut_off_date), note: `closing ${date(given.closing_date)}` },
      ]),
      given.structure &&
        card('Tranches', table({ caption: 'Tranches', columns: tranches(given), rows: given.structure.tranches })),
      ['DRAFT', 'STRUCTURED'].includes(given.status) &&
        h(PoolStructure, { pool: given, after: pool.reload, key: `structure-${given.structure_version}` }),
      given.last_remittance && remittance(given.last_remittance),
      given.structure && h(PoolCalculations, { pool: given }),
    ]),
  );
}

function moves(pool: Pool, reload: () => void): VNode {
  const path = `/v1/api/originator/pools/${pool.pool_id}`;
  const locking = { title: 'Lock this pool?', text: 'Its loans, dates and structure are final then.', yes: 'Lock' };
  const cancelling = {
    title: 'Cancel this pool?',
    text: 'Its loans are free for other pools.',
    yes: 'Cancel the pool',
    tone: 'danger' as const,
  };
  const { status } = pool;
  return html`
    ${
      status === 'STRUCTURED' &&
      act({
        text: 'Lock',
        tone: 'primary',
        question: locking,
        act: () => send('POST', `${path}/lock`),
        done: 'The pool is locked.',
        after: reload,
      })
    }
    ${
      status === 'LOCKED' &&
      !pool.issue_requested_at &&
      act({
        text: 'Ask for the issue',
        tone: 'primary',
        act: () => send('POST', `${path}/issue`),
        done: 'The operator is asked.',
        after: reload,
      })
    }
    ${
      ['DRAFT', 'STRUCTURED'].includes(status) &&
      act({
        text: 'Cancel',
        question: cancelling,
        act: () => send('DELETE', path),
        done: 'The pool is cancelled.',
        after: reload,
      })
    }
  `;
}

const tranches = (pool: Pool): readonly Column<StructureTranche>[] => [
  {
    title: 'Tranche',
    kind: 'wide',
    cell: (tranche) => html`<strong>${tranche.tranche}</strong>${tranche.class === 'RESIDUAL' && html`<small>residual</small>`}`,
  },
  { title: 'Rating', cell: (tranche) => tranche.rating ?? '–' },
  { title: 'Balance', kind: 'number', cell: (tranche) => (tranche.balance > 0 ? roundMoney(tranche.balance) : '–') },
  {
    title: 'Of the pool',
    kind: 'number',
    cell: (tranche) => (tranche.balance > 0 ? share(tranche.balance / pool.balance) : '–'),
  },
  {
    title: 'Coupon',
    kind: 'number',
    cell: ({ coupon }) =>
      coupon?.type === 'FLOATING' ? `${coupon.index} + ${basisPoints(coupon.margin_bp)}` : percent(coupon?.rate),
  },
];

const remittance = (given: Remittance): VNode =>
  card(
    `Last report: period ${given.period}, ${date(given.payment_date)}`,
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
