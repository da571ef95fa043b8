import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

/** Whether a pool test holds; null where it measures nothing. */
export function TestVerdict({ passed }: { passed: boolean | null }): ReactNode {
  const [color, text] = passed === null ? ['gray', 'Not applicable'] : passed ? ['teal', 'Within'] : ['red', 'Over the limit'];
  return (
    <Badge component="span" color={color} variant="light" radius="sm" tt="none" fz="xs" fw={500} className="status">
      {text}
    </Badge>
  );
}
