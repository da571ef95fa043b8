import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { Empty } from '../../ui/page.tsx';
import type { Change } from './changes.ts';

/** Differences of two versions, each with what was and what is. */
export function ChangeTable({ label, changes }: { label: string; changes: readonly Change[] }): ReactNode {
  if (changes.length === 0) return <Empty>Nothing is different.</Empty>;
  return (
    <Table.ScrollContainer minWidth={560} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label={label} fz="sm" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th>Change</Table.Th>
            <Table.Th>Before</Table.Th>
            <Table.Th>After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map(({ what, kind, before, after }) => (
            <Table.Tr key={`${what} ${kind}`}>
              <Table.Td className="nowrap">{what}</Table.Td>
              <Table.Td>{kind}</Table.Td>
              <Table.Td>{before ?? '–'}</Table.Td>
              <Table.Td>{after ?? '–'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
