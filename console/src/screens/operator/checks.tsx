import { HoverCard, List, Text, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { words } from '../../ui/format.tsx';
import { Status } from '../../ui/status.tsx';

/** What compliance found, with each check and why on focus. */
export const Checks = ({ result, checks }: { result: string; checks: readonly Records['ComplianceCheck'][] }): ReactNode => (
  <HoverCard width={360} shadow="md" withinPortal>
    <HoverCard.Target>
      <UnstyledButton aria-label={`${words(result)}: ${checks.length} checks`}>
        <Status of={result} />
      </UnstyledButton>
    </HoverCard.Target>
    <HoverCard.Dropdown>
      <List size="sm" spacing={4}>
        {checks.map(({ check, result: found, reason }) => (
          <List.Item key={check}>
            {words(check)}: {words(found).toLowerCase()}.{' '}
            <Text span size="sm" c="dimmed">
              {reason}
            </Text>
          </List.Item>
        ))}
      </List>
    </HoverCard.Dropdown>
  </HoverCard>
);
