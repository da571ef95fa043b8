import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import type { Column } from '../../ui/column.ts';
import { choice, type Filter, text } from '../../ui/filters.tsx';
import { money, share } from '../../ui/format.tsx';
import { termPrice, termRate } from '../../ui/format-market.ts';
import { RecordList } from '../../ui/list.tsx';
import { Status } from '../../ui/status.tsx';
import { Checks } from './checks.tsx';
import { OrganizationName, TrancheOf } from './names.tsx';
import { TradeActs } from './trade-acts.tsx';
import { dayColumn, moneyColumn, whenColumn, wordsColumn } from '../../ui/columns.tsx';

/** Of which deal; of all deals where it is empty. */
type Of = { of: { deal_id?: string } };
type OfTranche = { deal_id: string; tranche_id: string; organization_id: string };

const INVESTOR = text('organization_id', 'Investor', 'org_…');

const investor = <Row extends { organization_id: string }>(): Column<Row> => ({
  id: 'organization_id',
  title: 'Investor',
  value: ({ organization_id }) => organization_id,
  cell: ({ organization_id }) => <OrganizationName id={organization_id} />,
});
const tranche = <Row extends OfTranche>(): Column<Row> => ({
  id: 'tranche_id',
  title: 'Tranche',
  value: ({ tranche_id }) => tranche_id,
  cell: ({ deal_id, tranche_id }) => <TrancheOf deal_id={deal_id} tranche_id={tranche_id} />,
});
const status = <Row extends { status: string }>(): Column<Row> => ({
  id: 'status',
  title: 'Status',
  value: (row) => row.status,
  cell: (row) => <Status of={row.status} />,
});
const reason = <Row extends { reason: string | null }>(): Column<Row> => ({
  id: 'reason',
  title: 'Reason',
  value: (row) => row.reason,
});
const placed = <Row extends { created_at: string }>(): Column<Row> => whenColumn('created_at', 'Placed');
const statuses = (...values: string[]): Filter => choice('status', 'Status', values);

/** Indications of interest, which bind nobody. */
export const Iois = ({ of }: Of): ReactNode => (
  <RecordList
    name={['offerings', 'iois']}
    label="Indications of interest"
    read={(query: QueryOf<'/v1/operator/iois'>) => sent(api.GET('/v1/operator/iois', { params: { query } }))}
    fixed={of}
    filters={[statuses('submitted', 'withdrawn', 'converted', 'expired'), INVESTOR]}
    columns={IOIS}
    rowKey={({ ioi_id }) => ioi_id}
    empty="No investor has indicated interest."
  />
);

const IOIS: readonly Column<Records['OperatorIoi']>[] = [
  investor(),
  moneyColumn('interest_amount', 'Interest (US$)'),
  status(),
  placed(),
];

/** Subscriptions, which the platform confirms or rejects. */
export const Subscriptions = ({ of }: Of): ReactNode => (
  <RecordList
    name={['offerings', 'subscriptions']}
    label="Subscriptions"
    read={(query: QueryOf<'/v1/operator/subscriptions'>) => sent(api.GET('/v1/operator/subscriptions', { params: { query } }))}
    fixed={of}
    filters={[
      statuses('pending_confirmation', 'confirmed', 'allocated', 'funded', 'settled', 'rejected', 'cancelled', 'expired'),
      INVESTOR,
    ]}
    columns={SUBSCRIPTIONS}
    rowKey={({ subscription_id }) => subscription_id}
    empty="No subscription yet."
  />
);

const SUBSCRIPTIONS: readonly Column<Records['OperatorSubscription']>[] = [
  tranche(),
  investor(),
  moneyColumn('subscription_amount', 'Amount (US$)'),
  {
    id: 'compliance_check_result',
    title: 'Compliance',
    value: ({ compliance_check_result }) => compliance_check_result,
    cell: ({ compliance_check_result, compliance_checks }) => (
      <Checks result={compliance_check_result} checks={compliance_checks} />
    ),
  },
  status(),
  reason(),
  placed(),
  { id: 'acts', title: '', value: () => null, cell: (row) => <SubscriptionActs subscription={row} /> },
];

function SubscriptionActs({ subscription }: { subscription: Records['OperatorSubscription'] }): ReactNode {
  if (subscription.status !== 'pending_confirmation') return null;
  const params = { path: { subscriptionId: subscription.subscription_id } };
  const what = `${money(subscription.subscription_amount)}`;
  return (
    <Group gap={6} wrap="nowrap">
      <Act
        label="Confirm"
        right="APPROVE"
        question={`The subscription of ${what} takes part in the allocation.`}
        reason="optional"
        run={(why) =>
          sent(api.POST('/v1/operator/subscriptions/{subscriptionId}/confirm', { params, body: why ? { reason: why } : {} }))
        }
        done="The subscription is confirmed."
      />
      <Act
        label="Reject"
        right="APPROVE"
        danger
        question={`The subscription of ${what} ends; the investor is told the reason.`}
        reason="optional"
        run={(why) =>
          sent(api.POST('/v1/operator/subscriptions/{subscriptionId}/reject', { params, body: why ? { reason: why } : {} }))
        }
        done="The subscription is rejected."
      />
    </Group>
  );
}

/** Orders with their limits. */
export const Orders = ({ of }: Of): ReactNode => (
  <RecordList
    name={['offerings', 'orders']}
    label="Orders"
    read={(query: QueryOf<'/v1/operator/orders'>) => sent(api.GET('/v1/operator/orders', { params: { query } }))}
    fixed={of}
    filters={[statuses('OPEN', 'ALLOCATED', 'PARTIALLY_ALLOCATED', 'UNFILLED', 'CANCELLED'), INVESTOR]}
    columns={ORDERS}
    rowKey={({ order_id }) => order_id}
    empty="No order yet."
  />
);

const ORDERS: readonly Column<Records['OperatorOrder']>[] = [
  tranche(),
  investor(),
  moneyColumn('amount', 'Amount (US$)'),
  moneyColumn('minimum_amount', 'At least (US$)'),
  {
    id: 'limit_yield',
    title: 'Lowest yield',
    number: true,
    value: ({ limit_yield }) => limit_yield,
    cell: ({ limit_yield }) => (limit_yield === null ? 'Any' : termRate(limit_yield)),
  },
  {
    id: 'compliance_check_result',
    title: 'Compliance',
    value: ({ compliance_check_result }) => compliance_check_result,
    cell: ({ compliance_check_result, compliance_checks }) => (
      <Checks result={compliance_check_result} checks={compliance_checks} />
    ),
  },
  status(),
  reason(),
  placed(),
];

/** What bids were filled with, and whether the investor accepted. */
export const Allocations = ({ of }: Of): ReactNode => (
  <RecordList
    name={['offerings', 'allocations']}
    label="Allocations"
    read={(query: QueryOf<'/v1/operator/allocations'>) => sent(api.GET('/v1/operator/allocations', { params: { query } }))}
    fixed={of}
    filters={[statuses('ISSUED', 'ACCEPTED', 'DECLINED', 'EXPIRED'), INVESTOR]}
    columns={ALLOCATIONS}
    rowKey={({ allocation_id }) => allocation_id}
    empty="Nothing is allocated yet."
  />
);

const ALLOCATIONS: readonly Column<Records['OperatorAllocation']>[] = [
  tranche(),
  investor(),
  moneyColumn('requested_amount', 'Asked for (US$)'),
  moneyColumn('allocated_amount', 'Filled (US$)'),
  {
    id: 'fill_ratio',
    title: 'Share',
    number: true,
    value: ({ fill_ratio }) => fill_ratio,
    cell: ({ fill_ratio }) => share(fill_ratio, 1),
  },
  { id: 'price', title: 'Price', number: true, value: (row) => row.price, cell: (row) => termPrice(row.price) },
  status(),
  whenColumn('expires_at', 'Ends'),
  wordsColumn('method', 'Method', { hidden: true }),
  reason(),
];

/** Trades and their settlement. */
export const Trades = ({ of }: Of): ReactNode => (
  <RecordList
    name={['offerings', 'trades']}
    label="Trades"
    read={(query: QueryOf<'/v1/operator/trades'>) => sent(api.GET('/v1/operator/trades', { params: { query } }))}
    fixed={of}
    filters={[statuses('PENDING_SETTLEMENT', 'SETTLED', 'FAILED', 'CANCELLED'), INVESTOR]}
    columns={TRADES}
    rowKey={({ trade_id }) => trade_id}
    empty="No trade yet: an accepted allocation makes one."
  />
);

const TRADES: readonly Column<Records['OperatorTrade']>[] = [
  tranche(),
  investor(),
  moneyColumn('face', 'Face (US$)'),
  { id: 'price', title: 'Price', number: true, value: (row) => row.price, cell: (row) => termPrice(row.price) },
  moneyColumn('accrued_interest', 'Accrued (US$)'),
  moneyColumn('net_amount', 'To pay (US$)'),
  moneyColumn('corrected_amount', 'Corrected by (US$)', { hidden: true }),
  dayColumn('settlement_date', 'Settles'),
  status(),
  reason(),
  { id: 'acts', title: '', value: () => null, cell: (row) => <TradeActs trade={row} /> },
];

/** What was paid to whom, period by period. */
export const Payments = ({ of }: Of): ReactNode => (
  <RecordList
    name={['offerings', 'payments']}
    label="Payments"
    read={(query: QueryOf<'/v1/operator/payments'>) => sent(api.GET('/v1/operator/payments', { params: { query } }))}
    fixed={of}
    filters={[text('period', 'Period', '1'), choice('holder', 'Holder', ['OF_RECORD', 'RETAINED']), INVESTOR]}
    columns={PAYMENTS}
    rowKey={({ payment_id }) => payment_id}
    empty="Nothing has been paid yet: payments follow from reports that agree with the structure."
  />
);

const PAYMENTS: readonly Column<Records['OperatorPayment']>[] = [
  {
    ...tranche(),
    cell: ({ deal_id, tranche_id, tranche: name }) => <TrancheOf deal_id={deal_id} tranche_id={tranche_id} name={name} />,
  },
  investor(),
  wordsColumn('holder', 'Holder'),
  { id: 'period', title: 'Period', number: true, value: ({ period }) => period },
  dayColumn('payment_date', 'Paid'),
  moneyColumn('face', 'Face (US$)'),
  moneyColumn('interest', 'Interest (US$)'),
  moneyColumn('principal', 'Principal (US$)'),
  moneyColumn('writedown', 'Written down (US$)'),
  moneyColumn('accreted', 'Interest added to the balance (US$)', { hidden: true }),
  {
    id: 'factor_after',
    title: 'Factor after',
    number: true,
    value: ({ factor_after }) => factor_after,
    cell: ({ factor_after }) => factor_after.toFixed(8),
  },
  { id: 'restates', title: 'Restates', hidden: true, value: ({ restates }) => restates },
];
