import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import { choice } from '../../ui/filters.tsx';
import { Day, money, share, When } from '../../ui/format.tsx';
import { percent, price } from '../../ui/format-market.ts';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page, ToCome } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';

/** What the organization has bid, committed, been given and traded, each with what has to be done until when. */
export function Commitments(): ReactNode {
  const [values, set] = useAddress();
  return (
    <Page title="Commitments" about="Allocations have to be accepted before they expire; accepted ones become trades.">
      <Tabs
        value={values.tab ?? 'allocations'}
        onChange={(tab) => set({ ...Object.fromEntries(Object.keys(values).map((name) => [name, null])), tab })}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="allocations">Allocations</Tabs.Tab>
          <Tabs.Tab value="orders">Orders</Tabs.Tab>
          <Tabs.Tab value="subscriptions">Subscriptions</Tabs.Tab>
          <Tabs.Tab value="trades">Trades</Tabs.Tab>
          <Tabs.Tab value="indications">Indications</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="allocations" pt="md">
          <Allocations />
        </Tabs.Panel>
        <Tabs.Panel value="orders" pt="md">
          <Orders />
        </Tabs.Panel>
        <Tabs.Panel value="subscriptions" pt="md">
          <Subscriptions />
        </Tabs.Panel>
        <Tabs.Panel value="trades" pt="md">
          <Trades />
        </Tabs.Panel>
        <Tabs.Panel value="indications" pt="md">
          <Indications />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

type OfTranche = { deal_id: string; tranche_id: string };

/** The names of a deal and one of its tranches, read once for all rows. */
export function TrancheName({ deal_id, tranche_id }: OfTranche): ReactNode {
  const { data, isPending } = useQuery({
    queryKey: ['market', deal_id],
    staleTime: 300_000,
    queryFn: () => sent(api.GET('/v1/api/investor/deals/{dealId}', { params: { path: { dealId: deal_id } } })),
  });
  if (isPending) return <ToCome width={200} />;
  const deal = data?.data;
  const tranche = deal?.tranches.find((each) => each.tranche_id === tranche_id)?.tranche;
  return (
    <To to="/market/$dealId" params={{ dealId: deal_id }} size="sm">
      {deal ? `${deal.name}, ${tranche ?? tranche_id}` : tranche_id}
    </To>
  );
}

const trancheColumn = <Row extends OfTranche>(): Column<Row> => ({
  id: 'tranche_id',
  title: 'Tranche',
  value: ({ tranche_id }) => tranche_id,
  cell: ({ deal_id, tranche_id }) => <TrancheName deal_id={deal_id} tranche_id={tranche_id} />,
});
const statusColumn = <Row extends { status: string; reason?: string | null }>(): Column<Row> => ({
  id: 'status',
  title: 'Status',
  value: ({ status }) => status,
  cell: ({ status, reason }) => (
    <span title={reason ?? ''}>
      <Status of={status} />
    </span>
  ),
});

const Allocations = (): ReactNode => (
  <RecordList
    name={['allocations']}
    label="Allocations"
    read={(query: QueryOf<'/v1/api/investor/allocations'>) =>
      sent(api.GET('/v1/api/investor/allocations', { params: { query } }))
    }
    filters={[choice('status', 'Status', ['ISSUED', 'ACCEPTED', 'DECLINED', 'EXPIRED'])]}
    columns={ALLOCATIONS}
    rowKey={({ allocation_id }) => allocation_id}
    empty="Nothing has been allocated to you yet: orders are filled when the books of a deal are allocated."
  />
);

const ALLOCATIONS: readonly Column<Records['Allocation']>[] = [
  trancheColumn(),
  {
    id: 'requested_amount',
    title: 'Asked for (US$)',
    number: true,
    value: ({ requested_amount }) => requested_amount,
    cell: ({ requested_amount }) => money(requested_amount),
  },
  {
    id: 'allocated_amount',
    title: 'Allocated (US$)',
    number: true,
    value: ({ allocated_amount }) => allocated_amount,
    cell: ({ allocated_amount }) => money(allocated_amount),
  },
  {
    id: 'fill_ratio',
    title: 'Filled',
    number: true,
    value: ({ fill_ratio }) => fill_ratio,
    cell: ({ fill_ratio }) => share(fill_ratio, 1),
  },
  {
    id: 'yield',
    title: 'Yield',
    number: true,
    value: (allocation) => allocation.yield,
    cell: (allocation) => percent(allocation.yield),
  },
  {
    id: 'price',
    title: 'Price',
    number: true,
    value: (allocation) => allocation.price,
    cell: (allocation) => price(allocation.price),
  },
  statusColumn(),
  {
    id: 'expires_at',
    title: 'Until',
    value: ({ expires_at }) => expires_at,
    cell: ({ expires_at, status }) => (status === 'ISSUED' ? <When at={expires_at} /> : '–'),
  },
  {
    id: 'acts',
    title: '',
    value: () => null,
    cell: ({ allocation_id, allocated_amount, status }) =>
      status === 'ISSUED' && (
        <span className="row">
          <Act
            label="Accept"
            right="APPROVE"
            question={`You buy ${money(allocated_amount)}; a trade is made, and cash is due on its settlement date.`}
            run={() =>
              sent(
                api.POST('/v1/api/investor/allocations/{allocationId}/accept', {
                  params: { path: { allocationId: allocation_id } },
                  body: {},
                }),
              )
            }
            done="Accepted: the trade is under Trades."
          />
          <Act
            label="Decline"
            right="APPROVE"
            danger
            question={`${money(allocated_amount)} goes to others. It cannot be undone.`}
            typed="decline"
            run={() =>
              sent(
                api.POST('/v1/api/investor/allocations/{allocationId}/decline', {
                  params: { path: { allocationId: allocation_id } },
                  body: {},
                }),
              )
            }
            done="Declined."
          />
        </span>
      ),
  },
];

const Orders = (): ReactNode => (
  <RecordList
    name={['orders']}
    label="Orders"
    read={(query: QueryOf<'/v1/api/investor/orders'>) => sent(api.GET('/v1/api/investor/orders', { params: { query } }))}
    filters={[choice('status', 'Status', ['OPEN', 'ALLOCATED', 'PARTIALLY_ALLOCATED', 'UNFILLED', 'CANCELLED'])]}
    columns={ORDERS}
    rowKey={({ order_id }) => order_id}
    empty="No order yet: a deal that is marketed takes orders on its page."
  />
);

const ORDERS: readonly Column<Records['Order']>[] = [
  trancheColumn(),
  { id: 'amount', title: 'Amount (US$)', number: true, value: ({ amount }) => amount, cell: ({ amount }) => money(amount) },
  {
    id: 'minimum_amount',
    title: 'Least fill (US$)',
    number: true,
    value: ({ minimum_amount }) => minimum_amount,
    cell: ({ minimum_amount }) => money(minimum_amount),
  },
  {
    id: 'limit_yield',
    title: 'Limit yield',
    number: true,
    value: ({ limit_yield }) => limit_yield,
    cell: ({ limit_yield }) => (limit_yield === null ? 'Market' : percent(limit_yield)),
  },
  statusColumn(),
  { id: 'placed_at', title: 'Placed', value: ({ placed_at }) => placed_at, cell: ({ placed_at }) => <When at={placed_at} /> },
  {
    id: 'acts',
    title: '',
    value: () => null,
    cell: ({ order_id, amount, status }) =>
      status === 'OPEN' && (
        <Act
          label="Cancel"
          right="APPROVE"
          danger
          question={`The order of ${money(amount)} leaves the book and loses its place in time.`}
          run={() => sent(api.DELETE('/v1/api/investor/orders/{orderId}', { params: { path: { orderId: order_id } } }))}
          done="The order is cancelled."
        />
      ),
  },
];

const Subscriptions = (): ReactNode => (
  <RecordList
    name={['subscriptions']}
    label="Subscriptions"
    read={(query: QueryOf<'/v1/api/investor/subscriptions'>) =>
      sent(api.GET('/v1/api/investor/subscriptions', { params: { query } }))
    }
    filters={[
      choice('status', 'Status', [
        'pending_confirmation',
        'confirmed',
        'allocated',
        'funded',
        'settled',
        'rejected',
        'cancelled',
        'expired',
      ]),
    ]}
    columns={SUBSCRIPTIONS}
    rowKey={({ subscription_id }) => subscription_id}
    empty="No subscription yet: a deal that is marketed takes them on its page."
  />
);

const CANCELLABLE = ['pending_confirmation', 'confirmed'];
const SUBSCRIPTIONS: readonly Column<Records['Subscription']>[] = [
  trancheColumn(),
  {
    id: 'subscription_amount',
    title: 'Amount (US$)',
    number: true,
    value: ({ subscription_amount }) => subscription_amount,
    cell: ({ subscription_amount }) => money(subscription_amount),
  },
  statusColumn(),
  {
    id: 'compliance',
    title: 'Compliance',
    value: ({ compliance_check_result }) => compliance_check_result,
    cell: ({ compliance_check_result }) => <Status of={compliance_check_result} />,
  },
  { id: 'placed_at', title: 'Placed', value: ({ placed_at }) => placed_at, cell: ({ placed_at }) => <When at={placed_at} /> },
  {
    id: 'acts',
    title: '',
    value: () => null,
    cell: ({ subscription_id, subscription_amount, status }) =>
      CANCELLABLE.includes(status) && (
        <Act
          label="Cancel"
          right="APPROVE"
          danger
          question={`The commitment of ${money(subscription_amount)} ends, and its capacity goes to others.`}
          run={() =>
            sent(
              api.POST('/v1/api/investor/subscriptions/{subscriptionId}/cancel', {
                params: { path: { subscriptionId: subscription_id } },
                body: {},
              }),
            )
          }
          done="The subscription is cancelled."
        />
      ),
  },
];

const Trades = (): ReactNode => (
  <RecordList
    name={['trades']}
    label="Trades"
    read={(query: QueryOf<'/v1/api/investor/trades'>) => sent(api.GET('/v1/api/investor/trades', { params: { query } }))}
    filters={[choice('status', 'Status', ['PENDING_SETTLEMENT', 'SETTLED', 'FAILED', 'CANCELLED'])]}
    columns={TRADES}
    rowKey={({ trade_id }) => trade_id}
    empty="No trade yet: accepting an allocation makes one."
  />
);

const TRADES: readonly Column<Records['Trade']>[] = [
  trancheColumn(),
  { id: 'face', title: 'Face (US$)', number: true, value: ({ face }) => face, cell: ({ face }) => money(face) },
  { id: 'price', title: 'Price', number: true, value: (trade) => trade.price, cell: (trade) => price(trade.price) },
  {
    id: 'accrued_interest',
    title: 'Accrued (US$)',
    number: true,
    value: ({ accrued_interest }) => accrued_interest,
    cell: ({ accrued_interest }) => money(accrued_interest),
  },
  {
    id: 'net_amount',
    title: 'Cash (US$)',
    number: true,
    value: ({ net_amount }) => net_amount,
    cell: ({ net_amount }) => money(net_amount),
  },
  { id: 'trade_date', title: 'Traded', value: ({ trade_date }) => trade_date, cell: ({ trade_date }) => <Day at={trade_date} /> },
  {
    id: 'settlement_date',
    title: 'Settles',
    value: ({ settlement_date }) => settlement_date,
    cell: ({ settlement_date }) => <Day at={settlement_date} />,
  },
  statusColumn(),
];

const Indications = (): ReactNode => (
  <RecordList
    name={['iois']}
    label="Indications"
    read={(query: QueryOf<'/v1/api/investor/iois'>) => sent(api.GET('/v1/api/investor/iois', { params: { query } }))}
    filters={[choice('status', 'Status', ['submitted', 'withdrawn', 'converted', 'expired'])]}
    columns={INDICATIONS}
    rowKey={({ ioi_id }) => ioi_id}
    empty="No indication yet."
  />
);

const INDICATIONS: readonly Column<Records['Ioi']>[] = [
  {
    id: 'deal_id',
    title: 'Deal',
    value: ({ deal_id }) => deal_id,
    cell: ({ deal_id }) => (
      <To to="/market/$dealId" params={{ dealId: deal_id }} size="sm">
        {deal_id}
      </To>
    ),
  },
  {
    id: 'interest_amount',
    title: 'Amount (US$)',
    number: true,
    value: ({ interest_amount }) => interest_amount,
    cell: ({ interest_amount }) => money(interest_amount),
  },
  statusColumn(),
  {
    id: 'created_at',
    title: 'Placed',
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <When at={created_at} />,
  },
  {
    id: 'acts',
    title: '',
    value: () => null,
    cell: ({ ioi_id, status }) =>
      status === 'submitted' && (
        <Act
          label="Withdraw"
          right="EDIT"
          question="The indication is taken back."
          run={() => sent(api.DELETE('/v1/api/investor/iois/{ioiId}', { params: { path: { ioiId: ioi_id } } }))}
          done="The indication is withdrawn."
        />
      ),
  },
];
