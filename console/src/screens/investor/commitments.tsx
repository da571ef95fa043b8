import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { Page } from '../../ui/page.tsx';
import { type PageTab, PageTabs } from '../../ui/page-tabs.tsx';
import { Allocations } from './allocations.tsx';
import { Indications } from './indications.tsx';
import { Orders } from './orders.tsx';
import { Subscriptions } from './subscriptions.tsx';
import { Trades } from './trades.tsx';

const TABS: readonly PageTab[] = [
  ['allocations', 'Allocations', () => <Allocations />],
  ['orders', 'Orders', () => <Orders />],
  ['subscriptions', 'Subscriptions', () => <Subscriptions />],
  ['trades', 'Trades', () => <Trades />],
  ['indications', 'Indications', () => <Indications />],
];

/** What the organization has bid, committed, been given and traded, each with what has to be done until when. */
export function Commitments(): ReactNode {
  const [values] = useAddress();
  return (
    <Page
      title="Commitments"
      about="Orders and subscriptions are filled when the books of a deal are allocated. An allocation has to be accepted before it expires; an accepted one becomes a trade."
    >
      <PageTabs tabs={TABS} clears={Object.keys(values)} />
    </Page>
  );
}
