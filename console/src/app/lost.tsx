import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Page } from '../ui/page.tsx';
import { To } from '../ui/link.tsx';

export const Lost = (): ReactNode => (
  <Page title="There is no such page">
    <Text size="sm">
      The address may be mistyped, or the page has moved. Go to{' '}
      <To to="/" size="sm" underline="always">
        what waits for you
      </To>{' '}
      or search with Ctrl K.
    </Text>
  </Page>
);
