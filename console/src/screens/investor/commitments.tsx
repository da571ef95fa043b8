import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { Page } from '../../ui/page.tsx';
import { Allocations } from './allocations.tsx';
import { Indications } from './indications.tsx';
import { Orders } from './orders.tsx';
import { Subscriptions } from './subscriptions.tsx';
import { Trades } from './trades.tsx';

const TABS: readonly [name: string, title: string, content: () => ReactNode][] = [
  ['allocations', 'Allocations', () => <Allocations />],
  ['orders', 'Orders', () => <Orders />],
  ['subscriptions', 'Subscriptions', () => <Subscriptions />],
  ['trades', 'Trades', () => <Trades />],
  ['indications', 'Indications', () => <Indications />],
];

/** What the organization has bid, committed, been given and traded, each with what has to be done until when. */
export function Commitments(): ReactNode {
  const [values, set] = useAddress();
  return (
    <Page
      title="Commitments"
      about="Orders and subscriptions are filled when the books of a deal are allocated. An allocation has to be accepted before it expires; an accepted one becomes a trade."
    >
      <Tabs
        value={values.tab ?? 'allocations'}
        onChange={(tab) => set({ ...Object.fromEntries(Object.keys(values).map((name) => [name, null])), tab })}
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
            {content()}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
