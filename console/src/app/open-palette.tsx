import { ActionIcon, Button, Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useState, type ReactNode } from 'react';
import { ICON } from '../ui/icon.ts';

const Palette = lazyRouteComponent(() => import('./palette.tsx'));

/** The button and the keys of the command palette, which is read when it is first used. */
export function OpenPalette(): ReactNode {
  const [asked, setAsked] = useState(0);
  const ask = (): void => setAsked(asked + 1);
  // In a field a slash is text; Ctrl K is asked for there too.
  useHotkeys([['mod+K', ask]], []);
  useHotkeys([['/', ask]]);
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        visibleFrom="sm"
        leftSection={<IconSearch {...ICON} />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        onClick={ask}
      >
        Search
      </Button>
      <ActionIcon variant="subtle" color="gray" hiddenFrom="sm" aria-label="Search" onClick={ask}>
        <IconSearch {...ICON} />
      </ActionIcon>
      {asked > 0 && (
        <Suspense>
          <Palette asked={asked} />
        </Suspense>
      )}
    </>
  );
}
