import type { ReactNode } from 'react';
import { Page } from '../../ui/page.tsx';
import { type PageTab, PageTabs } from '../../ui/page-tabs.tsx';
import { Allocations, Iois, Orders, Payments, Subscriptions, Trades } from './market-lists.tsx';

const ALL = {};
const TABS: readonly PageTab[] = [
  ['trades', 'Trades', () => <Trades of={ALL} />],
  ['subscriptions', 'Subscriptions', () => <Subscriptions of={ALL} />],
  ['orders', 'Orders', () => <Orders of={ALL} />],
  ['allocations', 'Allocations', () => <Allocations of={ALL} />],
  ['indications', 'Indications', () => <Iois of={ALL} />],
  ['payments', 'Payments', () => <Payments of={ALL} />],
];

/** Subscriptions to confirm and trades to settle, of all deals. */
export function Settlement(): ReactNode {
  return (
    <Page title="Settlement" about="What investors have committed to, over all deals.">
      <PageTabs tabs={TABS} clears={['status', 'organization_id', 'period', 'holder']} />
    </Page>
  );
}
