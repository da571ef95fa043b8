import { get, send } from '../lib/api.ts';
import { basisPoints, count, date, decimal, money, percent, roundMoney, share } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { h, html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { card, figures, id, page, tabs } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, table } from '../parts/table.ts';
import type { Pool, StructureTranche } from '../wire/contents.ts';
import { AssetLiability } from './asset-liability.ts';
import { DealRoom } from './deal-room.ts';
import { PoolDemand } from './pool-book.ts';
import { PoolCalculations } from './pool-calculations.ts';
import { PoolStructure } from './pool-structure.ts';
import { Remittances } from './remittances.ts';
import { Strats } from './strats.ts';

type Query = Readonly<Record<string, string>>;
type Props = { id: string; tab: string; query: Query };

/** A pool: its loans, its liabilities, its calculations and its reports. */
export function PoolPage({ id: poolId, tab, query }: Props): VNode {
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
        html`<p class="note busy">The issue of this pool is requested.</p>`,
      figures([
        { name: 'Balance', value: money(given.balance), note: `${count(given.loan_count)} loans` },
        { name: 'WAC', value: percent(given.wac), note: 'weighted average coupon' },
        { name: 'WAM', value: decimal(given.wam, 1), note: 'months' },
        { name: 'Cut-off', value: date(given.cut_off_date), note: `closing ${date(given.closing_date)}` },
      ]),
      ...parts(given, tab, query, pool.reload),
    ]),
  );
}

function parts(pool: Pool, tab: string, query: Query, reload: () => void): (VNode | null | false)[] {
  const at = (name: string): string => `#/pools/${pool.pool_id}/${name}`;
  const issued = pool.deal_id !== null;
  return [
    tabs(
      [
        { href: at('structure'), text: 'Structure' },
        { href: at('strats'), text: 'Stratification' },
        ...(pool.structure ? [{ href: at('asset-liability'), text: 'Asset and liability' }] : []),
        ...(issued
          ? [
              { href: at('book'), text: 'Book' },
              { href: at('remittances'), text: 'Remittances' },
              { href: at('documents'), text: 'Documents' },
            ]
          : []),
      ],
      at(tab),
    ),
    ...(tab === 'strats'
      ? [h(Strats, { of: 'pools', id: pool.pool_id, loanType: pool.loan_type, query })]
      : tab === 'asset-liability'
        ? [h(AssetLiability, { pool: pool.pool_id })]
        : tab === 'book'
          ? [h(PoolDemand, { pool: pool.pool_id })]
          : tab === 'remittances'
            ? [h(Remittances, { pool, query, after: reload, key: `period-${pool.last_remittance?.period}` })]
            : tab === 'documents' && pool.deal_id
              ? [h(DealRoom, { deal: pool.deal_id, at: at('documents'), query })]
              : liabilities(pool, reload)),
  ];
}

const liabilities = (pool: Pool, reload: () => void): (VNode | null | false)[] => [
  pool.structure && card('Tranches', table({ caption: 'Tranches', columns: tranches(pool), rows: pool.structure.tranches })),
  ['DRAFT', 'STRUCTURED'].includes(pool.status) &&
    h(PoolStructure, { pool, after: reload, key: `structure-${pool.structure_version}` }),
  pool.structure && h(PoolCalculations, { pool }),
];

function moves(pool: Pool, reload: () => void): VNode {
  const path = `/v1/api/originator/pools/${pool.pool_id}`;
  const locking = { title: 'Lock this pool?', text: 'Its loans, dates and structure are final then.', yes: 'Lock' };
  const withdrawing = {
    title: 'Withdraw the issue request?',
    text: 'The pool stays locked, and the issue can be requested again.',
    yes: 'Withdraw it',
  };
  const cancelling = {
    title: 'Cancel this pool?',
    text: 'Its loans become available for other pools.',
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
        text: 'Request the issue',
        tone: 'primary',
        act: () => send('POST', `${path}/issue`),
        done: 'The issue is requested.',
        after: reload,
      })
    }
    ${
      status === 'LOCKED' &&
      pool.issue_requested_at &&
      act({
        text: 'Withdraw the issue request',
        question: withdrawing,
        act: () => send('POST', `${path}/withdraw-issue-request`),
        done: 'The request is withdrawn.',
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
  {
    title: 'Balance',
    kind: 'number',
    cell: ({ balance = 0, notional }) => (balance > 0 ? roundMoney(balance) : notional ? 'notional' : '–'),
  },
  {
    title: 'Of the pool',
    kind: 'number',
    cell: ({ balance = 0 }) => (balance > 0 ? share(balance / pool.balance) : '–'),
  },
  {
    title: 'Coupon',
    kind: 'number',
    cell: ({ coupon }) => couponText(coupon),
  },
];

/** A coupon in a few words; what depends on the period is named, and the structure has its terms. */
function couponText(coupon: StructureTranche['coupon']): string {
  if (!coupon) return '–';
  if (coupon.type === 'EXCESS') return 'excess interest';
  const isCapped = coupon.cap !== undefined && typeof coupon.cap !== 'number' ? ', capped by the loans or a schedule' : '';
  if (coupon.type === 'FIXED') return `${typeof coupon.rate === 'number' ? percent(coupon.rate) : 'by schedule'}${isCapped}`;
  const times = coupon.multiplier === undefined ? '' : `${coupon.multiplier} × `;
  const margin = typeof coupon.margin_bp === 'number' ? basisPoints(coupon.margin_bp) : 'a margin by schedule';
  return `${times}${coupon.index} + ${margin}${isCapped}`;
}
