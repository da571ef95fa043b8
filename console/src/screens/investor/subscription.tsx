import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Id, money, When } from '../../ui/format.tsx';
import { Facts, Note, Page, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { CheckList } from './checks.tsx';
import { TrancheName } from './names.tsx';
import { SubscriptionActs } from './subscription-acts.tsx';

const ENDED: readonly string[] = ['rejected', 'cancelled', 'expired'];

/** A commitment: how far it is, what its checks found, and why it ended. */
export function SubscriptionPage(): ReactNode {
  const { subscriptionId = '' } = useParams({ strict: false });
  const subscription = useQuery({
    queryKey: ['subscriptions', subscriptionId],
    queryFn: () => sent(api.GET('/v1/api/investor/subscriptions/{subscriptionId}', { params: { path: { subscriptionId } } })),
  });
  const found = subscription.data?.data;
  return (
    <Page
      title={found ? `Subscription of ${money(found.subscription_amount)}` : 'Subscription'}
      up={{ to: '/commitments?tab=subscriptions', title: 'Commitments' }}
      acts={found && <SubscriptionActs subscription={found} />}
    >
      <Read from={subscription}>{({ data }) => <Known subscription={data} />}</Read>
    </Page>
  );
}

const Known = ({ subscription }: { subscription: Records['Subscription'] }): ReactNode => (
  <Stack gap="lg">
    {subscription.reason && (
      <Note
        color={ENDED.includes(subscription.status) ? 'red' : 'gray'}
        title={ENDED.includes(subscription.status) ? 'Why it ended' : 'What came of it'}
      >
        {subscription.reason}
      </Note>
    )}
    <Facts
      facts={[
        ['Status', <Status key="status" of={subscription.status} />],
        ['Tranche', <TrancheName key="tranche" deal_id={subscription.deal_id} tranche_id={subscription.tranche_id} />],
        ['Amount', money(subscription.subscription_amount)],
        ['Place in time', <When key="placed" at={subscription.placed_at} />],
        ['Confirmed', <When key="confirmed" at={subscription.confirmed_at} />],
        ['Allocated', <When key="allocated" at={subscription.allocated_at} />],
        ['Funded', <When key="funded" at={subscription.funded_at} />],
        ['Settled', <When key="settled" at={subscription.settled_at} />],
        ['Id', <Id key="id" of={subscription.subscription_id} />],
      ]}
    />
    <Part title="Compliance checks" about="As they were when the amount was committed or amended last.">
      <CheckList checks={subscription.compliance_checks} />
    </Part>
  </Stack>
);
