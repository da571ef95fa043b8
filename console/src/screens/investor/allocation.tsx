import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Id, money, share, When, words } from '../../ui/format.tsx';
import { termPrice, termRate } from '../../ui/format-market.ts';
import { To } from '../../ui/link.tsx';
import { Facts, type Fact, Page, ToCome } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { Answer } from './answer.tsx';
import { Deadline } from './deadline.tsx';
import { TrancheName } from './names.tsx';
import { Proof } from './proof.tsx';

/** What a book has given, what has to be answered until when, and how it can be verified. */
export function AllocationPage(): ReactNode {
  const { allocationId = '' } = useParams({ strict: false });
  const allocation = useQuery({
    queryKey: ['allocations', allocationId],
    queryFn: () => sent(api.GET('/v1/api/investor/allocations/{allocationId}', { params: { path: { allocationId } } })),
  });
  const found = allocation.data?.data;
  return (
    <Page
      title={found ? `Allocation of ${money(found.allocated_amount)}` : 'Allocation'}
      up={{ to: '/commitments', title: 'Commitments' }}
      about={found ? found.reason : allocation.error ? null : <ToCome width={160} />}
      acts={
        found && (
          <Group gap="xs">
            <Answer allocation={found} />
          </Group>
        )
      }
    >
      <Read from={allocation}>
        {({ data }) => (
          <Stack gap="lg">
            <Facts facts={factsOf(data)} />
            <Proof allocationId={data.allocation_id} />
          </Stack>
        )}
      </Read>
    </Page>
  );
}

const factsOf = (allocation: Records['Allocation']): Fact[] => [
  ['Status', <Status key="status" of={allocation.status} />],
  ...(allocation.status === 'ISSUED'
    ? [['Answer within', <Deadline key="until" at={allocation.expires_at} />] satisfies Fact]
    : [['Decided', <When key="decided" at={allocation.decided_at} />] satisfies Fact]),
  ['Tranche', <TrancheName key="tranche" deal_id={allocation.deal_id} tranche_id={allocation.tranche_id} />],
  ['Asked for', money(allocation.requested_amount)],
  ['Allocated', money(allocation.allocated_amount)],
  ['Filled', share(allocation.fill_ratio, 1)],
  ['Yield', termRate(allocation.yield)],
  ['Price, clean', termPrice(allocation.price)],
  ['Method', words(allocation.method)],
  [
    'From',
    allocation.subscription_id ? (
      <To key="from" to="/commitments/subscriptions/$subscriptionId" params={{ subscriptionId: allocation.subscription_id }}>
        A subscription
      </To>
    ) : (
      'An order'
    ),
  ],
  [
    'Trade',
    allocation.trade_id ? (
      <To key="trade" to="/commitments/trades/$tradeId" params={{ tradeId: allocation.trade_id }}>
        The trade
      </To>
    ) : (
      'None yet'
    ),
  ],
  ['Id', <Id key="id" of={allocation.allocation_id} />],
];
