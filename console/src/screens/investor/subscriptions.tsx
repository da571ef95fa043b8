import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { ButtonTo } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Status } from '../../ui/status.tsx';
import { reasonColumn, statusColumn, trancheColumn } from './commitment-columns.tsx';
import { SubscriptionActs } from './subscription-acts.tsx';
import { moneyColumn, whenColumn } from '../../ui/columns.tsx';

/** Commitments at the offered terms. */
export const Subscriptions = (): ReactNode => (
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

const SUBSCRIPTIONS: readonly Column<Records['Subscription']>[] = [
  trancheColumn(),
  moneyColumn('subscription_amount', 'Amount (US$)'),
  statusColumn(),
  reasonColumn(),
  {
    id: 'compliance',
    title: 'Compliance',
    value: ({ compliance_check_result }) => compliance_check_result,
    cell: ({ compliance_check_result }) => <Status of={compliance_check_result} />,
  },
  whenColumn('placed_at', 'Placed'),
  { id: 'subscription_id', title: 'Id', hidden: true, value: ({ subscription_id }) => subscription_id },
  {
    id: 'acts',
    title: '',
    value: () => null,
    cell: (subscription) => (
      <span className="row">
        <ButtonTo
          to="/commitments/subscriptions/$subscriptionId"
          params={{ subscriptionId: subscription.subscription_id }}
          size="compact-sm"
          variant="subtle"
        >
          Details
        </ButtonTo>
        <SubscriptionActs subscription={subscription} />
      </span>
    ),
  },
];
