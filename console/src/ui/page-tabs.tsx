import { Tabs } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { useAddress } from '../app/address.ts';
import { Loading } from './page.tsx';

export type PageTab = readonly [name: string, title: string, content: () => ReactNode];

type Props = {
  tabs: readonly PageTab[];
  /** What the tabs keep in the address, none of which means anything in another tab. */
  clears?: readonly string[];
};

/** The parts of a page, of which the address names the open one: the first where it names none of them. */
export function PageTabs({ tabs, clears = [] }: Props): ReactNode {
  const [values, set] = useAddress();
  const open = tabs.find(([name]) => name === values.tab) ?? tabs[0];
  return (
    <Tabs
      value={open?.[0] ?? null}
      onChange={(tab) => set({ ...Object.fromEntries(clears.map((name) => [name, null])), tab })}
      keepMounted={false}
    >
      <Tabs.List>
        {tabs.map(([name, title]) => (
          <Tabs.Tab key={name} value={name}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(([name, , content]) => (
        <Tabs.Panel key={name} value={name} pt="md">
          <Suspense fallback={<Loading />}>{content()}</Suspense>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
