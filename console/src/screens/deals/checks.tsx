import { Group, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { count, words } from '../../ui/format.tsx';

/** Stages of the checks in their order. */
const STAGES = ['READING', 'MATCHING', 'CHECKING', 'LISTING', 'WRITING', 'STORING'];

/** How far running checks have come; the gateway keeps it, so a reload shows the same. */
export function Checks({ progress }: { progress: Records['ChecksProgress'] | null }): ReactNode {
  const at = progress ? STAGES.indexOf(progress.stage) : 0;
  const part = progress && progress.total > 0 ? progress.done / progress.total : 0;
  return (
    <div role="status">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {progress ? `${words(progress.stage)}, step ${at + 1} of ${STAGES.length}` : 'The checks begin'}
        </Text>
        {progress && (
          <Text size="sm" className="number">
            {count(progress.done)} of {count(progress.total)}
          </Text>
        )}
      </Group>
      <Progress value={(100 * (at + part)) / STAGES.length} aria-label="Checks" mt={4} />
      <Text size="xs" c="dimmed" mt={4}>
        You can leave this page: the checks go on, and an alert tells you when they are done.
      </Text>
    </div>
  );
}
