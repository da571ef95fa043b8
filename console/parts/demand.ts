import { count, percent, plural, roundMoney, share } from '../lib/format.ts';
import { type Content, html, type VNode } from '../lib/view.ts';
import type { TrancheDemand } from '../wire/api.ts';
import { badge } from './badge.ts';
import { card, figures } from './page.ts';
import { table } from './table.ts';

type Sum = { count: number; amount: number };

/** Demand of one kind: its amount, and how many made it. */
export const demandOf = ({ count: many, amount }: Sum, one: string): VNode =>
  html`${roundMoney(amount)}<small>${plural(many, one)}</small>`;

/** The demand for one tranche: its sums and its open orders by limit; `more` is shown behind them. */
export const trancheDemand = (tranche: TrancheDemand, more: Content = null): VNode =>
  card(
    `Class ${tranche.tranche}`,
    html`
      ${figures([
        { name: 'Balance', value: roundMoney(tranche.balance) },
        { name: 'Coverage', value: share(tranche.coverage, 0), note: 'committed or bid for, of the balance' },
        {
          name: 'Indications',
          value: roundMoney(tranche.indications.amount),
          note: plural(tranche.indications.count, 'investor'),
        },
        {
          name: 'Subscriptions',
          value: roundMoney(tranche.subscriptions.amount),
          note: plural(tranche.subscriptions.count, 'subscription'),
        },
        { name: 'Orders', value: roundMoney(tranche.orders.amount), note: plural(tranche.orders.count, 'order') },
      ])}
      <h3>Open orders by limit</h3>
      ${table({
        caption: `Open orders of class ${tranche.tranche} by limit`,
        rows: tranche.orders_by_limit,
        empty: 'There are no open orders.',
        columns: [
          { title: 'Limit', cell: (row) => (row.limit_yield === null ? 'at market' : percent(row.limit_yield, 3)) },
          { title: 'Orders', kind: 'number', cell: (row) => count(row.count) },
          { title: 'Amount', kind: 'number', cell: (row) => roundMoney(row.amount) },
        ],
      })}
      ${more}
    `,
    tranche.class === 'RESIDUAL' && badge('residual'),
  );
