import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { Page } from '../../ui/page.tsx';
import { Allocations, Iois, Orders, Payments, Subscriptions, Trades } from './market-lists.tsx';

const ALL = {};
const TABS: readonly [name: string, title: string, content: ReactNode][] = [
  ['trades', 'Trades', <Trades key="trades" of={ALL} />],
  ['subscriptions', 'Subscriptions', <Subscriptions key="subscriptions" of={ALL} />],
  ['orders', 'Orders', <Orders key="orders" of={ALL} />],
  ['allocations', 'Allocations', <Allocations key="allocations" of={ALL} />],
  ['indications', 'Indications', <Iois key="indications" of={ALL} />],
  ['payments', 'Payments', <Payments key="payments" of={ALL} />],
];

/** Subscriptions to confirm and trades to settle, of all deals. */
export function Settlement(): ReactNode {
  const [values, set] = useAddress();
  return (
    <Page title="Settlement" about="What investors have committed to, over all deals.">
      <Tabs
        value={values.tab ?? 'trades'}
        onChange={(tab) => set({ tab, status: null, organization_id: null, period: null, holder: null })}
        keepMounted={false}
      >
        <Tabs.List>
          {TABS.map(([name, title]) => (
            <Tabs.Tab key={name} value={name}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(([name, , content]) => (
          <Tabs.Panel key={name} value={name} pt="md">
            {content}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
